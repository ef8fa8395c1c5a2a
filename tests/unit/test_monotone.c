/* Defects stay where they are (codegen.md §1 "monotone"): of three neighbouring entries of a real file the
   middle one gets one defect from a table. It has then a diagnostic inside, and no more errors than the
   defect is worth; the diagnostics of its neighbours, which have defects of their own, stay as they were. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/manifest.h"
#include "text/diag_render.h"

/* Each makes one defect wherever its text stands outside a comment, and leaves the file YAML. */
static const struct defect {
  const char *text, *becomes;
  uint32_t errors; /* at most */
} defects[] = {
    {"\n  family: ", "\n  family: X", 1},
    {"\n  family:", "\n  famly:", 1},
    {"\n  status: ", "\n  status: un", 1},
    {"\n  status:", "\n  statsu:", 1},
    {"\n  signature:", "\n  signature: nope\n  old:", 2},
    {"\n  workloads:", "\n  workload:", 1},
    {"\n  workloads:", "\n  workloads: []\n  old:", 2},
    {"\n  workloads:", "\n  colour: red\n  workloads:", 1},
    {"\n  roofline:", "\n  roofline: nope\n  old:", 2},
    {"\n  roofline:", "\n  roofline:\n    flop: \"1\"", 1},
    {"flops:", "flosp:", 1},
    {"func:", "fnuc:", 1},
    {"inputs:", "imputs:", 1},
    {"outputs:", "ouputs:", 1},
    {"forall:", "foral:", 1},
    {"params:", "prams:", 1},
    {"shape_rules:", "shape_rule:", 1},
    {"dtype_cases:", "dtype_case:", 2},
    {"label: ", "label: two words ", 1},
    {"label:", "lable:", 2},
    {"dtype: T", "dtype: banana_T", 1},
    {"{dtype:", "{dtyp:", 1},
    {"shape: \"[", "shape: \"[Undeclared, ", 1},
    {"shape: \"[", "shape: \"[1 / 2, ", 1},
    {"shape: \"[", "shape: \"(", 1},
    {", shape:", ", shap:", 1},
    {": Dim", ": Dimm", 1},
    {": Shape", ": Shap", 1},
    {"DType[", "DType[banana | ", 1},
    {"type: int,", "type: \"list[float]\",", 1},
    {"type: bool", "type: [bool]", 1},
    {"default: ", "defualt: ", 1},
    {"\", optional: true", "\", optional: false", 1},
    {"\", optional: true", "\", optional: \"Undeclared\"", 1},
    {"mutated: true", "mutated: 3", 1},
    {"buffer: out", "buffer: our", 1},
    {"values: \"", "values: \"1 + ", 1},
    {"requires: [\"", "requires: [\"1 + ", 1},
    {"match: ", "match: zz_", 1},
    {"present(", "presant(", 1},
    {"ceil_div(", "ceil_div(1, 2, ", 1},
    {"prod(", "product(", 1},
    {" * ", " ** ", 1},
    {" // ", " / ", 1},
    {" == ", " is ", 1},
    {" and ", " && ", 1},
    {" else ", " els ", 2} /* what follows may be read as another conditional */,
};
enum { DEFECTS = sizeof defects / sizeof defects[0], EDITS_PER_ENTRY = 16 };

typedef struct corpus {
  arena *a;
  const char *folder; /* temporary, holds types.yaml */
  str entries[400];
  uint32_t count;
  uint64_t random;
  uint32_t edits, skipped;
} corpus;

static uint32_t below(corpus *c, uint32_t n) { /* xorshift64* */
  c->random ^= c->random >> 12;
  c->random ^= c->random << 25;
  c->random ^= c->random >> 27;
  return (uint32_t)((c->random * UINT64_C(2685821657736338717)) >> 33) % n;
}

/* ---- entries and edits ---- */

static str read_whole(arena *a, const char *path) {
  str why = {0};
  source *src = source_load(a, path, 1 << 24, &why);
  return src == NULL ? (str){0} : src->text;
}

/* An entry begins at a line that begins with a capital. */
static void split_entries(corpus *c, str text) {
  uint32_t begin = text.n;
  for (uint32_t i = 0; i <= text.n; i++) {
    bool start = i == text.n || ((i == 0 || text.p[i - 1] == '\n') && text.p[i] >= 'A' && text.p[i] <= 'Z');
    if (!start) continue;
    if (begin < i && c->count < sizeof c->entries / sizeof c->entries[0])
      c->entries[c->count++] = (str){text.p + begin, i - begin};
    begin = i;
  }
}

