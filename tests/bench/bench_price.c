/* What `roofline price` costs, against bare jansson parsing the same lines.

   bench_price [ROWS]          default 1,000,000 records, made from ../shared or made up

   Targets (issue 5): jsonl 1.3x of jansson; peak memory the same for a hundredth of the records. Each
   measurement is a child process, so that its peak memory is its own; times are the best of five. */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "runtime/pricing/commands.h"

typedef struct cost {
  double seconds; /* of the processor: what else the machine does is no cost of this */
  long peak_kib;
} cost;

static void bare_jansson(const char *path) {
  FILE *f = fopen(path, "rb");
  char *line = NULL;
  size_t capacity = 0;
  json_error_t error;
  for (ssize_t n; f != NULL && (n = getline(&line, &capacity, f)) > 0;)
    json_decref(json_loadb(line, (size_t)n, 0, &error));
  free(line);
  if (f != NULL) fclose(f);
}

static void price(const char *path, const char *format) {
  char *argv[] = {"price",    "--profiles",           SOURCE_DIR "/manifest/profiles",
                  "--format", (char *)(size_t)format, (char *)(size_t)path,
                  NULL};
  int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  price_main(6, argv);
}

/* format NULL: bare jansson. */
static cost measure(const char *path, const char *format) {
  cost best = {1e30, 0};
  for (int i = 0; i < 5; i++) {
    struct rusage used;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      if (format == NULL)
        bare_jansson(path);
      else
        price(path, format);
      _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status)) {
      fprintf(stderr, "bench_price: a child failed\n");
      exit(1);
    }
    double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    if (seconds < best.seconds) best.seconds = seconds;
    if (used.ru_maxrss > best.peak_kib) best.peak_kib = used.ru_maxrss;
  }
  return best;
}

/* The measured rows over and over, or made-up ones where ../shared is absent. */
static void make_records(const char *path, long rows) {
  FILE *out = fopen(path, "wb"), *in = fopen(SHARED_DIR "/expected/records_h200.jsonl", "rb");
  char *line = NULL;
  size_t capacity = 0;
  if (out == NULL) exit(1);
  if (in == NULL) fprintf(stderr, "note: ../shared is absent; the records are made up\n");
  for (long i = 0; i < rows; i++) {
    if (in == NULL) {
      fprintf(
          out,
          "{\"op\": \"Op%ld\", \"case\": \"case-%ld\", \"device\": \"NVIDIA H200\", \"timing\": \"cupti\", "
          "\"roof_key\": \"cuda_core.fp32\", \"device_busy_ms\": %.6g, \"flops\": %ld, \"bytes\": %ld}\n",
          i % 97, i, 0.01 + (double)(i % 1000) * 1e-4, 33554432 + i, 33562624 + i);
      continue;
    }
    ssize_t n = getline(&line, &capacity, in);
    if (n <= 0) {
      rewind(in);
      n = getline(&line, &capacity, in);
    }
    fwrite(line, 1, (size_t)n, out);
  }
  free(line);
  if (in != NULL) fclose(in);
  if (fclose(out) != 0) exit(1);
}

int main(int argc, char **argv) {
  static const char *const formats[] = {"jsonl", "json", "csv", "md", "html", "table"};
  long rows = argc > 1 ? atol(argv[1]) : 1000000;
  char many[] = "/tmp/bench_price_many_XXXXXX", few[] = "/tmp/bench_price_few_XXXXXX";
  close(mkstemp(many));
  close(mkstemp(few));
  make_records(many, rows);
  make_records(few, rows / 100);
  cost bare = measure(many, NULL);
  printf("%ld records: bare jansson %.2f s, %.2f us a record\n", rows, bare.seconds,
         bare.seconds / (double)rows * 1e6);
  printf("%-8s %8s %12s %14s %14s\n", "format", "ratio", "us/record", "peak KiB", "peak at 1/100");
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    cost c = measure(many, formats[i]), small = measure(few, formats[i]);
    printf("%-8s %7.2fx %12.2f %14ld %14ld\n", formats[i], c.seconds / bare.seconds,
           c.seconds / (double)rows * 1e6, c.peak_kib, small.peak_kib);
  }
  remove(many);
  remove(few);
  return 0;
}
