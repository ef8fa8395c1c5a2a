/* One manifest's diagnostics in every format, byte for byte: tests/golden/sample and the sample.* beside it.
   Lines and columns in them were counted by hand. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/manifest.h"

static str printed(arena *a, diag_format format) {
  const char *path = "sample"; /* as the user would write it: paths are printed as given */
  const emit_definitions definitions = {0};
  const manifest_options options = {.paths = &path,
                                    .path_count = 1,
                                    .yaml = yt_default_limits,
                                    .parse = parse_default_limits,
                                    .analysis = analysis_default_options,
                                    .definitions = &definitions};
  diag_sink *sink = diag_sink_new(a);
  manifest m;
  manifest_analyse(a, sink, &options, &m);
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  diag_print(sink, f,
             &(diag_options){.format = format, .show_unreached = true, .ops = m.ops, .cases = m.cases});
  assert_int_equal(fclose(f), 0);
  str out = arena_str(a, (str){text, (uint32_t)n});
  free(text);
  return out;
}

/* The line of the first difference, for who has to mend it. */
static void show_difference(const char *path, str found, str wanted) {
  uint32_t at = 0, line = 1, begin = 0;
  while (at < found.n && at < wanted.n && found.p[at] == wanted.p[at])
    if (found.p[at++] == '\n') line++, begin = at;
  const char *end = memchr(found.p + begin, 0x0A, found.n - begin);
  uint32_t n = end == NULL ? found.n - begin : (uint32_t)(end - found.p) - begin;
  fprintf(stderr, "%s:%u: differs; found:\n%.*s\n", path, line, (int)n, found.p + begin);
}

static void check(diag_format format, const char *path) {
  arena *a = arena_new();
  str why = {0};
  const source *wanted = source_load(a, path, 1 << 20, &why);
  assert_non_null(wanted);
  str found = printed(a, format);
  bool same = str_eq(found, wanted->text);
  if (!same) show_difference(path, found, wanted->text);
  assert_true(same);
  arena_free(a);
}

static void test_text(void **state) {
  (void)state;
  check(DIAG_TEXT, "sample.text");
}
static void test_json(void **state) {
  (void)state;
  check(DIAG_JSON, "sample.json");
}
static void test_sarif(void **state) {
  (void)state;
  check(DIAG_SARIF, "sample.sarif");
}
static void test_github(void **state) {
  (void)state;
  check(DIAG_GITHUB, "sample.github");
}

int main(void) {
  if (chdir(TESTS_DIR "/golden") != 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_sarif),
      cmocka_unit_test(test_github),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
