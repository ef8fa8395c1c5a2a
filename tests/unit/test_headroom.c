/* The public C API of headroom: arithmetic, models, peaks, counters. headroom.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include <roofline/headroom.h>

static void near_of(double got, double want, int line) {
  if (fabs(got - want) <= 1e-6 * fmax(fabs(want), 1e-300)) return;
  fail_msg("line %d: got %.17g, want %.17g", line, got, want);
}
#define NEAR(got, want) near_of((got), (want), __LINE__)

static roofline_headroom_result judge(roofline_headroom_case c) {
  roofline_headroom_result r;
  roofline_headroom_judge(&c, NULL, &r);
  return r;
}

/* A memory-bound kernel on gfx950 that uses `share` of the bandwidth in a millisecond. */
static roofline_headroom_case using_share(double share, double target) {
  return (roofline_headroom_case){.t_ms = 1,
                                  .work = {share * 8e9, 8e9},
                                  .peak_bw = 8e12,
                                  .peak_flops = 2.5e15,
                                  .pct_gpu_time = 10,
                                  .target = target};
}

/* ---- ../shared/expected/headroom/cases.json ---- */

static double number(const json_t *o, const char *key) {
  json_t *v = json_object_get(o, key);
  assert_true(json_is_number(v));
  return json_number_value(v);
}

static const char *text(const json_t *o, const char *key) {
  return json_string_value(json_object_get(o, key));
}

static void one_expected_case(const json_t *c) {
  roofline_headroom_result r =
      judge((roofline_headroom_case){.t_ms = number(c, "t_ms"),
                                     .work = {number(c, "bytes_est"), number(c, "flops_est")},
                                     .peak_bw = number(c, "peak_bw_bytes_s"),
                                     .peak_flops = number(c, "peak_flops"),
                                     .pct_gpu_time = number(c, "pct_gpu_time"),
                                     .target = number(c, "target_eff")});
  const json_t *want = json_object_get(c, "expect");
  print_message("case %d: %s\n", (int)number(c, "id"), text(c, "name"));
  NEAR(r.hbm_util, number(want, "hbm_util"));
  NEAR(r.compute_util, number(want, "compute_util"));
  NEAR(r.roofline_pct, number(want, "roofline_pct"));
  NEAR(r.roofline_pct_raw, number(want, "roofline_pct_raw"));
  NEAR(r.arithmetic_intensity, number(want, "arithmetic_intensity"));
  NEAR(r.attainable_speedup, number(want, "attainable_speedup"));
  NEAR(r.expected_gain_pct, number(want, "expected_e2e_gain_pct"));
  assert_string_equal(roofline_headroom_bound_name(r.bound), text(want, "bound_type"));
  assert_string_equal(roofline_headroom_class_name(r.headroom), text(want, "headroom_class"));
  assert_int_equal(r.suspect, json_is_true(json_object_get(want, "suspect")));
}

static void expected_cases(void **state) {
  (void)state;
  json_t *cases = json_load_file(SHARED_DIR "/expected/headroom/cases.json", 0, NULL);
  if (cases == NULL) {
    print_message("no ../shared/expected/headroom: skipped\n");
    skip();
  }
  assert_true(json_array_size(cases) > 10);
  for (size_t i = 0; i < json_array_size(cases); i++) one_expected_case(json_array_get(cases, i));
  json_decref(cases);
}

/* ---- the worked example through the models ---- */

static void worked_moe(void **state) {
  (void)state;
  roofline_headroom_moe moe = {
      .experts = 256, .top_k = 8, .tokens = 64, .hidden = 2048, .intermediate = 512, .weight_bytes = 1};
  NEAR(roofline_headroom_experts_hit(256, 512), 221.489591);
  roofline_work hit = roofline_headroom_moe_work(&moe);
  NEAR(hit.bytes, 696746007.75);
  NEAR(hit.flops, 3221225472.0);
  moe.all_experts = true;
  roofline_work all = roofline_headroom_moe_work(&moe);
  NEAR(all.bytes, 805306368.0);

  roofline_headroom_case c = {.t_ms = 0.098942,
                              .work = hit,
                              .peak_bw = 8e12,
                              .peak_flops = 5e15,
                              .pct_gpu_time = 26.45,
                              .target = 0.9};
  roofline_headroom_result r = judge(c);
  NEAR(r.hbm_util, 0.88024551);
  NEAR(r.ridge_point, 625);
  NEAR(r.attainable_speedup, 1.022442);
  NEAR(r.expected_gain_pct, 0.5805626);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_SATURATED);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_MEMORY);

  c.work = all;
  r = judge(c);
  assert_true(r.suspect);
  NEAR(r.roofline_pct_raw, 1.017397);
  assert_true(r.roofline_pct == 1.0);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNKNOWN);
  assert_true(r.attainable_speedup == 1.0 && r.expected_gain_pct == 0.0);
  NEAR(r.bytes_upper_bound, 8e12 * 98.942e-6);
}

