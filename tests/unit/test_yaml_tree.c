/* language.md §1 and §9: trees, places, scalar types, duplicates, merges, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/yaml_tree.h"

typedef struct parsed {
  arena *a;
  diag_sink *sink;
  source *src;
  yt_node *root;
  bool empty;
} parsed;

static parsed parse_str(str text, const yt_limits *limits) {
  parsed p = {.a = arena_new()};
  p.sink = diag_sink_new(p.a);
  p.src = source_from_text(p.a, "t.yaml", text);
  p.root = yt_parse(p.a, p.sink, p.src, limits, &p.empty);
  return p;
}

static parsed parse(const char *text) { return parse_str(str_of(text), &yt_default_limits); }

static yt_node *get(const parsed *p, const char *key) {
  assert_non_null(p->root);
  yt_node *n = yt_get(p->root, key, NULL);
  assert_non_null(n);
  return n;
}

static void assert_text(const yt_node *n, const char *text) {
  assert_int_equal(n->kind, YT_SCALAR);
  assert_int_equal(n->n, strlen(text));
  assert_memory_equal(n->u.text, text, n->n);
}

/* The diagnostics as "line:column-line:column CODE" lines, related places after '<'. */
static const char *places(const parsed *p) {
  FILE *f = tmpfile();
  assert_non_null(f);
  diag_print(p->sink, f, &(diag_options){.format = DIAG_TEXT});
  long n = ftell(f);
  rewind(f);
  char *all = arena_alloc(p->a, (size_t)n + 1), *out = arena_alloc(p->a, (size_t)n + 1);
  assert_int_equal(fread(all, 1, (size_t)n, f), n);
  fclose(f);
  for (char *line = strtok(all, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (strncmp(line, "t.yaml:", 7) != 0) continue;
    unsigned row, column, code;
    char word[16];
    if (sscanf(line, "t.yaml:%u:%u: %9[a-z][RL%u]", &row, &column, word, &code) == 4)
      sprintf(out + strlen(out), "%s%u:%u %u", *out != '\0' ? ", " : "", row, column, code);
    else if (sscanf(line, "t.yaml:%u:%u: note", &row, &column) == 2)
      sprintf(out + strlen(out), " < %u:%u", row, column);
  }
  return out;
}

static void assert_places(const char *yaml, const char *expected) {
  parsed p = parse(yaml);
  assert_string_equal(places(&p), expected);
  arena_free(p.a);
}

/* ---- scalars ---- */

static void test_core_schema(void **state) {
  (void)state;
  static const struct {
    const char *text;
    yt_type type;
  } cases[] = {
      {"null", YT_NULL},      {"Null", YT_NULL},    {"NULL", YT_NULL},     {"~", YT_NULL},
      {"nULL", YT_STRING},    {"true", YT_BOOL},    {"False", YT_BOOL},    {"TRUE", YT_BOOL},
      {"tRUE", YT_STRING},    {"yes", YT_STRING},   {"n", YT_STRING},      {"0", YT_INT},
      {"-17", YT_INT},        {"+4", YT_INT},       {"012", YT_INT},       {"0x1F", YT_INT},
      {"0o17", YT_INT},       {"0o18", YT_STRING},  {"0x", YT_STRING},     {"-0x1", YT_STRING},
      {"0b1", YT_STRING},     {"1_000", YT_STRING}, {"1:30", YT_STRING},   {"1.5", YT_FLOAT},
      {"4800e9", YT_FLOAT},   {"1.", YT_FLOAT},     {".5", YT_FLOAT},      {".", YT_STRING},
      {"-", YT_STRING},       {"1e", YT_STRING},    {"1e+3", YT_FLOAT},    {".inf", YT_FLOAT},
      {"-.INF", YT_FLOAT},    {".nan", YT_FLOAT},   {"+.nan", YT_STRING},  {"inf", YT_STRING},
      {"1.0.0", YT_STRING},   {"e5", YT_STRING},    {"0.", YT_FLOAT},      {"-.5e-2", YT_FLOAT},
      {"1 2", YT_STRING},     {"truex", YT_STRING}, {"'1'", YT_STRING},    {"\"~\"", YT_STRING},
      {"!!str 1", YT_STRING}, {"! 1", YT_STRING},   {"!!int '7'", YT_INT}, {"!!float 7", YT_FLOAT},
      {"!!null ''", YT_NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char yaml[64];
    snprintf(yaml, sizeof yaml, "- %s", cases[i].text);
    parsed p = parse(yaml);
    assert_non_null(p.root);
    if (p.root->kind != YT_SEQUENCE || p.root->u.items[0]->type != cases[i].type)
      fail_msg("%s", cases[i].text);
    assert_int_equal(diag_errors(p.sink), 0);
    arena_free(p.a);
  }
}

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool fits;
    int64_t value;
  } ints[] = {
      {"0", true, 0},
      {"-17", true, -17},
      {"+4", true, 4},
      {"012", true, 12},
      {"0x7fffffffffffffff", true, INT64_MAX},
      {"0xAb", true, 171},
      {"0o17", true, 15},
      {"9223372036854775807", true, INT64_MAX},
      {"-9223372036854775808", true, INT64_MIN},
      {"9223372036854775808", false, 0},
      {"-9223372036854775809", false, 0},
      {"0x8000000000000000", false, 0},
      {"99999999999999999999999999", false, 0},
  };
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
    parsed p = parse(ints[i].text);
    int64_t value = 0;
    assert_int_equal(p.root->type, YT_INT);
    assert_int_equal(yt_int(p.root, &value), ints[i].fits);
    assert_true(value == ints[i].value);
    arena_free(p.a);
  }
  static const struct {
    const char *text;
    double value;
  } floats[] = {{"4800e9", 4.8e12}, {"-.5", -0.5}, {"1.", 1.0}, {"7", 7.0}, {".1e1", 1.0}, {"0x10", 16.0}};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
    parsed p = parse(floats[i].text);
    assert_true(yt_float(p.root) == floats[i].value);
    arena_free(p.a);
  }
  parsed p = parse("[-.inf, .INF, .nan, True, FALSE]");
  yt_node **items = p.root->u.items;
  assert_true(yt_float(items[0]) < 0 && yt_float(items[0]) * 2 == yt_float(items[0]));
  assert_true(yt_float(items[1]) > 0 && yt_float(items[1]) * 2 == yt_float(items[1]));
  assert_true(yt_float(items[2]) != yt_float(items[2]));
  assert_true(yt_bool(items[3]));
  assert_false(yt_bool(items[4]));
  arena_free(p.a);
}

