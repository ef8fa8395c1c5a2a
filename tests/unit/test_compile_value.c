/* Values read from YAML, compared and printed. language.md §1, §2, §3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/defects.h"

static const char adts[] = "adts:\n"
                           "  Layout:\n"
                           "    sum:\n"
                           "      packed: {python: a.P, fields: {how: {type: \"'x' | 'y'\", python: a.H}, "
                           "flag: Bool, n: Dim, i: Int}}\n"
                           "      plain: {python: a.Q}\n";

/* A value of a parameter type: its text and the diagnostics. */
static void check_value(const char *type, const char *yaml, const char *text, const char *found) {
  manifest m = manifest_read("{}", adts);
  const source *type_src;
  yt_node *type_node = manifest_tree(&m, "type.yaml", type, &type_src),
          *node = manifest_tree(&m, "t.yaml", yaml, &m.src);
  expr_text at = {type_src, type_node};
  const expr *e = parse_text(m.a, m.sink, &parse_default_limits, PARSE_TYPE, &at, "type");
  const kind *k = kind_of_type(m.a, m.sink, KIND_PARAM, &m.adts, e, &at);
  assert_non_null(k);
  value v;
  bool good = value_of_node(m.a, m.sink, m.src, node, k, e, "value", &v);
  assert_string_equal(defects_of(m.a, m.sink), found);
  assert_int_equal(good, text != NULL);
  if (text != NULL) assert_string_equal(arena_cstr(m.a, value_text(m.a, &v)), text);
  arena_free(m.a);
}

