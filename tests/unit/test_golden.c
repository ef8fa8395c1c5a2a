/* Golden diagnostics: what `check` says about each manifest of tests/golden, and nothing else. The format is
   described in tests/golden/README.md. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/commands.h"
#include "compiler/formulas.h"
#include "text/diag_render.h"

typedef struct edit {
  str name, text;
} edit;

typedef struct expectation {
  uint32_t line;
  uint32_t number; /* 316 of RL0316 */
  diag_severity severity;
  str at;       /* the text covered */
  uint32_t nth; /* its occurrence in the line; 0: any */
  VEC(str) says;
  VEC(str) related;
  uint32_t times, met; /* how often it is found */
} expectation;

typedef struct example {
  uint32_t line;
  VEC(edit) edits;
  VEC(expectation) expected;
  bool clean; /* `ok` */
} example;

typedef struct golden {
  arena *a;
  const char *path;
  char folder[32]; /* holds the files of one manifest at a time */
  str text;
  uint32_t at, line; /* the next line of the text; lines read */
  str base, title;
  uint32_t examples, failures;
  bool legal, wrong; /* what the group has */
} golden;

/* Which codes some example expects. */
static bool produced[10000];

static void fail_line(golden *g, uint32_t line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%u: ", g->path, line);
  vfprintf(stderr, format, args);
  fprintf(stderr, " (%.*s)\n", STR_ARG(g->title));
  va_end(args);
  g->failures++;
}

/* ---- texts ---- */

