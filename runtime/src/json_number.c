/* Shortest decimal text of a double, in exact integer arithmetic.

   A double is m × 2^e. For 1e-10 <= x < 2^53 some power of ten s <= 27 brings it to 17 integer digits,
   and m × 5^s is below 2^118: two words hold it exactly. Of the multiples of 100, of 10 and of 1 nearest
   to that number, the first that lies strictly inside the double's rounding interval has 15, 16 or 17
   digits and reads back as x. printf tries the rest, which are rare in records: numbers outside that
   range, and fractions that are powers of two. */
#include "json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct u128 {
  uint64_t hi, lo;
} u128;

static u128 multiply(uint64_t a, uint64_t b) {
  uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), cross = a0 * b1 + (mid & 0xffffffff);
  return (u128){a1 * b1 + (mid >> 32) + (cross >> 32), (cross << 32) | (low & 0xffffffff)};
}

enum { MAX_SCALE = 27, DIGITS = 17 };
#define TEN_16 UINT64_C(10000000000000000)
#define TEN_17 UINT64_C(100000000000000000)

static const uint64_t five_to[MAX_SCALE + 1] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

/* x × 10^scale as an integer and a fraction of 2^shift, with half the gap between doubles. */
typedef struct scaled {
  uint64_t whole, fraction, half_gap;
  int shift;
} scaled;

static bool scale_to(uint64_t m, int e, int scale, scaled *out) {
  /* 2m × 5^s × 2^(e+s-1): the doubling makes half a gap the whole number 5^s. */
  int shift = 1 - e - scale;
  if (scale < 1 || scale > MAX_SCALE || shift < 1 || shift > 63) return false;
  u128 product = multiply(2 * m, five_to[scale]);
  if (product.hi >> shift != 0) return false;
  out->whole = (product.hi << (64 - shift)) | (product.lo >> shift);
  out->fraction = product.lo & ((UINT64_C(1) << shift) - 1);
  out->half_gap = five_to[scale];
  out->shift = shift;
  return true;
}

/* The multiple of `unit` nearest to the scaled number, if it reads back as the same double. */
static inline bool nearest_multiple(const scaled *v, uint64_t unit, uint64_t *digits) {
  const uint64_t one = UINT64_C(1) << v->shift, gap_whole = v->half_gap >> v->shift;
  const uint64_t gap_fraction = v->half_gap & (one - 1);
  uint64_t below = v->whole % unit, whole = below, fraction = v->fraction;
  bool up = below > unit - 1 - below || (2 * below == unit && fraction > 0) ||
            (2 * below == unit - 1 && fraction > one / 2);
  if (up) { /* unit - (below + fraction) */
    whole = unit - below - (fraction > 0);
    fraction = fraction > 0 ? one - fraction : 0;
  }
  *digits = v->whole - below + (up ? unit : 0);
  return unit == 1 || whole < gap_whole || (whole == gap_whole && fraction < gap_fraction);
}

/* Digits of x (15 to 17 of them, trailing zeros included) and the decimal exponent of the last. */
static bool shortest(double x, uint64_t *digits, int *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  if (m == UINT64_C(1) << 52) return false; /* a power of two: the gaps on its two sides differ */
  int e = (int)(bits >> 52) - 1075;         /* x is normal and positive: x = m × 2^e */
  /* 1233/4096 is log10(2), near enough to be one off at most; 64 keeps the division's operand positive. */
  int scale = DIGITS - 1 - (((e + 52 + 64) * 1233) / 4096 - 64 * 1233 / 4096);
  scaled v;
  if (!scale_to(m, e, scale, &v)) return false;
  if (v.whole >= TEN_17 && !scale_to(m, e, --scale, &v)) return false;
  if (v.whole < TEN_16 && !scale_to(m, e, ++scale, &v)) return false;
  if (v.whole < TEN_16 || v.whole >= TEN_17) return false;
  if (!nearest_multiple(&v, 100, digits) && !nearest_multiple(&v, 10, digits))
    nearest_multiple(&v, 1, digits);
  *exponent = -scale;
  return true;
}

/* "00" to "99": half the divisions. */
#define TEN(d) d "0", d "1", d "2", d "3", d "4", d "5", d "6", d "7", d "8", d "9"
static const char two_digits[100][3] = {TEN("0"), TEN("1"), TEN("2"), TEN("3"), TEN("4"),
                                        TEN("5"), TEN("6"), TEN("7"), TEN("8"), TEN("9")};

size_t json_text_integer(int64_t x, char *out) {
  char text[JSON_NUMBER_MAX];
  size_t at = sizeof text;
  uint64_t rest = x < 0 ? -(uint64_t)x : (uint64_t)x;
  for (; rest >= 100; rest /= 100) memcpy(text + (at -= 2), two_digits[rest % 100], 2);
  if (rest >= 10)
    memcpy(text + (at -= 2), two_digits[rest], 2);
  else
    text[--at] = (char)('0' + rest);
  if (x < 0) text[--at] = '-';
  memcpy(out, text + at, sizeof text - at);
  return sizeof text - at;
}

/* Plain notation while it stays short: 0.0074544, 4864148405797.1; else 6.02e-7, 2.3e15. */
static size_t place(uint64_t digits, int exponent, char *out) {
  char text[JSON_NUMBER_MAX];
  while (digits % 10 == 0) digits /= 10, exponent++;
  int n = (int)json_text_integer((int64_t)digits, text), point = n + exponent;
  size_t length = 0;
  if (point > 0 && point < n) {
    memcpy(out, text, (size_t)point);
    out[point] = '.';
    memcpy(out + point + 1, text + point, (size_t)(n - point));
    return (size_t)n + 1;
  }
  if (point <= 0 && point > -5) {
    memcpy(out, "0.00000", 2 + (size_t)-point);
    memcpy(out + 2 - point, text, (size_t)n);
    return (size_t)(n + 2 - point);
  }
  out[length++] = text[0];
  if (n > 1) {
    out[length++] = '.';
    memcpy(out + length, text + 1, (size_t)n - 1);
    length += (size_t)n - 1;
  }
  out[length++] = 'e';
  return length + json_text_integer(point - 1, out + length);
}

/* Of any positive double: the fewest digits of printf's that read back. */
static void by_printf(double x, uint64_t *digits, int *exponent) {
  char text[JSON_NUMBER_MAX];
  for (int precision = 0; precision < DIGITS; precision++) {
    snprintf(text, sizeof text, "%.*e", precision, x);
    if (strtod(text, NULL) == x) break;
  }
  const char *at = text;
  int after_point = -1; /* the point is the locale's, and may be several bytes */
  for (*digits = 0; *at != 'e'; at++) {
    if (*at < '0' || *at > '9') continue;
    *digits = 10 * *digits + (uint64_t)(*at - '0');
    after_point++;
  }
  *exponent = (int)strtol(at + 1, NULL, 10) - after_point;
}

size_t json_text_number(double x, char *out) {
  if (!isfinite(x)) {
    memcpy(out, "null", 4);
    return 4;
  }
  if (fabs(x) < 1e15 && x == (double)(int64_t)x) return json_text_integer((int64_t)x, out);
  uint64_t digits;
  int exponent;
  if (fabs(x) < 1e-10 || fabs(x) >= 9007199254740992.0 || !shortest(fabs(x), &digits, &exponent))
    by_printf(fabs(x), &digits, &exponent);
  size_t sign = x < 0;
  out[0] = '-';
  return sign + place(digits, exponent, out + sign);
}
