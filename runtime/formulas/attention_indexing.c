/* Choosing keys for sparse attention: scoring them cheaply, then keeping the best. */
#include "spans.h"

static void lightning_indexer(tally *t) {
  const int64_t batch = tally_int(t, "B"), keys = tally_int(t, "S_kv"), heads = tally_int(t, "H");
  const int64_t groups = tally_int(t, "G"), dim = tally_int(t, "D");
  roofline_dtype dtype = ROOFLINE_DTYPE_NONE;
  if (tally_ok(t)) t->status = roofline_call_dtype(t->call, "T", &dtype);
  roofline_metadata starts, ends;
  if (!tally_values(t, "cu_seqlen_ks", &starts) || !tally_values(t, "cu_seqlen_ke", &ends)) return;
  spans windows = {NULL, 0, 0, false};
  int64_t scored = 0, queries = 0;
  for (int64_t i = 0; i < starts.count && tally_ok(t); i++) {
    const int64_t from = tally_item(t, &starts, i, 0, INT64_MAX), to = tally_item(t, &ends, i, 0, INT64_MAX);
    if (from >= to || !tally_require(t, to <= keys)) continue;
    scored = add(t, scored, to - from);
    queries++;
    spans_add(t, &windows, from, to);
  }
  const int64_t rows = PRODUCT(t, batch, groups, spans_close(t, &windows));
  const bool quantizes = dtype == ROOFLINE_BFLOAT16, scaled = tally_present(t, "index_k_scale");
  FLOPS(t, batch, heads, scored, mul_add(t, 2, dim, 3));
  if (quantizes || scaled) FLOPS(t, batch, groups, scored);
  if (quantizes) FLOPS(t, rows, mul_add(t, 4, dim, 2));
  tally_read_items(t, "index_q", 2, mul(t, batch, queries));
  tally_read_items(t, "weights", 1, batch > 0 ? queries : 0);
  tally_read_items(t, "index_k", 3, rows);
  if (scaled) tally_read_items(t, "index_k_scale", 3, rows);
  tally_read(t, "cu_seqlen_ks");
  tally_read(t, "cu_seqlen_ke");
  tally_write(t, "logits");
}

/* fp8_lightning_indexer_roofline: scored = the sum of max(0, ke - ks). A score of a (query head, query, key)
   is 2 D, its ReLU, the weight and the add into the sum over heads 3. A key scale multiplies that sum, once
   a (query, key, group); bfloat16 keys in use are quantized first, 4 D + 2 a row, and then have one. Keys
   are read for the union of the windows, queries and weights where a window is not empty; the logits are
   written whole. */
ROOFLINE_FORMULA(fp8_lightning_indexer_roofline) { return tally_cost(call, lightning_indexer, cost); }
ROOFLINE_READ_BYTES(fp8_lightning_indexer_fwd) { return tally_reads(call, lightning_indexer, bytes); }
ROOFLINE_DATA_TERMS(fp8_lightning_indexer_fwd) {
  (void)call;
  return "cu_seqlen_ks and cu_seqlen_ke: keys in each query's window";
}

static void topk_selector(tally *t) {
  const int64_t keys = tally_int(t, "S_kv"), groups = tally_int(t, "G"), topk = tally_int(t, "topk");
  roofline_metadata starts, ends;
  if (!tally_values(t, "starts", &starts) || !tally_values(t, "ends", &ends)) return;
  int64_t ranked = 0;
  for (int64_t i = 0; i < starts.count && tally_ok(t); i++) {
    const int64_t from = tally_item(t, &starts, i, 0, INT64_MAX), to = tally_item(t, &ends, i, 0, INT64_MAX);
    if (from >= to || !tally_require(t, to <= keys)) continue;
    if (to - from > topk) ranked = add(t, ranked, to - from);
  }
  FLOPS(t, groups, ranked);
  tally_read_items(t, "index_score", 3, ranked);
  tally_read(t, "starts");
  tally_read(t, "ends");
  tally_write(t, "indexes");
}

/* topk_selector_roofline: one compare per score of a window wider than topk. A narrower window keeps all its
   positions, so none of its scores is compared or read. */
ROOFLINE_FORMULA(topk_selector_roofline) { return tally_cost(call, topk_selector, cost); }
ROOFLINE_READ_BYTES(top_k_select_fwd) { return tally_reads(call, topk_selector, bytes); }
ROOFLINE_DATA_TERMS(top_k_select_fwd) {
  (void)call;
  return "starts and ends: scores in windows wider than topk";
}
