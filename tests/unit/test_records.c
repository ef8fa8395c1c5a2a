/* Records: what the writer writes the reader reads, in every format, and what is said of broken ones. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/pricing/records.h"

enum { MOST = 8, TEXT = 1 << 14 };

/* One file read: its records (texts copied), and what was said. */
typedef struct reading {
  int n;
  struct {
    roofline_record record;
    char op[64], case_id[64], device[64], roof_key[64], run[64];
    uint64_t line;
  } rows[MOST];
  char said[TEXT];
  uint64_t defects;
} reading;

static void copy(char *to, const char *from) { snprintf(to, 64, "%s", from != NULL ? from : "(none)"); }

static void read_bytes(reading *r, const char *suffix, const char *bytes, size_t n, bool strict) {
  char path[] = "/tmp/recordsXXXXXX.csv";
  arena *a = arena_new();
  str why;
  memset(r, 0, sizeof *r);
  path[18] = '\0'; /* mkstemp wants the X at the end */
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
  char named[64];
  snprintf(named, sizeof named, "%s%s", path, suffix);
  assert_int_equal(rename(path, named), 0);
  FILE *said = tmpfile();
  complaints problems = {.out = said, .limit = 100};
  records *in = records_open(named, RECORDS_AUTO, strict, &problems, &why, a);
  assert_non_null(in);
  roofline_record record;
  while (records_next(in, &record)) {
    assert_true(r->n < MOST);
    r->rows[r->n].record = record;
    r->rows[r->n].line = records_line(in);
    copy(r->rows[r->n].op, record.op);
    copy(r->rows[r->n].case_id, record.case_id);
    copy(r->rows[r->n].device, record.device);
    copy(r->rows[r->n].roof_key, record.roof_key);
    copy(r->rows[r->n].run, record.run);
    r->n++;
  }
  assert_true(records_close(in, a, &why));
  rewind(said);
  r->said[fread(r->said, 1, TEXT - 1, said)] = '\0';
  fclose(said);
  r->defects = problems.count;
  remove(named);
  arena_free(a);
}

static reading *read_text(const char *suffix, const char *text) {
  static reading r;
  read_bytes(&r, suffix, text, strlen(text), false);
  return &r;
}

static reading *check_text(const char *text) {
  static reading r;
  read_bytes(&r, ".jsonl", text, strlen(text), true);
  return &r;
}

static char *written(const roofline_record *record, roofline_status *status) {
  static char text[TEXT];
  FILE *out = tmpfile();
  *status = roofline_record_write(out, record);
  rewind(out);
  text[fread(text, 1, TEXT - 1, out)] = '\0';
  fclose(out);
  return text;
}

static roofline_record full_record(void) {
  roofline_record r = roofline_record_empty();
  r.op = "Gemm\"<Op>\n", r.case_id = "größe 1×1", r.tag = "mine", r.device = "NVIDIA H200",
  r.timing = "cupti";
  r.roof_key = "tensor_core.bf16", r.data_terms = "q_lens";
  r.device_busy_ms = 0.1, r.uncounted_copy_ms = 1e-7, r.latency_ms = 1 / 3.0, r.p10_ms = 0.09,
  r.p90_ms = 0.11;
  r.n_samples = 50, r.flops = INT64_MAX, r.bytes = 9007199254740993, r.read_bytes = 0;
  r.run = "{\"commit\": \"abc\"}";
  return r;
}

