/* How much of the hardware's ceiling a profiled kernel gets, and how much is left (docs/headroom.md).
   Plain arithmetic on doubles: nothing here reads a file, prints or allocates. Units: times in
   milliseconds (`_ms`), bytes, flops, bytes/s and flops/s. A number that is not available is NaN on
   input and on output; no result is ever infinite. */
#ifndef ROOFLINE_HEADROOM_H
#define ROOFLINE_HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dtypes and peaks ---------------------------------------------------------------------------------- */

/* The dtypes that a peaks block can have a compute roof for. */
typedef enum roofline_headroom_roof {
  ROOFLINE_ROOF_FP64,
  ROOFLINE_ROOF_FP32,
  ROOFLINE_ROOF_TF32,
  ROOFLINE_ROOF_BF16,
  ROOFLINE_ROOF_FP16,
  ROOFLINE_ROOF_FP8,
  ROOFLINE_ROOF_FP6,
  ROOFLINE_ROOF_FP4,
  ROOFLINE_ROOF_INT8,
  ROOFLINE_ROOF_COUNT,
  ROOFLINE_ROOF_NONE = ROOFLINE_ROOF_COUNT /* a dtype no block has a roof for */
} roofline_headroom_roof;
ROOFLINE_API const char *roofline_headroom_roof_name(roofline_headroom_roof roof); /* "bf16"; NULL for NONE */

typedef struct roofline_headroom_dtype {
  roofline_headroom_roof roof;
  bool is_float;
  double stored_bytes; /* one element of a tensor's shape */
  double values;       /* values in one such element: 2 for Float4_e2m1fn_x2, else 1 */
} roofline_headroom_dtype;
/* Reads torch's, C's and the short spellings in any case, with or without `c10::` or `torch.`. False for
   one it does not know: *out is then 2 bytes with no roof, and the caller owes the reader a note. */
ROOFLINE_API bool roofline_headroom_dtype_parse(const char *spelling, size_t length,
                                                roofline_headroom_dtype *out);
/* Bytes of one value: 0.5 for fp4, packed or not. */
ROOFLINE_API double roofline_headroom_value_bytes(roofline_headroom_dtype t);

typedef struct roofline_headroom_peaks {
  const char *arch;    /* "gfx950" or "sm_90", lower case; for derived peaks the arch that was asked for */
  const char *product; /* "mi355x" in any case, or NULL */
  bool arch_default;   /* serves every product of the arch that has no block */
  bool derived;        /* from device properties: confidence low */
  double hbm;          /* bytes/s; 0 when unknown */
  double flops[ROOFLINE_ROOF_COUNT]; /* flops/s; 0: this dtype has no peak */
} roofline_headroom_peaks;

/* Lower-cases a gfx name and cuts `:sramecc+` and the like. False when it does not fit `size`. */
ROOFLINE_API bool roofline_headroom_gfx(const char *gfx, size_t length, char *out, size_t size);
/* The block for a gfx name as roofline_headroom_gfx leaves it and a product, which may be a full device
   name that has the product as a word (NULL, "" and "unknown" are no constraint). NULL when there is none;
   `roofline_headroom_derivable` then says whether peaks may be derived instead: never for gfx120x, whose
   products differ too much. */
ROOFLINE_API const roofline_headroom_peaks *
roofline_headroom_find_peaks(const roofline_headroom_peaks *blocks, size_t count, const char *gfx,
                             const char *product);
ROOFLINE_API bool roofline_headroom_derivable(const char *gfx);

/* Device properties as HIP reports them; 0: not given. Clocks in kHz, the bus in bits. */
typedef struct roofline_headroom_device {
  double compute_units, clock_khz, memory_clock_khz, memory_bus_bits;
} roofline_headroom_device;
/* Bandwidth = two transfers a memory clock over the bus; fp32 = lanes x 2 flops a clock and compute unit,
   with 64 lanes, or by out->arch "sm_90" as many as that compute capability has (none that is unknown).
   No other dtype is derived. False without a bandwidth. */
ROOFLINE_API bool roofline_headroom_derive(const roofline_headroom_device *device,
                                           roofline_headroom_peaks *out);

/* ---- models of one unit of work ------------------------------------------------------------------------ */

typedef enum roofline_op_class {
  ROOFLINE_CLASS_UNKNOWN,
  ROOFLINE_CLASS_GEMM,
  ROOFLINE_CLASS_MOE,
  ROOFLINE_CLASS_ATTN,
  ROOFLINE_CLASS_ELEMENTWISE,
  ROOFLINE_CLASS_COUNT
} roofline_op_class;
ROOFLINE_API const char *roofline_op_class_name(roofline_op_class c); /* "gemm"; "unknown" */