static bool starts(str s, const char *prefix) {
  size_t n = strlen(prefix);
  return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

static str from(str s, uint32_t n) { return n > s.n ? (str){0} : (str){s.p + n, s.n - n}; }

static const char *find(str s, const char *what, uint32_t n) {
  for (uint32_t i = 0; i + n <= s.n; i++)
    if (memcmp(s.p + i, what, n) == 0) return s.p + i;
  return NULL;
}

static str join(arena *a, str x, str y, str z) {
  char *p = arena_raw(a, (size_t)x.n + y.n + z.n + 1);
  if (x.n > 0) memcpy(p, x.p, x.n);
  if (y.n > 0) memcpy(p + x.n, y.p, y.n);
  if (z.n > 0) memcpy(p + x.n + y.n, z.p, z.n);
  return (str){p, x.n + y.n + z.n};
}

static str before(str s, const char *p) { return (str){s.p, (uint32_t)(p - s.p)}; }
static str after(str s, const char *p) { return (str){p, (uint32_t)(s.p + s.n - p)}; }

/* The text of <<300 * x>> or <<hex FF FE>>, its angles not among `inside`. False: it is neither. */
static bool expand_one(arena *a, str inside, str *out) {
  char *end;
  const char *text = arena_cstr(a, inside);
  unsigned long n = strtoul(text, &end, 10);
  if (end != text && strncmp(end, " * ", 3) == 0) {
    str once = from(inside, (uint32_t)(end - text) + 3);
    char *p = arena_raw(a, n * once.n + 1);
    for (unsigned long i = 0; i < n; i++) memcpy(p + i * once.n, once.p, once.n);
    *out = (str){p, (uint32_t)(n * once.n)};
    return true;
  }
  if (!starts(inside, "hex ")) return false;
  char *p = arena_raw(a, inside.n);
  uint32_t count = 0;
  for (const char *at = text + 4; *at != '\0'; at = end) {
    p[count++] = (char)strtoul(at, &end, 16);
    if (end == at) return false;
  }
  *out = (str){p, count};
  return true;
}

static str expand(arena *a, str s) {
  for (uint32_t i = 0; i + 1 < s.n; i++) {
    str rest = from(s, i), inside, made;
    if (!starts(rest, "<<")) continue;
    const char *close = find(rest, ">>", 2);
    if (close == NULL) break;
    inside = before(from(rest, 2), close);
    if (!expand_one(a, inside, &made)) continue;
    s = join(a, before(s, rest.p), made, after(s, close + 2));
    i += made.n - 1;
  }
  return s;
}

/* The base with its holes filled; an edit that finds no place fails the example. */
static str fill_hole(golden *g, const example *x, str text, const edit *e) {
  str open = arena_printf(g->a, "<<%.*s=", STR_ARG(e->name));
  bool found = false;
  for (const char *p; (p = find(text, open.p, open.n)) != NULL; found = true) {
    const char *close = find(after(text, p), ">>", 2);
    if (close == NULL) break;
    text = join(g->a, before(text, p), e->text, after(text, close + 2));
  }
  if (!found) fail_line(g, x->line, "the base has no hole '%.*s'", STR_ARG(e->name));
  return text;
}

static str replace_text(golden *g, const example *x, str text, const edit *e) {
  const char *arrow = find(e->text, " => ", 4);
  str old = arrow == NULL ? e->text : before(e->text, arrow);
  const char *p = arrow == NULL ? NULL : find(text, old.p, old.n);
  if (p == NULL || find(after(text, p + 1), old.p, old.n) != NULL) {
    fail_line(g, x->line, "the base does not have '%.*s' exactly once", STR_ARG(old));
    return text;
  }
  return join(g->a, before(text, p), after(e->text, arrow + 4), after(text, p + old.n));
}

static str fill_defaults(golden *g, str text) {
  for (uint32_t i = 0; i + 1 < text.n; i++) {
    if (!starts(from(text, i), "<<")) continue;
    str rest = from(text, i);
    const char *equals = find(rest, "=", 1), *close = find(rest, ">>", 2);
    bool name = equals != NULL && close != NULL && equals < close;
    for (const char *p = rest.p + 2; name && p < equals; p++) name = *p == '_' || (*p >= 'a' && *p <= 'z');
    if (name)
      text = join(g->a, before(text, rest.p), (str){equals + 1, (uint32_t)(close - equals - 1)},
                  after(text, close + 2));
  }
  return text;
}

static str manifest_text(golden *g, const example *x) {
  str text = g->base;
  for (uint32_t i = 0; i < x->edits.n; i++)
    if (str_is(x->edits.v[i].name, "replace")) text = replace_text(g, x, text, &x->edits.v[i]);
  for (uint32_t i = 0; i < x->edits.n; i++)
    if (!str_is(x->edits.v[i].name, "replace") && !str_is(x->edits.v[i].name, "option"))
      text = fill_hole(g, x, text, &x->edits.v[i]);
  return fill_defaults(g, text);
}

/* ---- running one example ---- */

static void clear_folder(const golden *g) {
  DIR *dir = opendir(g->folder);
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir)) != NULL;) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", g->folder, d->d_name);
    if (d->d_name[0] != '.') assert_int_equal(unlink(path), 0);
  }
  closedir(dir);
}

static void write_file(golden *g, str name, str text) {
  str path = arena_printf(g->a, "%s/%.*s", g->folder, STR_ARG(name));
  FILE *f = fopen(arena_cstr(g->a, path), "wb");
  assert_non_null(f);
  if (text.n > 0) fwrite(text.p, 1, text.n, f);
  assert_int_equal(fclose(f), 0);
}

static void write_files(golden *g, str text) {
  static const char mark[] = "## file: ";
  str name = STR("demo.yaml");
  for (;;) {
    const char *p = find(text, mark, sizeof mark - 1);
    str body = p == NULL ? text : before(text, p);
    if (p != text.p) write_file(g, name, body);
    if (p == NULL) return;
    str rest = after(text, p + sizeof mark - 1);
    const char *end = find(rest, "\n", 1);
    assert_non_null(end);
    name = before(rest, end);
    text = after(rest, end + 1);
  }
}

static void read_options(golden *g, const example *x, common_options *common) {
  VEC(char *) words = {0};
  vec_push(g->a, &words, arena_cstr(g->a, STR("check")));
  for (uint32_t i = 0; i < x->edits.n; i++)
    if (str_is(x->edits.v[i].name, "option"))
      for (char *w = strtok(arena_cstr(g->a, x->edits.v[i].text), " "); w != NULL; w = strtok(NULL, " "))
        vec_push(g->a, &words, strcmp(w, ".") == 0 ? g->folder : w);
  arg_option table[COMMON_OPTION_COUNT];
  common_defaults(common);
  common_table(common, table);
  const arg_command command = {"golden", "", NULL, table, COMMON_OPTION_COUNT, 0, 0};
  arg_texts operands = {0};
  if (args_parse(g->a, &command, (int)words.n, words.v, &operands) != ARGS_OK)
    fail_line(g, x->line, "an option is wrong");
}

