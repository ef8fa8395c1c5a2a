/* Kinds of an entry: every expression judged in its place. language.md §3, §5, §8. */
#include <string.h>

#include "compiler/kinds_internal.h"

static infer infer_over(arena *a, diag_sink *sink, const entry *e) {
  return (infer){.a = a, .sink = sink, .e = e, .symbols = e->symbols, .symbol_count = e->symbol_count};
}

/* Opens a text for judging: forgets the names reported in the last one. */
static bool open_formula(infer *c, formula *f, place where) {
  if (f->state != FACT_VALID || f->root == NULL) return false;
  c->f = f;
  c->place = where;
  c->unknown.n = 0;
  f->judged = false;
  return true;
}

static void judge(infer *c, formula *f, place where, uint32_t wanted, const char *what,
                  const fact_list *facts) {
  if (!open_formula(c, f, where)) return;
  uint32_t before = diag_errors(c->sink);
  infer_wanted(c, f->root, facts, wanted, what);
  f->judged = diag_errors(c->sink) == before && !f->refused;
}

/* ---- lets ---- */

/* Calls visit on every name that e reads. */
static void each_name(const expr *e, void (*visit)(void *, const expr *), void *to) {
  if (e == NULL) return;
  if (e->op == EX_NAME) visit(to, e);
  for (uint32_t i = 0; i < e->n; i++) each_name(e->args[i], visit, to);
}

typedef VEC(uint32_t) number_list;

typedef struct let_order {
  arena *a;
  const entry *e;
  number_list *reads; /* by let: the lets it reads */
  uint32_t at;
} let_order;

static void note_let(void *to, const expr *name) {
  let_order *o = to;
  const symbol *s = entry_symbol(o->e, name->u.s);
  if (s == NULL || s->cls != SYM_LET) return;
  vec_push(o->a, &o->reads[o->at], s->number);
}

static void let_cycle(infer *c, const entry *e, const uint32_t *stack, uint32_t from, uint32_t to) {
  uint32_t first = stack[from];
  for (uint32_t i = from; i < to; i++)
    if (stack[i] < first) first = stack[i];
  const let_decl *l = &e->lets[first];
  diag *d = diag_add(c->sink, LET_CYCLE, yt_value_span(e->src, l->key), "let '%.*s' depends on itself",
                     STR_ARG(l->name));
  for (uint32_t i = from; i < to; i++) {
    const let_decl *next = &e->lets[stack[i + 1 < to ? i + 1 : from]];
    diag_help(c->sink, d, "'%.*s' reads '%.*s'", STR_ARG(e->lets[stack[i]].name), STR_ARG(next->name));
  }
}

static void infer_let(infer *c, entry *e, uint32_t i) {
  let_decl *l = &e->lets[i];
  symbol *s = &e->symbols[l->symbol];
  l->kind = &kind_unknown;
  if (open_formula(c, &l->formula, PLACE_EXPRESSION)) {
    uint32_t before = diag_errors(c->sink);
    const kind *k = infer_expr(c, l->formula.root, NULL);
    l->formula.judged = diag_errors(c->sink) == before && !l->formula.refused;
    if (kind_is(k, K_NONE)) infer_defect(c, WRONG_KIND, l->formula.root, "a let needs a value, found None");
    l->kind = l->formula.judged && k->bits != 0 ? k : &kind_unknown;
  }
  s->kind = l->kind;
}

/* How many lets stand between this one and the names it rests on. Evaluation follows them, so the depth
   is bounded like an expression's. */
static bool let_too_deep(infer *c, const entry *e, const let_order *o, uint32_t limit, uint32_t *depth,
                         uint32_t at) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < o->reads[at].n; i++)
    if (depth[o->reads[at].v[i]] > most) most = depth[o->reads[at].v[i]];
  depth[at] = most < limit ? most + 1 : 0; /* beyond, it counts as unknown: one defect, no cascade */
  if (most < limit) return false;
  diag *d = diag_add(c->sink, LET_TOO_DEEP, yt_value_span(e->src, e->lets[at].key),
                     "let '%.*s' rests on more than %u others in a row", STR_ARG(e->lets[at].name), limit);
  diag_help(c->sink, d, "raise the limit with --max-let-depth, or write some of them as one expression");
  return true;
}

