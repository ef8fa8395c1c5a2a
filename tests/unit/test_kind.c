/* Kinds as sets, their text, and what a written type means. language.md §2, §3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/defects.h"

static const char adts[] =
    "adts:\n  Layout: {sum: {a: {python: x}, b: {python: y}}}\n  Other: {sum: {c: {python: z}}}\n"
    "  Broken: {sum: {d: {python: w, fields: {n: Shape}}}}\n";

typedef struct typed {
  manifest m;
  const kind *kind;
} typed;

/* The kind of one type text, without the diagnostics of `adts`. */
static typed type_of(kind_form form, const char *text) {
  typed t = {.m = manifest_read("{}", adts)};
  t.m.sink = diag_sink_new(t.m.a);
  yt_node *node = manifest_tree(&t.m, "t.yaml", text, &t.m.src);
  assert_non_null(node);
  expr_text at = {t.m.src, node};
  const expr *e = parse_text(t.m.a, t.m.sink, &parse_default_limits, PARSE_TYPE, &at, "type");
  if (e != NULL) t.kind = kind_of_type(t.m.a, t.m.sink, form, &t.m.adts, e, &at);
  return t;
}

typedef struct type_case {
  const char *text;  /* YAML */
  const char *kind;  /* NULL: refused */
  const char *found; /* diagnostics */
} type_case;

static void check(kind_form form, const type_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    typed t = type_of(form, cases[i].text);
    assert_string_equal(defects_of(t.m.a, t.m.sink), cases[i].found);
    if (cases[i].kind == NULL)
      assert_null(t.kind);
    else {
      assert_non_null(t.kind);
      assert_string_equal(arena_cstr(t.m.a, kind_text(t.m.a, t.kind)), cases[i].kind);
    }
    arena_free(t.m.a);
  }
}
#define CHECK(form, cases) check(form, cases, sizeof cases / sizeof cases[0])

static void test_index_kinds(void **state) {
  (void)state;
  static const type_case cases[] = {
      {"Dim", "Dim", ""},
      {"Shape", "Shape", ""},
      {"\"Seq[Int]\"", "Seq[Int]", ""},
      {"\"DType[float16 | bfloat16]\"", "DType[float16 | bfloat16]", ""},
      {"\"DType[bool]\"", "DType[bool]", ""},
      {"Int", NULL, "RL0460 Int"},
      {"Bool", NULL, "RL0460 Bool"},
      {"int", NULL, "RL0460 int"},
      {"DType", NULL, "RL0460 DType"},
      {"Layout", NULL, "RL0460 Layout"},
      {"\"'a' | 'b'\"", NULL, "RL0460 'a'; RL0460 'b'"},
      {"\"Dim | None\"", NULL, "RL0460 None"},
      {"\"Dim | Shape\"", NULL, "RL0463 Shape"},
      {"\"Seq[Dim]\"", NULL, "RL0460 Seq[Dim]"},
      {"\"list[int]\"", NULL, "RL0460 list[int]"},
      {"\"DType[float16 | banana | half]\"", NULL, "RL0461 banana; RL0461 half"},
      {"\"DType['float16']\"", NULL, "RL0461 'float16'"},
  };
  CHECK(KIND_INDEX, cases);
}

static void test_formals_and_fields(void **state) {
  (void)state;
  static const type_case formals[] = {
      {"Dim", "Dim", ""},
      {"Int", "Int", ""},
      {"Bool", "Bool", ""},
      {"Shape", "Shape", ""},
      {"\"'a' | 'b' | 'a'\"", "'a' | 'b'", ""},
      {"Layout", "Layout", ""},
      {"\"Dim | None\"", "Maybe[Dim]", ""},
      {"Broken", "unknown", ""},
      {"int", NULL, "RL0460 int"},
      {"Layot", NULL, "RL0460 Layot"},
      {"\"DType[float16]\"", NULL, "RL0460 DType[float16]"},
      {"\"Bool | 'a'\"", NULL, "RL0463 'a'"},
      {"\"None\"", NULL, "RL0460 None"},
  };
  static const type_case fields[] = {
      {"Dim", "Dim", ""},
      {"Int", "Int", ""},
      {"Bool", "Bool", ""},
      {"\"'x'\"", "'x'", ""},
      {"Shape", NULL, "RL0460 Shape"},
      {"Layout", NULL, "RL0460 Layout"},
      {"\"Dim | None\"", NULL, "RL0460 None"},
  };
  CHECK(KIND_FORMAL, formals);
  CHECK(KIND_FIELD, fields);
}

