/* Formulas of windows, transforms, experts, tables and masks against counting one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_text.h"
#include "random_shapes.h"
#include "runtime/formulas/window.h"

enum { TRIALS = 300, MOST = 64 };

static int64_t marks(const bool *seen, int64_t count) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++) n += seen[i];
  return n;
}

/* ---- windows ---- */

static taps slide(window w) {
  taps n = {0, 0, 0};
  bool touched[MOST] = {false}, used[MOST] = {false};
  for (int64_t o = 0; o < w.output; o++) {
    for (int64_t k = 0; k < w.kernel; k++) {
      const int64_t at = o * w.stride - w.padding + k * w.dilation;
      if (at < 0 || at >= w.input) continue;
      n.inside++;
      touched[at] = used[k] = true;
    }
  }
  n.touched = marks(touched, MOST);
  n.used = marks(used, MOST);
  return n;
}

static taps product(taps a, taps b) {
  const taps p = {a.inside * b.inside, a.touched * b.touched, a.used * b.used};
  return p;
}

/* Any window at all, also ones that no operator would accept. */
static void test_any_window(void **state) {
  (void)state;
  for (int trial = 0; trial < 100 * TRIALS; trial++) {
    const window w = {below(20), below(12), below(9), 1 + below(7), below(12), 1 + below(7)};
    tally t = {NULL, ROOFLINE_OK, 0, 0, 0};
    const taps got = window_taps(&t, w), want = slide(w);
    if (t.status != ROOFLINE_OK || got.inside != want.inside || got.touched != want.touched ||
        got.used != want.used)
      fail_msg("input %" PRId64 " output %" PRId64 " kernel %" PRId64 " stride %" PRId64 " padding %" PRId64
               " dilation %" PRId64 ": inside %" PRId64 "/%" PRId64 " touched %" PRId64 "/%" PRId64
               " used %" PRId64 "/%" PRId64,
               w.input, w.output, w.kernel, w.stride, w.padding, w.dilation, got.inside, want.inside,
               got.touched, want.touched, got.used, want.used);
  }
}

/* A random axis that an operator accepts: some output, padding at most half the kernel. */
static window random_axis(bool dilates) {
  window w = {0};
  do {
    w = (window){1 + below(12), 0, 1 + below(4), 1 + below(3), 0, dilates ? 1 + below(2) : 1};
    w.padding = below(w.kernel / 2 + 1);
    w.output = (w.input + 2 * w.padding - w.dilation * (w.kernel - 1) - 1);
    w.output = w.output < 0 ? 0 : w.output / w.stride + 1;
  } while (w.output == 0);
  return w;
}

static void test_convolution(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t batch = below(3), groups = 1 + below(2), in = groups * (1 + below(2)), out = groups * 2;
    const bool bias = below(2) == 0, same = below(4) == 0;
    window h = random_axis(true), w = random_axis(true);
    if (same) {
      h.stride = w.stride = 1;
      h.output = h.input;
      w.output = w.input;
    }
    char padding[32], text[512];
    if (same)
      snprintf(padding, sizeof padding, "same");
    else
      snprintf(padding, sizeof padding, "[%" PRId64 ",%" PRId64 "]", h.padding, w.padding);
    snprintf(text, sizeof text,
             "N=%" PRId64 " C_in=%" PRId64 " H=%" PRId64 " W=%" PRId64 " C_out=%" PRId64 " kH=%" PRId64
             " kW=%" PRId64 " groups=%" PRId64 " stride=[%" PRId64 ",%" PRId64 "] dilation=[%" PRId64
             ",%" PRId64 "] padding=%s T=float32%s",
             batch, in, h.input, w.input, out, h.kernel, w.kernel, groups, h.stride, w.stride, h.dilation,
             w.dilation, padding, bias ? " +bias" : "");
    const price p = price_text("Conv2dFwdOp", text);
    if (same) { /* an odd total has its odd one on the right */
      h.padding = h.dilation * (h.kernel - 1) / 2;
      w.padding = w.dilation * (w.kernel - 1) / 2;
    }
    const taps all = product(slide(h), slide(w));
    const int64_t outputs = batch * out * h.output * w.output;
    const int64_t reads = 4 * (batch * in * all.touched + out * (in / groups) * all.used + (bias ? out : 0));
    assert_int_equal(p.flops, 2 * batch * out * (in / groups) * all.inside + (bias ? outputs : 0));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 4 * outputs);
  }
}

