/* pricing.md §6: verdicts, their order and their boundaries; bytes as Nsight Compute prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <roofline/audit.h>

__extension__ typedef __int128 wide; /* the judge itself gets by with 64 bits */

static roofline_audit_verdict judged(int64_t declared, int64_t read) {
  roofline_audit_traffic t = {0};
  roofline_audit_add(&t, read, 0);
  return roofline_audit_judge(declared, &t);
}

static void worked_numbers(void **state) {
  (void)state;
  assert_int_equal(judged(58720256, 58731520), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(58720256, 29360128), ROOFLINE_AUDIT_FAIL);
  assert_int_equal(judged(58720256, 117440512), ROOFLINE_AUDIT_WARN);
}

/* 0.95 and 1.5 of a number that has both exactly, and one byte to each side. */
static void exact_boundaries(void **state) {
  (void)state;
  assert_int_equal(judged(2000, 1899), ROOFLINE_AUDIT_FAIL);
  assert_int_equal(judged(2000, 1900), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(2000, 1901), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(2000, 2999), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(2000, 3000), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(2000, 3001), ROOFLINE_AUDIT_WARN);
  /* 2^53 + 28 has no odd neighbours among doubles: a floating comparison would round across the line. */
  const int64_t large = (INT64_C(1) << 53) + 28; /* divisible by 20: 9007199254741020 */
  assert_int_equal(large % 20, 0);
  assert_int_equal(judged(large, large / 20 * 19), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(large, large / 20 * 19 - 1), ROOFLINE_AUDIT_FAIL);
  assert_int_equal(judged(large, large / 2 * 3), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(large, large / 2 * 3 + 1), ROOFLINE_AUDIT_WARN);
}

/* 0.95 of 1 byte is no whole number of bytes: the least that is not below it is 1, the most is 1. */
static void small_and_large_declarations(void **state) {
  (void)state;
  assert_int_equal(judged(1, 0), ROOFLINE_AUDIT_FAIL);
  assert_int_equal(judged(1, 1), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(1, 2), ROOFLINE_AUDIT_WARN);
  assert_int_equal(judged(INT64_MAX, INT64_MAX), ROOFLINE_AUDIT_PASS);
  assert_int_equal(judged(INT64_MAX, INT64_MAX / 100 * 94), ROOFLINE_AUDIT_FAIL);
  assert_int_equal(judged(INT64_MAX / 3 * 2, INT64_MAX), ROOFLINE_AUDIT_WARN);
}

/* Against the same comparisons in 128 bits, at and around both lines of many declarations. */
static void limits_in_128_bits(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    const int64_t declared = (int64_t)(seed >> 1 >> seed % 63) | 1;
    int64_t least, most;
    roofline_audit_limits(declared, &least, &most);
    assert_true((wide)100 * least >= (wide)95 * declared);
    assert_true((wide)100 * (least - 1) < (wide)95 * declared);
    assert_true((wide)2 * most <= (wide)3 * declared);
    assert_true(most == INT64_MAX || (wide)2 * ((wide)most + 1) > (wide)3 * declared);
  }
}