/* Depth-first over the lets' reads with a stack of our own: a let may depend on thousands of others. */
static void infer_lets(infer *c, entry *e, uint32_t max_depth) {
  if (e->let_count == 0) return;
  let_order o = {c->a, e, NULL, 0};
  o.reads = arena_array(c->a, number_list, e->let_count);
  for (o.at = 0; o.at < e->let_count; o.at++) {
    e->symbols[e->lets[o.at].symbol].kind = &kind_unknown;
    each_name(e->lets[o.at].formula.root, note_let, &o);
  }
  enum { FRESH, OPEN, DONE };
  uint8_t *state = arena_array(c->a, uint8_t, e->let_count);
  uint32_t *stack = arena_array(c->a, uint32_t, e->let_count);
  uint32_t *next = arena_array(c->a, uint32_t, e->let_count);
  bool *cyclic = arena_array(c->a, bool, e->let_count);
  uint32_t *rests_on = arena_array(c->a, uint32_t, e->let_count);
  for (uint32_t root = 0; root < e->let_count; root++) {
    if (state[root] != FRESH) continue;
    uint32_t depth = 0;
    stack[depth++] = root;
    state[root] = OPEN;
    while (depth > 0) {
      uint32_t at = stack[depth - 1];
      if (next[at] == o.reads[at].n) {
        if (!cyclic[at] && !let_too_deep(c, e, &o, max_depth, rests_on, at)) infer_let(c, e, at);
        state[at] = DONE;
        depth--;
        continue;
      }
      uint32_t to = o.reads[at].v[next[at]++];
      if (state[to] == FRESH) {
        state[to] = OPEN;
        stack[depth++] = to;
      } else if (state[to] == OPEN) {
        uint32_t from = depth;
        while (stack[from - 1] != to) from--;
        let_cycle(c, e, stack, from - 1, depth);
        for (uint32_t i = from - 1; i < depth; i++) cyclic[stack[i]] = true;
      }
    }
  }
}

/* ---- shapes ---- */

static const family_decl *find_family(const entry *e, str name, uint32_t *number) {
  for (uint32_t i = 0; i < e->family_count; i++)
    if (str_eq(e->families[i].name, name)) {
      *number = i;
      return &e->families[i];
    }
  return NULL;
}

static void judge_family_argument(infer *c, expr *arg, const family_formal *formal) {
  const kind *wanted = formal->kind;
  if (wanted == NULL || kind_may(wanted, K_UNKNOWN)) {
    infer_expr(c, arg, NULL);
    return;
  }
  str text = kind_text(c->a, wanted);
  const char *what = arena_cstr(c->a, text);
  uint32_t taken = wanted->bits;
  if (kind_may(wanted, K_INTEGER)) taken |= K_INTEGER;
  if (kind_may(wanted, K_SHAPE)) taken |= K_SEQ;
  const kind *k = infer_wanted(c, arg, NULL, taken, what);
  if (kind_may(k, K_UNKNOWN)) return;
  const kind *given = kind_without(c->a, k, K_NONE);
  bool fits = true;
  if (kind_may(wanted, K_SHAPE)) fits = given->bits == 0 || kind_is_integers(given, false);
  if (kind_may(wanted, K_ENUM))
    for (uint32_t i = 0; i < k->member_count; i++) fits = fits && kind_has_member(wanted, k->members[i]);
  if (kind_may(wanted, K_ADT) && kind_may(k, K_ADT)) fits = k->adt == wanted->adt;
  if (!fits) infer_wrong_kind(c, arg, k, what);
}

