/* Models from what the profile says of a kernel: its recorded shapes and dtypes, the model's config and
   the workload. headroom.md §2.4 to §2.6. */
#include "runtime/pricing/headroom_work.h"

#include <math.h>

enum { MAX_RANK = 16 };

/* ---- shapes ---- */

typedef struct tensor {
  double dims[MAX_RANK];
  uint32_t rank;
  double elements;
} tensor;

typedef struct variant {
  tensor tensors[HR_MAX_TENSORS];
  uint32_t n;
} variant;

static bool is_dims(const json_t *v) {
  return json_is_array(v) && json_array_size(v) > 0 && json_is_number(json_array_get(v, 0));
}

/* Scalars and arguments that are no tensor ([] in torch's listing) are left out. False: not a shape. */
static bool read_tensor(const json_t *v, tensor *t) {
  *t = (tensor){.elements = 1};
  if (!json_is_array(v) || json_array_size(v) > MAX_RANK) return false;
  for (size_t i = 0; i < json_array_size(v); i++) {
    json_t *d = json_array_get(v, i);
    double x = json_is_number(d) ? json_number_value(d) : NAN;
    if (!(x >= 0) || !isfinite(x)) return false;
    t->dims[t->rank++] = x;
    t->elements *= x;
  }
  return true;
}

static bool read_variant(const json_t *list, variant *out) {
  out->n = 0;
  for (size_t i = 0; i < json_array_size(list) && out->n < HR_MAX_TENSORS; i++) {
    tensor t;
    if (!read_tensor(json_array_get(list, i), &t)) return false;
    if (t.rank > 0) out->tensors[out->n++] = t;
  }
  return out->n > 0;
}

/* Calls `model` for each recorded argument list; returns how many were usable. */
static uint32_t each_variant(builder *b, void (*model)(builder *, const variant *, const void *),
                             const void *data) {
  json_t *shapes = hr_array(b->log, b->kernel, b->where, "shapes");
  bool single = is_dims(json_array_get(shapes, 0)); /* one argument list, not a list of them */
  size_t count = single ? 1 : json_array_size(shapes);
  uint32_t usable = 0;
  for (size_t i = 0; i < count && i < HR_MAX_CANDIDATES; i++) {
    variant v;
    json_t *list = single ? shapes : json_array_get(shapes, i);
    if (json_array_size(list) == 0) continue;
    if (!read_variant(list, &v)) {
      hr_error(b->log, "%.*s: shapes[%zu] is not a list of tensor shapes", STR_ARG(b->where), i);
      continue;
    }
    usable++;
    model(b, &v, data);
  }
  return usable;
}

/* ---- gemm ---- */

/* The first two matrices are A [.., M, K] and B [.., K, N] or [.., N, K]. */
static void gemm_variant(builder *b, const variant *v, const void *data) {
  const gemm_dtypes *t = data;
  const tensor *operands[2] = {NULL, NULL};
  for (uint32_t i = 0, found = 0; i < v->n && found < 2; i++)
    if (v->tensors[i].rank >= 2) operands[found++] = &v->tensors[i];
  if (operands[1] == NULL) return;
  const tensor *left = operands[0], *right = operands[1];
  double k = left->dims[left->rank - 1] * t->a.values;
  double rows = right->dims[right->rank - 2], columns = right->dims[right->rank - 1];
  double n;
  if (columns * t->w.values == k)
    n = rows; /* weights as torch stores them; also a square one */
  else if (rows * t->w.values == k || rows == k)
    n = columns;
  else
    return;
  bool batched = right->rank > 2;
  double batch = batched ? right->elements / (rows * columns) : 1;
  double m = left->elements / left->dims[left->rank - 1] / batch, est = hr_est_shape(b, "M");
  if (!(rows * columns > 0) || !(left->dims[left->rank - 1] > 0) || m != floor(m)) return;
  if (!isnan(est) && est != m && !batched) {
    NOTE(b, "m is est_shape's %.10g, not the recorded %.10g", est, m);
    m = est;
  }
  hr_add_gemm(b, batch, m, n, k, t);
}

static void gemm_from_profile(builder *b) {
  seen_dtypes seen = hr_kernel_dtypes(b);
  gemm_dtypes t = {seen.first, seen.narrowest, seen.first};
  if (roofline_headroom_value_bytes(t.a) < 2) {
    roofline_headroom_dtype_parse("bf16", 4, &t.out);
    NOTE(b, "the output's dtype is not recorded: taken as 2 bytes");
  }
  hr_set_compute(b, hr_wider(t.a, t.w));
  double m = hr_est_shape(b, "M"), n = hr_est_shape(b, "N"), k = hr_est_shape(b, "K");
  if (!isnan(m) && !isnan(n) && !isnan(k))
    hr_add_gemm(b, 1, m, n, k, &t);
  else if (each_variant(b, gemm_variant, &t) == 0)
    REASON(b, "no shapes and no est_shape with M, N and K");
  if (b->out->candidates.n == 0 && b->out->reason.n == 0)
    REASON(b, "the shapes are not those of a matrix product");
}

/* ---- moe ---- */

typedef struct moe_facts {
  roofline_headroom_moe moe;
  bool stage_known;
} moe_facts;

static void moe_variant(builder *b, const variant *v, const void *data) {
  moe_facts facts = *(const moe_facts *)data;
  const tensor *x = &v->tensors[0];
  double last = x->dims[x->rank - 1];
  if (x->rank < 2 || (last != facts.moe.hidden && last * 2 != facts.moe.hidden)) return;
  facts.moe.tokens = x->elements / last;
  hr_add_moe(b, facts.moe, facts.stage_known);
}

