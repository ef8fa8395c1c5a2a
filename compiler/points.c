/* Finding and walking discriminants. language.md §6 "Discriminants". */
#include "compiler/points.h"

#include "compiler/invariant.h"

#include <string.h>

/* ---- axes ---- */

static void add_axis(arena *a, points *p, uint32_t of, const value *choices, uint32_t count) {
  VEC(axis) axes = {p->axes, p->axis_count, p->axis_count};
  axis x = {of, count, choices, 0};
  vec_push(a, &axes, x);
  p->axes = axes.v;
  p->axis_count = axes.n;
}

static uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t saturating_mul(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint32_t field_size(const adt_field *f) {
  return kind_is(f->kind, K_BOOL) ? 2 : kind_is(f->kind, K_ENUM) ? f->kind->member_count : 1;
}

/* Constructors with combinations of their finite fields, those that an invariant refuses too. */
static uint64_t count_values(const adt *t) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < t->ctor_count; i++) {
    uint64_t product = 1;
    for (uint32_t f = 0; f < t->ctors[i].field_count; f++)
      product = saturating_mul(product, field_size(&t->ctors[i].fields[f]));
    sum = saturating_add(sum, product);
  }
  return sum;
}

/* The values of one constructor that its invariant allows or leaves open; the other fields are unknown. */
static uint32_t ctor_values(arena *a, const adt *t, uint32_t number, value *out) {
  const adt_ctor *ctor = &t->ctors[number];
  int64_t fields[ROOFLINE_MAX_FIELDS] = {0};
  arena *memory = arena_new();
  uint32_t n = 0, open = 0;
  for (uint32_t f = 0; f < ctor->field_count; f++)
    if (!kind_is(ctor->fields[f].kind, K_BOOL | K_ENUM)) open |= 1u << f;
  for (bool more = true; more;) {
    roofline_adt v = {t->type, (int32_t)number, {0}};
    memcpy(v.fields, fields, sizeof fields);
    const value tried = {.tag = V_ADT, .n = open, .u.adt = &v};
    arena_reset(memory);
    const value holds = invariant_holds(memory, t, &tried);
    if (holds.tag != V_BOOL || holds.u.b) {
      roofline_adt *kept = arena_new_of(a, roofline_adt);
      *kept = v;
      out[n++] = (value){.tag = V_ADT, .n = open, .u.adt = kept};
    }
    more = false;
    for (uint32_t f = 0; f < ctor->field_count && !more; f++) {
      more = ++fields[f] < field_size(&ctor->fields[f]);
      if (!more) fields[f] = 0;
    }
  }
  arena_free(memory);
  return n;
}

/* A Bool, enum or ADT parameter, absent or not; or the presence alone of any other Maybe. */
static void param_axis(arena *a, points *p, uint32_t most, const param_decl *d) {
  const kind *k = d->kind;
  if (d->tensor >= 0 || d->state != FACT_VALID || k == NULL || kind_may(k, K_UNKNOWN)) return;
  uint32_t bits = k->bits & ~(uint32_t)K_NONE;
  bool maybe = kind_may(k, K_NONE), finite = bits == K_BOOL || bits == K_ENUM;
  bool is_adt = bits == K_ADT && k->adt != NULL && !k->adt->malformed;
  if (!maybe && !finite && !is_adt) return;
  const uint64_t values = is_adt ? count_values(k->adt) : bits == K_ENUM ? k->member_count : 2;
  if (is_adt && values > most) {
    add_axis(a, p, d->symbol, NULL, values < UINT32_MAX ? (uint32_t)values : UINT32_MAX);
    return;
  }
  const uint32_t size = (uint32_t)values;
  value *choices = arena_array(a, value, size + 1);
  uint32_t n = 0;
  if (maybe) choices[n++] = value_none();
  if (bits == K_BOOL) {
    choices[n++] = value_bool(false);
    choices[n++] = value_bool(true);
  } else if (bits == K_ENUM) {
    for (uint32_t i = 0; i < k->member_count; i++) choices[n++] = value_string(k->members[i]);
  } else if (is_adt) {
    for (uint32_t i = 0; i < k->adt->ctor_count; i++) n += ctor_values(a, k->adt, i, choices + n);
  } else {
    choices[n++] = (value){.tag = V_UNKNOWN, .n = 1};
  }
  add_axis(a, p, d->symbol, choices, n);
}

