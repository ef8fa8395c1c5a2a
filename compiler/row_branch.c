/* Which indices a branch needs, and which of them generators determine. language.md §6, §7. */
#include "compiler/rows.h"

/* Indices that a metadata tensor's shape determines: an axis with one index that the generator's own
   arguments do not read. Found to a fixpoint, so that one generator's index may serve another's axis. */
static void find_generated(rows *r, branch *b) {
  judge *j = r->j;
  const entry *e = r->e;
  symbol_set *reads = arena_array(r->scratch, symbol_set, e->tensor_count + 1);
  symbol_set candidates = set_new(r->scratch, e->symbol_count);
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    if (!e->tensors[t].values.judged || fold_present(&j->c, t) != 1) continue;
    reads[t] = set_new(r->scratch, e->symbol_count);
    symbol_set before = j->c.reads;
    j->c.reads = reads[t];
    fold_formula(&j->c, &e->tensors[t].values);
    j->c.reads = before;
    /* Everything the declared shape could solve if nothing else were known. */
    fold_shape s;
    if (fold_find_shape(&j->c, &e->tensors[t].shape, &s) != SHAPE_FOUND) continue;
    roofline_shape shape;
    symbol_set axes = set_new(r->scratch, e->symbol_count);
    j->c.reads = axes;
    fold_axes(&j->c, &s, &shape);
    j->c.reads = before;
    for (uint32_t i = 0; i < axes.words; i++) candidates.bits[i] |= axes.bits[i] & ~reads[t].bits[i];
  }
  symbol_set known = solve_start(r->scratch, e);
  for (uint32_t i = 0; i < e->index_count; i++) {
    uint32_t s = e->indices[i].symbol;
    if (!set_has(candidates, s)) set_add(known, s);
  }
  symbol_set start = set_new(r->scratch, e->symbol_count);
  set_union(start, known);
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t t = 0; t < e->tensor_count; t++)
      if (reads[t].bits != NULL) progress = solve_tensor(&j->c, t, known, &reads[t], NULL) || progress;
  }
  for (uint32_t i = 0; i < known.words; i++) b->generated.bits[i] = known.bits[i] & ~start.bits[i];
}

static bool tensors_open(rows *r) {
  fold *c = &r->j->c;
  for (uint32_t t = 0; t < r->e->tensor_count; t++) {
    fold_shape s;
    if (r->e->tensors[t].state != FACT_VALID) continue;
    int present = fold_present(c, t);
    if (present < 0 || (present == 1 && fold_find_shape(c, &r->e->tensors[t].shape, &s) != SHAPE_FOUND))
      return true;
  }
  return false;
}

branch *rows_find_branch(rows *r, const uint32_t *choice) {
  judge *j = r->j;
  branch *b = arena_new_of(r->keep, branch);
  b->choice = choice;
  b->relevant = set_new(r->keep, r->e->symbol_count);
  b->generated = set_new(r->keep, r->e->symbol_count);
  vec_push(r->keep, &r->branches, b);
  diag_sink *sink = j->c.sink;
  j->c.sink = NULL;
  points_set(&j->p, &j->c, choice);
  b->rejected_by = judge_rejects(j, -2);
  b->accepted = b->rejected_by == NULL;
  symbol_set generators = set_new(r->scratch, r->e->symbol_count);
  if (b->accepted) {
    for (uint32_t i = 0; i < j->p.item_count; i++) judge_item(j, &j->p.items[i], b->relevant, generators);
    find_generated(r, b);
    b->open = tensors_open(r);
  }
  j->c.sink = sink;
  /* A combination of several groups' choices, which nothing has judged before. */
  if (b->accepted && !b->open) judge_solved(j, b->relevant);
  set_union(b->relevant, generators);
  return b;
}

static bool unread(const formula *f) {
  return f->state == FACT_MALFORMED || (f->state == FACT_VALID && !f->judged);
}

bool rows_relevance_unreached(rows *r) {
  const entry *e = r->e;
  if (e->signature != FACT_VALID || e->forall == FACT_MALFORMED || e->params == FACT_MALFORMED ||
      e->inputs == FACT_MALFORMED || e->outputs == FACT_MALFORMED || e->types == FACT_MALFORMED ||
      e->let == FACT_MALFORMED || e->shape_rules == FACT_MALFORMED || e->roofline == FACT_MALFORMED)
    return true;
  bool lax = unread(&e->flops) || unread(&e->bytes);
  for (uint32_t i = 0; i < e->rule_count; i++) lax = lax || unread(&e->rules[i]);
  for (uint32_t i = 0; i < e->let_count; i++) lax = lax || unread(&e->lets[i].formula);
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    lax = lax || t->state != FACT_VALID || unread(&t->dtype) || unread(&t->shape) || unread(&t->condition) ||
          unread(&t->values);
    for (uint32_t k = 0; k < t->requires_count; k++) lax = lax || unread(&t->requires[k]);
  }
  for (uint32_t i = 0; i < e->family_count; i++) {
    lax = lax || e->families[i].state != FACT_VALID;
    for (uint32_t k = 0; k < e->families[i].case_count; k++) lax = lax || unread(&e->families[i].cases[k].is);
  }
  return lax;
}