typedef struct roofline_work {
  double bytes, flops;
} roofline_work;

/* F = 2MNK, B = MK a + KN w + MN out, `batch` times; a, w, out in bytes of one value. */
ROOFLINE_API roofline_work roofline_headroom_gemm(double batch, double m, double n, double k, double a,
                                                  double w, double out);

typedef enum roofline_moe_stage {
  ROOFLINE_MOE_LAYER,
  ROOFLINE_MOE_GATE_UP,
  ROOFLINE_MOE_DOWN,
  ROOFLINE_MOE_STAGE_COUNT
} roofline_moe_stage;
ROOFLINE_API const char *roofline_moe_stage_name(roofline_moe_stage s); /* "layer", "gate_up", "down" */

typedef struct roofline_headroom_moe {
  double experts, top_k, tokens, hidden, intermediate;
  roofline_moe_stage stage;
  double weight_bytes;     /* of one weight */
  double activation_bytes; /* of one activation read; 0: activations are not counted */
  double out_bytes;        /* of one activation written; 0: not counted */
  bool all_experts;        /* the kernel streams every expert's weights */
} roofline_headroom_moe;
/* Experts that `pairs` token-expert pairs are expected to touch: E(1 - (1 - 1/E)^pairs). */
ROOFLINE_API double roofline_headroom_experts_hit(double experts, double pairs);
ROOFLINE_API roofline_work roofline_headroom_moe_work(const roofline_headroom_moe *moe);

typedef struct roofline_headroom_attn {
  double batch, seq, kv_heads, q_heads, head_dim; /* heads of one rank */
  double kv_bytes;                                /* of one cached value */
  double latent, rope; /* MLA: kv_lora_rank and qk_rope_head_dim; latent 0: not MLA */
} roofline_headroom_attn;
/* Decode: one query token a sequence against `seq` cached ones. */
ROOFLINE_API roofline_work roofline_headroom_attn_work(const roofline_headroom_attn *attn);
/* isl + osl / 2 (floor): the context of a decode step halfway through the answer. */
ROOFLINE_API double roofline_headroom_decode_seq(double isl, double osl);
/* Heads on one of `tp` ranks: at least 1, since heads fewer than ranks are replicated. */
ROOFLINE_API double roofline_headroom_heads_per_rank(double heads, double tp);

/* Of several candidate models, the one with the most bytes that `peak_bw` moves in `t_ms`; when none
   is possible, or the peak is unknown, *feasible is false and the smallest is returned. */
ROOFLINE_API size_t roofline_headroom_choose(const roofline_work *candidates, size_t count, double peak_bw,
                                             double t_ms, bool *feasible);

/* ---- the verdict --------------------------------------------------------------------------------------- */

typedef enum roofline_headroom_bound {
  ROOFLINE_HEADROOM_BOUND_UNKNOWN,
  ROOFLINE_HEADROOM_BOUND_MEMORY,
  ROOFLINE_HEADROOM_BOUND_COMPUTE,
  ROOFLINE_HEADROOM_BOUND_LATENCY
} roofline_headroom_bound;
typedef enum roofline_headroom_class {
  ROOFLINE_HEADROOM_UNKNOWN,
  ROOFLINE_HEADROOM_UNDERPERFORMING,
  ROOFLINE_HEADROOM_MODERATE,
  ROOFLINE_HEADROOM_SATURATED
} roofline_headroom_class;
ROOFLINE_API const char *roofline_headroom_bound_name(roofline_headroom_bound b);
ROOFLINE_API const char *roofline_headroom_class_name(roofline_headroom_class c);

/* Which rule decided. */
typedef enum roofline_headroom_rule {
  ROOFLINE_RULE_NO_INPUT,        /* no work or no time: nothing to compute */
  ROOFLINE_RULE_DISPATCH,        /* at or below the dispatch floor */
  ROOFLINE_RULE_NO_PEAKS,        /* no memory peak: utilisations unknown */
  ROOFLINE_RULE_INFEASIBLE,      /* the model and the time cannot both be right */
  ROOFLINE_RULE_NO_COMPUTE_PEAK, /* the dtype has no peak, and memory alone does not decide */
  ROOFLINE_RULE_JUDGED
} roofline_headroom_rule;

