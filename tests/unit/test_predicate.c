/* Predicates of metadata tensors: language.md §4, "requires". Every case is judged on int32 and on int64
   values; a tensor without data is NOT_AVAILABLE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <roofline/generator.h>

enum { MAX_ITEMS = 16 };

typedef struct tensor {
  int64_t items[MAX_ITEMS];
  int32_t count;
} tensor;
#define T(...)                                                                                               \
  (tensor) { {__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }
static const tensor empty = {{0}, 0};

/* The metadata of a tensor in a dtype; int32 ones are copied to `narrow`. */
static roofline_metadata metadata_of(const tensor *t, roofline_dtype dtype, int32_t *narrow) {
  for (int32_t i = 0; i < t->count; i++) narrow[i] = (int32_t)t->items[i];
  const void *data = dtype == ROOFLINE_INT32 ? (const void *)narrow : t->items;
  return (roofline_metadata){data, dtype, t->count};
}

typedef bool predicate(roofline_status *, const roofline_metadata *m, const roofline_metadata *other,
                       const int64_t *n);

static bool prefix_offsets(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                           const int64_t *n) {
  (void)other;
  return roofline_prefix_offsets(s, m, n[0]);
}
static bool max_segment(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                        const int64_t *n) {
  (void)other;
  return roofline_max_segment(s, m, n[0]);
}
static bool in_range(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                     const int64_t *n) {
  (void)other;
  return roofline_in_range(s, m, n[0], n[1]);
}
static bool sums_to(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                    const int64_t *n) {
  (void)other;
  return roofline_sums_to(s, m, n[0]);
}
static bool exclusive_prefix_of(roofline_status *s, const roofline_metadata *m,
                                const roofline_metadata *other, const int64_t *n) {
  (void)n;
  return roofline_exclusive_prefix_of(s, m, other);
}
static bool chunk_offsets_of(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                             const int64_t *n) {
  return roofline_chunk_offsets_of(s, m, other, n[0]);
}
static bool indices_within(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                           const int64_t *n) {
  (void)n;
  return roofline_indices_within(s, m, other);
}
static bool paged_fits(roofline_status *s, const roofline_metadata *m, const roofline_metadata *other,
                       const int64_t *n) {
  return roofline_attn_paged_fits(s, m, other, n[0]);
}

/* ---- running cases ---- */

typedef struct predicate_case {
  predicate *run;
  bool holds;
  tensor m;
  int64_t n[2];
  tensor other;
} predicate_case;

static void check_dtypes(const predicate_case *c, size_t number, roofline_dtype dtype, roofline_dtype other) {
  int32_t narrow[MAX_ITEMS], other_narrow[MAX_ITEMS];
  const roofline_metadata m = metadata_of(&c->m, dtype, narrow),
                          o = metadata_of(&c->other, other, other_narrow);
  const roofline_metadata missing = {NULL, dtype, c->m.count};
  roofline_status status = ROOFLINE_OK;
  bool holds = c->run(&status, &m, &o, c->n);
  if (status != ROOFLINE_OK || holds != c->holds)
    fail_msg("case %zu: %s, expected %d with OK", number, roofline_status_name(status), c->holds);
  holds = c->run(&status, &missing, &o, c->n);
  assert_false(holds);
  assert_int_equal(status, ROOFLINE_E_NOT_AVAILABLE);
}

static void check(const predicate_case *cases, size_t count, bool narrow_too) {
  for (size_t i = 0; i < count; i++) {
    check_dtypes(&cases[i], i, ROOFLINE_INT64, ROOFLINE_INT64);
    if (!narrow_too) continue;
    check_dtypes(&cases[i], i, ROOFLINE_INT32, ROOFLINE_INT64);
    check_dtypes(&cases[i], i, ROOFLINE_INT64, ROOFLINE_INT32);
  }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases), true)

