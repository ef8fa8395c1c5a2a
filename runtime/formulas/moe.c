/* Mixture of experts: T tokens of width H, K experts a token of E, F the expert's inner width. A multiply-add
   is 2; a gated activation 6 per element of F. An expert's weights are read when a row reaches it, once
   however many do. Gathers, permutes and index arithmetic cost no flops. */
#include <string.h>

#include "spans.h"

/* ---- rows grouped by expert ---- */

typedef struct grouped_rows {
  int64_t rows, experts; /* rows in use, and experts that have one */
} grouped_rows;

static int64_t layout_field(const roofline_adt *layout, const char *name, int64_t fallback) {
  const roofline_adt_ctor *ctor = &layout->type->ctors[layout->ctor];
  for (int32_t i = 0; i < ctor->field_count; i++)
    if (strcmp(ctor->fields[i].name, name) == 0) return layout->fields[i];
  return fallback;
}

static bool layout_is(const roofline_adt *layout, const char *field, const char *text) {
  const roofline_adt_ctor *ctor = &layout->type->ctors[layout->ctor];
  for (int32_t i = 0; i < ctor->field_count; i++) {
    const roofline_adt_field *f = &ctor->fields[i];
    const int64_t v = layout->fields[i];
    if (strcmp(f->name, field) == 0 && f->values != NULL && v >= 0 && v < f->value_count)
      return strcmp(f->values[v], text) == 0;
  }
  return false;
}

/* Adds an expert's (or, per row, one row's) count. */
static void use_rows(tally *t, grouped_rows *g, int64_t rows, bool another_expert) {
  if (!tally_require(t, rows >= 0) || rows == 0) return;
  g->rows = add(t, g->rows, rows);
  g->experts += another_expert;
}

/* What layout_metadata says, by the layout: rows of every expert (masked); every row's expert, -1 for none
   (per_row, ascending); or every expert's end, each starting at the next tile (physical_psum). */
static grouped_rows count_rows(tally *t) {
  grouped_rows g = {0, 0};
  roofline_adt layout = {NULL, 0, {0}};
  roofline_metadata values;
  if (tally_ok(t)) t->status = roofline_call_adt(t->call, "layout", &layout);
  if (!tally_values(t, "layout_metadata", &values)) return g;
  const bool masked = strcmp(layout.type->ctors[layout.ctor].name, "masked") == 0;
  const bool per_row = layout_is(&layout, "metadata_kind", "per_row");
  const int64_t tile = layout_is(&layout, "packing", "aligned") ? layout_field(&layout, "alignment", 1) : 1;
  int64_t start = 0, last = -1;
  for (int64_t i = 0; i < values.count && tally_ok(t); i++) {
    const int64_t v = roofline_metadata_at(&values, i);
    if (masked) {
      use_rows(t, &g, v, true);
    } else if (per_row) {
      use_rows(t, &g, v >= 0, v != last);
      if (v >= 0) last = v;
    } else {
      use_rows(t, &g, sub(t, v, start), true);
      start = mul(t, div_up(t, v, tile), tile);
    }
  }
  return g;
}

#define LAYOUT_TERMS "layout_metadata: rows in use and experts that have one"

static void grouped_gemm(tally *t) {
  const int64_t k = tally_int(t, "K"), n = tally_int(t, "N");
  const bool activated = tally_present(t, "activation");
  const int64_t width = activated ? mul(t, 2, n) : n;
  const grouped_rows g = count_rows(t);
  FLOPS(t, 2, g.rows, width, k);
  if (activated) FLOPS(t, 6, g.rows, n);
  READ(t, g.rows, k, tally_size(t, "a"));
  READ(t, g.experts, width, k, tally_size(t, "b"));
  tally_read(t, "layout_metadata");
  WRITE(t, g.rows, n, tally_size(t, "output"));
}

/* moe_grouped_gemm_roofline: rows in use only, of a, of the output and in the product; weights of experts
   that have one. flops = 2 rows width K (+ 6 rows N for a fused gated activation, width then 2 N). */
ROOFLINE_FORMULA(moe_grouped_gemm_roofline) { return tally_cost(call, grouped_gemm, cost); }
ROOFLINE_READ_BYTES(moe_grouped_gemm_fwd) { return tally_reads(call, grouped_gemm, bytes); }
ROOFLINE_DATA_TERMS(moe_grouped_gemm_fwd) {
  (void)call;
  return LAYOUT_TERMS;
}

