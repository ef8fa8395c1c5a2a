/* Primitives, row by row of the table in language.md §4, with values worked out by hand. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <roofline/primitive.h>

static roofline_status status;
static int reset(void **state) {
  (void)state;
  status = ROOFLINE_OK;
  return 0;
}

/* The expression's value, which must come with ROOFLINE_OK. */
#define GIVES(expression, value)                                                                             \
  do {                                                                                                       \
    status = ROOFLINE_OK;                                                                                    \
    assert_int_equal(expression, value);                                                                     \
    assert_int_equal(status, ROOFLINE_OK);                                                                   \
  } while (0)
#define FAILS(expression, why)                                                                               \
  do {                                                                                                       \
    status = ROOFLINE_OK;                                                                                    \
    (void)(expression);                                                                                      \
    assert_string_equal(roofline_status_name(status), #why);                                                 \
  } while (0)

#define SEQ(...)                                                                                             \
  roofline_seq_of((const int64_t[]){__VA_ARGS__},                                                            \
                  (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
#define SEQ_VALUE(...) roofline_seq_value(SEQ(__VA_ARGS__))
static const roofline_seq empty = {NULL, NULL, 0, 0, 0, 0};
static const int64_t trillion = INT64_C(1000000000000);

/* [7, None, 9] */
static roofline_seq with_none(void) {
  static const int64_t items[] = {7, 8, 9};
  static const bool absent[] = {false, true, false};
  roofline_seq s = roofline_seq_of(items, 3);
  s.absent = absent;
  return s;
}

/* ---- shapes ---- */

static bool shape_is(const roofline_shape *shape, roofline_seq expected) {
  return roofline_seq_eq(roofline_seq_of_shape(shape), expected);
}

static bool broadcast_is(roofline_seq a, roofline_seq b, roofline_seq expected) {
  roofline_shape out, swapped;
  const roofline_seq ab[] = {a, b}, ba[] = {b, a};
  assert_ptr_equal(roofline_broadcast(&status, &out, ab, 2), &out);
  roofline_broadcast(&status, &swapped, ba, 2);
  return shape_is(&out, expected) && shape_is(&swapped, expected);
}

static void test_broadcast(void **state) {
  (void)state;
  roofline_shape out;
  GIVES(broadcast_is(SEQ(2, 3), SEQ(3), SEQ(2, 3)), true);
  GIVES(broadcast_is(SEQ(8, 1, 6, 1), SEQ(7, 1, 5), SEQ(8, 7, 6, 5)), true);
  GIVES(broadcast_is(empty, SEQ(4), SEQ(4)), true);
  GIVES(broadcast_is(empty, empty, empty), true);
  GIVES(broadcast_is(SEQ(0), SEQ(1), SEQ(0)), true); /* an empty axis stays empty */
  FAILS(broadcast_is(SEQ(0), SEQ(2), empty), DOMAIN);
  FAILS(broadcast_is(SEQ(2, 3), SEQ(2), empty), DOMAIN);
  FAILS(broadcast_is(roofline_repeat(&status, 1, 17), SEQ(1), empty), DOMAIN);
  FAILS(broadcast_is(SEQ(-1), SEQ(1), empty), DOMAIN);
  const roofline_seq three[] = {SEQ(5, 1), SEQ(1, 6), SEQ(6)};
  GIVES(shape_is(roofline_broadcast(&status, &out, three, 3), SEQ(5, 6)), true);
  GIVES(shape_is(roofline_broadcast(&status, &out, three, 1), SEQ(5, 1)), true);
  const roofline_seq self[] = {roofline_seq_of_shape(&out), SEQ(5, 7)};
  GIVES(shape_is(roofline_broadcast(&status, &out, self, 2), SEQ(5, 7)), true); /* an input that is out */
}

static void test_shape_of(void **state) {
  (void)state;
  roofline_shape out;
  GIVES(shape_is(roofline_shape_of(&status, &out, SEQ(3, 0, 5)), SEQ(3, 0, 5)), true);
  GIVES(shape_is(roofline_shape_of(&status, &out, roofline_repeat(&status, 2, 16)),
                 roofline_repeat(&status, 2, 16)),
        true);
  FAILS(roofline_shape_of(&status, &out, roofline_repeat(&status, 2, 17)), DOMAIN);
  FAILS(roofline_shape_of(&status, &out, SEQ(3, -1)), DOMAIN);
  FAILS(roofline_shape_of(&status, &out, with_none()), DOMAIN);
}

static bool reduced_is(roofline_value axes, bool keepdim, roofline_reduced_mode mode, roofline_seq expected) {
  roofline_shape out;
  return shape_is(roofline_reduced(&status, &out, SEQ(2, 3, 5), axes, keepdim, mode), expected);
}

static bool scalar_reduced(roofline_value axes, bool keepdim, roofline_reduced_mode mode) {
  roofline_shape out;
  return shape_is(roofline_reduced(&status, &out, empty, axes, keepdim, mode), empty);
}

static void test_reduced(void **state) {
  (void)state;
  const roofline_reduced_mode full = ROOFLINE_REDUCED_FULL, noop = ROOFLINE_REDUCED_NOOP,
                              reject = ROOFLINE_REDUCED_REJECT;
  const roofline_value none = roofline_none(), no_axes = roofline_seq_value(empty);
  GIVES(reduced_is(none, false, full, empty), true);
  GIVES(reduced_is(none, true, reject, SEQ(1, 1, 1)), true);
  GIVES(reduced_is(roofline_int(1), false, full, SEQ(2, 5)), true);
  GIVES(reduced_is(roofline_int(-1), false, full, SEQ(2, 3)), true);
  GIVES(reduced_is(roofline_int(-1), true, full, SEQ(2, 3, 1)), true);
  GIVES(reduced_is(SEQ_VALUE(0, -1), false, full, SEQ(3)), true);
  GIVES(reduced_is(SEQ_VALUE(0, -3), false, full, SEQ(3, 5)), true); /* the same axis twice */
  GIVES(reduced_is(no_axes, false, full, empty), true);
  GIVES(reduced_is(no_axes, true, full, SEQ(1, 1, 1)), true);
  GIVES(reduced_is(no_axes, false, noop, SEQ(2, 3, 5)), true);
  FAILS(reduced_is(no_axes, false, reject, empty), DOMAIN);
  FAILS(reduced_is(roofline_int(3), false, full, empty), DOMAIN);
  FAILS(reduced_is(roofline_int(-4), false, full, empty), DOMAIN);
  FAILS(reduced_is(roofline_string("0"), false, full, empty), DOMAIN);
  GIVES(scalar_reduced(roofline_int(0), true, full), true);
  GIVES(scalar_reduced(roofline_int(-1), false, full), true);
  GIVES(scalar_reduced(none, true, noop), true);
  FAILS(scalar_reduced(roofline_int(1), false, full), DOMAIN);
  FAILS(scalar_reduced(no_axes, false, reject), DOMAIN);
}

static void test_axes(void **state) {
  (void)state;
  GIVES(roofline_valid_axes(&status, roofline_none(), 3), true);
  GIVES(roofline_valid_axes(&status, roofline_int(2), 3), true);
  GIVES(roofline_valid_axes(&status, roofline_int(3), 3), false);
  GIVES(roofline_valid_axes(&status, roofline_int(-3), 3), true);
  GIVES(roofline_valid_axes(&status, roofline_int(-4), 3), false);
  GIVES(roofline_valid_axes(&status, roofline_int(INT64_MIN), 3), false);
  GIVES(roofline_valid_axes(&status, SEQ_VALUE(0, 1, -1), 3), true);
  GIVES(roofline_valid_axes(&status, SEQ_VALUE(0, 3), 3), false);
  GIVES(roofline_valid_axes(&status, roofline_int(0), 0), true);
  GIVES(roofline_valid_axes(&status, roofline_int(-1), 0), true);
  GIVES(roofline_valid_axes(&status, roofline_int(1), 0), false);
  GIVES(roofline_valid_axes(&status, roofline_seq_value(with_none()), 3), false);
  GIVES(roofline_valid_axes(&status, roofline_seq_value(roofline_repeat(&status, 0, trillion)), 3), true);
  FAILS(roofline_valid_axes(&status, roofline_int(0), 17), DOMAIN);
  FAILS(roofline_valid_axes(&status, roofline_int(0), -1), DOMAIN);
  FAILS(roofline_valid_axes(&status, roofline_float(0), 3), DOMAIN);

  GIVES(roofline_unique_axes(&status, roofline_none(), 3), true);
  GIVES(roofline_unique_axes(&status, roofline_int(-1), 3), true);
  GIVES(roofline_unique_axes(&status, SEQ_VALUE(0, 1, 2), 3), true);
  GIVES(roofline_unique_axes(&status, SEQ_VALUE(0, -3), 3), false);
  GIVES(roofline_unique_axes(&status, SEQ_VALUE(0, -1), 0), false); /* both name the scalar axis */
  GIVES(roofline_unique_axes(&status, roofline_seq_value(empty), 0), true);
  GIVES(roofline_unique_axes(&status, roofline_seq_value(roofline_repeat(&status, 0, trillion)), 3), false);
  FAILS(roofline_unique_axes(&status, SEQ_VALUE(0, 3), 3), DOMAIN);
}

static void test_per_axis(void **state) {
  (void)state;
  const roofline_value none = roofline_none();
  GIVES(roofline_per_axis(&status, roofline_int(4), 1, 2, none), 4);
  GIVES(roofline_per_axis(&status, SEQ_VALUE(4, 5), 1, 2, none), 5);
  GIVES(roofline_per_axis(&status, SEQ_VALUE(4, 5), -1, 2, none), 5);
  GIVES(roofline_per_axis(&status, none, 1, 2, roofline_int(9)), 9);
  GIVES(roofline_per_axis(&status, roofline_seq_value(with_none()), 2, 3, roofline_int(1)), 9);
  GIVES(roofline_per_axis(&status, roofline_seq_value(with_none()), 1, 3, roofline_int(1)), 1);
  FAILS(roofline_per_axis(&status, roofline_seq_value(with_none()), 1, 3, none), DOMAIN);
  FAILS(roofline_per_axis(&status, none, 1, 2, none), DOMAIN);
  FAILS(roofline_per_axis(&status, SEQ_VALUE(4, 5), 0, 3, roofline_int(9)), DOMAIN);
  FAILS(roofline_per_axis(&status, SEQ_VALUE(4, 5), 2, 2, none), DOMAIN);
}

static void test_tensor_bytes(void **state) {
  (void)state;
  GIVES(roofline_tensor_bytes(&status, SEQ(4, 128256), ROOFLINE_BFLOAT16), 1026048);
  GIVES(roofline_tensor_bytes(&status, empty, ROOFLINE_FLOAT32), 4);
  GIVES(roofline_tensor_bytes(&status, empty, ROOFLINE_COMPLEX128), 16);
  GIVES(roofline_tensor_bytes(&status, SEQ(3), ROOFLINE_BOOL), 3);
  GIVES(roofline_tensor_bytes(&status, SEQ(0, INT64_MAX), ROOFLINE_FLOAT64), 0);
  GIVES(roofline_tensor_bytes(&status, SEQ(INT64_MAX), ROOFLINE_INT8), INT64_MAX);
  FAILS(roofline_tensor_bytes(&status, SEQ(INT64_MAX), ROOFLINE_INT16), OVERFLOW);
  FAILS(roofline_tensor_bytes(&status, SEQ(INT64_MAX, 2), ROOFLINE_INT8), OVERFLOW);
  FAILS(roofline_tensor_bytes(&status, SEQ(-2, -3), ROOFLINE_INT8), DOMAIN);
  FAILS(roofline_tensor_bytes(&status, SEQ(2), ROOFLINE_DTYPE_NONE), DOMAIN);
}

/* ---- integers and sequences ---- */

static void test_ceil_div(void **state) {
  (void)state;
  GIVES(roofline_ceil_div(&status, 7, 2), 4);
  GIVES(roofline_ceil_div(&status, 8, 2), 4);
  GIVES(roofline_ceil_div(&status, 0, 5), 0);
  GIVES(roofline_ceil_div(&status, -7, 2), -3);
  GIVES(roofline_ceil_div(&status, INT64_MAX, 1), INT64_MAX);
  GIVES(roofline_ceil_div(&status, INT64_MAX, INT64_MAX - 1), 2);
  GIVES(roofline_ceil_div(&status, INT64_MIN, 1), INT64_MIN);
  FAILS(roofline_ceil_div(&status, 7, 0), DOMAIN);
  FAILS(roofline_ceil_div(&status, 7, -1), DOMAIN);
}

static void test_prod(void **state) {
  (void)state;
  const int64_t two32 = INT64_C(1) << 32;
  GIVES(roofline_prod(&status, empty), 1);
  GIVES(roofline_prod(&status, SEQ(2, -3, 5)), -30);
  GIVES(roofline_prod(&status, SEQ(INT64_MAX, INT64_MAX, 0)), 0); /* exact, whatever comes on the way */
  GIVES(roofline_prod(&status, SEQ(two32, -two32 / 2)), INT64_MIN);
  FAILS(roofline_prod(&status, SEQ(two32, two32 / 2)), OVERFLOW);
  FAILS(roofline_prod(&status, SEQ(-two32, -two32 / 2)), OVERFLOW);
  GIVES(roofline_prod(&status, SEQ(two32, two32 / 2, -1)), INT64_MIN);
  FAILS(roofline_prod(&status, SEQ(two32, two32)), OVERFLOW);
  GIVES(roofline_prod(&status, SEQ(INT64_MIN)), INT64_MIN);
  FAILS(roofline_prod(&status, SEQ(INT64_MIN, -1)), OVERFLOW);
  FAILS(roofline_prod(&status, with_none()), DOMAIN);
  GIVES(roofline_prod(&status, roofline_repeat(&status, 1, trillion)), 1);
  GIVES(roofline_prod(&status, roofline_repeat(&status, -1, trillion + 1)), -1);
  GIVES(roofline_prod(&status, roofline_repeat(&status, 0, trillion)), 0);
  GIVES(roofline_prod(&status, roofline_repeat(&status, 7, 0)), 1);
  GIVES(roofline_prod(&status, roofline_repeat(&status, 3, 39)), INT64_C(4052555153018976267));
  FAILS(roofline_prod(&status, roofline_repeat(&status, 3, 40)), OVERFLOW);
  GIVES(roofline_prod(&status, roofline_repeat(&status, -2, 63)), INT64_MIN);
  FAILS(roofline_prod(&status, roofline_repeat(&status, 2, 63)), OVERFLOW);
  FAILS(roofline_prod(&status, roofline_repeat(&status, 2, trillion)), OVERFLOW);
}

static void test_sum(void **state) {
  (void)state;
  GIVES(roofline_sum(&status, empty), 0);
  GIVES(roofline_sum(&status, SEQ(2, -3, 5)), 4);
  GIVES(roofline_sum(&status, SEQ(INT64_MAX, INT64_MAX, -INT64_MAX)), INT64_MAX);
  GIVES(roofline_sum(&status, SEQ(INT64_MIN, INT64_MIN, INT64_MAX, 1)), INT64_MIN);
  GIVES(roofline_sum(&status, SEQ(INT64_MIN, INT64_MAX)), -1);
  FAILS(roofline_sum(&status, SEQ(INT64_MAX, 1)), OVERFLOW);
  FAILS(roofline_sum(&status, SEQ(INT64_MIN, -1)), OVERFLOW);
  FAILS(roofline_sum(&status, with_none()), DOMAIN);
  GIVES(roofline_sum(&status, roofline_repeat(&status, 7, trillion)), 7 * trillion);
  GIVES(roofline_sum(&status, roofline_balanced_sizes(&status, INT64_MAX, trillion)), INT64_MAX);
  FAILS(roofline_sum(&status, roofline_repeat(&status, INT64_MAX, 2)), OVERFLOW);
}

static void test_extremes(void **state) {
  (void)state;
  const roofline_value none = roofline_none();
  GIVES(roofline_max(&status, SEQ(2, -3, 5), none), 5);
  GIVES(roofline_min(&status, SEQ(2, -3, 5), none), -3);
  GIVES(roofline_max(&status, empty, roofline_int(4)), 4);
  GIVES(roofline_min(&status, SEQ(9), roofline_int(4)), 9);
  FAILS(roofline_max(&status, empty, none), DOMAIN);
  FAILS(roofline_min(&status, empty, none), DOMAIN);
  FAILS(roofline_max(&status, with_none(), none), DOMAIN);
  GIVES(roofline_max(&status, roofline_balanced_sizes(&status, trillion + 1, trillion), none), 2);
  GIVES(roofline_min(&status, roofline_balanced_sizes(&status, trillion + 1, trillion), none), 1);
}

static void test_items_and_slices(void **state) {
  (void)state;
  const roofline_seq s = SEQ(10, 11, 12, 13), runs = roofline_seq_of_runs(2, 5, 3, 6);
  GIVES(roofline_seq_at(&status, s, 0), 10);
  GIVES(roofline_seq_at(&status, s, -1), 13);
  GIVES(roofline_seq_at(&status, s, -4), 10);
  FAILS(roofline_seq_at(&status, s, 4), DOMAIN);
  FAILS(roofline_seq_at(&status, s, -5), DOMAIN);
  FAILS(roofline_seq_at(&status, s, INT64_MIN), DOMAIN);
  FAILS(roofline_seq_at(&status, with_none(), 1), DOMAIN);
  GIVES(roofline_seq_at(&status, runs, 1), 5);
  GIVES(roofline_seq_at(&status, runs, 2), 6);

  GIVES(roofline_seq_eq(roofline_seq_slice(s, 1, 3), SEQ(11, 12)), true);
  GIVES(roofline_seq_eq(roofline_seq_slice(s, 0, -1), SEQ(10, 11, 12)), true);
  GIVES(roofline_seq_eq(roofline_seq_slice(s, -2, INT64_MAX), SEQ(12, 13)), true);
  GIVES(roofline_seq_slice(s, 3, 1).len, 0);
  GIVES(roofline_seq_eq(roofline_seq_slice(s, INT64_MIN, INT64_MAX), s), true);
  GIVES(roofline_seq_slice(s, 9, INT64_MAX).len, 0);
  GIVES(roofline_seq_eq(roofline_seq_slice(runs, 1, 4), SEQ(5, 6, 6)), true);
  GIVES(roofline_seq_eq(roofline_seq_slice(runs, 3, INT64_MAX), SEQ(6, 6)), true);
  GIVES(roofline_seq_eq(roofline_seq_slice(runs, 0, 1), SEQ(5)), true);
  FAILS(roofline_seq_at(&status, roofline_seq_slice(with_none(), 1, 3), 0), DOMAIN);
  GIVES(roofline_seq_at(&status, roofline_seq_slice(with_none(), 1, 3), 1), 9);
}

static void test_comparing(void **state) {
  (void)state;
  GIVES(roofline_seq_cmp(SEQ(1, 2), SEQ(1, 2)), 0);
  GIVES(roofline_seq_cmp(SEQ(1, 2), SEQ(1, 3)), -1);
  GIVES(roofline_seq_cmp(SEQ(2), SEQ(1, 9)), 1);
  GIVES(roofline_seq_cmp(SEQ(1), SEQ(1, 0)), -1);
  GIVES(roofline_seq_cmp(empty, empty), 0);
  GIVES(roofline_seq_eq(with_none(), with_none()), true);
  GIVES(roofline_seq_eq(with_none(), SEQ(7, 8, 9)), false);
  const roofline_seq ones = roofline_repeat(&status, 1, trillion);
  GIVES(roofline_seq_eq(ones, ones), true);
  GIVES(roofline_seq_eq(ones, roofline_seq_of_runs(trillion - 1, 1, 1, 1)), true);
  GIVES(roofline_seq_cmp(ones, roofline_seq_of_runs(trillion - 1, 1, 1, 2)), -1);
  GIVES(roofline_seq_contains(SEQ(4, 5), 5), true);
  GIVES(roofline_seq_contains(SEQ(4, 5), 6), false);
  GIVES(roofline_seq_contains(with_none(), 8), false); /* what lies under a None */
  GIVES(roofline_seq_contains(ones, 2), false);
  GIVES(roofline_seq_len_walkable(&status, SEQ(4, 5)), 2);
  FAILS(roofline_seq_len_walkable(&status, ones), DOMAIN);
}

static void test_value_lists(void **state) {
  (void)state;
  GIVES(roofline_seq_eq(roofline_balanced_sizes(&status, 10, 4), SEQ(3, 3, 2, 2)), true);
  GIVES(roofline_seq_eq(roofline_balanced_sizes(&status, 2, 3), SEQ(1, 1, 0)), true);
  GIVES(roofline_seq_eq(roofline_balanced_sizes(&status, INT64_MAX, 1), SEQ(INT64_MAX)), true);
  GIVES(roofline_seq_eq(roofline_balanced_sizes(&status, 0, 2), SEQ(0, 0)), true);
  FAILS(roofline_balanced_sizes(&status, 10, 0), DOMAIN);
  FAILS(roofline_balanced_sizes(&status, -1, 3), DOMAIN);
  GIVES(roofline_seq_eq(roofline_repeat(&status, -7, 3), SEQ(-7, -7, -7)), true);
  GIVES(roofline_repeat(&status, 7, 0).len, 0);
  FAILS(roofline_repeat(&status, 7, -1), DOMAIN);
}

/* ---- windows, layouts ---- */

static void test_windows(void **state) {
  (void)state;
  GIVES(roofline_conv_out(&status, 224, 7, 2, 3, 1), 112); /* ResNet's first layer */
  GIVES(roofline_conv_out(&status, 10, 3, 1, 0, 2), 6);
  GIVES(roofline_conv_out(&status, 2, 5, 1, 0, 1), -2); /* an Int: the axis it is for has to be a Dim */
  GIVES(roofline_conv_out(&status, 2, 5, 2, 0, 1), -1); /* (2 - 4 - 1) // 2 + 1, rounded down */
  FAILS(roofline_conv_out(&status, 8, 3, 0, 0, 1), DOMAIN);
  FAILS(roofline_conv_out(&status, INT64_MAX, 1, 1, 1, 1), OVERFLOW);

  GIVES(roofline_pool_out(&status, 112, 3, 2, 1, 1, false), 56);
  GIVES(roofline_pool_out(&status, 6, 3, 2, 0, 1, false), 2);
  GIVES(roofline_pool_out(&status, 6, 3, 2, 0, 1, true), 3);
  GIVES(roofline_pool_out(&status, 4, 2, 3, 1, 1, true), 2); /* starts 0, 3: 6 is past 4 + 1 */
  GIVES(roofline_pool_out(&status, 3, 1, 4, 1, 1, true), 1); /* a window at 4 = 3 + 1 is dropped */
  GIVES(roofline_pool_out(&status, 1, 5, 1, 0, 1, false), 0);
  GIVES(roofline_pool_out(&status, 1, 5, 1, 0, 1, true), 0);
  FAILS(roofline_pool_out(&status, 8, 3, 0, 0, 1, true), DOMAIN);
  FAILS(roofline_pool_out(&status, 8, 3, -1, 0, 1, false), DOMAIN);
}

static const char *const packings[] = {"tight", "aligned"};
static const char *const metadata_kinds[] = {"physical_psum", "per_row"};
static const roofline_adt_field contiguous_fields[] = {
    {"packing", packings, 2}, {"metadata_kind", metadata_kinds, 2}, {"alignment", NULL, 0}};
static const roofline_adt_field masked_fields[] = {{"max_m", NULL, 0}};
static const roofline_adt_ctor layout_ctors[] = {{"contiguous", contiguous_fields, 3},
                                                 {"masked", masked_fields, 1}};
static const roofline_adt_type layout_type = {"MGroupedLayout", layout_ctors, 2};

static void test_layouts(void **state) {
  (void)state;
  const roofline_adt tight = {&layout_type, 0, {0, 0, 1}}, aligned = {&layout_type, 0, {1, 0, 128}},
                     masked = {&layout_type, 1, {64}}, absent = {NULL, 0, {0}},
                     negative = {&layout_type, 1, {-1}}, unaligned = {&layout_type, 0, {1, 0, 0}},
                     strange = {&layout_type, 2, {64}};
  GIVES(roofline_moe_capacity(&status, &tight, 1000, 8), 1000);
  GIVES(roofline_moe_capacity(&status, &aligned, 1000, 8), 2048); /* 1000 + 8 * 127 = 2016 */
  GIVES(roofline_moe_capacity(&status, &masked, 1000, 8), 512);
  FAILS(roofline_moe_capacity(&status, &masked, 1000, INT64_MAX), OVERFLOW);
  FAILS(roofline_moe_capacity(&status, &aligned, INT64_MAX, 8), OVERFLOW);
  FAILS(roofline_moe_capacity(&status, &tight, -1, 8), DOMAIN);
  FAILS(roofline_moe_capacity(&status, &absent, 1, 8), DOMAIN);
  FAILS(roofline_moe_capacity(&status, &negative, 1, 8), DOMAIN);
  FAILS(roofline_moe_capacity(&status, &unaligned, 1, 8), DOMAIN);
  FAILS(roofline_moe_capacity(&status, &strange, 1, 8), DOMAIN); /* no such constructor */

  GIVES(roofline_adt_get(&status, &aligned, "alignment"), 128);
  GIVES(roofline_adt_get(&status, &aligned, "packing"), 1);
  FAILS(roofline_adt_get(&status, &masked, "alignment"), UNKNOWN_NAME);
  FAILS(roofline_adt_get(&status, &absent, "alignment"), NOT_AVAILABLE);
}

static void test_mhc_expansion(void **state) {
  (void)state;
  GIVES(roofline_mhc_expansion(&status, 3), 1);
  GIVES(roofline_mhc_expansion(&status, 24), 4);
  FAILS(roofline_mhc_expansion(&status, 25), DOMAIN);
  FAILS(roofline_mhc_expansion(&status, 0), DOMAIN); /* n = 0 is not positive */
  FAILS(roofline_mhc_expansion(&status, -1), DOMAIN);
  const int64_t n = INT64_C(3037000498); /* (n + 1)^2 is the largest square of 63 bits */
  GIVES(roofline_mhc_expansion(&status, n * n + 2 * n), n);
  FAILS(roofline_mhc_expansion(&status, INT64_MAX), DOMAIN);
}

/* ---- dtypes ---- */

static void test_dtype_primitives(void **state) {
  (void)state;
  for (int t = ROOFLINE_UINT8; t <= ROOFLINE_UINT64; t++)
    assert_int_equal(roofline_promote_int_to_float((roofline_dtype)t), ROOFLINE_FLOAT32);
  static const roofline_dtype kept[] = {ROOFLINE_BOOL, ROOFLINE_FLOAT16, ROOFLINE_FLOAT64, ROOFLINE_COMPLEX64,
                                        ROOFLINE_DTYPE_NONE};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    assert_int_equal(roofline_promote_int_to_float(kept[i]), kept[i]);
  assert_int_equal(roofline_coalesce_dtype(ROOFLINE_INT8, ROOFLINE_INT32), ROOFLINE_INT8);
  assert_int_equal(roofline_coalesce_dtype(ROOFLINE_DTYPE_NONE, ROOFLINE_INT32), ROOFLINE_INT32);

  GIVES(roofline_category_of(&status, roofline_bool(true)), ROOFLINE_CATEGORY_BOOL);
  GIVES(roofline_category_of(&status, roofline_int(1)), ROOFLINE_CATEGORY_INT);
  GIVES(roofline_category_of(&status, roofline_float(1)), ROOFLINE_CATEGORY_FLOAT);
  GIVES(roofline_category_of(&status, roofline_dtype_value(ROOFLINE_COMPLEX64)), ROOFLINE_CATEGORY_COMPLEX);
  FAILS(roofline_category_of(&status, roofline_none()), DOMAIN);
  FAILS(roofline_category_of(&status, roofline_string("int")), DOMAIN);
}

/* Largest and next: what `representable` takes and refuses. From the formats' definitions: p bits of
   precision and exponents up to e give (2 - 2^(1 - p)) * 2^e, less one step where the last is a nan. */
static const struct {
  double largest;
  roofline_dtype t;
  bool infinite;
} formats[] = {
    {65504.0, ROOFLINE_FLOAT16, true},
    {3.3895313892515355e38, ROOFLINE_BFLOAT16, true},
    {FLT_MAX, ROOFLINE_FLOAT32, true},
    {DBL_MAX, ROOFLINE_FLOAT64, true},
    {FLT_MAX, ROOFLINE_COMPLEX64, true},
    {DBL_MAX, ROOFLINE_COMPLEX128, true},
    {448.0, ROOFLINE_FLOAT8_E4M3FN, false},
    {57344.0, ROOFLINE_FLOAT8_E5M2, true},
    {240.0, ROOFLINE_FLOAT8_E4M3FNUZ, false},
    {57344.0, ROOFLINE_FLOAT8_E5M2FNUZ, false},
    {170141183460469231731687303715884105728.0, ROOFLINE_FLOAT8_E8M0FNU, false},
};

static void test_representable_floats(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    roofline_dtype t = formats[i].t;
    double largest = formats[i].largest, next = nextafter(largest, INFINITY);
    GIVES(roofline_representable(&status, roofline_float(largest), t), true);
    GIVES(roofline_representable(&status, roofline_float(-largest), t), true);
    GIVES(roofline_representable(&status, roofline_float(1e-300), t), true); /* underflow is no overflow */
    if (isfinite(next)) GIVES(roofline_representable(&status, roofline_float(next), t), false);
    if (isfinite(next)) GIVES(roofline_representable(&status, roofline_float(-next), t), false);
    GIVES(roofline_representable(&status, roofline_float(INFINITY), t), formats[i].infinite);
    GIVES(roofline_representable(&status, roofline_float(-INFINITY), t), formats[i].infinite);
    GIVES(roofline_representable(&status, roofline_float(NAN), t), true);
    GIVES(roofline_representable(&status, roofline_bool(true), t), true);
  }
  GIVES(roofline_representable(&status, roofline_int(65504), ROOFLINE_FLOAT16), true);
  GIVES(roofline_representable(&status, roofline_int(65505), ROOFLINE_FLOAT16), false);
  GIVES(roofline_representable(&status, roofline_int(-449), ROOFLINE_FLOAT8_E4M3FN), false);
  GIVES(roofline_representable(&status, roofline_int(INT64_MIN), ROOFLINE_BFLOAT16), true);
}

static void test_representable_ints(void **state) {
  (void)state;
  static const struct {
    roofline_dtype t;
    int64_t lowest, largest; /* of an integer value */
  } ints[] = {
      {ROOFLINE_INT8, -128, 127},
      {ROOFLINE_UINT8, -255, 255},
      {ROOFLINE_INT16, -32768, 32767},
      {ROOFLINE_UINT16, -65535, 65535},
      {ROOFLINE_INT32, -INT64_C(2147483648), 2147483647},
      {ROOFLINE_UINT32, -INT64_C(4294967295), 4294967295},
  };
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
    roofline_dtype t = ints[i].t;
    bool is_unsigned = ints[i].lowest == -ints[i].largest;
    GIVES(roofline_representable(&status, roofline_int(ints[i].lowest), t), true);
    GIVES(roofline_representable(&status, roofline_int(ints[i].lowest - 1), t), false);
    GIVES(roofline_representable(&status, roofline_int(ints[i].largest), t), true);
    GIVES(roofline_representable(&status, roofline_int(ints[i].largest + 1), t), false);
    GIVES(roofline_representable(&status, roofline_float((double)ints[i].largest), t), true);
    GIVES(roofline_representable(&status, roofline_float((double)ints[i].largest + 0.5), t), false);
    GIVES(roofline_representable(&status, roofline_float(-1), t), !is_unsigned); /* floats: by range */
    GIVES(roofline_representable(&status, roofline_float(INFINITY), t), false);
    GIVES(roofline_representable(&status, roofline_float(NAN), t), false);
    GIVES(roofline_representable(&status, roofline_bool(true), t), true);
  }
  GIVES(roofline_representable(&status, roofline_int(INT64_MIN), ROOFLINE_INT64), true);
  GIVES(roofline_representable(&status, roofline_int(INT64_MIN), ROOFLINE_UINT64), true);
  GIVES(roofline_representable(&status, roofline_float(9223372036854774784.0), ROOFLINE_INT64), true);
  GIVES(roofline_representable(&status, roofline_float(9223372036854775808.0), ROOFLINE_INT64), false);
  GIVES(roofline_representable(&status, roofline_float(-9223372036854775808.0), ROOFLINE_INT64), true);
  GIVES(roofline_representable(&status, roofline_float(9223372036854775808.0), ROOFLINE_UINT64), true);
  GIVES(roofline_representable(&status, roofline_float(18446744073709551616.0), ROOFLINE_UINT64), false);

  GIVES(roofline_representable(&status, roofline_int(7), ROOFLINE_BOOL), true);
  GIVES(roofline_representable(&status, roofline_float(INFINITY), ROOFLINE_BOOL), true);
  FAILS(roofline_representable(&status, roofline_int(1), ROOFLINE_DTYPE_NONE), DOMAIN);
  FAILS(roofline_representable(&status, roofline_none(), ROOFLINE_INT8), DOMAIN);
  FAILS(roofline_representable(&status, roofline_string("1"), ROOFLINE_INT8), DOMAIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_broadcast, reset),
      cmocka_unit_test_setup(test_shape_of, reset),
      cmocka_unit_test_setup(test_reduced, reset),
      cmocka_unit_test_setup(test_axes, reset),
      cmocka_unit_test_setup(test_per_axis, reset),
      cmocka_unit_test_setup(test_tensor_bytes, reset),
      cmocka_unit_test_setup(test_ceil_div, reset),
      cmocka_unit_test_setup(test_prod, reset),
      cmocka_unit_test_setup(test_sum, reset),
      cmocka_unit_test_setup(test_extremes, reset),
      cmocka_unit_test_setup(test_items_and_slices, reset),
      cmocka_unit_test_setup(test_comparing, reset),
      cmocka_unit_test_setup(test_value_lists, reset),
      cmocka_unit_test_setup(test_windows, reset),
      cmocka_unit_test_setup(test_layouts, reset),
      cmocka_unit_test_setup(test_mhc_expansion, reset),
      cmocka_unit_test_setup(test_dtype_primitives, reset),
      cmocka_unit_test_setup(test_representable_floats, reset),
      cmocka_unit_test_setup(test_representable_ints, reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
