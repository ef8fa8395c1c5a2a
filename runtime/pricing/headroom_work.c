/* Class and candidate models of one kernel, from captured shapes or from what the profile suggests.
   headroom.md §2.4, §2.5, §2.6. */
#include "runtime/pricing/headroom_run.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MAX_CANDIDATES = 64, MAX_TENSORS = 64, MAX_RANK = 16 };

typedef struct builder {
  hr_log *log;
  const hr_context *run;
  const json_t *kernel;   /* the Top-N entry */
  const json_t *captured; /* its captured shapes, or NULL */
  str where;
  hr_lines *notes;
  hr_work *out;
} builder;

#define NOTE(b, ...) hr_note((b)->log, (b)->notes, __VA_ARGS__)
#define REASON(b, ...) ((b)->out->reason = arena_printf((b)->log->a, __VA_ARGS__))

/* ---- class (§2.4) ---- */

typedef struct word_class {
  const char *word;
  roofline_op_class op_class;
} word_class;

static const char *const collective_words[] = {
    "all_reduce",    "allreduce",    "all_gather",      "allgather",      "reduce_scatter",
    "reducescatter", "all_to_all",   "alltoall",        "nccl",           "rccl",
    "cross_device",  "quick_reduce", "two_shot_reduce", "one_shot_reduce"};

/* Kernels around the experts' matrix products that are not one: their shapes say nothing about weights. */
static const char *const moe_helper_words[] = {"align",   "sort",  "topk",   "top_k",   "gating", "sum",
                                               "permute", "quant", "router", "scatter", "gather", "count"};

static const word_class classifications[] = {
    {"library_gemm", ROOFLINE_CLASS_GEMM},
    {"library_attn", ROOFLINE_CLASS_ATTN},
    {"elementwise_overhead", ROOFLINE_CLASS_ELEMENTWISE},
    {"reduction_norm", ROOFLINE_CLASS_ELEMENTWISE},
    {"memory", ROOFLINE_CLASS_ELEMENTWISE},
};

/* In order: "attention_softmax" is attention, "gemm_add" a gemm. */
static const word_class name_words[] = {
    {"attention", ROOFLINE_CLASS_ATTN},
    {"attn", ROOFLINE_CLASS_ATTN},
    {"fmha", ROOFLINE_CLASS_ATTN},
    {"mla_decode", ROOFLINE_CLASS_ATTN},
    {"fwd_grouped_kernel_stage1", ROOFLINE_CLASS_ATTN},
    {"gemm", ROOFLINE_CLASS_GEMM},
    {"cijk_", ROOFLINE_CLASS_GEMM},
    {"matmul", ROOFLINE_CLASS_GEMM},
    {"norm", ROOFLINE_CLASS_ELEMENTWISE},
    {"elementwise", ROOFLINE_CLASS_ELEMENTWISE},
    {"act_and_mul", ROOFLINE_CLASS_ELEMENTWISE},
    {"silu", ROOFLINE_CLASS_ELEMENTWISE},
    {"gelu", ROOFLINE_CLASS_ELEMENTWISE},
    {"copy", ROOFLINE_CLASS_ELEMENTWISE},
    {"quant", ROOFLINE_CLASS_ELEMENTWISE},
    {"softmax", ROOFLINE_CLASS_ELEMENTWISE},
    {"add", ROOFLINE_CLASS_ELEMENTWISE},
};

/* `word` in lower case. */
static bool has_word(str s, const char *word) {
  size_t n = strlen(word);
  for (uint32_t i = 0; i + n <= s.n; i++) {
    size_t k = 0;
    while (k < n && tolower((unsigned char)s.p[i + k]) == word[k]) k++;
    if (k == n) return true;
  }
  return false;
}

static bool has_any(str s, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (has_word(s, words[i])) return true;
  return false;
}
#define HAS_ANY(s, words) has_any((s), (words), sizeof(words) / sizeof *(words))

