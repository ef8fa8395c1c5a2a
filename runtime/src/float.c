/* Python's `//` and `%` on floats: the quotient rounds down, the remainder has the divisor's sign. */
#include <math.h>

#include <roofline/primitive.h>

double roofline_float_mod(roofline_status *status, double a, double b) {
  if (b == 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  const double r = fmod(a, b);
  if (r == 0) return copysign(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double roofline_float_floordiv(roofline_status *status, double a, double b) {
  const double r = roofline_float_mod(status, a, b);
  if (*status != ROOFLINE_OK) return 0;
  const double quotient = (a - r) / b;
  const double whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}
