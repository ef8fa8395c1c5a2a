/* Checked integers, both ways they are built, against 128-bit arithmetic and Python's definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <roofline/checked.h>

/* The same header once more, as a compiler without the builtins reads it. */
#undef ROOFLINE_CHECKED_H
#undef ROOFLINE_RARELY
#define ROOFLINE_PORTABLE_CHECKED
#define roofline_fail portable_fail
#define roofline_add_overflows portable_add_overflows
#define roofline_sub_overflows portable_sub_overflows
#define roofline_mul_overflows portable_mul_overflows
#define roofline_add portable_add
#define roofline_sub portable_sub
#define roofline_mul portable_mul
#define roofline_neg portable_neg
#define roofline_floordiv portable_floordiv
#define roofline_mod portable_mod
#include <roofline/checked.h>
#undef roofline_add
#undef roofline_sub
#undef roofline_mul
#undef roofline_neg
#undef roofline_floordiv
#undef roofline_mod
#undef roofline_fail

__extension__ typedef __int128 wide;

typedef int64_t operation(roofline_status *, int64_t, int64_t);

static wide wide_add(wide a, wide b) { return a + b; }
static wide wide_sub(wide a, wide b) { return a - b; }
static wide wide_mul(wide a, wide b) { return a * b; }
/* The greatest q with q * b <= a for b > 0, with q * b >= a for b < 0. */
static wide wide_floordiv(wide a, wide b) {
  wide q = a / b;
  while (b > 0 ? q * b > a : q * b < a) q--;
  return q;
}
static wide wide_mod(wide a, wide b) { return a - wide_floordiv(a, b) * b; }

static const struct {
  const char *name;
  operation *builtin, *portable;
  wide (*reference)(wide, wide);
  bool divides;
} operations[] = {
    {"add", roofline_add, portable_add, wide_add, false},
    {"sub", roofline_sub, portable_sub, wide_sub, false},
    {"mul", roofline_mul, portable_mul, wide_mul, false},
    {"floordiv", roofline_floordiv, portable_floordiv, wide_floordiv, true},
    {"mod", roofline_mod, portable_mod, wide_mod, true},
};

static const int64_t edges[] = {
    INT64_MIN,
    INT64_MIN + 1,
    INT64_MIN / 2,
    INT64_MIN / 2 - 1,
    INT64_MIN / 3,
    -INT64_C(4294967297),
    -INT64_C(4294967296),
    -INT64_C(3037000500), /* 3037000499 is the largest root of a square below 2^63 */
    -INT64_C(3037000499),
    -7,
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    INT64_C(3037000499),
    INT64_C(3037000500),
    INT64_C(4294967296),
    INT64_C(4294967297),
    INT64_MAX / 3,
    INT64_MAX / 2,
    INT64_MAX / 2 + 1,
    INT64_MAX - 1,
    INT64_MAX,
};

static void check(const char *name, operation *run, int64_t a, int64_t b, bool domain, wide exact) {
  roofline_status status = ROOFLINE_OK, want = ROOFLINE_OK;
  int64_t got = run(&status, a, b);
  if (domain)
    want = ROOFLINE_E_DOMAIN;
  else if (exact < INT64_MIN || exact > INT64_MAX)
    want = ROOFLINE_E_OVERFLOW;
  if (status != want || (want == ROOFLINE_OK && got != exact))
    fail_msg("%s(%lld, %lld): status %d, value %lld", name, (long long)a, (long long)b, status,
             (long long)got);
}

static void test_edges(void **state) {
  (void)state;
  const size_t count = sizeof edges / sizeof *edges;
  for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++) {
        bool domain = operations[o].divides && edges[j] == 0;
        wide exact = domain ? 0 : operations[o].reference(edges[i], edges[j]);
        check(operations[o].name, operations[o].builtin, edges[i], edges[j], domain, exact);
        check(operations[o].name, operations[o].portable, edges[i], edges[j], domain, exact);
      }
}

/* language.md §4: floor division and modulo as in Python. */
static void test_python(void **state) {
  (void)state;
  roofline_status s = ROOFLINE_OK;
  assert_int_equal(roofline_floordiv(&s, -7, 2), -4);
  assert_int_equal(roofline_mod(&s, -7, 3), 2);
  assert_int_equal(roofline_floordiv(&s, 7, -2), -4);
  assert_int_equal(roofline_mod(&s, 7, -3), -2);
  assert_int_equal(roofline_mod(&s, INT64_MIN, -1), 0);
  assert_int_equal(roofline_neg(&s, -INT64_MAX), INT64_MAX);
  assert_int_equal(s, ROOFLINE_OK);
  roofline_neg(&s, INT64_MIN);
  assert_int_equal(s, ROOFLINE_E_OVERFLOW);
}

static void test_first_failure_stays(void **state) {
  (void)state;
  roofline_status s = ROOFLINE_OK;
  roofline_floordiv(&s, 1, 0);
  roofline_add(&s, INT64_MAX, 1);
  roofline_add(&s, 1, 1);
  assert_int_equal(s, ROOFLINE_E_DOMAIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_python),
      cmocka_unit_test(test_first_failure_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
