/* Fast linear transforms of rows of length n: every element read once, written once. */
#include "tally.h"

/* n = odd 2^m. */
static int64_t split_powers_of_two(int64_t n, int64_t *odd) {
  int64_t m = 0;
  for (; n > 0 && n % 2 == 0; n /= 2) m++;
  *odd = n;
  return m;
}

static void fft_c2c(tally *t) {
  int64_t odd = 1;
  const int64_t m = split_powers_of_two(tally_int(t, "n"), &odd);
  if (!tally_require(t, odd == 1)) return;
  FLOPS(t, 5, tally_elements(t, "input"), m);
  tally_read(t, "input");
  tally_write(t, "output");
}

/* fft_c2c_roofline: 5 n log2 n a row, n a power of two: n / 2 log2 n butterflies, each a complex multiply
   (6) and two complex adds (4). */
ROOFLINE_FORMULA(fft_c2c_roofline) { return tally_cost(call, fft_c2c, cost); }
ROOFLINE_READ_BYTES(fftc2_c_fwd) { return tally_reads(call, fft_c2c, bytes); }

static void hadamard(tally *t) {
  int64_t odd = 1;
  const int64_t m = split_powers_of_two(tally_int(t, "n"), &odd);
  const bool pure = odd == 1;
  /* Matrices of an order that is no power of two have an order divisible by 4. */
  if (!tally_require(t, odd > 0 && (pure || m >= 2))) return;
  const int64_t base = pure ? 1 : mul(t, 4, odd), stages = pure ? m : m - 2;
  const int64_t count = tally_elements(t, "x");
  FLOPS(t, count, add(t, stages, base - 1));
  if (tally_float(t, "scale") != 1) FLOPS(t, count);
  tally_read(t, "x");
  tally_write(t, "output");
}

/* hadamard_roofline: n = base 2^m, base 1 or the smallest order 4 q of n's odd part q. An element costs an
   add or subtract in each of m butterfly stages, base - 1 of them in the base's matrix of ones and minus
   ones, and a multiply by a scale other than 1. */
ROOFLINE_FORMULA(hadamard_roofline) { return tally_cost(call, hadamard, cost); }
ROOFLINE_READ_BYTES(hadamard_fwd) { return tally_reads(call, hadamard, bytes); }