static void judge_apply(infer *c, const entry *e, expr *apply) {
  uint32_t number = 0;
  const family_decl *family = find_family(e, apply->name, &number);
  apply->symbol = -1;
  if (family == NULL) {
    if (e->types == FACT_MALFORMED) return;
    diag *d = infer_defect_at(c, UNKNOWN_FAMILY, apply->at, apply->at_end, "unknown type family '%.*s'",
                              STR_ARG(apply->name));
    VEC(str) names = {0};
    for (uint32_t i = 0; i < e->family_count; i++) vec_push(c->a, &names, e->families[i].name);
    if (names.n > 0) diag_list(c->sink, d, "families", names.v, names.n);
    diag_suggest(c->sink, d, apply->name, names.v, names.n);
    for (uint32_t i = 0; i < apply->n; i++) infer_expr(c, apply->args[i], NULL);
    return;
  }
  apply->symbol = (int32_t)number;
  if (family->state != FACT_VALID) {
    for (uint32_t i = 0; i < apply->n; i++) infer_expr(c, apply->args[i], NULL);
    return;
  }
  if (apply->n != family->formal_count) {
    infer_defect_at(c, FAMILY_ARGUMENTS, apply->at, apply->at_end,
                    "family '%.*s' takes %u arguments; %u given", STR_ARG(family->name), family->formal_count,
                    apply->n);
    apply->symbol = -1;
    return;
  }
  for (uint32_t i = 0; i < apply->n; i++) judge_family_argument(c, apply->args[i], &family->formals[i]);
}

static void judge_axes(infer *c, expr *shape, const fact_list *facts) {
  for (uint32_t i = 0; i < shape->n; i++) {
    expr *axis = shape->args[i];
    if (axis->op != EX_SPLICE) {
      infer_wanted(c, axis, facts, K_INTEGER, "an Int axis");
      continue;
    }
    expr *s = axis->args[0];
    const kind *k = infer_wanted(c, s, facts, K_SHAPE | K_SEQ, "a Shape or Seq[Int] to splice");
    axis->kind = k;
    if (!kind_may(k, K_UNKNOWN) && !kind_is_integers(k, false))
      infer_wrong_kind(c, s, k, "a Shape or Seq[Int] to splice");
  }
}

static void judge_shape(infer *c, const entry *e, formula *f, const fact_list *facts) {
  if (!open_formula(c, f, PLACE_EXPRESSION)) return;
  uint32_t before = diag_errors(c->sink);
  if (f->root->op == EX_APPLY)
    judge_apply(c, e, f->root);
  else
    judge_axes(c, f->root, facts);
  f->judged = diag_errors(c->sink) == before && !f->refused;
}

/* ---- families ---- */

/* What a case's pattern proves about its formals. */
static const fact_list *pattern_facts(infer *c, const family_decl *family, const family_case *fc) {
  const fact_list *facts = NULL;
  for (uint32_t m = 0; m < family->match_count; m++) {
    const pattern *p = &fc->when[m];
    uint32_t formal = family->matches[m].formal;
    const kind *k = family->formals[formal].kind;
    kind *r = arena_new_of(c->a, kind);
    *r = *k;
    if (p->op == PATTERN_CTOR)
      r->ctors = 1u << p->ctor;
    else if (p->op == PATTERN_STRING) {
      r->members = &p->s;
      r->member_count = 1;
    } else if (p->op == PATTERN_PRESENT) {
      *r = p->b ? *kind_without(c->a, k, K_NONE) : kind_none;
    } else {
      continue;
    }
    fact_list *f = arena_new_of(c->a, fact_list);
    *f = (fact_list){(int32_t)formal, r, facts};
    facts = f;
  }
  return facts;
}

/* A family may have ten thousand cases, one per string: they are found by name then. */
static void index_cases(arena *a, family_decl *family) {
  name_index index = name_index_new(a, family->case_count);
  for (uint32_t i = 0; i < family->case_count; i++) {
    const family_case *fc = &family->cases[i];
    bool one = fc->state == FACT_VALID && family->match_count == 1 && fc->when[0].op == PATTERN_STRING;
    if (!one || name_index_add(&index, fc->when[0].s, i) >= 0) return;
  }
  family->by_string = index;
}

static void judge_family(arena *a, diag_sink *sink, entry *e, family_decl *family) {
  if (family->state != FACT_VALID) return;
  index_cases(a, family);
  infer c = infer_over(a, sink, e);
  c.family = family;
  for (uint32_t i = 0; i < family->case_count; i++) {
    family_case *fc = &family->cases[i];
    if (fc->state == FACT_VALID) judge_shape(&c, e, &fc->is, pattern_facts(&c, family, fc));
  }
}

