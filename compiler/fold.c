/* Evaluation and folding of expressions. language.md §4 and §6 "Folding at a point". */
#include "compiler/fold.h"

#include <math.h>
#include <string.h>

#include "roofline/primitive.h"

/* ---- sets ---- */

symbol_set set_new(arena *a, uint32_t symbols) {
  uint32_t words = symbols / 64 + 1;
  return (symbol_set){arena_array(a, uint64_t, words), words};
}

void set_clear(symbol_set s) { memset(s.bits, 0, s.words * sizeof *s.bits); }

void set_union(symbol_set to, symbol_set from) {
  for (uint32_t i = 0; i < to.words; i++) to.bits[i] |= from.bits[i];
}

/* ---- the folder ---- */

fold fold_new(arena *a, diag_sink *sink, const entry *e) {
  fold c = {.a = a, .keep = a, .sink = sink, .e = e, .fuel = 100000000};
  c.max_depth = MOST_EVAL_DEPTH;
  c.max_families = MOST_FAMILY_DEPTH;
  c.slots = arena_array(a, value, e->symbol_count + 1);
  c.lets = arena_array(a, fold_memo, e->let_count + 1);
  c.conditions = arena_array(a, fold_memo, e->tensor_count + 1);
  c.reads = set_new(a, e->symbol_count);
  c.reported = arena_new_of(a, formula_list);
  for (uint32_t i = 0; i < e->let_count; i++) c.lets[i].reads = set_new(a, e->symbol_count);
  for (uint32_t i = 0; i < e->tensor_count; i++)
    if (e->tensors[i].presence == PRESENT_IF) c.conditions[i].reads = set_new(a, e->symbol_count);
  return c;
}

void fold_forget(fold *c) {
  for (uint32_t i = 0; i < c->e->let_count; i++) c->lets[i].state = MEMO_FRESH;
  for (uint32_t i = 0; i < c->e->tensor_count; i++) c->conditions[i].state = MEMO_FRESH;
}

static const value unknown = {.tag = V_UNKNOWN};

bool fold_failure_known(const fold *c) {
  for (uint32_t i = 0; i < c->reported->n; i++)
    if (c->reported->v[i] == c->failed_in) return true;
  return false;
}

bool value_closed(const value *v) {
  if (v->tag == V_UNKNOWN) return false;
  if (v->tag == V_ADT) return v->n == 0;
  if (v->tag == V_MIXED)
    for (uint32_t i = 0; i < v->n; i++)
      if (!value_closed(&v->u.items[i])) return false;
  return true;
}

value fold_fail(fold *c, const expr *e, roofline_status status) {
  if (c->status == ROOFLINE_OK) {
    c->status = status;
    c->failed_in = c->f;
  }
  if (c->sink == NULL) return unknown;
  vec_push(c->keep, c->reported, c->f);
  str text = expr_print(c->a, e);
  if (text.n > 60) text = arena_printf(c->a, "%.*s..", 57, text.p);
  const char *why = status == ROOFLINE_E_OVERFLOW ? "overflows 64 bits" : "is outside its domain";
  diag_add(c->sink, EVALUATION_FAILS, expr_whole(&c->f->text, e), "'%.*s' %s in %s", STR_ARG(text), why,
           c->f->what);
  return unknown;
}

/* A sequence of items: plain integers where they all are, else item by item. */
value fold_sequence(fold *c, const value *items, uint32_t n) {
  bool integers = true;
  for (uint32_t i = 0; i < n; i++) integers = integers && items[i].tag == V_INT;
  if (!integers) return (value){.tag = V_MIXED, .n = n, .u.items = items};
  int64_t *plain = arena_array(c->a, int64_t, n + 1);
  for (uint32_t i = 0; i < n; i++) plain[i] = items[i].u.i;
  return value_seq(roofline_seq_of(plain, n));
}

/* ---- names ---- */

/* Folds something once and keeps its value and what it read. */
static value fold_memoized(fold *c, fold_memo *m, const formula *f, const expr *e, const fold_scope *scope) {
  if (m->state == MEMO_BUSY) return unknown; /* a cycle, reported where it is declared */
  if (m->state == MEMO_FRESH) {
    fold inner = *c;
    if (m->reads.bits == NULL)
      m->reads = set_new(c->a, c->e->symbol_count); /* a formal's: as long as its scope */
    set_clear(m->reads);
    m->state = MEMO_BUSY;
    inner.reads = m->reads;
    inner.f = f;
    inner.scope = scope;
    inner.vars = NULL;
    m->v = fold_expr(&inner, e);
    m->state = MEMO_DONE;
    c->status = inner.status;
    c->failed_in = inner.failed_in;
    c->fuel = inner.fuel;
    c->exhausted = inner.exhausted;
    c->too_deep = inner.too_deep;
  }
  set_union(c->reads, m->reads);
  return m->v;
}

