/* Calls at compile time: the runtime's primitives, generators and predicates over compile-time values. */
#include <string.h>

#include "compiler/fold.h"
#include "compiler/primitive.h"
#include "roofline/generator.h"
#include "roofline/primitive.h"

static const value unknown = {.tag = V_UNKNOWN};

enum { MAX_ARGS = 8 };

roofline_value value_to_runtime(fold *c, const value *v) {
  switch ((value_tag)v->tag) {
  case V_BOOL: return roofline_bool(v->u.b);
  case V_INT: return roofline_int(v->u.i);
  case V_FLOAT: return roofline_float(v->u.f);
  case V_STRING: return roofline_string(arena_cstr(c->a, v->u.s));
  case V_DTYPE: return roofline_dtype_value(v->u.t);
  case V_SEQ: return roofline_seq_value(v->u.q);
  case V_MIXED: {
    /* Integers and None, the only mixed sequence a primitive takes. */
    int64_t *items = arena_array(c->a, int64_t, v->n + 1);
    bool *absent = arena_array(c->a, bool, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
      absent[i] = v->u.items[i].tag != V_INT;
      items[i] = absent[i] ? 0 : v->u.items[i].u.i;
    }
    roofline_seq s = roofline_seq_of(items, v->n);
    s.absent = absent;
    return roofline_seq_value(s);
  }
  case V_ADT:
  case V_OBJECT: return roofline_opaque();
  default: return roofline_none();
  }
}

/* The arguments of one call in the forms the runtime takes them. */
typedef struct call_args {
  fold *c;
  value v[MAX_ARGS];
  uint32_t n;
} call_args;

static int64_t arg_int(const call_args *a, uint32_t i) { return i < a->n ? a->v[i].u.i : 0; }
static bool arg_bool(const call_args *a, uint32_t i) { return a->v[i].u.b; }
static roofline_value arg_value(const call_args *a, uint32_t i) {
  return i < a->n ? value_to_runtime(a->c, &a->v[i]) : roofline_none();
}
static roofline_seq arg_seq(const call_args *a, uint32_t i) {
  return a->v[i].tag == V_SEQ ? a->v[i].u.q : value_to_runtime(a->c, &a->v[i]).u.q;
}
static roofline_dtype arg_dtype(const call_args *a, uint32_t i) {
  return a->v[i].tag == V_DTYPE ? a->v[i].u.t : ROOFLINE_DTYPE_NONE;
}
static int arg_word(const call_args *a, uint32_t i, const char *const *words) {
  for (int w = 0; words[w] != NULL; w++)
    if (a->v[i].tag == V_STRING && str_is(a->v[i].u.s, words[w])) return w;
  return 0;
}

static value shape_value(fold *c, const roofline_shape *s) {
  int64_t *dims = arena_array(c->a, int64_t, ROOFLINE_MAX_RANK);
  memcpy(dims, s->dims, sizeof s->dims);
  return value_seq(roofline_seq_of(dims, s->rank));
}

static value call_broadcast(fold *c, roofline_status *st, const value *v, uint32_t n) {
  roofline_seq *shapes = arena_array(c->a, roofline_seq, n + 1);
  for (uint32_t i = 0; i < n; i++) shapes[i] = v[i].u.q;
  roofline_shape out = {0};
  roofline_broadcast(st, &out, shapes, (int)n);
  return shape_value(c, &out);
}

static value call_all(const value *v) {
  for (uint32_t i = 0; v->tag == V_MIXED && i < v->n; i++)
    if (!v->u.items[i].u.b) return value_bool(false);
  return value_bool(true);
}

