/* Solving indices by unification. language.md §6 "Inference". */
#include "compiler/solve.h"

#include <string.h>

#include "roofline/checked.h"

symbol_set solve_start(arena *a, const entry *e) {
  symbol_set known = set_new(a, e->symbol_count);
  for (uint32_t i = 0; i < e->symbol_count; i++) {
    const symbol *s = &e->symbols[i];
    /* A malformed index, which is reported, keeps nothing else from being solved. */
    bool malformed = s->state != FACT_VALID || s->kind == NULL || kind_may(s->kind, K_UNKNOWN);
    if (s->cls != SYM_INDEX || malformed) set_add(known, i);
  }
  return known;
}

static const axis_reading axis_other = {AXIS_OTHER, 0, 0};
static const axis_reading axis_known = {AXIS_KNOWN, 0, 0};

/* Does e, folded here, read only what is known? */
static bool reads_known(fold *c, const expr *e, symbol_set known, value *v) {
  symbol_set outer = c->reads;
  c->reads = set_new(c->a, c->e->symbol_count);
  fold_spend(c, c->reads.words);
  *v = fold_expr(c, e);
  bool all = true;
  for (uint32_t i = 0; i < c->reads.words; i++) all = all && (c->reads.bits[i] & ~known.bits[i]) == 0;
  c->reads = outer;
  return all;
}

static axis_reading read_any(fold *c, const expr *e, symbol_set known) {
  value v;
  return reads_known(c, e, known, &v) ? axis_known : axis_other;
}

static axis_reading read_axis(fold *c, const expr *e, symbol_set known);

static axis_reading read_product(fold *c, const expr *e, uint32_t at, axis_reading left, axis_reading right,
                                 symbol_set known) {
  if (left.form == AXIS_KNOWN && right.form == AXIS_KNOWN) return axis_known;
  bool left_linear = left.form == AXIS_LINEAR && right.form == AXIS_KNOWN;
  if (!left_linear && !(left.form == AXIS_KNOWN && right.form == AXIS_LINEAR)) return axis_other;
  /* The other factor must be a positive integer literal, at this point. */
  if (!left_linear && at != 1) return axis_other;
  value v;
  reads_known(c, e->args[left_linear ? at : 0], known, &v);
  if (v.tag != V_INT || v.u.i <= 0) return axis_other;
  axis_reading r = left_linear ? left : right;
  return roofline_mul_overflows(r.factor, v.u.i, &r.factor) ? axis_other : r;
}

static axis_reading read_arith(fold *c, const expr *e, symbol_set known) {
  axis_reading acc = read_axis(c, e->args[0], known);
  for (uint32_t i = 1; i < e->n; i++) {
    axis_reading r = read_axis(c, e->args[i], known);
    uint8_t op = e->links[i - 1].op;
    if (acc.form == AXIS_KNOWN && r.form == AXIS_KNOWN) continue;
    if (op == OP_ADD && acc.form == AXIS_KNOWN && r.form == AXIS_LINEAR)
      acc = r;
    else if ((op == OP_ADD || op == OP_SUB) && acc.form == AXIS_LINEAR && r.form == AXIS_KNOWN)
      continue;
    else if (op == OP_MUL)
      acc = read_product(c, e, i, acc, r, known);
    else
      return axis_other;
    if (acc.form == AXIS_OTHER) return acc;
  }
  return acc;
}

static axis_reading read_name(fold *c, const expr *e, symbol_set known) {
  if (e->symbol < 0) return read_any(c, e, known);
  if (c->scope != NULL) {
    const fold_scope *scope = c->scope;
    const formula *f = c->f;
    c->scope = scope->outer;
    c->f = scope->outer_text;
    axis_reading r = read_axis(c, scope->args[e->symbol], known);
    c->scope = scope;
    c->f = f;
    return r;
  }
  const symbol *s = &c->e->symbols[e->symbol];
  if (s->cls != SYM_INDEX || s->kind == NULL || !kind_is(s->kind, K_DIM)) return read_any(c, e, known);
  if (set_has(known, (uint32_t)e->symbol)) return axis_known;
  return (axis_reading){AXIS_LINEAR, (uint32_t)e->symbol, 1};
}

static axis_reading read_op(fold *c, const expr *e, symbol_set known) {
  switch (e->op) {
  case EX_INT: return axis_known;
  case EX_NAME: return read_name(c, e, known);
  case EX_ARITH: return read_arith(c, e, known);
  case EX_IF: {
    value test;
    reads_known(c, e->args[1], known, &test);
    if (test.tag == V_BOOL) return read_axis(c, e->args[test.u.b ? 0 : 2], known);
    return read_any(c, e, known);
  }
  default: return read_any(c, e, known);
  }
}

/* A formal may stand for an argument that names a formal twice, and so on: only steps bound that. */
static axis_reading read_axis(fold *c, const expr *e, symbol_set known) {
  if (!fold_enter(c)) return axis_other;
  const axis_reading r = read_op(c, e, known);
  c->depth--;
  return r;
}

axis_reading solve_read_axis(fold *c, const expr *axis, symbol_set known) {
  return read_axis(c, axis, known);
}

/* ---- one tensor ---- */

/* The Shape index that a splice names and that is not known yet, or -1. */
static int32_t unknown_splice(fold *c, const expr *e, const fold_scope *scope, symbol_set known) {
  while (e->op == EX_NAME && scope != NULL && e->symbol >= 0) {
    e = scope->args[e->symbol];
    scope = scope->outer;
  }
  if (e->op != EX_NAME || e->symbol < 0 || scope != NULL) return -1;
  const symbol *s = &c->e->symbols[e->symbol];
  bool shape = s->cls == SYM_INDEX && s->kind != NULL && kind_is(s->kind, K_SHAPE);
  return shape && !set_has(known, (uint32_t)e->symbol) ? e->symbol : -1;
}