static roofline_op_class classify(str name, str classification) {
  if (has_word(name, "moe") || has_word(name, "fused_experts"))
    return HAS_ANY(name, moe_helper_words) && !has_word(name, "gemm") ? ROOFLINE_CLASS_UNKNOWN
                                                                      : ROOFLINE_CLASS_MOE;
  for (size_t i = 0; i < sizeof classifications / sizeof *classifications; i++)
    if (str_is(classification, classifications[i].word)) return classifications[i].op_class;
  for (size_t i = 0; i < sizeof name_words / sizeof *name_words; i++)
    if (has_word(name, name_words[i].word)) return name_words[i].op_class;
  return ROOFLINE_CLASS_UNKNOWN;
}

/* ---- dtypes ---- */

static roofline_headroom_dtype parse_dtype(builder *b, str spelling, const char *role) {
  roofline_headroom_dtype t;
  if (!roofline_headroom_dtype_parse(spelling.p != NULL ? spelling.p : "", spelling.n, &t))
    NOTE(b, "%s dtype '%.*s' is unknown: taken as 2 bytes, without a compute peak", role, STR_ARG(spelling));
  return t;
}

static void set_compute(builder *b, roofline_headroom_dtype t) {
  b->out->has_dtype = true;
  b->out->compute = t;
  const char *name = roofline_headroom_roof_name(t.roof);
  b->out->compute_name = str_of(name != NULL ? name : "this dtype");
}

/* Operands of different widths are multiplied in the wider one. */
static roofline_headroom_dtype wider(roofline_headroom_dtype a, roofline_headroom_dtype b) {
  return roofline_headroom_value_bytes(a) >= roofline_headroom_value_bytes(b) ? a : b;
}

/* The profile lists the dtypes a kernel saw, not one per tensor, and a scale's float32 among them. */
typedef struct seen_dtypes {
  bool any;
  roofline_headroom_dtype first, narrowest;
  VEC(roofline_headroom_dtype) all;
} seen_dtypes;

static seen_dtypes kernel_dtypes(builder *b) {
  seen_dtypes seen = {0};
  json_t *list = hr_array(b->log, b->kernel, b->where, "dtypes");
  for (size_t i = 0; i < json_array_size(list) && i < MAX_TENSORS; i++) {
    json_t *item = json_array_get(list, i);
    if (!json_is_string(item)) {
      hr_error(b->log, "%.*s: dtypes[%zu] is not a string", STR_ARG(b->where), i);
      continue;
    }
    str spelling = {json_string_value(item), (uint32_t)json_string_length(item)};
    if (spelling.n == 0) continue; /* torch's placeholder for an argument that is no tensor */
    roofline_headroom_dtype t = parse_dtype(b, spelling, "a tensor's");
    vec_push(b->log->a, &seen.all, t);
    if (!seen.any) seen.first = seen.narrowest = t;
    seen.any = true;
    if (t.is_float && roofline_headroom_value_bytes(t) < roofline_headroom_value_bytes(seen.narrowest))
      seen.narrowest = t;
  }
  if (seen.any) return seen;
  str spelling = b->run->model_dtype;
  if (spelling.n > 0) NOTE(b, "no dtypes: the model's %.*s is taken", STR_ARG(spelling));
  seen.first = seen.narrowest = parse_dtype(b, spelling, "the model's");
  return seen;
}

static roofline_headroom_dtype expert_weight_dtype(builder *b, const seen_dtypes *seen) {
  roofline_headroom_dtype model;
  str spelling = b->run->model_dtype;
  if (spelling.n == 0 || !roofline_headroom_dtype_parse(spelling.p, spelling.n, &model))
    return seen->narrowest;
  /* Weights are stored in what the model is quantised to; a kernel that saw a narrower type knows better. */
  return wider(model, seen->narrowest).stored_bytes == model.stored_bytes ? seen->narrowest : model;
}

/* A captured dtype, or the fallback when the key is absent. */
static roofline_headroom_dtype captured_dtype(builder *b, const char *key, roofline_headroom_dtype fallback) {
  str spelling = hr_string(b->log, b->captured, b->where, key);
  return spelling.p != NULL ? parse_dtype(b, spelling, key) : fallback;
}

/* ---- shapes ---- */

typedef struct tensor {
  double dims[MAX_RANK];
  uint32_t rank;
  double elements;
} tensor;