static void worked_attention(void **state) {
  (void)state;
  roofline_headroom_attn attn = {.batch = 64,
                                 .seq = roofline_headroom_decode_seq(1024, 1024),
                                 .kv_heads = 2,
                                 .q_heads = 16,
                                 .head_dim = 256,
                                 .kv_bytes = 2};
  roofline_work w = roofline_headroom_attn_work(&attn);
  NEAR(w.bytes, 201326592.0);
  NEAR(w.flops, 1610612736.0);
  roofline_headroom_result r = judge((roofline_headroom_case){0.141112, w, 8e12, 2.5e15, 8.86, 0.5});
  NEAR(r.roofline_pct, 0.17833936);
  NEAR(r.attainable_speedup, 2.8036435);
  NEAR(r.expected_gain_pct, 5.6998265);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_LATENCY);
}

/* Case 15 of the expected answers: 64 sequences of 8704, 12 heads, a latent of 512 + 64. */
static void latent_attention(void **state) {
  (void)state;
  roofline_headroom_attn mla = {.batch = 64,
                                .seq = 8704,
                                .kv_heads = 1,
                                .q_heads = 12,
                                .head_dim = 192,
                                .kv_bytes = 2,
                                .latent = 512,
                                .rope = 64};
  roofline_work w = roofline_headroom_attn_work(&mla);
  NEAR(w.bytes, 641728512.0);
  NEAR(w.flops, 14545846272.0);
}

static void gemm_and_elements(void **state) {
  (void)state;
  /* 4096 x 4096 x 7168, bf16 activations, fp8 weights: by hand 2MNK and MK 2 + KN + MN 2. */
  roofline_work w = roofline_headroom_gemm(1, 4096, 4096, 7168, 2, 1, 2);
  NEAR(w.flops, 240518168576.0);
  NEAR(w.bytes, 4096.0 * 7168 * 2 + 7168.0 * 4096 + 4096.0 * 4096 * 2);
  NEAR(roofline_headroom_gemm(3, 4, 5, 6, 1, 1, 1).bytes, 3 * (24 + 30 + 20));
  NEAR(roofline_headroom_gemm(3, 4, 5, 6, 1, 1, 1).flops, 3 * 2 * 120);
}

static void experts_hit(void **state) {
  (void)state;
  assert_true(roofline_headroom_experts_hit(0, 10) == 0);
  assert_true(roofline_headroom_experts_hit(-4, 10) == 0);
  assert_true(roofline_headroom_experts_hit(8, 0) == 0);
  assert_true(roofline_headroom_experts_hit(8, -1) == 0);
  assert_true(roofline_headroom_experts_hit(NAN, 3) == 0);
  assert_true(roofline_headroom_experts_hit(1, 7) == 1);
  NEAR(roofline_headroom_experts_hit(8, 1), 1);
  NEAR(roofline_headroom_experts_hit(2, 2), 1.5);
  assert_true(roofline_headroom_experts_hit(8, 1e9) <= 8);
  /* One pair touches one expert, also where 1 - 1/E rounds to 1. */
  NEAR(roofline_headroom_experts_hit(1e17, 1), 1);
}

