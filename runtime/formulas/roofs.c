/* The compute roof of ops whose arithmetic is contractions: tensor cores, at the width of the operands that
   meet there. Weights that are stored narrower and widened first do not change it; an op that narrows its
   operands first prices on what they become. Elsewhere the default holds, cuda_core.fp32. codegen.md §2. */
#include <roofline/roofline.h>

/* The roof of operands whose dtype is the index `name`. */
static const char *tensor_core(const roofline_call *call, const char *name) {
  static const struct {
    roofline_dtype dtype;
    const char *roof;
  } roofs[] = {
      {ROOFLINE_FLOAT16, "tensor_core.fp16"},        {ROOFLINE_BFLOAT16, "tensor_core.bf16"},
      {ROOFLINE_FLOAT32, "tensor_core.tf32"},        {ROOFLINE_INT8, "tensor_core.int8"},
      {ROOFLINE_FLOAT8_E4M3FN, "tensor_core.fp8"},   {ROOFLINE_FLOAT8_E5M2, "tensor_core.fp8"},
      {ROOFLINE_FLOAT8_E4M3FNUZ, "tensor_core.fp8"}, {ROOFLINE_FLOAT8_E5M2FNUZ, "tensor_core.fp8"},
  };
  roofline_dtype dtype;
  if (roofline_call_dtype(call, name, &dtype) == ROOFLINE_OK)
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++)
      if (roofs[i].dtype == dtype) return roofs[i].roof;
  return "cuda_core.fp32";
}

/* Operands of one dtype, whatever the call. */
static const char *always(const roofline_call *call, const char *roof) {
  (void)call;
  return roof;
}

/* ---- gemm, bmm: 4-bit integer weights meet 16-bit or fp8 activations ---- */
ROOFLINE_ROOF_KEY(gemm_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gemm_bias_act_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gemm_fp8_fwd) { return always(call, "tensor_core.fp8"); }
ROOFLINE_ROOF_KEY(gemm_int8_w8_a8_fwd) { return always(call, "tensor_core.int8"); }
ROOFLINE_ROOF_KEY(gemm_w4_a16_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gemm_w4_a8_fwd) { return always(call, "tensor_core.fp8"); }
ROOFLINE_ROOF_KEY(gemm_nvfp4_fwd) { return always(call, "tensor_core.fp4"); }
ROOFLINE_ROOF_KEY(grouped_gemm_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(bmm_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(baddbmm_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(bmm_fp8_fwd) { return always(call, "tensor_core.fp8"); }

/* ---- convolution ---- */
ROOFLINE_ROOF_KEY(conv1d_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(conv2d_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(conv3d_fwd) { return tensor_core(call, "T"); }

/* ---- attention: the query's dtype; an fp8 cache under 16-bit queries is widened ---- */
ROOFLINE_ROOF_KEY(multi_head_attention_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(multi_head_attention_bwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(multi_head_attention_decode_with_kv_cache_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(multi_head_attention_decode_paged_with_kv_cache_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(multi_head_latent_attention_decode_with_kv_cache_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_bwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_dense_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_varlen_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_paged_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(grouped_query_attention_prefill_paged_with_kv_cache_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(deep_seek_sparse_attention_decode_with_kv_cache_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(nsa_cmp_varlen_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(nsa_topk_varlen_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(nsa_varlen_fwd) { return tensor_core(call, "T"); }
/* Quantizes bfloat16 operands before it contracts them. */
ROOFLINE_ROOF_KEY(fp8_lightning_indexer_fwd) { return always(call, "tensor_core.fp8"); }

/* ---- linear attention, state space: chunks and states are products of matrices ---- */
ROOFLINE_ROOF_KEY(gla_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gla_bwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gla_decode_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(delta_net_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(delta_net_bwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(delta_net_decode_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gated_delta_net_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gated_delta_net_bwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(gated_delta_net_decode_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(kimi_delta_attention_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(kimi_delta_attention_decode_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(lightning_attention_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(rwkv6_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(cb_producer_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(ssd_chunk_state_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(ssd_chunk_scan_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(ssd_decode_fwd) { return tensor_core(call, "T"); }
ROOFLINE_ROOF_KEY(mamba2_fwd) { return tensor_core(call, "T"); }

/* ---- mixture of experts ---- */
ROOFLINE_ROOF_KEY(moe_grouped_gemm_fwd) { return tensor_core(call, "D"); }
ROOFLINE_ROOF_KEY(moe_expert_mlp_fwd) { return tensor_core(call, "D"); }
ROOFLINE_ROOF_KEY(fused_mo_e_experts_fwd) { return tensor_core(call, "D"); }
ROOFLINE_ROOF_KEY(indexed_expert_mlp_fwd) { return tensor_core(call, "D"); }
ROOFLINE_ROOF_KEY(fused_moe_fwd) { return tensor_core(call, "D"); }
ROOFLINE_ROOF_KEY(fused_moe_shared_expert_fwd) { return tensor_core(call, "D"); }
