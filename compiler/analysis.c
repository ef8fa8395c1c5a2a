/* Judges an entry at every combination of its discriminants. codegen.md §1, language.md §6. */
#include "compiler/analysis.h"

#include <string.h>

#include "compiler/judge.h"
#include "compiler/kinds.h"

const analysis_options analysis_default_options = {.rows = ROWS_FULL,
                                                   .advise_points = 256,
                                                   .max_points = 65536,
                                                   .max_names = 4096,
                                                   .max_steps = 20000000,
                                                   .max_eval_depth = 2048,
                                                   .max_let_depth = 256,
                                                   .max_family_depth = 64};

/* ---- families as a whole ---- */

static bool applies_family(const formula *f, uint32_t family) {
  return f->root != NULL && f->root->op == EX_APPLY && f->root->symbol == (int32_t)family;
}

/* A shape whose family cannot be told: malformed, or applying one that is unknown. */
static bool unreadable_shape(const formula *f) {
  if (f->state == FACT_MALFORMED) return true;
  return f->root != NULL && f->root->op == EX_APPLY && f->root->symbol < 0;
}

static void check_families_used(judge *j) {
  const entry *e = j->e;
  bool unreadable = e->inputs == FACT_MALFORMED || e->outputs == FACT_MALFORMED ||
                    e->params == FACT_MALFORMED || e->signature != FACT_VALID;
  for (uint32_t i = 0; i < e->tensor_count; i++)
    unreadable = unreadable || e->tensors[i].state != FACT_VALID || unreadable_shape(&e->tensors[i].shape);
  for (uint32_t i = 0; i < e->family_count; i++) {
    bool used = false;
    for (uint32_t t = 0; t < e->tensor_count; t++) used = used || applies_family(&e->tensors[t].shape, i);
    for (uint32_t f = 0; f < e->family_count; f++)
      for (uint32_t k = 0; f != i && k < e->families[f].case_count; k++)
        used = used || applies_family(&e->families[f].cases[k].is, i);
    if (used || unreadable) continue;
    diag_add(j->sink, FAMILY_UNUSED, yt_value_span(e->src, e->families[i].key),
             "no shape applies type family '%.*s'", STR_ARG(e->families[i].name));
  }
}

/* Families that apply each other in a circle: one error, at the first member. */
static bool family_reaches(const entry *e, uint32_t from, uint32_t to, uint8_t *seen) {
  for (uint32_t k = 0; k < e->families[from].case_count; k++) {
    const expr *root = e->families[from].cases[k].is.root;
    if (root == NULL || root->op != EX_APPLY || root->symbol < 0) continue;
    uint32_t next = (uint32_t)root->symbol;
    if (next == to) return true;
    if (seen[next]) continue;
    seen[next] = 1;
    if (family_reaches(e, next, to, seen)) return true;
  }
  return false;
}

static bool check_family_cycles(judge *j) {
  const entry *e = j->e;
  if (e->family_count > MOST_FAMILY_DEPTH)
    return false; /* deeper than any shape may nest; shapes then stay unjudged */
  uint8_t *reported = arena_array(j->scratch, uint8_t, e->family_count + 1);
  bool cyclic = false;
  for (uint32_t i = 0; i < e->family_count; i++) {
    uint8_t *seen = arena_array(j->scratch, uint8_t, e->family_count + 1);
    if (reported[i] || !family_reaches(e, i, i, seen)) continue;
    cyclic = true;
    for (uint32_t k = i; k < e->family_count; k++) {
      uint8_t *back = arena_array(j->scratch, uint8_t, e->family_count + 1);
      reported[k] = seen[k] && family_reaches(e, k, i, back);
    }
    reported[i] = 1;
    diag_add(j->sink, FAMILY_CYCLE, yt_value_span(e->src, e->families[i].key),
             "type family '%.*s' applies itself", STR_ARG(e->families[i].name));
  }
  return cyclic;
}

/* ---- one item at one combination ---- */

/* Texts that are still to be looked at. Following lets by recursion would nest as deep as all their texts. */
typedef VEC(const expr *) text_list;

static bool symbol_malformed(judge *j, uint32_t number, symbol_set seen, text_list *next) {
  const symbol *s = &j->e->symbols[number];
  if (set_has(seen, number)) return false;
  set_add(seen, number);
  if (s->state != FACT_VALID) return true;
  const formula *f = NULL;
  if (s->cls == SYM_TENSOR) {
    const tensor_decl *t = &j->e->tensors[s->number];
    if (t->presence != PRESENT_IF) return t->state != FACT_VALID;
    f = &t->condition;
  } else if (s->cls == SYM_LET) {
    f = &j->e->lets[s->number].formula;
  } else {
    return s->kind == NULL || kind_may(s->kind, K_UNKNOWN);
  }
  vec_push(j->scratch, next, f->root);
  return !f->judged;
}

