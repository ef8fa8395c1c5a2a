/* A Seq[Int] index written as a call of a value primitive over integer literals: "repeat(512, 4)". */
#include "compiler/kinds.h"
#include "compiler/rows.h"

static bool only_literals(const expr *e) {
  if (e->op == EX_INT) return true;
  if (e->op == EX_NEG || e->op == EX_TUPLE || e->op == EX_CALL) {
    for (uint32_t i = 0; i < e->n; i++)
      if (!only_literals(e->args[i])) return false;
    return true;
  }
  return false;
}

bool rows_list_call(rows *r, const index_decl *x, const yt_node *node, value *out) {
  formula f = {.state = FACT_VALID, .text = {r->e->src, node}};
  f.what = arena_cstr(r->scratch, arena_printf(r->scratch, "index '%.*s'", STR_ARG(x->name)));
  f.root = parse_text(r->a, r->sink, &parse_default_limits, PARSE_EXPRESSION, &f.text, f.what);
  if (f.root == NULL || f.root->op == EX_ERROR) return false;
  bool literal = f.root->op == EX_CALL && only_literals(f.root);
  const kind *k = literal ? kinds_check_value(r->a, r->sink, &f) : NULL;
  if (literal && !f.judged) return false; /* reported */
  if (!literal || !kind_is(k, K_SEQ | K_SHAPE)) {
    diag_add(r->sink, ROW_VALUE, yt_value_span(r->e->src, node),
             "a list, or a call of a primitive that gives one over integer literals, wanted for '%.*s'",
             STR_ARG(x->name));
    return false;
  }
  *out = fold_formula(&r->j->c, &f);
  return out->tag == V_SEQ; /* a failure was reported by the folder */
}