static value fold_let(fold *c, uint32_t number) {
  const let_decl *l = &c->e->lets[number];
  if (l->formula.root == NULL || !l->formula.judged) return unknown;
  return fold_memoized(c, &c->lets[number], &l->formula, l->formula.root, NULL);
}

static value fold_name(fold *c, const expr *e) {
  for (const fold_variable *v = c->vars; v != NULL; v = v->outer)
    if (str_eq(v->name, e->u.s)) return v->v;
  if (e->symbol < 0) { /* a dtype's own name in a `dtype` field */
    roofline_dtype t = roofline_dtype_find(e->u.s.p, e->u.s.n);
    return t == ROOFLINE_DTYPE_NONE ? unknown : value_dtype(t);
  }
  if (c->scope != NULL)
    return fold_memoized(c, &c->scope->memo[e->symbol], c->scope->outer_text, c->scope->args[e->symbol],
                         c->scope->outer);
  const symbol *s = &c->e->symbols[e->symbol];
  if (s->cls == SYM_LET) return fold_let(c, s->number);
  value v = c->slots[e->symbol];
  if (!value_closed(&v)) set_add(c->reads, (uint32_t)e->symbol);
  return v;
}

int fold_present(fold *c, uint32_t tensor) {
  const tensor_decl *t = &c->e->tensors[tensor];
  switch (t->presence) {
  case PRESENT_ALWAYS: return 1;
  case PRESENT_OPTIONAL: {
    value v = c->slots[t->symbol];
    return v.tag == V_BOOL ? v.u.b : -1;
  }
  case PRESENT_IF: break;
  }
  if (t->condition.root == NULL || !t->condition.judged) return -1;
  value v = fold_memoized(c, &c->conditions[tensor], &t->condition, t->condition.root, NULL);
  return v.tag == V_BOOL ? v.u.b : -1;
}

/* ---- arithmetic and comparison ---- */

static double as_double(const value *v) { return v->tag == V_INT ? (double)v->u.i : v->u.f; }

static value arith_float(fold *c, const expr *e, uint8_t op, double a, double b) {
  switch (op) {
  case OP_ADD: return value_float(a + b);
  case OP_SUB: return value_float(a - b);
  case OP_MUL: return value_float(a * b);
  default: break;
  }
  if (b == 0) return fold_fail(c, e, ROOFLINE_E_DOMAIN);
  double q = floor(a / b);
  return value_float(op == OP_FLOORDIV ? q : a - q * b);
}

static value arith(fold *c, const expr *e, uint8_t op, const value *a, const value *b) {
  if (a->tag != V_INT || b->tag != V_INT) {
    bool numbers = (a->tag == V_INT || a->tag == V_FLOAT) && (b->tag == V_INT || b->tag == V_FLOAT);
    return numbers ? arith_float(c, e, op, as_double(a), as_double(b)) : unknown;
  }
  roofline_status status = ROOFLINE_OK;
  int64_t r = 0;
  switch (op) {
  case OP_ADD: r = roofline_add(&status, a->u.i, b->u.i); break;
  case OP_SUB: r = roofline_sub(&status, a->u.i, b->u.i); break;
  case OP_MUL: r = roofline_mul(&status, a->u.i, b->u.i); break;
  case OP_FLOORDIV: r = roofline_floordiv(&status, a->u.i, b->u.i); break;
  default: r = roofline_mod(&status, a->u.i, b->u.i); break;
  }
  return status == ROOFLINE_OK ? value_int(r) : fold_fail(c, e, status);
}

static value fold_arith(fold *c, const expr *e) {
  value acc = fold_expr(c, e->args[0]);
  for (uint32_t i = 1; i < e->n; i++) {
    value v = fold_expr(c, e->args[i]);
    acc = value_known(&acc) && value_known(&v) ? arith(c, e, e->links[i - 1].op, &acc, &v) : unknown;
  }
  return acc;
}