static bool reads_malformed(judge *j, const expr *e, symbol_set seen, text_list *next) {
  if (e == NULL) return false;
  if (e->op == EX_NAME && e->symbol >= 0) return symbol_malformed(j, (uint32_t)e->symbol, seen, next);
  if (e->op == EX_NAME && e->kind != NULL && kind_may(e->kind, K_UNKNOWN)) return true;
  for (uint32_t i = 0; i < e->n; i++)
    if (reads_malformed(j, e->args[i], seen, next)) return true;
  return false;
}

/* Does what a text reads rest on something malformed? Then nothing can be said of it. `e` is of the entry's
   own texts, where symbols are names. */
static bool rests_on_malformed(judge *j, const expr *e) {
  symbol_set seen = set_new(j->scratch, j->e->symbol_count);
  text_list next = {0};
  vec_push(j->scratch, &next, e);
  while (next.n > 0)
    if (reads_malformed(j, next.v[--next.n], seen, &next)) return true;
  return false;
}

static bool in_a_family(const entry *e, const formula *f) {
  for (uint32_t i = 0; i < e->family_count; i++)
    for (uint32_t k = 0; k < e->families[i].case_count; k++)
      if (&e->families[i].cases[k].is == f) return true;
  return false;
}

static void not_decided(judge *j, const formula *f, const expr *at) {
  if (j->c.exhausted != NULL) return; /* nothing is decided any more, whatever the text says */
  if (!in_a_family(j->e, f) && rests_on_malformed(j, at)) {
    diag_add(j->sink, ENTRY_UNREACHED, expr_whole(&f->text, at),
             "whether discriminants decide this: unreached, something that it reads is malformed, in %s",
             f->what);
    return;
  }
  str text = expr_print(j->scratch, at);
  diag *d = diag_add(j->sink, NOT_DECIDED, expr_whole(&f->text, at),
                     "'%.*s' is not decided by the entry's discriminants, in %s", STR_ARG(text), f->what);
  diag_help(j->sink, d,
            "discriminants: Bool and enum parameters, presence of Maybe parameters and optional tensors, "
            "an ADT's constructor and finite fields");
}

/* A value as a pattern writes it: of an ADT, the constructor and the fields that a pattern may look at. */
static str matched_text(arena *a, const family_match *m, const value *v, const kind *k) {
  if (m->of_presence) return v->tag == V_NONE ? STR("false") : STR("true");
  if (v->tag != V_ADT) return value_text(a, v);
  const adt_ctor *ctor = &k->adt->ctors[v->u.adt->ctor];
  str fields = {0};
  for (uint32_t i = 0; i < ctor->field_count; i++) {
    const adt_field *f = &ctor->fields[i];
    const int64_t raw = v->u.adt->fields[i];
    if (!kind_is(f->kind, K_BOOL | K_ENUM)) continue;
    const value field = kind_is(f->kind, K_BOOL) ? value_bool(raw != 0) : value_string(f->kind->members[raw]);
    fields = arena_printf(a, "%.*s%s%.*s: %.*s", STR_ARG(fields), fields.n > 0 ? ", " : "", STR_ARG(f->name),
                          STR_ARG(value_text(a, &field)));
  }
  if (fields.n == 0) return arena_printf(a, "{%.*s: _}", STR_ARG(ctor->name));
  return arena_printf(a, "{%.*s: {%.*s}}", STR_ARG(ctor->name), STR_ARG(fields));
}

/* "layout='bshd', present(bias)=true", by the family's formals. */
static str matches_text(arena *a, const family_decl *family, const value *matched) {
  str text = {0};
  for (uint32_t i = 0; i < family->match_count; i++) {
    const family_match *m = &family->matches[i];
    const family_formal *f = &family->formals[m->formal];
    text =
        arena_printf(a, m->of_presence ? "%.*s%spresent(%.*s)=%.*s" : "%.*s%s%.*s=%.*s", STR_ARG(text),
                     i > 0 ? ", " : "", STR_ARG(f->name), STR_ARG(matched_text(a, m, &matched[i], f->kind)));
  }
  return text;
}

static span case_span(const entry *e, const family_case *c) {
  const yt_node *when = yt_get(c->node, "when", NULL);
  return yt_value_span(e->src, when != NULL ? when : c->node);
}

