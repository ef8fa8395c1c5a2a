/* Calls at compile time: of primitives, generators and predicates. */
#include "compiler/call_args.h"
#include "roofline/generator.h"
#include "roofline/primitive.h"

static const value unknown = {.tag = V_UNKNOWN};

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
