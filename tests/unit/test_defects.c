/* The defects that the project's customers collected, in ../shared/expected/defects: a file says how many
   errors it has, and texts that exactly one of them covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/manifest.h"
#include "text/diag_render.h"

#define FOLDER SHARED_DIR "/expected/defects"

/* The rest of the first header line that starts so, from `*at` on. */
static bool header(str text, const char *starts, uint32_t *at, str *rest) {
  size_t n = strlen(starts);
  while (*at < text.n && text.p[*at] == '#') {
    const char *line = text.p + *at;
    const char *end = memchr(line, '\n', text.n - *at);
    uint32_t length = end == NULL ? text.n - *at : (uint32_t)(end - line);
    *at += length + 1;
    if (length < n || memcmp(line, starts, n) != 0) continue;
    *rest = (str){line + n, length - (uint32_t)n};
    return true;
  }
  return false;
}

static uint32_t errors_at(const diag_sink *sink, str text) {
  uint32_t n, found = 0;
  diag *const *all = diag_all(sink, &n);
  for (uint32_t i = 0; i < n; i++) {
    span at = all[i]->at;
    found += all[i]->severity == DIAG_ERROR && at.end - at.begin == text.n &&
             memcmp(at.src->text.p + at.begin, text.p, text.n) == 0;
  }
  return found;
}

static void test_file(void **state) {
  arena *a = arena_new();
  const char *path = *state;
  str why = {0}, wanted;
  const source *src = source_load(a, path, 1 << 20, &why);
  assert_non_null(src);
  diag_sink *sink = diag_sink_new(a);
  manifest m;
  const emit_definitions definitions = {0};
  const manifest_options options = {.paths = &path,
                                    .path_count = 1,
                                    .yaml = yt_default_limits,
                                    .parse = parse_default_limits,
                                    .analysis = analysis_default_options,
                                    .definitions = &definitions};
  manifest_analyse(a, sink, &options, &m);
  uint32_t at = 0;
  if (!header(src->text, "# errors: ", &at, &wanted)) fail_msg("%s does not say how many errors", path);
  uint32_t errors = diag_count(sink, DIAG_ERROR);
  bool good = errors == strtoul(arena_cstr(a, wanted), NULL, 10);
  if (!good) fprintf(stderr, "%s: %u errors, not %.*s\n", path, errors, STR_ARG(wanted));
  while (header(src->text, "# at: ", &at, &wanted)) {
    uint32_t found = errors_at(sink, wanted);
    if (found != 1) fprintf(stderr, "%s: %u errors at '%.*s'\n", path, found, STR_ARG(wanted));
    good = good && found == 1;
  }
  if (!good) diag_print(sink, stderr, &(diag_options){.format = DIAG_TEXT, .show_unreached = true});
  arena_free(a);
  assert_true(good);
}

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

int main(void) {
  arena *a = arena_new();
  VEC(char *) paths = {0};
  DIR *dir = opendir(FOLDER);
  for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
    if (d->d_name[0] != '.') vec_push(a, &paths, arena_cstr(a, arena_printf(a, FOLDER "/%s", d->d_name)));
  if (dir != NULL) closedir(dir);
  if (paths.n == 0) {
    puts("skipped: " FOLDER " is absent");
    arena_free(a);
    return 77;
  }
  qsort(paths.v, paths.n, sizeof *paths.v, by_name);
  struct CMUnitTest *tests = arena_array(a, struct CMUnitTest, paths.n);
  for (uint32_t i = 0; i < paths.n; i++)
    tests[i] = (struct CMUnitTest){
        .name = strrchr(paths.v[i], '/') + 1, .test_func = test_file, .initial_state = paths.v[i]};
  int failed = _cmocka_run_group_tests("defects", tests, paths.n, NULL, NULL);
  arena_free(a);
  return failed;
}