static void test_one_tensor(void **state) {
  (void)state;
  const predicate_case cases[] = {
      {prefix_offsets, true, T(0, 3, 3, 8), {8, 0}, empty},
      {prefix_offsets, true, T(0), {0, 0}, empty},
      {prefix_offsets, false, T(0, 3, 8), {9, 0}, empty},
      {prefix_offsets, false, T(1, 3, 8), {8, 0}, empty},
      {prefix_offsets, false, T(0, 5, 3, 8), {8, 0}, empty},
      {prefix_offsets, false, empty, {0, 0}, empty},
      {max_segment, true, T(0, 3, 8), {5, 0}, empty},
      {max_segment, false, T(0, 3, 8), {4, 0}, empty},
      {max_segment, true, T(7), {0, 0}, empty},
      {max_segment, true, empty, {0, 0}, empty},
      {in_range, true, T(0, 7, 3), {0, 8}, empty},
      {in_range, false, T(0, 8, 3), {0, 8}, empty}, /* half-open */
      {in_range, false, T(-1, 7), {0, 8}, empty},
      {in_range, false, T(0), {0, 0}, empty},
      {in_range, true, empty, {0, 0}, empty}, /* nothing lies outside */
      {in_range, false, T(0), {5, INT64_MIN}, empty},
      {sums_to, true, T(3, 0, 5), {8, 0}, empty},
      {sums_to, false, T(3, 0, 5), {9, 0}, empty},
      {sums_to, true, empty, {0, 0}, empty},
  };
  CHECK(cases);
}

static void test_two_tensors(void **state) {
  (void)state;
  const predicate_case cases[] = {
      {exclusive_prefix_of, true, T(0, 3, 3), {0, 0}, T(3, 0, 5)},
      {exclusive_prefix_of, false, T(0, 3, 4), {0, 0}, T(3, 0, 5)},
      {exclusive_prefix_of, false, T(1, 3, 3), {0, 0}, T(3, 0, 5)},
      {exclusive_prefix_of, false, T(0, 3), {0, 0}, T(3, 0, 5)},
      {exclusive_prefix_of, true, empty, {0, 0}, empty},
      {chunk_offsets_of, true, T(0, 3, 3, 5), {2, 0}, T(0, 5, 5, 9)},
      {chunk_offsets_of, false, T(0, 3, 3, 6), {2, 0}, T(0, 5, 5, 9)},
      {chunk_offsets_of, false, T(1, 4, 4, 6), {2, 0}, T(0, 5, 5, 9)},
      {chunk_offsets_of, false, T(0, 3, 3), {2, 0}, T(0, 5, 5, 9)},
      {chunk_offsets_of, false, T(0, 0), {2, 0}, T(5, 4)}, /* a length below 0 has no chunks */
      {chunk_offsets_of, false, empty, {2, 0}, empty},
      {indices_within, true, T(0, 0, 0, 1, 1, 2), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(0, 2), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(2, 0), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(-1, 0), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(0, -1), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(0), {0, 0}, T(0, 2, 5)},
      {indices_within, false, T(0, 0), {0, 0}, empty},
      {indices_within, true, empty, {0, 0}, T(0)},
      {paged_fits, true, T(10, 4), {12, 0}, T(0, 2, 10)}, /* 10 + 2 and 4 + 8 */
      {paged_fits, false, T(10, 5), {12, 0}, T(0, 2, 10)},
      {paged_fits, false, T(10), {12, 0}, T(0, 2, 10)},
      {paged_fits, true, empty, {12, 0}, T(0)},
  };
  CHECK(cases);
}

/* Values whose differences and sums leave 64 bits are judged, not wrapped. */
static void test_extreme_values(void **state) {
  (void)state;
  const predicate_case cases[] = {
      {max_segment, false, T(INT64_MIN, INT64_MAX), {INT64_MAX, 0}, empty},
      {max_segment, true, T(INT64_MAX, INT64_MIN), {0, 0}, empty},
      {in_range, true, T(INT64_MAX - 1, INT64_MIN), {INT64_MIN, INT64_MAX}, empty},
      {sums_to, true, T(INT64_MAX, INT64_MAX, -INT64_MAX), {INT64_MAX, 0}, empty},
      {sums_to, false, T(INT64_MAX, 1), {INT64_MIN, 0}, empty},
      {exclusive_prefix_of, true, T(0, INT64_MAX), {0, 0}, T(INT64_MAX, 1)},
      {exclusive_prefix_of, false, T(0, INT64_MAX, INT64_MIN), {0, 0}, T(INT64_MAX, 1, 0)},
      {chunk_offsets_of, false, T(0, 0), {1, 0}, T(INT64_MIN, INT64_MAX)},
      {indices_within, false, T(0, 0), {0, 0}, T(INT64_MIN, INT64_MAX)},
      {paged_fits, false, T(INT64_MAX), {INT64_MAX, 0}, T(0, 1)},
      {paged_fits, false, T(0), {INT64_MAX, 0}, T(INT64_MIN, INT64_MAX)},
  };
  check(cases, sizeof cases / sizeof *cases, false);
}