static void writer_line(void **state) {
  (void)state;
  roofline_status status;
  roofline_record r = full_record();
  assert_string_equal(
      written(&r, &status),
      "{\"op\": \"Gemm\\\"<Op>\\n\", \"case\": \"größe 1×1\", \"tag\": \"mine\", \"device\": \"NVIDIA "
      "H200\", "
      "\"timing\": \"cupti\", \"roof_key\": \"tensor_core.bf16\", \"data_terms\": \"q_lens\", "
      "\"device_busy_ms\": 0.1, "
      "\"uncounted_copy_ms\": 1e-7, \"latency_ms\": 0.3333333333333333, \"p10_ms\": 0.09, \"p90_ms\": 0.11, "
      "\"n_samples\": 50, \"flops\": 9223372036854775807, \"bytes\": 9007199254740993, \"read_bytes\": 0, "
      "\"run\": {\"commit\": \"abc\"}}\n");
  assert_int_equal(status, ROOFLINE_OK);
  r = roofline_record_empty();
  r.op = "a", r.case_id = "b", r.device = "c";
  assert_string_equal(written(&r, &status),
                      "{\"op\": \"a\", \"case\": \"b\", \"device\": \"c\", \"device_busy_ms\": null, "
                      "\"flops\": null, \"bytes\": null}\n");
}

static void writer_refuses(void **state) {
  (void)state;
  roofline_status status;
  roofline_record r = full_record();
  r.op = NULL;
  assert_string_equal(written(&r, &status), "");
  assert_int_equal(status, ROOFLINE_E_UNKNOWN_NAME);
  r = full_record(), r.device = "\xff";
  assert_string_equal(written(&r, &status), "");
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
  r = full_record(), r.run = "{\n}";
  written(&r, &status);
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
  r = full_record();
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL) return;
  setvbuf(full, NULL, _IONBF, 0);
  assert_int_equal(roofline_record_write(full, &r), ROOFLINE_E_IO);
  fclose(full);
}

static void round_trip(void **state) {
  (void)state;
  roofline_status status;
  roofline_record r = full_record();
  reading *got = read_text(".jsonl", written(&r, &status));
  assert_int_equal(got->n, 1);
  const roofline_record *g = &got->rows[0].record;
  assert_string_equal(got->rows[0].op, r.op);
  assert_string_equal(got->rows[0].case_id, r.case_id);
  assert_string_equal(got->rows[0].run, "{\"commit\":\"abc\"}");
  assert_true(g->flops == r.flops && g->bytes == r.bytes && g->read_bytes == 0 && g->n_samples == 50);
  assert_true(g->device_busy_ms == r.device_busy_ms && g->latency_ms == r.latency_ms &&
              g->uncounted_copy_ms == 1e-7);
}

#define ROW(op) "{\"op\": \"" op "\", \"case\": \"c\", \"flops\": 2, \"bytes\": 3e0, \"device_busy_ms\": 1}"

static void malformed_lines_hide_no_others(void **state) {
  (void)state;
  reading *r = read_text(
      ".jsonl",
      ROW("a") "\n{broken\n\n" ROW(
          "b") "\r\n[1]\n7\n{\"op\": \"x\"}\n{\"op\": 3, \"case\": \"c\"}\n{\"op\": \"x\", \"case\": \"c\", "
               "\"op\": \"y\"}\n{\"op\": \"\\u0000\", \"case\": \"c\"}\n\xff\n" ROW("c"));
  assert_int_equal(r->n, 3);
  assert_int_equal(r->defects, 8);
  assert_true(r->rows[0].line == 1 && r->rows[1].line == 4 && r->rows[2].line == 12);
  assert_true(r->rows[0].record.bytes == 3);
  static const char *const said[] = {":2:7: error[RL1101]: not JSON",
                                     ":5: error[RL1101]: a record is a JSON object",
                                     ":6: error[RL1101]",
                                     ":7: error[RL1102]: no 'case'",
                                     ":8: error[RL1103]: 'op' is text",
                                     ":9:",
                                     "duplicate",
                                     ":10:",
                                     ":11:"};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (strstr(r->said, said[i]) == NULL) fail_msg("not said: %s\n%s", said[i], r->said);
}

