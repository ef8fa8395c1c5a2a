/* Workload rows: read, instantiated, checked. language.md §7. */
#include <string.h>

#include "compiler/judge.h"
#include "compiler/rows.h"
#include "compiler/yaml_value.h"

/* ---- places and messages ---- */

span row_span(const rows *r) {
  const yt_node *at = r->row->label_node != NULL ? r->row->label_node : r->row->node;
  return r->row->label_node != NULL ? yt_value_span(r->e->src, at) : yt_span(r->e->src, at);
}

static span value_span(const rows *r, const yt_node *n) {
  return n->kind == YT_SCALAR ? yt_value_span(r->e->src, n) : yt_span(r->e->src, n);
}

/* ---- reading a row ---- */

static void unknown_key(rows *r, const yt_node *key) {
  const entry *e = r->e;
  VEC(str) names = {0};
  for (uint32_t i = 0; i < e->param_count; i++)
    if (e->parameters[i].tensor < 0) vec_push(r->scratch, &names, e->parameters[i].name);
  for (uint32_t i = 0; i < e->index_count; i++)
    if (!kind_may(e->indices[i].kind, K_DTYPE)) vec_push(r->scratch, &names, e->indices[i].name);
  vec_push(r->scratch, &names, STR("some"));
  vec_push(r->scratch, &names, STR("dtype_cases"));
  vec_push(r->scratch, &names, STR("label"));
  str name = yt_text(key);
  diag *d = diag_add(r->sink, ROW_UNKNOWN_KEY, yt_value_span(e->src, key),
                     "unknown key '%.*s' in a workload row", STR_ARG(name));
  const symbol *s = entry_symbol(e, name);
  if (s != NULL && s->cls == SYM_TENSOR)
    diag_help(r->sink, d, "an optional tensor is passed by naming it in `some`");
  else if (s != NULL && s->cls == SYM_INDEX)
    diag_help(r->sink, d, "a DType index is given in `dtype_cases`");
  diag_list(r->sink, d, "keys", names.v, names.n);
  diag_suggest(r->sink, d, name, names.v, names.n);
  str meant = diag_nearest(name, names.v, names.n);
  if (meant.n > 0) vec_push(r->scratch, &r->misspelt, meant);
  r->bad = true;
}

bool rows_misspelt(const rows *r, str name) {
  for (uint32_t i = 0; i < r->misspelt.n; i++)
    if (str_eq(r->misspelt.v[i], name)) return true;
  return false;
}

void rows_unreached(rows *r, const char *what, str name) {
  if (r->unreached) return;
  r->unreached = true;
  diag_add(r->sink, ROW_UNREACHED, row_span(r), "workload row '%.*s': unreached, %s '%.*s' is malformed",
           STR_ARG(r->row->label), what, STR_ARG(name));
}

str rows_quoted(rows *r, const name_list *names) {
  str out = {0};
  for (uint32_t i = 0; i < names->n; i++)
    out = arena_printf(r->scratch, "%.*s%s'%.*s'", STR_ARG(out), i == 0 ? "" : ", ", STR_ARG(names->v[i]));
  return out;
}

static void read_param(rows *r, const param_decl *p, const yt_node *node) {
  if (p->state != FACT_VALID || p->kind == NULL || kind_may(p->kind, K_UNKNOWN)) {
    rows_unreached(r, "parameter", p->name);
    return;
  }
  uint32_t number = (uint32_t)(p - r->e->parameters);
  const char *what = arena_cstr(r->scratch, arena_printf(r->scratch, "parameter '%.*s'", STR_ARG(p->name)));
  if (!value_of_node(r->a, r->sink, r->e->src, node, p->kind, p->type, what, &r->params[number]))
    r->bad = true;
}

/* A name in `some` that a malformed declaration keeps from being judged. */
static bool some_unreadable(rows *r, const symbol *s, const tensor_decl *t) {
  const entry *e = r->e;
  bool condition = t != NULL && t->presence == PRESENT_IF && !t->condition.judged;
  bool declared = s != NULL && s->state != FACT_VALID;
  bool sections =
      s == NULL && (e->signature != FACT_VALID || e->inputs == FACT_MALFORMED || e->params == FACT_MALFORMED);
  if (!condition && !declared && !sections) return false;
  rows_unreached(r, sections ? "section" : "the declaration of", sections ? STR("signature") : s->name);
  return true;
}

