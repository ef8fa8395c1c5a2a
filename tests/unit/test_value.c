/* Dtypes, equality and order of values. The dtype table is written out from language.md §3. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <roofline/dlpack.h>
#include <roofline/roofline.h>

static const struct {
  const char *name, *category;
  int bits;
  int dl_code; /* the DLDataTypeCode of DLPack 1.1 */
} dtypes[] = {
    {"bool", "bool", 8, 6},
    {"uint8", "int", 8, 1},
    {"int8", "int", 8, 0},
    {"int16", "int", 16, 0},
    {"uint16", "int", 16, 1},
    {"int32", "int", 32, 0},
    {"uint32", "int", 32, 1},
    {"int64", "int", 64, 0},
    {"uint64", "int", 64, 1},
    {"float16", "float", 16, 2},
    {"bfloat16", "float", 16, 4},
    {"float32", "float", 32, 2},
    {"float64", "float", 64, 2},
    {"complex64", "complex", 64, 5},
    {"complex128", "complex", 128, 5},
    {"float8_e4m3fn", "float", 8, 10},
    {"float8_e5m2", "float", 8, 12},
    {"float8_e4m3fnuz", "float", 8, 11},
    {"float8_e5m2fnuz", "float", 8, 13},
    {"float8_e8m0fnu", "float", 8, 14},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void test_dtypes(void **state) {
  (void)state;
  assert_int_equal(ROOFLINE_DTYPE_COUNT, DTYPES + 1);
  for (size_t i = 0; i < DTYPES; i++) {
    roofline_dtype t = roofline_dtype_find(dtypes[i].name, strlen(dtypes[i].name));
    assert_int_not_equal(t, ROOFLINE_DTYPE_NONE);
    assert_string_equal(roofline_dtype_name(t), dtypes[i].name);
    assert_int_equal(roofline_dtype_bits(t), dtypes[i].bits);
    assert_string_equal(roofline_category_name(roofline_dtype_category(t)), dtypes[i].category);
  }
  assert_int_equal(roofline_dtype_find("float16", 6), ROOFLINE_DTYPE_NONE);
  assert_int_equal(roofline_dtype_find("float160", 7), ROOFLINE_FLOAT16); /* a slice is not terminated */
  assert_int_equal(roofline_dtype_find("", 0), ROOFLINE_DTYPE_NONE);
  assert_int_equal(roofline_dtype_find("none", 4), ROOFLINE_DTYPE_NONE);
  assert_int_equal(roofline_dtype_bits(ROOFLINE_DTYPE_NONE), 0);
  assert_string_equal(roofline_dtype_name(ROOFLINE_DTYPE_NONE), "none");
  assert_string_equal(roofline_dtype_name((roofline_dtype)1000), "none");
  assert_string_equal(roofline_dtype_name(ROOFLINE_DTYPE_COUNT), "none");
}

static void test_status_names(void **state) {
  (void)state;
  static const char *const names[] = {"OK",       "OVERFLOW",     "DOMAIN", "UNCHECKED", "NOT_AVAILABLE",
                                      "MISMATCH", "UNKNOWN_NAME", "KIND",   "MEMORY",    "IO"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_string_equal(roofline_status_name((roofline_status)i), names[i]);
}

/* ---- numbers ---- */

enum { NAN_ORDER = 2 };

static void test_int_against_double(void **state) {
  (void)state;
  const int64_t two53 = INT64_C(1) << 53;
  const struct {
    int64_t i;
    double d;
    int order;
  } cases[] = {
      {0, 0.0, 0},
      {0, -0.0, 0},
      {1, 1.5, -1},
      {2, 1.5, 1},
      {-1, -1.5, 1},
      {-2, -1.5, -1},
      {0, 5e-324, -1},
      {0, -5e-324, 1},
      {two53, 9007199254740992.0, 0},
      {two53 + 1, 9007199254740992.0, 1}, /* (double)(2^53 + 1) rounds to 2^53 */
      {two53 - 1, 9007199254740992.0, -1},
      {-two53 - 1, -9007199254740992.0, -1},
      {INT64_MAX, 9223372036854775808.0, -1}, /* (double)INT64_MAX rounds to 2^63 */
      {INT64_MAX, 9223372036854774784.0, 1},
      {INT64_MIN, -9223372036854775808.0, 0},
      {INT64_MIN, -9223372036854777856.0, 1},
      {INT64_MIN + 1, -9223372036854775808.0, 1},
      {INT64_MAX, INFINITY, -1},
      {INT64_MIN, -INFINITY, 1},
      {0, NAN, NAN_ORDER},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    roofline_value a = roofline_int(cases[i].i), b = roofline_float(cases[i].d);
    int order = cases[i].order;
    assert_int_equal(roofline_number_cmp(&a, &b), order);
    assert_int_equal(roofline_number_cmp(&b, &a), order == NAN_ORDER ? NAN_ORDER : -order);
    assert_int_equal(roofline_value_eq(&a, &b), order == 0);
    assert_int_equal(roofline_value_eq(&b, &a), order == 0);
    assert_int_equal(roofline_lt(a, b), order == -1);
    assert_int_equal(roofline_le(a, b), order == -1 || order == 0);
  }
}

static int compare(roofline_value a, roofline_value b) { return roofline_number_cmp(&a, &b); }

static void test_like_numbers(void **state) {
  (void)state;
  assert_int_equal(compare(roofline_int(INT64_MIN), roofline_int(INT64_MAX)), -1);
  assert_int_equal(compare(roofline_int(3), roofline_int(3)), 0);
  assert_int_equal(compare(roofline_float(2.5), roofline_float(-2.5)), 1);
  assert_int_equal(compare(roofline_float(0.0), roofline_float(-0.0)), 0);
  assert_int_equal(compare(roofline_float(NAN), roofline_float(NAN)), NAN_ORDER);
  assert_int_equal(compare(roofline_float(NAN), roofline_float(1)), NAN_ORDER);
  assert_int_equal(compare(roofline_float(1), roofline_float(NAN)), NAN_ORDER);
  assert_int_equal(compare(roofline_bool(true), roofline_int(1)), NAN_ORDER); /* a bool is not ordered */
  assert_int_equal(compare(roofline_int(1), roofline_string("1")), NAN_ORDER);
}

/* ---- equality ---- */

static void test_equality(void **state) {
  (void)state;
  const int64_t items[] = {1, 2, 2};
  const roofline_value values[] = {
      roofline_none(),
      roofline_bool(false),
      roofline_bool(true),
      roofline_int(0),
      roofline_int(1),
      roofline_float(0.5),
      roofline_string("x"),
      roofline_string(""),
      roofline_dtype_value(ROOFLINE_FLOAT16),
      roofline_dtype_value(ROOFLINE_BFLOAT16),
      roofline_seq_value(roofline_seq_of(items, 3)),
      roofline_seq_value(roofline_seq_of(items, 2)),
      roofline_seq_value(roofline_seq_of(items, 0)),
  };
  const size_t count = sizeof values / sizeof *values;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      assert_int_equal(roofline_value_eq(&values[i], &values[j]), i == j); /* True is not 1 */
  assert_true(roofline_eq(roofline_string("float16"), roofline_dtype_value(ROOFLINE_FLOAT16)));
  assert_true(roofline_eq(roofline_dtype_value(ROOFLINE_FLOAT16), roofline_string("float16")));
  assert_false(roofline_eq(roofline_dtype_value(ROOFLINE_FLOAT16), roofline_string("float32")));
  assert_false(roofline_eq(roofline_float(NAN), roofline_float(NAN)));
  assert_false(roofline_eq(roofline_opaque(), roofline_opaque()));
  assert_true(roofline_eq(roofline_seq_value(roofline_seq_of(items, 3)),
                          roofline_seq_value(roofline_seq_of_runs(1, 1, 2, 2))));
}

/* ---- DLPack ---- */

static void test_dlpack_types(void **state) {
  (void)state;
  for (size_t i = 0; i < DTYPES; i++) {
    DLDataType type = {(uint8_t)dtypes[i].dl_code, (uint8_t)dtypes[i].bits, 1};
    assert_string_equal(roofline_dtype_name(roofline_dtype_from_dlpack(type)), dtypes[i].name);
    type.lanes = 4;
    assert_int_equal(roofline_dtype_from_dlpack(type), ROOFLINE_DTYPE_NONE);
  }
  const DLDataType unknown[] = {{3, 64, 1}, {2, 8, 1}, {17, 4, 1}, {0, 4, 1}, {255, 8, 1}};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    assert_int_equal(roofline_dtype_from_dlpack(unknown[i]), ROOFLINE_DTYPE_NONE);
}

static void test_dlpack_tensor(void **state) {
  (void)state;
  int32_t data[8] = {0};
  int64_t dims[17] = {2, 3}, strides[2] = {4, 1};
  const DLTensor host = {data, {kDLCPU, 0}, 2, {kDLInt, 32, 1}, dims, strides, 8};
  roofline_tensor t;
  assert_true(roofline_tensor_from_dlpack(&host, &t));
  assert_int_equal(t.dtype, ROOFLINE_INT32);
  assert_int_equal(t.rank, 2);
  assert_ptr_equal(t.dims, dims);
  assert_ptr_equal(t.strides, strides);
  assert_ptr_equal(t.data, data + 2);

  DLTensor other = host;
  other.device.device_type = kDLCUDA;
  other.strides = NULL;
  assert_true(roofline_tensor_from_dlpack(&other, &t));
  assert_null(t.data); /* device memory is not read */
  assert_null(t.strides);

  other = host;
  other.ndim = 17;
  assert_false(roofline_tensor_from_dlpack(&other, &t));
  assert_int_equal(t.dtype, ROOFLINE_DTYPE_NONE);
  other.ndim = -1;
  assert_false(roofline_tensor_from_dlpack(&other, &t));
  other.ndim = 2;
  other.shape = NULL;
  assert_false(roofline_tensor_from_dlpack(&other, &t));
  other.ndim = 0;
  assert_true(roofline_tensor_from_dlpack(&other, &t));
  other.dtype.lanes = 2;
  assert_false(roofline_tensor_from_dlpack(&other, &t));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_status_names),
      cmocka_unit_test(test_int_against_double),
      cmocka_unit_test(test_like_numbers),
      cmocka_unit_test(test_equality),
      cmocka_unit_test(test_dlpack_types),
      cmocka_unit_test(test_dlpack_tensor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