static void moe_stages(void **state) {
  (void)state;
  roofline_headroom_moe moe = {
      .experts = 1, .top_k = 1, .tokens = 3, .hidden = 10, .intermediate = 7, .weight_bytes = 1};
  static const double matrices[] = {3, 2, 1}; /* layer, gate_up, down */
  for (int s = 0; s < ROOFLINE_MOE_STAGE_COUNT; s++) {
    moe.stage = (roofline_moe_stage)s;
    roofline_work w = roofline_headroom_moe_work(&moe);
    NEAR(w.bytes, matrices[s] * 70);
    NEAR(w.flops, 2 * 3 * matrices[s] * 70);
  }
  moe.stage = ROOFLINE_MOE_DOWN; /* 3 pairs read 7 values each and 3 tokens are written, 10 values each */
  moe.activation_bytes = 1;
  moe.out_bytes = 2;
  NEAR(roofline_headroom_moe_work(&moe).bytes, 70 + 3 * 7 + 3 * 10 * 2);
}

static void heads_and_context(void **state) {
  (void)state;
  assert_true(roofline_headroom_heads_per_rank(2, 8) == 1); /* replicated */
  assert_true(roofline_headroom_heads_per_rank(16, 8) == 2);
  assert_true(roofline_headroom_heads_per_rank(16, NAN) == 16);
  assert_true(roofline_headroom_decode_seq(10, 5) == 12); /* floor */
}

static void candidates(void **state) {
  (void)state;
  roofline_work works[] = {{100, 0}, {300, 0}, {200, 0}};
  bool feasible;
  assert_int_equal(roofline_headroom_choose(works, 3, 1e6, 0.25, &feasible), 2); /* at most 250 bytes */
  assert_true(feasible);
  assert_int_equal(roofline_headroom_choose(works, 3, 1e6, 0.3, &feasible), 1); /* 300 fits exactly */
  assert_int_equal(roofline_headroom_choose(works, 3, 1e6, 0.01, &feasible), 0);
  assert_false(feasible);
  roofline_headroom_choose(works, 3, 0, 1, &feasible);
  assert_false(feasible);
}

/* ---- verdicts ---- */

static void clamped_is_never_saturated(void **state) {
  (void)state;
  static const double shares[] = {1.0000001, 1.44, 1e6, 0.0009999, 0};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    roofline_headroom_case c = using_share(shares[i], 0.9);
    c.work.flops = 0;
    roofline_headroom_result r = judge(c);
    assert_true(r.suspect);
    assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNKNOWN);
    assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_MEMORY);
    assert_true(r.attainable_speedup == 1.0 && r.expected_gain_pct == 0.0);
    assert_true(r.roofline_pct <= 1.0 && r.roofline_pct_raw == r.hbm_util);
  }
}

static void shares_of_the_target(void **state) {
  (void)state;
  assert_int_equal(judge(using_share(0.88, 0.90)).headroom, ROOFLINE_HEADROOM_SATURATED);
  assert_int_equal(judge(using_share(0.60, 0.90)).headroom, ROOFLINE_HEADROOM_MODERATE);
  assert_int_equal(judge(using_share(0.20, 0.90)).headroom, ROOFLINE_HEADROOM_UNDERPERFORMING);
  assert_int_equal(judge(using_share(0.9 * 0.9, 0.90)).headroom, ROOFLINE_HEADROOM_SATURATED);
  assert_int_equal(judge(using_share(0.80999, 0.90)).headroom, ROOFLINE_HEADROOM_MODERATE);
  roofline_headroom_result over = judge(using_share(0.95, 0.90));
  assert_true(over.attainable_speedup == 1.0 && over.expected_gain_pct == 0.0);
}

static void unrounded(void **state) {
  (void)state;
  assert_int_equal(judge(using_share(0.59959, 0.90)).bound, ROOFLINE_HEADROOM_BOUND_LATENCY);
  assert_int_equal(judge(using_share(0.60, 0.90)).bound, ROOFLINE_HEADROOM_BOUND_MEMORY);
}

static void low_intensity_is_not_memory_bound(void **state) {
  (void)state;
  roofline_headroom_case c = using_share(0.25, 0.9);
  c.work.flops = c.work.bytes / 2;
  roofline_headroom_result r = judge(c);
  assert_true(r.arithmetic_intensity < r.ridge_point);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_LATENCY);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNDERPERFORMING); /* latency keeps its class */
}

static void axis_is_strict(void **state) {
  (void)state;
  /* AI exactly at the ridge (312.5): memory. Both utilisations are 0.75. */
  roofline_headroom_case c = {1, {6e9, 6e9 * 312.5}, 8e12, 2.5e15, 10, 0.9};
  roofline_headroom_result r = judge(c);
  assert_true(r.arithmetic_intensity == r.ridge_point);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_MEMORY);
  c.work.flops *= 1.0000001;
  assert_int_equal(judge(c).bound, ROOFLINE_HEADROOM_BOUND_COMPUTE);
}

