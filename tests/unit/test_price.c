/* The metric and the verdicts: the worked example, and every edge one step to each side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <roofline/price.h>

/* Round numbers, so that every edge is reached exactly: 1 GB takes 1 ms at the theoretical bandwidth and
   2 ms at the effective one; 10 Gflop take 1 ms and 2 ms. */
static const roofline_roof roofs[] = {{"cuda_core.fp32", 10e12, 0.5, NULL, NULL},
                                      {"tensor_core.bf16", 40e12, 0, NULL, NULL}};
static const roofline_profile round_gpu = {.gpu = "Round GPU",
                                           .timing = "cupti",
                                           .hbm = {"hbm", 1e12, 0.5, NULL, NULL},
                                           .roofs = roofs,
                                           .roof_count = 2};

static roofline_record record(int64_t bytes, int64_t flops, double ms) {
  roofline_record r = roofline_record_empty();
  r.op = "op", r.case_id = "case", r.device = "Round GPU", r.timing = "cupti", r.roof_key = "cuda_core.fp32";
  r.bytes = bytes, r.flops = flops, r.device_busy_ms = ms;
  return r;
}

static roofline_reading read_with(const roofline_record *r, roofline_price_options options) {
  roofline_thresholds t = roofline_default_thresholds();
  return roofline_price(&round_gpu, r, &t, &options);
}

static roofline_verdict verdict(int64_t bytes, int64_t flops, double ms) {
  roofline_record r = record(bytes, flops, ms);
  return read_with(&r, (roofline_price_options){0}).verdict;
}

static double step_up(double x) { return nextafter(x, INFINITY); }
static double step_down(double x) { return nextafter(x, 0); }

/* pricing.md §4, "Worked": the numbers there, to the digits there. */
static void worked_example(void **state) {
  (void)state;
  static const roofline_roof fp32 = {"cuda_core.fp32", 67.0e12, 0.8548, NULL, NULL};
  static const roofline_profile h200 = {.gpu = "NVIDIA H200",
                                        .timing = "cupti",
                                        .hbm = {"hbm", 4800e9, 0.9380, NULL, NULL},
                                        .roofs = &fp32,
                                        .roof_count = 1};
  static const struct {
    double ms, efficiency;
    roofline_verdict verdict;
  } rows[] = {{0.0093, 0.8015, ROOFLINE_AT_CEILING},
              {0.0094, 0.7930, ROOFLINE_BELOW},
              {0.0070, 1.0649, ROOFLINE_ANOMALY},
              {0.0069, 1.0803, ROOFLINE_FORMULA_ERROR}};
  roofline_thresholds t = roofline_default_thresholds();
  roofline_price_options options = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    roofline_record r = record(33562624, 33554432, rows[i].ms);
    roofline_reading g = roofline_price(&h200, &r, &t, &options);
    assert_int_equal(g.verdict, rows[i].verdict);
    assert_int_equal(g.bound, ROOFLINE_BOUND_MEMORY);
    assert_float_equal(g.efficiency, rows[i].efficiency, 0.00005);
    assert_float_equal(g.memory_time_ms, 0.0074544, 0.00000005);
    assert_float_equal(g.compute_time_ms, 0.0005859, 0.00000005);
  }
  /* The page rounds this row's two numbers up, to 4.8642e12 B/s and (in pricing.tsv) 1.0804. */
  roofline_record r = record(33562624, 33554432, 0.0069);
  assert_true(fabs(roofline_price(&h200, &r, &t, &options).achieved_bytes_per_s - 33562624 / 6.9e-6) < 1);
}

static void efficiency_edges(void **state) {
  (void)state;
  /* 400 MB: 0.8 ms at the effective 0.5 TB/s. */
  assert_int_equal(verdict(400000000, 0, 1), ROOFLINE_AT_CEILING);
  assert_int_equal(verdict(400000000, 0, step_up(1)), ROOFLINE_BELOW);
  assert_int_equal(verdict(399999999, 0, 1), ROOFLINE_BELOW);
  /* 525 MB: 1.05 ms. */
  assert_int_equal(verdict(525000000, 0, 1), ROOFLINE_AT_CEILING);
  assert_int_equal(verdict(525000000, 0, step_down(1)), ROOFLINE_ANOMALY);
  assert_int_equal(verdict(525000001, 0, 1), ROOFLINE_ANOMALY);
}