static void test_pooling(void **state) {
  (void)state;
  static const struct {
    const char *op;
    bool average, dilates;
    int64_t indices; /* bytes beside an output */
  } kinds[] = {{"AvgPool2dFwdOp", true, false, 0},
               {"MaxPool2dFwdOp", false, true, 0},
               {"MaxPool2dIndicesFwdOp", false, true, 8}};
  for (int trial = 0; trial < TRIALS; trial++) {
    const int kind = (int)below(3);
    const window h = random_axis(kinds[kind].dilates), w = random_axis(kinds[kind].dilates);
    const int64_t planes = 3;
    char text[512], dilation[64];
    snprintf(dilation, sizeof dilation, " dilation=[%" PRId64 ",%" PRId64 "]", h.dilation, w.dilation);
    snprintf(text, sizeof text,
             "N=1 C=3 H=%" PRId64 " W=%" PRId64 " kernel_size=[%" PRId64 ",%" PRId64 "] stride=[%" PRId64
             ",%" PRId64 "] padding=[%" PRId64 ",%" PRId64 "] T=float16%s",
             h.input, w.input, h.kernel, w.kernel, h.stride, w.stride, h.padding, w.padding,
             kinds[kind].dilates ? dilation : "");
    const price p = price_text(kinds[kind].op, text);
    const taps all = product(slide(h), slide(w));
    const int64_t outputs = planes * h.output * w.output;
    assert_int_equal(p.flops, planes * all.inside + (kinds[kind].average ? outputs : 0));
    assert_int_equal(p.reads, 2 * planes * all.touched);
    assert_int_equal(p.bytes, p.reads + (2 + kinds[kind].indices) * outputs);
  }
}

/* ceil_mode: 3 windows of 2 over 5 positions, the last over one position and nothing. */
static void test_pooling_rounds_up(void **state) {
  (void)state;
  const price p = price_text("AvgPool1dFwdOp", "N=1 C=1 L_in=5 kernel_size=2 ceil_mode=true T=float16");
  assert_int_equal(p.flops, 5 + 3);
  assert_int_equal(p.bytes, 2 * 5 + 2 * 3);
}

static int64_t bin_widths(int64_t in, int64_t out) {
  int64_t sum = 0;
  for (int64_t o = 0; o < out; o++) sum += ((o + 1) * in + out - 1) / out - o * in / out;
  return sum;
}

static void test_adaptive_pooling(void **state) {
  (void)state;
  for (int64_t h = 1; h <= 12; h++) {
    for (int64_t out = 1; out <= 14; out++) {
      char text[256];
      snprintf(text, sizeof text, "N=2 C=3 H=%" PRId64 " W=7 output_size=[%" PRId64 ",3] T=float32", h, out);
      const price average = price_text("AdaptiveAvgPool2dFwdOp", text);
      const price maximum = price_text("AdaptiveMaxPool2dIndicesFwdOp", text);
      const int64_t taps_inside = 6 * bin_widths(h, out) * bin_widths(7, 3), outputs = 6 * out * 3;
      assert_int_equal(average.flops, taps_inside + outputs);
      assert_int_equal(average.bytes, 4 * (6 * h * 7 + outputs));
      assert_int_equal(maximum.flops, taps_inside);
      assert_int_equal(maximum.bytes, 4 * (6 * h * 7 + outputs) + 8 * outputs);
    }
  }
}

/* ---- transforms ---- */

/* Adds and subtracts of the fast transform itself, run on `n` values of which only the count matters. */
static int64_t butterflies(int64_t n, int64_t base) {
  int64_t ops = (n / base) * base * (base - 1); /* n / base vectors through the base's matrix */
  for (int64_t half = base; half < n; half *= 2)
    for (int64_t i = 0; i < n; i += 2 * half)
      for (int64_t j = i; j < i + half; j++) ops += 2;
  return ops;
}

