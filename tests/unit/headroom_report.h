/* What the tests of `roofline headroom` share: a folder a test, runs in it, and reading their reports. */
#ifndef TESTS_HEADROOM_REPORT_H
#define TESTS_HEADROOM_REPORT_H

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/pricing/commands.h"

#define PROFILES SOURCE_DIR "/manifest/profiles"
#define EXPECTED SHARED_DIR "/expected/headroom"

/* ---- a folder per test, and runs in it ---- */

static char folder[64];
static char out_dir[96];

static inline int enter(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/headroom.XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(out_dir, sizeof out_dir, "%s/out", folder);
  return 0;
}

static inline int drop(const char *path, const struct stat *st, int type, struct FTW *at) {
  (void)st, (void)type, (void)at;
  return remove(path);
}

static inline int leave(void **state) {
  (void)state;
  return nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file of the test's folder; the result is valid until the 128th later call. */
static inline const char *in_folder(const char *name) {
  static char paths[128][160];
  static int next;
  char *path = paths[next++ % 128];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static inline const char *file_of(const char *name, const void *bytes, size_t n) {
  const char *path = in_folder(name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
  return path;
}
static inline const char *file(const char *name, const char *text) {
  return file_of(name, text, strlen(text));
}

/* JSON for tests, written with ' for ". */
static inline const char *json_file(const char *name, const char *text) {
  char *copy = strdup(text);
  for (char *p = copy; *p != '\0'; p++)
    if (*p == '\'') *p = '"';
  const char *path = file(name, copy);
  free(copy);
  return path;
}

/* Runs the command with -o, --profiles and these arguments, up to NULL. */
static inline int run_arguments(va_list args) {
  char *argv[32] = {"headroom", "-o", out_dir, "--profiles", PROFILES};
  int argc = 5;
  const char *arg;
  while (argc < 31 && (arg = va_arg(args, const char *)) != NULL) argv[argc++] = (char *)arg;
  return headroom_main(argc, argv);
}

static inline int run(const char *first, ...) {
  va_list args;
  va_start(args, first);
  int status = run_arguments(args);
  va_end(args);
  return status;
}

static inline json_t *entries_of(const json_t *report) { return json_object_get(report, "entries"); }

static inline bool is_one_of(const json_t *v, const char *const *words) {
  for (; *words != NULL; words++)
    if (json_is_string(v) && strcmp(json_string_value(v), *words) == 0) return true;
  return false;
}

static const char *const entry_fields[] = {"name",
                                           "short_name",
                                           "pct_gpu_time",
                                           "regime",
                                           "op_class",
                                           "modeled",
                                           "t_ms",
                                           "launches_per_step",
                                           "bytes_est",
                                           "flops_est",
                                           "achieved_bw_bytes_s",
                                           "achieved_flops",
                                           "hbm_util",
                                           "compute_util",
                                           "arithmetic_intensity",
                                           "ridge_point",
                                           "bound_type",
                                           "roofline_pct",
                                           "roofline_pct_raw",
                                           "target_eff",
                                           "attainable_speedup",
                                           "expected_e2e_gain_pct",
                                           "headroom_class",
                                           "confidence",
                                           "rankable",
                                           "suspect",
                                           "bytes_upper_bound",
                                           "byte_reduction_levers",
                                           "editable",
                                           "notes",
                                           NULL};

/* What holds of every report, whatever was read: the fields, their order and their words. */
static inline void check_form(const json_t *report) {
  static const char *const top[] = {"skill",
                                    "skill_version",
                                    "gfx",
                                    "peaks",
                                    "stage",
                                    "entries",
                                    "ranking_by_pct",
                                    "ranking_by_expected_gain",
                                    "degraded",
                                    "skill_errors",
                                    NULL};
  static const char *const bounds[] = {"memory", "compute", "latency", "unknown", NULL};
  static const char *const classes[] = {"underperforming", "moderate", "saturated", "unknown", NULL};
  const char *key;
  json_t *value, *e;
  size_t at = 0, index;
  json_object_foreach((json_t *)report, key, value) assert_string_equal(key, top[at++]);
  assert_null(top[at]);
  json_array_foreach(entries_of(report), index, e) {
    at = 0;
    json_object_foreach(e, key, value) {
      while (entry_fields[at] != NULL && strcmp(entry_fields[at], key) != 0) {
        bool optional = strcmp(entry_fields[at], "bytes_upper_bound") == 0 ||
                        strcmp(entry_fields[at], "byte_reduction_levers") == 0;
        assert_true(optional);
        at++;
      }
      assert_non_null(entry_fields[at]);
      at++;
    }
    assert_true(is_one_of(json_object_get(e, "bound_type"), bounds));
    assert_true(is_one_of(json_object_get(e, "headroom_class"), classes));
    bool saturated = strcmp(json_string_value(json_object_get(e, "headroom_class")), "saturated") == 0;
    if (saturated) assert_true(json_number_value(json_object_get(e, "roofline_pct_raw")) <= 1.0);
    if (json_object_get(e, "byte_reduction_levers") != NULL) assert_true(saturated);
  }
}

static inline json_t *load_report(void) {
  char path[160];
  json_error_t error;
  snprintf(path, sizeof path, "%s/profile_roofline.json", out_dir);
  json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (report == NULL) fail_msg("%s:%d: %s", path, error.line, error.text);
  check_form(report);
  snprintf(path, sizeof path, "%s/profile_roofline.md", out_dir);
  assert_int_equal(access(path, R_OK), 0);
  return report;
}

static inline json_t *report_of(const char *first, ...) {
  va_list args;
  va_start(args, first);
  assert_int_equal(run_arguments(args), 0);
  va_end(args);
  return load_report();
}
/* run and report_of: the first parameter only anchors the list. */
#define RUN(...) run(NULL, __VA_ARGS__, (const char *)NULL)
#define REPORT(...) report_of(NULL, __VA_ARGS__, (const char *)NULL)

/* ---- reading a report ---- */

static inline json_t *entry(const json_t *report, size_t i) {
  json_t *e = json_array_get(entries_of(report), i);
  assert_non_null(e);
  return e;
}

static inline double number(const json_t *o, const char *key) {
  json_t *v = json_object_get(o, key);
  if (!json_is_number(v)) fail_msg("'%s' is not a number", key);
  return json_number_value(v);
}

static inline void near_of(double got, double want, const char *what) {
  if (fabs(got - want) <= 1e-6 * fmax(fabs(want), 1e-300)) return;
  fail_msg("%s: got %.17g, want %.17g", what, got, want);
}
#define NEAR(o, key, want) near_of(number((o), (key)), (want), (key))
#define IS(o, key, want) assert_string_equal(json_string_value(json_object_get((o), (key))), (want))
#define IS_NULL(o, key) assert_true(json_is_null(json_object_get((o), (key))))
#define IS_BOOL(o, key, want)                                                                                \
  assert_true(json_equal(json_object_get((o), (key)), (want) ? json_true() : json_false()))

static inline bool some_line_has(const json_t *lines, const char *part) {
  for (size_t i = 0; i < json_array_size(lines); i++)
    if (strstr(json_string_value(json_array_get(lines, i)), part) != NULL) return true;
  return false;
}
#define NOTED(e, part) assert_true(some_line_has(json_object_get((e), "notes"), (part)))
#define ERRED(report, part) assert_true(some_line_has(json_object_get((report), "skill_errors"), (part)))

static inline void ranking_is(const json_t *report, const char *key, const char *const *names) {
  json_t *list = json_object_get(report, key);
  size_t i = 0;
  for (; names[i] != NULL; i++) assert_string_equal(json_string_value(json_array_get(list, i)), names[i]);
  assert_int_equal(json_array_size(list), i);
}
#define RANKING(report, key, ...) ranking_is((report), (key), (const char *const[]){__VA_ARGS__, NULL})

static inline size_t count_of(const json_t *report, const char *key) {
  return json_array_size(json_object_get(report, key));
}

/* ---- small inputs ---- */

static const char env_950[] =
    "{'gfx': 'gfx950', 'device_target': 'unknown', 'model_dtype': 'bf16', 'workload': "
    "{'isl': 1024, 'osl': 1024, 'conc': 64, 'tp': 1}}";

/* One kernel "k" of 10 % and `us` microseconds, with more fields. */
static inline const char *one_kernel(double us, const char *more) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{'serving': {'n_prefill_steps': 1, 'n_decode_steps': 9}, 'top_kernels': [{'name': 'k', 'short_name': "
      "'k', 'pct_gpu_time': 10, 'calls': 1, 'avg_us': %.17g%s%s}]}",
      us, *more != '\0' ? ", " : "", more);
  return json_file("top.json", text);
}

static inline const char *captured(const char *fields) {
  char text[1024];
  snprintf(text, sizeof text, "{'kernels': {'k': {%s}}}", fields);
  return json_file("shapes.json", text);
}

/* The only entry of a run over one kernel with captured shapes. */
static inline json_t *captured_report(const char *env, const char *fields) {
  return REPORT("--top-n", one_kernel(1000, ""), "--env", json_file("env.json", env), "--shapes",
                captured(fields));
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, enter, leave)

#endif
