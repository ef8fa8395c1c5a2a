/* Normalization fused with a rotation that reads a table by position. */
#include "spans.h"

static void qk_norm_rope(tally *t) {
  const int64_t tokens = tally_int(t, "N"), dim = tally_int(t, "D"), rotary = tally_int(t, "R");
  const int64_t heads = add(t, tally_int(t, "num_heads"), tally_int(t, "num_kv_heads"));
  roofline_metadata positions;
  const bool known = tally_has_values(t, "positions", &positions);
  const int64_t rows = known ? spans_distinct(t, &positions, tally_int(t, "P")) : min_of(tokens, 1);
  FLOPS(t, tokens, heads, mul_add(t, 4, dim, mul(t, 3, rotary)));
  READ(t, tokens, heads, dim, tally_size(t, "qkv"));
  WRITE(t, tokens, heads, dim, tally_size(t, "qkv"));
  tally_read(t, "q_weight");
  tally_read(t, "k_weight");
  tally_read(t, "positions");
  tally_read_items(t, "cos_sin_cache", 1, rows);
}

/* fused_qk_norm_rope_roofline: N (query heads + key heads) (4 D for the norm with weight + 3 R). Query and
   key columns are read and written, value columns are not touched; cache rows are read for the distinct
   positions, at least one where the call does not carry them. */
ROOFLINE_FORMULA(fused_qk_norm_rope_roofline) { return tally_cost(call, qk_norm_rope, cost); }
ROOFLINE_READ_BYTES(fused_qk_norm_ro_pe_fwd) { return tally_reads(call, qk_norm_rope, bytes); }
ROOFLINE_DATA_TERMS(fused_qk_norm_ro_pe_fwd) {
  roofline_metadata positions;
  return roofline_call_metadata(call, "positions", &positions) == ROOFLINE_OK
             ? "positions: distinct cache rows"
             : "lower bound: all positions equal";
}
