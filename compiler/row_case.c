/* Instantiating a row: shapes, refinements, metadata values, dtype cases, case ids. language.md §7. */
#include "compiler/rows.h"

#include <string.h>

#include "roofline/primitive.h"

static diag *row_defect_at(rows *r, diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static diag *row_defect_at(rows *r, diag_code code, span at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str text = arena_vprintf(r->scratch, format, args);
  va_end(args);
  r->bad = true;
  return diag_add(r->sink, code, at, "workload row '%.*s': %.*s", STR_ARG(r->row->label), STR_ARG(text));
}
#define row_defect(r, code, ...) row_defect_at((r), (code), row_span(r), __VA_ARGS__)

/* The dtype case at hand; a row without any stands for itself. */
static span case_span(const rows *r) {
  return r->dtype_case != NULL ? yt_span(r->e->src, r->dtype_case) : row_span(r);
}

static bool span_eq(span a, span b) { return a.src == b.src && a.begin == b.begin && a.end == b.end; }

static void relate(rows *r, diag *d, const formula *f, const char *what) {
  if (d != NULL && f->root != NULL) diag_relate(r->sink, d, expr_whole(&f->text, f->root), "%s", what);
}

/* ---- indices that generators determine ---- */

/* Evaluates generators whose arguments are known and unifies their shapes with the declared ones, until
   nothing new is solved. */
static void solve_generated(rows *r) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  symbol_set known = set_new(r->scratch, e->symbol_count);
  for (uint32_t i = 0; i < e->symbol_count; i++) {
    const symbol *s = &e->symbols[i];
    bool missing = s->cls == SYM_INDEX && set_has(r->branch->generated, i) && !value_known(&c->slots[i]);
    if (!missing) set_add(known, i);
  }
  bool *used = arena_array(r->scratch, bool, e->tensor_count + 1);
  for (bool progress = true; progress && !r->bad;) {
    progress = false;
    for (uint32_t t = 0; t < e->tensor_count && !r->bad; t++) {
      const tensor_decl *d = &e->tensors[t];
      if (used[t] || d->values.state != FACT_VALID || fold_present(c, t) != 1) continue;
      struct fold_metadata m;
      c->status = ROOFLINE_OK;
      if (!fold_generate(c, d, false, &m)) {
        if (c->status == ROOFLINE_OK) continue; /* an argument is not known yet */
        if (fold_failure_known(c)) {
          rows_unreached(r, "the generator of", d->name);
          return;
        }
        relate(
            r,
            row_defect(r, ROW_GENERATOR, "the generator of '%.*s' is outside its domain", STR_ARG(d->name)),
            &d->values, "the generator");
        return;
      }
      used[t] = true;
      progress = true;
      symbol_set before = set_new(r->scratch, e->symbol_count);
      set_union(before, known);
      solve_tensor(c, t, known, NULL, &m.shape);
      if (c->status != ROOFLINE_OK)
        relate(r,
               row_defect(r, ROW_GENERATOR, "the generated shape of '%.*s' does not fit its declared shape",
                          STR_ARG(d->name)),
               &d->shape, "the declared shape");
      for (uint32_t i = 0; i < e->index_count; i++) {
        uint32_t s = e->indices[i].symbol;
        if (set_has(known, s) && !set_has(before, s)) r->indices[i] = c->slots[s];
      }
    }
  }
}

/* Every relevant index has a value now, but for dtypes. */
static bool all_solved(rows *r) {
  const entry *e = r->e;
  for (uint32_t i = 0; i < e->index_count; i++) {
    const index_decl *x = &e->indices[i];
    bool wanted =
        set_has(r->branch->relevant, x->symbol) && x->state == FACT_VALID && !kind_may(x->kind, K_DTYPE);
    if (!wanted || value_known(&r->indices[i])) continue;
    if (set_has(r->j->unsolvable, x->symbol))
      rows_unreached(r, "index", x->name);
    else if (r->lax)
      rows_unreached(r, "what determines index", x->name);
    else if (!r->bad)
      row_defect(r, ROW_GENERATOR, "no generator determines index '%.*s' on this row", STR_ARG(x->name));
    return false;
  }
  return !r->bad;
}

/* ---- shapes ---- */

