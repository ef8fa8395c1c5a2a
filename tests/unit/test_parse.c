/* language.md §4: what texts mean as trees, what is refused and where, limits. */
#include "tests/unit/parsed.h"

#include <time.h>

#include "compiler/primitive.h"

typedef struct example {
  const char *text, *tree, *defects;
} example;

static void check_examples(parse_form form, const example *examples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const example *x = &examples[i];
    parsed p = parse(form, x->text);
    const char *found = defects(&p), *tree = sketched(p.a, p.root);
    const char *wanted = x->defects != NULL ? x->defects : "";
    if (strcmp(tree, x->tree) != 0 || strcmp(found, wanted) != 0)
      fail_msg("\n  text %s\n  tree %s\n  want %s\n  diag %s\n  want %s", x->text, tree, x->tree, found,
               wanted);
    arena_free(p.a);
  }
}
#define CHECK(form, examples) check_examples((form), (examples), sizeof(examples) / sizeof *(examples))

static void test_precedence(void **state) {
  (void)state;
  static const example examples[] = {
      {"a", "a", NULL},
      {"a + b * c", "(a + (b * c))", NULL},
      {"a * b + c", "((a * b) + c)", NULL},
      {"a - b - c + d", "(a - b - c + d)", NULL},
      {"a - (b - c)", "(a - (b - c))", NULL},
      {"(a - b) - c", "((a - b) - c)", NULL},
      {"a // b * c % d", "(a // b * c % d)", NULL},
      {"-a * b", "((neg a) * b)", NULL},
      {"a * -b", "(a * (neg b))", NULL},
      {"-7 // 2", "((neg 7) // 2)", NULL},
      {"- -a", "(neg (neg a))", NULL},
      {"-a.b[0]", "(neg (index (field:b a) 0))", NULL},
      {"a < b == c", "(a < b == c)", NULL},
      {"0 <= p <= k // 2", "(0 <= p <= (k // 2))", NULL},
      {"(a < b) == c", "((a < b) == c)", NULL},
      {"a + 1 != b", "((a + 1) != b)", NULL},
      {"not a == b", "(not (a == b))", NULL},
      {"not not a", "(not (not a))", NULL},
      {"not a and b", "(and (not a) b)", NULL},
      {"a or b and c", "(or a (and b c))", NULL},
      {"a and b and c or d or e", "(or (and a b c) d e)", NULL},
      {"(a or b) or c", "(or (or a b) c)", NULL},
      {"a in (b, 1)", "(a in (tuple b 1))", NULL},
      {"not a in b", "(not (a in b))", NULL},
      {"a not in b", "(a not in b)", NULL},
      {"a in b not\n in c", "(a in b not in c)", NULL},
      {"a if b else c", "(if a b c)", NULL},
      {"a if b else c if d else e", "(if a b (if c d e))", NULL},
      {"(a if b else c) if d else e", "(if (if a b c) d e)", NULL},
      {"a or b if c or d else e or f", "(if (or a b) (or c d) (or e f))", NULL},
      {"a + b if c else d", "(if (a + b) c d)", NULL},
      {"a + (b if c else d)", "(a + (if b c d))", NULL},
      {"()", "(tuple)", NULL},
      {"(a,)", "(tuple a)", NULL},
      {"(a)", "a", NULL},
      {"((a, b),)", "(tuple (tuple a b))", NULL},
      {"s[0]", "(index s 0)", NULL},
      {"s[-1]", "(index s (neg 1))", NULL},
      {"s[a:b]", "(slice s a b)", NULL},
      {"s[a:]", "(slice s a _)", NULL},
      {"s[:b]", "(slice s _ b)", NULL},
      {"s[:]", "(slice s _ _)", NULL},
      {"s[a if b else c:d]", "(slice s (if a b c) d)", NULL},
      {"v.value.kind", "(field:kind (field:value v))", NULL},
      {"f()", "(call:f)", NULL},
      {"f(a, b,)", "(call:f a b)", NULL},
      {"conv . out(a)", "(call:conv.out a)", NULL},
      {"max(s, default=0)", "(call:max s default=0)", NULL},
      {"max(a == b, default=c == d)", "(call:max (a == b) default=(c == d))", NULL},
      {"f(x)[1].y", "(field:y (index (call:f x) 1))", NULL},
      {"sum(2 * n for n in s)", "(call:sum (for:n (2 * n) s))", NULL},
      {"all(a if b else c for n in d or e)", "(call:all (for:n (if a b c) (or d e)))", NULL},
      {"max((n for n in s), default=0)", "(call:max (for:n n s) default=0)", NULL},
      {"max(n for n in s, 0)", "(call:max (for:n n s) 0)", NULL},
      {"all(sum(m for m in t) for n in s)", "(call:all (for:n (call:sum (for:m m t)) s))", NULL},
      {"any(n for n in s)", "(call:any (for:n n s))", NULL}, /* unknown callee: a later stage refuses it */
      {"\n a\t+\r\nb ", "(a + b)", NULL},
      {"present(out)", "(call:present out)", NULL},
      {"note + iffy + inner", "(note + iffy + inner)", NULL},
  };
  CHECK(PARSE_EXPRESSION, examples);
}

