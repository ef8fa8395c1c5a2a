#include "visibility.h"

/* Sum of clamp(i + s, 0, cap) over 0 <= i < n: nothing, then a rising run, then cap. */
static int64_t ramp(tally *t, int64_t n, int64_t s, int64_t cap) {
  const int64_t begin = clamp(sub(t, 0, s), 0, n); /* i + s > 0 behind it */
  const int64_t full = clamp(sub(t, cap, s), begin, n);
  const int64_t run = full - begin;
  if (!tally_ok(t)) return 0;
  /* First and last of the run are begin + s and full - 1 + s; one of run and their sum is even. */
  const int64_t ends = add(t, add(t, begin, s), add(t, full - 1, s));
  const int64_t rising = run % 2 == 0 ? mul(t, run / 2, ends) : mul(t, run, ends / 2);
  return add(t, run > 0 ? rising : 0, mul(t, cap, n - full));
}

/* Keys at or before position p + reach, summed over the queries. */
static int64_t up_to(tally *t, int64_t q, int64_t kv, int64_t reach) {
  return ramp(t, q, add(t, sub(t, kv, q), add(t, reach, 1)), kv);
}

visibility attention_visible(tally *t, int64_t q, int64_t kv, attention_mask mask) {
  visibility v = {0, 0, kv, 0};
  if (!tally_require(t, q >= 0 && kv >= 0) || q == 0 || kv == 0) return v;
  /* No window is wider than all positions together, so nothing changes at that width. */
  const int64_t all = add(t, q, kv);
  const int64_t left = mask.left < 0 ? all : min_of(mask.left, all);
  const int64_t right = mask.causal ? 0 : mask.right < 0 ? all : min_of(mask.right, all);
  v.pairs = sub(t, up_to(t, q, kv, right), up_to(t, q, kv, sub(t, -1, left)));
  /* p + right >= 0: the rest of the conditions hold for every p <= kv - 1. */
  v.queries = min_of(q, add(t, kv, right));
  v.first = max_of(0, sub(t, sub(t, kv, v.queries), left));
  v.keys = kv - v.first;
  return v;
}
