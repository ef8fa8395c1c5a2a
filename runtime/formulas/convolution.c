/* Convolution in one, two or three dimensions: input [N, C_in, ...], weight [C_out, C_in / groups, ...]. */
#include <string.h>

#include "window.h"

/* padding: numbers, or 'valid' for none, or 'same' for d (k - 1) in all, the odd one on the right. */
static int64_t padding_of(tally *t, int64_t i, int64_t n, int64_t kernel, int64_t dilation) {
  const roofline_value value = tally_value(t, "padding");
  if (value.tag != ROOFLINE_TAG_STRING) return window_param(t, "padding", i, n, 0);
  return strcmp(value.u.s, "same") == 0 ? mul(t, dilation, kernel - 1) / 2 : 0;
}

static void conv(tally *t) {
  const roofline_shape input = tally_shape(t, "input"), weight = tally_shape(t, "weight");
  const roofline_shape output = tally_shape(t, "output");
  taps all = {1, 1, 1};
  for (int32_t i = 2; i < input.rank && tally_ok(t); i++) {
    window w = {.input = input.dims[i], .output = output.dims[i], .kernel = weight.dims[i]};
    w.stride = window_param(t, "stride", i - 2, input.rank - 2, 1);
    w.dilation = window_param(t, "dilation", i - 2, input.rank - 2, 1);
    w.padding = padding_of(t, i - 2, input.rank - 2, w.kernel, w.dilation);
    all = window_multiply(t, all, window_taps(t, w));
  }
  const int64_t batch = input.dims[0], channels = input.dims[1], per_group = weight.dims[1];
  FLOPS(t, 2, batch, output.dims[1], per_group, all.inside);
  READ(t, batch, channels, all.touched, tally_size(t, "input"));
  READ(t, output.dims[1], per_group, all.used, tally_size(t, "weight"));
  if (tally_present(t, "bias")) {
    FLOPS(t, tally_elements(t, "output"));
    tally_read(t, "bias");
  }
  tally_write(t, "output");
}

/* conv_roofline: 2 N C_out (C_in / groups) (taps inside, multiplied over the axes), and an add per output
   for the bias. A tap in the padding multiplies nothing; an input that no tap lands on is not read, nor is
   a weight whose tap always lands in the padding. */
ROOFLINE_FORMULA(conv_roofline) { return tally_cost(call, conv, cost); }
ROOFLINE_READ_BYTES(conv1d_fwd) { return tally_reads(call, conv, bytes); }
ROOFLINE_READ_BYTES(conv2d_fwd) { return tally_reads(call, conv, bytes); }
ROOFLINE_READ_BYTES(conv3d_fwd) { return tally_reads(call, conv, bytes); }
