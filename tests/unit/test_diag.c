/* codegen.md §1: order, sameness and forms of diagnostics. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/diag.h"

typedef struct fixture {
  arena *a;
  diag_sink *sink;
  source *gemm, *other;
} fixture;

static const char gemm_text[] = "GemmFwdOp:\n"
                                "  roofline:\n"
                                "    flops: \"2 * M * N * Kk\"\n"
                                "    bytes: \"\xF0\x9F\x98\x80\xC3\xA9 Zz\"\n";

static fixture make(void) {
  fixture f = {.a = arena_new()};
  f.sink = diag_sink_new(f.a);
  f.gemm = source_from_text(f.a, "ops/gemm.yaml", str_of(gemm_text));
  f.other = source_from_text(f.a, "ops/a b.yaml", STR("x: 1\n"));
  f.other->id = 1;
  return f;
}

/* The only place of a text in a source. */
static span at(const source *s, const char *text) {
  const char *p = strstr(s->text.p, text);
  assert_non_null(p);
  uint32_t begin = (uint32_t)(p - s->text.p);
  return (span){s, begin, begin + (uint32_t)strlen(text)};
}

static char *print(fixture *f, diag_options options) {
  FILE *out = tmpfile();
  assert_non_null(out);
  diag_print(f->sink, out, &options);
  long n = ftell(out);
  rewind(out);
  char *text = arena_alloc(f->a, (size_t)n + 1);
  assert_int_equal(fread(text, 1, (size_t)n, out), n);
  fclose(out);
  return text;
}

/* The example of codegen.md §1, with a related place. */
static void test_text_form(void **state) {
  (void)state;
  fixture f = make();
  diag *d = diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "Kk"), "unknown name '%s' in roofline.flops", "Kk");
  diag_help(f.sink, d, "allowed: M, N, K (indices)");
  const str names[] = {STR("M"), STR("N"), STR("K"), STR("Kernel")};
  diag_suggest(f.sink, d, STR("Kk"), names, 4);
  diag_relate(f.sink, d, at(f.gemm, "GemmFwdOp"), "in this op");
  assert_string_equal(print(&f, (diag_options){.ops = 1, .cases = 2}),
                      "ops/gemm.yaml:3:25: error[RL0101]: unknown name 'Kk' in roofline.flops\n"
                      "    3 |     flops: \"2 * M * N * Kk\"\n"
                      "      |                         ^~\n"
                      "      = allowed: M, N, K (indices)\n"
                      "      = did you mean 'K'?\n"
                      "ops/gemm.yaml:1:1: note: in this op\n"
                      "    1 | GemmFwdOp:\n"
                      "      | ^~~~~~~~~\n"
                      "1 op, 2 cases: 1 error\n");
  char *colour = print(&f, (diag_options){.colour = true});
  assert_non_null(strstr(colour, "\033[1;31merror[RL0101]:\033[0m"));
  arena_free(f.a);
}

static void test_summary(void **state) {
  (void)state;
  fixture f = make();
  assert_string_equal(print(&f, (diag_options){0}), "");
  assert_string_equal(print(&f, (diag_options){.ops = 109, .cases = 7}), "109 ops, 7 cases: no defects\n");
  diag_add(f.sink, YAML_SYNTAX, (span){0}, "one");
  diag_add(f.sink, YAML_SYNTAX, (span){0}, "two");
  diag_add(f.sink, YAML_TRAP, (span){0}, "three");
  assert_string_equal(print(&f, (diag_options){.max_errors = 1}), "error[RL0101]: one\n"
                                                                  "warning[RL0113]: three\n"
                                                                  "2 errors (1 not shown), 1 warning\n");
  arena_free(f.a);
}

static void test_same_defect_once(void **state) {
  (void)state;
  fixture f = make();
  assert_non_null(diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "Kk"), "at one combination"));
  assert_null(diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "Kk"), "at another"));
  assert_non_null(diag_add(f.sink, YAML_UNKNOWN_TAG, at(f.gemm, "Kk"), "another code"));
  assert_non_null(diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "K"), "another place"));
  assert_non_null(diag_add(f.sink, YAML_SYNTAX, (span){0}, "no place"));
  assert_non_null(diag_add(f.sink, YAML_SYNTAX, (span){0}, "no place, another defect"));
  assert_null(diag_add(f.sink, YAML_SYNTAX, (span){0}, "no place"));
  assert_int_equal(diag_count(f.sink, DIAG_ERROR), 5);
  assert_int_equal(diag_errors(f.sink), 7); /* a step that finds a known defect is not clean */
  diag_help(f.sink, NULL, "nothing");
  diag_relate(f.sink, NULL, (span){0}, "nothing");
  diag_suggest(f.sink, NULL, STR("x"), NULL, 0);
  diag_list(f.sink, NULL, "x", NULL, 0);
  diag_spoil(f.sink, at(f.gemm, "Zz"));
  assert_null(diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "Zz"), "follows from what is reported"));
  arena_free(f.a);
}