static void test_missing_other(void **state) {
  (void)state;
  const int64_t items[] = {0};
  const roofline_metadata m = {items, ROOFLINE_INT64, 1}, missing = {NULL, ROOFLINE_INT64, 1};
  const int64_t n[2] = {1, 1};
  predicate *const with_other[] = {exclusive_prefix_of, chunk_offsets_of, indices_within, paged_fits};
  for (size_t i = 0; i < sizeof with_other / sizeof *with_other; i++) {
    roofline_status status = ROOFLINE_OK;
    assert_false(with_other[i](&status, &m, &missing, n));
    assert_int_equal(status, ROOFLINE_E_NOT_AVAILABLE);
  }
  roofline_status status = ROOFLINE_OK;
  assert_false(roofline_chunk_offsets_of(&status, &m, &m, 0));
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
}

/* ---- expert layouts ---- */

static const char *const packings[] = {"tight", "aligned"};
static const char *const metadata_kinds[] = {"physical_psum", "per_row"};
static const roofline_adt_field contiguous_fields[] = {
    {"packing", packings, 2}, {"metadata_kind", metadata_kinds, 2}, {"alignment", NULL, 0}};
static const roofline_adt_field masked_fields[] = {{"max_m", NULL, 0}};
static const roofline_adt_ctor layout_ctors[] = {{"contiguous", contiguous_fields, 3},
                                                 {"masked", masked_fields, 1}};
static const roofline_adt_type layout_type = {"MGroupedLayout", layout_ctors, 2};
enum { TIGHT, ALIGNED };
enum { PSUM, PER_ROW };
#define CONTIGUOUS(packing, kind, alignment)                                                                 \
  {                                                                                                          \
    &layout_type, 0, { packing, kind, alignment }                                                            \
  }
#define MASKED(max_m)                                                                                        \
  {                                                                                                          \
    &layout_type, 1, { max_m }                                                                               \
  }