static void read_some(rows *r, const yt_node *list) {
  const entry *e = r->e;
  if (yt_is_null(list)) return;
  if (list->kind != YT_SEQUENCE) {
    diag_add(r->sink, ROW_SOME, value_span(r, list), "`some` is a list of optional tensors");
    r->bad = true;
    return;
  }
  for (uint32_t i = 0; i < list->n; i++) {
    const yt_node *one = list->u.items[i];
    const symbol *s = one->kind == YT_SCALAR ? entry_symbol(e, yt_text(one)) : NULL;
    const tensor_decl *t = s != NULL && s->cls == SYM_TENSOR ? &e->tensors[s->number] : NULL;
    if (t != NULL && t->presence == PRESENT_OPTIONAL && t->role != ROOFLINE_OUTPUT && !r->passed[s->number]) {
      r->passed[s->number] = true;
      continue;
    }
    if (some_unreadable(r, s, t)) continue;
    r->bad = true;
    VEC(str) names = {0};
    for (uint32_t k = 0; k < e->tensor_count; k++)
      if (e->tensors[k].presence == PRESENT_OPTIONAL) vec_push(r->scratch, &names, e->tensors[k].name);
    str name = one->kind == YT_SCALAR ? yt_text(one) : STR("?");
    const char *why = t == NULL                       ? "names no tensor"
                      : t->presence == PRESENT_ALWAYS ? "is not optional"
                      : t->presence == PRESENT_IF     ? "has a condition, which alone decides"
                      : r->passed[s->number]          ? "is named twice"
                                                      : "is an output";
    diag *d = diag_add(r->sink, ROW_SOME, value_span(r, one), "'%.*s' in `some` %s", STR_ARG(name), why);
    if (names.n > 0) diag_list(r->sink, d, "optional tensors", names.v, names.n);
    if (t == NULL) diag_suggest(r->sink, d, name, names.v, names.n);
    if (t != NULL && t->presence == PRESENT_IF) {
      diag_help(r->sink, d, "leave it out of `some`: it is there exactly where its condition is true");
      diag_relate(r->sink, d, expr_whole(&t->condition.text, t->condition.root), "its condition");
    }
  }
}

static void read_keys(rows *r) {
  const entry *e = r->e;
  for (uint32_t i = 0; i < r->row->node->n; i++) {
    const yt_node *key = r->row->node->u.items[2 * i], *given = r->row->node->u.items[2 * i + 1];
    str name = yt_text(key);
    if (str_is(name, "label") || key == r->row->label_guess) continue;
    if (str_is(name, "some")) {
      read_some(r, given);
      continue;
    }
    if (str_is(name, "dtype_cases")) {
      r->dtype_cases = given;
      continue;
    }
    const symbol *s = entry_symbol(e, name);
    if (s != NULL && s->cls == SYM_PARAM) {
      read_param(r, &e->parameters[s->number], given);
    } else if (s != NULL && s->cls == SYM_INDEX && s->state == FACT_VALID && !kind_may(s->kind, K_DTYPE)) {
      r->index_keys[s->number] = key;
      r->index_nodes[s->number] = given;
    } else if (s != NULL && s->state != FACT_VALID) {
      rows_unreached(r, "the declaration of", name);
    } else if (e->signature != FACT_VALID || e->forall == FACT_MALFORMED || e->params == FACT_MALFORMED) {
      rows_unreached(r, "section",
                     e->signature != FACT_VALID    ? STR("signature")
                     : e->forall == FACT_MALFORMED ? STR("forall")
                                                   : STR("params"));
    } else {
      unknown_key(r, key);
    }
  }
}

static void fill_defaults(rows *r) {
  const entry *e = r->e;
  name_list missing = {0};
  for (uint32_t i = 0; i < e->param_count; i++) {
    const param_decl *p = &e->parameters[i];
    if (p->tensor >= 0 || r->params[i].tag != V_UNKNOWN) continue;
    if (p->state != FACT_VALID || p->default_state == FACT_MALFORMED || p->kind == NULL) {
      rows_unreached(r, p->state != FACT_VALID ? "parameter" : "the default of parameter", p->name);
    } else if (p->default_state == FACT_VALID) {
      r->params[i] = p->default_value;
    } else if (yt_get(r->row->node, arena_cstr(r->scratch, p->name), NULL) == NULL &&
               !rows_misspelt(r, p->name)) {
      vec_push(r->scratch, &missing, p->name);
    }
  }
  if (missing.n == 0) return;
  r->bad = true;
  diag_add(r->sink, ROW_MISSES_PARAM, row_span(r),
           "workload row '%.*s' misses parameter%s %.*s, without default", STR_ARG(r->row->label),
           missing.n == 1 ? "" : "s", STR_ARG(rows_quoted(r, &missing)));
}