/* Ten thousand places, each added twice: all kept once, found without a search through all. */
static void test_many(void **state) {
  (void)state;
  fixture f = make();
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 10000; i++) {
      diag *d = diag_add(f.sink, YAML_SYNTAX, (span){f.gemm, i, i}, "x");
      assert_int_equal(d != NULL, round == 0);
    }
  assert_int_equal(diag_count(f.sink, DIAG_ERROR), 10000);
  arena_free(f.a);
}

/* A flood is counted to the end, but not kept: memory stays bounded. */
static void test_flood(void **state) {
  (void)state;
  fixture f = make();
  for (uint32_t i = 0; i < 100000; i++)
    assert_non_null(diag_add(f.sink, YAML_SYNTAX, (span){f.gemm, i, i}, "x"));
  size_t held = arena_bytes(f.a);
  for (uint32_t i = 100000; i < 300000; i++)
    assert_null(diag_add(f.sink, YAML_SYNTAX, (span){f.gemm, i, i}, "x"));
  assert_null(diag_add(f.sink, YAML_SYNTAX, (span){f.gemm, 7, 7}, "x"));
  assert_int_equal(diag_count(f.sink, DIAG_ERROR), 300000);
  assert_true(arena_bytes(f.a) < held * 2);
  assert_non_null(strstr(print(&f, (diag_options){.max_errors = 3}), "300000 errors (299997 not shown)"));
  arena_free(f.a);
}

/* The bytes printed do not depend on the order of addition. */
static void test_order(void **state) {
  (void)state;
  char *first = NULL;
  for (unsigned round = 0; round < 24; round++) {
    fixture f = make();
    const struct {
      diag_code code;
      span at;
    } all[4] = {{YAML_UNKNOWN_TAG, at(f.gemm, "Kk")},
                {YAML_SYNTAX, at(f.gemm, "Kk")},
                {YAML_TRAP, at(f.other, "1")},
                {YAML_BAD_MERGE, at(f.gemm, "GemmFwdOp")}};
    unsigned order[4] = {0, 1, 2, 3};
    for (unsigned i = 3, left = round; i > 0; left /= i + 1, i--) { /* each permutation once */
      unsigned j = left % (i + 1), t = order[i];
      order[i] = order[j];
      order[j] = t;
    }
    for (unsigned i = 0; i < 4; i++) diag_add(f.sink, all[order[i]].code, all[order[i]].at, "message");
    char *text = print(&f, (diag_options){.format = DIAG_GITHUB});
    if (first == NULL) {
      first = strdup(text);
      const char *a = strstr(text, "file=ops/a b.yaml"), *b = strstr(text, "RL0109"),
                 *c = strstr(text, "RL0101"), *d = strstr(text, "RL0105");
      assert_true(a != NULL && a < b && b < c && c < d);
    }
    assert_string_equal(text, first);
    arena_free(f.a);
  }
  free(first);
}

static void test_messages_stay_one_line(void **state) {
  (void)state;
  fixture f = make();
  diag_add(f.sink, YAML_SYNTAX, (span){0}, "%s", "a\nb\t\x1b[31m\x7f\xC2\x9B \xFF \xC3\xA9");
  assert_string_equal(print(&f, (diag_options){0}),
                      "error[RL0101]: a\\nb\\t\\x1B[31m\\x7F\\xC2\\x9B \\xFF \xC3\xA9\n1 error\n");
  char *huge = arena_alloc(f.a, 1000001);
  memset(huge, 'x', 1000000);
  diag *d = diag_add(f.sink, YAML_BAD_MERGE, (span){0}, "%s", huge);
  assert_int_equal(d->message.n, 1003);
  arena_free(f.a);
}

