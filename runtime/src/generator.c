/* Generators that draw nothing: metadata that follows from lists and layouts. language.md §4. */
#include <string.h>

#include "generator.h"
#include "layout.h"
#include "sequence.h"

bool generator_begin(roofline_status *status, roofline_shape *shape, const int64_t *values, int32_t rank,
                     const int64_t *dims) {
  memset(shape, 0, sizeof *shape);
  if (*status != ROOFLINE_OK) return false;
  roofline_status product = ROOFLINE_OK;
  int64_t count = roofline_prod(&product, roofline_seq_of(dims, rank));
  if (!generator_domain(status, product == ROOFLINE_OK && count <= ROOFLINE_MAX_SEQUENCE)) return false;
  shape->rank = rank;
  for (int32_t i = 0; i < rank; i++) shape->dims[i] = dims[i];
  return values != NULL;
}

bool generator_domain(roofline_status *status, bool holds) {
  if (!holds) roofline_fail(status, ROOFLINE_E_DOMAIN);
  return *status == ROOFLINE_OK;
}

bool generator_list(roofline_status *status, const roofline_seq *l, int64_t least) {
  return generator_domain(status, l->len <= ROOFLINE_MAX_SEQUENCE && sequence_at_least(l, least));
}

void roofline_as_tensor(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l) {
  generator_list(status, &l, 0);
  if (!generator_begin(status, shape, values, 1, &l.len)) return;
  for (int64_t i = 0; i < l.len; i++) values[i] = roofline_seq_item(&l, i);
}

/* Running sums before each item; with `total`, the sum of all behind them. Every sum is checked. */
static void running_sums(roofline_status *status, roofline_shape *shape, int64_t *values,
                         const roofline_seq *l, bool total) {
  int64_t length = l->len + (total ? 1 : 0), sum = 0;
  if (!generator_begin(status, shape, values, 1, &length)) return;
  for (int64_t i = 0; i < length; i++) {
    if (i > 0) sum = roofline_add(status, sum, roofline_seq_item(l, i - 1));
    values[i] = sum;
  }
}

void roofline_prefix_sum(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l) {
  generator_list(status, &l, 0);
  running_sums(status, shape, values, &l, true);
}

void roofline_exclusive_prefix_sum(roofline_status *status, roofline_shape *shape, int64_t *values,
                                   roofline_seq l) {
  generator_domain(status, l.len > 0);
  generator_list(status, &l, INT64_MIN);
  running_sums(status, shape, values, &l, false);
}

void roofline_chunk_indices(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l,
                            int64_t c) {
  int64_t dims[2] = {0, 2};
  if (generator_domain(status, c > 0) && generator_list(status, &l, 0))
    for (int64_t i = 0; i < l.len; i++)
      dims[0] = roofline_add(status, dims[0], roofline_ceil_div(status, roofline_seq_item(&l, i), c));
  if (!generator_begin(status, shape, values, 2, dims)) return;
  for (int64_t i = 0; i < l.len; i++) {
    int64_t chunks = roofline_ceil_div(status, roofline_seq_item(&l, i), c);
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
      *values++ = i;
      *values++ = chunk;
    }
  }
}

void roofline_token_indices(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l) {
  generator_domain(status, l.len > 0);
  generator_list(status, &l, 1);
  int64_t dims[2] = {roofline_sum(status, l), 2};
  if (!generator_begin(status, shape, values, 2, dims)) return;
  for (int64_t i = 0; i < l.len; i++)
    for (int64_t position = 0; position < roofline_seq_item(&l, i); position++) {
      *values++ = i;
      *values++ = position;
    }
}

void roofline_packed_positions(roofline_status *status, roofline_shape *shape, int64_t *values,
                               roofline_seq l) {
  generator_domain(status, l.len > 0);
  generator_list(status, &l, 1);
  int64_t length = roofline_sum(status, l);
  if (!generator_begin(status, shape, values, 1, &length)) return;
  for (int64_t i = 0; i < l.len; i++)
    for (int64_t position = 0; position < roofline_seq_item(&l, i); position++) *values++ = position;
}

void roofline_chunk_offsets(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l,
                            int64_t c) {
  generator_domain(status, c > 0);
  generator_list(status, &l, 0);
  int64_t length = l.len + 1, sum = 0;
  if (!generator_begin(status, shape, values, 1, &length)) return;
  *values++ = 0;
  for (int64_t i = 0; i < l.len; i++) {
    sum = roofline_add(status, sum, roofline_ceil_div(status, roofline_seq_item(&l, i), c));
    *values++ = sum;
  }
}

void roofline_key_windows(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq l,
                          int64_t first, int64_t count, roofline_window_end which) {
  generator_list(status, &l, 0);
  int64_t total = roofline_sum(status, l);
  generator_domain(status, first >= 0 && count >= 0 && first <= total && count <= total - first);
  if (!generator_begin(status, shape, values, 1, &count)) return;
  int64_t start = 0, segment = 0; /* the segment that holds the position, and where it starts */
  for (int64_t i = 0; i < count; i++) {
    int64_t position = first + i;
    while (position - start >= roofline_seq_item(&l, segment)) start += roofline_seq_item(&l, segment++);
    values[i] = which == ROOFLINE_WINDOW_START ? start : position + 1;
  }
}

void roofline_full(roofline_status *status, roofline_shape *shape, int64_t *values, roofline_seq extents,
                   int64_t v) {
  roofline_shape result;
  roofline_shape_of(status, &result, extents);
  if (!generator_begin(status, shape, values, result.rank, result.dims)) return;
  int64_t count = roofline_prod(status, roofline_seq_of_shape(&result));
  for (int64_t i = 0; i < count; i++) values[i] = v;
}

/* Experts get whole tiles of `alignment` rows, as evenly as they go. An expert with tiles leaves half of
   its last one empty (none when a tile is one row); one without tiles has no rows. */
static void contiguous_metadata(int64_t *values, const layout_form *form, const roofline_seq *tiles) {
  int64_t start = 0;
  for (int64_t e = 0; e < tiles->len; e++) {
    int64_t rows = form->alignment * roofline_seq_item(tiles, e);
    if (form->per_row)
      for (int64_t i = 0; i < rows; i++) *values++ = e;
    else
      *values++ = start + (rows > 0 ? rows - form->alignment / 2 : 0);
    start += rows;
  }
}

void roofline_moe_layout_metadata(roofline_status *status, roofline_shape *shape, int64_t *values,
                                  const roofline_adt *layout, int64_t rows, int64_t experts) {
  layout_form form;
  bool fits = layout_read(status, layout, &form) &&
              generator_domain(status, experts > 0 && experts <= ROOFLINE_MAX_SEQUENCE && rows >= 0);
  if (fits && form.masked)
    generator_domain(status, rows == roofline_mul(status, experts, form.max_m));
  else if (fits)
    generator_domain(status, rows % form.alignment == 0);
  int64_t length = form.per_row ? rows : experts;
  if (!generator_begin(status, shape, values, 1, &length)) return;
  if (form.masked) {
    for (int64_t e = 0; e < experts; e++) values[e] = e % 2 == 0 ? form.max_m : form.max_m / 2;
    return;
  }
  roofline_seq tiles = roofline_balanced_sizes(status, rows / form.alignment, experts);
  contiguous_metadata(values, &form, &tiles);
}
