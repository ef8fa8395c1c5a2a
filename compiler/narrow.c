/* Guards: what a condition that came out true or false says about the names in it. language.md §3
   "Narrowing". */
#include "compiler/kinds_internal.h"

/* A guard inside a guard inside a guard says little; the bound keeps narrowing linear in the text. */
enum { NARROW_DEPTH = 10 };

/* The fact of a guard that is itself malformed: it may have proven anything about any name. Reads of what
   it may have guarded are not judged, or one defect would cascade (codegen.md §1). */
enum { ANY_NAME = -2 };

static const kind *declared_kind(const infer *c, int32_t name) {
  return c->family != NULL ? c->family->formals[name].kind : c->symbols[name].kind;
}

const kind *fact_kind(const infer *c, int32_t name, const fact_list *facts) {
  for (; facts != NULL; facts = facts->next) {
    if (facts->symbol == name) return facts->kind;
    if (facts->symbol != ANY_NAME) continue;
    const kind *k = kind_without(c->a, declared_kind(c, name), K_NONE);
    bool one_of_several = (k->bits & (k->bits - 1)) != 0;
    return one_of_several || kind_may(k, K_ADT) ? &kind_unknown : k;
  }
  return declared_kind(c, name);
}

static const fact_list *fact_add(infer *c, const fact_list *facts, int32_t name, const kind *k) {
  fact_list *f = arena_new_of(c->a, fact_list);
  *f = (fact_list){name, k, facts};
  return f;
}

static bool is_unknown(const expr *e) { return e->kind != NULL && kind_may(e->kind, K_UNKNOWN); }

/* What present(v) proves when it is `truth`. */
static const fact_list *narrow_presence(infer *c, int32_t name, bool truth, const fact_list *facts) {
  const kind *k = fact_kind(c, name, facts);
  if (!kind_may(k, K_NONE)) return facts;
  if (!truth) return fact_add(c, facts, name, &kind_none);
  /* Where it was proven absent before, no call gets to: what stands there is judged as if it could. */
  const kind *from = kind_is(k, K_NONE) ? declared_kind(c, name) : k;
  return fact_add(c, facts, name, kind_without(c->a, from, K_NONE));
}

int32_t expr_symbol_read(const expr *e) {
  if (e->op == EX_NAME) return e->symbol;
  if (e->op == EX_FIELD && str_is(e->name, "value") && e->args[0]->op == EX_NAME) return e->args[0]->symbol;
  return -1;
}

/* Keeps what one literal can be equal to. Literals that say nothing about a kind keep it whole. */
static const kind *kind_equal_to(arena *a, const kind *k, const expr *literal) {
  kind r = *k;
  r.bits &= ~(uint32_t)K_NONE;
  switch (literal->op) {
  case EX_STRING: {
    roofline_dtype t = roofline_dtype_find(literal->u.s.p, literal->u.s.n);
    r.bits &= K_ENUM | K_DTYPE | K_STR | K_UNKNOWN;
    if (kind_may(&r, K_ENUM) && kind_has_member(k, literal->u.s)) {
      str *member = arena_new_of(a, str);
      *member = literal->u.s;
      r.members = member;
      r.member_count = 1;
    } else {
      r.bits &= ~(uint32_t)K_ENUM;
    }
    r.dtypes &= t == ROOFLINE_DTYPE_NONE ? 0 : 1u << t;
    if (r.dtypes == 0) r.bits &= ~(uint32_t)K_DTYPE;
    break;
  }
  case EX_BOOL: r.bits &= K_BOOL | K_UNKNOWN; break;
  case EX_INT:
  case EX_FLOAT: r.bits &= K_NUMBER | K_UNKNOWN; break;
  case EX_TUPLE: r.bits &= K_SHAPE | K_SEQ | K_UNKNOWN; break;
  default: break;
  }
  kind *out = arena_new_of(a, kind);
  *out = r;
  return out;
}