/* Bytes of the source that would move a terminal's cursor are shown as U+FFFD; a long line as a part. */
static void test_excerpts(void **state) {
  (void)state;
  fixture f = make();
  source *s = source_from_text(f.a, "t",
                               STR("\ta\x1b[2J\xE2\x80\xAE"
                                   "b: c\r\n"));
  diag_add(f.sink, YAML_SYNTAX, at(s, "c"), "m");
  assert_string_equal(print(&f, (diag_options){0}), "t:1:11: error[RL0101]: m\n"
                                                    "    1 | \ta\xEF\xBF\xBD[2J\xEF\xBF\xBD"
                                                    "b: c\n"
                                                    "      | \t         ^\n"
                                                    "1 error\n");
  arena_free(f.a);
  f = make();
  char *line = arena_alloc(f.a, 100001);
  memset(line, 'x', 100000);
  memcpy(line + 50000, "HERE", 4);
  s = source_from_text(f.a, "t", (str){line, 100000});
  diag_add(f.sink, YAML_SYNTAX, at(s, "HERE"), "m");
  char *text = print(&f, (diag_options){0});
  assert_true(strlen(text) < 500);
  char *excerpt = strstr(text, "    1 | "), *carets = strstr(text, "      | ");
  assert_non_null(excerpt);
  assert_non_null(carets);
  assert_int_equal(strstr(excerpt, "HERE") - excerpt, strstr(carets, "^~~~") - carets);
  arena_free(f.a);
}