static void tensor_axis(arena *a, points *p, const tensor_decl *t) {
  if (t->presence != PRESENT_OPTIONAL) return;
  value *choices = arena_array(a, value, 2);
  choices[0] = value_bool(false);
  choices[1] = value_bool(true);
  add_axis(a, p, t->symbol, choices, 2);
}

/* ---- who reads which ---- */

typedef struct reader {
  arena *a;
  const entry *e;
  const int32_t *axis_of; /* by symbol; -1 */
  uint64_t *axes;         /* set under construction */
  symbol_set done;        /* symbols seen already */
  VEC(const expr *) next; /* texts still to be read: by recursion they would nest as deep as all of them */
} reader;

static void read_symbol(reader *r, uint32_t s);

static void read_names(reader *r, const expr *e) {
  if (e == NULL) return;
  if (e->op == EX_NAME) {
    const symbol *s = entry_symbol(r->e, e->u.s);
    if (s != NULL) read_symbol(r, (uint32_t)(s - r->e->symbols));
  }
  for (uint32_t i = 0; i < e->n; i++) read_names(r, e->args[i]);
}

static bool once(uint64_t *set, uint32_t i) {
  bool fresh = (set[i / 64] >> (i % 64) & 1) == 0;
  set[i / 64] |= UINT64_C(1) << (i % 64);
  return fresh;
}

/* A let passes on what it reads, a tensor its condition. */
static void read_symbol(reader *r, uint32_t s) {
  if (!once(r->done.bits, s)) return;
  if (r->axis_of[s] >= 0) once(r->axes, (uint32_t)r->axis_of[s]);
  const symbol *sym = &r->e->symbols[s];
  if (sym->cls == SYM_LET) vec_push(r->a, &r->next, r->e->lets[sym->number].formula.root);
  if (sym->cls == SYM_TENSOR && r->e->tensors[sym->number].presence == PRESENT_IF)
    vec_push(r->a, &r->next, r->e->tensors[sym->number].condition.root);
}

static void read_item(reader *r, const item *it) {
  const entry *e = r->e;
  switch (it->kind) {
  case ITEM_RULE: read_names(r, e->rules[it->number].root); break;
  case ITEM_LET: read_names(r, e->lets[it->number].formula.root); break;
  case ITEM_FLOPS: read_names(r, e->flops.root); break;
  case ITEM_BYTES: read_names(r, e->bytes.root); break;
  case ITEM_TENSOR: {
    const tensor_decl *t = &e->tensors[it->number];
    read_symbol(r, t->symbol);
    read_names(r, t->dtype.root);
    read_names(r, t->shape.root);
    read_names(r, t->mutated.root);
    read_names(r, t->values.root);
    for (uint32_t i = 0; i < t->requires_count; i++) read_names(r, t->requires[i].root);
    break;
  }
  }
  while (r->next.n > 0) read_names(r, r->next.v[--r->next.n]);
}

static uint32_t find_root(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void list_items(arena *a, const entry *e, points *out) {
  out->items = arena_array(a, item, e->tensor_count + e->rule_count + e->let_count + 2);
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->rule_count; i++)
    out->items[n++] = (item){.kind = ITEM_RULE, .number = i, .group = -1};
  for (uint32_t i = 0; i < e->tensor_count; i++)
    out->items[n++] = (item){.kind = ITEM_TENSOR, .number = i, .group = -1};
  for (uint32_t i = 0; i < e->let_count; i++)
    out->items[n++] = (item){.kind = ITEM_LET, .number = i, .group = -1};
  if (e->flops.root != NULL) out->items[n++] = (item){.kind = ITEM_FLOPS, .number = 0, .group = -1};
  if (e->bytes.root != NULL) out->items[n++] = (item){.kind = ITEM_BYTES, .number = 0, .group = -1};
  out->item_count = n;
}

