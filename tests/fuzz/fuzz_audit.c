/* Any bytes as the inputs of `roofline audit`, four of them separated by a line of "---": records, a map, a
   profile, exceptions. The JSON report is JSON; nothing but a FAIL is ever exempt. pricing.md §6. */
#define _GNU_SOURCE /* memfd_create */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/pricing/audit.h"

enum { RECORDS, MAP, PROFILE, EXCEPTIONS, REPORT, FILES };

typedef struct memory_file {
  int fd;
  char path[32];
} memory_file;

static void put(memory_file *f, const void *bytes, size_t n) {
  if (f->fd == 0) f->fd = memfd_create("audit", 0);
  snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
  if (ftruncate(f->fd, 0) != 0 || pwrite(f->fd, bytes, n, 0) != (ssize_t)n) abort();
}

static void split(memory_file *files, const char *p, size_t n) {
  static const char line[] = "---\n";
  for (int i = RECORDS; i <= EXCEPTIONS; i++) {
    const char *end = i < EXCEPTIONS && n > 0 ? memmem(p, n, line, strlen(line)) : NULL;
    size_t length = end != NULL ? (size_t)(end - p) : n;
    put(&files[i], p, length);
    size_t used = end != NULL ? length + strlen(line) : n;
    p += used;
    n -= used;
  }
}

/* An op with a parameter of each plain kind, and two rows. */
typedef struct fuzz_call {
  roofline_call call;
  int64_t m;
  roofline_dtype t;
  roofline_shape s;
  bool flag, has_weight;
  int32_t mode;
  roofline_value v;
} fuzz_call;

static const char *const modes[] = {"up", "down"};
static const roofline_field indices[] = {
    {"M", ROOFLINE_FIELD_INT, offsetof(fuzz_call, m), 0, NULL, 0, NULL},
    {"T", ROOFLINE_FIELD_DTYPE, offsetof(fuzz_call, t), 0, NULL, 0, NULL},
    {"S", ROOFLINE_FIELD_SHAPE, offsetof(fuzz_call, s), 0, NULL, 0, NULL}};
static const roofline_field params[] = {
    {"flag", ROOFLINE_FIELD_BOOL, offsetof(fuzz_call, flag), 0, NULL, 0, NULL},
    {"mode", ROOFLINE_FIELD_ENUM, offsetof(fuzz_call, mode), 0, modes, 2, NULL},
    {"v", ROOFLINE_FIELD_VALUE, offsetof(fuzz_call, v), 0, NULL, 0, NULL}};
static const roofline_tensor_info tensors[] = {
    {"x", ROOFLINE_INPUT, ROOFLINE_NOWHERE, 0, ROOFLINE_NOWHERE},
    {"weight", ROOFLINE_INPUT, offsetof(fuzz_call, has_weight), 0, ROOFLINE_NOWHERE}};
static fuzz_call calls[2];
static const roofline_row rows[] = {{"a", "a", &calls[0].call, NULL}, {"b", "b", &calls[1].call, NULL}};
static const roofline_op op = {.name = "Op",
                               .call_size = sizeof(fuzz_call),
                               .indices = indices,
                               .params = params,
                               .tensors = tensors,
                               .rows = rows,
                               .index_count = 3,
                               .param_count = 3,
                               .tensor_count = 2,
                               .row_count = 2};
static const roofline_op *const ops[] = {&op, NULL};

static void set_calls(void) {
  for (int i = 0; i < 2; i++)
    calls[i] = (fuzz_call){.call = {&op, ROOFLINE_CALL_CHECKED, NULL},
                           .m = 1024 * i,
                           .t = ROOFLINE_FLOAT16,
                           .s = {2, {3, 4}},
                           .flag = i == 1,
                           .has_weight = i == 0,
                           .mode = i,
                           .v = i == 0 ? roofline_int(7) : roofline_none()};
}

static void check(const audit *x, int fd) {
  for (uint32_t i = 0; i < x->rows.n; i++) {
    const audit_row *row = &x->rows.v[i];
    roofline_audit_verdict v = roofline_audit_judge(row->declared, &row->traffic);
    if (row->verdict != v && (row->verdict != ROOFLINE_AUDIT_EXEMPT || v != ROOFLINE_AUDIT_FAIL)) abort();
  }
  FILE *in = fdopen(dup(fd), "rb");
  rewind(in);
  json_t *report = json_loadf(in, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
  if (report == NULL || json_array_size(json_object_get(report, "rows")) != x->rows.n) abort();
  json_decref(report);
  fclose(in);
}

static void report_as(const audit *x, audit_format format, memory_file *to, writer *w) {
  put(to, "", 0);
  memset(w, 0, sizeof *w);
  w->file = fopen(to->path, "wb");
  audit_report(x, format, roofline_audit_default_green(), true, w);
  fclose(w->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static memory_file files[FILES];
  static writer w;
  split(files, (const char *)data, size);
  set_calls();
  arena *a = arena_new();
  str why = {0};
  audit x = {.a = a, .problems = {.out = stderr, .limit = 0}};
  x.profile = (audit_profile){.a = a, .problems = &x.problems};
  x.map = arena_new_of(a, audit_map);
  audit_exceptions *exceptions = NULL;
  if (!audit_take_records(&x, files[RECORDS].path, NULL, &why)) abort();
  if (!audit_map_read(a, &x.problems, files[MAP].path, x.map, &why)) abort();
  for (uint32_t i = 0; i < x.map->lines.n; i++) x.map->lines.v[i].csv = NULL; /* no file of this machine */
  if (audit_profile_read(&x.profile, files[PROFILE].path, &why) == NULL) abort();
  if (!audit_exceptions_read(a, diag_sink_new(a), ops, files[EXCEPTIONS].path, &exceptions, &why)) abort();
  x.exceptions = exceptions;
  if (x.map->lines.n == 0) x.map = NULL;
  audit_judge(&x);
  report_as(&x, AUDIT_TABLE, &files[REPORT], &w);
  report_as(&x, AUDIT_MD, &files[REPORT], &w);
  report_as(&x, AUDIT_JSON, &files[REPORT], &w);
  check(&x, files[REPORT].fd);
  arena_free(a);
  return 0;
}