static value fold_neg(fold *c, const expr *e) {
  value v = fold_expr(c, e->args[0]);
  if (v.tag == V_FLOAT) return value_float(-v.u.f);
  if (v.tag != V_INT) return unknown;
  roofline_status status = ROOFLINE_OK;
  int64_t r = roofline_neg(&status, v.u.i);
  return status == ROOFLINE_OK ? value_int(r) : fold_fail(c, e, status);
}

static bool is_number(const value *v) { return v->tag == V_INT || v->tag == V_FLOAT; }

static int compare_sequences(fold *c, const value *a, const value *b) {
  if (a->tag == V_SEQ && b->tag == V_SEQ) return roofline_seq_cmp(a->u.q, b->u.q);
  (void)c;
  return 2;
}

static value fold_order(fold *c, uint8_t op, const value *a, const value *b) {
  int r;
  if (is_number(a) && is_number(b)) {
    roofline_value x = value_to_runtime(c, a), y = value_to_runtime(c, b);
    r = roofline_number_cmp(&x, &y);
  } else {
    r = compare_sequences(c, a, b);
  }
  if (r == 2) return value_bool(false);
  switch (op) {
  case OP_LT: return value_bool(r < 0);
  case OP_LE: return value_bool(r <= 0);
  case OP_GT: return value_bool(r > 0);
  default: return value_bool(r >= 0);
  }
}

/* Membership: a known match decides; an unknown item leaves it open. */
static value fold_in(const value *x, const value *s) {
  if (s->tag == V_SEQ) return value_bool(x->tag == V_INT && roofline_seq_contains(s->u.q, x->u.i));
  bool open = false;
  for (uint32_t i = 0; s->tag == V_MIXED && i < s->n; i++) {
    if (!value_closed(&s->u.items[i]))
      open = true;
    else if (value_eq(x, &s->u.items[i]))
      return value_bool(true);
  }
  return open ? unknown : value_bool(false);
}

static value fold_link(fold *c, uint8_t op, const value *a, const value *b) {
  if (op == OP_IN || op == OP_NOT_IN) {
    if (!value_closed(a) || !value_known(b)) return unknown;
    value v = fold_in(a, b);
    return v.tag == V_BOOL && op == OP_NOT_IN ? value_bool(!v.u.b) : v;
  }
  if (!value_closed(a) || !value_closed(b)) return unknown;
  if (op == OP_EQ) return value_bool(value_eq(a, b));
  if (op == OP_NE) return value_bool(!value_eq(a, b));
  return fold_order(c, op, a, b);
}

/* A chain is an `and` of its links: one that is false decides, unless an open one stands before it. */
static value fold_compare(fold *c, const expr *e) {
  bool open = false;
  value left = fold_expr(c, e->args[0]);
  for (uint32_t i = 1; i < e->n; i++) {
    value right = fold_expr(c, e->args[i]);
    value v = fold_link(c, e->links[i - 1].op, &left, &right);
    if (v.tag == V_BOOL && !v.u.b) return open ? unknown : v;
    if (v.tag != V_BOOL) open = true;
    left = right;
  }
  return open ? unknown : value_bool(true);
}

/* Operands that do not decide are dropped; the first that does ends the walk, behind the open ones. */
static value fold_logic(fold *c, const expr *e) {
  bool decides = e->op == EX_OR, open = false;
  for (uint32_t i = 0; i < e->n; i++) {
    value v = fold_expr(c, e->args[i]);
    if (v.tag != V_BOOL)
      open = true;
    else if (v.u.b == decides)
      return open ? unknown : v;
  }
  return open ? unknown : value_bool(!decides);
}

static value fold_if(fold *c, const expr *e) {
  value test = fold_expr(c, e->args[1]);
  if (test.tag == V_BOOL) return fold_expr(c, e->args[test.u.b ? 0 : 2]);
  fold_expr(c, e->args[0]);
  fold_expr(c, e->args[2]);
  return unknown;
}

/* ---- access ---- */