/* Takes one literal away, where that leaves a kind: an enum's member or a dtype. */
static const kind *kind_unequal_to(arena *a, const kind *k, const expr *literal) {
  if (literal->op != EX_STRING) return k;
  kind r = *k;
  if (kind_may(k, K_ENUM) && kind_has_member(k, literal->u.s)) {
    str *members = arena_array(a, str, k->member_count);
    r.members = members;
    r.member_count = 0;
    for (uint32_t i = 0; i < k->member_count; i++)
      if (!str_eq(k->members[i], literal->u.s)) members[r.member_count++] = k->members[i];
    if (r.member_count == 0) r.bits &= ~(uint32_t)K_ENUM;
  }
  roofline_dtype t = roofline_dtype_find(literal->u.s.p, literal->u.s.n);
  if (t != ROOFLINE_DTYPE_NONE && kind_may(k, K_DTYPE)) {
    r.dtypes &= ~(1u << t);
    if (r.dtypes == 0) r.bits &= ~(uint32_t)K_DTYPE;
  }
  kind *out = arena_new_of(a, kind);
  *out = r;
  return out;
}

static bool is_literal(const expr *e) {
  switch (e->op) {
  case EX_INT:
  case EX_FLOAT:
  case EX_BOOL:
  case EX_STRING: return true;
  case EX_NEG: return is_literal(e->args[0]);
  case EX_TUPLE:
    for (uint32_t i = 0; i < e->n; i++)
      if (!is_literal(e->args[i])) return false;
    return true;
  default: return false;
  }
}

/* adt.kind compared with constructor names: a bit per constructor named. */
static uint32_t ctors_named(const adt *t, const expr *literal) {
  uint32_t bits = 0;
  if (literal->op == EX_STRING)
    for (uint32_t i = 0; i < t->ctor_count; i++)
      if (str_eq(t->ctors[i].name, literal->u.s)) bits |= 1u << i;
  if (literal->op == EX_TUPLE)
    for (uint32_t i = 0; i < literal->n; i++) bits |= ctors_named(t, literal->args[i]);
  return bits;
}

static const fact_list *narrow_adt(infer *c, const expr *field, const expr *literal, bool equal,
                                   const fact_list *facts) {
  const expr *base = field->args[0];
  if (base->op != EX_NAME || base->symbol < 0) return facts;
  const kind *k = fact_kind(c, base->symbol, facts);
  if (!kind_is(k, K_ADT) || k->adt == NULL) return facts;
  uint32_t named = ctors_named(k->adt, literal);
  kind *r = arena_new_of(c->a, kind);
  *r = *k;
  r->ctors &= equal ? named : ~named;
  return fact_add(c, facts, base->symbol, r);
}

/* x == literal, x in (literals), and their negations, with the name on either side of `==`. */
static const fact_list *narrow_compare(infer *c, const expr *e, bool truth, const fact_list *facts) {
  if (e->n != 2) return facts;
  link_op op = e->links[0].op;
  bool equality = op == OP_EQ || op == OP_NE, membership = op == OP_IN || op == OP_NOT_IN;
  if (!equality && !membership) return facts;
  bool equal = truth == (op == OP_EQ || op == OP_IN);
  const expr *x = e->args[0], *literal = e->args[1];
  if (equality && is_literal(x) && !is_literal(literal)) {
    const expr *t = x;
    x = literal;
    literal = t;
  }
  if (is_unknown(x) || is_unknown(literal)) return fact_add(c, facts, ANY_NAME, &kind_unknown);
  if (x->op == EX_FIELD && str_is(x->name, "kind")) return narrow_adt(c, x, literal, equal, facts);
  int32_t name = expr_symbol_read(x);
  if (name < 0) return facts;
  const kind *k = fact_kind(c, name, facts);
  if (equality) {
    if (literal->op == EX_NONE) return narrow_presence(c, name, !equal, facts); /* refused, and meant so */
    if (!is_literal(literal)) return facts;
    return fact_add(c, facts, name,
                    equal ? kind_equal_to(c->a, k, literal) : kind_unequal_to(c->a, k, literal));
  }
  if (literal->op != EX_TUPLE) return facts;
  const kind *kept = NULL, *rest = k;
  for (uint32_t i = 0; i < literal->n; i++) {
    if (!is_literal(literal->args[i])) {
      if (equal) return facts;
      continue;
    }
    const kind *one = kind_equal_to(c->a, k, literal->args[i]);
    kept = kept == NULL ? one : kind_union(c->a, kept, one);
    rest = kind_unequal_to(c->a, rest, literal->args[i]);
  }
  if (!equal) return fact_add(c, facts, name, rest);
  return kept == NULL ? facts : fact_add(c, facts, name, kept);
}