static bool any_has(const str *texts, uint32_t n, str part) {
  for (uint32_t i = 0; i < n; i++)
    if (find(texts[i], part.p, part.n) != NULL) return true;
  return false;
}

static str covered(span at) {
  return at.src == NULL ? (str){0} : (str){at.src->text.p + at.begin, at.end - at.begin};
}

static bool is_nth(const diag *d, const expectation *x) {
  if (x->nth == 0) return true;
  uint32_t n = 0;
  str line = source_line(d->at.src, source_position(d->at.src, d->at.begin).line);
  for (const char *p = line.p; p <= d->at.src->text.p + d->at.begin; p++)
    n += memcmp(p, x->at.p, x->at.n) == 0;
  return n == x->nth;
}

static bool meets(const diag *d, const expectation *x) {
  if (diag_code_info(d->code)->number != x->number || d->severity != x->severity) return false;
  if (!str_eq(covered(d->at), x->at) || !is_nth(d, x)) return false;
  for (uint32_t i = 0; i < x->says.n; i++)
    if (!any_has(&d->message, 1, x->says.v[i]) && !any_has(d->help.v, d->help.n, x->says.v[i])) return false;
  for (uint32_t i = 0; i < x->related.n; i++) {
    bool found = false;
    for (uint32_t k = 0; k < d->related.n; k++)
      found = found || str_eq(covered(d->related.v[k].at), x->related.v[i]);
    if (!found) return false;
  }
  return true;
}

/* Matches what was found with what is expected; both ways. */
static void match(golden *g, example *x, const diag_sink *sink) {
  uint32_t n;
  diag *const *all = diag_all(sink, &n);
  bool notes = x->clean;
  for (uint32_t k = 0; k < x->expected.n; k++) notes = notes || x->expected.v[k].severity == DIAG_UNREACHED;
  for (uint32_t i = 0; i < n; i++) {
    bool met = all[i]->severity == DIAG_UNREACHED && !notes;
    for (uint32_t k = 0; k < x->expected.n && !met; k++) {
      expectation *e = &x->expected.v[k];
      met = e->met < e->times && meets(all[i], e);
      e->met += met;
    }
    if (met) continue;
    str at = covered(all[i]->at);
    if (at.n > 200) at.n = 200;
    fail_line(g, x->line, "not expected: %s RL%04u at %.*s: %.*s", diag_severity_name[all[i]->severity],
              diag_code_info(all[i]->code)->number, STR_ARG(at), STR_ARG(all[i]->message));
  }
  for (uint32_t k = 0; k < x->expected.n; k++) {
    const expectation *e = &x->expected.v[k];
    if (e->met == e->times) continue;
    fail_line(g, e->line, "not found: %s RL%04u at %.*s", diag_severity_name[e->severity], e->number,
              STR_ARG(e->at));
  }
}

static void run_example(golden *g, example *x) {
  str text = manifest_text(g, x);
  write_files(g, text);
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  common_options common;
  read_options(g, x, &common);
  common.manifest.paths = (const char *const[]){g->folder};
  common.manifest.path_count = 1;
  common.manifest.analysis.rows = (rows_depth)common.rows;
  emit_definitions definitions;
  str why = {0};
  if (!formulas_scan(a, common.formulas.v, common.formulas.n, &definitions, &why))
    fail_line(g, x->line, "%.*s", STR_ARG(why));
  common.manifest.definitions = &definitions;
  manifest m;
  manifest_analyse(a, sink, &common.manifest, &m);
  match(g, x, sink);
  arena_free(a);
  clear_folder(g);
  bool errors = false;
  for (uint32_t i = 0; i < x->expected.n; i++) {
    produced[x->expected.v[i].number] = true;
    errors = errors || x->expected.v[i].severity == DIAG_ERROR;
  }
  g->legal = g->legal || !errors;
  g->wrong = g->wrong || x->expected.n > 0;
  g->examples++;
}