static void test_layout_valid(void **state) {
  (void)state;
  const struct {
    roofline_adt layout;
    int64_t rows, experts;
    bool holds;
    tensor m;
  } cases[] = {
      {MASKED(5), 15, 3, true, T(5, 0, 2)},
      {MASKED(5), 15, 3, false, T(6, 0, 2)},
      {MASKED(5), 15, 3, false, T(5, -1, 2)},
      {MASKED(5), 15, 3, false, T(5, 2)},
      {MASKED(5), 14, 3, false, T(5, 0, 2)},
      {MASKED(INT64_MAX), 0, 2, false, T(0, 0)},
      {CONTIGUOUS(TIGHT, PSUM, 1), 10, 3, true, T(3, 3, 10)},
      {CONTIGUOUS(TIGHT, PSUM, 1), 10, 3, false, T(3, 2, 10)},
      {CONTIGUOUS(TIGHT, PSUM, 1), 10, 3, false, T(3, 5, 9)}, /* a row that is no expert's */
      {CONTIGUOUS(TIGHT, PSUM, 1), 10, 3, false, T(3, 5, 11)},
      {CONTIGUOUS(TIGHT, PSUM, 1), 10, 3, false, T(-1, 5, 10)},
      {CONTIGUOUS(TIGHT, PER_ROW, 1), 4, 3, true, T(0, 0, 2, 2)},
      {CONTIGUOUS(TIGHT, PER_ROW, 1), 4, 3, false, T(0, 2, 0, 2)},
      {CONTIGUOUS(TIGHT, PER_ROW, 1), 4, 3, false, T(0, 0, 3, 3)},
      {CONTIGUOUS(TIGHT, PER_ROW, 1), 4, 3, false, T(0, 0, -1, 2)}, /* tight rows have no padding */
      {CONTIGUOUS(TIGHT, PER_ROW, 1), 4, 3, false, T(0, 0, 2)},
      {CONTIGUOUS(ALIGNED, PSUM, 4), 20, 3, true, T(6, 14, 18)},
      {CONTIGUOUS(ALIGNED, PSUM, 4), 20, 3, true, T(0, 4, 4)},   /* rows behind the last expert */
      {CONTIGUOUS(ALIGNED, PSUM, 4), 20, 3, false, T(6, 7, 18)}, /* the second starts at 8 */
      {CONTIGUOUS(ALIGNED, PSUM, 4), 20, 3, false, T(6, 14, 21)},
      {CONTIGUOUS(ALIGNED, PSUM, 4), 18, 3, false, T(6, 14, 18)},
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, true, T(0, 0, 0, -1, 1, 1)},
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, true, T(0, -1, -1, -1, 1, -1)},
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, false, T(0, 0, 0, 1, 1, 1)},  /* starts within a tile */
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, false, T(0, 0, -1, 0, 1, 1)}, /* padding before rows */
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, false, T(1, 1, 0, 0, 0, 0)},
      {CONTIGUOUS(ALIGNED, PER_ROW, 2), 6, 2, false, T(0, 0, -2, -2, 1, 1)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int wide = 0; wide < 2; wide++) {
      int32_t narrow[MAX_ITEMS];
      roofline_metadata m = metadata_of(&cases[i].m, wide ? ROOFLINE_INT64 : ROOFLINE_INT32, narrow);
      roofline_status status = ROOFLINE_OK;
      bool holds = roofline_moe_layout_valid(&status, &m, &cases[i].layout, cases[i].rows, cases[i].experts);
      if (status != ROOFLINE_OK || holds != cases[i].holds)
        fail_msg("case %zu: %s, expected %d with OK", i, roofline_status_name(status), cases[i].holds);
    }
  const roofline_adt masked = MASKED(1), absent = {NULL, 0, {0}};
  const roofline_metadata missing = {NULL, ROOFLINE_INT32, 2};
  roofline_status status = ROOFLINE_OK;
  assert_false(roofline_moe_layout_valid(&status, &missing, &masked, 2, 2));
  assert_int_equal(status, ROOFLINE_E_NOT_AVAILABLE);
  status = ROOFLINE_OK;
  assert_false(roofline_moe_layout_valid(&status, &missing, &masked, 0, 0));
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
  status = ROOFLINE_OK;
  assert_false(roofline_moe_layout_valid(&status, &missing, &absent, 2, 2));
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
}

/* What a generator makes, the predicate that manifests put beside it accepts. */
static void test_generated_layouts(void **state) {
  (void)state;
  static const roofline_adt layouts[] = {
      CONTIGUOUS(TIGHT, PSUM, 1),      CONTIGUOUS(TIGHT, PER_ROW, 1), CONTIGUOUS(ALIGNED, PSUM, 8),
      CONTIGUOUS(ALIGNED, PER_ROW, 8), CONTIGUOUS(ALIGNED, PSUM, 7),  MASKED(56),
  };
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    for (int64_t experts = 1; experts <= 20; experts++) {
      int64_t rows = layouts[i].ctor == 1 ? experts * 56 : 56;
      int64_t values[20 * 56];
      roofline_status status = ROOFLINE_OK;
      roofline_shape shape;
      roofline_moe_layout_metadata(&status, &shape, values, &layouts[i], rows, experts);
      roofline_metadata m = {values, ROOFLINE_INT64, shape.dims[0]};
      assert_true(roofline_moe_layout_valid(&status, &m, &layouts[i], rows, experts));
      assert_int_equal(status, ROOFLINE_OK);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_tensor),     cmocka_unit_test(test_two_tensors),
      cmocka_unit_test(test_extreme_values), cmocka_unit_test(test_missing_other),
      cmocka_unit_test(test_layout_valid),   cmocka_unit_test(test_generated_layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