static void test_scalars(void **state) {
  (void)state;
  static const struct {
    const char *type, *yaml, *text, *found;
  } cases[] = {
      {"int", "3", "3", ""},
      /* The core schema has no sign before 0x; YAML 1.1 has. */
      {"int", "-0x10", NULL, "RL0113? -0x10; RL0230 -0x10"},
      {"int", "0x10", "16", ""},
      {"int", "9223372036854775807", "9223372036854775807", ""},
      {"int", "9223372036854775808", NULL, "RL0231 9223372036854775808"},
      {"int", "-9223372036854775808", "-9223372036854775808", ""},
      {"int", "3.0", NULL, "RL0230 3.0"},
      {"int", "true", NULL, "RL0230 true"},
      {"int", "'3'", NULL, "RL0230 3"},
      {"int", "null", NULL, "RL0230 null"},
      {"\"int | None\"", "~", "None", ""},
      {"bool", "true", "true", ""},
      {"bool", "False", "false", ""},
      {"bool", "0", NULL, "RL0230 0"},
      {"bool", "'true'", NULL, "RL0230 true"},
      {"float", "1.0e-6", "1e-06", ""},
      {"float", "4800e9", "4800000000000.0", ""},
      {"float", "2", "2", ""},
      {"float", ".inf", "inf", ""},
      {"float", "-.INF", "-inf", ""},
      {"float", ".nan", "nan", ""},
      {"float", "1e999", NULL, "RL0231 1e999"},
      {"float", "inf", NULL, "RL0230 inf"},
      {"float", "0.1", "0.1", ""},
      {"Number", "3", "3", ""},
      {"Number", "x", NULL, "RL0230 x"},
      {"\"'1d' | '2d'\"", "1d", "'1d'", ""},
      {"\"'1d' | '2d'\"", "3d", NULL, "RL0230 3d"},
      {"\"'1' | '2'\"", "1", NULL, "RL0230 1"},
      {"\"'1' | '2'\"", "'1'", "'1'", ""},
      {"\"'none' | 'rope'\"", "none", "'none'", ""},
      {"str", "it's", "'it\\'s'", ""},
      {"str", "3", NULL, "RL0230 3"},
      {"\"float16 | float32\"", "float16", "'float16'", ""},
      {"\"float16 | float32\"", "'float32'", "'float32'", ""},
      {"\"float16 | float32\"", "bfloat16", NULL, "RL0230 bfloat16"},
      {"torch.dtype", "bool", "'bool'", ""},
      {"Opaque", "{a: [1, b]}", "an object", ""},
      {"Opaque", "text", "an object", ""},
      {"Opaque", "3", "an object", ""},
      {"Opaque", "null", NULL, "RL0230 null"},
      {"\"Opaque | None\"", "null", "None", ""},
      {"\"int | 'auto'\"", "auto", "'auto'", ""},
      {"\"int | 'auto'\"", "[1]", NULL, "RL0230 [1]"},
      {"int", "{a: 1}", NULL, "RL0230 {a: 1}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_value(cases[i].type, cases[i].yaml, cases[i].text, cases[i].found);
}

static void test_sequences(void **state) {
  (void)state;
  static const struct {
    const char *type, *yaml, *text, *found;
  } cases[] = {
      {"\"list[int]\"", "[]", "()", ""},
      {"\"list[int]\"", "[1]", "(1,)", ""},
      {"\"tuple[int, ...]\"", "[1, -2, 3]", "(1, -2, 3)", ""},
      {"\"tuple[int, int]\"", "[1, 2]", "(1, 2)", ""},
      {"\"tuple[int, int]\"", "[1]", NULL, "RL0233 [1]"},
      {"\"tuple[int, int]\"", "[1, 2, 3]", NULL, "RL0233 [1, 2, 3]"},
      {"\"tuple[int, int] | tuple[int, int, int]\"", "[1, 2, 3]", "(1, 2, 3)", ""},
      {"\"tuple[int, int] | tuple[int, int, int]\"", "[1]", NULL, "RL0233 [1]"},
      {"\"int | tuple[int, int]\"", "4", "4", ""},
      {"\"list[int | None]\"", "[1, null]", "(1, None)", ""},
      {"\"list[int]\"", "[1, null]", NULL, "RL0230 null"},
      {"\"tuple[int | None, int]\"", "[null, 1]", "(None, 1)", ""},
      {"\"tuple[int | None, int]\"", "[1, null]", NULL, "RL0233 [1, null]"},
      {"\"list[int]\"", "[1, x, 2.5, [3]]", NULL, "RL0230 x; RL0230 2.5; RL0230 [3]"},
      {"\"list[int]\"", "3", NULL, "RL0230 3"},
      {"\"list[int]\"", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
       "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, ...)", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_value(cases[i].type, cases[i].yaml, cases[i].text, cases[i].found);
}

static void test_adt_values(void **state) {
  (void)state;
  static const struct {
    const char *yaml, *text, *found;
  } cases[] = {
      {"{packed: {how: y, flag: true, n: 3, i: -1}}", "{packed: {how: 'y', flag: 1, n: 3, i: -1}}", ""},
      {"{plain: {}}", "{plain: {}}", ""},
      {"{plain: }", "{plain: {}}", ""},
      {"plain", NULL, "RL0230 plain"},
      {"{}", NULL, "RL0234 {}"},
      {"{plain: {}, packed: {}}", NULL, "RL0234 {plain: {}, packed: {}}"},
      {"{plane: {}}", NULL, "RL0234 plane"},
      {"{plain: 3}", NULL, "RL0234 3"},
      {"{packed: {how: y, flag: true, n: 3}}", NULL, "RL0234 packed"},
      {"{packed: {how: y, flagg: true, n: 3, i: 0}}", NULL, "RL0234 flagg"},
      {"{packed: {how: y, zzzzzz: true, n: 3, i: 0}}", NULL, "RL0234 packed; RL0234 zzzzzz"},
      {"{packed: {how: z, flag: 1, n: -3, i: 0.5, j: 1}}", NULL,
       "RL0230 z; RL0230 1; RL0232 -3; RL0230 0.5; RL0234 j"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_value("Layout", cases[i].yaml, cases[i].text, cases[i].found);
}

/* Every value fulfils its constructor's invariant. */
static void test_invariants(void **state) {
  (void)state;
  static const char types[] =
      "adts:\n  Even:\n    sum:\n"
      "      e: {python: a.E, fields: {n: Dim, odd: Bool, m: {type: \"'x' | 'y'\", python: a.M}}, "
      "invariant: \"(n % 2 == 1) == odd and (m == 'x' or n // n > 0)\"}\n"
      "      bad: {python: a.B, fields: {n: Dim}, invariant: \"n + 1\"}\n"
      "      worse: {python: a.W, fields: {n: Dim}, invariant: \"k > 0\"}\n";
  static const struct {
    const char *yaml, *found;
  } cases[] = {
      {"{e: {n: 2, odd: false, m: y}}", ""},
      {"{e: {n: 3, odd: true, m: x}}", ""},
      {"{e: {n: 3, odd: false, m: x}}", "RL0235 e"},
      {"{e: {n: 0, odd: false, m: x}}", ""},
      {"{e: {n: 0, odd: false, m: y}}", "RL0235 e"}, /* 0 // 0 */
      {"{bad: {n: 1}}", ""},                         /* not judged: the invariant is no condition */
  };
  manifest all = manifest_read("{}", types);
  assert_string_equal(defects_of(all.a, all.sink), "RL0403 n + 1; RL0412 k");
  arena_free(all.a);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    manifest m = manifest_read("{}", types);
    m.sink = diag_sink_new(m.a);
    yt_node *node = manifest_tree(&m, "t.yaml", cases[i].yaml, &m.src);
    const kind k = {.bits = K_ADT, .ctors = 7, .length = -1, .adt = &m.adts.adts[0]};
    value v;
    assert_int_equal(value_of_node(m.a, m.sink, m.src, node, &k, NULL, "v", &v), cases[i].found[0] == '\0');
    assert_string_equal(defects_of(m.a, m.sink), cases[i].found);
    arena_free(m.a);
  }
}

/* Kinds that no parameter type has: a row's sizes and shapes. */
static void test_row_kinds(void **state) {
  (void)state;
  static const struct {
    const kind *kind;
    const char *yaml, *found;
  } cases[] = {
      {&kind_dim, "4", ""},
      {&kind_dim, "0", ""},
      {&kind_dim, "-4", "RL0232 -4"},
      {&kind_dim, "4.0", "RL0230 4.0"},
      {&kind_shape, "[]", ""},
      {&kind_shape, "[2, 3]", ""},
      {&kind_shape, "[2, -3]", "RL0232 -3"},
      {&kind_shape, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", ""},
      {&kind_shape, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "RL0233 [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"},
      {&kind_seq_int, "[1, -1]", ""},
      {&kind_unknown, "x", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    manifest m = manifest_read("{}", NULL);
    yt_node *node = manifest_tree(&m, "t.yaml", cases[i].yaml, &m.src);
    value v;
    bool good = value_of_node(m.a, m.sink, m.src, node, cases[i].kind, NULL, "M", &v);
    assert_string_equal(defects_of(m.a, m.sink), cases[i].found);
    assert_int_equal(good, cases[i].found[0] == '\0' && cases[i].kind != &kind_unknown);
    arena_free(m.a);
  }
}

static void test_equality(void **state) {
  (void)state;
  int64_t items[] = {1, 2};
  bool absent[] = {false, true};
  value one = value_int(1), one_f = value_float(1.0), half = value_float(0.5), yes = value_bool(true),
        none = value_none();
  value f16 = value_dtype(ROOFLINE_FLOAT16), f16_text = value_string(STR("float16")),
        other = value_string(STR("float1"));
  value seq = value_seq(roofline_seq_of(items, 2)), longer = value_seq(roofline_seq_of_runs(1, 1, 2, 2));
  value runs = value_seq(roofline_seq_of_runs(1, 1, 1, 2)), holes = seq;
  holes.u.q.absent = absent;
  const value mixed_items[] = {value_int(1), value_float(2.0)},
              string_items[] = {value_int(1), value_string(STR("2"))};
  value mixed = {.tag = V_MIXED, .n = 2, .u.items = mixed_items},
        strings = {.tag = V_MIXED, .n = 2, .u.items = string_items};
  value big = value_int(INT64_C(9007199254740993)), rounded = value_float(9007199254740992.0);
  value object = {.tag = V_OBJECT}, unknown = {.tag = V_UNKNOWN};
  const struct {
    const value *x, *y;
    bool equal;
  } cases[] = {
      {&one, &one_f, true},    {&one, &half, false},    {&one, &yes, false},      {&none, &none, true},
      {&none, &one, false},    {&f16, &f16_text, true}, {&f16, &other, false},    {&f16, &f16, true},
      {&seq, &runs, true},     {&seq, &longer, false},  {&seq, &holes, false},    {&seq, &mixed, true},
      {&mixed, &mixed, true},  {&seq, &strings, false}, {&big, &rounded, false},  {&object, &object, false},
      {&unknown, &one, false}, {&seq, &one, false},     {&f16_text, &one, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(value_eq(cases[i].x, cases[i].y), cases[i].equal);
    assert_int_equal(value_eq(cases[i].y, cases[i].x), cases[i].equal);
  }
}

static void test_adt_equality(void **state) {
  (void)state;
  static const roofline_adt_field fields[] = {{"n", NULL, 0}};
  static const roofline_adt_ctor ctors[] = {{"a", fields, 1}, {"b", NULL, 0}};
  static const roofline_adt_type type = {"A", ctors, 2}, twin = {"A", ctors, 2};
  roofline_adt x = {&type, 0, {1}}, same = {&type, 0, {1, 99}}, field = {&type, 0, {2}},
               ctor = {&type, 1, {1}}, stranger = {&twin, 0, {1}};
  value vx = value_adt(&x), vsame = value_adt(&same), vfield = value_adt(&field), vctor = value_adt(&ctor),
        vother = value_adt(&stranger);
  assert_true(value_eq(&vx, &vsame)); /* beyond the constructor's fields nothing counts */
  assert_false(value_eq(&vx, &vfield));
  assert_false(value_eq(&vx, &vctor));
  assert_false(value_eq(&vx, &vother));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalars),    cmocka_unit_test(test_sequences),
      cmocka_unit_test(test_adt_values), cmocka_unit_test(test_row_kinds),
      cmocka_unit_test(test_equality),   cmocka_unit_test(test_adt_equality),
      cmocka_unit_test(test_invariants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
