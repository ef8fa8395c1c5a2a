/* What `rooflinec check` and `emit` cost, against libyaml alone producing the same files' events.

   bench_check PATH...            default ../shared/corpus
   bench_check --scale N PATH...  N renamed copies of every op: time per op against one copy, peak memory

   Elapsed time with one thread, and with as many as there are processors: leave the machine alone meanwhile.
   Targets (issue 3): check --rows=shapes 2.0x, full check 4.0x, emit adds 1.0x. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <yaml.h>

#include "bench.h"
#include "compiler/emit.h"
#include "compiler/manifest.h"
#include "compiler/manifest_files.h"
#include "text/parallel.h"

typedef struct job {
  const char *const *paths;
  uint32_t path_count;
  analysis_options analysis;
  bool emit;
  uint32_t jobs;
  uint32_t ops, cases, errors;
} job;

static void events_of(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return;
  yaml_parser_t parser;
  yaml_parser_initialize(&parser);
  yaml_parser_set_input_file(&parser, f);
  for (bool done = false; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) break;
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  fclose(f);
}

static void events(void *to) {
  const job *j = to;
  arena *a = arena_new();
  manifest_path *files = NULL;
  uint32_t count = 0;
  manifest_find_files(a, j->paths, j->path_count, &files, &count);
  for (uint32_t i = 0; i < count; i++) events_of(files[i].path);
  arena_free(a);
}

static void compile(void *to) {
  job *j = to;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  emit_definitions none = {0};
  manifest_options options = {.paths = j->paths,
                              .path_count = j->path_count,
                              .yaml = yt_default_limits,
                              .parse = parse_default_limits,
                              .analysis = j->analysis,
                              .definitions = &none,
                              .missing_unavailable = true,
                              .jobs = j->jobs};
  manifest m;
  manifest_analyse(a, sink, &options, &m);
  if (j->emit) {
    emit_options emission = {
        .prefix = STR("roofline"), .rows_main = true, .missing_unavailable = true, .jobs = j->jobs};
    emit_files files = {0};
    emit_all(a, sink, &m.plans, &emission, &files);
  }
  j->ops = m.ops;
  j->cases = m.cases;
  j->errors = diag_count(sink, DIAG_ERROR);
  arena_free(a);
}

static double measure(job j, rows_depth rows, bool emit, int runs) {
  j.analysis = analysis_default_options;
  j.analysis.rows = rows;
  j.analysis.want_rows = emit;
  j.emit = emit;
  return bench_best_elapsed(runs, compile, &j);
}

/* Elapsed time, with the threads given, against libyaml's on one. */
static void compare(job j, double yaml) {
  const double shapes = measure(j, ROWS_SHAPES, false, 40), full = measure(j, ROWS_FULL, false, 20);
  const double kept = measure(j, ROWS_SHAPES, true, 20);
  printf("%u thread%s\n", j.jobs, j.jobs == 1 ? "" : "s");
  printf("  check --rows=shapes  %8.2f ms  %.2fx (target 2.0x)\n", shapes * 1e3, shapes / yaml);
  printf("  check                %8.2f ms  %.2fx (target 4.0x)\n", full * 1e3, full / yaml);
  printf("  emit adds            %8.2f ms  %.2fx (target 1.0x)\n", (kept - shapes) * 1e3,
         (kept - shapes) / yaml);
}

static long peak_kib(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_maxrss;
}

/* ---- scaling ---- */

/* Copies a manifest N times into a folder, op names made distinct before their "FwdOp" or "BwdOp". */
static void copy_renamed(const char *from, FILE *to, int copy) {
  FILE *f = fopen(from, "r");
  char line[1 << 16];
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    char *end = line[0] >= 'A' && line[0] <= 'Z' ? strstr(line, "wdOp:") : NULL;
    if (end == NULL) {
      fputs(line, to);
      continue;
    }
    fprintf(to, "%.*sX%d%s", (int)(end - line - 1), line, copy, end - 1);
  }
  if (f != NULL) fclose(f);
}

/* The ops of `files`, each `copies` times, in a folder of their own; returns its bytes. */
static uint64_t copy_files(arena *a, const manifest_path *files, uint32_t n, int copies, const char *folder) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    const char *slash = strrchr(files[i].path, '/'), *name = slash == NULL ? files[i].path : slash + 1;
    FILE *to = fopen(arena_cstr(a, arena_printf(a, "%s/%s", folder, name)), "w");
    if (to == NULL) exit(2);
    for (int c = 0; c < (files[i].is_types ? 1 : copies); c++) copy_renamed(files[i].path, to, c);
    bytes += (uint64_t)ftell(to);
    fclose(to);
  }
  return bytes;
}

static int scale(const char *const *paths, uint32_t count, int copies) {
  arena *a = arena_new();
  manifest_path *files = NULL;
  uint32_t n = 0;
  char folder[] = "/tmp/bench_check_XXXXXX", command[64];
  if (!manifest_find_files(a, paths, count, &files, &n) || mkdtemp(folder) == NULL) return 2;
  const uint64_t bytes = copy_files(a, files, n, copies, folder);
  const char *path = folder;
  job one = {.paths = paths, .path_count = count, .analysis = analysis_default_options, .jobs = 1};
  job many = {.paths = &path, .path_count = 1, .analysis = analysis_default_options, .jobs = 1};
  const double once = bench_best(10, compile, &one) / one.ops,
               each = bench_best(1, compile, &many) / many.ops;
  printf("%d copies: %u ops, %u cases, %u errors, %.1f MB\n", copies, many.ops, many.cases, many.errors,
         (double)bytes / 1e6);
  printf("check, time per op   %8.1f us, %.1f us in one copy: %+.1f%% (target 15%%)\n", each * 1e6,
         once * 1e6, (each / once - 1) * 100);
  printf("peak memory          %8ld KiB (bound %llu KiB)\n", peak_kib(),
         (unsigned long long)(12 * bytes / 1024 + 16 * 1024));
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(int argc, char **argv) {
  const char *corpus = SHARED_DIR "/corpus";
  const char *const *paths = argc > 1 ? (const char *const *)(argv + 1) : &corpus;
  uint32_t count = argc > 1 ? (uint32_t)(argc - 1) : 1;
  if (argc >= 3 && strcmp(argv[1], "--scale") == 0)
    return scale(argc > 3 ? paths + 2 : &corpus, argc > 3 ? count - 2 : 1, atoi(argv[2]));
  job j = {.paths = paths, .path_count = count};
  const double yaml = bench_best_elapsed(40, events, &j);
  printf("libyaml events         %8.2f ms\n", yaml * 1e3);
  j.jobs = 1;
  compare(j, yaml);
  j.jobs = parallel_processors();
  if (j.jobs > 1) compare(j, yaml);
  return 0;
}