static void test_transforms(void **state) {
  (void)state;
  static const int64_t lengths[][2] = {{1, 1},   {2, 1},   {64, 1},     {4096, 1},
                                       {12, 12}, {24, 12}, {14336, 28}, {640, 20}};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const int64_t n = lengths[i][0], want = 6 * butterflies(n, lengths[i][1]);
    char text[256];
    snprintf(text, sizeof text, "B=[2,3] n=%" PRId64 " T=float16", n);
    price p = price_text("HadamardFwdOp", text);
    assert_int_equal(p.flops, want);
    assert_int_equal(p.bytes, 2 * 2 * 6 * n);
    snprintf(text, sizeof text, "B=[2,3] n=%" PRId64 " scale=0.5 T=float16", n);
    assert_int_equal(price_text("HadamardFwdOp", text).flops, want + 6 * n);
    if (lengths[i][1] != 1) continue;
    snprintf(text, sizeof text, "B=[2,3] n=%" PRId64 " T=complex64", n);
    p = price_text("FFTC2CFwdOp", text);
    assert_int_equal(p.flops, 5 * want); /* a complex multiply and two complex adds: 10 where there 2 */
    assert_int_equal(p.bytes, 2 * 8 * 6 * n);
  }
  /* No Hadamard matrix has order 6. */
  roofline_binding *b = open_call("HadamardFwdOp", "B=[1] n=6 T=float16");
  roofline_cost cost = {1, 2};
  assert_int_equal(roofline_eval(bind_call(b), &cost), ROOFLINE_E_DOMAIN);
  assert_int_equal(cost.bytes, 2);
  roofline_binding_free(b);
}

/* ---- experts ---- */

/* Rows that each of 4 experts gets, as the metadata of a layout of `rows` rows says them. */
typedef struct grouping {
  char layout[32];
  int64_t rows, valid, experts, count; /* count: of metadata */
  int32_t metadata[MOST];
} grouping;

enum { EXPERTS = 4 };

static grouping random_grouping(void) {
  grouping g = {{0}, 0, 0, 0, EXPERTS, {0}};
  const int kind = (int)below(4);
  const int64_t tile = kind == 0 || kind == 1 ? 1 : 1 + below(3) * 2, slots = 4;
  int64_t counts[EXPERTS], at = 0;
  for (int e = 0; e < EXPERTS; e++) {
    counts[e] = below(slots + 1);
    g.valid += counts[e];
    g.experts += counts[e] > 0;
  }
  if (kind == 0) {
    snprintf(g.layout, sizeof g.layout, "masked:%" PRId64, slots);
    for (int e = 0; e < EXPERTS; e++) g.metadata[e] = (int32_t)counts[e];
    g.rows = EXPERTS * slots;
    return g;
  }
  const bool per_row = kind == 3;
  snprintf(g.layout, sizeof g.layout, "%s:%" PRId64, per_row ? "per_row" : "aligned", tile);
  for (int e = 0; e < EXPERTS; e++) {
    for (int64_t i = 0; i < counts[e] || i % tile != 0; i++, at++)
      if (per_row) g.metadata[at] = i < counts[e] ? e : -1;
    if (!per_row) g.metadata[e] = (int32_t)(at - (tile - counts[e] % tile) % tile);
  }
  g.rows = at;
  if (per_row) g.count = at;
  return g;
}

