/* Any bytes as the inputs of `roofline headroom`, five of them separated by a line of "---": the report is
   valid JSON and in the page's words, whatever was read. headroom.md "Degradation". */
#define _GNU_SOURCE /* memfd_create */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/pricing/headroom_run.h"

enum { TOP_N, ENV, MODEL, SHAPES, COUNTERS, PROFILE, FILES };

typedef struct memory_file {
  int fd;
  char path[32];
} memory_file;

static void put(memory_file *f, const void *bytes, size_t n) {
  if (f->fd == 0) f->fd = memfd_create("headroom", 0);
  snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
  if (ftruncate(f->fd, 0) != 0 || pwrite(f->fd, bytes, n, 0) != (ssize_t)n) abort();
}

static void split(memory_file *files, const char *p, size_t n) {
  static const char line[] = "---\n";
  for (int i = TOP_N; i <= COUNTERS; i++) {
    const char *end = i < COUNTERS && n > 0 ? memmem(p, n, line, strlen(line)) : NULL;
    size_t length = end != NULL ? (size_t)(end - p) : n;
    put(&files[i], p, length);
    size_t used = end != NULL ? length + strlen(line) : n;
    p += used;
    n -= used;
  }
}

static bool is_one_of(const json_t *v, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(json_string_value(v), *words) == 0) return true;
  return false;
}

static void check(str text) {
  static const char *const bounds[] = {"memory", "compute", "latency", "unknown", NULL};
  static const char *const classes[] = {"underperforming", "moderate", "saturated", "unknown", NULL};
  json_t *report = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
  if (report == NULL) abort();
  size_t i;
  json_t *e;
  json_array_foreach(json_object_get(report, "entries"), i, e) {
    if (!is_one_of(json_object_get(e, "bound_type"), bounds)) abort();
    if (!is_one_of(json_object_get(e, "headroom_class"), classes)) abort();
    bool saturated = strcmp(json_string_value(json_object_get(e, "headroom_class")), "saturated") == 0;
    if (saturated && json_number_value(json_object_get(e, "roofline_pct_raw")) > 1) abort();
  }
  json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char profile[] = "gpu: G\narch: gfx950\ndefault: true\nhbm: {theoretical: 8.0e12}\n"
                                "cuda_core: {fp32: {theoretical: 1.5e14}}\n"
                                "tensor_core: {bf16: {theoretical: 2.5e15}, fp16: {theoretical: 2.5e15}}\n";
  static memory_file files[FILES];
  put(&files[PROFILE], profile, strlen(profile));
  split(files, (const char *)data, size);
  arena *a = arena_new();
  hr_log log = {.a = a};
  hr_options options = {.top_n = files[TOP_N].path,
                        .env = files[ENV].path,
                        .model = files[MODEL].path,
                        .shapes = files[SHAPES].path,
                        .stage = -1,
                        .threshold = 5,
                        .limit = 8,
                        .limits = roofline_headroom_default_limits};
  for (int c = 0; c < ROOFLINE_CLASS_COUNT; c++)
    options.targets[c] = roofline_headroom_target((roofline_op_class)c, NULL);
  vec_push(a, &options.profiles, files[PROFILE].path);
  vec_push(a, &options.counters, files[COUNTERS].path);
  hr_context context;
  hr_context_read(&log, &options, &context);
  hr_report report;
  hr_report_build(&log, &options, &context, &report);
  check(hr_json_text(&log, &report));
  hr_markdown_text(&log, &report);
  hr_context_free(&context);
  arena_free(a);
  return 0;
}
