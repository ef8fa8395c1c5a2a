/* Printed trees read back as the same trees: chosen ones, random ones, and all of the corpus. */
#include "tests/unit/parsed.h"

#include <math.h>

static bool same(const expr *x, const expr *y) {
  if (x == NULL || y == NULL) return x == y;
  if (x->op != y->op || x->n != y->n || !str_eq(x->name, y->name) || x->positional != y->positional)
    return false;
  switch (x->op) {
  case EX_INT:
    if (x->u.i != y->u.i) return false;
    break;
  case EX_FLOAT:
    if (x->u.f != y->u.f || signbit(x->u.f) != signbit(y->u.f)) return false;
    break;
  case EX_BOOL:
    if (x->u.b != y->u.b) return false;
    break;
  case EX_NAME:
  case EX_STRING:
    if (!str_eq(x->u.s, y->u.s)) return false;
    break;
  default: break;
  }
  for (uint32_t i = 0; i < x->n; i++) {
    if (!same(x->args[i], y->args[i])) return false;
    if (x->links != NULL && i > 0 && x->links[i - 1].op != y->links[i - 1].op) return false;
    if (x->op == EX_CALL && i >= x->positional &&
        !str_eq(x->keywords[i - x->positional], y->keywords[i - x->positional]))
      return false;
  }
  return true;
}

static void check_print(arena *a, parse_form form, const expr *e) {
  str printed = expr_print(a, e);
  parsed p = parse_limited(form, printed, &parse_default_limits);
  if (diag_errors(p.sink) != 0 || !same(e, p.root))
    fail_msg("printed %.*s\n  tree %s\n  read %s\n  diag %s", STR_ARG(printed), sketched(p.a, e),
             sketched(p.a, p.root), defects(&p));
  assert_true(str_eq(expr_print(p.a, p.root), printed));
  arena_free(p.a);
}