static value call_primitive(fold *c, int32_t id, roofline_status *st, const call_args *a) {
  static const char *const modes[] = {"full", "noop", "reject", NULL};
  roofline_shape shape = {0};
  switch ((primitive_id)id) {
  case PRIM_REDUCED:
    roofline_reduced(st, &shape, arg_seq(a, 0), arg_value(a, 1), arg_bool(a, 2),
                     (roofline_reduced_mode)arg_word(a, 3, modes));
    return shape_value(c, &shape);
  case PRIM_VALID_AXES: return value_bool(roofline_valid_axes(st, arg_value(a, 0), arg_int(a, 1)));
  case PRIM_UNIQUE_AXES: return value_bool(roofline_unique_axes(st, arg_value(a, 0), arg_int(a, 1)));
  case PRIM_PER_AXIS:
    return value_int(roofline_per_axis(st, arg_value(a, 0), arg_int(a, 1), arg_int(a, 2), arg_value(a, 3)));
  case PRIM_CEIL_DIV: return value_int(roofline_ceil_div(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_LEN: return value_int(a->v[0].tag == V_MIXED ? a->v[0].n : a->v[0].u.q.len);
  case PRIM_PROD: return value_int(roofline_prod(st, arg_seq(a, 0)));
  case PRIM_SUM: return value_int(roofline_sum(st, arg_seq(a, 0)));
  case PRIM_MAX: return value_int(roofline_max(st, arg_seq(a, 0), arg_value(a, 1)));
  case PRIM_MIN: return value_int(roofline_min(st, arg_seq(a, 0), arg_value(a, 1)));
  case PRIM_ALL: return call_all(&a->v[0]);
  case PRIM_CONV_OUT:
    return value_int(
        roofline_conv_out(st, arg_int(a, 0), arg_int(a, 1), arg_int(a, 2), arg_int(a, 3), arg_int(a, 4)));
  case PRIM_POOL_OUT:
    return value_int(roofline_pool_out(st, arg_int(a, 0), arg_int(a, 1), arg_int(a, 2), arg_int(a, 3),
                                       arg_int(a, 4), arg_bool(a, 5)));
  case PRIM_MOE_CAPACITY:
    return value_int(roofline_moe_capacity(st, a->v[0].u.adt, arg_int(a, 1), arg_int(a, 2)));
  case PRIM_MHC_EXPANSION: return value_int(roofline_mhc_expansion(st, arg_int(a, 0)));
  case PRIM_PROMOTE_INT_TO_FLOAT: return value_dtype(roofline_promote_int_to_float(arg_dtype(a, 0)));
  case PRIM_COALESCE_DTYPE: return value_dtype(roofline_coalesce_dtype(arg_dtype(a, 0), arg_dtype(a, 1)));
  case PRIM_BALANCED_SIZES: return value_seq(roofline_balanced_sizes(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_REPEAT: return value_seq(roofline_repeat(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_CATEGORY:
    return value_string(str_of(roofline_category_name(roofline_category_of(st, arg_value(a, 0)))));
  case PRIM_REPRESENTABLE: return value_bool(roofline_representable(st, arg_value(a, 0), arg_dtype(a, 1)));
  default: return unknown;
  }
}

/* present(x) of a tensor or of a Maybe: a free one stays unknown. */
static value call_present(fold *c, const expr *e) {
  const expr *arg = e->args[0];
  if (arg->op != EX_NAME || arg->symbol < 0) return unknown;
  const symbol *s = &c->e->symbols[arg->symbol];
  if (s->cls == SYM_TENSOR) {
    int present = fold_present(c, s->number);
    return present < 0 ? unknown : value_bool(present == 1);
  }
  value v = fold_expr(c, arg);
  if (v.tag == V_UNKNOWN) return v.n == 1 ? value_bool(true) : unknown;
  return value_bool(v.tag != V_NONE);
}

static value call_bytes(fold *c, const expr *e) {
  const expr *arg = e->args[0];
  if (arg->op != EX_NAME || arg->symbol < 0) return unknown;
  const symbol *s = &c->e->symbols[arg->symbol];
  if (s->cls != SYM_TENSOR || fold_present(c, s->number) != 0 || c->sink == NULL || c->open_domain)
    return unknown;
  diag *d = diag_add(c->sink, BYTES_OF_ABSENT, expr_whole(&c->f->text, arg),
                     "bytes(%.*s) is read where the tensor is absent, in %s", STR_ARG(arg->u.s), c->f->what);
  diag_help(c->sink, d, "guard it: `(bytes(%.*s) if present(%.*s) else 0)`", STR_ARG(arg->u.s),
            STR_ARG(arg->u.s));
  return unknown;
}

/* Folds every argument; false when one is not known. A metadata tensor's name is not a value. */
static bool fold_arguments(fold *c, const expr *e, call_args *a) {
  bool known = true;
  a->c = c;
  a->n = e->n < MAX_ARGS ? e->n : MAX_ARGS;
  for (uint32_t i = 0; i < a->n; i++) {
    if (e->args[i]->kind == &kind_tensor) continue;
    a->v[i] = fold_expr(c, e->args[i]);
    known = value_closed(&a->v[i]) && known;
  }
  return known;
}

value fold_call(fold *c, const expr *e) {
  if (str_is(e->name, "present")) return call_present(c, e);
  if (str_is(e->name, "bytes")) return call_bytes(c, e);
  roofline_status st = ROOFLINE_OK;
  value v = unknown;
  if (e->symbol == PRIM_ALL && e->args[0]->op == EX_COMPREHENSION) return fold_all(c, e->args[0]);
  if (e->symbol == PRIM_BROADCAST) {
    bool known = true;
    value *shapes = arena_array(c->a, value, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) {
      shapes[i] = fold_expr(c, e->args[i]);
      known = shapes[i].tag == V_SEQ && known;
    }
    if (!known) return unknown;
    v = call_broadcast(c, &st, shapes, e->n);
  } else {
    call_args a = {0};
    if (!fold_arguments(c, e, &a)) return unknown;
    v = call_primitive(c, e->symbol, &st, &a);
  }
  return st == ROOFLINE_OK ? v : fold_fail(c, e, st);
}

/* ---- generators ---- */

static void generate(int32_t id, roofline_status *st, const call_args *a, uint32_t seed,
                     roofline_shape *shape, int64_t *out) {
  static const char *const ends[] = {"start", "end", NULL};
#define I(k) arg_int(a, k)
#define Q(k) arg_seq(a, k)
  switch ((primitive_id)id) {
  case PRIM_AS_TENSOR: roofline_as_tensor(st, shape, out, Q(0)); break;
  case PRIM_PREFIX_SUM: roofline_prefix_sum(st, shape, out, Q(0)); break;
  case PRIM_EXCLUSIVE_PREFIX_SUM: roofline_exclusive_prefix_sum(st, shape, out, Q(0)); break;
  case PRIM_CHUNK_INDICES: roofline_chunk_indices(st, shape, out, Q(0), I(1)); break;
  case PRIM_TOKEN_INDICES: roofline_token_indices(st, shape, out, Q(0)); break;
  case PRIM_PACKED_POSITIONS: roofline_packed_positions(st, shape, out, Q(0)); break;
  case PRIM_CHUNK_OFFSETS: roofline_chunk_offsets(st, shape, out, Q(0), I(1)); break;
  case PRIM_KEY_WINDOWS:
    roofline_key_windows(st, shape, out, Q(0), I(1), I(2), (roofline_window_end)arg_word(a, 3, ends));
    break;
  case PRIM_FULL: roofline_full(st, shape, out, Q(0), I(1)); break;
  case PRIM_MOE_LAYOUT_METADATA:
    roofline_moe_layout_metadata(st, shape, out, a->v[0].u.adt, I(1), I(2));
    break;
  case PRIM_TOPK_IDS: roofline_topk_ids(st, shape, out, seed, I(0), I(1), I(2)); break;
  case PRIM_RANDOM_IDS: roofline_random_ids(st, shape, out, seed, I(0), I(1), I(2)); break;
  case PRIM_SAMPLE_INDICES: roofline_sample_indices(st, shape, out, seed, I(0), I(1)); break;
  case PRIM_PAGED_BLOCK_TABLE: roofline_paged_block_table(st, shape, out, seed, I(0), I(1), I(2)); break;
  case PRIM_NSA_BLOCK_INDICES:
    roofline_nsa_block_indices(st, shape, out, seed, Q(0), I(1), I(2), I(3));
    break;
  case PRIM_NSA_BLOCK_COUNTS: roofline_nsa_block_counts(st, shape, out, seed, I(0), I(1), I(2)); break;
  case PRIM_CAUSAL_TOPK_INDICES:
    roofline_causal_topk_indices(st, shape, out, seed, I(0), I(1), I(2), I(3), I(4), I(5), I(6));
    break;
  case PRIM_ATTN_SPARSE_TOPK_POSITIONS:
    roofline_attn_sparse_topk_positions(st, shape, out, seed, Q(0), I(1), I(2));
    break;
  default: roofline_fail(st, ROOFLINE_E_DOMAIN); break;
  }
#undef I
#undef Q
}

static roofline_metadata as_metadata(const struct fold_metadata *m) {
  return (roofline_metadata){m == NULL ? NULL : m->values, ROOFLINE_INT64, m == NULL ? 0 : m->count};
}

bool fold_generate(fold *c, const tensor_decl *t, bool draw, struct fold_metadata *out) {
  const expr *e = t->values.root;
  if (e == NULL || !t->values.judged) return false;
  c->f = &t->values;
  c->scope = NULL;
  c->vars = NULL;
  call_args a = {0};
  if (!fold_arguments(c, e, &a)) return false;
  roofline_status st = ROOFLINE_OK;
  uint32_t seed = draw ? roofline_generator_seed(arena_cstr(c->a, c->e->name), arena_cstr(c->a, t->name)) : 0;
  *out = (struct fold_metadata){0};
  generate(e->symbol, &st, &a, seed, &out->shape, NULL);
  int64_t count = st == ROOFLINE_OK ? roofline_prod(&st, roofline_seq_of_shape(&out->shape)) : 0;
  if (st == ROOFLINE_OK && draw) { /* a value drawn is a step: that bounds memory and time at once */
    if ((uint64_t)count > c->fuel) {
      if (c->exhausted == NULL) c->exhausted = c->f;
      return false;
    }
    c->fuel -= (uint64_t)count;
    out->count = count;
    out->values = arena_raw(c->a, ((size_t)count + 1) * sizeof(int64_t));
    generate(e->symbol, &st, &a, seed, &out->shape, out->values);
    const roofline_metadata m = as_metadata(out);
    out->fits_int32 = st == ROOFLINE_OK && roofline_in_range(&st, &m, INT32_MIN, (int64_t)INT32_MAX + 1);
  }
  if (st == ROOFLINE_E_MEMORY) arena_out_of_memory();
  if (st == ROOFLINE_OK) return true;
  fold_fail(c, e, st);
  return false;
}

/* ---- predicates ---- */

bool fold_requires(fold *c, const formula *f, const struct fold_metadata *own,
                   const struct fold_metadata *const *metadata) {
  const expr *e = f->root;
  c->f = f;
  c->scope = NULL;
  c->vars = NULL;
  call_args a = {0};
  if (!fold_arguments(c, e, &a)) return false;
  roofline_metadata m = as_metadata(own), other = {0};
  for (uint32_t i = 0; i < e->n; i++)
    if (e->args[i]->kind == &kind_tensor && e->args[i]->symbol >= 0)
      other = as_metadata(metadata[c->e->symbols[e->args[i]->symbol].number]);
  roofline_status st = ROOFLINE_OK;
  bool holds = false;
  switch ((primitive_id)e->symbol) {
  case PRIM_PREFIX_OFFSETS: holds = roofline_prefix_offsets(&st, &m, arg_int(&a, 0)); break;
  case PRIM_MAX_SEGMENT: holds = roofline_max_segment(&st, &m, arg_int(&a, 0)); break;
  case PRIM_IN_RANGE: holds = roofline_in_range(&st, &m, arg_int(&a, 0), arg_int(&a, 1)); break;
  case PRIM_SUMS_TO: holds = roofline_sums_to(&st, &m, arg_int(&a, 0)); break;
  case PRIM_EXCLUSIVE_PREFIX_OF: holds = roofline_exclusive_prefix_of(&st, &m, &other); break;
  case PRIM_CHUNK_OFFSETS_OF: holds = roofline_chunk_offsets_of(&st, &m, &other, arg_int(&a, 1)); break;
  case PRIM_INDICES_WITHIN: holds = roofline_indices_within(&st, &m, &other); break;
  case PRIM_ATTN_PAGED_FITS: holds = roofline_attn_paged_fits(&st, &m, &other, arg_int(&a, 1)); break;
  case PRIM_MOE_LAYOUT_VALID:
    holds = roofline_moe_layout_valid(&st, &m, a.v[0].u.adt, arg_int(&a, 1), arg_int(&a, 2));
    break;
  default: return false;
  }
  return st == ROOFLINE_OK && holds;
}