/* ---- tensors ---- */

static void judge_dtype(infer *c, formula *f) {
  if (!open_formula(c, f, PLACE_DTYPE)) return;
  uint32_t before = diag_errors(c->sink);
  expr *e = f->root;
  const kind *k = infer_expr(c, e, NULL);
  bool form = e->op == EX_NAME || e->op == EX_CALL || e->op == EX_ERROR;
  if (diag_errors(c->sink) == before && !kind_may(k, K_UNKNOWN)) {
    if (kind_is(k, K_DTYPE | K_NONE) && kind_may(k, K_NONE)) {
      diag *d = infer_defect(c, DTYPE_MAY_BE_ABSENT, e, "a dtype field may not be absent");
      diag_help(c->sink, d, "write coalesce_dtype(.., T)");
    } else if (!form || !kind_is(k, K_DTYPE)) {
      str text = expr_print(c->a, e);
      diag *d = infer_defect(c, DTYPE_FIELD, e, "'%.*s' is not a dtype", STR_ARG(text));
      diag_help(c->sink, d,
                "allowed: a DType index, a dtype parameter, a dtype name, or a call of "
                "promote_int_to_float or coalesce_dtype");
    }
  }
  f->judged = diag_errors(c->sink) == before && !f->refused;
}

/* `values` is one generator's call, each of `requires` one predicate's. */
static void judge_metadata_call(infer *c, formula *f, place where) {
  if (!open_formula(c, f, where)) return;
  uint32_t before = diag_errors(c->sink);
  expr *e = f->root;
  int32_t id = e->op == EX_CALL ? primitive_find(e->name) : -1;
  bool wants_predicate = where == PLACE_REQUIRES;
  bool fits = id >= 0 && primitive_get((primitive_id)id)->cls != PRIM_VALUE &&
              (primitive_get((primitive_id)id)->cls == PRIM_PREDICATE) == wants_predicate;
  if (e->op == EX_ERROR || fits) {
    infer_expr(c, e, NULL);
  } else {
    diag *d = e->op == EX_CALL
                  ? infer_defect_at(c, wants_predicate ? NOT_A_PREDICATE : NOT_A_GENERATOR, e->at, e->at_end,
                                    "'%.*s' is not a %s", STR_ARG(e->name),
                                    wants_predicate ? "predicate" : "generator")
                  : infer_defect(c, wants_predicate ? NOT_A_PREDICATE : NOT_A_GENERATOR, e,
                                 "a %s call wanted", wants_predicate ? "predicate" : "generator");
    VEC(str) names = {0};
    for (int i = 0; i < PRIM_COUNT; i++) {
      const primitive *p = primitive_get((primitive_id)i);
      if (p->cls != PRIM_VALUE && (p->cls == PRIM_PREDICATE) == wants_predicate)
        vec_push(c->a, &names, str_of(p->name));
    }
    diag_list(c->sink, d, wants_predicate ? "predicates" : "generators", names.v, names.n);
    if (e->op == EX_CALL) diag_suggest(c->sink, d, e->name, names.v, names.n);
  }
  f->judged = diag_errors(c->sink) == before && !f->refused;
}

/* A generated tensor is int32, int64 or a DType index over these. */
static void check_metadata_dtype(infer *c, const tensor_decl *t) {
  if (t->values.state == FACT_ABSENT || !t->dtype.judged || t->dtype.root->kind == NULL) return;
  const kind *k = t->dtype.root->kind;
  uint32_t integers = 1u << ROOFLINE_INT32 | 1u << ROOFLINE_INT64;
  if (!kind_is(k, K_DTYPE) || (k->dtypes & ~integers) == 0) return;
  c->f = &t->dtype;
  diag *d =
      infer_defect(c, METADATA_DTYPE, t->dtype.root, "a tensor with `values` is int32 or int64, not so");
  diag_help(c->sink, d, "allowed: int32, int64, or a DType index over these");
}

