/* Pooling: input [N, C, ...]. An average adds its taps and divides once an output; a maximum compares each
   tap, the first with the empty maximum. Which one is the op's name's to say: the parameters do not. */
#include <string.h>

#include "window.h"

/* Flops and reads of taps counted over all spatial axes; every output is written, indices too. */
static void pool_taps(tally *t, taps all) {
  const roofline_shape input = tally_shape(t, "input");
  const int64_t planes = mul(t, input.dims[0], input.dims[1]);
  FLOPS(t, planes, all.inside);
  if (tally_ok(t) && strstr(t->call->op->name, "Avg") != NULL) FLOPS(t, tally_elements(t, "output"));
  READ(t, planes, all.touched, tally_size(t, "input"));
  tally_write_outputs(t);
}

static void pool(tally *t) {
  const roofline_shape input = tally_shape(t, "input"), output = tally_shape(t, "output");
  const bool dilates = tally_ok(t) && tally_has(t, "dilation");
  taps all = {1, 1, 1};
  for (int32_t i = 2; i < input.rank && tally_ok(t); i++) {
    const int64_t axis = i - 2, axes = input.rank - 2;
    window w = {.input = input.dims[i], .output = output.dims[i], .dilation = 1};
    w.kernel = window_param(t, "kernel_size", axis, axes, 1);
    w.stride = window_param(t, "stride", axis, axes, w.kernel);
    w.padding = window_param(t, "padding", axis, axes, 0);
    if (dilates) w.dilation = window_param(t, "dilation", axis, axes, 1);
    all = window_multiply(t, all, window_taps(t, w));
  }
  pool_taps(t, all);
}

/* pool_roofline: N C (taps inside, multiplied over the axes), and for averages a divide per output. What
   divides (count_include_pad, divisor_override) changes no count. */
ROOFLINE_FORMULA(pool_roofline) { return tally_cost(call, pool, cost); }
ROOFLINE_READ_BYTES(avg_pool1d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(avg_pool2d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(avg_pool3d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool1d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool1d_indices_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool2d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool2d_indices_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool3d_fwd) { return tally_reads(call, pool, bytes); }
ROOFLINE_READ_BYTES(max_pool3d_indices_fwd) { return tally_reads(call, pool, bytes); }

/* Bin o of O covers [floor(o I / O), ceil((o + 1) I / O)). Neighbours share a position wherever the border
   o I / O is no integer, which is so for all of the O - 1 borders but gcd(I, O) - 1: the bins' widths add
   up to I + O - gcd(I, O). */
static void adaptive_pool2d(tally *t) {
  const roofline_shape input = tally_shape(t, "input"), output = tally_shape(t, "output");
  taps all = {1, 1, 1};
  for (int32_t i = 2; i < input.rank && tally_ok(t); i++) {
    const int64_t in = input.dims[i], out = output.dims[i];
    const bool empty = in == 0 || out == 0;
    const taps axis = {empty ? 0 : sub(t, add(t, in, out), window_gcd(in, out)), out == 0 ? 0 : in, 0};
    all = window_multiply(t, all, axis);
  }
  pool_taps(t, all);
}

/* adaptive_pool2d_roofline: N C (H + O_H - gcd(H, O_H)) (W + O_W - gcd(W, O_W)) adds or compares, and for
   averages a divide per output. Every input is in some bin. */
ROOFLINE_FORMULA(adaptive_pool2d_roofline) { return tally_cost(call, adaptive_pool2d, cost); }
ROOFLINE_READ_BYTES(adaptive_avg_pool2d_fwd) { return tally_reads(call, adaptive_pool2d, bytes); }
ROOFLINE_READ_BYTES(adaptive_max_pool2d_fwd) { return tally_reads(call, adaptive_pool2d, bytes); }
ROOFLINE_READ_BYTES(adaptive_max_pool2d_indices_fwd) { return tally_reads(call, adaptive_pool2d, bytes); }