static bool is_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Not the end of a longer name. */
static bool begins_word(str of, uint32_t at) {
  return at == 0 || !is_name(of.p[at]) || !is_name(of.p[at - 1]);
}

static bool in_comment(str of, uint32_t at) {
  while (at > 0 && of.p[at - 1] != '\n')
    if (of.p[--at] == '#') return true;
  return false;
}

/* The entry with the defect at one of its places, or nothing. */
static str damage(corpus *c, arena *a, str of, const struct defect *d) {
  uint32_t n = (uint32_t)strlen(d->text), places = 0, at = 0;
  for (uint32_t i = 0; i + n <= of.n; i++)
    if (memcmp(of.p + i, d->text, n) == 0 && begins_word(of, i) && !in_comment(of, i) &&
        below(c, ++places) == 0)
      at = i;
  if (places == 0) return (str){0};
  return arena_printf(a, "%.*s%s%.*s", (int)at, of.p, d->becomes, (int)(of.n - at - n), of.p + at + n);
}

static str name_of(str of) { return (str){of.p, (uint32_t)((const char *)memchr(of.p, ':', of.n) - of.p)}; }

/* ---- diagnostics ---- */

typedef struct checked {
  arena *a;
  const diag_sink *sink;
  bool unparsed;
} checked;

static checked check(corpus *c, const str *entries) {
  checked out = {.a = arena_new()};
  const char *path = arena_cstr(out.a, arena_printf(out.a, "%s/t.yaml", c->folder));
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  for (int i = 0; i < 3; i++)
    if (entries[i].n > 0) fwrite(entries[i].p, 1, entries[i].n, f);
  assert_int_equal(fclose(f), 0);
  diag_sink *sink = diag_sink_new(out.a);
  const emit_definitions definitions = {0};
  manifest_options options = {.paths = &path,
                              .path_count = 1,
                              .yaml = yt_default_limits,
                              .parse = parse_default_limits,
                              .analysis = analysis_default_options,
                              .definitions = &definitions};
  options.analysis.rows = ROWS_SHAPES;
  manifest m;
  manifest_analyse(out.a, sink, &options, &m);
  out.sink = sink;
  uint32_t n;
  diag *const *all = diag_all(sink, &n);
  for (uint32_t i = 0; i < n; i++) out.unparsed = out.unparsed || all[i]->code == YAML_SYNTAX;
  return out;
}

static int by_place(const void *x, const void *y) {
  const diag *a = *(const diag *const *)x, *b = *(const diag *const *)y;
  if (a->at.begin != b->at.begin) return a->at.begin < b->at.begin ? -1 : 1;
  return a->code < b->code ? -1 : a->code > b->code;
}