/* The instantiated shapes of present tensors; rank -1 where absent or not known. */
static bool instantiate_shapes(rows *r, roofline_shape *shapes) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  bool all = true;
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    const tensor_decl *d = &e->tensors[t];
    shapes[t].rank = -1;
    if (d->state != FACT_VALID || fold_present(c, t) != 1) continue;
    fold_shape found;
    if (fold_find_shape(c, &d->shape, &found) != SHAPE_FOUND) continue;
    c->status = ROOFLINE_OK;
    if (fold_axes(c, &found, &shapes[t])) continue;
    shapes[t].rank = -1;
    if (c->status == ROOFLINE_OK) continue; /* it rests on something malformed */
    all = false;
    if (fold_failure_known(c)) {
      rows_unreached(r, "the shape of", d->name);
      continue;
    }
    const char *why = c->status == ROOFLINE_E_OVERFLOW
                          ? "overflows 64 bits"
                          : "has a negative axis, too many axes, or is outside a primitive's domain";
    relate(r, row_defect(r, ROW_SHAPE, "the shape of '%.*s' %s", STR_ARG(d->name), why), found.f,
           "the shape");
  }
  c->status = ROOFLINE_OK;
  return all;
}

/* ---- refinements ---- */

static bool reads_dtype(rows *r, const formula *f) {
  /* A rule that stays open while dtypes are unknown is judged per dtype case. */
  value v = fold_formula(&r->j->c, f);
  return v.tag != V_BOOL && r->j->c.status == ROOFLINE_OK;
}

static void check_rule(rows *r, const formula *f) {
  fold *c = &r->j->c;
  c->status = ROOFLINE_OK;
  value v = fold_formula(c, f);
  if (v.tag == V_BOOL && v.u.b) return;
  if (v.tag != V_BOOL && c->status == ROOFLINE_OK) return; /* it rests on something malformed */
  if (v.tag != V_BOOL && fold_failure_known(c)) {
    rows_unreached(r, "a refinement, or what it reads,", STR("fails"));
    return;
  }
  str text = expr_print(r->scratch, f->root);
  diag *d = v.tag == V_BOOL
                ? row_defect(r, ROW_REFINEMENT, "'%.*s' is false", STR_ARG(text))
                : row_defect(r, ROW_REFINEMENT, "'%.*s' cannot be evaluated: %s", STR_ARG(text),
                             c->status == ROOFLINE_E_OVERFLOW ? "it overflows 64 bits"
                                                              : "a primitive is outside its domain");
  relate(r, d, f, "the refinement");
  c->status = ROOFLINE_OK;
}

static void check_rules(rows *r, const bool *per_case, bool in_case) {
  for (uint32_t i = 0; i < r->e->rule_count; i++)
    if (r->e->rules[i].judged && per_case[i] == in_case) check_rule(r, &r->e->rules[i]);
}

/* ---- metadata ---- */

static bool same_shape(const roofline_shape *a, const roofline_shape *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

static str shape_text(rows *r, const roofline_shape *s) {
  str text = STR("[");
  for (int32_t i = 0; i < s->rank; i++)
    text = arena_printf(r->scratch, "%.*s%s%lld", STR_ARG(text), i > 0 ? ", " : "", (long long)s->dims[i]);
  return arena_printf(r->scratch, "%.*s]", STR_ARG(text));
}

/* Generates every metadata tensor's values once per row; in `--rows=shapes` only their shapes. */
static void generate_metadata(rows *r, const roofline_shape *shapes) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  bool draw = r->j->options->rows == ROWS_FULL;
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    const tensor_decl *d = &e->tensors[t];
    if (d->values.state != FACT_VALID || !d->values.judged || shapes[t].rank < 0) continue;
    struct fold_metadata *m = arena_new_of(r->scratch, struct fold_metadata);
    c->status = ROOFLINE_OK;
    if (!fold_generate(c, d, draw, m)) {
      if (c->status != ROOFLINE_OK && !fold_failure_known(c))
        relate(
            r,
            row_defect(r, ROW_GENERATOR, "the generator of '%.*s' is outside its domain", STR_ARG(d->name)),
            &d->values, "the generator");
      continue;
    }
    if (!same_shape(&m->shape, &shapes[t])) {
      str got = shape_text(r, &m->shape), want = shape_text(r, &shapes[t]);
      relate(r,
             row_defect(r, ROW_GENERATOR, "the generator of '%.*s' gives %.*s, its shape is %.*s",
                        STR_ARG(d->name), STR_ARG(got), STR_ARG(want)),
             &d->values, "the generator");
      continue;
    }
    if (draw) r->metadata[t] = m;
  }
  c->status = ROOFLINE_OK;
}