static void order_of_verdicts(void **state) {
  (void)state;
  const roofline_audit_traffic not_run = {0}, unusable = {.state = ROOFLINE_AUDIT_UNUSABLE},
                               measured = {ROOFLINE_AUDIT_MEASURED, 10, 0},
                               none = {ROOFLINE_AUDIT_MEASURED, 0, 0};
  const struct {
    int64_t declared;
    const roofline_audit_traffic *traffic;
    roofline_audit_verdict want;
  } rows[] = {
      {ROOFLINE_ABSENT, &unusable, ROOFLINE_AUDIT_NO_VERDICT}, /* before everything else */
      {ROOFLINE_ABSENT, &not_run, ROOFLINE_AUDIT_NO_VERDICT},
      {ROOFLINE_ABSENT, &measured, ROOFLINE_AUDIT_NO_VERDICT},
      {-1, &measured, ROOFLINE_AUDIT_ERROR},
      {-1, &not_run, ROOFLINE_AUDIT_ERROR}, /* ERROR before SKIPPED */
      {0, &unusable, ROOFLINE_AUDIT_ERROR},
      {10, &unusable, ROOFLINE_AUDIT_ERROR},
      {0, &measured, ROOFLINE_AUDIT_SKIPPED}, /* SKIPPED before WARN: 10 is more than 0 */
      {0, &not_run, ROOFLINE_AUDIT_SKIPPED},
      {10, &not_run, ROOFLINE_AUDIT_SKIPPED}, /* SKIPPED before FAIL: nothing was read */
      {10, &none, ROOFLINE_AUDIT_FAIL},
      {10, &measured, ROOFLINE_AUDIT_PASS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(roofline_audit_judge(rows[i].declared, rows[i].traffic), rows[i].want);
}

static void kernels_are_summed(void **state) {
  (void)state;
  roofline_audit_traffic t = {0};
  roofline_audit_add(&t, 100, 7);
  roofline_audit_add(&t, 23, 0);
  assert_int_equal(t.state, ROOFLINE_AUDIT_MEASURED);
  assert_int_equal(t.read, 123);
  assert_int_equal(t.write, 7);
  const struct {
    int64_t read, write;
  } bad[] = {{ROOFLINE_ABSENT, 1}, {1, ROOFLINE_ABSENT}, {-1, 1}, {1, -1}, {INT64_MAX, 1}, {1, INT64_MAX}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    roofline_audit_traffic u = t;
    roofline_audit_add(&u, bad[i].read, bad[i].write);
    assert_int_equal(u.state, ROOFLINE_AUDIT_UNUSABLE);
    roofline_audit_add(&u, 1, 1); /* a good kernel does not mend it */
    assert_int_equal(u.state, ROOFLINE_AUDIT_UNUSABLE);
  }
}

static void names_and_greens(void **state) {
  (void)state;
  for (int v = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++)
    assert_int_equal(roofline_audit_verdict_find(roofline_audit_verdict_name((roofline_audit_verdict)v)), v);
  const char *const wrong[] = {"", "pass", "PASS ", "PASSED", "OK", "NO_VERDICT"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const roofline_audit_verdict v = roofline_audit_verdict_find(wrong[i]);
    assert_int_equal(v, ROOFLINE_AUDIT_VERDICT_COUNT);
    assert_false(roofline_audit_is_green(UINT32_MAX, v));
  }
  const bool green[ROOFLINE_AUDIT_VERDICT_COUNT] = {[ROOFLINE_AUDIT_PASS] = true,
                                                    [ROOFLINE_AUDIT_WARN] = true,
                                                    [ROOFLINE_AUDIT_EXEMPT] = true,
                                                    [ROOFLINE_AUDIT_SKIPPED] = true};
  for (int v = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++)
    assert_int_equal(roofline_audit_is_green(roofline_audit_default_green(), (roofline_audit_verdict)v),
                     green[v]);
  assert_false(roofline_audit_is_green(UINT32_MAX, (roofline_audit_verdict)-1));
}

static void printed_values(void **state) {
  (void)state;
  const struct {
    const char *value, *unit;
    int64_t bytes; /* -1: the status */
    roofline_status status;
  } cases[] = {
      {"0", "byte", 0, ROOFLINE_OK},
      {"58731520", "", 58731520, ROOFLINE_OK},
      {"58,731,520", "byte", 58731520, ROOFLINE_OK},
      {"1,000", "byte", 1000, ROOFLINE_OK},
      {"29.360128", "Mbyte", 29360128, ROOFLINE_OK},
      {"58.73", "Mbyte", 58730000, ROOFLINE_OK},
      {"1,024.5", "Kbyte", 1024500, ROOFLINE_OK},
      {"1.5", "Gbyte", 1500000000, ROOFLINE_OK},
      {"9,223,372,036.854775807", "Gbyte", INT64_MAX, ROOFLINE_OK},
      {"3.4", "byte", 3, ROOFLINE_OK},
      {"3.5", "byte", 4, ROOFLINE_OK},
      {"0.0004", "Kbyte", 0, ROOFLINE_OK},
      {"0.0005", "Kbyte", 1, ROOFLINE_OK},
      {"0007", "byte", 7, ROOFLINE_OK},
      {"", "byte", -1, ROOFLINE_E_MISMATCH},
      {"n/a", "byte", -1, ROOFLINE_E_MISMATCH},
      {"(!) nan", "byte", -1, ROOFLINE_E_MISMATCH},
      {"nan", "byte", -1, ROOFLINE_E_MISMATCH},
      {"inf", "byte", -1, ROOFLINE_E_MISMATCH},
      {"-1", "byte", -1, ROOFLINE_E_MISMATCH},
      {"+1", "byte", -1, ROOFLINE_E_MISMATCH},
      {" 1", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1 ", "byte", -1, ROOFLINE_E_MISMATCH},
      {"0x10", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1e6", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1.", "byte", -1, ROOFLINE_E_MISMATCH},
      {".5", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1.5.2", "byte", -1, ROOFLINE_E_MISMATCH},
      {"58,73", "Mbyte", -1, ROOFLINE_E_MISMATCH}, /* a decimal comma */
      {"58.731.520", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1,0000", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1000,000", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1,000,", "byte", -1, ROOFLINE_E_MISMATCH},
      {",100", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1,00a", "byte", -1, ROOFLINE_E_MISMATCH},
      {"1", "bytes", -1, ROOFLINE_E_UNKNOWN_NAME},
      {"1", "KiB", -1, ROOFLINE_E_UNKNOWN_NAME},
      {"1", "kbyte", -1, ROOFLINE_E_UNKNOWN_NAME},
      {"1", "%", -1, ROOFLINE_E_UNKNOWN_NAME},
      {"n/a", "%", -1, ROOFLINE_E_MISMATCH},
      {"9223372036854775807", "byte", INT64_MAX, ROOFLINE_OK},
      {"9223372036854775808", "byte", -1, ROOFLINE_E_OVERFLOW},
      {"9223372036854775807.5", "byte", -1, ROOFLINE_E_OVERFLOW},
      {"9,223,372,037", "Gbyte", -1, ROOFLINE_E_OVERFLOW},
      {"99999999999999999999999999999999", "byte", -1, ROOFLINE_E_OVERFLOW},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t bytes = -1;
    const roofline_status status = roofline_audit_bytes(cases[i].value, strlen(cases[i].value), cases[i].unit,
                                                        strlen(cases[i].unit), &bytes);
    if (status != cases[i].status || bytes != cases[i].bytes)
      fail_msg("'%s' %s: %s, %lld", cases[i].value, cases[i].unit, roofline_status_name(status),
               (long long)bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_numbers),     cmocka_unit_test(exact_boundaries),
      cmocka_unit_test(order_of_verdicts),  cmocka_unit_test(small_and_large_declarations),
      cmocka_unit_test(limits_in_128_bits), cmocka_unit_test(kernels_are_summed),
      cmocka_unit_test(names_and_greens),   cmocka_unit_test(printed_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
