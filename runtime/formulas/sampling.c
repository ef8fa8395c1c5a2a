/* Masks over logits [B, V]. A request whose row keeps everything is the identity: it is copied, and costs no
   flops. */
#include "tally.h"

/* Rows that lose a logit to top_k, and the logits kept, summed over all rows. */
typedef struct kept_logits {
  int64_t cut_rows, kept;
} kept_logits;

static kept_logits count_kept(tally *t) {
  kept_logits n = {0, 0};
  const int64_t vocabulary = tally_int(t, "V");
  roofline_metadata k;
  if (!tally_values(t, "top_k", &k)) return n;
  for (int64_t i = 0; i < k.count && tally_ok(t); i++) {
    const int64_t kept = min_of(tally_item(t, &k, i, 0, INT64_MAX), vocabulary);
    n.cut_rows += kept < vocabulary;
    n.kept = add(t, n.kept, kept);
  }
  return n;
}

static void top_k(tally *t, kept_logits n) {
  FLOPS(t, 2, n.cut_rows, tally_int(t, "V"));
  tally_read(t, "logits");
  tally_read(t, "top_k");
  tally_write_outputs(t);
}

static void top_k_mask(tally *t) { top_k(t, count_kept(t)); }

/* top_k_mask_roofline: of a row with k < V, a compare per logit to find the k-th largest and a
   compare-and-select per logit against it. */
ROOFLINE_FORMULA(top_k_mask_roofline) { return tally_cost(call, top_k_mask, cost); }
ROOFLINE_READ_BYTES(top_k_mask_fwd) { return tally_reads(call, top_k_mask, bytes); }
ROOFLINE_DATA_TERMS(top_k_mask_fwd) {
  (void)call;
  return "top_k: rows that lose a logit";
}

static void top_k_top_p_mask(tally *t) {
  const kept_logits n = count_kept(t);
  top_k(t, n);
  if (tally_float(t, "top_p") < 1) FLOPS(t, 7, n.kept);
}

/* top_k_top_p_mask_roofline: top_k_mask_roofline; under top_p < 1 also, per logit that top_k keeps, the
   softmax 5, the running sum's add, and the compare-and-select against top_p. */
ROOFLINE_FORMULA(top_k_top_p_mask_roofline) { return tally_cost(call, top_k_top_p_mask, cost); }
ROOFLINE_READ_BYTES(top_k_top_p_mask_fwd) { return tally_reads(call, top_k_top_p_mask, bytes); }
ROOFLINE_DATA_TERMS(top_k_top_p_mask_fwd) {
  (void)call;
  return "top_k: rows that lose a logit, logits kept";
}
