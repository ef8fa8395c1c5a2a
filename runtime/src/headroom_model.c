/* Bytes and flops of one unit of work, by class. headroom.md §2.6. */
#include <roofline/headroom.h>

#include <math.h>

roofline_work roofline_headroom_gemm(double batch, double m, double n, double k, double a, double w,
                                     double out) {
  return (roofline_work){.bytes = batch * (m * k * a + k * n * w + m * n * out),
                         .flops = batch * 2 * m * n * k};
}

const char *roofline_moe_stage_name(roofline_moe_stage s) {
  static const char *const names[] = {"layer", "gate_up", "down"};
  return names[s];
}

double roofline_headroom_experts_hit(double experts, double pairs) {
  if (!(experts > 0) || !(pairs > 0)) return 0;
  if (experts <= 1) return experts;
  /* 1 - (1 - 1/E)^pairs loses every digit for large E; expm1 and log1p keep them. */
  return fmin(experts, -experts * expm1(pairs * log1p(-1.0 / experts)));
}

/* Per stage: matrices of one expert, in hidden x intermediate weights, and what one pair reads and
   writes, in multiples of hidden and of intermediate. Between the two halves of a layer nothing is
   counted: a fused kernel keeps it on chip. */
static const struct moe_stage {
  double matrices, in_hidden, in_intermediate, out_hidden, out_intermediate;
} moe_stages[ROOFLINE_MOE_STAGE_COUNT] = {
    [ROOFLINE_MOE_LAYER] = {3, 1, 0, 1, 0},
    [ROOFLINE_MOE_GATE_UP] = {2, 1, 0, 0, 2},
    [ROOFLINE_MOE_DOWN] = {1, 0, 1, 1, 0},
};

roofline_work roofline_headroom_moe_work(const roofline_headroom_moe *moe) {
  const struct moe_stage *s = &moe_stages[moe->stage];
  double pairs = moe->tokens * moe->top_k;
  double elements = s->matrices * moe->intermediate * moe->hidden;
  double streamed = moe->all_experts ? moe->experts : roofline_headroom_experts_hit(moe->experts, pairs);
  /* The layer's input and output are per token, the halves' other side is per pair. */
  double in = moe->tokens * moe->hidden * s->in_hidden + pairs * moe->intermediate * s->in_intermediate;
  double out = moe->tokens * moe->hidden * s->out_hidden + pairs * moe->intermediate * s->out_intermediate;
  return (roofline_work){.bytes = streamed * elements * moe->weight_bytes + in * moe->activation_bytes +
                                  out * moe->out_bytes,
                         .flops = 2 * pairs * elements};
}

roofline_work roofline_headroom_attn_work(const roofline_headroom_attn *attn) {
  double tokens = attn->batch * attn->seq;
  if (attn->latent > 0) { /* MLA: keys read latent + rope, values the latent again, from one cached row */
    double row = attn->latent + attn->rope;
    return (roofline_work){.bytes = tokens * row * attn->kv_bytes,
                           .flops = 2 * tokens * attn->q_heads * (row + attn->latent)};
  }
  return (roofline_work){.bytes = tokens * attn->kv_heads * attn->head_dim * 2 * attn->kv_bytes,
                         .flops = 2 * tokens * attn->q_heads * attn->head_dim * 2};
}

double roofline_headroom_decode_seq(double isl, double osl) { return isl + floor(osl / 2); }

double roofline_headroom_heads_per_rank(double heads, double tp) {
  if (!(tp > 1)) return heads;
  return fmax(1.0, ceil(heads / tp));
}

size_t roofline_headroom_choose(const roofline_work *candidates, size_t count, double peak_bw, double t_ms,
                                bool *feasible) {
  double most = peak_bw * (t_ms / 1000.0);
  size_t best = 0, smallest = 0;
  *feasible = false;
  for (size_t i = 0; i < count; i++) {
    if (candidates[i].bytes < candidates[smallest].bytes) smallest = i;
    if (candidates[i].bytes > most || !(peak_bw > 0)) continue;
    if (!*feasible || candidates[i].bytes > candidates[best].bytes) best = i;
    *feasible = true;
  }
  return *feasible ? best : smallest;
}