static void test_grouped_rows(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    grouping g = random_grouping();
    const bool activated = below(2) == 0;
    const int64_t k = 8, n = 6, width = activated ? 2 * n : n, f = 6;
    char text[256];
    snprintf(text, sizeof text, "P=%" PRId64 " K=8 N=6 E=4 D=bfloat16 layout=%s out_dtype=float32%s", g.rows,
             g.layout, activated ? " activation=silu_and_mul" : "");
    roofline_binding *b = open_call("MoeGroupedGemmFwdOp", text);
    set_values(b, "layout_metadata", ROOFLINE_INT32, 1, &g.count, g.metadata);
    price p = price_of(bind_call(b));
    roofline_binding_free(b);
    assert_int_equal(p.flops, 2 * g.valid * width * k + (activated ? 6 * g.valid * n : 0));
    assert_int_equal(p.reads, 2 * (g.valid * k + g.experts * width * k) + 4 * g.count);
    assert_int_equal(p.bytes, p.reads + 4 * g.valid * n);

    snprintf(text, sizeof text, "P=%" PRId64 " H=8 F=6 E=4 D=bfloat16 layout=%s", g.rows, g.layout);
    b = open_call("MoeExpertMLPFwdOp", text);
    set_values(b, "layout_metadata", ROOFLINE_INT32, 1, &g.count, g.metadata);
    p = price_of(bind_call(b));
    roofline_binding_free(b);
    assert_int_equal(p.flops, g.valid * (6 * f * k + 6 * f));
    assert_int_equal(p.reads, 2 * (g.valid * k + g.experts * 3 * f * k) + 4 * g.count);
    assert_int_equal(p.bytes, p.reads + 2 * g.valid * k);
  }
}

static void test_routed_experts(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t tokens = 1 + below(5), k = 1 + below(3), experts = 3 + below(6), h = 8, f = 6;
    const bool scaled = below(2) == 0;
    int32_t ids[16];
    bool reached[MOST] = {false};
    const int64_t dims[] = {tokens, k};
    for (int64_t i = 0; i < tokens * k; i++) reached[ids[i] = (int32_t)below(experts)] = true;
    char text[256];
    snprintf(text, sizeof text,
             "T=%" PRId64 " H=8 F=6 E=%" PRId64 " K=%" PRId64 " routed_scaling_factor=%s D=float16", tokens,
             experts, k, scaled ? "2.5" : "1.0");
    roofline_binding *b = open_call("IndexedExpertMLPFwdOp", text);
    set_values(b, "topk_ids", ROOFLINE_INT32, 2, dims, ids);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);
    const int64_t expert = 2 * 3 * f * h, rest = 2 * tokens * h + 2 * 4 * tokens * k;
    assert_int_equal(p.flops,
                     tokens * k * (6 * f * h + 6 * f) + 2 * tokens * k * h + (scaled ? tokens * h : 0));
    assert_int_equal(p.reads, marks(reached, MOST) * expert + rest);
    assert_int_equal(p.bytes, p.reads + 2 * tokens * h);
    b = open_call("IndexedExpertMLPFwdOp", text);
    set_values(b, "topk_ids", ROOFLINE_INT32, 2, dims, NULL);
    assert_int_equal(price_of(bind_call(b)).reads, k * expert + rest); /* the lower bound */
    roofline_binding_free(b);
  }
}

static void test_post_permute(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t tokens = below(5), k = 1 + below(3), rows = 1 + below(9), h = 8, routes = tokens * k;
    int32_t indices[16];
    bool named[MOST] = {false};
    for (int64_t i = 0; i < routes; i++) named[indices[i] = (int32_t)below(rows)] = true;
    char text[256];
    snprintf(text, sizeof text, "T=%" PRId64 " K=%" PRId64 " P=%" PRId64 " H=8 layout=tight D=float16",
             tokens, k, rows);
    roofline_binding *b = open_call("MoePostPermuteFwdOp", text);
    set_values(b, "inverse_indices", ROOFLINE_INT32, 1, &routes, indices);
    price p = price_of(bind_call(b));
    assert_int_equal(p.flops, 2 * routes * h);
    assert_int_equal(p.reads, 2 * h * marks(named, MOST) + 4 * routes + 4 * routes);
    assert_int_equal(p.bytes, p.reads + 2 * tokens * h);
    /* An epilogue is a factor; one that is known to be 1 is none. */
    assert_int_equal(roofline_binding_set(b, "epilogue", roofline_opaque()), ROOFLINE_OK);
    assert_int_equal(price_of(bind_call(b)).flops, 2 * routes * h + tokens * h);
    roofline_binding_free(b);
  }
}