static void test_parameter_types(void **state) {
  (void)state;
  static const type_case cases[] = {
      {"int", "Int", ""},
      {"bool", "Bool", ""},
      {"float", "float", ""},
      {"Number", "float", ""},
      {"str", "str", ""},
      {"\"int | float\"", "Int | float", ""},
      {"\"int | None\"", "Maybe[Int]", ""},
      {"\"'a' | 'b' | None\"", "Maybe['a' | 'b']", ""},
      {"\"bool | None\"", "Maybe[Bool]", ""},
      {"\"bool | int8\"", "DType[bool | int8]", ""},
      {"\"float16 | bfloat16 | None\"", "Maybe[DType[float16 | bfloat16]]", ""},
      {"torch.dtype", "DType", ""},
      {"\"torch.dtype | bool\"", "DType", ""},
      {"\"torch.device | str | None\"", "str | object | None", ""},
      {"Layout", "Layout", ""},
      {"\"Layout | None\"", "Maybe[Layout]", ""},
      {"\"list[int]\"", "Seq[Int]", ""},
      {"\"list[int | None]\"", "Seq[Maybe[Int]]", ""},
      {"\"tuple[int, ...]\"", "Seq[Int]", ""},
      {"\"tuple[int]\"", "Seq[Int] of length 1", ""},
      {"\"int | tuple[int, int]\"", "Int | Seq[Int] of length 2", ""},
      {"\"tuple[int, int] | tuple[int, int, int]\"", "Seq[Int]", ""},
      {"\"int | list[int] | tuple[int, ...] | None\"", "Int | Seq[Int] | None", ""},
      {"RoutingEpilogueSpec", "object", ""},
      {"Layuot", "object", "RL0464? Layuot"},
      {"flaot16", "object", "RL0464? flaot16"},
      {"\"Layout | Other\"", NULL, "RL0463 Other"},
      {"\"list[float]\"", NULL, "RL0462 float"},
      {"\"tuple[int, str]\"", NULL, "RL0462 str"},
      {"\"tuple[..., int]\"", NULL, "RL0460 tuple[..., int]"},
      {"\"list[int, int]\"", NULL, "RL0460 list[int, int]"},
      {"\"dict[str]\"", NULL, "RL0460 dict[str]"},
      {"\"DType[float16]\"", NULL, "RL0460 DType[float16]"},
  };
  CHECK(KIND_PARAM, cases);
}

/* Thousands of members cost what their text does, not its square. */
static void test_large_enum(void **state) {
  (void)state;
  enum { N = 50000 };
  char *text = malloc(N * 12 + 10), *end = text;
  *end++ = '"';
  for (int i = 0; i < N; i++) end += sprintf(end, "%s'm%d'", i == 0 ? "" : " | ", i);
  *end++ = '"';
  *end = '\0';
  typed t = type_of(KIND_PARAM, text);
  assert_int_equal(t.kind->member_count, N);
  assert_int_equal(kind_member(t.kind, STR("m49999")), 49999);
  assert_true(arena_bytes(t.m.a) < 100u << 20);
  arena_free(t.m.a);
  free(text);
}

static void test_union_and_without(void **state) {
  (void)state;
  arena *a = arena_new();
#define IS(k, text) assert_string_equal(arena_cstr(a, kind_text(a, (k))), (text))
  IS(kind_union(a, &kind_dim, &kind_int), "Int");
  IS(kind_union(a, &kind_dim, &kind_dim), "Dim");
  IS(kind_union(a, &kind_int, &kind_none), "Maybe[Int]");
  IS(kind_union(a, &kind_shape, &kind_shape), "Shape");
  IS(kind_union(a, &kind_shape, &kind_seq_int), "Seq[Int]");
  IS(kind_union(a, kind_union(a, &kind_bool, &kind_dim), &kind_none), "Bool | Dim | None");
  kind maybe_items = {.bits = K_SEQ, .length = 2, .item = kind_union(a, &kind_int, &kind_none)};
  kind pair = {.bits = K_SEQ, .length = 2, .item = &kind_int},
       dims = {.bits = K_SEQ, .length = 2, .item = &kind_dim};
  IS(kind_union(a, &pair, &maybe_items), "Seq[Maybe[Int]] of length 2");
  IS(kind_union(a, &pair, &kind_seq_int), "Seq[Int]");
  IS(kind_union(a, &dims, &pair), "Seq[Int] of length 2");
  str left_members[] = {STR("a"), STR("b")}, right_members[] = {STR("b"), STR("c")};
  kind left = {.bits = K_ENUM, .length = -1, .members = left_members, .member_count = 2};
  kind right = {.bits = K_ENUM, .length = -1, .members = right_members, .member_count = 2};
  IS(kind_union(a, &left, &right), "'a' | 'b' | 'c'");
  IS(kind_without(a, kind_union(a, &left, &kind_none), K_NONE), "'a' | 'b'");
  IS(kind_without(a, kind_union(a, &left, &kind_int), K_ENUM), "Int");
  assert_ptr_equal(kind_without(a, &kind_int, K_NONE), &kind_int);
  IS(kind_without(a, &kind_int, K_INT), "nothing");
  assert_true(kind_has_member(&left, STR("b")) && !kind_has_member(&left, STR("c")) &&
              !kind_has_member(&kind_int, STR("b")));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_kinds),       cmocka_unit_test(test_formals_and_fields),
      cmocka_unit_test(test_parameter_types),   cmocka_unit_test(test_large_enum),
      cmocka_unit_test(test_union_and_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