typedef struct solving {
  fold *c;
  symbol_set known;
  const symbol_set *except;
  const roofline_shape *actual;
  bool progress;
} solving;

static bool may_solve(const solving *s, uint32_t id) { return s->except == NULL || !set_has(*s->except, id); }

/* Writes the solved value: (size - rest) / factor, the rest being the axis with the index at 0. */
static void solve_value(solving *s, const expr *axis, const axis_reading *r, int64_t size) {
  fold *c = s->c;
  roofline_status st = ROOFLINE_OK;
  c->slots[r->symbol] = value_int(0);
  for (const fold_scope *scope = c->scope; scope != NULL; scope = scope->outer)
    for (uint32_t i = 0; i < scope->family->formal_count; i++) scope->memo[i].state = MEMO_FRESH;
  fold_forget(c);
  value rest = fold_expr(c, axis);
  int64_t over = rest.tag == V_INT ? roofline_sub(&st, size, rest.u.i) : -1;
  if (st != ROOFLINE_OK || over < 0 || over % r->factor != 0) {
    if (c->status == ROOFLINE_OK) c->status = ROOFLINE_E_DOMAIN;
    over = 0;
  }
  c->slots[r->symbol] = value_int(over / r->factor);
  for (const fold_scope *scope = c->scope; scope != NULL; scope = scope->outer)
    for (uint32_t i = 0; i < scope->family->formal_count; i++) scope->memo[i].state = MEMO_FRESH;
  fold_forget(c);
}

static void solve_one(solving *s, const expr *axis, int64_t at) {
  axis_reading r = solve_read_axis(s->c, axis, s->known);
  if (r.form != AXIS_LINEAR || !may_solve(s, r.symbol)) return;
  if (s->actual != NULL) solve_value(s, axis, &r, s->actual->dims[at]);
  set_add(s->known, r.symbol);
  s->progress = true;
}

/* Length of a splice whose sequence is known, or -1. */
static int64_t splice_length(fold *c, const expr *axis) {
  value v = fold_expr(c, axis->args[0]);
  return v.tag == V_SEQ ? v.u.q.len : -1;
}

static void solve_dtype(solving *s, const tensor_decl *t) {
  const expr *e = t->dtype.root;
  if (e == NULL || !t->dtype.judged || e->op != EX_NAME || e->symbol < 0) return;
  const symbol *sym = &s->c->e->symbols[e->symbol];
  if (sym->cls != SYM_INDEX || set_has(s->known, (uint32_t)e->symbol) || s->actual != NULL) return;
  set_add(s->known, (uint32_t)e->symbol);
  s->progress = true;
}

bool solve_tensor(fold *c, uint32_t tensor, symbol_set known, const symbol_set *except,
                  const roofline_shape *actual) {
  const tensor_decl *t = &c->e->tensors[tensor];
  solving s = {c, known, except, actual, false};
  solve_dtype(&s, t);
  fold_shape found;
  if (fold_find_shape(c, &t->shape, &found) != SHAPE_FOUND) return s.progress;
  symbol_set reads = c->reads;
  c->reads = set_new(c->a, c->e->symbol_count);
  c->f = found.f;
  c->scope = found.scope;
  c->vars = NULL;
  const expr *shape = found.shape;
  /* Axes before the first splice of unknown length count from the left, those behind the last from the
     right. Statically only their number of unknown splices matters. */
  uint32_t first = shape->n, last = shape->n;
  for (uint32_t i = 0; i < shape->n; i++) {
    if (shape->args[i]->op != EX_SPLICE) continue;
    value v;
    if (actual == NULL ? reads_known(c, shape->args[i]->args[0], known, &v)
                       : splice_length(c, shape->args[i]) >= 0)
      continue;
    if (first == shape->n) first = i;
    last = i;
  }
  int64_t at = 0;
  uint32_t end = first == shape->n ? shape->n : first;
  for (uint32_t i = 0; i < end; i++) {
    if (shape->args[i]->op == EX_SPLICE) {
      at += actual != NULL ? splice_length(c, shape->args[i]) : 0;
      continue;
    }
    if (actual == NULL || at < actual->rank) solve_one(&s, shape->args[i], at);
    at++;
  }
  if (first < shape->n) {
    int64_t back = actual != NULL ? actual->rank : 0;
    for (uint32_t i = shape->n; i-- > last + 1;) {
      if (shape->args[i]->op == EX_SPLICE) {
        back -= actual != NULL ? splice_length(c, shape->args[i]) : 0;
        continue;
      }
      back--;
      if (actual == NULL || back >= 0) solve_one(&s, shape->args[i], back);
    }
    int32_t id = unknown_splice(c, shape->args[first]->args[0], found.scope, known);
    if (first == last && id >= 0 && may_solve(&s, (uint32_t)id)) {
      if (actual != NULL) {
        int64_t *dims = arena_array(c->a, int64_t, ROOFLINE_MAX_RANK);
        int64_t n = back > at ? back - at : 0;
        for (int64_t i = 0; i < n; i++) dims[i] = actual->dims[at + i];
        if (back < at && c->status == ROOFLINE_OK) c->status = ROOFLINE_E_DOMAIN;
        c->slots[id] = value_seq(roofline_seq_of(dims, n));
        fold_forget(c);
      }
      set_add(known, (uint32_t)id);
      s.progress = true;
    }
  }
  c->scope = NULL;
  c->reads = reads;
  return s.progress;
}
