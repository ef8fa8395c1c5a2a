#include "scores.h"

/* Query i meets the keys j with |i - j| <= width; pairs outside the band are written as zero. */
ROOFLINE_FORMULA(band_scores) {
  int64_t N = 0, D = 0, width = 0, q = 0, k = 0, s = 0;
  roofline_status status = roofline_call_int(call, "N", &N);
  if (status == ROOFLINE_OK) status = roofline_call_int(call, "D", &D);
  if (status == ROOFLINE_OK) status = roofline_call_int(call, "width", &width);
  if (status == ROOFLINE_OK) status = roofline_call_bytes(call, "q", &q);
  if (status == ROOFLINE_OK) status = roofline_call_bytes(call, "k", &k);
  if (status == ROOFLINE_OK) status = roofline_call_bytes(call, "s", &s);
  int64_t pairs = 0;
  for (int64_t i = 0; i < N && status == ROOFLINE_OK; i++) {
    const int64_t below = i < width ? i : width, above = N - 1 - i < width ? N - 1 - i : width;
    pairs = roofline_add4(&status, pairs, below, 1, above);
  }
  const int64_t flops = roofline_mul3(&status, pairs, 2, D), bytes = roofline_add3(&status, q, k, s);
  if (status != ROOFLINE_OK) return status;
  cost->flops = flops;
  cost->bytes = bytes;
  return ROOFLINE_OK;
}