typedef struct variant {
  tensor tensors[MAX_TENSORS];
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
  for (size_t i = 0; i < json_array_size(list) && out->n < MAX_TENSORS; i++) {
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
  for (size_t i = 0; i < count && i < MAX_CANDIDATES; i++) {
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

static double est_shape(builder *b, const char *key) {
  json_t *by_phase = hr_object(b->log, b->kernel, b->where, "est_shape");
  json_t *shape = hr_object(b->log, by_phase, b->where, hr_phase_name(b->run->regime));
  return hr_positive(b->log, shape, b->where, key);
}

/* False for one that is already there, or that no double holds. */
static bool add_candidate(builder *b, roofline_work work, str label) {
  if (b->out->candidates.n == MAX_CANDIDATES) return false;
  if (!isfinite(work.bytes) || !isfinite(work.flops)) {
    hr_error(b->log, "%.*s: %.*s is too large to compute with", STR_ARG(b->where), STR_ARG(label));
    return false;
  }
  for (uint32_t i = 0; i < b->out->candidates.n; i++) {
    const roofline_work *other = &b->out->candidates.v[i].work;
    if (other->bytes == work.bytes && other->flops == work.flops) return false;
  }
  vec_push(b->log->a, &b->out->candidates, ((hr_candidate){work, label}));
  return true;
}

/* ---- gemm ---- */

typedef struct gemm_dtypes {
  roofline_headroom_dtype a, w, out;
} gemm_dtypes;

static void add_gemm(builder *b, double batch, double m, double n, double k, const gemm_dtypes *t) {
  roofline_work work =
      roofline_headroom_gemm(batch, m, n, k, roofline_headroom_value_bytes(t->a),
                             roofline_headroom_value_bytes(t->w), roofline_headroom_value_bytes(t->out));
  add_candidate(b, work, arena_printf(b->log->a, "gemm %g x m %.10g n %.10g k %.10g", batch, m, n, k));
}

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
  double m = left->elements / left->dims[left->rank - 1] / batch, est = est_shape(b, "M");
  if (!(rows * columns > 0) || !(left->dims[left->rank - 1] > 0) || m != floor(m)) return;
  if (!isnan(est) && est != m && !batched) {
    NOTE(b, "m is est_shape's %.10g, not the recorded %.10g", est, m);
    m = est;
  }
  add_gemm(b, batch, m, n, k, t);
}

static void gemm_from_profile(builder *b) {
  seen_dtypes seen = kernel_dtypes(b);
  gemm_dtypes t = {seen.first, seen.narrowest, seen.first};
  if (roofline_headroom_value_bytes(t.a) < 2) {
    roofline_headroom_dtype_parse("bf16", 4, &t.out);
    NOTE(b, "the output's dtype is not recorded: taken as 2 bytes");
  }
  set_compute(b, wider(t.a, t.w));
  double m = est_shape(b, "M"), n = est_shape(b, "N"), k = est_shape(b, "K");
  if (!isnan(m) && !isnan(n) && !isnan(k))
    add_gemm(b, 1, m, n, k, &t);
  else if (each_variant(b, gemm_variant, &t) == 0)
    REASON(b, "no shapes and no est_shape with M, N and K");
  if (b->out->candidates.n == 0 && b->out->reason.n == 0)
    REASON(b, "the shapes are not those of a matrix product");
}

/* ---- moe ---- */

/* What the name says about which half of the layer a kernel is; LAYER: nothing. */
static roofline_moe_stage stage_of_name(str name) {
  static const struct {
    const char *word;
    roofline_moe_stage stage;
  } words[] = {{"gate_up", ROOFLINE_MOE_GATE_UP}, {"stage1", ROOFLINE_MOE_GATE_UP},
               {"stage-1", ROOFLINE_MOE_GATE_UP}, {"gemm1", ROOFLINE_MOE_GATE_UP},
               {"moe1", ROOFLINE_MOE_GATE_UP},    {"down", ROOFLINE_MOE_DOWN},
               {"stage2", ROOFLINE_MOE_DOWN},     {"stage-2", ROOFLINE_MOE_DOWN},
               {"gemm2", ROOFLINE_MOE_DOWN},      {"moe2", ROOFLINE_MOE_DOWN}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (has_word(name, words[i].word)) return words[i].stage;
  return ROOFLINE_MOE_LAYER;
}

static void add_moe(builder *b, roofline_headroom_moe moe, bool stage_known) {
  bool added = false;
  for (int s = 0; s < ROOFLINE_MOE_STAGE_COUNT; s++) {
    if (stage_known && s != (int)moe.stage) continue;
    roofline_headroom_moe stage = moe;
    stage.stage = (roofline_moe_stage)s;
    str label =
        arena_printf(b->log->a, "moe %s at %.10g tokens", roofline_moe_stage_name(stage.stage), moe.tokens);
    added |= add_candidate(b, roofline_headroom_moe_work(&stage), label);
  }
  if (!added) return;
  double pairs = moe.tokens * moe.top_k;
  roofline_headroom_moe all = moe;
  all.all_experts = true;
  NOTE(b,
       "%.10g token-expert pairs touch %.9g of %.10g experts; with every expert's weights %s would be %.10g "
       "bytes",
       pairs, roofline_headroom_experts_hit(moe.experts, pairs), moe.experts,
       roofline_moe_stage_name(moe.stage), roofline_headroom_moe_work(&all).bytes);
}

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
  add_moe(b, facts.moe, facts.stage_known);
}

/* One logical layer over two launches (gate+up, then down) or three (gate, up, down) a step and layer. */
static double launches_per_layer(builder *b) {
  json_t *by_phase = hr_object(b->log, b->kernel, b->where, "calls_per_step");
  double calls = hr_positive(b->log, by_phase, b->where, hr_phase_name(b->run->regime));
  double per_layer = calls / b->run->model.layers, k = round(per_layer);
  bool whole =
      fabs(per_layer - k) <= 0.05 * k; /* a trace cuts steps, and some models' first layers are dense */
  return (k == 2 || k == 3) && whole ? k : 1;
}

static void moe_from_profile(builder *b, str name) {
  const hr_model_config *model = &b->run->model;
  seen_dtypes seen = kernel_dtypes(b);
  roofline_headroom_dtype w = expert_weight_dtype(b, &seen);
  set_compute(b, wider(seen.first, w));
  moe_facts facts = {.moe = {.experts = model->experts,
                             .top_k = model->top_k,
                             .hidden = model->hidden,
                             .intermediate = model->intermediate,
                             .stage = stage_of_name(name),
                             .weight_bytes = roofline_headroom_value_bytes(w)}};
  if (isnan(model->experts) || isnan(model->top_k) || isnan(model->hidden) || isnan(model->intermediate)) {
    REASON(b, "the model config does not give experts, experts per token, hidden and intermediate size");
    return;
  }
  if (b->run->tp > 1) {
    facts.moe.intermediate /= b->run->tp;
    NOTE(b, "intermediate size divided by the tensor-parallel size %.10g", b->run->tp);
  }
  facts.stage_known = facts.moe.stage != ROOFLINE_MOE_LAYER;
  if (!facts.stage_known) {
    b->out->launches = launches_per_layer(b);
    facts.stage_known = b->out->launches > 1;
    if (facts.stage_known)
      NOTE(b, "one layer is %g launches: their times and bytes are summed", b->out->launches);
    else
      NOTE(b, "which part of the layer one launch is was not recorded");
  }
  NOTE(b, "activation bytes are not counted");
  facts.moe.tokens = est_shape(b, "M");
  if (!isnan(facts.moe.tokens)) {
    add_moe(b, facts.moe, facts.stage_known);
    return;
  }
  each_variant(b, moe_variant, &facts);
  if (b->out->candidates.n > 0) return;
  facts.moe.tokens = isnan(b->run->conc) ? b->run->captured_batch : b->run->conc;
  if (b->run->regime == HR_PREFILL || isnan(facts.moe.tokens)) {
    REASON(b, "how many tokens a launch handles is not recorded");
    return;
  }
  NOTE(b, "no usable shapes: tokens taken to be the %.10g concurrent requests", facts.moe.tokens);
  add_moe(b, facts.moe, facts.stage_known);
}

/* ---- attention ---- */

static bool fill_attn(builder *b, roofline_headroom_attn *attn) {
  const hr_context *run = b->run;
  const hr_model_config *model = &run->model;
  double tp = isnan(run->tp) ? 1 : run->tp;
  double heads = model->q_heads, kv_heads = model->kv_heads, head_dim = model->head_dim;
  if (isnan(kv_heads)) kv_heads = heads;
  if (isnan(head_dim) && !isnan(model->hidden / heads)) {
    head_dim = model->hidden / heads;
    if (isnan(attn->head_dim)) NOTE(b, "head_dim taken as hidden size over heads");
  }
  if (isnan(attn->q_heads)) attn->q_heads = roofline_headroom_heads_per_rank(heads, tp);
  if (isnan(attn->kv_heads)) attn->kv_heads = roofline_headroom_heads_per_rank(kv_heads, tp);
  if (isnan(attn->head_dim)) attn->head_dim = head_dim;
  if (isnan(attn->seq)) attn->seq = roofline_headroom_decode_seq(run->isl, run->osl);
  if (isnan(attn->batch)) attn->batch = est_shape(b, "M");
  if (isnan(attn->batch)) attn->batch = run->conc;
  if (isnan(attn->batch) && !isnan(run->captured_batch)) {
    attn->batch = run->captured_batch;
    NOTE(b, "no workload.conc: the batch is serving's %.10g", attn->batch);
  }
  if (isnan(attn->batch) || isnan(attn->seq)) {
    REASON(b, "batch and context length need workload's conc, isl and osl, or captured shapes");
    return false;
  }
  if (isnan(attn->q_heads) || (!(attn->latent > 0) && (isnan(attn->kv_heads) || isnan(attn->head_dim)))) {
    REASON(b, "heads and head_dim need a model config or captured shapes");
    return false;
  }
  return true;
}

static void add_attn(builder *b, const roofline_headroom_attn *attn) {
  if (attn->latent > 0)
    NOTE(b, "MLA: the latent of %.10g + %.10g values is read once and is not sharded", attn->latent,
         attn->rope);
  add_candidate(
      b, roofline_headroom_attn_work(attn),
      arena_printf(b->log->a, "attention decode, batch %.10g at context %.10g", attn->batch, attn->seq));
}

static roofline_headroom_attn attn_of_model(const hr_model_config *model) {
  roofline_headroom_attn attn = {NAN, NAN, NAN, NAN, NAN, 0, 0, 0};
  if (model->latent > 0) attn.latent = model->latent;
  if (model->latent > 0 && model->rope > 0) attn.rope = model->rope;
  return attn;
}

static void attn_from_profile(builder *b) {
  if (b->run->regime == HR_PREFILL) {
    REASON(b, "attention is modelled for decode; a prefill needs captured bytes_est and flops_est");
    return;
  }
  seen_dtypes seen = kernel_dtypes(b);
  set_compute(b, seen.first);
  if (json_array_size(json_object_get(b->kernel, "shapes")) == 0)
    NOTE(b, "no shapes: heads come from the model config, batch and context from the workload");
  roofline_headroom_attn attn = attn_of_model(&b->run->model);
  attn.kv_bytes = roofline_headroom_value_bytes(seen.narrowest);
  if (fill_attn(b, &attn)) add_attn(b, &attn);
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
  add_candidate(b, (roofline_work){bytes, 0},
                arena_printf(b->log->a, "%u tensors, %.10g bytes", v->n, bytes));
}

static void elementwise_from_profile(builder *b, str classification) {
  seen_dtypes seen = kernel_dtypes(b);
  set_compute(b, seen.first);
  elementwise_facts facts = {&seen, str_is(classification, "memory")};
  if (each_variant(b, elementwise_variant, &facts) == 0) {
    REASON(b, "no usable shapes");
    return;
  }
  NOTE(b, "inputs once, and an output as large as the largest input; flops taken as 0");
}

/* ---- captured shapes ---- */

/* Required numbers of a captured kernel; the first that is missing is named. */
static bool captured_numbers(builder *b, const char *const *keys, double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    values[i] = hr_number(b->log, b->captured, b->where, keys[i]);
    if (values[i] >= 0) continue;
    hr_error(b->log, "%.*s: a captured %s needs '%s', 0 or more", STR_ARG(b->where),
             roofline_op_class_name(b->out->op_class), keys[i]);
    return false;
  }
  return true;
}

static bool captured_gemm(builder *b) {
  static const char *const keys[] = {"m", "n", "k"};
  double mnk[3];
  if (!captured_numbers(b, keys, mnk, 3)) return false;
  roofline_headroom_dtype first = kernel_dtypes(b).first;
  gemm_dtypes t;
  t.a = captured_dtype(b, "a", first);
  t.w = captured_dtype(b, "w", t.a);
  t.out = captured_dtype(b, "out", t.a);
  set_compute(b, wider(t.a, t.w));
  add_gemm(b, 1, mnk[0], mnk[1], mnk[2] * t.a.values, &t); /* k counts a's stored elements */
  return true;
}

static bool captured_moe(builder *b) {
  static const char *const keys[] = {"experts", "top_k", "tokens", "hidden", "intermediate"};
  double v[5];
  if (!captured_numbers(b, keys, v, 5)) return false;
  roofline_headroom_moe moe = {
      .experts = v[0], .top_k = v[1], .tokens = v[2], .hidden = v[3], .intermediate = v[4]};
  seen_dtypes seen = kernel_dtypes(b);
  roofline_headroom_dtype w = captured_dtype(b, "w", expert_weight_dtype(b, &seen));
  roofline_headroom_dtype a = captured_dtype(b, "a", w);
  set_compute(b, wider(a, w));
  moe.weight_bytes = roofline_headroom_value_bytes(w);
  if (json_object_get(b->captured, "a") != NULL) moe.activation_bytes = roofline_headroom_value_bytes(a);
  if (json_object_get(b->captured, "out") != NULL)
    moe.out_bytes = roofline_headroom_value_bytes(captured_dtype(b, "out", a));
  if (moe.activation_bytes + moe.out_bytes == 0)
    NOTE(b, "activation bytes are not counted: no captured 'a' or 'out'");
  moe.all_experts = json_is_true(json_object_get(b->captured, "all_experts"));
  str stage = hr_string(b->log, b->captured, b->where, "stage");
  bool known = false;
  for (int s = 0; s < ROOFLINE_MOE_STAGE_COUNT; s++)
    if (str_is(stage, roofline_moe_stage_name((roofline_moe_stage)s))) {
      moe.stage = (roofline_moe_stage)s;
      known = true;
    }
  if (stage.n > 0 && !known)
    hr_error(b->log, "%.*s: 'stage' is '%.*s', not gate_up, down or layer", STR_ARG(b->where),
             STR_ARG(stage));
  add_moe(b, moe, known);
  return true;
}

static bool captured_attn(builder *b) {
  roofline_headroom_attn attn = attn_of_model(&b->run->model);
  const struct {
    const char *key;
    double *value;
  } fields[] = {{"batch", &attn.batch},          {"seq", &attn.seq},           {"kv_heads", &attn.kv_heads},
                {"q_heads", &attn.q_heads},      {"head_dim", &attn.head_dim}, {"kv_lora_rank", &attn.latent},
                {"qk_rope_head_dim", &attn.rope}};
  /* Captured heads are what the kernel read: a model's latent does not override them. */
  if (json_object_get(b->captured, "kv_heads") != NULL) attn.latent = attn.rope = 0;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    double x = hr_number(b->log, b->captured, b->where, fields[i].key);
    if (x >= 0)
      *fields[i].value = x;
    else if (x < 0)
      hr_error(b->log, "%.*s: '%s' is negative", STR_ARG(b->where), fields[i].key);
  }
  seen_dtypes seen = kernel_dtypes(b);
  roofline_headroom_dtype kv = captured_dtype(b, "kv", seen.narrowest);
  attn.kv_bytes = roofline_headroom_value_bytes(kv);
  set_compute(b, seen.any ? seen.first : kv);
  if (!fill_attn(b, &attn)) return false;
  if (b->run->regime == HR_PREFILL) NOTE(b, "the decode model: one query token a sequence");
  add_attn(b, &attn);
  return true;
}