static void arrays(void **state) {
  (void)state;
  reading *r = read_text(".json", " [ " ROW("a") ",\n" ROW("b]\\\"}") "\n]\n");
  assert_int_equal(r->n, 2);
  assert_int_equal(r->defects, 0);
  assert_true(r->rows[1].line == 2);
  assert_string_equal(r->rows[1].op, "b]\"}");
  assert_int_equal(read_text(".json", "[]")->defects, 0);
  r = read_text(".json", "[" ROW("a") ", 7, {\"op\"}, " ROW("b") "\n " ROW("c") ",\n,]");
  assert_int_equal(r->n, 3);
  assert_int_equal(r->defects, 5);
  assert_non_null(strstr(r->said, ":2: error[RL1101]: no ','"));
  assert_non_null(strstr(r->said, ":3: error[RL1101]: a ','"));
  r = read_text(".json", "[" ROW("a") ", {\"op\": ");
  assert_int_equal(r->n, 1);
  assert_non_null(strstr(r->said, "the file ends inside the array"));
  assert_non_null(strstr(read_text(".json", "[] x")->said, "text after the array"));
}

static void csv(void **state) {
  (void)state;
  reading *r =
      read_text(".csv", "\xef\xbb\xbfop,case,extra,device,flops,bytes,device_busy_ms,run\r\n"
                        "\"a,\"\"b\",c,,NVIDIA H200,2,3e2,0.5,abc\r\n"
                        "short,row\n"
                        "\"two\nlines\",c,x,D,,,,\n"
                        "e,c,x,D,2.5,0x10,nan,\n"
                        "f,c,x,D,99999999999999999999,-9223372036854775808,1e-3,\"{\"\"k\"\": 1}\"\n");
  assert_int_equal(r->n, 4);
  assert_int_equal(r->defects, 1);
  assert_non_null(strstr(r->said, ":3: error[RL1101]: 2 cells where the header has 8"));
  assert_string_equal(r->rows[0].op, "a,\"b");
  assert_string_equal(r->rows[0].run, "\"abc\"");
  assert_true(r->rows[0].record.bytes == 300 && r->rows[0].record.flops == 2 &&
              r->rows[0].record.device_busy_ms == 0.5);
  assert_string_equal(r->rows[1].op, "two\nlines");
  assert_true(r->rows[1].line == 4 && r->rows[2].line == 6);
  assert_true(r->rows[1].record.flops == ROOFLINE_ABSENT && isnan(r->rows[1].record.device_busy_ms));
  assert_true(r->rows[2].record.flops == ROOFLINE_ABSENT && r->rows[2].record.bytes == ROOFLINE_ABSENT &&
              !isfinite(r->rows[2].record.device_busy_ms));
  assert_true(r->rows[3].record.flops == ROOFLINE_ABSENT);
  assert_string_equal(r->rows[3].run, "{\"k\":1}");
  r = read_text(".csv", "op,flops\na,1\n");
  assert_int_equal(r->n, 0);
  assert_non_null(strstr(r->said, "the header has no column 'case'"));
  assert_non_null(strstr(read_text(".csv", "op,case\na,\"b\n")->said, "not CSV"));
}