/* One defect of a family, to which each combination adds the values that it is found at. */
static void cases_defect(judge *j, bool none, const fold_shape *s) {
  enum { MOST = 6 };
  const entry *e = j->e;
  const family_decl *family = s->family;
  const span at = yt_value_span(e->src, family->key);
  diag *added = diag_add(j->sink, none ? FAMILY_CASE_MISSING : FAMILY_CASES_OVERLAP, at,
                         none ? "type family '%.*s' has no case for some accepted values"
                              : "type family '%.*s' has more than one case for some accepted values",
                         STR_ARG(family->name));
  diag **defect = &j->case_defects[family - e->families];
  if (added != NULL) {
    *defect = added;
    diag_spoil(j->sink, at); /* missing and overlapping cases are one defect */
    if (!none) diag_relate(j->sink, added, case_span(e, s->first), "one case");
    if (!none) diag_relate(j->sink, added, case_span(e, s->second), "another case");
  }
  diag *d = *defect;
  if (d == NULL || d->help.n > MOST || (d->code == FAMILY_CASE_MISSING) != none) return;
  const str text = matches_text(j->scratch, family, s->matched);
  const str line = arena_printf(j->scratch, "%s for %.*s", none ? "no case" : "two cases", STR_ARG(text));
  for (uint32_t i = 0; i < d->help.n; i++)
    if (str_eq(d->help.v[i], line)) return;
  diag_help(j->sink, d, "%.*s", STR_ARG(d->help.n < MOST ? line : STR("and others")));
}

static void shape_defect(judge *j, shape_fate fate, const fold_shape *s) {
  if (fate == SHAPE_UNDECIDED) {
    not_decided(j, s->at_text, s->at);
  } else if (fate == SHAPE_TOO_DEEP) {
    diag *d = diag_add(j->sink, FAMILY_TOO_DEEP, expr_whole(&s->f->text, s->f->root),
                       "more than %u type families apply one another, in %s", j->c.max_families, s->f->what);
    diag_help(j->sink, d, "raise the limit with --max-family-depth, or shorten the chain of families");
  } else if (fate == SHAPE_NO_CASE || fate == SHAPE_MANY_CASES) {
    const bool none = fate == SHAPE_NO_CASE;
    if (!none || !j->c.open_domain) cases_defect(j, none, s);
  }
}

static void judge_shape_at(judge *j, const tensor_decl *t) {
  fold_shape s;
  shape_fate fate = fold_find_shape(&j->c, &t->shape, &s);
  if (fate != SHAPE_FOUND) {
    if (j->c.sink != NULL) shape_defect(j, fate, &s);
    return;
  }
  roofline_shape shape;
  uint32_t errors = diag_errors(j->sink);
  j->c.status = ROOFLINE_OK;
  fold_axes(&j->c, &s, &shape);
  if (j->c.status != ROOFLINE_OK && j->c.sink != NULL && diag_errors(j->sink) == errors) {
    str text = expr_print(j->scratch, s.shape);
    vec_push(j->c.keep, j->c.reported, s.f);
    diag_add(j->sink, EVALUATION_FAILS, expr_whole(&s.f->text, s.shape),
             "'%.*s' has a negative axis or too many, in %s", STR_ARG(text), s.f->what);
  }
  j->c.status = ROOFLINE_OK;
}

static void condition_not_decided(judge *j, const tensor_decl *t) {
  span at = yt_value_span(j->e->src, t->key);
  not_decided(j, &t->condition, t->condition.root);
  if (j->e->implemented)
    diag_add(j->sink, COVERAGE_UNREACHED, at, "coverage of '%.*s': unreached, its condition is malformed",
             STR_ARG(t->name));
  diag_spoil(j->sink, at);
}

static void judge_tensor_at(judge *j, uint32_t number, symbol_set generator_reads) {
  fold *c = &j->c;
  const tensor_decl *t = &j->e->tensors[number];
  if (t->state != FACT_VALID) return;
  int present = fold_present(c, number);
  if (present < 0 && c->sink != NULL && t->presence == PRESENT_IF && t->condition.judged)
    condition_not_decided(j, t);
  if (present != 1) return;
  if (t->mutation == MUTATED_IF && t->mutated.judged) {
    value v = fold_formula(c, &t->mutated);
    if (v.tag != V_BOOL && c->sink != NULL) not_decided(j, &t->mutated, t->mutated.root);
  }
  fold_formula(c, &t->dtype);
  judge_shape_at(j, t);
  for (uint32_t i = 0; i < t->requires_count; i++) fold_formula(c, &t->requires[i]);
  symbol_set reads = c->reads;
  c->reads = generator_reads;
  fold_formula(c, &t->values);
  c->reads = reads;
}

void judge_item(judge *j, const item *it, symbol_set reads, symbol_set generator_reads) {
  symbol_set before = j->c.reads;
  j->c.reads = reads;
  switch (it->kind) {
  case ITEM_TENSOR: judge_tensor_at(j, it->number, generator_reads); break;
  case ITEM_RULE: fold_formula(&j->c, &j->e->rules[it->number]); break;
  case ITEM_FLOPS: fold_formula(&j->c, &j->e->flops); break;
  case ITEM_BYTES: fold_formula(&j->c, &j->e->bytes); break;
  case ITEM_LET: break; /* judged where it is read */
  }
  j->c.reads = before;
}