static void check_requires(rows *r) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    const tensor_decl *d = &e->tensors[t];
    for (uint32_t i = 0; i < d->requires_count; i++) {
      if (r->metadata[t] == NULL || !d->requires[i].judged) continue;
      c->status = ROOFLINE_OK;
      if (fold_requires(c, &d->requires[i], r -> metadata[t],
                        (const struct fold_metadata *const *)r -> metadata))
        continue;
      str text = expr_print(r->scratch, d->requires[i].root);
      relate(r,
             row_defect(r, ROW_PREDICATE, "the values of '%.*s' do not keep %.*s", STR_ARG(d->name),
                        STR_ARG(text)),
             &d->requires[i], "the predicate");
    }
  }
  c->status = ROOFLINE_OK;
}

/* Generated values must fit an int32 tensor. */
static void check_values_fit(rows *r) {
  const entry *e = r->e;
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    if (r->metadata[t] == NULL) continue;
    value dtype = fold_formula(&r->j->c, &e->tensors[t].dtype);
    if (dtype.tag != V_DTYPE || dtype.u.t != ROOFLINE_INT32) continue;
    const struct fold_metadata *m = r->metadata[t];
    for (int64_t k = 0; !m->fits_int32 && k < m->count; k++) {
      if (m->values[k] >= INT32_MIN && m->values[k] <= INT32_MAX) continue;
      row_defect(r, ROW_GENERATOR, "a generated value of '%.*s', %lld, does not fit int32",
                 STR_ARG(e->tensors[t].name), (long long)m->values[k]);
      return;
    }
  }
}

/* ---- case ids ---- */

static uint64_t hash_text(str s) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (uint32_t i = 0; i < s.n; i++) h = (h ^ (uint8_t)s.p[i]) * UINT64_C(1099511628211);
  return h;
}

static case_name *find_name(case_name *names, uint32_t cap, str id) {
  uint32_t at = (uint32_t)hash_text(id) & (cap - 1);
  while (names[at].id.p != NULL && !str_eq(names[at].id, id)) at = (at + 1) & (cap - 1);
  return &names[at];
}

static void check_distinct(rows *r, str id) {
  if (2 * (r->name_count + 1) > r->name_cap) {
    uint32_t cap = r->name_cap == 0 ? 32 : 2 * r->name_cap;
    case_name *names = arena_array(r->keep, case_name, cap);
    for (uint32_t i = 0; i < r->name_cap; i++)
      if (r->names[i].id.p != NULL) *find_name(names, cap, r->names[i].id) = r->names[i];
    r->names = names;
    r->name_cap = cap;
  }
  case_name *slot = find_name(r->names, r->name_cap, id);
  if (slot->id.p != NULL) {
    /* Two rows of one label are one defect, two cases of one row another. */
    bool same_row = span_eq(slot->row, row_span(r));
    diag *d = row_defect_at(r, CASE_ID_TWICE, same_row ? case_span(r) : row_span(r),
                            "case id '%.*s' stands twice in the entry", STR_ARG(id));
    if (d != NULL) diag_relate(r->sink, d, same_row ? slot->at : slot->row, "first here");
    return;
  }
  *slot = (case_name){arena_str(r->keep, id), row_span(r), case_span(r)};
  r->name_count++;
}

/* Label, the case's dtypes in `forall` order, then dtype parameters' values in `params` order. */
static str case_id(rows *r) {
  const entry *e = r->e;
  str id = r->row->label;
  for (uint32_t i = 0; i < e->index_count; i++)
    if (kind_may(e->indices[i].kind, K_DTYPE) && r->indices[i].tag == V_DTYPE)
      id = arena_printf(r->a, "%.*s-%s", STR_ARG(id), roofline_dtype_name(r->indices[i].u.t));
  for (uint32_t i = 0; i < e->param_count; i++) {
    const param_decl *p = &e->parameters[i];
    if (p->tensor < 0 && p->kind != NULL && kind_is(p->kind, K_DTYPE | K_NONE) && r->params[i].tag == V_DTYPE)
      id = arena_printf(r->a, "%.*s-%s", STR_ARG(id), roofline_dtype_name(r->params[i].u.t));
  }
  return id;
}