/* What holds on every one of several ways to get here: for each name narrowed on all of them, the union
   of what each says. `base` is what all of them extend. */
static const fact_list *fact_join(infer *c, const fact_list *const *ways, uint32_t n, const fact_list *base) {
  if (n == 0) return base;
  if (n == 1) return ways[0];
  const fact_list *out = base;
  for (uint32_t i = 0; i < n; i++)
    for (const fact_list *f = ways[i]; f != base && f != NULL; f = f->next)
      if (f->symbol == ANY_NAME) return fact_add(c, base, ANY_NAME, &kind_unknown);
  for (const fact_list *f = ways[0]; f != base && f != NULL; f = f->next) {
    const kind *k = fact_kind(c, f->symbol, ways[0]);
    for (uint32_t i = 1; i < n; i++) k = kind_union(c->a, k, fact_kind(c, f->symbol, ways[i]));
    out = fact_add(c, out, f->symbol, k);
  }
  return out;
}

static const fact_list *narrow_at(infer *c, const expr *e, bool truth, const fact_list *facts, int depth);

/* A true `and` and a false `or`: all operands hold. Otherwise some operand decided, after those before it
   did not. */
static const fact_list *narrow_logic(infer *c, const expr *e, bool truth, const fact_list *facts, int depth) {
  bool all = (e->op == EX_AND) == truth;
  if (all) {
    for (uint32_t i = 0; i < e->n; i++) facts = narrow_at(c, e->args[i], truth, facts, depth);
    return facts;
  }
  if (e->n > 64) return facts;
  const fact_list *ways[64];
  const fact_list *before = facts;
  for (uint32_t i = 0; i < e->n; i++) {
    ways[i] = narrow_at(c, e->args[i], truth, before, depth);
    before = narrow_at(c, e->args[i], !truth, before, depth);
  }
  return fact_join(c, ways, e->n, facts);
}

static const fact_list *narrow_if(infer *c, const expr *e, bool truth, const fact_list *facts, int depth) {
  const fact_list *ways[2];
  uint32_t n = 0;
  for (int arm = 0; arm < 2; arm++) {
    const expr *way = e->args[arm == 0 ? 0 : 2];
    if (way->op == EX_BOOL && way->u.b != truth) continue;
    ways[n++] = narrow_at(c, way, truth, narrow_at(c, e->args[1], arm == 0, facts, depth), depth);
  }
  return fact_join(c, ways, n, facts);
}

static const fact_list *narrow_at(infer *c, const expr *e, bool truth, const fact_list *facts, int depth) {
  if (depth >= NARROW_DEPTH) return facts;
  switch (e->op) {
  case EX_NOT: return narrow_at(c, e->args[0], !truth, facts, depth + 1);
  case EX_AND:
  case EX_OR: return narrow_logic(c, e, truth, facts, depth + 1);
  case EX_IF: return narrow_if(c, e, truth, facts, depth + 1);
  case EX_COMPARE: return narrow_compare(c, e, truth, facts);
  case EX_CALL: {
    if (is_unknown(e)) return fact_add(c, facts, ANY_NAME, &kind_unknown);
    if (!str_is(e->name, "present") || e->n != 1) return facts;
    if (is_unknown(e->args[0])) return fact_add(c, facts, ANY_NAME, &kind_unknown);
    if (e->args[0]->op != EX_NAME || e->args[0]->symbol < 0) return facts;
    return narrow_presence(c, e->args[0]->symbol, truth, facts);
  }
  case EX_ERROR: return fact_add(c, facts, ANY_NAME, &kind_unknown);
  default: return facts;
  }
}

const fact_list *narrow(infer *c, const expr *e, bool truth, const fact_list *facts) {
  return narrow_at(c, e, truth, facts, 0);
}