static void test_literals(void **state) {
  (void)state;
  static const example examples[] = {
      {"0", "0", NULL},
      {"00_0", "0", NULL},
      {"1_000", "1000", NULL},
      {"0x1F", "31", NULL},
      {"0X_ff", "255", NULL},
      {"0o17", "15", NULL},
      {"0b1_01", "5", NULL},
      {"9223372036854775807", "9223372036854775807", NULL},
      {"0x7fffffffffffffff", "9223372036854775807", NULL},
      {"1.5", "1.5", NULL},
      {"1.", "1", NULL},
      {".5", "0.5", NULL},
      {"1e3", "1000", NULL},
      {"1_0.2_5e-1_0", "1.025e-09", NULL},
      {"0777e1", "7770", NULL},
      {"07.5", "7.5", NULL},
      {"1e-999", "0", NULL},
      {"inf", "inf", NULL},
      {"-inf", "(neg inf)", NULL},
      {"true", "T", NULL},
      {"True", "T", NULL},
      {"false", "F", NULL},
      {"False", "F", NULL},
      {"None", "(none)", NULL},
      {"'a\"b'", "'a\"b'", NULL},
      {"\"a'b\"", "'a'b'", NULL},
      {"'a\\'b\\\\'", "'a'b\\'", NULL},
      {"'\\x41\\u00e9\\U0001F600\\101\\7'",
       "'A\xc3\xa9\xf0\x9f\x98\x80"
       "A\a'",
       NULL},
      {"'a\\\nb'", "'ab'", NULL},
      {"'\xc3\xa9'", "'\xc3\xa9'", NULL},
      {"''", "''", NULL},
      {"'#'", "'#'", NULL},
      {"007", "(error)", "307 007"},
      {"0_7", "(error)", "307 0_7"},
      {"1__0", "(error)", "307 1__0"},
      {"1_", "(error)", "307 1_"},
      {"2K + 1", "((error) + 1)", "307 2K"},
      {"0x", "(error)", "307 0x"},
      {"0xg", "(error)", "307 0xg"},
      {"0b12", "(error)", "307 0b12"},
      {"0o8", "(error)", "307 0o8"},
      {"1.5.2", "(error)", "307 1.5.2"},
      {"1j", "(error)", "307 1j"},
      {"1e", "(error)", "307 1e"},
      {"eps < 1e999", "(eps < (error))", "309 1e999"},
      {"-9223372036854775808", "(neg (error))", "308 9223372036854775808"},
      {"0x8000000000000000", "(error)", "308 0x8000000000000000"},
      {"99999999999999999999999", "(error)", "308 99999999999999999999999"},
      {"'abc", "(error)", "310 'abc"},
      {"a == 'b\\'", "(a == (error))", "310 'b\\'"},
      {"f'a' + b", "((error) + b)", "310 f'a'"},
      {"Rb\"a\"", "(error)", "310 Rb\"a\""},
      {"'''a' b''' + c", "((error) + c)", "310 '''a' b'''"},
      {"'\\q'", "(error)", "311 '\\q'"},
      {"'\\N{DASH}'", "(error)", "311 '\\N{DASH}'"},
      {"'\\x4'", "(error)", "311 '\\x4'"},
      {"'\\ud800'", "(error)", "311 '\\ud800'"},
      {"'\\U00110000'", "(error)", "311 '\\U00110000'"},
      {"007 + 1e999", "((error) + (error))", "307 007; 309 1e999"},
  };
  CHECK(PARSE_EXPRESSION, examples);
}