static bool captured_estimate(builder *b) {
  double bytes = hr_number(b->log, b->captured, b->where, "bytes_est");
  double flops = hr_number(b->log, b->captured, b->where, "flops_est");
  if (isnan(flops)) {
    flops = 0;
    NOTE(b, "no captured flops_est: taken as 0");
  }
  if (isnan(bytes) || flops < 0) {
    hr_error(b->log, "%.*s: captured bytes_est and flops_est are not usable", STR_ARG(b->where));
    return false;
  }
  if (json_object_get(b->captured, "compute_dtype") == NULL) set_compute(b, kernel_dtypes(b).first);
  add_candidate(b, (roofline_work){bytes, flops}, STR("captured bytes and flops"));
  return true;
}

static bool no_captured_model(builder *b) {
  hr_error(b->log, "%.*s: a captured %s needs bytes_est and flops_est", STR_ARG(b->where),
           roofline_op_class_name(b->out->op_class));
  return false;
}

static bool from_captured(builder *b) {
  static bool (*const models[ROOFLINE_CLASS_COUNT])(builder *) = {
      no_captured_model, captured_gemm, captured_moe, captured_attn, no_captured_model};
  str name = hr_string(b->log, b->captured, b->where, "op_class");
  int c = ROOFLINE_CLASS_GEMM;
  while (c < ROOFLINE_CLASS_COUNT && !str_is(name, roofline_op_class_name((roofline_op_class)c))) c++;
  if (c == ROOFLINE_CLASS_COUNT) {
    hr_error(b->log, "%.*s: captured 'op_class' is '%.*s', not gemm, moe, attn or elementwise",
             STR_ARG(b->where), STR_ARG(name));
    return false;
  }
  b->out->op_class = (roofline_op_class)c;
  bool estimate = json_object_get(b->captured, "bytes_est") != NULL;
  if (!(estimate ? captured_estimate : models[c])(b)) return false;
  str compute = hr_string(b->log, b->captured, b->where, "compute_dtype");
  if (compute.p != NULL) set_compute(b, parse_dtype(b, compute, "the compute"));
  double launches = hr_positive(b->log, b->captured, b->where, "launches_per_unit");
  if (launches > 0) b->out->launches = launches;
  if (b->out->launches > 1)
    NOTE(b, "one unit is %g launches: their times and bytes are summed", b->out->launches);
  b->out->t_ms = hr_positive(b->log, b->captured, b->where, "t_ms");
  b->out->target = hr_positive(b->log, b->captured, b->where, "target_eff");
  b->out->stage = ROOFLINE_STAGE_B;
  return b->out->candidates.n > 0;
}