static void moe_from_profile(builder *b, str name, str short_name) {
  const hr_model_config *model = &b->run->model;
  seen_dtypes seen = hr_kernel_dtypes(b);
  roofline_headroom_dtype w = hr_expert_weight_dtype(b, &seen);
  hr_set_compute(b, hr_wider(seen.computes, w));
  moe_facts facts = {.moe = {.experts = model->experts,
                             .top_k = model->top_k,
                             .hidden = model->hidden,
                             .intermediate = model->intermediate,
                             .stage = hr_moe_stage(short_name),
                             .weight_bytes = roofline_headroom_value_bytes(w)}};
  if (isnan(model->experts) || isnan(model->top_k) || isnan(model->hidden) || isnan(model->intermediate)) {
    REASON(b, "the model config does not give experts, experts per token, hidden and intermediate size");
    return;
  }
  double tp = hr_tensor_parallel(b);
  if (tp > 1) {
    facts.moe.intermediate /= tp;
    NOTE(b, "intermediate size divided by the tensor-parallel size %.10g", tp);
  }
  if (facts.moe.stage == ROOFLINE_MOE_LAYER) facts.moe.stage = hr_moe_stage(name);
  facts.stage_known = facts.moe.stage != ROOFLINE_MOE_LAYER;
  if (!facts.stage_known) {
    b->out->launches = hr_launches_per_layer(b);
    facts.stage_known = b->out->launches > 1;
    if (facts.stage_known)
      NOTE(b, "one layer is %g launches: their times and bytes are summed", b->out->launches);
    else
      NOTE(b, "which part of the layer one launch is was not recorded");
  }
  NOTE(b, "activation bytes are not counted");
  facts.moe.tokens = hr_est_shape(b, "M");
  if (!isnan(facts.moe.tokens)) {
    hr_add_moe(b, facts.moe, facts.stage_known);
    return;
  }
  each_variant(b, moe_variant, &facts);
  if (b->out->candidates.n > 0) return;
  facts.moe.tokens = isnan(b->run->conc) ? b->run->captured_batch : b->run->conc;
  if (b->run->regime == HR_PREFILL || isnan(facts.moe.tokens)) {
    REASON(b, "how many tokens a launch handles is not recorded");
    return;
  }
  NOTE(b, "no usable shapes: tokens taken to be the batch of %.10g requests", facts.moe.tokens);
  hr_add_moe(b, facts.moe, facts.stage_known);
}

/* ---- attention ---- */

static void attn_from_profile(builder *b) {
  if (b->run->regime == HR_PREFILL) {
    REASON(b, "attention is modelled for decode; a prefill needs captured bytes_est and flops_est");
    return;
  }
  seen_dtypes seen = hr_kernel_dtypes(b);
  hr_set_compute(b, seen.computes);
  if (json_array_size(json_object_get(b->kernel, "shapes")) == 0)
    NOTE(b, "no shapes: heads come from the model config, batch and context from the workload");
  roofline_headroom_attn attn = hr_attn_of_model(&b->run->model);
  attn.kv_bytes = roofline_headroom_value_bytes(seen.narrowest);
  hr_add_attn(b, &attn);
}

/* ---- elementwise ---- */

typedef struct elementwise_facts {
  const seen_dtypes *seen;
  bool copy; /* its output is already in the list of arguments */
} elementwise_facts;

static void elementwise_variant(builder *b, const variant *v, const void *data) {
  const elementwise_facts *facts = data;
  const seen_dtypes *seen = facts->seen;
  double bytes = 0, largest = 0;
  for (uint32_t i = 0; i < v->n; i++) {
    /* One dtype a tensor when the lists are of one length, else the first for all. */
    roofline_headroom_dtype t = seen->all.n == v->n ? seen->all.v[i] : seen->first;
    double size = v->tensors[i].elements * t.stored_bytes;
    bytes += size;
    if (size > largest) largest = size;
  }
  if (!facts->copy || v->n < 2) bytes += largest;
  hr_add_candidate(b, (roofline_work){bytes, 0},
                   arena_printf(b->log->a, "%u tensors, %.10g bytes", v->n, bytes));
}

static void elementwise_from_profile(builder *b, str classification) {
  seen_dtypes seen = hr_kernel_dtypes(b);
  hr_set_compute(b, seen.computes);
  elementwise_facts facts = {&seen, str_is(classification, "memory")};
  if (each_variant(b, elementwise_variant, &facts) == 0) {
    REASON(b, "no usable shapes");
    return;
  }
  NOTE(b, "inputs once, and an output as large as the largest input; flops taken as 0");
}

/* ---- one kernel ---- */

void hr_from_profile(builder *b) {
  str name = hr_string(b->log, b->kernel, b->where, "name");
  str short_name = hr_string(b->log, b->kernel, b->where, "short_name");
  str classification = hr_string(b->log, b->kernel, b->where, "classification");
  if (hr_is_collective(name) || hr_is_collective(short_name)) {
    b->out->collective = true;
    REASON(b, "a collective: bound by the links between devices, which are not modelled");
    return;
  }
  b->out->op_class = hr_classify(name, classification);
  if (b->out->op_class == ROOFLINE_CLASS_UNKNOWN) b->out->op_class = hr_classify(short_name, classification);
  switch (b->out->op_class) {
  case ROOFLINE_CLASS_GEMM: gemm_from_profile(b); break;
  case ROOFLINE_CLASS_MOE: moe_from_profile(b, name, short_name); break;
  case ROOFLINE_CLASS_ATTN: attn_from_profile(b); break;
  case ROOFLINE_CLASS_ELEMENTWISE: elementwise_from_profile(b, classification); break;
  default: REASON(b, "neither classification nor name says what it computes"); break;
  }
}