static void test_refused(void **state) {
  (void)state;
  static const example examples[] = {
      {"M / 2", "(error M 2)", "316 /"},
      {"M ** 2", "(error M 2)", "317 **"},
      {"-M ** -2", "(neg (error M (neg 2)))", "317 **"},
      {"Kk ** 2 + M / 3", "((error Kk 2) + (error M 3))", "317 **; 316 /"},
      {"a / b * c / d", "(error a b c d)", "316 /; 316 /"},
      {"bias is None or N > 0", "(or (error) (N > 0))", "318 is"},
      {"bias is not None", "(error)", "318 is not"},
      {"M / 2 is None or N / 2", "(or (error) (error N 2))", "318 is; 316 /"},
      {"a is b is c", "(error)", "318 is"},
      {"a && b || !c", "(error (error a b) (error c))", "319 &&; 319 ||; 319 !"},
      {"a & b | c ^ d", "(error a b c d)", "319 &; 319 |; 319 ^"},
      {"a << 1 > b >> 2", "((error a 1) > (error b 2))", "319 <<; 319 >>"},
      {"~a @ b", "(error (error a) b)", "319 ~; 319 @"},
      {"a <> b", "(error a b)", "319 <>"},
      {"+a - b", "(a - b)", "319 +"},
      {"c ? a : b", "(error c a b)", "319 ?"},
      {"a = b", "(error a b)", "320 ="},
      {"(a = b) and c", "(and (error a b) c)", "320 ="},
      {"f(a.b = c)", "(error c)", "320 ="},
      {"(n := M / 2) > 0", "((error) > 0)", "321 :="},
      {"lambda: M / 2", "(error)", "322 lambda"},
      {"f(lambda x, *y, z=1: x, b / c)", "(call:f (error) (error b c))", "322 lambda; 316 /"},
      {"a if b", "(if a b (error))", "323 if"},
      {"isinstance(M / 2, int) and a", "(and (error) a)", "324 isinstance"},
      {"len({i / 2 for i in (M, N)}) == 2", "((call:len (error)) == 2)", "325 {i / 2 for i in (M, N)}"},
      {"a in {b, c}", "(a in (error))", "325 {b, c}"},
      {"{}", "(error)", "325 {}"},
      {"{a: b, **c}", "(error)", "325 {a: b, **c}"},
      {"{a: b for a in c}", "(error)", "325 {a: b for a in c}"},
      {"a in [b, c / 2]", "(a in (error))", "326 [b, c / 2]"},
      {"sum([n for n in S])", "(call:sum (error))", "326 [n for n in S]"},
      {"sum(n for n in S if n > 1)", "(call:sum (error))", "327 n for n in S if n > 1"},
      {"sum(m for m in S for n in m)", "(call:sum (error))", "327 m for m in S for n in m"},
      {"sum(m for m, n in S)", "(call:sum (error))", "327 m for m, n in S"},
      {"sum(m for (m) in S)", "(call:sum (error))", "327 m for (m) in S"},
      {"prod(n / 2 for n in S)", "(call:prod (error))", "328 n / 2 for n in S"},
      {"max(0, n for n in S)", "(call:max 0 (error))", "328 n for n in S"},
      {"max(S, default=(n for n in S))", "(call:max S default=(error))", "328 n for n in S"},
      {"(n for n in S) + a / b", "((error) + (error a b))", "328 n for n in S; 316 /"},
      {"sum(n / 2 for n in S)", "(call:sum (for:n (error n 2) S))", "316 /"},
      {"present(n for n in S)", "(call:present (error))", "328 n for n in S"},
      {"f(a)(b / c)", "(error (error b c))", "329 f(a); 316 /"},
      {"(f)(a)", "(error a)", "329 (f)"},
      {"s[0].f(a)", "(error a)", "329 s[0].f"},
      {"max(default=0, S)", "(error 0 S)", "330 S"},
      {"max(S, default=0, default=1)", "(error S 0 1)", "331 default"},
      {"prod(*S)", "(call:prod (error S))", "332 *"},
      {"f(**S)", "(call:f (error S))", "332 **"},
      {"(*S, 1)", "(tuple (error S) 1)", "332 *"},
      {"S[0:4:2]", "(error S 0 4 2)", "333 :"},
      {"S[::2]", "(error S 2)", "333 :"},
      {"S[]", "(error S)", "333 []"},
      {"S[a, b]", "(error S a b)", "333 [a, b]"},
  };
  CHECK(PARSE_EXPRESSION, examples);
}