static value fold_index(fold *c, const expr *e) {
  value s = fold_expr(c, e->args[0]), i = fold_expr(c, e->args[1]);
  if (i.tag != V_INT || !value_known(&s)) return unknown;
  if (s.tag == V_MIXED) {
    int64_t at = i.u.i < 0 ? i.u.i + s.n : i.u.i;
    return at < 0 || at >= s.n ? fold_fail(c, e, ROOFLINE_E_DOMAIN) : s.u.items[at];
  }
  if (s.tag != V_SEQ) return unknown;
  int64_t at = i.u.i < 0 ? i.u.i + s.u.q.len : i.u.i;
  if (at >= 0 && at < s.u.q.len && roofline_seq_absent(&s.u.q, at)) return value_none();
  roofline_status status = ROOFLINE_OK;
  int64_t item = roofline_seq_at(&status, s.u.q, i.u.i);
  return status == ROOFLINE_OK ? value_int(item) : fold_fail(c, e, status);
}

static value fold_slice(fold *c, const expr *e) {
  value s = fold_expr(c, e->args[0]);
  value from = e->args[1] == NULL ? value_int(0) : fold_expr(c, e->args[1]);
  value to = e->args[2] == NULL ? value_int(INT64_MAX) : fold_expr(c, e->args[2]);
  if (from.tag != V_INT || to.tag != V_INT) return unknown;
  if (s.tag == V_SEQ) return value_seq(roofline_seq_slice(s.u.q, from.u.i, to.u.i));
  if (s.tag != V_MIXED) return unknown;
  /* Python's rule: negative bounds count from the end, both are clamped. */
  int64_t n = s.n, a = from.u.i < 0 ? from.u.i + n : from.u.i, b = to.u.i < 0 ? to.u.i + n : to.u.i;
  a = a < 0 ? 0 : a > n ? n : a;
  b = b < a ? a : b > n ? n : b;
  return fold_sequence(c, s.u.items + a, (uint32_t)(b - a));
}

static value adt_field_value(const kind *k, int64_t raw) {
  if (kind_is(k, K_BOOL)) return value_bool(raw != 0);
  if (kind_is(k, K_ENUM))
    return raw >= 0 && (uint32_t)raw < k->member_count ? value_string(k->members[raw]) : unknown;
  return value_int(raw);
}

static value fold_adt_field(const expr *e, const kind *base, const value *v) {
  if (base == NULL || base->adt == NULL) return unknown;
  const adt_ctor *ctor = &base->adt->ctors[v->u.adt->ctor];
  if (str_is(e->name, "kind")) return value_string(ctor->name);
  for (uint32_t i = 0; i < ctor->field_count; i++)
    if (str_eq(ctor->fields[i].name, e->name))
      return (v->n >> i & 1) != 0 ? unknown : adt_field_value(ctor->fields[i].kind, v->u.adt->fields[i]);
  return unknown; /* off its branch: refused by kinds */
}

static value fold_field(fold *c, const expr *e) {
  value v = fold_expr(c, e->args[0]);
  if (str_is(e->name, "value") && v.tag != V_ADT)
    return v.tag == V_NONE ? fold_fail(c, e, ROOFLINE_E_DOMAIN) : v;
  if (v.tag != V_ADT) return unknown;
  return fold_adt_field(e, e->args[0]->kind, &v);
}

static value fold_tuple(fold *c, const expr *e) {
  if (!fold_spend(c, 4 * (uint64_t)e->n)) return unknown; /* as take_element */
  value *items = arena_array(c->a, value, e->n + 1);
  for (uint32_t i = 0; i < e->n; i++) items[i] = fold_expr(c, e->args[i]);
  return fold_sequence(c, items, e->n);
}

/* Walks a comprehension's sequence; `take` gets each element's value, and ends the walk with false. */
static bool each_element(fold *c, const expr *e, bool (*take)(void *, const value *), void *to) {
  value s = fold_expr(c, e->args[1]);
  fold_variable var = {e->name, unknown, c->vars};
  int64_t n = s.tag == V_MIXED ? s.n : s.tag == V_SEQ ? s.u.q.len : -1;
  roofline_status status = ROOFLINE_OK;
  if (s.tag == V_SEQ) roofline_seq_len_walkable(&status, s.u.q);
  if (status != ROOFLINE_OK || (n > 0 && (uint64_t)n > c->fuel)) {
    if (c->exhausted == NULL) c->exhausted = c->f;
    return false;
  }
  c->vars = &var;
  bool more = n >= 0;
  if (!more) fold_expr(c, e->args[0]); /* for what it reads */
  for (int64_t i = 0; i < n && more && c->exhausted == NULL; i++) {
    if (s.tag == V_MIXED)
      var.v = s.u.items[i];
    else
      var.v = roofline_seq_absent(&s.u.q, i) ? value_none() : value_int(roofline_seq_item(&s.u.q, i));
    value v = fold_expr(c, e->args[0]);
    more = c->exhausted == NULL && take(to, &v);
  }
  c->vars = var.outer;
  return more && c->exhausted == NULL;
}