static void dispatch_floor(void **state) {
  (void)state;
  roofline_headroom_case c = {0.002, {1e5, 1e5}, 8e12, 2.5e15, 5, 0.875};
  roofline_headroom_result r = judge(c);
  assert_int_equal(r.rule, ROOFLINE_RULE_DISPATCH);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_LATENCY);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNKNOWN);
  assert_true(r.attainable_speedup == 1.0 && r.expected_gain_pct == 0.0 && !r.suspect);
  c.work.bytes = 1e12; /* impossible, and still dispatch-bound: the floor comes first */
  assert_false(judge(c).suspect);
  c.work.bytes = 1e5;
  c.t_ms = 10 / 1000.0;
  assert_int_equal(judge(c).rule, ROOFLINE_RULE_DISPATCH);
  c.t_ms = 0.0101;
  assert_int_not_equal(judge(c).rule, ROOFLINE_RULE_DISPATCH);
}

static void missing_compute_peak(void **state) {
  (void)state;
  roofline_headroom_case c = using_share(0.7, 0.9);
  c.peak_flops = 0;
  roofline_headroom_result r = judge(c);
  assert_true(isnan(r.compute_util) && isnan(r.ridge_point));
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_MEMORY);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_MODERATE);
  c = using_share(0.3, 0.9);
  c.peak_flops = 0;
  r = judge(c);
  assert_int_equal(r.rule, ROOFLINE_RULE_NO_COMPUTE_PEAK);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_UNKNOWN);
  assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNKNOWN);
  c.work.flops = 0; /* nothing to compute: memory alone decides */
  assert_int_equal(judge(c).headroom, ROOFLINE_HEADROOM_UNDERPERFORMING);
  c.peak_bw = 0;
  r = judge(c);
  assert_int_equal(r.rule, ROOFLINE_RULE_NO_PEAKS);
  assert_int_equal(r.bound, ROOFLINE_HEADROOM_BOUND_UNKNOWN);
  assert_true(isnan(r.expected_gain_pct));
}

static bool finite_or_nan(double x) { return !isinf(x); }

static void nothing_infinite(void **state) {
  (void)state;
  static const double values[] = {0, -1, 1e-300, 1, 1e300, 1.7e308, NAN, INFINITY, -INFINITY};
  enum { N = sizeof values / sizeof *values };
  for (int t = 0; t < N; t++)
    for (int b = 0; b < N; b++)
      for (int f = 0; f < N; f++)
        for (int p = 0; p < N; p++) {
          roofline_headroom_result r = judge((roofline_headroom_case){
              values[t], {values[b], values[f]}, values[p], values[p], values[b], 0.9});
          assert_true(finite_or_nan(r.achieved_bw) && finite_or_nan(r.achieved_flops) &&
                      finite_or_nan(r.hbm_util) && finite_or_nan(r.compute_util) &&
                      finite_or_nan(r.arithmetic_intensity) && finite_or_nan(r.ridge_point) &&
                      finite_or_nan(r.roofline_pct) && finite_or_nan(r.attainable_speedup) &&
                      finite_or_nan(r.expected_gain_pct) && finite_or_nan(r.bytes_upper_bound));
          if (r.roofline_pct_raw > 1) assert_int_equal(r.headroom, ROOFLINE_HEADROOM_UNKNOWN);
        }
  roofline_headroom_result r = judge((roofline_headroom_case){1, {0, 1e9}, 8e12, 2.5e15, 10, 0.9});
  assert_true(isnan(r.arithmetic_intensity) && r.suspect);
}

static void targets(void **state) {
  (void)state;
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_GEMM, "mi355x"), 0.90);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_MOE, NULL), 0.90);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_ATTN, "r9700"), 0.50);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_ELEMENTWISE, ""), 0.875);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_MOE, "R9700"), 0.76);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_ELEMENTWISE, "r9700"), 0.76);
  NEAR(roofline_headroom_target(ROOFLINE_CLASS_GEMM, "r9700"), 0.90);
  assert_true(isnan(roofline_headroom_target(ROOFLINE_CLASS_UNKNOWN, NULL)));
}