/* ---- one kernel ---- */

static void from_profile(builder *b) {
  str name = hr_string(b->log, b->kernel, b->where, "name");
  str short_name = hr_string(b->log, b->kernel, b->where, "short_name");
  str classification = hr_string(b->log, b->kernel, b->where, "classification");
  if (HAS_ANY(name, collective_words) || HAS_ANY(short_name, collective_words)) {
    b->out->collective = true;
    REASON(b, "a collective: bound by the links between devices, which are not modelled");
    return;
  }
  b->out->op_class = classify(name, classification);
  if (b->out->op_class == ROOFLINE_CLASS_UNKNOWN) b->out->op_class = classify(short_name, classification);
  switch (b->out->op_class) {
  case ROOFLINE_CLASS_GEMM: gemm_from_profile(b); break;
  case ROOFLINE_CLASS_MOE: moe_from_profile(b, short_name.n > 0 ? short_name : name); break;
  case ROOFLINE_CLASS_ATTN: attn_from_profile(b); break;
  case ROOFLINE_CLASS_ELEMENTWISE: elementwise_from_profile(b, classification); break;
  default: REASON(b, "neither classification nor name says what it computes"); break;
  }
}

void hr_work_of(hr_log *log, const hr_context *context, const json_t *kernel, const json_t *captured,
                str where, hr_lines *notes, hr_work *out) {
  const hr_work empty = {.launches = 1, .t_ms = NAN, .target = NAN};
  builder b = {log, context, kernel, captured, where, notes, out};
  *out = empty;
  if (captured != NULL) {
    if (from_captured(&b)) return;
    *out = empty;
    NOTE(&b, "the captured shapes are not usable: modelled from the profile");
  }
  from_profile(&b);
  if (out->candidates.n == 0 && out->reason.n == 0) REASON(&b, "no usable shape");
}
