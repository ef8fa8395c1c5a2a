/* Sequences: reading, slicing, comparing and folding them. A sequence of two runs may stand for any
   number of items, so every walk here goes run by run. language.md §4. */
#include <roofline/primitive.h>

#include "sequence.h"

int64_t sequence_run(const roofline_seq *s, int64_t i) {
  if (s->items != NULL) return 1;
  return i < s->first ? s->first - i : s->len - i;
}

bool sequence_any_absent(const roofline_seq *s) {
  if (s->absent == NULL) return false;
  for (int64_t i = 0; i < s->len; i++)
    if (s->absent[i]) return true;
  return false;
}

bool sequence_at_least(const roofline_seq *s, int64_t least) {
  for (int64_t i = 0; i < s->len; i += sequence_run(s, i))
    if (roofline_seq_absent(s, i) || roofline_seq_item(s, i) < least) return false;
  return true;
}

int64_t roofline_seq_at(roofline_status *status, roofline_seq s, int64_t i) {
  if (i < 0 && i >= -s.len) i += s.len;
  if (i < 0 || i >= s.len || roofline_seq_absent(&s, i)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  return roofline_seq_item(&s, i);
}

static int64_t clamp_position(int64_t i, int64_t len) {
  if (i < 0) i = i < -len ? 0 : i + len;
  return i > len ? len : i;
}

roofline_seq roofline_seq_slice(roofline_seq s, int64_t from, int64_t to) {
  from = clamp_position(from, s.len);
  to = clamp_position(to, s.len);
  if (to < from) to = from;
  if (s.items == NULL) {
    int64_t cut = s.first < from ? from : s.first > to ? to : s.first;
    return roofline_seq_of_runs(cut - from, s.a, to - cut, s.b);
  }
  roofline_seq slice = roofline_seq_of(s.items + from, to - from);
  if (s.absent != NULL) slice.absent = s.absent + from;
  return slice;
}

/* None equals None and, so that the order is total, comes before every number. */
static int item_cmp(const roofline_seq *a, const roofline_seq *b, int64_t i) {
  bool a_absent = roofline_seq_absent(a, i), b_absent = roofline_seq_absent(b, i);
  if (a_absent || b_absent) return b_absent - a_absent;
  int64_t x = roofline_seq_item(a, i), y = roofline_seq_item(b, i);
  return (x > y) - (x < y);
}

int roofline_seq_cmp(roofline_seq a, roofline_seq b) {
  int64_t common = a.len < b.len ? a.len : b.len;
  for (int64_t i = 0; i < common;) {
    int order = item_cmp(&a, &b, i);
    if (order != 0) return order;
    int64_t run_a = sequence_run(&a, i), run_b = sequence_run(&b, i);
    i += run_a < run_b ? run_a : run_b;
  }
  return (a.len > b.len) - (a.len < b.len);
}

bool roofline_seq_eq(roofline_seq a, roofline_seq b) { return a.len == b.len && roofline_seq_cmp(a, b) == 0; }

bool roofline_seq_contains(roofline_seq s, int64_t x) {
  for (int64_t i = 0; i < s.len; i += sequence_run(&s, i))
    if (!roofline_seq_absent(&s, i) && roofline_seq_item(&s, i) == x) return true;
  return false;
}

int64_t roofline_seq_len_walkable(roofline_status *status, roofline_seq s) {
  if (s.len <= ROOFLINE_MAX_SEQUENCE) return s.len;
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return 0;
}

/* magnitude *= factor ^ count, for a factor of at least 1; true when it leaves 64 bits. */
static bool power_overflows(uint64_t *magnitude, uint64_t factor, int64_t count) {
  if (factor == 1) return false;
  for (; count > 0; count--) { /* the factor is at least 2: 64 steps at most */
    if (*magnitude > UINT64_MAX / factor) return true;
    *magnitude *= factor;
  }
  return false;
}

static uint64_t magnitude_of(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

/* The sign and the magnitude apart: with no zero among the items the magnitude only grows, so it leaves
   its range on the way exactly when the product does. */
int64_t roofline_prod_of_any(roofline_status *status, roofline_seq s) {
  if (sequence_any_absent(&s)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (roofline_seq_contains(s, 0)) return 0;
  uint64_t magnitude = 1;
  bool negative = false;
  for (int64_t i = 0, run; i < s.len; i += run) {
    run = sequence_run(&s, i);
    int64_t item = roofline_seq_item(&s, i);
    if (item < 0 && run % 2 != 0) negative = !negative;
    if (power_overflows(&magnitude, magnitude_of(item), run)) {
      roofline_fail(status, ROOFLINE_E_OVERFLOW);
      return 0;
    }
  }
  if (magnitude <= INT64_MAX) return negative ? -(int64_t)magnitude : (int64_t)magnitude;
  if (negative && magnitude == (uint64_t)INT64_MAX + 1) return INT64_MIN;
  roofline_fail(status, ROOFLINE_E_OVERFLOW);
  return 0;
}

/* Items are summed in halves of 32 bits, so that a sum which fits is found whatever its partial sums are:
   with 0 <= low < 2^32 it fits exactly when high * 2^32 does. */
static int64_t sum_of_items(roofline_status *status, const roofline_seq *s) {
  const int64_t half = INT64_C(1) << 32;
  int64_t high = 0, low = 0;
  for (int64_t i = 0; i < s->len; i++) {
    low += roofline_mod(status, s->items[i], half);
    high += roofline_floordiv(status, s->items[i], half) + low / half;
    low %= half;
  }
  return roofline_add(status, roofline_mul(status, high, half), low);
}

int64_t roofline_sum(roofline_status *status, roofline_seq s) {
  if (sequence_any_absent(&s)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (s.items != NULL) return sum_of_items(status, &s);
  int64_t first = roofline_mul(status, s.a, s.first);
  return roofline_add(status, first, roofline_mul(status, s.b, s.len - s.first));
}

static int64_t extreme(roofline_status *status, const roofline_seq *s, roofline_value fallback,
                       bool largest) {
  if (sequence_any_absent(s) || (s->len == 0 && fallback.tag != ROOFLINE_TAG_INT)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (s->len == 0) return fallback.u.i;
  int64_t best = roofline_seq_item(s, 0);
  for (int64_t i = 0; i < s->len; i += sequence_run(s, i)) {
    int64_t item = roofline_seq_item(s, i);
    if (largest ? item > best : item < best) best = item;
  }
  return best;
}

int64_t roofline_max(roofline_status *status, roofline_seq s, roofline_value fallback) {
  return extreme(status, &s, fallback, true);
}

int64_t roofline_min(roofline_status *status, roofline_seq s, roofline_value fallback) {
  return extreme(status, &s, fallback, false);
}

roofline_seq roofline_balanced_sizes(roofline_status *status, int64_t total, int64_t count) {
  if (count <= 0 || total < 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return roofline_seq_of_runs(0, 0, 0, 0);
  }
  int64_t size = total / count, larger = total % count;
  return roofline_seq_of_runs(larger, larger > 0 ? size + 1 : size, count - larger, size);
}

roofline_seq roofline_repeat(roofline_status *status, int64_t value, int64_t count) {
  if (count < 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    count = 0;
  }
  return roofline_seq_of_runs(count, value, 0, value);
}