/* ---- the branch a row is on ---- */

void rows_set_slots(rows *r) {
  fold *c = &r->j->c;
  const entry *e = r->e;
  memset(c->slots, 0, e->symbol_count * sizeof *c->slots);
  for (uint32_t i = 0; i < e->param_count; i++)
    if (e->parameters[i].tensor < 0) c->slots[e->parameters[i].symbol] = r->params[i];
  for (uint32_t i = 0; i < e->index_count; i++) c->slots[e->indices[i].symbol] = r->indices[i];
  for (uint32_t i = 0; i < e->tensor_count; i++)
    if (e->tensors[i].presence == PRESENT_OPTIONAL) c->slots[e->tensors[i].symbol] = value_bool(r->passed[i]);
  fold_forget(c);
}

static bool pick_branch(rows *r) {
  judge *j = r->j;
  rows_set_slots(r);
  uint32_t *choice = arena_array(r->scratch, uint32_t, j->p.axis_count + 1);
  for (uint32_t i = 0; i < j->p.axis_count; i++) {
    int32_t k = points_choice(&j->p.axes[i], &j->c.slots[j->p.axes[i].symbol]);
    if (k < 0) return false;
    choice[i] = (uint32_t)k;
  }
  r->branch = NULL;
  for (uint32_t i = 0; i < r->branches.n; i++)
    if (memcmp(r->branches.v[i]->choice, choice, j->p.axis_count * sizeof *choice) == 0)
      r->branch = r->branches.v[i];
  if (r->branch == NULL) {
    uint32_t *kept = arena_array(r->keep, uint32_t, j->p.axis_count + 1);
    memcpy(kept, choice, j->p.axis_count * sizeof *kept);
    r->branch = rows_find_branch(r, kept);
  }
  return true;
}

/* ---- indices ---- */

static bool relevant(const rows *r, const index_decl *x) { return set_has(r->branch->relevant, x->symbol); }

/* Takes an integer, from 0 on for a Dim. */
static bool value_of_integer(rows *r, const yt_node *node, bool dim, str name, int64_t *out) {
  bool integer = node->kind == YT_SCALAR && node->type == YT_INT;
  if (integer && yt_int(node, out) && (!dim || *out >= 0)) return true;
  r->bad = true;
  if (node->kind == YT_SCALAR) yaml_warn_trap(r->sink, r->e->src, node);
  if (integer && !yt_int(node, out))
    diag_add(r->sink, VALUE_RANGE, value_span(r, node), "integer out of range in index '%.*s'",
             STR_ARG(name));
  else
    diag_add(r->sink, ROW_VALUE, value_span(r, node), "%s wanted in index '%.*s'; found %.*s",
             dim ? "an integer from 0" : "an integer", STR_ARG(name),
             STR_ARG(yaml_describe(r->scratch, node)));
  return false;
}

static void value_of_shape(rows *r, const index_decl *x, const yt_node *node) {
  int64_t *dims = arena_array(r->a, int64_t, ROOFLINE_MAX_RANK);
  if (node->kind != YT_SEQUENCE || node->n > ROOFLINE_MAX_RANK) {
    diag_add(r->sink, ROW_VALUE, value_span(r, node),
             "a list of at most %d dimensions wanted for index '%.*s'", ROOFLINE_MAX_RANK, STR_ARG(x->name));
    r->bad = true;
    return;
  }
  bool good = true;
  for (uint32_t i = 0; i < node->n; i++)
    good = value_of_integer(r, node->u.items[i], true, x->name, &dims[i]) && good;
  if (good) r->indices[x - r->e->indices] = value_seq(roofline_seq_of(dims, node->n));
}