/* One cause gives one defect, and the rest of the text is still judged. */
static void test_recovery(void **state) {
  (void)state;
  static const example examples[] = {
      {"", "NULL", "301 "},
      {"  ", "NULL", "301   "},
      {"M N + Kk", "((error) + Kk)", "302 N"},
      {"M +", "(M + (error))", "302 +"},
      {"M + * Kk", "(M + ((error) * Kk))", "302 *"},
      {"* M", "(error M)", "332 *"},
      {"f(M N, Kk) + Zz", "((call:f (error) Kk) + Zz)", "302 N"},
      {"f(M, , Kk)", "(call:f (error) Kk)", "302 ,"},
      {"(M +) * Kk", "((M + (error)) * Kk)", "302 )"},
      {"M, N", "(error)", "302 ,"},
      {"a == not b", "(error)", "302 not"},
      {"a if b else", "(if a b (error))", "302 else"},
      {"2 * (M + N", "(2 * (M + N))", "303 ("},
      {"max(M, (N + 1) * Kk", "(call:max M ((N + 1) * Kk))", "303 ("},
      {"f(a, (b, (c", "(call:f a (tuple b c))", "303 ("},
      {"f(", "(call:f (error))", "303 ("},
      {"2 * (M + ", "(2 * (M + (error)))", "303 ("},
      {"s[0", "(index s 0)", "303 ["},
      {"s[(M + N]", "(index s (M + N))", "303 ("},
      {"s[f(M + ] * Kk", "((index s (call:f (M + (error)))) * Kk)", "303 ("},
      {"{a, b", "(error)", "325 {a, b"},
      {"M) + Kk", "(M + Kk)", "304 )"},
      {"(M] + Kk", "(M + Kk)", "304 ]"},
      {"M $ N + Kk", "((error) + Kk)", "305 $"},
      {"M + $", "(M + (error))", "305 $"},
      {"M; N", "(error)", "305 ;"},
      {"M # elements", "M", "306 # elements"},
      {"M + # elements", "(M + (error))", "302 +; 306 # elements"},
      {"M $ N $ K", "(error)", "305 $; 305 $"},
      {"f(M N) + g(Kk M)", "((call:f (error)) + (call:g (error)))", "302 N; 302 M"},
      {"x is (M N)", "(error)", "318 is"},
      {"a.1", "(error)", "302 .1"},
      {"a.", "(error)", "302 ."},
      {"lambda x", "NULL", "302 x"},
  };
  CHECK(PARSE_EXPRESSION, examples);
}