const formula *judge_rejects(judge *j, int32_t group) {
  diag_sink *sink = j->c.sink;
  j->c.sink = NULL; /* what fails here fails again, and is reported, when the rule is judged */
  const formula *rejected = NULL;
  for (uint32_t i = 0; i < j->p.item_count && rejected == NULL; i++) {
    const item *it = &j->p.items[i];
    if (it->kind != ITEM_RULE || (group != -2 && it->group != group)) continue;
    value v = fold_formula(&j->c, &j->e->rules[it->number]);
    if (v.tag == V_BOOL && !v.u.b) rejected = &j->e->rules[it->number];
  }
  j->c.sink = sink;
  j->c.status = ROOFLINE_OK;
  return rejected;
}

/* ---- every combination ---- */

/* The first accepted combination of each group; false when some group has none. */
static bool find_base(judge *j) {
  points *p = &j->p;
  memset(j->base, 0, (p->axis_count + 1) * sizeof *j->base);
  points_set(p, &j->c, j->base);
  if (judge_rejects(j, -1) != NULL) return false;
  for (uint32_t i = 0; i < p->group_count; i++) {
    point_group *g = &p->groups[i];
    bool found = false;
    points_first(g, j->base);
    do {
      points_set(p, &j->c, j->base);
      found = judge_rejects(j, (int32_t)i) == NULL;
    } while (!found && points_next(p, g, j->base));
    if (!found) return false;
  }
  return true;
}

typedef struct combination {
  judge *j;
  symbol_set *item_reads; /* by item, at the base */
  symbol_set none;        /* generator arguments: relevant to rows only */
  arena *memory;          /* of one combination */
} combination;

static bool index_must_be_solved(const symbol *s) {
  return s->cls == SYM_INDEX && s->state == FACT_VALID && s->kind != NULL &&
         kind_is(s->kind, K_DIM | K_SHAPE | K_DTYPE);
}

static bool names_index(const expr *e, uint32_t index) {
  if (e == NULL) return false;
  if (e->op == EX_NAME && e->symbol == (int32_t)index) return true;
  for (uint32_t i = 0; i < e->n; i++)
    if (names_index(e->args[i], index)) return true;
  return false;
}

/* Anywhere but in outputs, at whatever combination. */
static bool read_by_inputs(judge *j, uint32_t index) {
  const entry *e = j->e;
  for (uint32_t t = 0; t < e->input_count + e->construction_count; t++)
    if (names_index(e->tensors[t].shape.root, index) || names_index(e->tensors[t].dtype.root, index))
      return true;
  symbol_set reads = set_new(j->scratch, e->symbol_count), none = set_new(j->scratch, e->symbol_count);
  diag_sink *sink = j->c.sink;
  j->c.sink = NULL;
  for (uint32_t i = 0; i < j->p.item_count; i++) {
    const item *it = &j->p.items[i];
    bool output = it->kind == ITEM_TENSOR && e->tensors[it->number].role == ROOFLINE_OUTPUT;
    if (!output) judge_item(j, it, reads, none);
  }
  j->c.sink = sink;
  return set_has(reads, index);
}

static void unsolvable(judge *j, uint32_t index) {
  const symbol *s = &j->e->symbols[index];
  set_add(j->unsolvable, index);
  bool inputs = read_by_inputs(j, index);
  diag *d = diag_add(j->sink, INDEX_UNSOLVABLE, yt_value_span(j->e->src, s->key),
                     inputs ? "index '%.*s' cannot be solved from the inputs at some accepted combination"
                            : "index '%.*s' appears only in outputs",
                     STR_ARG(s->name));
  diag_help(
      j->sink, d,
      "an index is solved by an input axis that is `%.*s`, `k * %.*s + e`, by a splice `*%.*s`, or by an "
      "input's dtype",
      STR_ARG(s->name), STR_ARG(s->name), STR_ARG(s->name));
}