/* Gate, up and down of `rows` rows and the activation between: 6 F H + 6 F each. */
static void mlp_flops(tally *t, int64_t rows, int64_t f, int64_t h) {
  FLOPS(t, rows, mul(t, 6, f), add(t, h, 1));
}

static void expert_mlp(tally *t) {
  const int64_t h = tally_int(t, "H");
  const grouped_rows g = count_rows(t);
  mlp_flops(t, g.rows, tally_int(t, "F"), h);
  READ(t, g.rows, h, tally_size(t, "expert_input"));
  tally_read_items(t, "w_gate_up", 1, g.experts);
  tally_read_items(t, "w_down", 1, g.experts);
  tally_read(t, "layout_metadata");
  WRITE(t, g.rows, h, tally_size(t, "output"));
}

/* moe_expert_mlp_roofline: rows (6 F H + 6 F), bytes by the rule of moe_grouped_gemm_roofline. */
ROOFLINE_FORMULA(moe_expert_mlp_roofline) { return tally_cost(call, expert_mlp, cost); }
ROOFLINE_READ_BYTES(moe_expert_mlp_fwd) { return tally_reads(call, expert_mlp, bytes); }
ROOFLINE_DATA_TERMS(moe_expert_mlp_fwd) {
  (void)call;
  return LAYOUT_TERMS;
}

/* ---- the weighted sum ---- */

/* A factor other than 1. The epilogue is an object the language does not look into: one that is there
   scales, unless the caller gives its factor as a number, and that is 1. */
static bool epilogue_scales(tally *t) {
  const roofline_value epilogue = tally_value(t, "epilogue");
  return epilogue.tag != ROOFLINE_TAG_NONE && !roofline_eq(epilogue, roofline_float(1));
}

static void post_permute(tally *t) {
  const int64_t tokens = tally_int(t, "T"), k = tally_int(t, "K"), h = tally_int(t, "H");
  roofline_metadata indices;
  const bool known = tally_has_values(t, "inverse_indices", &indices);
  const int64_t rows = known ? spans_distinct(t, &indices, tally_int(t, "R")) : mul(t, tokens, k);
  FLOPS(t, 2, tokens, k, h);
  if (epilogue_scales(t)) FLOPS(t, tokens, h);
  READ(t, rows, h, tally_size(t, "expert_output"));
  tally_read(t, "topk_weights");
  tally_read(t, "inverse_indices");
  tally_write(t, "output");
}

/* moe_post_permute_roofline: 2 T K H, a multiply-add per expert output, and T H for an epilogue's factor.
   Rows that inverse_indices names are read, each once: T K of them, where the call does not carry it, as
   no two routes share a row. */
ROOFLINE_FORMULA(moe_post_permute_roofline) { return tally_cost(call, post_permute, cost); }
ROOFLINE_READ_BYTES(moe_post_permute_fwd) { return tally_reads(call, post_permute, bytes); }
ROOFLINE_DATA_TERMS(moe_post_permute_fwd) {
  roofline_metadata indices;
  return roofline_call_metadata(call, "inverse_indices", &indices) == ROOFLINE_OK
             ? "inverse_indices: distinct rows named"
             : "one row a route";
}

/* ---- the routed half ---- */

/* T tokens through K experts each, of which `experts` distinct ones, and their weighted sum. */
static void routed(tally *t, int64_t k, int64_t experts) {
  const int64_t tokens = tally_int(t, "T"), h = tally_int(t, "H");
  mlp_flops(t, mul(t, tokens, k), tally_int(t, "F"), h);
  FLOPS(t, 2, tokens, k, h);
  if (tally_float(t, "routed_scaling_factor") != 1) FLOPS(t, tokens, h);
  tally_read(t, "hidden_states");
  tally_read_items(t, "w_gate_up", 1, experts);
  tally_read_items(t, "w_down", 1, experts);
}

/* A token's experts are distinct, so any token makes K of them the least. */
static int64_t least_experts(tally *t, int64_t k) {
  return tally_int(t, "T") > 0 ? min_of(k, tally_int(t, "E")) : 0;
}

static void routed_expert_mlp(tally *t) {
  const int64_t k = tally_int(t, "K");
  roofline_metadata ids;
  const bool known = tally_has_values(t, "topk_ids", &ids);
  routed(t, k, known ? spans_distinct(t, &ids, tally_int(t, "E")) : least_experts(t, k));
  tally_read(t, "topk_weights");
  tally_read(t, "topk_ids");
  tally_write(t, "output");
}