static void test_yaml11_traps(void **state) {
  (void)state;
  static const char *const traps[] = {"yes",   "No",    "ON",        "off",   "y",      "N",
                                      "012",   "-012",  "08",        "1:30",  "1_000",  "0b101",
                                      "-0x1F", "0x1_0", "190:20:30", "1_0.5", "+1:05.5"};
  static const char *const fair[] = {"true", "0",   "12",  "1.5",  "0x1F", "4800e9",  "small",
                                     "1:60", "1:",  "_1",  "nope", "'no'", "\"012\"", "0o17",
                                     "12a",  "1_a", "0b2", "-",    "~"};
  for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
    parsed p = parse(traps[i]);
    if (!yt_is_yaml11_trap(p.root)) fail_msg("%s is a trap", traps[i]);
    arena_free(p.a);
  }
  for (size_t i = 0; i < sizeof fair / sizeof *fair; i++) {
    char yaml[32];
    snprintf(yaml, sizeof yaml, "- %s", fair[i]);
    parsed p = parse(yaml);
    const yt_node *n = p.root->kind == YT_SEQUENCE ? p.root->u.items[0] : p.root;
    if (yt_is_yaml11_trap(n)) fail_msg("%s is no trap", fair[i]);
    arena_free(p.a);
  }
}

/* ---- places ---- */

/* Marks in the YAML: the token's bytes stand between « and », which are cut before it is parsed; `found`
   is what the text says there. */