/* A Seq[Int] index: a list, or a call of a value primitive over integer literals. */
static void value_of_list(rows *r, const index_decl *x, const yt_node *node) {
  value *out = &r->indices[x - r->e->indices];
  if (node->kind == YT_SEQUENCE) {
    int64_t *items = arena_array(r->a, int64_t, node->n + 1);
    bool good = true;
    for (uint32_t i = 0; i < node->n; i++)
      good = value_of_integer(r, node->u.items[i], false, x->name, &items[i]) && good;
    if (good) *out = value_seq(roofline_seq_of(items, node->n));
    return;
  }
  if (node->kind == YT_SCALAR && node->type == YT_STRING && rows_list_call(r, x, node, out)) return;
  if (node->kind != YT_SCALAR || node->type != YT_STRING)
    diag_add(r->sink, ROW_VALUE, value_span(r, node),
             "a list, or a call such as \"repeat(512, 4)\", wanted for '%.*s'", STR_ARG(x->name));
  r->bad = true;
}

static void read_index(rows *r, const index_decl *x) {
  uint32_t i = (uint32_t)(x - r->e->indices);
  const yt_node *node = r->index_nodes[i];
  if (kind_may(x->kind, K_DIM)) {
    int64_t dim;
    if (value_of_integer(r, node, true, x->name, &dim)) r->indices[i] = value_int(dim);
  } else if (kind_may(x->kind, K_SHAPE)) {
    value_of_shape(r, x, node);
  } else {
    value_of_list(r, x, node);
  }
}

/* Exactly the relevant indices that no generator solves. */
static void read_indices(rows *r) {
  const entry *e = r->e;
  name_list missing = {0};
  for (uint32_t i = 0; i < e->index_count; i++) {
    const index_decl *x = &e->indices[i];
    if (x->state != FACT_VALID || kind_may(x->kind, K_DTYPE | K_UNKNOWN)) continue;
    bool wanted = relevant(r, x), generated = wanted && set_has(r->branch->generated, x->symbol);
    if (r->index_nodes[i] != NULL && wanted && (!generated || r->lax)) {
      read_index(r, x);
    } else if (r->index_nodes[i] != NULL && generated) {
      r->bad = true;
      diag_add(r->sink, ROW_INDEX_GENERATED, yt_value_span(e->src, r->index_keys[i]),
               "index '%.*s' is determined by a generator; leave it out", STR_ARG(x->name));
    } else if (r->index_nodes[i] != NULL && !r->lax) {
      r->bad = true;
      diag_add(r->sink, ROW_INDEX_IRRELEVANT, yt_value_span(e->src, r->index_keys[i]),
               "index '%.*s' is not relevant on this row's branch; leave it out", STR_ARG(x->name));
    } else if (r->index_nodes[i] == NULL && wanted && !generated && !r->lax &&
               !set_has(r->j->unsolvable, x->symbol) && !rows_misspelt(r, x->name)) {
      vec_push(r->scratch, &missing, x->name);
    }
  }
  if (missing.n == 0) return;
  r->bad = true;
  diag_add(r->sink, ROW_MISSES_INDEX, row_span(r), "workload row '%.*s' misses %s %.*s",
           STR_ARG(r->row->label), missing.n == 1 ? "index" : "indices", STR_ARG(rows_quoted(r, &missing)));
}

/* Which indices are relevant cannot be told: what is given is judged by its kind alone. */
static void read_values_alone(rows *r) {
  const entry *e = r->e;
  for (uint32_t i = 0; i < e->index_count; i++)
    if (r->index_nodes[i] != NULL && !kind_may(e->indices[i].kind, K_UNKNOWN)) read_index(r, &e->indices[i]);
  bool lax = r->lax;
  r->lax = true;
  rows_dtype_cases(r);
  r->lax = lax;
}

/* ---- the whole row ---- */

static bool row_begin(rows *r, const row_decl *row) {
  const entry *e = r->e;
  r->row = row;
  r->bad = r->unreached = false;
  r->dtype_cases = NULL;
  r->misspelt.n = r->misspelt.cap = 0;
  r->params = arena_array(r->a, value, e->param_count + 1);
  r->indices = arena_array(r->a, value, e->index_count + 1);
  r->index_keys = arena_array(r->scratch, const yt_node *, e->index_count + 1);
  r->index_nodes = arena_array(r->scratch, const yt_node *, e->index_count + 1);
  r->passed = arena_array(r->scratch, bool, e->tensor_count + 1);
  return row->node != NULL && row->node->kind == YT_MAPPING;
}