/* routed_expert_mlp_roofline: T K (6 F H + 6 F) + 2 T K H (+ T H for a routed factor other than 1), the
   factor on the sum, not on each weight; weights 3 F H of each distinct expert in topk_ids, of K experts
   where the call does not carry it. */
ROOFLINE_FORMULA(routed_expert_mlp_roofline) { return tally_cost(call, routed_expert_mlp, cost); }
ROOFLINE_READ_BYTES(fused_mo_e_experts_fwd) { return tally_reads(call, routed_expert_mlp, bytes); }
ROOFLINE_READ_BYTES(indexed_expert_mlp_fwd) { return tally_reads(call, routed_expert_mlp, bytes); }

static const char *expert_terms(const roofline_call *call) {
  roofline_metadata ids;
  return roofline_call_metadata(call, "topk_ids", &ids) == ROOFLINE_OK
             ? "topk_ids: distinct experts"
             : "lower bound: every token on the same experts";
}
ROOFLINE_DATA_TERMS(fused_mo_e_experts_fwd) { return expert_terms(call); }
ROOFLINE_DATA_TERMS(indexed_expert_mlp_fwd) { return expert_terms(call); }

/* The ids that a stage of this composite was called with, when its caller attached one. */
static bool stage_ids(const roofline_call *call, roofline_metadata *ids) {
  for (int32_t i = 0; i < call->op->stage_count; i++) {
    const roofline_call *stage;
    if (roofline_call_stage(call, call->op->stages[i].name, &stage) == ROOFLINE_OK &&
        roofline_call_metadata(stage, "topk_ids", ids) == ROOFLINE_OK)
      return true;
  }
  return false;
}

static void fused_moe(tally *t) {
  const int64_t tokens = tally_int(t, "T"), experts = tally_int(t, "E"), k = tally_int(t, "top_k");
  roofline_metadata ids;
  const bool known = tally_ok(t) && stage_ids(t->call, &ids);
  routed(t, k, known ? spans_distinct(t, &ids, experts) : least_experts(t, k));
  FLOPS(t, 2, tokens, experts, add(t, k, 1));
  tally_read(t, "gating_output");
  if (tally_present(t, "correction_bias")) {
    FLOPS(t, tokens, experts);
    tally_read(t, "correction_bias");
  }
  tally_write_outputs(t);
}

/* fused_moe_fwd_roofline: routing as the top-k op prices it, 2 T E (1 + top_k) (+ T E for a bias), and the
   routed half. Which experts are reached is known when the stage that runs them is attached with its
   topk_ids; else top_k experts are the lower bound. */
ROOFLINE_FORMULA(fused_moe_fwd_roofline) { return tally_cost(call, fused_moe, cost); }
ROOFLINE_READ_BYTES(fused_moe_fwd) { return tally_reads(call, fused_moe, bytes); }

static void fused_moe_shared_expert(tally *t) {
  fused_moe(t);
  if (!tally_present(t, "shared_w_gate_up")) return;
  const int64_t shard = div_down(t, tally_int(t, "S"), tally_int(t, "tp_size")), h = tally_int(t, "H");
  mlp_flops(t, tally_int(t, "T"), shard, h);
  READ(t, 2, shard, h, tally_size(t, "shared_w_gate_up"));
  READ(t, shard, h, tally_size(t, "shared_w_down"));
}

/* fused_moe_shared_expert_fwd_roofline: adds the rank's shard s = S / tp_size of the shared expert: T (6 s H
   + 6 s) flops, 3 s H weights, and its own output. */
ROOFLINE_FORMULA(fused_moe_shared_expert_fwd_roofline) {
  return tally_cost(call, fused_moe_shared_expert, cost);
}
ROOFLINE_READ_BYTES(fused_moe_shared_expert_fwd) { return tally_reads(call, fused_moe_shared_expert, bytes); }

static const char *stage_terms(const roofline_call *call) {
  roofline_metadata ids;
  return call->op != NULL && stage_ids(call, &ids) ? "topk_ids of the experts stage: distinct experts"
                                                   : "lower bound: every token on the same experts";
}
ROOFLINE_DATA_TERMS(fused_moe_fwd) { return stage_terms(call); }
ROOFLINE_DATA_TERMS(fused_moe_shared_expert_fwd) { return stage_terms(call); }