void judge_solved(judge *j, symbol_set reads) {
  if (!j->solvable) return;
  const entry *e = j->e;
  symbol_set known = solve_start(j->scratch, e);
  diag_sink *sink = j->c.sink;
  j->c.sink = NULL;
  bool progress = true, shapes = true;
  const tensor_decl *undecided = NULL; /* passed or not: its condition is malformed */
  for (uint32_t t = 0; t < e->input_count + e->construction_count; t++) {
    fold_shape s;
    int present = fold_present(&j->c, t);
    if (present == 1)
      shapes = fold_find_shape(&j->c, &e->tensors[t].shape, &s) == SHAPE_FOUND && shapes;
    else if (present < 0)
      undecided = &e->tensors[t];
  }
  while (progress && shapes && undecided == NULL) {
    progress = false;
    for (uint32_t t = 0; t < e->input_count + e->construction_count; t++)
      if (e->tensors[t].state == FACT_VALID && fold_present(&j->c, t) == 1)
        progress = solve_tensor(&j->c, t, known, NULL, NULL) || progress;
  }
  j->c.sink = sink;
  if (undecided != NULL)
    diag_add(j->sink, SOLVING_UNREACHED, yt_value_span(e->src, undecided->key),
             "whether every index is solved: unreached, when '%.*s' is passed is malformed",
             STR_ARG(undecided->name));
  if (!shapes || undecided != NULL || j->c.exhausted != NULL)
    return; /* a family has no shape here, which is reported: what it solves is unreached */
  for (uint32_t i = 0; i < e->index_count; i++) {
    uint32_t s = e->indices[i].symbol;
    if (set_has(reads, s) && !set_has(known, s) && index_must_be_solved(&e->symbols[s])) unsolvable(j, s);
  }
}

/* Judges the items of one group (-2: all) at the combination in the slots. */
static void judge_combination(combination *x, int32_t group) {
  judge *j = x->j;
  symbol_set all = set_new(j->scratch, j->e->symbol_count);
  for (uint32_t i = 0; i < j->p.item_count; i++) {
    if (group != -2 && j->p.items[i].group != group) {
      set_union(all, x->item_reads[i]);
      continue;
    }
    symbol_set reads = group == -2 ? x->item_reads[i] : set_new(j->scratch, j->e->symbol_count);
    judge_item(j, &j->p.items[i], reads, x->none);
    set_union(all, reads);
  }
  judge_solved(j, all);
}

/* A malformed input may have solved any index. */
static bool solvability_reached(judge *j) {
  const entry *e = j->e;
  if (j->c.open_domain) return false;
  if (e->signature != FACT_VALID || e->inputs == FACT_MALFORMED || e->params == FACT_MALFORMED) return false;
  for (uint32_t i = 0; i < e->input_count + e->construction_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    const formula *bad = !t->shape.judged ? &t->shape : !t->dtype.judged ? &t->dtype : NULL;
    if (t->state == FACT_VALID && bad == NULL) continue;
    diag_add(j->sink, SOLVING_UNREACHED, yt_value_span(e->src, t->key),
             "whether every index is solved: unreached, %s is malformed",
             bad != NULL && bad->what != NULL ? bad->what : "a tensor");
    return false;
  }
  for (uint32_t i = 0; i < e->family_count; i++) {
    bool judged = e->families[i].state == FACT_VALID;
    for (uint32_t k = 0; judged && k < e->families[i].case_count; k++)
      judged = e->families[i].cases[k].state == FACT_VALID && e->families[i].cases[k].is.judged;
    if (!judged) return false;
  }
  return true;
}

static void judge_combinations(judge *j) {
  combination x = {.j = j, .none = set_new(j->scratch, j->e->symbol_count)};
  j->solvable = solvability_reached(j);
  x.item_reads = arena_array(j->scratch, symbol_set, j->p.item_count + 1);
  for (uint32_t i = 0; i < j->p.item_count; i++) x.item_reads[i] = set_new(j->scratch, j->e->symbol_count);
  uint32_t *choice = arena_array(j->scratch, uint32_t, j->p.axis_count + 1);
  arena *entry_memory = j->scratch;
  j->scratch = j->c.a = x.memory = arena_new();
  points_set(&j->p, &j->c, j->base);
  judge_combination(&x, -2);
  for (uint32_t i = 0; i < j->p.group_count; i++) {
    const point_group *g = &j->p.groups[i];
    memcpy(choice, j->base, j->p.axis_count * sizeof *choice);
    points_first(g, choice);
    do {
      if (memcmp(choice, j->base, j->p.axis_count * sizeof *choice) == 0) continue;
      arena_reset(x.memory);
      points_set(&j->p, &j->c, choice);
      if (judge_rejects(j, (int32_t)i) == NULL) judge_combination(&x, (int32_t)i);
    } while (j->c.exhausted == NULL && points_next(&j->p, g, choice));
  }
  j->scratch = j->c.a = entry_memory;
  arena_free(x.memory);
}

/* ---- indices that several groups solve or read ---- */

/* While one group is judged the others stand at their first accepted combination (language.md §6), where
   they may solve an index that they do not solve everywhere. An index that some group solves at each of its
   own combinations is solved whatever the others do. For every other one each group has a combination that
   leaves it open; with all of them at those, and one group after the other at each of its own, what is read
   must be solved all the same. That takes a sum of combinations, not their product. */