static void test_nearest(void **state) {
  (void)state;
  const str names[] = {STR("float16"), STR("float32"), STR("bfloat16"), STR("K"), STR("status")};
  static const struct {
    const char *wrong, *nearest;
  } cases[] = {{"flaot16", "float16"},
               {"float61", "float16"},
               {"FLOAT32", "float32"},
               {"Kk", "K"},
               {"k", "K"},
               {"M", ""},
               {"stat", "status"},
               {"statsu", "status"},
               {"x", ""},
               {"", ""},
               {"entirely_else", ""},
               {"float", "float16"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    str near = diag_nearest(str_of(cases[i].wrong), names, 5);
    if (!str_is(near, cases[i].nearest)) fail_msg("%s: %.*s", cases[i].wrong, STR_ARG(near));
  }
}

static void test_list(void **state) {
  (void)state;
  fixture f = make();
  const str names[] = {STR("a"), STR("b"), STR("c"), STR("d"), STR("e"), STR("f"), STR("g"),
                       STR("h"), STR("i"), STR("j"), STR("k"), STR("l"), STR("m")};
  diag *d = diag_add(f.sink, YAML_SYNTAX, (span){0}, "m");
  diag_list(f.sink, d, "allowed", names, 12);
  diag_list(f.sink, d, "allowed", names, 13);
  assert_string_equal(arena_cstr(f.a, d->help.v[0]), "allowed: a, b, c, d, e, f, g, h, i, j, k, l");
  assert_string_equal(arena_cstr(f.a, d->help.v[1]), "allowed: a, b, c, d, e, f, g, h, i, j, k, l, ...");
  arena_free(f.a);
}

static json_t *parse_json(const char *text) {
  json_error_t error;
  json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (j == NULL) fail_msg("%s at %d:%d in %s", error.text, error.line, error.column, text);
  return j;
}

static void add_two(fixture *f) {
  diag_set_op(f->sink, STR("GemmFwdOp"));
  diag *d = diag_add(f->sink, YAML_SYNTAX, at(f->gemm, "Zz"), "a \"quoted\" \\ thing: 100%%, é");
  diag_help(f->sink, d, "help one");
  diag_help(f->sink, d, "help two");
  diag_relate(f->sink, d, at(f->other, "1"), "over there");
  diag_set_op(f->sink, (str){0});
  diag_add(f->sink, YAML_TRAP, (span){0}, "about the run");
}

static void test_json_form(void **state) {
  (void)state;
  fixture f = make();
  add_two(&f);
  json_t *j = parse_json(print(&f, (diag_options){.format = DIAG_JSON, .ops = 3, .cases = 4}));
  json_int_t version, errors, warnings, advisories, unreached, ops, cases, n[12];
  json_t *first, *second, *related;
  const char *s[8];
  assert_int_equal(json_unpack(j, "{s:I, s:[oo!], s:{s:I, s:I, s:I, s:I, s:I, s:I !} !}", "version", &version,
                               "diagnostics", &first, &second, "summary", "errors", &errors, "warnings",
                               &warnings, "advisories", &advisories, "unreached", &unreached, "ops", &ops,
                               "cases", &cases),
                   0);
  assert_true(version == 1 && errors == 1 && warnings == 1 && advisories == 0 && unreached == 0 && ops == 3 &&
              cases == 4);
  assert_int_equal(json_unpack(second, "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s, s:[ss!], s:[o!] !}",
                               "code", &s[0], "severity", &s[1], "message", &s[2], "file", &s[3], "line",
                               &n[0], "column", &n[1], "end_line", &n[2], "end_column", &n[3], "op", &s[4],
                               "help", &s[5], &s[6], "related", &related),
                   0);
  assert_string_equal(s[0], "RL0101");
  assert_string_equal(s[1], "error");
  assert_string_equal(s[2], "a \"quoted\" \\ thing: 100%, é");
  assert_string_equal(s[3], "ops/gemm.yaml");
  assert_string_equal(s[4], "GemmFwdOp");
  assert_true(n[0] == 4 && n[1] == 16 && n[2] == 4 &&
              n[3] == 18); /* 😀, é and the blank are one column each */
  assert_int_equal(json_unpack(related, "{s:s, s:I, s:I, s:I, s:I, s:s !}", "file", &s[0], "line", &n[0],
                               "column", &n[1], "end_line", &n[2], "end_column", &n[3], "message", &s[1]),
                   0);
  assert_string_equal(s[0], "ops/a b.yaml");
  assert_true(n[0] == 1 && n[1] == 4 && n[2] == 1 && n[3] == 5);
  assert_int_equal(json_unpack(first, "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I !}", "code", &s[0], "severity",
                               &s[1], "message", &s[2], "file", &s[3], "line", &n[0], "column", &n[1],
                               "end_line", &n[2], "end_column", &n[3]),
                   0);
  assert_string_equal(s[1], "warning");
  json_decref(j);
  arena_free(f.a);
  f = make();
  json_decref(parse_json(print(&f, (diag_options){.format = DIAG_JSON})));
  arena_free(f.a);
}

static json_t *sarif_run(json_t *j) {
  json_t *run;
  const char *version, *schema;
  assert_int_equal(
      json_unpack(j, "{s:s, s:s, s:[o!] !}", "$schema", &schema, "version", &version, "runs", &run), 0);
  assert_string_equal(version, "2.1.0");
  return run;
}

static void test_sarif_form(void **state) {
  (void)state;
  fixture f = make();
  add_two(&f);
  json_t *j = parse_json(print(&f, (diag_options){.format = DIAG_SARIF}));
  json_t *run = sarif_run(j), *rules, *first, *second;
  const char *s[8];
  json_int_t n[6];
  assert_int_equal(json_unpack(run, "{s:{s:{s:s, s:s, s:o !} !}, s:s, s:[oo!] !}", "tool", "driver", "name",
                               &s[0], "version", &s[2], "rules", &rules, "columnKind", &s[1], "results",
                               &first, &second),
                   0);
  assert_string_equal(s[1], "utf16CodeUnits");
  assert_int_equal(json_array_size(rules), 2);
  json_t *location;
  assert_int_equal(json_unpack(second,
                               "{s:s, s:I, s:s, s:{s:s !}, s:[o!], s:[{s:{s:{s:s !}, s:o !}, s:{s:s !} !}!], "
                               "s:{s:s !} !}",
                               "ruleId", &s[0], "ruleIndex", &n[0], "level", &s[1], "message", "text", &s[2],
                               "locations", &location, "relatedLocations", "physicalLocation",
                               "artifactLocation", "uri", &s[3], "region", &(json_t *){NULL}, "message",
                               "text", &s[4], "partialFingerprints", "rooflinec/v1", &s[5]),
                   0);
  assert_string_equal(s[0], "RL0101");
  assert_string_equal(json_string_value(json_object_get(json_array_get(rules, (size_t)n[0]), "id")),
                      "RL0101");
  assert_string_equal(s[1], "error");
  assert_string_equal(s[2], "a \"quoted\" \\ thing: 100%, é\nhelp one\nhelp two");
  assert_string_equal(s[3], "ops/a%20b.yaml");
  assert_int_equal(json_unpack(location, "{s:{s:{s:s !}, s:{s:I, s:I, s:I, s:I !} !}, s:[{s:s, s:s !}!] !}",
                               "physicalLocation", "artifactLocation", "uri", &s[0], "region", "startLine",
                               &n[0], "startColumn", &n[1], "endLine", &n[2], "endColumn", &n[3],
                               "logicalLocations", "name", &s[1], "kind", &s[2]),
                   0);
  assert_true(n[0] == 4 && n[1] == 17 && n[2] == 4 && n[3] == 19); /* 😀 is two UTF-16 units */
  assert_string_equal(s[1], "GemmFwdOp");
  assert_null(json_object_get(first, "locations"));
  json_decref(j);
  arena_free(f.a);
}

/* A fingerprint does not change when lines are added above, and differs between defects of one look. */
static void test_fingerprints(void **state) {
  (void)state;
  char prints[2][3][64];
  for (int round = 0; round < 2; round++) {
    arena *a = arena_new();
    fixture f = {.a = a, .sink = diag_sink_new(a)};
    str text = arena_printf(a, "%sA:\n  x: nn\n  x: nn\n  y: nn\n", round == 0 ? "" : "# a new line\n\n");
    source *s = source_from_text(a, "t.yaml", text);
    const char *p = text.p;
    for (int i = 0; i < 3; i++) {
      p = strstr(p, "nn");
      uint32_t begin = (uint32_t)(p++ - text.p);
      diag_add(f.sink, YAML_SYNTAX, (span){s, begin, begin + 2}, "m");
    }
    json_t *j = parse_json(print(&f, (diag_options){.format = DIAG_SARIF}));
    json_t *results = json_object_get(sarif_run(j), "results");
    for (size_t i = 0; i < 3; i++) {
      json_t *fingerprints = json_object_get(json_array_get(results, i), "partialFingerprints");
      snprintf(prints[round][i], 64, "%s", json_string_value(json_object_get(fingerprints, "rooflinec/v1")));
    }
    json_decref(j);
    arena_free(a);
  }
  for (int i = 0; i < 3; i++) {
    assert_string_equal(prints[0][i], prints[1][i]);
    assert_string_not_equal(prints[0][i], prints[0][(i + 1) % 3]);
  }
}

static void test_github_form(void **state) {
  (void)state;
  fixture f = make();
  diag *d = diag_add(f.sink, YAML_SYNTAX, at(f.gemm, "Kk"), "100%% a:b,c");
  diag_help(f.sink, d, "h");
  diag_relate(f.sink, d, at(f.other, "1"), "r");
  diag_add(f.sink, YAML_TRAP, (span){0}, "w");
  assert_string_equal(
      print(&f, (diag_options){.format = DIAG_GITHUB}),
      "::warning title=RL0113::w\n"
      "::error file=ops/gemm.yaml,line=3,col=25,endLine=3,endColumn=27,title=RL0101::100%25 a:b,c%0Ah"
      "%0Aops/a b.yaml:1: r\n");
  arena_free(f.a);
}

static void test_explain(void **state) {
  (void)state;
  FILE *out = tmpfile();
  assert_true(diag_explain(out, "RL0102"));
  long n = ftell(out);
  assert_true(n > 100);
  static const char *const same[] = {"rl0102", "RL102", "0102", "102"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) assert_true(diag_explain(out, same[i]));
  assert_int_equal(ftell(out), 5 * n);
  static const char *const bad[] = {"RL9999", "9999", "RL00102", "RL0102x", "102 ", "",
                                    "R",      "RL",   "RL 102",  "RL+102",  "-102", "XL0102"};
  long before = ftell(out);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(diag_explain(out, bad[i]));
  assert_int_equal(ftell(out), before);
  fclose(out);
}

/* The table: numbers are distinct and in order, every code is explained, examples differ. */
static void test_table(void **state) {
  (void)state;
  uint32_t before = 0;
  for (unsigned i = 0; i < DIAG_CODE_COUNT; i++) {
    const diag_info *info = diag_code_info((diag_code)i);
    if (info->number <= before || info->number > 9999) fail_msg("%s: number %u", info->name, info->number);
    before = info->number;
    if (info->title[0] == '\0' || strlen(info->rule) < 10 || info->wrong[0] == '\0' ||
        info->right[0] == '\0' || strcmp(info->wrong, info->right) == 0)
      fail_msg("%s explains too little", info->name);
    if (strchr(info->title, '\n') != NULL || info->title[strlen(info->title) - 1] == '.')
      fail_msg("%s: a title is one line without a period", info->name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_form),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_same_defect_once),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_flood),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_messages_stay_one_line),
      cmocka_unit_test(test_excerpts),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_json_form),
      cmocka_unit_test(test_sarif_form),
      cmocka_unit_test(test_fingerprints),
      cmocka_unit_test(test_github_form),
      cmocka_unit_test(test_explain),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
