/* Candidate models of one kernel, whatever its facts come from. headroom.md §2.6. */
#include "runtime/pricing/headroom_work.h"

#include <math.h>

/* ---- dtypes ---- */

roofline_headroom_dtype hr_parse_dtype(builder *b, str spelling, const char *role) {
  roofline_headroom_dtype t;
  if (!roofline_headroom_dtype_parse(spelling.p != NULL ? spelling.p : "", spelling.n, &t))
    NOTE(b, "%s dtype '%.*s' is unknown: taken as 2 bytes, without a compute peak", role, STR_ARG(spelling));
  return t;
}

void hr_set_compute(builder *b, roofline_headroom_dtype t) {
  b->out->has_dtype = true;
  b->out->compute = t;
  const char *name = roofline_headroom_roof_name(t.roof);
  b->out->compute_name = str_of(name != NULL ? name : "this dtype");
}

roofline_headroom_dtype hr_wider(roofline_headroom_dtype a, roofline_headroom_dtype b) {
  return roofline_headroom_value_bytes(a) >= roofline_headroom_value_bytes(b) ? a : b;
}

seen_dtypes hr_kernel_dtypes(builder *b) {
  seen_dtypes seen = {0};
  json_t *list = hr_array(b->log, b->kernel, b->where, "dtypes");
  for (size_t i = 0; i < json_array_size(list) && i < HR_MAX_TENSORS; i++) {
    json_t *item = json_array_get(list, i);
    if (!json_is_string(item)) {
      hr_error(b->log, "%.*s: dtypes[%zu] is not a string", STR_ARG(b->where), i);
      continue;
    }
    str spelling = {json_string_value(item), (uint32_t)json_string_length(item)};
    if (spelling.n == 0) continue; /* torch's placeholder for an argument that is no tensor */
    roofline_headroom_dtype t = hr_parse_dtype(b, spelling, "a tensor's");
    vec_push(b->log->a, &seen.all, t);
    if (!seen.any) seen.first = seen.narrowest = seen.computes = t;
    if (seen.computes.roof == ROOFLINE_ROOF_NONE) seen.computes = t;
    seen.any = true;
    if (t.is_float && roofline_headroom_value_bytes(t) < roofline_headroom_value_bytes(seen.narrowest))
      seen.narrowest = t;
  }
  if (seen.any) return seen;
  str spelling = b->run->model_dtype;
  if (spelling.n > 0) NOTE(b, "no dtypes: the model's %.*s is taken", STR_ARG(spelling));
  seen.first = seen.narrowest = seen.computes = hr_parse_dtype(b, spelling, "the model's");
  return seen;
}

roofline_headroom_dtype hr_expert_weight_dtype(builder *b, const seen_dtypes *seen) {
  roofline_headroom_dtype model;
  str spelling = b->run->model_dtype;
  if (spelling.n == 0 || !roofline_headroom_dtype_parse(spelling.p, spelling.n, &model))
    return seen->narrowest;
  /* Weights are stored in what the model is quantised to; a kernel that saw a narrower type knows better. */
  return roofline_headroom_value_bytes(model) < roofline_headroom_value_bytes(seen->narrowest)
             ? model
             : seen->narrowest;
}

double hr_est_shape(builder *b, const char *key) {
  json_t *by_phase = hr_object(b->log, b->kernel, b->where, "est_shape");
  json_t *shape = hr_object(b->log, by_phase, b->where, hr_phase_name(b->run->regime));
  return hr_positive(b->log, shape, b->where, key);
}