typedef struct across {
  judge *j;
  symbol_set always;     /* solved whatever the combination, as far as is known */
  uint32_t *const *open; /* by index: the choices at which no group alone solves it */
  arena *memory;         /* of one combination */
} across;

/* Adds what the tensors of one group (-1: of none) solve at the combination in the slots. */
static void solve_group(judge *j, int32_t group, symbol_set known) {
  const entry *e = j->e;
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t i = 0; i < j->p.item_count; i++) {
      const item *it = &j->p.items[i];
      if (it->kind != ITEM_TENSOR || it->number >= e->input_count + e->construction_count) continue;
      if ((it->group >= 0 && it->group != group) || e->tensors[it->number].state != FACT_VALID) continue;
      if (fold_present(&j->c, it->number) == 1)
        progress = solve_tensor(&j->c, it->number, known, NULL, NULL) || progress;
    }
  }
}

/* One combination of a group: keeps in `each` what it solves too, and notes which indices it leaves open. */
static void learn_at(const across *x, uint32_t g, const uint32_t *choice, symbol_set each) {
  judge *j = x->j;
  const point_group *group = &j->p.groups[g];
  symbol_set known = set_new(x->memory, j->e->symbol_count);
  set_union(known, x->always);
  solve_group(j, (int32_t)g, known);
  for (uint32_t w = 0; w < known.words; w++) each.bits[w] &= known.bits[w];
  for (uint32_t i = 0; i < j->e->index_count; i++) {
    if (set_has(known, j->e->indices[i].symbol)) continue;
    for (uint32_t k = 0; k < group->axis_count; k++) x->open[i][group->axes[k]] = choice[group->axes[k]];
  }
}

/* One pass over every group: adds to `always` what one solves at each of its combinations. */
static bool learn_always(across *x) {
  judge *j = x->j;
  bool learned = false;
  uint32_t *choice = arena_array(j->scratch, uint32_t, j->p.axis_count + 1);
  symbol_set each = set_new(j->scratch, j->e->symbol_count);
  for (uint32_t g = 0; g < j->p.group_count; g++) {
    memset(each.bits, 0xff, each.words * sizeof *each.bits);
    memcpy(choice, j->base, j->p.axis_count * sizeof *choice);
    points_first(&j->p.groups[g], choice);
    j->c.a = x->memory;
    do {
      arena_reset(x->memory);
      points_set(&j->p, &j->c, choice);
      if (judge_rejects(j, (int32_t)g) == NULL) learn_at(x, g, choice, each);
    } while (j->c.exhausted == NULL && points_next(&j->p, &j->p.groups[g], choice));
    j->c.a = j->scratch;
    for (uint32_t w = 0; w < each.words; w++) learned = learned || (each.bits[w] & ~x->always.bits[w]) != 0;
    set_union(x->always, each);
  }
  return learned;
}

/* Reports what is read and not solved where the groups leave an index open. */
static void judge_open(const across *x, uint32_t index) {
  judge *j = x->j;
  uint32_t *choice = arena_array(j->scratch, uint32_t, j->p.axis_count + 1);
  arena *entry_memory = j->scratch;
  j->scratch = j->c.a = x->memory;
  for (uint32_t g = 0; g < j->p.group_count && j->c.exhausted == NULL; g++) {
    const point_group *group = &j->p.groups[g];
    memcpy(choice, x->open[index], j->p.axis_count * sizeof *choice);
    points_first(group, choice);
    do {
      arena_reset(x->memory);
      points_set(&j->p, &j->c, choice);
      if (judge_rejects(j, -2) != NULL) continue;
      symbol_set reads = set_new(x->memory, j->e->symbol_count),
                 none = set_new(x->memory, j->e->symbol_count);
      for (uint32_t i = 0; i < j->p.item_count; i++) judge_item(j, &j->p.items[i], reads, none);
      judge_solved(j, reads);
    } while (j->c.exhausted == NULL && points_next(&j->p, group, choice));
  }
  j->scratch = j->c.a = entry_memory;
}

static bool all_known(const judge *j, symbol_set known) {
  for (uint32_t i = 0; i < j->e->index_count; i++) {
    const uint32_t s = j->e->indices[i].symbol;
    if (!set_has(known, s) && index_must_be_solved(&j->e->symbols[s])) return false;
  }
  return true;
}

static void judge_conditional(across *x, uint32_t **open) {
  judge *j = x->j;
  const entry *e = j->e;
  x->memory = arena_new();
  for (uint32_t i = 0; i < e->index_count; i++) {
    open[i] = arena_array(j->scratch, uint32_t, j->p.axis_count + 1);
    memcpy(open[i], j->base, j->p.axis_count * sizeof *open[i]);
  }
  while (j->c.exhausted == NULL && learn_always(x)) {
  }
  for (uint32_t i = 0; i < e->index_count && j->c.exhausted == NULL; i++) {
    const uint32_t s = e->indices[i].symbol;
    if (!set_has(x->always, s) && !set_has(j->unsolvable, s) && index_must_be_solved(&e->symbols[s]))
      judge_open(x, i);
  }
  arena_free(x->memory);
}