static void test_print(void **state) {
  (void)state;
  static const struct {
    parse_form form;
    const char *text, *printed;
  } cases[] = {
      {PARSE_EXPRESSION, "((a)+((b*c)))", "a + b * c"},
      {PARSE_EXPRESSION, "(a+b)*-(c-d)", "(a + b) * -(c - d)"},
      {PARSE_EXPRESSION, "(a<b)==(not c)", "(a < b) == (not c)"},
      {PARSE_EXPRESSION, "a-(b-c)-d", "a - (b - c) - d"},
      {PARSE_EXPRESSION, "((a if b else c)) if d else (e if f else g)",
       "(a if b else c) if d else e if f else g"},
      {PARSE_EXPRESSION, "(1).x + (1.5).x", "(1).x + (1.5).x"},
      {PARSE_EXPRESSION, "\"it's\" + 1_000.0 + 1e+30 + .1", "'it\\'s' + 1000.0 + 1e+30 + 0.1"},
      {PARSE_EXPRESSION, "f((a,),(),(b,c))[1: ][ :-2]", "f((a,), (), (b, c))[1:][:-2]"},
      {PARSE_EXPRESSION, "max((n for n in (S)),default=true)", "max(n for n in S, default=True)"},
      {PARSE_SHAPE, "[ *S,(N) ]", "[*S, N]"},
      {PARSE_SHAPE, "Mat [ t,M ]", "Mat[t, M]"},
      {PARSE_TYPE, "int|tuple[ int,... ]|\"x\"|torch . device", "int | tuple[int, ...] | 'x' | torch.device"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    parsed p = parse(cases[i].form, cases[i].text);
    assert_string_equal(defects(&p), "");
    assert_string_equal(arena_cstr(p.a, expr_print(p.a, p.root)), cases[i].printed);
    check_print(p.a, cases[i].form, p.root);
    arena_free(p.a);
  }
}

typedef struct random_trees {
  arena *a;
  uint64_t state;
} random_trees;

static uint32_t draw(random_trees *r, uint32_t below) {
  r->state ^= r->state << 13;
  r->state ^= r->state >> 7;
  r->state ^= r->state << 17;
  return (uint32_t)(r->state >> 33) % below;
}

static expr *grow(random_trees *r, expr_op op, uint32_t n) {
  expr *e = arena_new_of(r->a, expr);
  e->op = (uint8_t)op;
  e->n = n;
  e->args = arena_array(r->a, expr *, n);
  return e;
}

static str random_name(random_trees *r) {
  static const char *const names[] = {"M", "x_1", "layout", "_", "sum", "isin", "Or"};
  return str_of(names[draw(r, sizeof names / sizeof *names)]);
}

static expr *random_leaf(random_trees *r) {
  static const expr_op leaves[] = {EX_INT, EX_FLOAT, EX_BOOL, EX_NONE, EX_STRING, EX_NAME, EX_NAME};
  expr *e = grow(r, leaves[draw(r, sizeof leaves / sizeof *leaves)], 0);
  static const double floats[] = {0,       0.1, 1, 1e22, 1e16, 123456789.125, 5e-324, 1.7976931348623157e308,
                                  INFINITY};
  static const char *const strings[] = {"", "a", "it's", "\"", "\\n", "\n\r\t\x01\x7f", "\xc3\xa9", "'\\'"};
  switch (e->op) {
  case EX_INT: e->u.i = draw(r, 2) ? (int64_t)draw(r, 100) : INT64_MAX - (int64_t)draw(r, 3); break;
  case EX_FLOAT: e->u.f = floats[draw(r, sizeof floats / sizeof *floats)]; break;
  case EX_BOOL: e->u.b = draw(r, 2) != 0; break;
  case EX_STRING: e->u.s = str_of(strings[draw(r, sizeof strings / sizeof *strings)]); break;
  case EX_NAME: e->u.s = random_name(r); break;
  default: break;
  }
  return e;
}

static expr *random_tree(random_trees *r, uint32_t depth);

static void fill(random_trees *r, expr *e, uint32_t depth) {
  for (uint32_t i = 0; i < e->n; i++) e->args[i] = random_tree(r, depth - 1);
}

static expr *random_chain(random_trees *r, expr_op op) {
  static const link_op levels[3][8] = {{OP_ADD, OP_SUB},
                                       {OP_MUL, OP_FLOORDIV, OP_MOD},
                                       {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_NOT_IN}};
  static const uint32_t sizes[] = {2, 3, 8};
  uint32_t level = op == EX_COMPARE ? 2 : draw(r, 2);
  expr *e = grow(r, op, 2 + draw(r, 3));
  if (op == EX_ARITH || op == EX_COMPARE) {
    e->links = arena_array(r->a, expr_link, e->n - 1);
    for (uint32_t i = 0; i + 1 < e->n; i++) e->links[i].op = (uint8_t)levels[level][draw(r, sizes[level])];
  }
  return e;
}

static expr *random_call(random_trees *r, uint32_t depth) {
  static const char *const keywords[] = {"default", "fallback", "k"};
  expr *e = grow(r, EX_CALL, draw(r, 4));
  e->positional = e->n == 0 ? 0 : draw(r, e->n + 1);
  e->name = draw(r, 2) ? random_name(r) : STR("conv.out");
  e->keywords = arena_array(r->a, str, e->n);
  for (uint32_t i = e->positional; i < e->n; i++)
    e->keywords[i - e->positional] = str_of(keywords[i - e->positional]);
  fill(r, e, depth);
  if (e->positional > 0 && draw(r, 3) == 0) {
    static const char *const takers[] = {"all", "sum", "max", "min"};
    e->name = str_of(takers[draw(r, 4)]);
    e->args[0] = grow(r, EX_COMPREHENSION, 2);
    e->args[0]->name = STR("n");
    fill(r, e->args[0], depth);
  }
  return e;
}

static expr *random_tree(random_trees *r, uint32_t depth) {
  static const expr_op ops[] = {EX_TUPLE, EX_NEG, EX_NOT,   EX_ARITH, EX_ARITH, EX_COMPARE, EX_AND,
                                EX_OR,    EX_IF,  EX_INDEX, EX_SLICE, EX_FIELD, EX_CALL};
  if (depth == 0) return random_leaf(r);
  expr_op op = ops[draw(r, sizeof ops / sizeof *ops)];
  expr *e;
  switch (op) {
  case EX_TUPLE: e = grow(r, op, draw(r, 4)); break;
  case EX_ARITH:
  case EX_COMPARE:
  case EX_AND:
  case EX_OR: e = random_chain(r, op); break;
  case EX_INDEX: e = grow(r, op, 2); break;
  case EX_SLICE:
  case EX_IF: e = grow(r, op, 3); break;
  case EX_CALL: return random_call(r, depth);
  default: e = grow(r, op, 1); break;
  }
  if (op == EX_FIELD) e->name = random_name(r);
  fill(r, e, depth);
  if (op == EX_SLICE) e->args[1 + draw(r, 2)] = NULL;
  return e;
}

static void test_print_random(void **state) {
  (void)state;
  random_trees r = {.state = 20240607};
  for (int i = 0; i < 20000; i++) {
    r.a = arena_new();
    if (i % 4 == 0) {
      expr *shape = grow(&r, i % 8 == 0 ? EX_SHAPE : EX_APPLY, draw(&r, 4));
      fill(&r, shape, 3);
      if (shape->op == EX_APPLY) shape->name = STR("Fam");
      for (uint32_t k = 0; shape->op == EX_SHAPE && k < shape->n; k++) {
        if (draw(&r, 2)) continue;
        expr *splice = grow(&r, EX_SPLICE, 1);
        splice->args[0] = shape->args[k];
        shape->args[k] = splice;
      }
      check_print(r.a, PARSE_SHAPE, shape);
    } else {
      check_print(r.a, PARSE_EXPRESSION, random_tree(&r, 1 + draw(&r, 4)));
    }
    arena_free(r.a);
  }
}

/* ---- the corpus ---- */

typedef struct corpus {
  arena *a;
  diag_sink *sink;
  source *src;
  uint32_t shapes, types, expressions;
} corpus;

static void corpus_text(corpus *c, parse_form form, const yt_node *n) {
  if (n->kind != YT_SCALAR || n->type == YT_BOOL) return; /* optional: true */
  expr_text text = {c->src, n};
  expr *e = parse_text(c->a, c->sink, &parse_default_limits, form, &text, "corpus");
  assert_non_null(e);
  check_print(c->a, form, e);
  *(form == PARSE_SHAPE ? &c->shapes : form == PARSE_TYPE ? &c->types : &c->expressions) += 1;
}

static void corpus_walk(corpus *c, const yt_node *n, const char *above);

static void corpus_pair(corpus *c, const yt_node *key, const yt_node *value, const char *above) {
  static const struct {
    const char *key;
    parse_form form;
  } keys[] = {{"shape", PARSE_SHAPE},         {"is", PARSE_SHAPE},
              {"dtype", PARSE_EXPRESSION},    {"type", PARSE_TYPE},
              {"optional", PARSE_EXPRESSION}, {"nullable", PARSE_EXPRESSION},
              {"mutated", PARSE_EXPRESSION},  {"values", PARSE_EXPRESSION},
              {"flops", PARSE_EXPRESSION},    {"bytes", PARSE_EXPRESSION},
              {"invariant", PARSE_EXPRESSION}};
  static const struct {
    const char *above;
    parse_form form;
  } sections[] = {{"forall", PARSE_TYPE}, {"let", PARSE_EXPRESSION}, {"formals", PARSE_TYPE}};
  char name[64];
  (void)snprintf(name, sizeof name, "%.*s", STR_ARG(yt_text(key)));
  if (strcmp(name, "workloads") == 0 || strcmp(name, "composition") == 0) return;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (strcmp(above, sections[i].above) == 0) corpus_text(c, sections[i].form, value);
  bool list = strcmp(name, "requires") == 0 || strcmp(name, "shape_rules") == 0;
  for (uint32_t i = 0; list && value->kind == YT_SEQUENCE && i < value->n; i++)
    corpus_text(c, PARSE_EXPRESSION, value->u.items[i]);
  bool table = strcmp(above, "forall") == 0 || strcmp(above, "let") == 0 || strcmp(above, "formals") == 0;
  for (size_t i = 0; !table && i < sizeof keys / sizeof *keys; i++)
    if (strcmp(name, keys[i].key) == 0) corpus_text(c, keys[i].form, value);
  bool formals =
      strcmp(name, "params") == 0 && yt_get(value, "type", NULL) == NULL && strcmp(above, "family") == 0;
  corpus_walk(c, value, formals ? "formals" : strcmp(above, "types") == 0 ? "family" : name);
}

static void corpus_walk(corpus *c, const yt_node *n, const char *above) {
  if (n->kind == YT_SCALAR) return;
  for (uint32_t i = 0; i < (n->kind == YT_MAPPING ? 2 * n->n : n->n); i++) {
    if (n->kind == YT_SEQUENCE) {
      corpus_walk(c, n->u.items[i], above);
    } else {
      corpus_pair(c, n->u.items[i], n->u.items[i + 1], above);
      i++;
    }
  }
}

static void test_corpus(void **state) {
  (void)state;
  static const char *const files[] = {"attention",
                                      "attention_indexing",
                                      "convolution",
                                      "elementwise_binary",
                                      "elementwise_fused_gated",
                                      "elementwise_generative",
                                      "fft",
                                      "gemm",
                                      "gemm_bmm",
                                      "mamba",
                                      "moe",
                                      "norm",
                                      "reduction",
                                      "rope",
                                      "types"};
  corpus c = {0};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    c.a = arena_new();
    c.sink = diag_sink_new(c.a);
    str why = {0};
    str path = arena_printf(c.a, "%s/corpus/%s.yaml", SHARED_DIR, files[i]);
    c.src = source_read(c.a, arena_cstr(c.a, path), 1u << 26, &why);
    if (c.src == NULL && i == 0) {
      print_message("skipped: no corpus: %.*s\n", STR_ARG(why));
      skip();
    }
    assert_non_null(c.src);
    bool empty;
    yt_node *root = yt_parse(c.a, c.sink, c.src, &yt_default_limits, &empty);
    assert_non_null(root);
    corpus_walk(&c, root, "");
    if (diag_errors(c.sink) != 0) diag_print(c.sink, stderr, &(diag_options){.format = DIAG_TEXT});
    assert_int_equal(diag_errors(c.sink), 0);
    arena_free(c.a);
  }
  /* As many as a walk with PyYAML counts: nothing was passed over. */
  assert_int_equal(c.shapes, 506);
  assert_int_equal(c.types, 754);
  assert_int_equal(c.expressions, 898);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_print_random),
      cmocka_unit_test(test_corpus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