static void test_shapes(void **state) {
  (void)state;
  static const example examples[] = {
      {"[]", "(shape)", NULL},
      {"[ M , N, ]", "(shape M N)", NULL},
      {"[*S, N // 2]", "(shape (* S) (N // 2))", NULL},
      {"[*broadcast(A, B)]", "(shape (* (call:broadcast A B)))", NULL},
      {"[E, layout.max_m, *S[1:]]", "(shape E (field:max_m layout) (* (slice S 1 _)))", NULL},
      {"Mat[trans_a, M, K]", "(apply:Mat trans_a M K)", NULL},
      {"Mat[]", "(apply:Mat)", NULL},
      {"S", "(error)", "315 S"},
      {"broadcast(A, B / 2)", "(error)", "315 broadcast(A, B / 2)"},
      {"(M, N)", "(error)", "315 (M, N)"},
      {"*S", "NULL", "315 *"},
      {"M, N", "NULL", "315 M"},
      {"[M] + [N]", "NULL", "315 +"},
      {"[M, N", "(shape M N)", "303 ["},
      {"[M, N / 2, Kk", "(shape M (error N 2) Kk)", "303 [; 316 /"},
      {"[M N, Kk]", "(shape (error) Kk)", "302 N"},
      {"[[M], N]", "(shape (error) N)", "326 [M]"},
      {"[f(*S)]", "(shape (call:f (error S)))", "332 *"},
      {"[M = 1, **S]", "(shape (error M 1) (error S))", "320 =; 332 **"},
      {"Mat[*S]", "(apply:Mat (error S))", "332 *"},
      {"[n for n in S]", "(shape (error))", "328 n for n in S"},
      {"[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, *S, 1]",
       "(shape 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 (* S) 1)", NULL},
      {"[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, Kk, 1]",
       "(error 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 Kk 1)", "314 Kk"},
  };
  CHECK(PARSE_SHAPE, examples);
}

static void test_types(void **state) {
  (void)state;
  static const example examples[] = {
      {"Dim", "(union Dim)", NULL},
      {"DType[float16 | bfloat16]", "(union (generic:DType (union float16 bfloat16)))", NULL},
      {"Seq[Int]", "(union (generic:Seq (union Int)))", NULL},
      {"int | tuple[int, int] | 'valid' | None",
       "(union int (generic:tuple (union int) (union int)) 'valid' (none))", NULL},
      {"list[int | None]|tuple[int, ...]",
       "(union (generic:list (union int (none))) (generic:tuple (union int) (...)))", NULL},
      {"torch.device | str", "(union torch.device str)", NULL},
      {"", "NULL", "301 "},
      {"int |", "(union int (error))", "302 |"},
      {"int str | Kk", "(union (error) Kk)", "302 str"},
      {"int | 3 | Kk", "(union int (error) Kk)", "302 3"},
      {"DType[float16", "(union (generic:DType (union float16)))", "303 ["},
      {"list[]", "(union (generic:list (union (error))))", "302 ]"},
      {"int, str", "(union (error))", "302 ,"},
      {"'a | 'b'", "(union (error))", "310 '"},
  };
  CHECK(PARSE_TYPE, examples);
}

/* Every node says where it is and what of it a defect covers. */
static void expect_span(const char *text, const expr *e, const char *whole, const char *at) {
  assert_int_equal(e->end - e->begin, strlen(whole));
  assert_memory_equal(text + e->begin, whole, strlen(whole));
  assert_int_equal(e->at_end - e->at, strlen(at));
  assert_memory_equal(text + e->at, at, strlen(at));
}

static void test_spans(void **state) {
  (void)state;
  const char *t = "(a + b) * conv.out(c, -d)[ 'x' ] .value < 2 if not e else (1, )";
  parsed p = parse(PARSE_EXPRESSION, t);
  assert_string_equal(defects(&p), "");
  const expr *e = p.root;
  expect_span(t, e, t, "if");
  expect_span(t, e->args[1], "not e", "not");
  expect_span(t, e->args[2], "(1, )", "(1, )");
  const expr *less = e->args[0];
  expect_span(t, less, "(a + b) * conv.out(c, -d)[ 'x' ] .value < 2", "<");
  const expr *product = less->args[0];
  expect_span(t, product, "(a + b) * conv.out(c, -d)[ 'x' ] .value", "*");
  expect_span(t, product->args[0], "a + b", "+");
  assert_true(product->args[0]->parenthesized);
  assert_false(product->parenthesized);
  const expr *field = product->args[1];
  expect_span(t, field, "conv.out(c, -d)[ 'x' ] .value", "value");
  const expr *index = field->args[0];
  expect_span(t, index, "conv.out(c, -d)[ 'x' ]", "conv.out(c, -d)[ 'x' ]");
  expect_span(t, index->args[1], "'x'", "'x'");
  expect_span(t, index->args[0], "conv.out(c, -d)", "conv.out");
  expect_span(t, index->args[0]->args[1], "-d", "-");
  assert_int_equal(product->links[0].begin, 8);
  assert_int_equal(product->links[0].end, 9);
  arena_free(p.a);

  t = "a not  in b";
  p = parse(PARSE_EXPRESSION, t);
  expect_span(t, p.root, t, "not  in");
  arena_free(p.a);

  t = "sum(2*n for n in s)";
  p = parse(PARSE_EXPRESSION, t);
  expect_span(t, p.root->args[0], "2*n for n in s", "n");
  arena_free(p.a);
}

