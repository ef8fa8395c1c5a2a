/* Windows that slide over one axis, as in convolution and pooling: tap k of output o lands at input position
   o stride - padding + k dilation, or in the padding. Axes are independent: counts multiply. */
#ifndef FORMULAS_WINDOW_H
#define FORMULAS_WINDOW_H

#include "tally.h"

typedef struct window {
  int64_t input, output, kernel, stride, padding, dilation;
} window;

typedef struct taps {
  int64_t inside;  /* (output, tap) pairs that land in the input */
  int64_t touched; /* input positions that some tap lands on */
  int64_t used;    /* taps that ever land in the input */
} taps;

/* In time linear in the kernel. DOMAIN unless stride and dilation are positive. */
taps window_taps(tally *t, window w);
taps window_multiply(tally *t, taps a, taps b);

int64_t window_gcd(int64_t a, int64_t b); /* of two numbers, one of them positive */

/* Item i of n of an `int | tuple` parameter; of None, `fallback`. */
int64_t window_param(tally *t, const char *param, int64_t i, int64_t n, int64_t fallback);

#endif