/* Everything said about one of, places counted from its beginning. */
static str said_of(const checked *c, str of, uint32_t begin) {
  uint32_t n;
  diag *const *all = diag_all(c->sink, &n);
  const diag **mine = arena_array(c->a, const diag *, n + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    if (str_eq(all[i]->op, name_of(of))) mine[count++] = all[i];
  if (count > 1) qsort(mine, count, sizeof *mine, by_place);
  str out = {0};
  for (uint32_t i = 0; i < count; i++) {
    const diag *d = mine[i];
    out = arena_printf(c->a, "%.*sRL%04u %u-%u %.*s\n", STR_ARG(out), diag_code_info(d->code)->number,
                       d->at.begin - begin, d->at.end - begin, STR_ARG(d->message));
    for (uint32_t k = 0; k < d->help.n; k++)
      out = arena_printf(c->a, "%.*s  %.*s\n", STR_ARG(out), STR_ARG(d->help.v[k]));
    for (uint32_t k = 0; k < d->related.n; k++) {
      bool here = d->related.v[k].at.src == d->at.src;
      out = arena_printf(c->a, "%.*s  %u %.*s\n", STR_ARG(out), d->related.v[k].at.begin - (here ? begin : 0),
                         STR_ARG(d->related.v[k].message));
    }
  }
  return out;
}

static uint32_t errors_inside(const checked *c, str of, uint32_t begin) {
  uint32_t n, errors = 0;
  diag *const *all = diag_all(c->sink, &n);
  for (uint32_t i = 0; i < n; i++)
    errors += all[i]->severity == DIAG_ERROR && str_eq(all[i]->op, name_of(of)) &&
              all[i]->at.begin >= begin && all[i]->at.end <= begin + of.n;
  return errors;
}

/* ---- the test ---- */

static bool one_edit(corpus *c, const str *sound, const checked *before, const struct defect *d) {
  checked after = {0};
  arena *a = arena_new();
  str entries[3] = {sound[0], damage(c, a, sound[1], d), sound[2]};
  bool good = true;
  if (entries[1].n > 0) after = check(c, entries);
  if (entries[1].n > 0 && after.unparsed) c->skipped++;
  if (entries[1].n > 0 && !after.unparsed) {
    uint32_t first = entries[0].n, errors = errors_inside(&after, entries[1], first);
    bool neighbours = str_eq(said_of(before, sound[0], 0), said_of(&after, sound[0], 0)) &&
                      str_eq(said_of(before, sound[2], first + sound[1].n),
                             said_of(&after, sound[2], first + entries[1].n));
    good = neighbours && errors > 0 && errors <= d->errors;
    if (!good) {
      fprintf(stderr, "%.*s: '%s' made '%s': %u errors inside, at most %u; neighbours %s\n%.*s\n",
              STR_ARG(name_of(sound[1])), d->text, d->becomes, errors, d->errors,
              neighbours ? "as before" : "changed", STR_ARG(said_of(&after, entries[1], first)));
    }
    c->edits++;
  }
  if (after.a != NULL) arena_free(after.a);
  arena_free(a);
  return good;
}

/* A neighbour with a defect of its own, so that there is something to lose. */
static str with_a_defect(corpus *c, arena *a, str of) {
  for (int tries = 0; tries < 20; tries++) {
    const struct defect *d = &defects[below(c, DEFECTS)];
    str damaged = damage(c, a, of, d);
    const str alone[3] = {damaged};
    if (damaged.n == 0) continue;
    checked k = check(c, alone);
    bool parsed = !k.unparsed;
    arena_free(k.a);
    if (parsed) return damaged;
  }
  return of;
}

static void test_folder(corpus *c, const char *folder, uint32_t *failures) {
  DIR *dir = opendir(folder);
  VEC(char *) paths = {0};
  for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
    size_t n = strlen(d->d_name);
    if (n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0 && strcmp(d->d_name, "types.yaml") != 0)
      vec_push(c->a, &paths, arena_cstr(c->a, arena_printf(c->a, "%s/%s", folder, d->d_name)));
  }
  if (dir != NULL)
    closedir(dir);
  else
    print_message("skipped: %s is absent\n", folder);
  for (uint32_t i = 0; i < paths.n; i++) {
    c->count = 0;
    split_entries(c, read_whole(c->a, paths.v[i]));
    for (uint32_t e = 0; c->count >= 3 && e < c->count; e++) {
      arena *a = arena_new();
      const str sound[3] = {with_a_defect(c, a, c->entries[(e + c->count - 1) % c->count]), c->entries[e],
                            with_a_defect(c, a, c->entries[(e + 1) % c->count])};
      checked before = check(c, sound);
      for (int k = 0; k < EDITS_PER_ENTRY; k++)
        *failures += !one_edit(c, sound, &before, &defects[below(c, DEFECTS)]);
      arena_free(before.a);
      arena_free(a);
    }
  }
}

static void copy_types(corpus *c, const char *from) {
  str text = read_whole(c->a, from);
  const char *to = arena_cstr(c->a, arena_printf(c->a, "%s/types.yaml", c->folder));
  FILE *f = fopen(to, "wb");
  assert_non_null(f);
  if (text.n > 0) fwrite(text.p, 1, text.n, f);
  assert_int_equal(fclose(f), 0);
}

static void test_monotone(void **state) {
  (void)state;
  char folder[] = "/tmp/monotone-XXXXXX";
  assert_non_null(mkdtemp(folder));
  corpus c = {.a = arena_new(), .folder = folder, .random = UINT64_C(0x9E3779B97F4A7C15)};
  uint32_t failures = 0;
  copy_types(&c, SOURCE_DIR "/manifest/types.yaml");
  test_folder(&c, SOURCE_DIR "/manifest/ops", &failures);
  copy_types(&c, SHARED_DIR "/corpus/types.yaml");
  test_folder(&c, SHARED_DIR "/corpus", &failures);
  print_message("%u edits, %u more left no YAML\n", c.edits, c.skipped);
  assert_int_equal(unlink(arena_cstr(c.a, arena_printf(c.a, "%s/t.yaml", folder))), 0);
  assert_int_equal(unlink(arena_cstr(c.a, arena_printf(c.a, "%s/types.yaml", folder))), 0);
  assert_int_equal(rmdir(folder), 0);
  arena_free(c.a);
  assert_int_equal(failures, 0);
  assert_true(c.edits > 500);
  assert_true(c.skipped < c.edits / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_monotone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