static void keep_case(rows *r, str id) {
  if (!r->j->options->want_rows) return;
  const entry *e = r->e;
  value *indices = arena_array(r->a, value, e->index_count + 1);
  memcpy(indices, r->indices, e->index_count * sizeof *indices);
  bool *present = arena_array(r->a, bool, e->tensor_count + 1);
  for (uint32_t t = 0; t < e->tensor_count; t++) present[t] = fold_present(&r->j->c, t) == 1;
  plan_row row = {id, r->row->label, indices, r->params, present};
  vec_push(r->a, &r->out, row);
}

/* ---- dtype cases ---- */

static void dtype_allowed(rows *r, const index_decl *x, const yt_node *node) {
  str name = node->kind == YT_SCALAR ? yt_text(node) : STR("");
  roofline_dtype t = roofline_dtype_find(name.p, name.n);
  span at = node->kind == YT_SCALAR ? yt_value_span(r->e->src, node) : yt_span(r->e->src, node);
  if (t != ROOFLINE_DTYPE_NONE && (x->kind->dtypes & (1u << t)) != 0) {
    r->indices[x - r->e->indices] = value_dtype(t);
    return;
  }
  r->bad = true;
  str set = kind_text(r->scratch, x->kind);
  diag *d = t == ROOFLINE_DTYPE_NONE
                ? diag_add(r->sink, ROW_DTYPE, at, "a dtype name wanted for '%.*s'", STR_ARG(x->name))
                : diag_add(r->sink, ROW_DTYPE, at, "'%.*s' is not one of %.*s", STR_ARG(name), STR_ARG(set));
  VEC(str) names = {0};
  for (uint32_t k = 1; k < ROOFLINE_DTYPE_COUNT; k++)
    if ((x->kind->dtypes & (1u << k)) != 0)
      vec_push(r->scratch, &names, str_of(roofline_dtype_name((roofline_dtype)k)));
  diag_list(r->sink, d, "allowed", names.v, names.n);
  kind_suggest(r->sink, d, name, names.v, names.n);
}

static bool dtype_relevant(const rows *r, const index_decl *x) {
  return x->state == FACT_VALID && kind_may(x->kind, K_DTYPE) && r->branch != NULL &&
         set_has(r->branch->relevant, x->symbol);
}

/* Reads one dtype case; it gives every relevant DType index and nothing else. */
static void read_case(rows *r, const yt_node *node) {
  const entry *e = r->e;
  for (uint32_t i = 0; i < e->index_count; i++)
    if (kind_may(e->indices[i].kind, K_DTYPE)) r->indices[i] = (value){0};
  bool *given = arena_array(r->scratch, bool, e->index_count + 1);
  for (uint32_t i = 0; node != NULL && i < node->n; i++) {
    const yt_node *key = node->u.items[2 * i];
    const symbol *s = entry_symbol(e, yt_text(key));
    const index_decl *x = s != NULL && s->cls == SYM_INDEX ? &e->indices[s->number] : NULL;
    if (x != NULL && (x->state != FACT_VALID || kind_may(x->kind, K_UNKNOWN))) {
      rows_unreached(r, "the declaration of", x->name);
      continue;
    }
    if (x == NULL && (r->lax || e->forall == FACT_MALFORMED)) continue;
    if (x != NULL && kind_may(x->kind, K_DTYPE)) {
      given[s->number] = true;
      if (dtype_relevant(r, x) || r->lax) {
        dtype_allowed(r, x, node->u.items[2 * i + 1]);
        continue;
      }
    }
    r->bad = true;
    str name = yt_text(key);
    diag *d = diag_add(r->sink, ROW_DTYPE_KEY, yt_value_span(e->src, key),
                       x == NULL || !kind_may(x->kind, K_DTYPE)
                           ? "'%.*s' is not a DType index"
                           : "DType index '%.*s' is not relevant on this row's branch",
                       STR_ARG(name));
    VEC(str) names = {0};
    for (uint32_t k = 0; k < e->index_count; k++)
      if (dtype_relevant(r, &e->indices[k])) vec_push(r->scratch, &names, e->indices[k].name);
    if (names.n > 0) diag_list(r->sink, d, "DType indices", names.v, names.n);
    diag_suggest(r->sink, d, name, names.v, names.n);
  }
  name_list missing = {0};
  for (uint32_t i = 0; i < e->index_count; i++) {
    const index_decl *x = &e->indices[i];
    if (dtype_relevant(r, x) && !given[i] && !r->lax) vec_push(r->scratch, &missing, x->name);
  }
  if (missing.n == 0) return;
  diag_add(r->sink, ROW_DTYPE_MISSING, case_span(r), "%s %.*s",
           node != NULL ? "a dtype case misses" : "the row gives no dtype case for",
           STR_ARG(rows_quoted(r, &missing)));
  r->bad = true;
}