/* Places lead back into the source through quotes, escapes and folding. */
static void test_places_in_yaml(void **state) {
  (void)state;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  source *src = source_from_text(a, "t.yaml", STR("flops: \"M\\x20*\\x2a 2\"\nbytes: >\n  M +\n  N / 2\n"));
  bool empty;
  yt_node *root = yt_parse(a, sink, src, &yt_default_limits, &empty);
  assert_non_null(root);
  for (uint32_t i = 1; i < 4; i += 2) {
    expr_text text = {src, root->u.items[i]};
    assert_non_null(parse_text(a, sink, &parse_default_limits, PARSE_EXPRESSION, &text, "test"));
  }
  FILE *f = tmpfile();
  diag_print(sink, f, &(diag_options){.format = DIAG_TEXT});
  rewind(f);
  char line[200];
  assert_non_null(fgets(line, sizeof line, f));
  assert_memory_equal(line, "t.yaml:1:14: error[RL0317]", 26);
  assert_non_null(fgets(line, sizeof line, f));
  assert_non_null(fgets(line, sizeof line, f));
  assert_non_null(strstr(line, "^~~~~\n")); /* `*\x2a` in the source */
  while (strncmp(line, "t.yaml:4:5: error[RL0316]", 25) != 0) assert_non_null(fgets(line, sizeof line, f));
  (void)fclose(f);
  arena_free(a);
}

/* ---- limits and size ---- */

/* `count` times `before`, then `middle`, then `count` times `after`. */
static str repeated(arena *a, uint32_t count, const char *before, const char *middle, const char *after) {
  writer t = {.a = a};
  for (uint32_t i = 0; i < count; i++) put(&t, str_of(before));
  put(&t, str_of(middle));
  for (uint32_t i = 0; i < count; i++) put(&t, str_of(after));
  return (str){t.out.v, t.out.n};
}

static void test_depth(void **state) {
  (void)state;
  static const char *const nestings[][3] = {
      {"(", "1", ")"},
      {"(1 + ", "1", ")"},
      {"f(", "1", ")"},
      {"-", "1", ""},
      {"not ", "a", ""},
      {"a if b else ", "c", ""},
      {"", "s", "[0]"},
      {"", "a", ".b"},
      {"s[", "1", "]"},
      {"(1, ", "1", ")"},
      {"", "s", "[1:2]"},
      {"a ** ", "1", ""},
      {"sum(n for n in ", "s", ")"},
      {"(a and b or c < d + e * ", "f", ")"},
  };
  for (size_t i = 0; i < sizeof nestings / sizeof *nestings; i++) {
    const char *const *n = nestings[i];
    for (uint32_t count = 0; count < 4; count++) {
      static const uint32_t counts[] = {100, 128, 300, 10000};
      arena *a = arena_new();
      str text = repeated(a, counts[count], n[0], n[1], n[2]);
      parsed p = parse_limited(PARSE_EXPRESSION, text, &parse_default_limits);
      const char *found = defects(&p);
      bool refused = strncmp(found, "313 ", 4) == 0 && strchr(found, ';') == NULL;
      bool power = strchr(n[0], '*') != NULL && strstr(n[0], "**") != NULL;
      if (counts[count] > 256 ? (power ? strstr(found, "313 ") == NULL : !refused)
                              : (power ? p.root == NULL : *found != '\0'))
        fail_msg("%u times %s%s%s: %.200s", counts[count], n[0], n[1], n[2], found);
      if (counts[count] <= 256) {
        assert_non_null(p.root);
        assert_true(p.root != NULL && p.root->depth >= counts[count]);
      }
      arena_free(p.a);
      arena_free(a);
    }
  }
}