typedef struct roofline_headroom_limits {
  double dispatch_floor_us;   /* 10 */
  double raw_min, raw_max;    /* 0.001, 1.0 */
  double latency_util;        /* 0.60: latency-bound when both utilisations are below */
  double saturated, moderate; /* 0.9, 0.6: shares of the target */
} roofline_headroom_limits;
ROOFLINE_API extern const roofline_headroom_limits roofline_headroom_default_limits;

/* 0.90, 0.90, 0.875, 0.50 by class, 0.76 for R9700's moe and elementwise; NaN for an unknown class. */
ROOFLINE_API double roofline_headroom_target(roofline_op_class op_class, const char *product);

typedef struct roofline_headroom_case {
  double t_ms; /* of the unit that `work` describes */
  roofline_work work;
  double peak_bw, peak_flops;  /* 0: unknown */
  double pct_gpu_time, target; /* percent of GPU time; utilisation that counts as the ceiling */
} roofline_headroom_case;

typedef struct roofline_headroom_result {
  roofline_headroom_rule rule;
  roofline_headroom_bound bound;
  roofline_headroom_class headroom;
  bool suspect;
  double achieved_bw, achieved_flops, hbm_util, compute_util;
  double arithmetic_intensity, ridge_point;
  double roofline_pct, roofline_pct_raw; /* clamped to [0, 1], and as computed */
  double attainable_speedup, expected_gain_pct;
  double bytes_upper_bound; /* only with INFEASIBLE */
} roofline_headroom_result;
/* limits NULL: the defaults. */
ROOFLINE_API void roofline_headroom_judge(const roofline_headroom_case *c,
                                          const roofline_headroom_limits *limits,
                                          roofline_headroom_result *out);

typedef enum roofline_headroom_stage {
  ROOFLINE_STAGE_A,
  ROOFLINE_STAGE_B,
  ROOFLINE_STAGE_C
} roofline_headroom_stage;
typedef enum roofline_confidence {
  ROOFLINE_CONFIDENCE_LOW,
  ROOFLINE_CONFIDENCE_MEDIUM,
  ROOFLINE_CONFIDENCE_HIGH
} roofline_confidence;
ROOFLINE_API roofline_confidence roofline_headroom_confidence(roofline_headroom_stage stage,
                                                              bool derived_peaks);
ROOFLINE_API const char *roofline_confidence_name(roofline_confidence c);

/* ---- head and rankings --------------------------------------------------------------------------------- */

typedef struct roofline_headroom_ranked {
  double pct, gain; /* NaN pct: after every number; NaN gain: unmodelled, after every modelled one */
  uint32_t index;   /* position in the input; breaks ties */
} roofline_headroom_ranked;
/* Keeps the items with pct >= threshold, biggest first, at most `limit`; returns how many. */
ROOFLINE_API size_t roofline_headroom_head(roofline_headroom_ranked *items, size_t count, double threshold,
                                           size_t limit);
ROOFLINE_API void roofline_headroom_rank_by_gain(roofline_headroom_ranked *items, size_t count);

/* ---- counters ------------------------------------------------------------------------------------------ */

typedef enum roofline_counter {
  ROOFLINE_COUNTER_FETCH_SIZE,
  ROOFLINE_COUNTER_WRITE_SIZE,
  ROOFLINE_COUNTER_MFMA_FLOPS,
  ROOFLINE_COUNTER_MFMA_FLOPS_BF16,
  ROOFLINE_COUNTER_MFMA_FLOPS_F16,
  ROOFLINE_COUNTER_MFMA_FLOPS_F32,
  ROOFLINE_COUNTER_MFMA_FLOPS_F64,
  ROOFLINE_COUNTER_MFMA_MOPS_F8,
  ROOFLINE_COUNTER_COUNT /* any other counter: not used */
} roofline_counter;
ROOFLINE_API roofline_counter roofline_counter_find(const char *name, size_t length);

/* One dispatch of one kernel; NaN: not collected. */
typedef struct roofline_dispatch {
  double value[ROOFLINE_COUNTER_COUNT];
} roofline_dispatch;
ROOFLINE_API void roofline_dispatch_init(roofline_dispatch *d);
/* What one dispatch of the kernel does: medians over its dispatches, NaN where not measured.
   `scratch` has room for `count` doubles. */
ROOFLINE_API roofline_work roofline_headroom_measured(const roofline_dispatch *dispatches, size_t count,
                                                      double *scratch);
/* Sorts `values`; the mean of the middle two for an even count, NaN for none. */
ROOFLINE_API double roofline_median(double *values, size_t count);

#ifdef __cplusplus
}
#endif
#endif