/* dtype_combos: a case equals one of the supported combinations. */
static void check_combos(rows *r) {
  const entry *e = r->e;
  if (e->combo_count == 0 || e->dtype_combos != FACT_VALID) return;
  for (uint32_t i = 0; i < e->combo_count; i++) {
    const combo_row *combo = &e->combos[i];
    bool same = true;
    if (combo->state != FACT_VALID) return;
    for (uint32_t k = 0; same && k < combo->cell_count; k++) {
      value v = r->j->c.slots[combo->cells[k].symbol];
      roofline_dtype t = v.tag == V_DTYPE ? v.u.t : ROOFLINE_DTYPE_NONE; /* an absent parameter */
      same = v.tag == V_UNKNOWN || t == combo->cells[k].dtype;
    }
    if (same) return;
  }
  row_defect_at(r, ROW_COMBO, case_span(r), "its dtypes are not one of `dtype_combos`");
}

static void one_case(rows *r, const yt_node *node, const bool *per_case, bool instantiate) {
  bool bad = r->bad;
  r->bad = false;
  r->dtype_case = node;
  if (node != NULL && node->kind != YT_MAPPING) {
    diag_add(r->sink, ROW_DTYPE_CASES, yt_span(r->e->src, node),
             "a dtype case is a mapping of DType indices to dtypes");
    r->bad = true;
  } else {
    read_case(r, node);
  }
  if (instantiate && !r->bad && !r->unreached) {
    rows_set_slots(r);
    check_combos(r);
    if (!r->bad) check_rules(r, per_case, true);
    if (!r->bad) check_values_fit(r);
    if (!r->bad) {
      str id = case_id(r);
      check_distinct(r, id);
      keep_case(r, id);
      r->cases++;
    }
  }
  r->malformed_rows = r->malformed_rows || r->bad;
  r->bad = r->bad || bad;
}

static void walk_cases(rows *r, const bool *per_case, bool instantiate) {
  const yt_node *list = r->dtype_cases;
  if (list == NULL && rows_misspelt(r, STR("dtype_cases"))) return;
  if (list == NULL) {
    one_case(r, NULL, per_case, instantiate);
    return;
  }
  if (list->kind != YT_SEQUENCE || list->n == 0) {
    r->bad = r->malformed_rows = true;
    diag_add(r->sink, ROW_DTYPE_CASES, yt_span(r->e->src, list),
             "`dtype_cases` is a non-empty list of mappings");
    return;
  }
  for (uint32_t i = 0; i < list->n; i++) one_case(r, list->u.items[i], per_case, instantiate);
}

void rows_dtype_cases(rows *r) { walk_cases(r, NULL, false); }

static void note_coverage(rows *r) {
  for (uint32_t t = 0; t < r->e->tensor_count; t++) {
    int present = fold_present(&r->j->c, t);
    if (present == 1) r->covered[t] = true;
    if (present == 0) r->omitted[t] = true;
  }
}

void rows_instantiate(rows *r) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  diag_sink *sink = c->sink;
  c->sink = NULL; /* a failure here is the row's */
  rows_set_slots(r);
  r->metadata = arena_array(r->scratch, struct fold_metadata *, e->tensor_count + 1);
  bool *per_case = arena_array(r->scratch, bool, e->rule_count + 1);
  note_coverage(r);
  solve_generated(r);
  if (all_solved(r)) {
    roofline_shape *shapes = arena_array(r->scratch, roofline_shape, e->tensor_count + 1);
    for (uint32_t i = 0; i < e->rule_count; i++)
      per_case[i] = e->rules[i].judged && reads_dtype(r, &e->rules[i]);
    c->status = ROOFLINE_OK;
    bool sound = instantiate_shapes(r, shapes);
    check_rules(r, per_case, false);
    if (sound && !r->bad) generate_metadata(r, shapes);
    if (sound && !r->bad) check_requires(r);
    walk_cases(r, per_case, sound && !r->bad && !r->unreached && !r->lax);
  }
  r->malformed_rows = r->malformed_rows || r->bad || r->unreached;
  c->sink = sink;
}