/* Elements as plain integers while they are, as values from the first that is not. */
typedef struct elements {
  fold *c;
  VEC(int64_t) plain;
  VEC(value) mixed;
} elements;

static bool take_element(void *to, const value *v) {
  elements *x = to;
  fold_spend(x->c, 16); /* what is kept costs more than what is only looked at: steps bound memory too */
  if (v->tag == V_INT && x->mixed.n == 0) {
    vec_push(x->c->a, &x->plain, v->u.i);
    return true;
  }
  for (uint32_t i = x->mixed.n; i < x->plain.n; i++) vec_push(x->c->a, &x->mixed, value_int(x->plain.v[i]));
  x->plain.n = 0;
  vec_push(x->c->a, &x->mixed, *v);
  return true;
}

static value fold_comprehension(fold *c, const expr *e) {
  elements x = {.c = c};
  if (!each_element(c, e, take_element, &x)) return unknown;
  if (x.mixed.n > 0) return (value){.tag = V_MIXED, .n = x.mixed.n, .u.items = x.mixed.v};
  static const int64_t none = 0;
  return value_seq(roofline_seq_of(x.plain.n > 0 ? x.plain.v : &none, x.plain.n));
}

/* all(f(x) for x in s): the first that is false decides, unless an open one stands before it. */
static bool take_condition(void *to, const value *v) {
  value *all = to;
  if (v->tag != V_BOOL) *all = unknown;
  if (v->tag == V_BOOL && !v->u.b && all->tag == V_BOOL) *all = *v;
  return all->tag != V_BOOL || all->u.b;
}

value fold_all(fold *c, const expr *comprehension) {
  value all = value_bool(true);
  bool walked = each_element(c, comprehension, take_condition, &all);
  return walked || (all.tag == V_BOOL && !all.u.b) ? all : unknown;
}

bool fold_spend(fold *c, uint64_t steps) {
  if (c->exhausted != NULL) return false;
  if (c->fuel < steps) c->exhausted = c->f;
  c->fuel -= c->fuel < steps ? c->fuel : steps;
  return c->exhausted == NULL;
}

static value fold_op(fold *c, const expr *e) {
  switch ((expr_op)e->op) {
  case EX_INT: return value_int(e->u.i);
  case EX_FLOAT: return value_float(e->u.f);
  case EX_BOOL: return value_bool(e->u.b);
  case EX_NONE: return value_none();
  case EX_STRING: return value_string(e->u.s);
  case EX_NAME: return fold_name(c, e);
  case EX_TUPLE: return fold_tuple(c, e);
  case EX_NEG: return fold_neg(c, e);
  case EX_NOT: {
    value v = fold_expr(c, e->args[0]);
    return v.tag == V_BOOL ? value_bool(!v.u.b) : unknown;
  }
  case EX_ARITH: return fold_arith(c, e);
  case EX_COMPARE: return fold_compare(c, e);
  case EX_AND:
  case EX_OR: return fold_logic(c, e);
  case EX_IF: return fold_if(c, e);
  case EX_INDEX: return fold_index(c, e);
  case EX_SLICE: return fold_slice(c, e);
  case EX_FIELD: return fold_field(c, e);
  case EX_CALL: return fold_call(c, e);
  case EX_COMPREHENSION: return fold_comprehension(c, e);
  default: return unknown;
  }
}

bool fold_enter(fold *c) {
  if (!fold_spend(c, 1)) return false;
  c->too_deep = c->depth >= c->max_depth;
  if (c->too_deep) c->exhausted = c->f;
  if (!c->too_deep) c->depth++;
  return !c->too_deep;
}

value fold_expr(fold *c, const expr *e) {
  if (!fold_enter(c)) return unknown;
  const value v = fold_op(c, e);
  c->depth--;
  return v;
}

value fold_formula(fold *c, const formula *f) {
  if (f->root == NULL || !f->judged) return unknown;
  c->f = f;
  c->scope = NULL;
  c->vars = NULL;
  return fold_expr(c, f->root);
}