/* ---- reading a file ---- */

static bool next_line(golden *g, str *line) {
  if (g->at >= g->text.n) return false;
  str rest = from(g->text, g->at);
  const char *end = find(rest, "\n", 1);
  *line = end == NULL ? rest : before(rest, end);
  g->at += line->n + 1;
  g->line++;
  return true;
}

static str unescape(arena *a, str s) {
  for (const char *p; (p = find(s, "\\n", 2)) != NULL;) s = join(a, before(s, p), STR("\n"), after(s, p + 2));
  return expand(a, s);
}

/* "error RL0316 at / #2" */
static bool read_expectation(golden *g, str line, expectation *e) {
  *e = (expectation){.line = g->line, .times = 1};
  for (e->severity = 0; e->severity < 4; e->severity++)
    if (starts(line, diag_severity_name[e->severity])) break;
  if (e->severity == 4) return false;
  str rest = from(line, (uint32_t)strlen(diag_severity_name[e->severity]));
  if (!starts(rest, " RL") || rest.n < 7) return false;
  e->number = (uint32_t)strtoul(arena_cstr(g->a, (str){rest.p + 3, 4}), NULL, 10);
  rest = from(rest, 7);
  if (!starts(rest, " at")) return false;
  e->at = from(rest, 4);
  if (e->at.n > 3 && e->at.p[e->at.n - 3] == ' ' && e->at.p[e->at.n - 2] == '#') {
    e->nth = (uint32_t)(e->at.p[e->at.n - 1] - '0');
    e->at.n -= 3;
  }
  e->at = unescape(g->a, e->at);
  return true;
}

/* "name: text"; the text may be empty. */
static bool read_edit(golden *g, str line, edit *e) {
  const char *colon = find(line, ":", 1);
  if (colon == NULL) return false;
  e->name = before(line, colon);
  for (uint32_t i = 0; i < e->name.n; i++)
    if (e->name.p[i] != '_' && (e->name.p[i] < 'a' || e->name.p[i] > 'z')) return false;
  e->text = expand(g->a, from(line, e->name.n + 2));
  return e->name.n > 0;
}

static void read_example_line(golden *g, example *x, str line) {
  expectation e;
  edit d;
  expectation *last = x->expected.n > 0 ? &x->expected.v[x->expected.n - 1] : NULL;
  if (starts(line, "  says: ") && last != NULL) {
    vec_push(g->a, &last->says, from(line, 8));
  } else if (starts(line, "  related: ") && last != NULL) {
    vec_push(g->a, &last->related, from(line, 11));
  } else if (starts(line, "  times: ") && last != NULL) {
    last->times = (uint32_t)strtoul(arena_cstr(g->a, from(line, 9)), NULL, 10);
  } else if (str_is(line, "ok")) {
    x->clean = true;
  } else if (read_expectation(g, line, &e)) {
    vec_push(g->a, &x->expected, e);
  } else if (starts(line, "|") && x->edits.n > 0) {
    str *text = &x->edits.v[x->edits.n - 1].text;
    *text = join(g->a, *text, text->n == 0 ? STR("") : STR("\n"), expand(g->a, from(line, 2)));
  } else if (read_edit(g, line, &d)) {
    vec_push(g->a, &x->edits, d);
  } else if (!str_is(line, "base")) {
    fail_line(g, g->line, "what is '%.*s'?", STR_ARG(line));
  }
}

static void end_example(golden *g, example *x) {
  if (x->line == 0) return;
  if (x->clean == (x->expected.n > 0)) fail_line(g, x->line, "say `ok`, or what is found");
  run_example(g, x);
  *x = (example){0};
}

static void end_group(golden *g) {
  if (g->title.n > 0 && !(g->legal && g->wrong))
    fail_line(g, g->line, "the group lacks a form that is %s", g->legal ? "wrong" : "legal");
  g->legal = g->wrong = false;
}

