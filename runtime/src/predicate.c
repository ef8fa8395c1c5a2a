/* Predicates: what a metadata tensor's values must keep (`requires:`). language.md §4. */
#include <roofline/generator.h>

#include "layout.h"

static bool available(roofline_status *status, const roofline_metadata *m) {
  if (m->data == NULL) roofline_fail(status, ROOFLINE_E_NOT_AVAILABLE);
  return *status == ROOFLINE_OK;
}

static bool in_domain(roofline_status *status, bool holds) {
  if (!holds) roofline_fail(status, ROOFLINE_E_DOMAIN);
  return *status == ROOFLINE_OK;
}

/* m[i + 1] - m[i]; false when it leaves 64 bits. */
static bool gap_at(const roofline_metadata *m, int64_t i, int64_t *gap) {
  return !roofline_sub_overflows(roofline_metadata_at(m, i + 1), roofline_metadata_at(m, i), gap);
}

bool roofline_prefix_offsets(roofline_status *status, const roofline_metadata *m, int64_t total) {
  if (!available(status, m) || m->count < 1 || roofline_metadata_at(m, 0) != 0) return false;
  for (int64_t i = 1; i < m->count; i++)
    if (roofline_metadata_at(m, i) < roofline_metadata_at(m, i - 1)) return false;
  return roofline_metadata_at(m, m->count - 1) == total;
}

bool roofline_max_segment(roofline_status *status, const roofline_metadata *m, int64_t bound) {
  if (!available(status, m)) return false;
  for (int64_t i = 0; i < m->count - 1; i++) {
    int64_t gap;
    if (!gap_at(m, i, &gap)) {
      if (roofline_metadata_at(m, i + 1) > 0) return false; /* wider than any bound */
    } else if (gap > bound)
      return false;
  }
  return true;
}

/* Nearly always all of them are, so none leaves the loop early; and of v - first and last - v one is
   negative exactly when v is outside, which spares the 64-bit comparison that most vectors lack. */
static bool values_within(const roofline_metadata *m, int64_t first, int64_t last) {
  const uint64_t from = (uint64_t)first, span = (uint64_t)last - from;
  uint64_t outside = 0;
  if (span > INT64_MAX) { /* wider than the differences can tell */
    for (int64_t i = 0; i < m->count; i++)
      if (roofline_metadata_at(m, i) < first || roofline_metadata_at(m, i) > last) return false;
  } else if (m->dtype == ROOFLINE_INT64) {
    const int64_t *v = (const int64_t *)m->data;
    for (int64_t i = 0; i < m->count; i++)
      outside |= ((uint64_t)v[i] - from) | (span - ((uint64_t)v[i] - from));
  } else {
    const int32_t *v = (const int32_t *)m->data;
    for (int64_t i = 0; i < m->count; i++)
      outside |= ((uint64_t)(int64_t)v[i] - from) | (span - ((uint64_t)(int64_t)v[i] - from));
  }
  return outside >> 63 == 0;
}

bool roofline_in_range(roofline_status *status, const roofline_metadata *m, int64_t lo, int64_t hi) {
  if (!available(status, m)) return false;
  return m->count == 0 || (hi > lo && values_within(m, lo, hi - 1)); /* hi > lo: hi - 1 is an int64 */
}

bool roofline_sums_to(roofline_status *status, const roofline_metadata *m, int64_t total) {
  if (!available(status, m)) return false;
  roofline_status sum_status = ROOFLINE_OK;
  int64_t sum = 0;
  if (m->dtype == ROOFLINE_INT64)
    sum = roofline_sum(&sum_status, roofline_seq_of((const int64_t *)m->data, m->count));
  else
    for (int64_t i = 0; i < m->count; i++) sum = roofline_add(&sum_status, sum, roofline_metadata_at(m, i));
  return sum_status == ROOFLINE_OK && sum == total;
}

bool roofline_exclusive_prefix_of(roofline_status *status, const roofline_metadata *m,
                                  const roofline_metadata *other) {
  if (!available(status, m) || !available(status, other) || m->count != other->count) return false;
  roofline_status sum_status = ROOFLINE_OK;
  int64_t sum = 0;
  for (int64_t i = 0; i < m->count; i++) {
    if (sum_status != ROOFLINE_OK || roofline_metadata_at(m, i) != sum) return false;
    sum = roofline_add(&sum_status, sum, roofline_metadata_at(other, i));
  }
  return true;
}