bool hr_add_candidate(builder *b, roofline_work work, str label) {
  if (b->out->candidates.n == HR_MAX_CANDIDATES) return false;
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

void hr_add_gemm(builder *b, double batch, double m, double n, double k, const gemm_dtypes *t) {
  roofline_work work =
      roofline_headroom_gemm(batch, m, n, k, roofline_headroom_value_bytes(t->a),
                             roofline_headroom_value_bytes(t->w), roofline_headroom_value_bytes(t->out));
  hr_add_candidate(b, work, arena_printf(b->log->a, "gemm %g x m %.10g n %.10g k %.10g", batch, m, n, k));
}

/* The first two matrices are A [.., M, K] and B [.., K, N] or [.., N, K]. */
/* ---- moe ---- */

void hr_add_moe(builder *b, roofline_headroom_moe moe, bool stage_known) {
  bool added = false;
  for (int s = 0; s < ROOFLINE_MOE_STAGE_COUNT; s++) {
    if (stage_known && s != (int)moe.stage) continue;
    roofline_headroom_moe stage = moe;
    stage.stage = (roofline_moe_stage)s;
    str label =
        arena_printf(b->log->a, "moe %s at %.10g tokens", roofline_moe_stage_name(stage.stage), moe.tokens);
    added |= hr_add_candidate(b, roofline_headroom_moe_work(&stage), label);
  }
  if (!added) return;
  double pairs = moe.tokens * moe.top_k;
  roofline_headroom_moe all = moe;
  all.all_experts = true;
  NOTE(b,
       "%.10g token-expert pairs touch %.9g of %.10g experts; the %s weights of all of them are %.10g bytes",
       pairs, roofline_headroom_experts_hit(moe.experts, pairs), moe.experts,
       roofline_moe_stage_name(moe.stage), roofline_headroom_moe_work(&all).bytes);
}

double hr_launches_per_layer(builder *b) {
  json_t *by_phase = hr_object(b->log, b->kernel, b->where, "calls_per_step");
  double calls = hr_positive(b->log, by_phase, b->where, hr_phase_name(b->run->regime));
  double per_layer = calls / b->run->model.layers, k = round(per_layer);
  /* A trace cuts steps, and some models begin with dense layers. */
  bool whole = fabs(per_layer - k) <= 0.05 * k;
  return (k == 2 || k == 3) && whole ? k : 1;
}

/* ---- attention ---- */

double hr_tensor_parallel(builder *b) {
  if (!isnan(b->run->tp)) return b->run->tp;
  NOTE(b, "no workload.tp: taken as one rank");
  return 1;
}

static bool fill_attn(builder *b, roofline_headroom_attn *attn) {
  const hr_context *run = b->run;
  const hr_model_config *model = &run->model;
  bool whole = !isnan(attn->q_heads) && (!isnan(attn->kv_heads) || attn->latent > 0);
  double tp = whole ? 1 : hr_tensor_parallel(b);
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
  if (isnan(attn->batch)) attn->batch = hr_est_shape(b, "M");
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

bool hr_add_attn(builder *b, roofline_headroom_attn *attn) {
  if (!fill_attn(b, attn)) return false;
  if (attn->latent > 0)
    NOTE(b, "MLA: the latent of %.10g + %.10g values is read once and is not sharded", attn->latent,
         attn->rope);
  hr_add_candidate(
      b, roofline_headroom_attn_work(attn),
      arena_printf(b->log->a, "attention decode, batch %.10g at context %.10g", attn->batch, attn->seq));
  return true;
}

roofline_headroom_attn hr_attn_of_model(const hr_model_config *model) {
  roofline_headroom_attn attn = {NAN, NAN, NAN, NAN, NAN, 0, 0, 0};
  if (model->latent > 0) attn.latent = model->latent;
  if (model->latent > 0 && model->rope > 0) attn.rope = model->rope;
  return attn;
}

/* ---- one kernel ---- */

void hr_work_of(hr_log *log, const hr_context *context, const json_t *kernel, const json_t *captured,
                str where, hr_lines *notes, hr_work *out) {
  const hr_work empty = {.launches = 1, .t_ms = NAN, .target = NAN};
  builder b = {log, context, kernel, captured, where, notes, out};
  *out = empty;
  if (captured != NULL) {
    if (hr_from_captured(&b)) return;
    *out = empty;
    NOTE(&b, "the captured shapes are not usable: modelled from the profile");
  }
  hr_from_profile(&b);
  if (out->candidates.n == 0 && out->reason.n == 0) REASON(&b, "no usable shape");
}