static void theoretical_edges(void **state) {
  (void)state;
  assert_int_equal(verdict(1000000000, 0, 1), ROOFLINE_ANOMALY);
  assert_int_equal(verdict(1000000001, 0, 1), ROOFLINE_FORMULA_ERROR);
  assert_int_equal(verdict(1000000000, 0, step_down(1)), ROOFLINE_FORMULA_ERROR);
  assert_int_equal(verdict(1, 10000000000, 1), ROOFLINE_ANOMALY);
  assert_int_equal(verdict(1, 10000000001, 1), ROOFLINE_FORMULA_ERROR);
  roofline_record both = record(1000000001, 10000000001, 1), hbm = record(1000000001, 0, 1),
                  roof = record(1, 10000000001, 1);
  assert_int_equal(read_with(&both, (roofline_price_options){0}).reason, ROOFLINE_REASON_ABOVE_BOTH);
  assert_int_equal(read_with(&hbm, (roofline_price_options){0}).reason, ROOFLINE_REASON_ABOVE_HBM);
  assert_int_equal(read_with(&roof, (roofline_price_options){0}).reason, ROOFLINE_REASON_ABOVE_ROOF);
}

static void latency_edges(void **state) {
  (void)state;
  /* 1.5 MB: 3 µs at the speed of light. */
  assert_int_equal(verdict(1499999, 0, 0.019), ROOFLINE_LATENCY_BOUND);
  assert_int_equal(verdict(1500000, 0, 0.019), ROOFLINE_BELOW);
  assert_int_equal(verdict(1000, 0, 0.020), ROOFLINE_BELOW);
  assert_int_equal(verdict(1000, 0, step_down(0.020)), ROOFLINE_LATENCY_BOUND);
  /* An anomaly is one however short it is. */
  assert_int_equal(verdict(1000000, 0, 0.0019), ROOFLINE_ANOMALY);
}

static void thresholds_are_options(void **state) {
  (void)state;
  roofline_record r = record(400000000, 0, 1);
  roofline_price_options options = {0};
  roofline_thresholds t = {step_up(0.8), 1.05, 3, 20};
  assert_int_equal(roofline_price(&round_gpu, &r, &t, &options).verdict, ROOFLINE_BELOW);
  t = (roofline_thresholds){0.5, step_down(0.8), 3, 20};
  assert_int_equal(roofline_price(&round_gpu, &r, &t, &options).verdict, ROOFLINE_ANOMALY);
  t = (roofline_thresholds){0.8, 1.05, 800.5, 1000.5};
  assert_int_equal(roofline_price(&round_gpu, &r, &t, &options).verdict, ROOFLINE_LATENCY_BOUND);
}

static void tie_is_memory(void **state) {
  (void)state;
  roofline_record tie = record(1000000, 10000000, 1), compute = record(1000000, 10000001, 1);
  assert_int_equal(read_with(&tie, (roofline_price_options){0}).bound, ROOFLINE_BOUND_MEMORY);
  assert_int_equal(read_with(&compute, (roofline_price_options){0}).bound, ROOFLINE_BOUND_COMPUTE);
  assert_true(read_with(&tie, (roofline_price_options){0}).arithmetic_intensity == 10);
  assert_true(read_with(&tie, (roofline_price_options){0}).ridge_point == 10);
}

static void zero_flops_price(void **state) {
  (void)state;
  roofline_record r = record(400000000, 0, 1);
  roofline_reading g = read_with(&r, (roofline_price_options){0});
  assert_int_equal(g.verdict, ROOFLINE_AT_CEILING);
  assert_true(g.compute_time_ms == 0 && g.arithmetic_intensity == 0 && g.achieved_flops_per_s == 0);
}

static void copies_count(void **state) {
  (void)state;
  roofline_record r = record(400000000, 0, 0.5);
  r.uncounted_copy_ms = 0.5;
  assert_true(read_with(&r, (roofline_price_options){0}).efficiency == 0.8);
}

static void shares_and_speedups(void **state) {
  (void)state;
  roofline_record r = record(200000000, 1000000000, 1); /* 0.4 ms of memory, 0.2 ms of compute */
  roofline_reading g = read_with(&r, (roofline_price_options){0});
  assert_true(g.hbm_share_effective == 0.4 && g.hbm_share_theoretical == 0.2);
  assert_true(g.roof_share_effective == 0.2 && g.roof_share_theoretical == 0.1);
  assert_true(g.attainable_speedup == 2);
  assert_true(read_with(&r, (roofline_price_options){.target = 1}).attainable_speedup == 2.5);
  roofline_record at = record(450000000, 0, 1);
  assert_true(read_with(&at, (roofline_price_options){0}).attainable_speedup == 1);
  roofline_record short_one = record(1000, 0, 0.01);
  assert_true(isnan(read_with(&short_one, (roofline_price_options){0}).attainable_speedup));
}

static void theoretical_prices_uncalibrated(void **state) {
  (void)state;
  roofline_record r = record(1, 20000000000, 1);
  r.roof_key = "tensor_core.bf16";
  assert_int_equal(read_with(&r, (roofline_price_options){0}).reason, ROOFLINE_REASON_ROOF_NOT_CALIBRATED);
  roofline_reading g = read_with(&r, (roofline_price_options){.theoretical = true});
  assert_int_equal(g.verdict, ROOFLINE_BELOW);
  assert_true(g.efficiency == 0.5);
  r.roof_key = "cuda_core.fp32", r.flops = 5000000000; /* calibrated: its theoretical peak counts as well */
  assert_true(read_with(&r, (roofline_price_options){.theoretical = true}).efficiency == 0.5);
}

