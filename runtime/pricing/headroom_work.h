/* Between the files that model one kernel: headroom_class.c, headroom_work.c, headroom_profiled.c and
   headroom_captured.c. headroom.md §2.4 to §2.6. */
#ifndef PRICING_HEADROOM_WORK_H
#define PRICING_HEADROOM_WORK_H

#include "runtime/pricing/headroom_run.h"

/* ---- headroom_class.c: what names say ---- */

bool hr_is_collective(str name);
roofline_op_class hr_classify(str name, str classification);
/* Which half of a moe layer a kernel is; LAYER: the name does not say. */
roofline_moe_stage hr_moe_stage(str name);

/* ---- headroom_work.c ---- */

enum { HR_MAX_CANDIDATES = 64, HR_MAX_TENSORS = 64 };

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

/* 2 bytes and a note for a spelling nobody knows. */
roofline_headroom_dtype hr_parse_dtype(builder *b, str spelling, const char *role);
void hr_set_compute(builder *b, roofline_headroom_dtype t);
/* Operands of different widths are multiplied in the wider one. */
roofline_headroom_dtype hr_wider(roofline_headroom_dtype a, roofline_headroom_dtype b);

/* The profile lists the dtypes a kernel saw, not one per tensor, and a scale's float32 among them. */
typedef struct seen_dtypes {
  bool any;
  roofline_headroom_dtype first, narrowest; /* narrowest: of the floating ones, else the first */
  roofline_headroom_dtype computes;         /* the first that a device can have a compute peak for */
  VEC(roofline_headroom_dtype) all;
} seen_dtypes;
seen_dtypes hr_kernel_dtypes(builder *b);
/* Expert weights: what the model is quantised to, or what the kernel saw when that is narrower. */
roofline_headroom_dtype hr_expert_weight_dtype(builder *b, const seen_dtypes *seen);

/* Ranks that share a layer; 1 and a note when nothing says. */
double hr_tensor_parallel(builder *b);
/* est_shape of the regime; NaN when absent. */
double hr_est_shape(builder *b, const char *key);

typedef struct gemm_dtypes {
  roofline_headroom_dtype a, w, out;
} gemm_dtypes;
void hr_add_gemm(builder *b, double batch, double m, double n, double k, const gemm_dtypes *t);
/* One moe layer over two launches (gate+up, then down) or three (gate, up, down) a step; else 1. */
double hr_launches_per_layer(builder *b);
/* Every stage when it is not known. */
void hr_add_moe(builder *b, roofline_headroom_moe moe, bool stage_known);
/* MLA's latent from the model; the rest NaN. */
roofline_headroom_attn hr_attn_of_model(const hr_model_config *model);
/* Fills what is still NaN from model and workload and adds the candidate, or gives the reason why not. */
bool hr_add_attn(builder *b, roofline_headroom_attn *attn);
/* False for one that is already there, or that no double holds. */
bool hr_add_candidate(builder *b, roofline_work work, str label);

/* ---- headroom_profiled.c, headroom_captured.c ---- */

void hr_from_profile(builder *b);
/* False, with an error, when the captured shapes make no sense. */
bool hr_from_captured(builder *b);

#endif