/* A base is manifest text up to the next block. */
static void read_base(golden *g) {
  uint32_t begin = g->at, end = begin;
  for (str line; g->at < g->text.n && !starts(from(g->text, g->at), "=== ") && next_line(g, &line);)
    end = g->at;
  if (end > g->text.n) end = g->text.n;
  g->base = (str){g->text.p + begin, end - begin};
  while (g->base.n > 1 && g->base.p[g->base.n - 2] == '\n') g->base.n--;
}

static void run_file(golden *g) {
  example x = {0};
  for (str line; next_line(g, &line);) {
    bool title = starts(line, "=== "), outcome = x.clean || x.expected.n > 0;
    bool begins = !starts(line, "  ") && !str_is(line, "ok") && !read_expectation(g, line, &(expectation){0});
    if (title || (outcome && begins)) end_example(g, &x);
    if (title) {
      end_group(g);
      g->title = from(line, 4);
      if (!str_is(g->title, "base")) continue;
      g->title = (str){0};
      read_base(g);
    } else if (line.n > 0 && line.p[0] != '#') {
      if (x.line == 0) x.line = g->line;
      read_example_line(g, &x, line);
    }
  }
  end_example(g, &x);
  end_group(g);
}

static str read_whole(arena *a, const char *path) {
  str why;
  source *src = source_load(a, path, 1 << 24, &why);
  if (src == NULL) fail_msg("%s: %.*s", path, STR_ARG(why));
  return src->text;
}

static void test_file(void **state) {
  golden g = {.a = arena_new(), .path = *state, .folder = "/tmp/golden-XXXXXX"};
  assert_non_null(mkdtemp(g.folder));
  g.text = read_whole(g.a, g.path);
  run_file(&g);
  assert_int_equal(rmdir(g.folder), 0);
  print_message("%u examples\n", g.examples);
  uint32_t failures = g.failures, examples = g.examples;
  arena_free(g.a);
  if (failures > 0) fail_msg("%u lines fail", failures);
  assert_true(examples > 0);
}

/* No code without a test: of input, YAML, entries, syntax, kinds, plan, rows, roofline, whole manifest. What
   emission and pricing say is shown by their own tests. */
static void test_every_code(void **state) {
  (void)state;
  uint32_t missing = 0;
  for (int code = 0; code < DIAG_CODE_COUNT; code++) {
    const diag_info *info = diag_code_info((diag_code)code);
    if (info->number >= 900 || produced[info->number]) continue;
    fprintf(stderr, "RL%04u (%s) has no golden case\n", info->number, info->name);
    missing++;
  }
  if (missing > 0) fail_msg("%u codes", missing);
}

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

int main(int argc, char **argv) {
  arena *a = arena_new();
  VEC(char *) paths = {0};
  DIR *dir = opendir(TESTS_DIR "/golden");
  for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
    size_t n = strlen(d->d_name);
    if (n > 5 && strcmp(d->d_name + n - 5, ".test") == 0)
      vec_push(a, &paths, arena_cstr(a, arena_printf(a, TESTS_DIR "/golden/%s", d->d_name)));
  }
  if (dir != NULL) closedir(dir);
  if (argc > 1) paths.n = 0; /* these files alone */
  for (int i = 1; i < argc; i++) vec_push(a, &paths, argv[i]);
  if (paths.n > 0) qsort(paths.v, paths.n, sizeof *paths.v, by_name);
  VEC(struct CMUnitTest) tests = {0};
  for (uint32_t i = 0; i < paths.n; i++) {
    const struct CMUnitTest test = {
        .name = strrchr(paths.v[i], '/') + 1, .test_func = test_file, .initial_state = paths.v[i]};
    vec_push(a, &tests, test);
  }
  if (argc == 1) vec_push(a, &tests, (struct CMUnitTest)cmocka_unit_test(test_every_code));
  int failed = paths.n == 0 ? 1 : _cmocka_run_group_tests("golden", tests.v, tests.n, NULL, NULL);
  arena_free(a);
  return failed;
}