static void judge_tensor(infer *c, entry *e, tensor_decl *t) {
  judge_dtype(c, &t->dtype);
  judge_shape(c, e, &t->shape, NULL);
  judge(c, &t->condition, PLACE_EXPRESSION, K_BOOL, "a Bool", NULL);
  judge(c, &t->mutated, PLACE_EXPRESSION, K_BOOL, "a Bool", NULL);
  judge_metadata_call(c, &t->values, PLACE_VALUES);
  for (uint32_t i = 0; i < t->requires_count; i++) judge_metadata_call(c, &t->requires[i], PLACE_REQUIRES);
  check_metadata_dtype(c, t);
}

/* ---- indices that nothing reads ---- */

static void note_read(void *to, const expr *name) {
  if (name->symbol >= 0) ((bool *)to)[name->symbol] = true;
}

/* Of an entry without a defect: a misspelt name would leave the right one unread. */
static void check_indices_read(arena *a, diag_sink *sink, const entry *e) {
  bool *read = arena_array(a, bool, e->symbol_count + 1); /* by symbol */
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    const formula *texts[] = {&t->dtype, &t->shape, &t->condition, &t->mutated, &t->values};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) each_name(texts[k]->root, note_read, read);
    for (uint32_t k = 0; k < t->requires_count; k++) each_name(t->requires[k].root, note_read, read);
  }
  for (uint32_t i = 0; i < e->let_count; i++) each_name(e->lets[i].formula.root, note_read, read);
  for (uint32_t i = 0; i < e->rule_count; i++) each_name(e->rules[i].root, note_read, read);
  each_name(e->flops.root, note_read, read);
  each_name(e->bytes.root, note_read, read);
  for (uint32_t i = 0; i < e->combo_count; i++)
    for (uint32_t k = 0; k < e->combos[i].cell_count; k++) read[e->combos[i].cells[k].symbol] = true;
  for (uint32_t i = 0; i < e->index_count; i++) {
    const index_decl *x = &e->indices[i];
    if (read[x->symbol]) continue;
    diag *d = diag_add(sink, INDEX_UNREAD, yt_value_span(e->src, x->key), "nothing reads index '%.*s'",
                       STR_ARG(x->name));
    diag_help(sink, d, "leave it out, or write it where a shape, dtype, refinement or formula means it");
  }
}

/* ---- the entry ---- */

void kinds_check_entry(arena *a, diag_sink *sink, const adt_table *adts, uint32_t max_let_depth, entry *e) {
  (void)adts;
  infer c = infer_over(a, sink, e);
  infer_lets(&c, e, max_let_depth);
  for (uint32_t i = 0; i < e->family_count; i++) judge_family(a, sink, e, &e->families[i]);
  for (uint32_t i = 0; i < e->tensor_count; i++)
    if (e->tensors[i].state == FACT_VALID) judge_tensor(&c, e, &e->tensors[i]);
  for (uint32_t i = 0; i < e->rule_count; i++)
    judge(&c, &e->rules[i], PLACE_EXPRESSION, K_BOOL, "a Bool", NULL);
  judge(&c, &e->flops, PLACE_ROOFLINE, K_INTEGER, "an Int", NULL);
  judge(&c, &e->bytes, PLACE_ROOFLINE, K_INTEGER, "an Int", NULL);
  if (diag_errors(sink) == 0) check_indices_read(a, sink, e);
}

bool kinds_check_condition(arena *a, diag_sink *sink, const symbol *symbols, uint32_t count, formula *f) {
  infer c = {.a = a, .sink = sink, .symbols = symbols, .symbol_count = count};
  judge(&c, f, PLACE_EXPRESSION, K_BOOL, "a Bool", NULL);
  return f->judged;
}

const kind *kinds_check_value(arena *a, diag_sink *sink, formula *f) {
  infer c = {.a = a, .sink = sink};
  if (!open_formula(&c, f, PLACE_EXPRESSION)) return &kind_unknown;
  uint32_t before = diag_errors(sink);
  const kind *k = infer_expr(&c, f->root, NULL);
  f->judged = diag_errors(sink) == before;
  return k;
}