static void test_text_spans(void **state) {
  (void)state;
  static const struct {
    const char *marked, *found;
  } cases[] = {
      {"k: 2 * M * «Kk»\n", "Kk"},
      {"k: \"2 * M * «Kk»\"\n", "Kk"},
      {"k: '2 * M * «Kk» '\n", "Kk"},
      {"k: 'it''s «Kk»'\n", "Kk"},
      {"k: 'a «''» b'\n", "'"},
      {"k: \"a\\tb «Kk»\"\n", "Kk"},
      {"k: \"a«\\t»b\"\n", "\t"},
      {"k: \"\\x41\\u00e9\\U0001F600\\N\\_\\L\\P «Kk»\"\n", "Kk"},
      {"k: \"x«\\u00e9»y\"\n", "\xC3\xA9"},
      {"k: \"x«\\N»y\"\n", "\xC2\x85"}, /* two bytes made two, and not the same */
      {"k: \"x\\_«y»\"\n", "y"},
      {"k: \"x«\\_»y\"\n", "\xC2\xA0"},
      {"k: \"é ü «Kk» é\"\n", "Kk"},
      {"k: \"é\\te «Kk» é\"\n", "Kk"},
      {"k: \"a \\\n   b«c»\"\n", "c"},
      {"k: \"a\\\n\n  \\  «c»\"\n", "c"},
      {"k: \"a\n  «Kk» b\"\n", "Kk"},
      {"k: \"a«  \n  »Kk b\"\n", " "},
      {"k: \"a  \n\n \n  «Kk» b\"\n", "Kk"},
      {"k: 'a\n\n  b''\n  «Kk»'\n", "Kk"},
      {"k: a\n  b\n\n  «Kk» b\n", "Kk"},
      {"k: a\r\n  b\r\n\r\n  «Kk» b\r\n", "Kk"},
      {"k: |\n  a\n  «Kk» b\n", "Kk"},
      {"k: |-\n  a\n\n    b\n  «Kk»", "Kk"},
      {"k: |+ # note\n  a\n  «Kk»\n\n", "Kk"},
      {"k: |2\n    a\n  «Kk»\n", "Kk"},
      {"k: |1\n  a\n   «Kk»\n", "Kk"},
      {"k: |\n\n\n  a «Kk»\n", "Kk"},
      {"k: |\r\n  a\r\n  é «Kk»\r\n", "Kk"},
      {"k: |\n  «a\n  b»\n", "a\nb"},
      {"k: |\n    \n  a «Kk»\n", NULL},
      {"k: >\n  a\n  «Kk»\n", "Kk"},
      {"k: >\n  a\n  b\n\n\n  «Kk»\n", "Kk"},
      {"k: >\n  a\n    b\n    c\n  d\n  «Kk»\n", "Kk"},
      {"k: >-\n  a\n    «Kk»\n", "Kk"},
      {"k: >\n\n  a\n\n    b\n\n  c «Kk»\n", "Kk"},
      {"k: >\n\n \n\n  a\n  b «Kk»\n", "Kk"},
      {"k: >+\n  a\n  «Kk»\n\n\n", "Kk"},
      {"k: |+\n  \n  «\xE2\x80\xA8»", "\xE2\x80\xA8"}, /* lines of spaces alone, and a break that is kept */
      {"k: |+\n \n   «\xE2\x80\xA8»", "\xE2\x80\xA8"},
      {"k: >1\n   a\n  b\n «Kk»\n", "Kk"},
      {"k: >\n  a«\n  »b\n", " "},
      {"k: &x \"a\\t«Kk»\"\n", "Kk"},
      {"k: !!str &x # why\n  \"a\\t«Kk»\"\n", "Kk"},
      {"k: &x !!str 'a''«Kk»'\n", "Kk"},
      {"k: !!str |\n  a\n  «Kk»\n", "Kk"},
      {"\xEF\xBB\xBFk: \"é\\t«Kk»\"\n", "Kk"},
      {"k: !!str\n\xEF\xBB\xBF  «Kk»\n", "Kk"}, /* libyaml skips a mark that begins a line */
      {"k: !!str # why\n\xEF\xBB\xBF  a\n  «Kk»\n", "Kk"},
      {"j: é\nk: [x, \"\\t«Kk»\"]\n", "Kk"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char yaml[256];
    size_t n = 0, begin = 0, end = 0;
    for (const char *p = cases[i].marked; *p != '\0';) {
      bool open = memcmp(p, "\xC2\xAB", 2) == 0, close = memcmp(p, "\xC2\xBB", 2) == 0;
      if (open) begin = n;
      if (close) end = n;
      if (open || close)
        p += 2;
      else
        yaml[n++] = *p++;
    }
    parsed p = parse_str((str){yaml, (uint32_t)n}, &yt_default_limits);
    if (cases[i].found == NULL) { /* libyaml refuses it */
      assert_null(p.root);
      arena_free(p.a);
      continue;
    }
    yt_node *node = get(&p, "k");
    if (node->kind == YT_SEQUENCE) node = node->u.items[1];
    const char *text = arena_cstr(p.a, yt_text(node)), *at = strstr(text, cases[i].found);
    if (at == NULL) fail_msg("case %zu: text is '%s'", i, text);
    uint32_t offset = (uint32_t)(at - text);
    span s = yt_text_span(p.src, node, offset, offset + (uint32_t)strlen(cases[i].found));
    if (s.begin + p.src->bom != begin || s.end + p.src->bom != end)
      fail_msg("case %zu: %s: found %u-%u, not %zu-%zu", i, cases[i].marked, s.begin, s.end, begin, end);
    arena_free(p.a);
  }
}

static void assert_span(const parsed *p, const yt_node *n, const char *whole, const char *value) {
  span s = yt_span(p->src, n), v = yt_value_span(p->src, n);
  const char *text = p->src->text.p;
  assert_string_equal(arena_cstr(p->a, (str){text + s.begin, s.end - s.begin}), whole);
  assert_string_equal(arena_cstr(p->a, (str){text + v.begin, v.end - v.begin}), value);
}

static void test_node_spans(void **state) {
  (void)state;
  parsed p = parse("p: plain # comment\n"
                   "q: 'it''s'\n"
                   "e:\n"
                   "e2: !!null\n"
                   "l: |\n  a\n\n  b\n\n"
                   "f: [1, {x: y}]\n"
                   "g: &g {a: 1} # c\n"
                   "b:\n- 1\n- x: 2\n  y: *g\n\n# end\n"
                   "s: [k: v, 2]\n"
                   "m: &m !!map\n  a: 1\n");
  assert_span(&p, get(&p, "p"), "plain", "plain");
  assert_span(&p, get(&p, "q"), "'it''s'", "it''s");
  assert_span(&p, get(&p, "e"), "", "");
  assert_span(&p, get(&p, "e2"), "", "");
  assert_span(&p, get(&p, "l"), "|\n  a\n\n  b", "|\n  a\n\n  b");
  assert_span(&p, get(&p, "f"), "[1, {x: y}]", "[1, {x: y}]");
  assert_span(&p, get(&p, "g"), "{a: 1}", "{a: 1}");
  assert_span(&p, get(&p, "b"), "- 1\n- x: 2\n  y: *g", "- 1\n- x: 2\n  y: *g");
  assert_span(&p, get(&p, "s")->u.items[0], "k: v", "k: v");
  assert_span(&p, get(&p, "m"), "a: 1", "a: 1");
  assert_int_equal(diag_errors(p.sink), 0);
  arena_free(p.a);
}

static void test_text_points_into_source(void **state) {
  (void)state;
  parsed p = parse("a: plain text\nb: \"double\"\nc: 'single'\nd: \"e\\tf\"\n");
  const char *text = p.src->text.p;
  for (char key[2] = "a"; key[0] <= 'c'; key[0]++) {
    const yt_node *n = get(&p, key);
    assert_true(n->exact && n->u.text > text && n->u.text < text + p.src->text.n);
  }
  assert_false(get(&p, "d")->exact);
  assert_text(get(&p, "d"), "e\tf");
  arena_free(p.a);
}

/* ---- keys ---- */

static void test_duplicate_keys(void **state) {
  (void)state;
  assert_places("a: 1\nb: 2\na: 3\n", "3:1 102 < 1:1");
  assert_places("a: 1\na: 2\na: 3\n", "2:1 102 < 1:1, 3:1 102 < 1:1");
  assert_places("x: {k: 1, 'k': 2}\n", "1:12 102 < 1:5");
  assert_places("x: {1: a, \"1\": b}\n", "1:12 102 < 1:5");
  assert_places("x: {k: 1}\ny: {k: 1}\n", "");
  assert_places("x: {{k: 1, k: 2}: 3}\n", "1:5 103, 1:12 102 < 1:6");
  assert_places("x: {[1]: 3, y: 4}\n", "1:5 103");
  assert_places("<<: {a: 1}\n<<: {b: 1}\n", "2:1 102 < 1:1");
  parsed p = parse("a: 1\nb: 2\na: 3\nc: 4\n");
  assert_int_equal(p.root->n, 3);
  assert_text(get(&p, "a"), "1");
  assert_text(p.root->u.items[4], "c");
  arena_free(p.a);
}

/* Both ways of finding duplicates must agree: the map is made of n distinct keys and two repeats. */
static void test_duplicates_in_large_maps(void **state) {
  (void)state;
  for (unsigned n = 4; n < 40000; n *= 3) {
    arena *a = arena_new();
    VEC(char) yaml = {0};
    for (unsigned i = 0; i < n + 2; i++) {
      char line[32];
      int length = snprintf(line, sizeof line, "key%u: %u\n", i < n ? i * 7919u : i == n ? 7919u : 0u, i);
      for (int j = 0; j < length; j++) vec_push(a, &yaml, line[j]);
    }
    parsed p = parse_str((str){yaml.v, yaml.n}, &yt_default_limits);
    char expected[80];
    snprintf(expected, sizeof expected, "%u:1 102 < 2:1, %u:1 102 < 1:1", n + 1, n + 2);
    assert_string_equal(places(&p), expected);
    assert_int_equal(p.root->n, n);
    for (unsigned i = 0; i < n; i++) { /* order is kept */
      char key[32];
      snprintf(key, sizeof key, "key%u", i * 7919u);
      assert_text(p.root->u.items[2 * i], key);
    }
    arena_free(p.a);
    arena_free(a);
  }
}

static const char *keys(const parsed *p, const yt_node *map) {
  char *out = arena_alloc(p->a, 256);
  for (uint32_t i = 0; i < map->n; i++)
    sprintf(out + strlen(out), "%.*s=%.*s ", STR_ARG(yt_text(map->u.items[2 * i])),
            STR_ARG(yt_text(map->u.items[2 * i + 1])));
  return out;
}

static void test_merge_keys(void **state) {
  (void)state;
  static const char base[] = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n";
  static const struct {
    const char *map, *keys;
  } cases[] = {
      {"m: {<<: *a}", "x=1 y=2 "},
      {"m: {<<: *a, y: 9}", "x=1 y=9 "},
      {"m: {y: 9, <<: *a}", "y=9 x=1 "},
      {"m: {<<: [*a, *b]}", "x=1 y=2 z=4 "},
      {"m: {<<: [*b, *a], w: 0}", "y=3 z=4 x=1 w=0 "},
      {"m: {<<: {p: 1, q: 2}, q: 3}", "p=1 q=3 "},
      {"m: {<<: []}", ""},
      {"n: &n {<<: *a, z: 5}\nm: {z: 6, <<: *n}", "z=6 x=1 y=2 "},
      {"m: {'<<': 1}", "<<=1 "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char yaml[256];
    snprintf(yaml, sizeof yaml, "%s%s\n", base, cases[i].map);
    parsed p = parse(yaml);
    assert_int_equal(diag_errors(p.sink), 0);
    assert_string_equal(keys(&p, get(&p, "m")), cases[i].keys);
    arena_free(p.a);
  }
  assert_places("m: {<<: 1, a: 2}\n", "1:9 109");
  assert_places("a: &a {x: 1}\nm: {<<: [*a, 7], a: 2}\n", "2:14 109");
}

/* ---- aliases ---- */

static void test_aliases(void **state) {
  (void)state;
  parsed p = parse("a: &x [1, 2]\nb: *x\nc: &x z\nd: *x\n*x : key\n");
  assert_int_equal(diag_errors(p.sink), 0);
  assert_ptr_equal(get(&p, "a"), get(&p, "b"));
  assert_text(get(&p, "d"), "z");
  assert_text(get(&p, "z"), "key");
  arena_free(p.a);
  assert_places("a: *nope\nb: 1\nb: 2\n", "1:4 107, 3:1 102 < 2:1");
  assert_places("a: &a [1, *a]\n", "1:11 108 < 1:7");
  p = parse("a: *nope\n");
  span at = yt_value_span(p.src, get(&p, "a")); /* what a later stage says of it is the same defect */
  assert_null(diag_add(p.sink, YAML_SYNTAX, at, "wants a string"));
  assert_int_equal(diag_errors(p.sink), 2);
  assert_int_equal(diag_count(p.sink, DIAG_ERROR), 1);
  arena_free(p.a);
}

static void test_tags(void **state) {
  (void)state;
  assert_places("a: !name x\n", "1:4 105");
  assert_places("a: !!int four\nb: !!seq {x: 1}\nc: !!map [1]\nd: !!bool yes\n",
                "1:10 106, 2:10 106, 3:10 106, 4:11 106");
  assert_places("a: !!map {x: !!seq [1, !!float .inf]}\n", "");
}

/* ---- limits ---- */

static char *repeat(arena *a, const char *unit, unsigned n) {
  size_t length = strlen(unit);
  char *out = arena_alloc(a, length * n + 1);
  for (unsigned i = 0; i < n; i++) memcpy(out + i * length, unit, length);
  return out;
}

static void test_depth_limit(void **state) {
  (void)state;
  arena *a = arena_new();
  for (unsigned depth = 127; depth <= 200; depth += depth < 130 ? 1 : 70) {
    str text = arena_printf(a, "%s%s", repeat(a, "[", depth), repeat(a, "]", depth));
    parsed p = parse_str(text, &yt_default_limits);
    if (depth <= 128) {
      assert_non_null(p.root);
      assert_string_equal(places(&p), "");
    } else {
      assert_null(p.root);
      assert_false(p.empty);
      assert_string_equal(places(&p), "1:129 110");
    }
    arena_free(p.a);
  }
  parsed p = parse(repeat(a, "- ", 100000));
  assert_string_equal(places(&p), "1:257 110");
  arena_free(p.a);
  arena_free(a);
}

/* Line i nests i deep by an alias of the line before; the mapping at the root is one more. */
static void test_depth_limit_through_aliases(void **state) {
  (void)state;
  arena *a = arena_new();
  str text = STR("l1: &l1 [x]\n");
  for (int i = 2; i <= 128; i++) {
    if (i == 128) {
      parsed p = parse_str(text, &yt_default_limits);
      assert_non_null(p.root);
      arena_free(p.a);
    }
    text = arena_printf(a, "%.*sl%d: &l%d [*l%d]\n", STR_ARG(text), i, i, i - 1);
  }
  parsed p = parse_str(text, &yt_default_limits);
  assert_null(p.root);
  assert_string_equal(places(&p), "128:14 110");
  arena_free(p.a);
  arena_free(a);
}

static void test_node_limit(void **state) {
  (void)state;
  yt_limits limits = yt_default_limits;
  limits.nodes = 5;
  parsed p = parse_str(STR("[1, 2, 3, 4]"), &limits);
  assert_non_null(p.root);
  arena_free(p.a);
  p = parse_str(STR("[1, 2, 3, 4, 5]"), &limits);
  assert_null(p.root);
  assert_string_equal(places(&p), "1:14 111");
  arena_free(p.a);
}

static void test_alias_limit(void **state) {
  (void)state;
  arena *a = arena_new();
  str bomb = STR("l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 12; i++) {
    bomb = arena_printf(a, "%.*sl%d: &l%d [", STR_ARG(bomb), i, i);
    for (int j = 0; j < 10; j++)
      bomb = arena_printf(a, "%.*s%s*l%d", STR_ARG(bomb), j > 0 ? ", " : "", i - 1);
    bomb = arena_printf(a, "%.*s]\n", STR_ARG(bomb));
  }
  parsed p = parse_str(bomb, &yt_default_limits);
  assert_null(p.root);
  /* l0 is 11 nodes, l(i) is 1 + 10 l(i-1): 111, .., l5 1,111,111. Down to `l6: &l6 [` there are
     1 + 6 + 1,234,566 + 2 nodes; seven aliases of l5 make 9,012,352 and the eighth passes 10 million. */
  assert_string_equal(places(&p), "7:45 112");
  arena_free(p.a);
  yt_limits limits = yt_default_limits;
  limits.alias_nodes = 9; /* root, a, its list of 2, b: 6 nodes, and 3 for the alias */
  p = parse_str(STR("a: &a [1, 2]\nb: *a\n"), &limits);
  assert_non_null(p.root);
  arena_free(p.a);
  limits.alias_nodes = 8;
  p = parse_str(STR("a: &a [1, 2]\nb: *a\n"), &limits);
  assert_string_equal(places(&p), "2:4 112");
  arena_free(p.a);
  arena_free(a);
}

/* ---- documents ---- */

static void test_documents(void **state) {
  (void)state;
  static const char *const empties[] = {
      "", "\n\n", "# only a comment\n", "---\n", "---\n# c\n...\n", "\xEF\xBB\xBF"};
  for (size_t i = 0; i < sizeof empties / sizeof *empties; i++) {
    parsed p = parse(empties[i]);
    assert_null(p.root);
    assert_true(p.empty);
    assert_int_equal(diag_errors(p.sink), 0);
    arena_free(p.a);
  }
  assert_places("a: 1\n---\nb: 2\n", "2:1 104");
  assert_places("a: 1\n...\n---\nb: [\n", "3:1 104");
  assert_places("---\na: 1\n...\n", "");
  assert_places("%YAML 1.2\n---\na: 1\n", "");
  parsed p = parse("null");
  assert_non_null(p.root);
  assert_false(p.empty);
  arena_free(p.a);
}

static void test_syntax_errors(void **state) {
  (void)state;
  assert_places("a: \"x\nb: 1\n", "3:1 101 < 1:4");
  assert_places("a: [1, 2\nb: 3\n", "2:2 101 < 1:4");
  assert_places("a:\n\t- 1\n", "2:1 101");
  assert_places("é: \"é\\q\"\n", "1:6 101 < 1:4");
  assert_places("a: \x01\n", "1:4 101");
  assert_places("é: \x01\n", "1:4 101");
  assert_places("a: @x\n", "1:4 101");
  assert_places("a: b: c\n", "1:5 101");
}

/* The same tree and lines from CRLF and with a BOM. */
static void test_line_ends(void **state) {
  (void)state;
  static const char *const texts[] = {
      "a: 1\nb:\n  c: x\n  d: [p,\n  q]\n", "a: 1\r\nb:\r\n  c: x\r\n  d: [p,\r\n  q]\r\n",
      "\xEF\xBB\xBF\141: 1\r\nb:\r\n  c: x\r\n  d: [p,\r\n  q]\r\n", "a: 1\rb:\r  c: x\r  d: [p,\r  q]\r"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    parsed p = parse(texts[i]);
    const yt_node *d = yt_get(get(&p, "b"), "d", NULL);
    position at = source_position(p.src, d->u.items[1]->begin);
    assert_int_equal(at.line, 5);
    assert_int_equal(at.column, 3);
    assert_text(d->u.items[1], "q");
    arena_free(p.a);
  }
}

/* 60,000 marks in text where characters and bytes differ: one pass, and right to the end. */
static void test_multibyte_places(void **state) {
  (void)state;
  arena *a = arena_new();
  char *text = repeat(a, "- \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\n", 60000);
  parsed p = parse(text);
  assert_int_equal(p.root->n, 60000);
  for (uint32_t i = 0; i < p.root->n; i++) {
    assert_int_equal(p.root->u.items[i]->begin, i * 13 + 2);
    assert_int_equal(p.root->u.items[i]->end, i * 13 + 12);
  }
  arena_free(p.a);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_core_schema),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_yaml11_traps),
      cmocka_unit_test(test_text_spans),
      cmocka_unit_test(test_node_spans),
      cmocka_unit_test(test_text_points_into_source),
      cmocka_unit_test(test_duplicate_keys),
      cmocka_unit_test(test_duplicates_in_large_maps),
      cmocka_unit_test(test_merge_keys),
      cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_tags),
      cmocka_unit_test(test_depth_limit),
      cmocka_unit_test(test_depth_limit_through_aliases),
      cmocka_unit_test(test_node_limit),
      cmocka_unit_test(test_alias_limit),
      cmocka_unit_test(test_documents),
      cmocka_unit_test(test_syntax_errors),
      cmocka_unit_test(test_line_ends),
      cmocka_unit_test(test_multibyte_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
