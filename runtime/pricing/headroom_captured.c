/* Models from shapes captured from a kernel's arguments; they override the profile's. headroom.md §1. */
#include "runtime/pricing/headroom_work.h"

#include <math.h>

/* A captured dtype, or the fallback when the key is absent. */
static roofline_headroom_dtype captured_dtype(builder *b, const char *key, roofline_headroom_dtype fallback) {
  str spelling = hr_string(b->log, b->captured, b->where, key);
  return spelling.p != NULL ? hr_parse_dtype(b, spelling, key) : fallback;
}

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
  roofline_headroom_dtype first = hr_kernel_dtypes(b).first;
  gemm_dtypes t;
  t.a = captured_dtype(b, "a", first);
  t.w = captured_dtype(b, "w", t.a);
  t.out = captured_dtype(b, "out", t.a);
  hr_set_compute(b, hr_wider(t.a, t.w));
  hr_add_gemm(b, 1, mnk[0], mnk[1], mnk[2] * t.a.values, &t); /* k counts a's stored elements */
  return true;
}

static bool captured_moe(builder *b) {
  static const char *const keys[] = {"experts", "top_k", "tokens", "hidden", "intermediate"};
  double v[5];
  if (!captured_numbers(b, keys, v, 5)) return false;
  roofline_headroom_moe moe = {
      .experts = v[0], .top_k = v[1], .tokens = v[2], .hidden = v[3], .intermediate = v[4]};
  seen_dtypes seen = hr_kernel_dtypes(b);
  roofline_headroom_dtype w = captured_dtype(b, "w", hr_expert_weight_dtype(b, &seen));
  roofline_headroom_dtype a = captured_dtype(b, "a", w);
  hr_set_compute(b, hr_wider(a, w));
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
  /* A whole layer and two launches a layer: the profile's time is one launch's. */
  if (known && moe.stage == ROOFLINE_MOE_LAYER) b->out->launches = hr_launches_per_layer(b);
  hr_add_moe(b, moe, known);
  return true;
}

static bool captured_attn(builder *b) {
  roofline_headroom_attn attn = hr_attn_of_model(&b->run->model);
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
  seen_dtypes seen = hr_kernel_dtypes(b);
  roofline_headroom_dtype kv = captured_dtype(b, "kv", seen.narrowest);
  attn.kv_bytes = roofline_headroom_value_bytes(kv);
  hr_set_compute(b, seen.any ? seen.computes : kv);
  if (b->run->regime == HR_PREFILL) NOTE(b, "the decode model: one query token a sequence");
  return hr_add_attn(b, &attn);
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
  if (json_object_get(b->captured, "compute_dtype") == NULL) hr_set_compute(b, hr_kernel_dtypes(b).computes);
  hr_add_candidate(b, (roofline_work){bytes, flops}, STR("captured bytes and flops"));
  return true;
}

static bool no_captured_model(builder *b) {
  hr_error(b->log, "%.*s: a captured %s needs bytes_est and flops_est", STR_ARG(b->where),
           roofline_op_class_name(b->out->op_class));
  return false;
}

bool hr_from_captured(builder *b) {
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
  if (compute.p != NULL) hr_set_compute(b, hr_parse_dtype(b, compute, "the compute"));
  double launches = hr_positive(b->log, b->captured, b->where, "launches_per_unit");
  if (launches > 0) b->out->launches = launches;
  if (b->out->launches > 1)
    NOTE(b, "one unit is %g launches: their times and bytes are summed", b->out->launches);
  b->out->t_ms = hr_positive(b->log, b->captured, b->where, "t_ms");
  b->out->target = hr_positive(b->log, b->captured, b->where, "target_eff");
  b->out->stage = ROOFLINE_STAGE_B;
  return b->out->candidates.n > 0;
}