bool roofline_chunk_offsets_of(roofline_status *status, const roofline_metadata *m,
                               const roofline_metadata *offsets, int64_t chunk) {
  if (!in_domain(status, chunk > 0) || !available(status, m) || !available(status, offsets)) return false;
  if (m->count < 1 || m->count != offsets->count || roofline_metadata_at(m, 0) != 0) return false;
  for (int64_t i = 0; i < m->count - 1; i++) {
    int64_t length, chunks;
    if (!gap_at(offsets, i, &length) || length < 0 || !gap_at(m, i, &chunks)) return false;
    if (chunks != roofline_ceil_div(status, length, chunk)) return false;
  }
  return true;
}

bool roofline_indices_within(roofline_status *status, const roofline_metadata *m,
                             const roofline_metadata *offsets) {
  if (!available(status, m) || !available(status, offsets) || m->count % 2 != 0) return false;
  for (int64_t i = 0; i < m->count; i += 2) {
    int64_t sequence = roofline_metadata_at(m, i), position = roofline_metadata_at(m, i + 1), length;
    if (sequence < 0 || sequence >= offsets->count - 1 || !gap_at(offsets, sequence, &length)) return false;
    if (position < 0 || position >= length) return false;
  }
  return true;
}

/* A request's cached tokens and the new ones that `cu` cuts out for it fit its pages. */
bool roofline_attn_paged_fits(roofline_status *status, const roofline_metadata *m,
                              const roofline_metadata *cu, int64_t cap) {
  if (!available(status, m) || !available(status, cu) || cu->count - 1 != m->count) return false;
  for (int64_t i = 0; i < m->count; i++) {
    int64_t added, length;
    if (!gap_at(cu, i, &added) || roofline_add_overflows(roofline_metadata_at(m, i), added, &length) ||
        length > cap)
      return false;
  }
  return true;
}

/* Every row's expert: ascending; where a tile is more than one row, an expert's rows start on a tile's
   first, and rows without a token are marked -1 (and may only follow an expert's rows). */
static bool rows_valid(const roofline_metadata *m, int64_t alignment, int64_t experts) {
  int64_t last = -1;
  for (int64_t i = 0; i < m->count; i++) {
    int64_t expert = roofline_metadata_at(m, i);
    bool at_start = i % alignment == 0;
    if (expert == -1 && alignment > 1) continue;
    if (expert < last || expert < 0 || expert >= experts) return false;
    if (!at_start && roofline_metadata_at(m, i - 1) != expert) return false;
    last = expert;
  }
  return true;
}

/* Every expert's end: each starts at the first tile behind the one before it, and all lie in the rows,
   which they fill when packed tight. */
static bool ends_valid(const roofline_metadata *m, int64_t alignment, int64_t rows) {
  int64_t start = 0, end = 0;
  for (int64_t e = 0; e < m->count; e++) {
    end = roofline_metadata_at(m, e);
    if (end < start || end > rows) return false;
    start = end + (alignment - end % alignment) % alignment; /* at most `rows`, a multiple of alignment */
  }
  return alignment > 1 || end == rows;
}

bool roofline_moe_layout_valid(roofline_status *status, const roofline_metadata *m,
                               const roofline_adt *layout, int64_t rows, int64_t experts) {
  layout_form form;
  if (!layout_read(status, layout, &form) || !in_domain(status, experts > 0 && rows >= 0)) return false;
  if (!available(status, m)) return false;
  if (form.masked) {
    roofline_status product = ROOFLINE_OK;
    bool fits = roofline_mul(&product, experts, form.max_m) == rows && product == ROOFLINE_OK;
    return fits && m->count == experts && values_within(m, 0, form.max_m);
  }
  if (rows % form.alignment != 0 || m->count != (form.per_row ? rows : experts)) return false;
  return form.per_row ? rows_valid(m, form.alignment, experts) : ends_valid(m, form.alignment, rows);
}