static void form_groups(arena *a, points *p, uint32_t *parent, const int32_t *item_axis) {
  int32_t *group_of = arena_array(a, int32_t, p->axis_count + 1);
  p->groups = arena_array(a, point_group, p->axis_count + 1);
  for (uint32_t i = 0; i < p->axis_count; i++) group_of[i] = -1;
  for (uint32_t i = 0; i < p->axis_count; i++) {
    uint32_t root = find_root(parent, i);
    if (group_of[root] < 0) {
      group_of[root] = (int32_t)p->group_count;
      point_group *g = &p->groups[p->group_count++];
      g->axes = arena_array(a, uint32_t, p->axis_count);
      g->combinations = 1;
    }
    p->axes[i].group = (uint32_t)group_of[root];
    point_group *g = &p->groups[group_of[root]];
    g->axes[g->axis_count++] = i;
    g->combinations = saturating_mul(g->combinations, p->axes[i].count);
  }
  for (uint32_t i = 0; i < p->group_count; i++)
    p->combinations = saturating_add(p->combinations, p->groups[i].combinations);
  for (uint32_t i = 0; i < p->item_count; i++)
    p->items[i].group = item_axis[i] < 0 ? -1 : (int32_t)p->axes[item_axis[i]].group;
}

void points_find(arena *a, const entry *e, uint32_t most, points *out) {
  *out = (points){0};
  for (uint32_t i = 0; i < e->param_count; i++) param_axis(a, out, most, &e->parameters[i]);
  for (uint32_t i = 0; i < e->tensor_count; i++) tensor_axis(a, out, &e->tensors[i]);
  list_items(a, e, out);

  int32_t *axis_of = arena_array(a, int32_t, e->symbol_count + 1);
  for (uint32_t i = 0; i < e->symbol_count; i++) axis_of[i] = -1;
  for (uint32_t i = 0; i < out->axis_count; i++) axis_of[out->axes[i].symbol] = (int32_t)i;

  uint32_t axis_words = out->axis_count / 64 + 1;
  reader r = {.a = a, .e = e, .axis_of = axis_of};
  r.axes = arena_array(a, uint64_t, axis_words);
  r.done = set_new(a, e->symbol_count);
  uint32_t *parent = arena_array(a, uint32_t, out->axis_count + 1);
  int32_t *item_axis = arena_array(a, int32_t, out->item_count + 1);
  for (uint32_t i = 0; i < out->axis_count; i++) parent[i] = i;
  for (uint32_t i = 0; i < out->item_count; i++) {
    memset(r.axes, 0, axis_words * sizeof *r.axes);
    set_clear(r.done);
    read_item(&r, &out->items[i]);
    item_axis[i] = -1;
    for (uint32_t k = 0; k < out->axis_count; k++) {
      if ((r.axes[k / 64] >> (k % 64) & 1) == 0) continue;
      if (item_axis[i] >= 0) parent[find_root(parent, k)] = find_root(parent, (uint32_t)item_axis[i]);
      item_axis[i] = (int32_t)k;
    }
  }
  form_groups(a, out, parent, item_axis);
}

/* ---- walking ---- */

void points_set(const points *p, fold *c, const uint32_t *choice) {
  memset(c->slots, 0, c->e->symbol_count * sizeof *c->slots);
  for (uint32_t i = 0; i < p->axis_count; i++) c->slots[p->axes[i].symbol] = p->axes[i].choices[choice[i]];
  fold_forget(c);
}

void points_first(const point_group *g, uint32_t *choice) {
  for (uint32_t i = 0; i < g->axis_count; i++) choice[g->axes[i]] = 0;
}

bool points_next(const points *p, const point_group *g, uint32_t *choice) {
  for (uint32_t i = g->axis_count; i-- > 0;) {
    uint32_t k = g->axes[i];
    if (++choice[k] < p->axes[k].count) return true;
    choice[k] = 0;
  }
  return false;
}

static bool same_choice(const value *choice, const value *v) {
  if (choice->tag == V_UNKNOWN) return v->tag != V_NONE;
  if (choice->tag != V_ADT) return value_eq(choice, v);
  if (v->tag != V_ADT || v->u.adt->ctor != choice->u.adt->ctor) return false;
  for (uint32_t f = 0; f < ROOFLINE_MAX_FIELDS; f++)
    if ((choice->n >> f & 1) == 0 && choice->u.adt->fields[f] != v->u.adt->fields[f]) return false;
  return true;
}

int32_t points_choice(const axis *x, const value *v) {
  for (uint32_t i = 0; i < x->count; i++)
    if (same_choice(&x->choices[i], v)) return (int32_t)i;
  return -1;
}