static void confidence(void **state) {
  (void)state;
  assert_int_equal(roofline_headroom_confidence(ROOFLINE_STAGE_A, false), ROOFLINE_CONFIDENCE_LOW);
  assert_int_equal(roofline_headroom_confidence(ROOFLINE_STAGE_B, false), ROOFLINE_CONFIDENCE_MEDIUM);
  assert_int_equal(roofline_headroom_confidence(ROOFLINE_STAGE_C, false), ROOFLINE_CONFIDENCE_HIGH);
  assert_int_equal(roofline_headroom_confidence(ROOFLINE_STAGE_C, true), ROOFLINE_CONFIDENCE_LOW);
}

/* ---- dtypes and peaks ---- */

static void dtypes(void **state) {
  (void)state;
  static const struct {
    const char *spelling;
    roofline_headroom_roof roof;
    double stored, value;
  } rows[] = {
      {"c10::BFloat16", ROOFLINE_ROOF_BF16, 2, 2},
      {"torch.bfloat16", ROOFLINE_ROOF_BF16, 2, 2},
      {"half", ROOFLINE_ROOF_FP16, 2, 2},
      {"c10::Half", ROOFLINE_ROOF_FP16, 2, 2},
      {"torch.half", ROOFLINE_ROOF_FP16, 2, 2},
      {"float", ROOFLINE_ROOF_FP32, 4, 4},
      {"double", ROOFLINE_ROOF_FP64, 8, 8},
      {"tf32", ROOFLINE_ROOF_TF32, 4, 4},
      {"c10::Float8_e4m3fn", ROOFLINE_ROOF_FP8, 1, 1},
      {"torch.float8_e5m2fnuz", ROOFLINE_ROOF_FP8, 1, 1},
      {"fp8", ROOFLINE_ROOF_FP8, 1, 1},
      {"fp6", ROOFLINE_ROOF_FP6, 0.75, 0.75},
      {"fp4", ROOFLINE_ROOF_FP4, 0.5, 0.5},
      {"int4", ROOFLINE_ROOF_NONE, 0.5, 0.5},
      {"c10::Float4_e2m1fn_x2", ROOFLINE_ROOF_FP4, 1, 0.5},
      {"mxfp4", ROOFLINE_ROOF_FP4, 0.53125, 0.53125},
      {"int8", ROOFLINE_ROOF_INT8, 1, 1},
      {"uint8", ROOFLINE_ROOF_NONE, 1, 1},
      {"bool", ROOFLINE_ROOF_NONE, 1, 1},
      {"int32", ROOFLINE_ROOF_NONE, 4, 4},
      {"int16", ROOFLINE_ROOF_NONE, 2, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    roofline_headroom_dtype t;
    print_message("%s\n", rows[i].spelling);
    assert_true(roofline_headroom_dtype_parse(rows[i].spelling, strlen(rows[i].spelling), &t));
    assert_int_equal(t.roof, rows[i].roof);
    assert_true(t.stored_bytes == rows[i].stored && roofline_headroom_value_bytes(t) == rows[i].value);
  }
  static const char *const unknown[] = {"", "posit16", "floaty", "bf16x", "c10::", "fp80", "c10::c10::half"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    roofline_headroom_dtype t;
    assert_false(roofline_headroom_dtype_parse(unknown[i], strlen(unknown[i]), &t));
    assert_int_equal(t.roof, ROOFLINE_ROOF_NONE);
    assert_true(t.stored_bytes == 2);
  }
}

static const roofline_headroom_peaks blocks[] = {
    {.arch = "gfx950", .product = "mi355x", .arch_default = true, .hbm = 1},
    {.arch = "gfx950", .product = "mi350x", .hbm = 2},
    {.arch = "gfx1201", .product = "r9700", .hbm = 3},
    {.arch = "gfx942", .product = "mi300x", .arch_default = true, .hbm = 4},
};

static double found(const char *gfx, const char *product) {
  char name[32];
  assert_true(roofline_headroom_gfx(gfx, strlen(gfx), name, sizeof name));
  const roofline_headroom_peaks *p = roofline_headroom_find_peaks(blocks, 4, name, product);
  return p != NULL ? p->hbm : 0;
}

static void peak_blocks(void **state) {
  (void)state;
  assert_true(found("gfx950", NULL) == 1);
  assert_true(found("gfx950", "unknown") == 1);
  assert_true(found("gfx950", "MI350X") == 2);
  assert_true(found("gfx950", "mi999") == 1);
  assert_true(found("gfx942:sramecc+:xnack-", "") == 4);
  assert_true(found("GFX942", "mi308x") == 4);
  assert_true(found("gfx1201", "r9700") == 3);
  assert_true(found("gfx1201", "AMD Radeon AI PRO R9700") == 3);
  assert_true(found("gfx1201", "r9700xt") == 0);
  assert_true(found("gfx1201", "unknown") == 0);
  assert_true(found("gfx1201", "rx9070") == 0);
  assert_true(found("gfx9501", NULL) == 0);
  assert_false(roofline_headroom_derivable("gfx1201"));
  assert_false(roofline_headroom_derivable("gfx1200"));
  assert_true(roofline_headroom_derivable("gfx1250"));
  assert_true(roofline_headroom_derivable("gfx1100"));
  assert_false(roofline_headroom_derivable(""));
  char small[4];
  assert_false(roofline_headroom_gfx("gfx942", 6, small, sizeof small));
}

static void derived_peaks(void **state) {
  (void)state;
  /* 1.3 GHz memory clock, 8192-bit bus: 2.6624 TB/s; 110 units at 1.7 GHz: 23.936 TFLOP/s of fp32. */
  roofline_headroom_device d = {
      .compute_units = 110, .clock_khz = 1.7e6, .memory_clock_khz = 1.3e6, .memory_bus_bits = 8192};
  roofline_headroom_peaks p = {.arch = "gfx90a"};
  assert_true(roofline_headroom_derive(&d, &p));
  NEAR(p.hbm, 2.6624e12);
  NEAR(p.flops[ROOFLINE_ROOF_FP32], 23.936e12);
  assert_true(p.flops[ROOFLINE_ROOF_BF16] == 0 && p.derived);
  /* Boost clocks and SMs of the datasheets, and what those print for fp32: H200 67, A100 19.5, RTX 4090
     82.6 TFLOP/s. */
  static const struct {
    const char *arch;
    double sms, khz, fp32;
  } nvidia[] = {{"sm_90a", 132, 1.98e6, 66.9e12},
                {"sm_80", 108, 1.41e6, 19.5e12},
                {"sm_89", 128, 2.52e6, 82.6e12},
                {"sm_1", 1, 1e6, 0}};
  for (size_t i = 0; i < sizeof nvidia / sizeof *nvidia; i++) {
    roofline_headroom_device n = {.compute_units = nvidia[i].sms,
                                  .clock_khz = nvidia[i].khz,
                                  .memory_clock_khz = 1e6,
                                  .memory_bus_bits = 256};
    roofline_headroom_peaks q = {.arch = nvidia[i].arch};
    assert_true(roofline_headroom_derive(&n, &q));
    assert_true(fabs(q.flops[ROOFLINE_ROOF_FP32] - nvidia[i].fp32) <= nvidia[i].fp32 * 2e-3);
  }
  d.compute_units = 1e308;
  d.clock_khz = 1e308;
  assert_true(roofline_headroom_derive(&d, &p) && p.flops[ROOFLINE_ROOF_FP32] == 0);
  d.memory_bus_bits = 1e308;
  assert_false(roofline_headroom_derive(&d, &p));
  d.memory_bus_bits = 0;
  assert_false(roofline_headroom_derive(&d, &p));
}

/* ---- head and rankings ---- */

static void head_and_ties(void **state) {
  (void)state;
  roofline_headroom_ranked items[] = {{7, 0, 0}, {4.999999, 0, 1}, {5, 0, 2},
                                      {9, 0, 3}, {NAN, 0, 4},      {7, 0, 5}};
  assert_int_equal(roofline_headroom_head(items, 6, 5, 8), 4);
  static const uint32_t order[] = {3, 0, 5, 2};
  for (int i = 0; i < 4; i++) assert_int_equal(items[i].index, order[i]);
  assert_int_equal(roofline_headroom_head(items, 4, 5, 2), 2);

  roofline_headroom_ranked gains[] = {{6, NAN, 0}, {5, 1.5, 1},  {9, 1.5, 2},
                                      {5, 1.5, 3}, {50, NAN, 4}, {1, 3, 5}};
  roofline_headroom_rank_by_gain(gains, 6);
  static const uint32_t by_gain[] = {5, 2, 1, 3, 4, 0}; /* ties by pct, then order; unmodelled last */
  for (int i = 0; i < 6; i++) assert_int_equal(gains[i].index, by_gain[i]);
}

/* ---- counters ---- */

static roofline_dispatch dispatch(double fetch, double write) {
  roofline_dispatch d;
  roofline_dispatch_init(&d);
  d.value[ROOFLINE_COUNTER_FETCH_SIZE] = fetch;
  d.value[ROOFLINE_COUNTER_WRITE_SIZE] = write;
  return d;
}

static void counters(void **state) {
  (void)state;
  double scratch[8];
  roofline_dispatch three[] = {dispatch(100, 20), dispatch(1000, 200), dispatch(110, 30)};
  NEAR(roofline_headroom_measured(three, 3, scratch).bytes, 140 * 1024); /* median, not the sum */
  assert_true(isnan(roofline_headroom_measured(three, 3, scratch).flops));
  roofline_dispatch even[] = {dispatch(10, 0), dispatch(30, 0)};
  NEAR(roofline_headroom_measured(even, 2, scratch).bytes, 20 * 1024);
  roofline_dispatch one_missing[] = {dispatch(50, NAN)};
  NEAR(roofline_headroom_measured(one_missing, 1, scratch).bytes, 50 * 1024);
  roofline_dispatch none[] = {dispatch(0, 0), dispatch(NAN, NAN)};
  assert_true(isnan(roofline_headroom_measured(none, 2, scratch).bytes)); /* not measured, never 0 */
  assert_true(isnan(roofline_headroom_measured(NULL, 0, scratch).bytes));
  /* Separate passes: reads and writes never share a dispatch. */
  roofline_dispatch passes[] = {dispatch(40, NAN), dispatch(NAN, 2), dispatch(60, NAN), dispatch(NAN, 4)};
  NEAR(roofline_headroom_measured(passes, 4, scratch).bytes, 53 * 1024);

  three[0].value[ROOFLINE_COUNTER_MFMA_FLOPS] = 0;
  three[0].value[ROOFLINE_COUNTER_MFMA_FLOPS_F16] = 7e9;
  three[0].value[ROOFLINE_COUNTER_MFMA_FLOPS_F64] = 1e9;
  three[0].value[ROOFLINE_COUNTER_MFMA_MOPS_F8] = 3;
  NEAR(roofline_headroom_measured(three, 1, scratch).flops, 7e9);
  three[0].value[ROOFLINE_COUNTER_MFMA_FLOPS_F16] = three[0].value[ROOFLINE_COUNTER_MFMA_FLOPS_F64] = 0;
  NEAR(roofline_headroom_measured(three, 1, scratch).flops, 3 * 512);
  assert_int_equal(roofline_counter_find("write_size", 10), ROOFLINE_COUNTER_WRITE_SIZE);
  assert_int_equal(roofline_counter_find("MfmaUtil", 8), ROOFLINE_COUNTER_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expected_cases),
      cmocka_unit_test(worked_moe),
      cmocka_unit_test(worked_attention),
      cmocka_unit_test(latent_attention),
      cmocka_unit_test(gemm_and_elements),
      cmocka_unit_test(experts_hit),
      cmocka_unit_test(moe_stages),
      cmocka_unit_test(heads_and_context),
      cmocka_unit_test(candidates),
      cmocka_unit_test(clamped_is_never_saturated),
      cmocka_unit_test(shares_of_the_target),
      cmocka_unit_test(unrounded),
      cmocka_unit_test(low_intensity_is_not_memory_bound),
      cmocka_unit_test(axis_is_strict),
      cmocka_unit_test(dispatch_floor),
      cmocka_unit_test(missing_compute_peak),
      cmocka_unit_test(nothing_infinite),
      cmocka_unit_test(targets),
      cmocka_unit_test(confidence),
      cmocka_unit_test(dtypes),
      cmocka_unit_test(peak_blocks),
      cmocka_unit_test(derived_peaks),
      cmocka_unit_test(head_and_ties),
      cmocka_unit_test(counters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