static void test_shared_expert(void **state) {
  (void)state;
  const char *routed = "T=4 H=8 F=6 E=16 top_k=2 D=float16";
  const price alone = price_text("FusedMoeFwdOp", routed);
  assert_int_equal(alone.flops, 4 * 2 * (6 * 6 * 8 + 6 * 6) + 2 * 4 * 2 * 8 + 2 * 4 * 16 * 3);
  assert_int_equal(alone.reads, 2 * 2 * 3 * 6 * 8 + 2 * 4 * 8 + 4 * 4 * 16);
  const price none = price_text("FusedMoeSharedExpertFwdOp", routed);
  assert_int_equal(none.flops, alone.flops);
  assert_int_equal(none.bytes, alone.bytes);
  const price shared =
      price_text("FusedMoeSharedExpertFwdOp",
                 "T=4 H=8 F=6 E=16 S=10 tp_size=2 top_k=2 D=float16 +shared_w_gate_up +shared_w_down");
  assert_int_equal(shared.flops, alone.flops + 6 * 4 * 5 * 8 + 6 * 4 * 5);
  assert_int_equal(shared.reads, alone.reads + 2 * 3 * 5 * 8);
  assert_int_equal(shared.bytes, alone.bytes + 2 * 3 * 5 * 8 + 2 * 4 * 8);
}

/* ---- tables and masks ---- */

static void test_norm_rope(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t tokens = 1 + below(9), rows = 1 + below(9);
    int64_t positions[9];
    bool named[MOST] = {false};
    for (int64_t i = 0; i < tokens; i++) named[positions[i] = below(rows)] = true;
    char text[256];
    snprintf(text, sizeof text,
             "N=%" PRId64 " D=8 P=%" PRId64 " R=4 num_heads=3 num_kv_heads=2 T=float16 C=float32", tokens,
             rows);
    roofline_binding *b = open_call("FusedQKNormRoPEFwdOp", text);
    set_values(b, "positions", ROOFLINE_INT64, 1, &tokens, positions);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);
    const int64_t columns = 2 * tokens * (3 + 2) * 8, rest = 2 * 2 * 8 + 8 * tokens;
    assert_int_equal(p.flops, tokens * 5 * (4 * 8 + 3 * 4));
    assert_int_equal(p.reads, columns + rest + 4 * 4 * marks(named, MOST));
    assert_int_equal(p.bytes, p.reads + columns);
    assert_int_equal(price_text("FusedQKNormRoPEFwdOp", text).reads,
                     columns + rest + 4 * 4); /* the lower bound */
  }
}

static void test_masks(void **state) {
  (void)state;
  /* Rows of 10 logits keep 3, 10 and 1: two lose some. */
  price p = price_text("TopKMaskFwdOp", "B=3 V=10 ks=[3,10,1]");
  assert_int_equal(p.flops, 2 * 2 * 10);
  assert_int_equal(p.reads, 4 * 3 * 10 + 4 * 3);
  assert_int_equal(p.bytes, 2 * 4 * 3 * 10 + 4 * 3);
  assert_int_equal(price_text("TopKMaskFwdOp", "B=2 V=10 ks=[10,10]").flops, 0);
  assert_int_equal(price_text("TopKTopPMaskFwdOp", "B=3 V=10 ks=[3,10,1]").flops, 40);
  assert_int_equal(price_text("TopKTopPMaskFwdOp", "B=3 V=10 ks=[3,10,1] top_p=0.9").flops, 40 + 7 * 14);
  assert_int_equal(price_text("TopKTopPMaskFwdOp", "B=1 V=10 ks=[10]").flops, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_window),       cmocka_unit_test(test_convolution),
      cmocka_unit_test(test_pooling),          cmocka_unit_test(test_pooling_rounds_up),
      cmocka_unit_test(test_adaptive_pooling), cmocka_unit_test(test_transforms),
      cmocka_unit_test(test_grouped_rows),     cmocka_unit_test(test_routed_experts),
      cmocka_unit_test(test_post_permute),     cmocka_unit_test(test_shared_expert),
      cmocka_unit_test(test_norm_rope),        cmocka_unit_test(test_masks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