static void judge_across_groups(judge *j) {
  if (!j->solvable || j->p.group_count < 2) return;
  diag_sink *sink = j->c.sink;
  j->c.sink = NULL; /* everything else was judged, and reported, group by group */
  uint32_t **open = arena_array(j->scratch, uint32_t *, j->e->index_count + 1);
  across x = {j, solve_start(j->scratch, j->e), open, NULL};
  points_set(&j->p, &j->c, j->base);
  solve_group(j, -1, x.always);
  if (!all_known(j, x.always)) judge_conditional(&x, open);
  j->c.sink = sink;
}

/* ---- effects ---- */

/* An aliased input is written on some accepted combination of its own group. */
static bool written_somewhere(judge *j, uint32_t tensor) {
  const tensor_decl *t = &j->e->tensors[tensor];
  if (t->mutation != MUTATED_IF) return t->mutation == MUTATED_YES;
  if (!t->mutated.judged) return true;
  int32_t in = -1;
  for (uint32_t i = 0; i < j->p.item_count; i++)
    if (j->p.items[i].kind == ITEM_TENSOR && j->p.items[i].number == tensor) in = j->p.items[i].group;
  uint32_t *choice = arena_array(j->scratch, uint32_t, j->p.axis_count + 1);
  memcpy(choice, j->base, j->p.axis_count * sizeof *choice);
  const point_group *g = in < 0 ? NULL : &j->p.groups[in];
  if (g != NULL) points_first(g, choice);
  do {
    points_set(&j->p, &j->c, choice);
    if (g != NULL && judge_rejects(j, in) != NULL) continue;
    value v = fold_formula(&j->c, &t->mutated);
    if (v.tag != V_BOOL || v.u.b) return true;
  } while (g != NULL && points_next(&j->p, g, choice));
  return false;
}

static void check_aliases(judge *j) {
  const entry *e = j->e;
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    if (t->alias < 0 || t->alias_node == NULL || e->tensors[t->alias].mutation == MUTATED_NO) continue;
    if (e->tensors[t->alias].state != FACT_VALID || written_somewhere(j, (uint32_t)t->alias)) continue;
    diag_add(j->sink, ALIAS_NEVER_WRITTEN, yt_value_span(e->src, t->alias_node),
             "output '%.*s' aliases input '%.*s', which no accepted combination writes", STR_ARG(t->name),
             STR_ARG(e->tensors[t->alias].name));
  }
}

/* ---- the entry ---- */

/* Does a text read what discriminants never decide? Then it is no domain restriction. */
static bool reads_free(judge *j, const expr *e, symbol_set seen) {
  if (e == NULL) return false;
  if (e->op == EX_NAME && e->symbol >= 0 && !set_has(seen, (uint32_t)e->symbol)) {
    const symbol *s = &j->e->symbols[e->symbol];
    set_add(seen, (uint32_t)e->symbol);
    if (s->cls == SYM_LET) return reads_free(j, j->e->lets[s->number].formula.root, seen);
    bool finite = s->kind == NULL || kind_may(s->kind, K_BOOL | K_ENUM | K_ADT | K_NONE | K_UNKNOWN);
    return s->cls == SYM_INDEX || (s->cls == SYM_PARAM && !finite);
  }
  for (uint32_t i = 0; i < e->n; i++)
    if (reads_free(j, e->args[i], seen)) return true;
  return false;
}

/* Which combinations are accepted cannot be told when a refinement that may be a domain restriction is
   malformed. */
static bool domain_open(judge *j) {
  const entry *e = j->e;
  span at = yt_value_span(e->src, e->key);
  const char *what = e->shape_rules == FACT_MALFORMED ? "shape_rules" : NULL;
  for (uint32_t i = 0; i < e->rule_count && what == NULL; i++) {
    const formula *f = &e->rules[i];
    if (f->judged || reads_free(j, f->root, set_new(j->scratch, e->symbol_count))) continue;
    what = f->what != NULL ? f->what : "a refinement";
    if (f->text.node != NULL) at = yt_value_span(e->src, f->text.node);
  }
  if (what == NULL) return false;
  diag_add(
      j->sink, COMBINATIONS_UNREACHED, at,
      "whether families, indices and formulas fit every accepted combination: unreached, %s is malformed",
      what);
  return true;
}