static void check_row(rows *r, const row_decl *row) {
  if (!row_begin(r, row)) {
    r->malformed_rows = true;
    return;
  }
  read_keys(r);
  fill_defaults(r);
  r->branch = NULL;
  if (r->bad || r->unreached || !pick_branch(r)) {
    r->malformed_rows = true;
    read_values_alone(r);
    return;
  }
  if (!r->branch->accepted) {
    const formula *f = r->branch->rejected_by;
    str text = expr_print(r->scratch, f->root);
    diag *d = diag_add(r->sink, ROW_REJECTED, row_span(r),
                       "workload row '%.*s' is outside the domain: '%.*s' is false", STR_ARG(row->label),
                       STR_ARG(text));
    diag_relate(r->sink, d, expr_whole(&f->text, f->root), "the refinement");
    r->malformed_rows = true;
    return;
  }
  bool lax = r->lax;
  r->lax = lax || r->branch->open;
  read_indices(r);
  if (r->bad) {
    r->malformed_rows = true;
    /* The dtype cases are judged all the same: their defects do not rest on the indices. */
    rows_dtype_cases(r);
  } else {
    rows_instantiate(r);
  }
  r->lax = lax;
}

/* ---- coverage ---- */

static void not_covered(rows *r, const tensor_decl *t, bool omitted) {
  diag *d =
      diag_add(r->sink, omitted ? NEVER_PASSED : NEVER_OMITTED, yt_value_span(r->e->src, t->key),
               "no workload row %s optional tensor '%.*s'", omitted ? "passes" : "omits", STR_ARG(t->name));
  if (t->presence == PRESENT_IF) {
    diag_help(r->sink, d, "its condition is %s on every row: add one on which it is %s",
              omitted ? "false" : "true", omitted ? "true" : "false");
    diag_relate(r->sink, d, expr_whole(&t->condition.text, t->condition.root), "its condition");
  } else if (omitted) {
    diag_help(r->sink, d, "a row passes it by 'some: [%.*s]'", STR_ARG(t->name));
  } else {
    diag_help(r->sink, d, "every row lists it in `some`: a row without it omits it");
  }
}

/* An implemented entry passes each optional tensor in a row and omits it in another. */
static void check_coverage(rows *r) {
  const entry *e = r->e;
  if (!e->implemented) return;
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    if (t->presence == PRESENT_ALWAYS || t->role == ROOFLINE_OUTPUT || t->state != FACT_VALID) continue;
    if (t->presence == PRESENT_IF && !t->condition.judged) continue;
    if (r->covered[i] && r->omitted[i]) continue;
    if (r->malformed_rows)
      diag_add(r->sink, COVERAGE_UNREACHED, yt_value_span(e->src, t->key),
               "coverage of '%.*s': unreached, a workload row is malformed", STR_ARG(t->name));
    else
      not_covered(r, t, !r->covered[i]);
  }
}

uint32_t rows_check(judge *j, plan *out) {
  const entry *e = j->e;
  if (j->options->rows == ROWS_NONE || e->row_count == 0) {
    if (e->row_count > 0 && e->workloads_node != NULL)
      diag_add(j->sink, ROWS_SKIPPED, yt_value_span(e->src, e->key), "workload rows: unreached, --rows=none");
    return 0;
  }
  bool metadata = false;
  for (uint32_t i = 0; i < e->tensor_count; i++)
    metadata = metadata || e->tensors[i].values.state != FACT_ABSENT;
  if (j->options->rows == ROWS_SHAPES && metadata)
    diag_add(j->sink, ROWS_SKIPPED, yt_value_span(e->src, e->key),
             "metadata values of workload rows: unreached, --rows=shapes");
  arena *row_memory = arena_new();
  rows r = {.j = j,
            .a = j->options->want_rows ? j->a : row_memory,
            .keep = j->scratch,
            .scratch = row_memory,
            .sink = j->sink,
            .e = e};
  r.covered = arena_array(j->scratch, bool, e->tensor_count + 1);
  r.omitted = arena_array(j->scratch, bool, e->tensor_count + 1);
  /* A formula that cannot be read may use any index: "not relevant" and "misses" are then not judged. */
  r.lax = rows_relevance_unreached(&r);
  arena *folding = j->c.a;
  for (uint32_t i = 0; i < e->row_count && j->c.exhausted == NULL; i++) {
    arena_reset(row_memory);
    j->c.a = row_memory;
    check_row(&r, &e->rows[i]);
  }
  j->c.a = folding;
  if (j->c.exhausted == NULL) check_coverage(&r);
  out->rows = r.out.v;
  out->row_count = r.out.n;
  arena_free(row_memory);
  return r.cases;
}