static void google_benchmark(void **state) {
  (void)state;
  reading *r = read_text(
      ".json", "{\n \"context\": {\"date\": \"today\", \"device\": \"NVIDIA H200\", \"timing\": "
               "\"cupti\"},\n \"benchmarks\": [\n"
               "{\"name\": \"RMSNorm/2048x4096/repeats:2\", \"run_name\": \"RMSNorm/2048x4096\", "
               "\"run_type\": \"iteration\", \"real_time\": 9, \"flops\": 1.0, \"bytes\": 2.0},\n"
               "{\"name\": \"RMSNorm/2048x4096_median\", \"run_name\": \"RMSNorm/2048x4096\", \"run_type\": "
               "\"aggregate\", \"aggregate_name\": \"median\", \"label\": \"roof_key=cuda_core.fp32; "
               "case=own\", \"flops\": 3.3554432e+07, \"bytes\": 33562624.0, \"device_busy_ms\": 0.0093},\n"
               "{\"name\": \"RMSNorm/2048x4096_stddev\", \"run_name\": \"RMSNorm/2048x4096\", \"run_type\": "
               "\"aggregate\", \"aggregate_name\": \"stddev\", \"flops\": 0.0},\n"
               "{\"name\": \"Plain\", \"run_type\": \"iteration\", \"real_time\": 9, \"flops\": 1.0, "
               "\"bytes\": 2.0},\n"
               "{\"name\": \"Bad/1\", \"run_type\": \"iteration\", \"error_occurred\": true, "
               "\"error_message\": \"no device\"}\n]}\n");
  assert_int_equal(r->n, 2);
  assert_string_equal(r->rows[0].op, "RMSNorm");
  assert_string_equal(r->rows[0].case_id, "own");
  assert_string_equal(r->rows[0].device, "NVIDIA H200");
  assert_string_equal(r->rows[0].roof_key, "cuda_core.fp32");
  assert_true(r->rows[0].record.flops == 33554432 && r->rows[0].record.device_busy_ms == 0.0093);
  assert_string_equal(r->rows[1].case_id, "default");
  assert_true(isnan(r->rows[1].record.device_busy_ms)); /* real_time is the host's */
  assert_int_equal(r->defects, 1);
  assert_non_null(strstr(r->said, "the benchmark failed: no device in Bad/1"));
}

static void strict_asks_for_everything(void **state) {
  (void)state;
  roofline_status status;
  roofline_record full = full_record();
  assert_int_equal(check_text(written(&full, &status))->defects, 0);
  reading *r = check_text(
      "{\"op\": \"a\", \"case\": \"c\", \"flops\": 1.5, \"bytes\": \"many\", \"device_busy_ms\": null}\n");
  static const char *const said[] = {"'flops' is a whole number", "'bytes' is a whole number", "no 'device'",
                                     "no 'timing'", "no 'roof_key'"};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) assert_non_null(strstr(r->said, said[i]));
  assert_int_equal(r->defects, 5);
  /* Forgiving, the same line is a row that will be blank. */
  assert_int_equal(
      read_text(".jsonl", "{\"op\": \"a\", \"case\": \"c\", \"flops\": 1.5, \"bytes\": \"many\"}\n")->n, 1);
}

/* A copy time that cannot be read is not a copy of no time. */
static void unreadable_copy_is_no_zero(void **state) {
  (void)state;
  reading *r = read_text(
      ".jsonl", "{\"op\": \"a\", \"case\": \"c\", \"device_busy_ms\": 1, \"uncounted_copy_ms\": \"x\"}\n"
                "{\"op\": \"a\", \"case\": \"c\", \"device_busy_ms\": 1, \"uncounted_copy_ms\": null}\n");
  assert_true(isinf(r->rows[0].record.uncounted_copy_ms) && isnan(r->rows[1].record.uncounted_copy_ms));
}

static void long_lines_are_passed_over(void **state) {
  (void)state;
  size_t n = (20u << 20) + 200;
  char *text = malloc(n);
  int head = snprintf(text, n, "%s\n", ROW("a"));
  memset(text + head, 'x', 20 << 20);
  snprintf(text + head + (20 << 20), 100, "\n%s\n", ROW("b"));
  static reading r;
  read_bytes(&r, ".jsonl", text, strlen(text), false);
  assert_int_equal(r.n, 2);
  assert_int_equal(r.defects, 1);
  assert_non_null(strstr(r.said, ":2: error[RL1104]: a line longer than 16 MiB"));
  assert_true(r.rows[1].line == 3);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writer_line),
      cmocka_unit_test(writer_refuses),
      cmocka_unit_test(round_trip),
      cmocka_unit_test(malformed_lines_hide_no_others),
      cmocka_unit_test(arrays),
      cmocka_unit_test(csv),
      cmocka_unit_test(google_benchmark),
      cmocka_unit_test(strict_asks_for_everything),
      cmocka_unit_test(unreadable_copy_is_no_zero),
      cmocka_unit_test(long_lines_are_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