static bool combinations_fit(judge *j) {
  const entry *e = j->e;
  uint64_t n = j->p.combinations;
  span at = yt_value_span(e->src, e->key);
  if (n > j->options->max_points) {
    diag *d =
        diag_add(j->sink, TOO_MANY_COMBINATIONS, at, "%llu combinations of discriminants are more than %u",
                 (unsigned long long)n, j->options->max_points);
    diag_help(j->sink, d, "raise the limit with --max-combinations, or split the entry");
    diag_add(j->sink, COMBINATIONS_UNREACHED, at,
             "judgements of each combination, and workload rows: unreached");
    return false;
  }
  if (n > j->options->advise_points) {
    diag *d = diag_add(j->sink, MANY_COMBINATIONS, at,
                       "%llu combinations of discriminants; more than %u are hard to review",
                       (unsigned long long)n, j->options->advise_points);
    diag_help(j->sink, d, "split the entry, or raise --advise-combinations");
  }
  return true;
}

static void no_combination(judge *j) {
  const entry *e = j->e;
  diag *d = diag_add(j->sink, NO_COMBINATION, yt_value_span(e->src, e->key),
                     "the refinements accept no combination of discriminants");
  for (uint32_t i = 0; i < e->rule_count && i < 8; i++)
    if (e->rules[i].judged)
      diag_relate(j->sink, d, expr_whole(&e->rules[i].text, e->rules[i].root), "a refinement");
  if (e->row_count > 0)
    diag_add(j->sink, ROWS_UNREACHED, yt_value_span(e->src, e->key),
             "workload rows: unreached, no combination is accepted");
}

static void too_many_steps(judge *j) {
  const formula *f = j->c.exhausted;
  const span at = expr_whole(&f->text, f->root);
  if (j->c.too_deep) {
    diag *d = diag_add(j->sink, TOO_MANY_STEPS, at,
                       "evaluating the entry nests more than %u deep; it did in %s", j->c.max_depth, f->what);
    diag_help(j->sink, d,
              "raise the limit with --max-eval-depth, or shorten the chain of lets or type families that it "
              "goes through");
  } else {
    diag *d = diag_add(j->sink, TOO_MANY_STEPS, at,
                       "evaluating the entry takes more than %llu steps; they ran out in %s",
                       (unsigned long long)j->options->max_steps, f->what);
    diag_help(j->sink, d, "raise the limit with --max-steps, or shorten the sequence a comprehension walks");
  }
  diag_add(j->sink, COMBINATIONS_UNREACHED, yt_value_span(j->e->src, j->e->key),
           "judgements of the combinations and workload rows that were left: unreached");
}

/* Sets of names are what judgements are made of; their size is bounded before anything is made of them. */
static bool names_fit(diag_sink *sink, const analysis_options *options, const entry *e) {
  if (e->symbol_count <= options->max_names) return true;
  span at = yt_value_span(e->src, e->key);
  diag *d = diag_add(sink, TOO_MANY_NAMES, at, "the entry declares %u names, more than %u", e->symbol_count,
                     options->max_names);
  diag_help(sink, d, "raise the limit with --max-names, or split the entry");
  diag_add(sink, COMBINATIONS_UNREACHED, at, "kinds, combinations and workload rows: unreached");
  return false;
}

plan analysis_run(arena *a, arena *scratch, diag_sink *sink, const analysis_options *options,
                  const adt_table *adts, entry *e, uint32_t *cases) {
  uint32_t errors = diag_errors(sink);
  plan out = {.entry = e};
  if (e->state != FACT_VALID || !names_fit(sink, options, e)) return out;
  kinds_check_entry(a, sink, adts, options->max_let_depth, e);
  judge j = {.a = a, .scratch = scratch, .sink = sink, .options = options, .e = e};
  check_families_used(&j);
  bool cyclic = check_family_cycles(&j);
  points_find(scratch, e, options->max_points, &j.p);
  if (!cyclic && combinations_fit(&j)) {
    j.c = fold_new(scratch, sink, e);
    j.c.fuel = options->max_steps;
    j.c.max_depth = options->max_eval_depth;
    j.c.max_families = options->max_family_depth;
    j.c.open_domain = domain_open(&j);
    j.unsolvable = set_new(scratch, e->symbol_count);
    j.case_defects = arena_array(scratch, diag *, e->family_count + 1);
    j.base = arena_array(scratch, uint32_t, j.p.axis_count + 1);
    if (!find_base(&j)) {
      no_combination(&j);
    } else {
      judge_combinations(&j);
      judge_across_groups(&j);
      check_aliases(&j);
      j.c.fuel = options->max_steps;
      if (j.c.exhausted == NULL) *cases += rows_check(&j, &out);
    }
    if (j.c.exhausted != NULL) too_many_steps(&j);
  }
  out.emittable = diag_errors(sink) == errors;
  return out;
}
