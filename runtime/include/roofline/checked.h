/* Exact 64-bit integers: a result that does not fit is a status. The first failure of a computation is
   kept in *status; later operations return some value that nobody may use. docs/language.md "Expressions". */
#ifndef ROOFLINE_CHECKED_H
#define ROOFLINE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void roofline_fail(roofline_status *status, roofline_status why) {
  if (*status == ROOFLINE_OK) *status = why;
}

/* The only compiler extensions of the project: overflow builtins, with a portable fallback. */
#if defined(__GNUC__) && !defined(ROOFLINE_PORTABLE_CHECKED)
/* A failure is rare: the compiler keeps it out of the way of the arithmetic. */
#define ROOFLINE_RARELY(condition) __builtin_expect(condition, 0)
static inline bool roofline_add_overflows(int64_t a, int64_t b, int64_t *r) {
  return __builtin_add_overflow(a, b, r);
}
static inline bool roofline_sub_overflows(int64_t a, int64_t b, int64_t *r) {
  return __builtin_sub_overflow(a, b, r);
}
static inline bool roofline_mul_overflows(int64_t a, int64_t b, int64_t *r) {
  return __builtin_mul_overflow(a, b, r);
}
#else
#define ROOFLINE_RARELY(condition) (condition)
static inline bool roofline_add_overflows(int64_t a, int64_t b, int64_t *r) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return true;
  *r = a + b;
  return false;
}
static inline bool roofline_sub_overflows(int64_t a, int64_t b, int64_t *r) {
  if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return true;
  *r = a - b;
  return false;
}
static inline bool roofline_mul_overflows(int64_t a, int64_t b, int64_t *r) {
  if (a > 0) {
    if (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a) return true;
  } else if (a < 0) {
    if (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a) return true;
  }
  *r = a * b;
  return false;
}
#endif

static inline int64_t roofline_add(roofline_status *status, int64_t a, int64_t b) {
  int64_t r = 0;
  if (ROOFLINE_RARELY(roofline_add_overflows(a, b, &r))) roofline_fail(status, ROOFLINE_E_OVERFLOW);
  return r;
}

static inline int64_t roofline_sub(roofline_status *status, int64_t a, int64_t b) {
  int64_t r = 0;
  if (ROOFLINE_RARELY(roofline_sub_overflows(a, b, &r))) roofline_fail(status, ROOFLINE_E_OVERFLOW);
  return r;
}

static inline int64_t roofline_mul(roofline_status *status, int64_t a, int64_t b) {
  int64_t r = 0;
  if (ROOFLINE_RARELY(roofline_mul_overflows(a, b, &r))) roofline_fail(status, ROOFLINE_E_OVERFLOW);
  return r;
}

static inline int64_t roofline_neg(roofline_status *status, int64_t a) { return roofline_sub(status, 0, a); }

/* a // b, rounded towards minus infinity: -7 // 2 == -4. Division by zero is DOMAIN. */
static inline int64_t roofline_floordiv(roofline_status *status, int64_t a, int64_t b) {
  if (b == 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (b == -1) return roofline_neg(status, a);
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

/* a % b with the sign of b: -7 % 3 == 2. */
static inline int64_t roofline_mod(roofline_status *status, int64_t a, int64_t b) {
  if (b == 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

#ifdef __cplusplus
}
#endif
#endif
