#include "window.h"

int64_t window_gcd(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* How many 0 <= n < count have 0 <= n step + shift < extent. */
static int64_t landing(tally *t, int64_t count, int64_t step, int64_t shift, int64_t extent) {
  const int64_t from = max_of(0, div_up(t, sub(t, 0, shift), step));
  const int64_t to = min_of(count, div_up(t, sub(t, extent, shift), step));
  return max_of(0, to - from);
}

/* Positions touched by taps k, k + period, k + 2 period, ... (`count` of them): the period moves a tap by
   `jump` whole strides, so all they reach are numbers n stride + shift, where n is some output o plus a
   multiple m < count of jump. Two such taps never reach the positions of another k below the period. */
static int64_t touched_by(tally *t, const window *w, int64_t shift, int64_t count, int64_t jump) {
  if (w->output >= jump) { /* the runs of o overlap or adjoin: every n up to the last is there */
    const int64_t run = add(t, mul(t, count - 1, jump), w->output);
    return landing(t, run, w->stride, shift, w->input);
  }
  int64_t touched = 0;
  for (int64_t m = 0; m < count && tally_ok(t); m++) {
    const int64_t at = add(t, shift, mul(t, mul(t, m, jump), w->stride));
    touched = add(t, touched, landing(t, w->output, w->stride, at, w->input));
  }
  return touched;
}

taps window_taps(tally *t, window w) {
  taps n = {0, 0, 0};
  if (!tally_require(t, w.stride > 0 && w.dilation > 0) || w.output <= 0) return n;
  for (int64_t k = 0; k < w.kernel && tally_ok(t); k++) {
    const int64_t shift = sub(t, mul(t, k, w.dilation), w.padding);
    const int64_t outputs = landing(t, w.output, w.stride, shift, w.input);
    n.inside = add(t, n.inside, outputs);
    n.used += outputs > 0;
  }
  /* Taps reach the same positions only when they differ by a multiple of stride / gcd. */
  const int64_t period = w.stride / window_gcd(w.stride, w.dilation);
  const int64_t jump = w.dilation / window_gcd(w.stride, w.dilation);
  for (int64_t k = 0; k < min_of(period, w.kernel) && tally_ok(t); k++) {
    const int64_t shift = sub(t, mul(t, k, w.dilation), w.padding);
    n.touched = add(t, n.touched, touched_by(t, &w, shift, (w.kernel - 1 - k) / period + 1, jump));
  }
  return n;
}

taps window_multiply(tally *t, taps a, taps b) {
  const taps product = {mul(t, a.inside, b.inside), mul(t, a.touched, b.touched), mul(t, a.used, b.used)};
  return product;
}

int64_t window_param(tally *t, const char *param, int64_t i, int64_t n, int64_t fallback) {
  const roofline_value value = tally_value(t, param);
  return tally_ok(t) ? roofline_per_axis(&t->status, value, i, n, roofline_int(fallback)) : fallback;
}