static void blank_reasons(void **state) {
  (void)state;
  static const roofline_roof some[] = {{"cuda_core.fp32", 1e12, 0.5, NULL, NULL}};
  static const roofline_profile no_hbm = {
      .gpu = "G", .timing = "cupti", .hbm = {"hbm", 1e12, 0, NULL, NULL}, .roofs = some, .roof_count = 1};
  const struct {
    const roofline_profile *profile;
    roofline_record record;
    roofline_reason reason;
  } rows[] = {
      {&round_gpu, record(1, 1, NAN), ROOFLINE_REASON_TIME_MISSING},
      {&round_gpu, record(1, 1, INFINITY), ROOFLINE_REASON_TIME_MISSING},
      {&round_gpu, record(1, ROOFLINE_ABSENT, 1), ROOFLINE_REASON_FLOPS_MISSING},
      {&round_gpu, record(ROOFLINE_ABSENT, 1, 1), ROOFLINE_REASON_BYTES_MISSING},
      {&round_gpu, record(0, 1, 1), ROOFLINE_REASON_BYTES_NOT_POSITIVE},
      {&round_gpu, record(-1, 1, 1), ROOFLINE_REASON_BYTES_NOT_POSITIVE},
      {&round_gpu, record(1, -1, 1), ROOFLINE_REASON_FLOPS_NEGATIVE},
      {&round_gpu, record(1, 1, 0), ROOFLINE_REASON_TIME_NOT_POSITIVE},
      {&round_gpu, record(1, 1, -1), ROOFLINE_REASON_TIME_NOT_POSITIVE},
      {NULL, record(1, 1, 1), ROOFLINE_REASON_NO_PROFILE},
      {&no_hbm, record(1, 1, 1), ROOFLINE_REASON_HBM_NOT_CALIBRATED},
  };
  roofline_thresholds t = roofline_default_thresholds();
  roofline_price_options options = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    roofline_reading g = roofline_price(rows[i].profile, &rows[i].record, &t, &options);
    assert_int_equal(g.verdict, ROOFLINE_BLANK);
    assert_int_equal(g.reason, rows[i].reason);
    assert_true(isnan(g.efficiency) && isnan(g.sol_time_ms) && isnan(g.attainable_speedup));
  }
  roofline_record r = record(1, 1, 1);
  r.timing = "cuda-events";
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_NOT_DEVICE_TIMED);
  assert_int_equal(roofline_price(NULL, &r, &t, &options).reason, ROOFLINE_REASON_NOT_DEVICE_TIMED);
  r.timing = "steady_clock"; /* a host's clock on a GPU */
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_NOT_DEVICE_TIMED);
  r.timing = NULL;
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_NOT_DEVICE_TIMED);
  r = record(1, 1, 1), r.roof_key = "tensor_core.int4";
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_NO_ROOF);
  r.roof_key = NULL;
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_NO_ROOF);
  r = record(1, 1, 1), r.uncounted_copy_ms = -1;
  assert_int_equal(read_with(&r, options).reason, ROOFLINE_REASON_TIME_NOT_POSITIVE);
}

/* Numbers at the ends of their types give a verdict or a reason, not a trap. */
static void extremes(void **state) {
  (void)state;
  assert_int_equal(verdict(INT64_MAX, INT64_MAX, 5e-324), ROOFLINE_FORMULA_ERROR);
  assert_int_equal(verdict(1, 0, 1.7976931348623157e308), ROOFLINE_BELOW);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(roofline_verdict_name(ROOFLINE_AT_CEILING), "at_ceiling");
  assert_string_equal(roofline_reason_name(ROOFLINE_REASON_NO_PROFILE), "no_profile");
  assert_null(roofline_reason_name(ROOFLINE_REASON_NONE));
  for (int i = 1; i < ROOFLINE_REASON_COUNT; i++)
    assert_true(strlen(roofline_reason_meaning((roofline_reason)i)) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_example),
      cmocka_unit_test(efficiency_edges),
      cmocka_unit_test(theoretical_edges),
      cmocka_unit_test(latency_edges),
      cmocka_unit_test(thresholds_are_options),
      cmocka_unit_test(tie_is_memory),
      cmocka_unit_test(zero_flops_price),
      cmocka_unit_test(copies_count),
      cmocka_unit_test(shares_and_speedups),
      cmocka_unit_test(theoretical_prices_uncalibrated),
      cmocka_unit_test(blank_reasons),
      cmocka_unit_test(extremes),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
