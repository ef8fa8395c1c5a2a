/* Decimal text of doubles against the C library: it reads back, and no shorter text does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/src/json_text.h"

static uint64_t next_random(uint64_t *s) { /* xorshift64 */
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static const char *number(double x) {
  static char text[JSON_NUMBER_MAX + 1];
  text[json_text_number(x, text)] = '\0';
  return text;
}

/* Significant digits: without leading and trailing zeros. */
static int digits_of(const char *text) {
  int n = 0, last = 0;
  for (; *text != '\0' && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
    n++;
    if (*text != '0') last = n;
  }
  return last;
}

static int fewest_digits(double x) {
  char text[64];
  for (int p = 1; p < 17; p++) {
    snprintf(text, sizeof text, "%.*e", p - 1, x);
    if (strtod(text, NULL) == x) return p;
  }
  return 17;
}

static void check(double x) {
  const char *text = number(x);
  char *end;
  const char *e = strchr(text, 'e'); /* one style of exponents: 2.3e15, 6.02e-7 */
  const bool plain = e == NULL || (e[1] != '+' && e[1] != '0' && strncmp(e, "e-0", 3) != 0);
  if (strtod(text, &end) != x || *end != '\0' || digits_of(text) > fewest_digits(x) || !plain)
    fail_msg("%.17g is written %s", x, text);
}

static void known_texts(void **state) {
  (void)state;
  static const struct {
    double x;
    const char *text;
  } rows[] = {{0, "0"},
              {1, "1"},
              {-1.5, "-1.5"},
              {0.1, "0.1"},
              {0.0093, "0.0093"},
              {1e22, "1e22"},
              {1e15, "1e15"},
              {2.3e15, "2.3e15"},
              {4.6e15, "4.6e15"},
              {1234567890123457, "1.234567890123457e15"},
              {0x1p62, "4.611686018427388e18"},
              {0x1p-40, "9.094947017729282e-13"},
              {-1.25e-11, "-1.25e-11"},
              {4502400000000, "4502400000000"},
              {0.00001, "0.00001"},
              {0.0000012, "1.2e-6"},
              {1 / 3.0, "0.3333333333333333"},
              {2 / 3.0, "0.6666666666666666"},
              {5e-324, "5e-324"},
              {1.7976931348623157e308, "1.7976931348623157e308"},
              {(double)NAN, "null"},
              {(double)INFINITY, "null"},
              {123456789.125, "123456789.125"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(number(rows[i].x), rows[i].text);
}

static void random_doubles_are_shortest(void **state) {
  (void)state;
  uint64_t s = UINT64_C(88172645463325252);
  for (int i = 0; i < 200000; i++) {
    double any, whole = (double)(next_random(&s) >> 11), x;
    uint64_t bits = next_random(&s);
    memcpy(&any, &bits, sizeof any);
    if (i % 50 == 0 && isfinite(any)) check(any);
    check(whole * pow(2, -(double)(next_random(&s) % 90))); /* the fast path's range */
    check((double)(next_random(&s) % 100000) /
          pow(10, (double)(next_random(&s) % 12)));    /* what people write */
    x = pow(2, (double)(next_random(&s) % 200) - 100); /* the gap below is half the gap above */
    if (i % 50 == 0) check(x), check(nextafter(x, 0)), check(nextafter(x, INFINITY));
  }
}

static void integers(void **state) {
  (void)state;
  static const int64_t rows[] = {0, 7, 10, 99, 100, 101, -1, -10, INT64_MAX, INT64_MIN, 1000000000000000000};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[JSON_NUMBER_MAX + 1], expected[32];
    text[json_text_integer(rows[i], text)] = '\0';
    snprintf(expected, sizeof expected, "%lld", (long long)rows[i]);
    assert_string_equal(text, expected);
  }
}

static void utf8(void **state) {
  (void)state;
  static const char *const good[] = {"", "plain", "µ", "漢字", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};
  static const char *const bad[] = {"\x80", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                    "\xff", "a\xe2\x82"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(text_is_utf8(good[i], strlen(good[i])));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(text_is_utf8(bad[i], strlen(bad[i])));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_texts),
                                     cmocka_unit_test(random_doubles_are_shortest),
                                     cmocka_unit_test(integers), cmocka_unit_test(utf8)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