static void test_depth_is_exact(void **state) {
  (void)state;
  parse_limits limits = {.depth = 3, .identifier = 4, .rank = 2};
  static const struct {
    const char *text, *defects;
  } cases[] = {
      {"((1 + (2))) * ((3))", ""},
      {"((1 + ((2))))", "313 ("},
      {"f(g(h(1)))", ""},
      {"f(g(h(i(1))))", "313 ("},
      {"-(-1)", ""},
      {"-(-(1))", "313 -"},
      {"a.b[0].c", ""},
      {"a.b[0].c.d", "313 d"},
      {"abcd", ""},
      {"abcde + f", "312 abcde"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    parsed p = parse_limited(PARSE_EXPRESSION, str_of(cases[i].text), &limits);
    if (strcmp(defects(&p), cases[i].defects) != 0) fail_msg("%s: %s", cases[i].text, defects(&p));
    arena_free(p.a);
  }
  parsed p = parse_limited(PARSE_SHAPE, STR("[a, *b, c, d]"), &limits);
  assert_string_equal(defects(&p), "314 d");
  arena_free(p.a);
}

/* Long texts take time and memory in proportion to their length; of defects, a thousand are enough. */
static void test_size(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  static const struct {
    const char *before;
    bool good;
  } cases[] = {
      {"M + ", true},
      {"M * 2 - ", true},
      {"a and ", true},
      {"a or ", true},
      {"a < ", true},
      {"a / ", false},
      {"a is b or ", false},
      {"a & ", false},
      {"[(M] or ", false},
      {"$ ", false},
      {"prod(n for n in s) or ", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    arena *a = arena_new();
    str text = repeated(a, COUNT, cases[i].before, "N", "");
    clock_t start = clock();
    parsed p = parse_limited(PARSE_EXPRESSION, text, &parse_default_limits);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (cases[i].good) {
      assert_non_null(p.root);
      assert_int_equal(p.root->n, COUNT + 1);
      assert_int_equal(p.root->depth, 0);
    }
    /* One of two defects of each `[(M]` is inside the other. */
    assert_in_range(diag_errors(p.sink), cases[i].good ? 0 : 501, cases[i].good ? 0 : 1001);
    assert_true(arena_bytes(p.a) < (size_t)100 * text.n);
    if (seconds > 5) fail_msg("%s: %g seconds", cases[i].before, seconds);
    arena_free(p.a);
    arena_free(a);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_true(parse_is_identifier(STR("_a1")));
  assert_false(parse_is_identifier(STR("")));
  assert_false(parse_is_identifier(STR("1a")));
  assert_false(parse_is_identifier(STR("a.b")));
  assert_false(parse_is_identifier(STR("\xc3\xa9")));
  assert_true(parse_is_reserved(STR("inf")));
  assert_true(parse_is_reserved(STR("in")));
  assert_false(parse_is_reserved(STR("into")));
  assert_int_equal(primitive_find(STR("conv.out")), PRIM_CONV_OUT);
  assert_int_equal(primitive_find(STR("conv")), -1);
  assert_string_equal(primitive_get(PRIM_MAX)->keyword, "default");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_precedence), cmocka_unit_test(test_literals),
      cmocka_unit_test(test_refused),    cmocka_unit_test(test_recovery),
      cmocka_unit_test(test_shapes),     cmocka_unit_test(test_types),
      cmocka_unit_test(test_spans),      cmocka_unit_test(test_places_in_yaml),
      cmocka_unit_test(test_depth),      cmocka_unit_test(test_depth_is_exact),
      cmocka_unit_test(test_size),       cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
