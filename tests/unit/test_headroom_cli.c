/* `roofline headroom` as a user runs it: the expected answers, and issue 7's list of ways in which such
   tools go wrong. headroom.md. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "tests/unit/headroom_report.h"

/* ---- the worked example ---- */

static void need_expected(void) {
  if (access(EXPECTED "/profile_topN.json", R_OK) == 0) return;
  print_message("no ../shared/expected/headroom: skipped\n");
  skip();
}

static void worked_example(void **state) {
  (void)state;
  need_expected();
  json_t *r = REPORT("--top-n", EXPECTED "/profile_topN.json", "--env", EXPECTED "/env_report.json",
                     "--model", EXPECTED "/config.json");
  RANKING(r, "ranking_by_pct", "fused_moe_kernel", "kernel_paged_attention_2d", "all_reduce_two_shot",
          "rms_norm_small");
  RANKING(r, "ranking_by_expected_gain", "kernel_paged_attention_2d", "fused_moe_kernel", "rms_norm_small",
          "all_reduce_two_shot");
  assert_int_equal(count_of(r, "skill_errors"), 0);
  json_t *moe = entry(r, 0), *attn = entry(r, 1), *reduce = entry(r, 2), *norm = entry(r, 3);
  IS(moe, "op_class", "moe");
  NEAR(moe, "t_ms", 0.098942);
  NEAR(moe, "bytes_est", 696746007.7502191);
  NEAR(moe, "flops_est", 3221225472.0);
  NEAR(moe, "hbm_util", 0.88024551);
  NEAR(moe, "ridge_point", 625);
  NEAR(moe, "attainable_speedup", 1.022442);
  NEAR(moe, "expected_e2e_gain_pct", 0.5805626);
  IS(moe, "headroom_class", "saturated");
  IS(moe, "bound_type", "memory");
  IS(moe, "confidence", "low");
  IS_BOOL(moe, "rankable", false);
  assert_true(json_array_size(json_object_get(moe, "byte_reduction_levers")) > 0);
  NOTED(moe, "2 launches");
  NOTED(moe, "805306368");
  IS(attn, "op_class", "attn");
  NEAR(attn, "bytes_est", 201326592.0);
  NEAR(attn, "roofline_pct", 0.17833936);
  NEAR(attn, "expected_e2e_gain_pct", 5.6998265);
  IS(attn, "bound_type", "latency");
  IS(attn, "headroom_class", "underperforming");
  assert_null(json_object_get(attn, "byte_reduction_levers"));
  IS(reduce, "op_class", "unknown");
  IS_BOOL(reduce, "modeled", false);
  IS_NULL(reduce, "expected_e2e_gain_pct");
  IS(norm, "bound_type", "latency");
  IS(norm, "headroom_class", "unknown");
  NEAR(norm, "pct_gpu_time", 5.0);
  json_t *degraded = json_object_get(r, "degraded");
  assert_int_equal(json_array_size(degraded), 1); /* the 0.2 % copy is absent, not degraded */
  IS(json_array_get(degraded, 0), "name", "all_reduce_two_shot");
  json_decref(r);
}

static void every_expert_is_suspect(void **state) {
  (void)state;
  json_t *r = REPORT("--top-n", one_kernel(98.942, "'dtypes': ['c10::Float8_e4m3fn']"), "--env",
                     json_file("env.json", env_950), "--shapes",
                     captured("'op_class': 'moe', 'experts': 256, 'top_k': 8, 'tokens': 64, 'hidden': 2048, "
                              "'intermediate': 512, 'stage': 'layer', 'w': 'fp8', 'all_experts': true"));
  json_t *e = entry(r, 0);
  NEAR(e, "bytes_est", 805306368.0);
  NEAR(e, "roofline_pct_raw", 1.017397);
  NEAR(e, "roofline_pct", 1.0);
  NEAR(e, "bytes_upper_bound", 8e12 * 98.942e-6);
  IS_BOOL(e, "suspect", true);
  IS(e, "bound_type", "memory");
  IS(e, "headroom_class", "unknown");
  NEAR(e, "attainable_speedup", 1.0);
  NEAR(e, "expected_e2e_gain_pct", 0.0);
  IS(e, "confidence", "medium");
  json_decref(r);
}

static void one_expected_case(const json_t *c) {
  json_t *top =
      json_pack("{s:{s:i,s:i},s:[{s:O,s:s,s:O,s:f}]}", "serving", "n_prefill_steps", 1, "n_decode_steps", 2,
                "top_kernels", "name", json_object_get(c, "name"), "short_name", "short", "pct_gpu_time",
                json_object_get(c, "pct_gpu_time"), "avg_us", 1.0);
  json_t *shape =
      json_pack("{s:{s:{s:O,s:O,s:O,s:O,s:O,s:O}}}", "kernels", "short", "op_class",
                json_object_get(c, "op_class"), "bytes_est", json_object_get(c, "bytes_est"), "flops_est",
                json_object_get(c, "flops_est"), "compute_dtype", json_object_get(c, "compute_dtype"), "t_ms",
                json_object_get(c, "t_ms"), "target_eff", json_object_get(c, "target_eff"));
  json_t *env = json_pack("{s:O}", "gfx", json_object_get(c, "gfx"));
  assert_true(top != NULL && shape != NULL && env != NULL);
  assert_int_equal(json_dump_file(top, in_folder("top.json"), 0), 0);
  assert_int_equal(json_dump_file(shape, in_folder("shapes.json"), 0), 0);
  assert_int_equal(json_dump_file(env, in_folder("env.json"), 0), 0);
  json_t *r = REPORT("--top-n", in_folder("top.json"), "--env", in_folder("env.json"), "--shapes",
                     in_folder("shapes.json"), "--head-threshold", "0");
  const char *key;
  json_t *want, *e = entry(r, 0);
  json_object_foreach(json_object_get(c, "expect"), key, want) {
    if (json_is_number(want))
      near_of(number(e, key), json_number_value(want), key);
    else
      assert_true(json_equal(json_object_get(e, key), want));
  }
  assert_int_equal(count_of(r, "skill_errors"), 0);
  IS(e, "confidence", "medium");
  json_decref(r);
  json_decref(top);
  json_decref(shape);
  json_decref(env);
}

static void expected_cases(void **state) {
  (void)state;
  need_expected();
  json_t *cases = json_load_file(EXPECTED "/cases.json", 0, NULL);
  assert_true(json_array_size(cases) > 10);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    print_message("case %lld\n", (long long)number(json_array_get(cases, i), "id"));
    one_expected_case(json_array_get(cases, i));
  }
  json_decref(cases);
}

/* ---- the list of issue 7 ---- */

static void shares_through_the_files(void **state) {
  (void)state;
  static const struct {
    const char *bytes, *bound, *headroom;
  } rows[] = {{"7.04e9", "memory", "saturated"},
              {"4.8e9", "memory", "moderate"},
              {"4.79672e9", "latency", "moderate"},
              {"1.6e9", "latency", "underperforming"},
              {"8.0001e9", "memory", "unknown"},
              {"7.9e6", "memory", "unknown"},
              {"0", "memory", "unknown"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char fields[200];
    snprintf(fields, sizeof fields,
             "'op_class': 'gemm', 'bytes_est': %s, 'flops_est': 1e6, 'compute_dtype': 'bf16'", rows[i].bytes);
    json_t *r = captured_report(env_950, fields), *e = entry(r, 0);
    print_message("%s bytes\n", rows[i].bytes);
    IS(e, "bound_type", rows[i].bound);
    IS(e, "headroom_class", rows[i].headroom);
    IS_BOOL(e, "suspect", i >= 4);
    if (i == 6) IS_NULL(e, "arithmetic_intensity"); /* zero bytes: null, never Infinity */
    json_decref(r);
  }
}

static void missing_dtype_peak(void **state) {
  (void)state;
  json_t *r = captured_report("{'gfx': 'gfx942'}", "'op_class': 'gemm', 'bytes_est': 1e9, 'flops_est': 1e12, "
                                                   "'compute_dtype': 'fp4'");
  json_t *e = entry(r, 0);
  IS_NULL(e, "compute_util");
  IS_NULL(e, "ridge_point");
  IS(e, "bound_type", "unknown");
  IS(e, "headroom_class", "unknown");
  NOTED(e, "no compute peak for fp4");
  json_decref(r);
}

/* m 64, n 128, k 256, two bytes each: 2 (64 256 + 256 128 + 64 128) and 2 64 128 256. */
static void gemm_spelled(const char *dtype, double ridge) {
  char more[300];
  snprintf(more, sizeof more,
           "'classification': 'library_gemm', 'shapes': [[[64, 256], [128, 256]]], 'dtypes': ['%s', '%s']",
           dtype, dtype);
  json_t *r = REPORT("--top-n", one_kernel(11, more), "--env", json_file("env.json", env_950)),
         *e = entry(r, 0);
  NEAR(e, "bytes_est", 114688.0);
  NEAR(e, "flops_est", 4194304.0);
  NEAR(e, "ridge_point", ridge);
  json_decref(r);
}

static void torch_spellings(void **state) {
  (void)state;
  gemm_spelled("c10::BFloat16", 312.5);
  gemm_spelled("half", 312.5);
  gemm_spelled("c10::Half", 312.5);
  gemm_spelled("torch.float16", 312.5);
}

static void packed_fp4(void **state) {
  (void)state;
  /* Stored as [64, 128] and [256, 128] bytes: k is 256 values. */
  json_t *r = REPORT("--top-n",
                     one_kernel(11, "'classification': 'library_gemm', 'shapes': [[[64, 128], [256, 128]]], "
                                    "'dtypes': ['c10::Float4_e2m1fn_x2', 'c10::Float4_e2m1fn_x2']"),
                     "--env", json_file("env.json", env_950));
  json_t *e = entry(r, 0);
  NEAR(e, "bytes_est", 64 * 128 + 256 * 128 + 64 * 256 * 2);
  NEAR(e, "flops_est", 2.0 * 64 * 256 * 256);
  NEAR(e, "ridge_point", 1250);
  json_decref(r);
}

static void unknown_dtype(void **state) {
  (void)state;
  json_t *r =
      REPORT("--top-n",
             one_kernel(100, "'classification': 'memory', 'shapes': [[[1000, 1000]]], 'dtypes': ['posit']"),
             "--env", json_file("env.json", env_950));
  NEAR(entry(r, 0), "bytes_est", 4e6); /* in and out, 2 bytes each */
  NOTED(entry(r, 0), "'posit' is unknown");
  json_decref(r);
}

static void one_bad_share(void **state) {
  (void)state;
  static const char top[] = "{'top_kernels': [{'name': 'good', 'pct_gpu_time': 30.5, 'avg_us': 100, "
                            "'classification': 'memory', 'shapes': "
                            "[[[64, 64]]], 'dtypes': ['float']}, {'name': 'text', 'pct_gpu_time': 'lots'}, "
                            "{'name': 'none', 'avg_us': 3}, "
                            "{'name': 'nan', 'pct_gpu_time': NaN}, {'name': 'small', 'pct_gpu_time': 4.99}]}";
  json_t *r = REPORT("--top-n", json_file("top.json", top), "--env", json_file("env.json", env_950));
  assert_int_equal(json_array_size(entries_of(r)), 4);
  assert_int_equal(count_of(r, "degraded"), 3);
  IS_BOOL(entry(r, 0), "modeled", true);
  IS(entry(r, 1), "pct_gpu_time", "lots"); /* verbatim */
  IS_NULL(entry(r, 2), "pct_gpu_time");
  IS_NULL(entry(r, 3), "pct_gpu_time");
  ERRED(r, "top_kernels[1]: 'pct_gpu_time' is not a number");
  ERRED(r, "NaN");
  json_decref(r);
}

static void gfx_spellings(void **state) {
  (void)state;
  static const struct {
    const char *env;
    double hbm; /* 0: unknown */
  } rows[] = {
      {"{'gfx': 'gfx942:sramecc+:xnack-'}", 5.3e12},
      {"{'gfx': 'GFX950'}", 8e12},
      {"{'gfx': 'gfx942', 'device_target': 'MI325X'}", 6e12},
      {"{'gfx': 'gfx942', 'device_target': 'unknown', 'device_sku': 'mi325x'}", 6e12},
      {"{'gfx': 'gfx942', 'device_target': 'mi308x'}", 5.3e12},
      {"{'gfx': 'gfx1151'}", 2.56e11},
      {"{'gfx': 'gfx1201', 'device_target': 'r9700'}", 6.4e11},
      {"{'gfx': 'gfx1201', 'device_target': 'unknown'}", 0},
      {"{'gfx': 'gfx1201', 'device_properties': {'memoryClockRate': 1e6, 'memoryBusWidth': 256}}", 0},
      {"{'gfx': 'gfx1250', 'device_properties': {'memoryClockRate': 1e6, 'memoryBusWidth': 256}}", 6.4e10},
      {"{'gfx': 'gfx1250'}", 0},
      {"{'gfx': 'sm_90', 'device_sku': 'H200'}", 4.8e12},
      {"{'gfx': 'SM_90a', 'device_sku': 'nvidia h200'}", 4.8e12},
      {"{'gfx': 'sm_90', 'device_sku': 'NVIDIA H100 PCIe'}", 2e12},
      {"{'gfx': 'sm_80', 'device_sku': 'NVIDIA H200'}", 0},
      {"{'gfx': 'sm_9', 'device_sku': 'H200'}", 0},
      {"{'gfx': 'sm_89', 'device_sku': 'NVIDIA GeForce RTX 4090 Laptop GPU'}", 0}, /* another die */
      {"{'gfx': 'sm_90'}", 0},                                                     /* which of them? */
      {"{'gfx': 'sm_90', 'device_properties': {'memoryClockRate': 1e6, 'memoryBusWidth': 256}}", 6.4e10},
      {"{'device_sku': 'H200'}", 4.8e12},
      {"{'device_sku': 'mi355x'}", 8e12},
      {"{'device_target': 'gfx950'}", 8e12},
      {"{'device_target': 'gfx942', 'device_sku': 'MI325X'}", 6e12},
      {"{'gfx': 'gfx942', 'device_target': 'GFX942', 'device_sku': 'MI325X'}", 6e12},
      {"{'gfx': 'gfx942', 'device_sku': 'H200'}", 5.3e12}, /* the arch decides: its default */
      {"{'device_sku': 'H2000'}", 0},
      {"{}", 0},
  };
  const char *top =
      one_kernel(100, "'classification': 'memory', 'shapes': [[[512, 512]]], 'dtypes': ['float']");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    print_message("%s\n", rows[i].env);
    json_t *r = REPORT("--top-n", top, "--env", json_file("env.json", rows[i].env));
    json_t *peaks = json_object_get(r, "peaks"), *e = entry(r, 0);
    if (rows[i].hbm > 0) {
      NEAR(peaks, "hbm_bw_bytes_s", rows[i].hbm);
      assert_int_equal(count_of(r, "ranking_by_expected_gain"), 1);
      IS(peaks, "source", strstr(rows[i].env, "device_properties") != NULL ? "derived" : "table");
    } else {
      IS_NULL(peaks, "hbm_bw_bytes_s");
      IS(e, "headroom_class", "unknown");
      IS_NULL(e, "expected_e2e_gain_pct");
      assert_int_equal(count_of(r, "ranking_by_expected_gain"), 0);
      assert_true(count_of(r, "skill_errors") > 0);
    }
    IS(e, "confidence", "low");
    json_decref(r);
  }
}

static void r9700_targets(void **state) {
  (void)state;
  json_t *r = captured_report("{'gfx': 'gfx1201', 'device_target': 'R9700'}",
                              "'op_class': 'elementwise', 'bytes_est': 1e8, 'compute_dtype': 'bf16'");
  NEAR(entry(r, 0), "target_eff", 0.76);
  json_decref(r);
}

static void gain_uses_pct_gpu_time(void **state) {
  (void)state;
  json_t *r =
      REPORT("--top-n", one_kernel(1000, "'pct_total': 90, 'pct': 80, 'pct_e2e': 70, 'bound_type': 'magic'"),
             "--env", json_file("env.json", env_950), "--shapes",
             captured("'op_class': 'gemm', 'bytes_est': 3.6e9, 'flops_est': 1e6, 'compute_dtype': 'bf16'"));
  json_t *e = entry(r, 0);
  NEAR(e, "attainable_speedup", 2.0); /* 0.45 of a target of 0.90 */
  NEAR(e, "expected_e2e_gain_pct", 5.0);
  json_decref(r);
}

static void ties_keep_input_order(void **state) {
  (void)state;
  static const char top[] =
      "{'top_kernels': [{'name': 'b', 'pct_gpu_time': 6, 'avg_us': 2}, {'name': 'nccl_x', 'pct_gpu_time': "
      "60, 'avg_us': "
      "50}, {'name': 'a', 'pct_gpu_time': 6, 'avg_us': 2}, {'name': 'c', 'pct_gpu_time': 7, 'avg_us': 2}]}";
  static const char shapes[] =
      "{'kernels': {'a': {'op_class': 'elementwise', 'bytes_est': 1e5}, 'b': {'op_class': "
      "'elementwise', 'bytes_est': 1e5}, 'c': {'op_class': 'elementwise', 'bytes_est': 1e5}}}";
  json_t *r = REPORT("--top-n", json_file("top.json", top), "--env", json_file("env.json", env_950),
                     "--shapes", json_file("shapes.json", shapes));
  RANKING(r, "ranking_by_pct", "nccl_x", "c", "b", "a");
  RANKING(r, "ranking_by_expected_gain", "c", "b", "a", "nccl_x"); /* all gain 0 */
  json_decref(r);
}

static void at_most_eight(void **state) {
  (void)state;
  FILE *f = fopen(in_folder("top.json"), "w");
  assert_non_null(f);
  fputs("{\"top_kernels\": [", f);
  for (int i = 0; i < 12; i++)
    fprintf(f, "%s{\"name\": \"k%d\", \"pct_gpu_time\": %d, \"avg_us\": 20}", i > 0 ? "," : "", i, 5 + i);
  fputs("]}", f);
  fclose(f);
  json_t *r = REPORT("--top-n", in_folder("top.json"), "--env", json_file("env.json", env_950));
  assert_int_equal(json_array_size(entries_of(r)), 8);
  IS(entry(r, 0), "name", "k11");
  IS(entry(r, 7), "name", "k4");
  json_decref(r);
}

static void fallbacks_have_notes(void **state) {
  (void)state;
  static const char no_serving[] =
      "{'top_kernels': [{'name': 'flash_attn', 'pct_gpu_time': 20, 'avg_us': 141.112, "
      "'dtypes': ['c10::BFloat16']}]}";
  static const char heads[] =
      "{'text_config': {'num_attention_heads': 16, 'num_key_value_heads': 2, 'head_dim': 256}}";
  json_t *r = REPORT("--top-n", json_file("top.json", no_serving), "--env", json_file("env.json", env_950),
                     "--model", json_file("config.json", heads));
  json_t *e = entry(r, 0);
  NEAR(e, "bytes_est", 201326592.0);
  NEAR(e, "t_ms", 0.141112);
  NOTED(e, "step counts are missing");
  NOTED(e, "no base_latency_ms");
  NOTED(e, "no shapes");
  json_decref(r);
  r = REPORT("--top-n", json_file("top.json", no_serving), "--env",
             json_file("env.json", "{'gfx': 'gfx950'}"), "--model", json_file("config.json", heads));
  NOTED(entry(r, 0), "workload");
  assert_int_equal(count_of(r, "degraded"), 1);
  json_decref(r);
}

static void regime_and_units(void **state) {
  (void)state;
  static const char top[] = "{'serving': {'n_prefill_steps': 30, 'n_decode_steps': 4}, 'top_kernels': "
                            "[{'name': 'gemm', 'pct_gpu_time': 20, "
                            "'avg_us': 500, 'base_latency_ms': {'prefill': 0.25, 'decode': 0.02}, "
                            "'calls_per_step': {'prefill': 12}}]}";
  static const char shapes[] =
      "{'kernels': {'gemm': {'op_class': 'gemm', 'm': 4096, 'n': 4096, 'k': 7168, 'a': "
      "'bf16', 'w': 'fp8', 'out': 'bf16', 'launches_per_unit': 2}}}";
  json_t *r = REPORT("--top-n", json_file("top.json", top), "--env", json_file("env.json", env_950),
                     "--shapes", json_file("shapes.json", shapes));
  json_t *e = entry(r, 0);
  IS(e, "regime", "prefill");
  NEAR(e, "t_ms", 0.5);
  NEAR(e, "launches_per_step", 12);
  NEAR(e, "flops_est", 2.0 * 4096 * 4096 * 7168);
  NEAR(e, "bytes_est", 4096.0 * 7168 * 2 + 7168.0 * 4096 + 4096.0 * 4096 * 2);
  NEAR(e, "ridge_point", 312.5); /* bf16 with fp8 is computed in bf16 */
  NOTED(e, "one unit is 2 launches");
  json_decref(r);
}

/* The worked layer again, captured: the profile's 49.471 us are one of its two launches. */
static void captured_layer_over_two_launches(void **state) {
  (void)state;
  static const char kernel[] = "'calls_per_step': {'decode': 80}, 'base_latency_ms': {'decode': 0.049471}";
  static const char layer[] = "'op_class': 'moe', 'experts': 256, 'top_k': 8, 'tokens': 64, 'hidden': 2048, "
                              "'intermediate': 512, 'stage': 'layer', 'w': 'fp8'";
  json_t *r = REPORT("--top-n", one_kernel(1, kernel), "--env", json_file("env.json", env_950), "--model",
                     json_file("config.json", "{'num_hidden_layers': 40}"), "--shapes", captured(layer));
  NEAR(entry(r, 0), "t_ms", 0.098942);
  NEAR(entry(r, 0), "hbm_util", 0.88024551);
  IS(entry(r, 0), "headroom_class", "saturated");
  json_decref(r);
}

static void profiles_from_two_places(void **state) {
  (void)state;
  const char *extra =
      file("extra.yaml", "gpu: Toy\narch: gfx900\ndefault: true\nhbm: {theoretical: 1.0e12}\n");
  json_t *r = REPORT("--top-n", one_kernel(1, ""), "--env", json_file("env.json", "{'gfx': 'gfx900'}"),
                     "--profiles", extra);
  NEAR(json_object_get(r, "peaks"), "hbm_bw_bytes_s", 1e12);
  json_decref(r);
}

/* Tensor parallelism: 2 KV heads on 8 ranks are replicated, an MLA latent is not sharded. */
static void sharded_attention(void **state) {
  (void)state;
  static const char env[] = "{'gfx': 'gfx950', 'workload': {'isl': 100, 'osl': 57, 'conc': 4, 'tp': 8}}";
  const char *top = one_kernel(100, "'classification': 'library_attn', 'dtypes': ['c10::BFloat16']");
  json_t *r = REPORT(
      "--top-n", top, "--env", json_file("env.json", env), "--model",
      json_file("config.json", "{'num_attention_heads': 16, 'num_key_value_heads': 2, 'head_dim': 64}"));
  NEAR(entry(r, 0), "bytes_est", 4.0 * 128 * 1 * 64 * 2 * 2);
  NEAR(entry(r, 0), "flops_est", 2.0 * 4 * 2 * 128 * 64 * 2);
  json_decref(r);
  r = REPORT(
      "--top-n", top, "--env", json_file("env.json", env), "--model",
      json_file("config.json", "{'num_attention_heads': 16, 'kv_lora_rank': 512, 'qk_rope_head_dim': 64}"));
  NEAR(entry(r, 0), "bytes_est", 4.0 * 128 * 576 * 2);
  NEAR(entry(r, 0), "flops_est", 2.0 * 4 * 2 * 128 * (576 + 512));
  json_decref(r);
}

static void largest_feasible_candidate(void **state) {
  (void)state;
  /* 100 us move 8e8 bytes at most: of 2e8, 6e8 and 2e9 bytes in and out, 6e8. */
  json_t *r =
      REPORT("--top-n",
             one_kernel(100, "'classification': 'memory', 'shapes': [[[50000, 1000]], [[150000, 1000]], "
                             "[[500000, 1000]]], 'dtypes': ['c10::BFloat16']"),
             "--env", json_file("env.json", env_950));
  NEAR(entry(r, 0), "bytes_est", 6e8);
  NOTED(entry(r, 0), "of 3 models");
  json_decref(r);
}

/* ---- counters ---- */

static const char counted_kernel[] =
    "'op_class': 'gemm', 'bytes_est': 1e9, 'flops_est': 1e6, 'compute_dtype': 'bf16'";

static json_t *counted(const char *csv) {
  return REPORT("--top-n", one_kernel(1000, ""), "--env", json_file("env.json", env_950), "--shapes",
                captured(counted_kernel), "--counters", file("one_counter_collection.csv", csv));
}

static void counters_are_per_dispatch(void **state) {
  (void)state;
  json_t *r =
      counted("\"dispatch_id\",\"KERNEL_NAME\",\"Counter_Name\",\"counter_value\"\n"
              "1,\"void k<int, 4>(float*)\",FETCH_SIZE,1000000\n1,\"void k<int, 4>(float*)\",WRITE_SIZE,24\n"
              "2,\"void k<int, 4>(float*)\",FETCH_SIZE,3000000\n2,\"void k<int, 4>(float*)\",WRITE_SIZE,24\n"
              "3,\"void k<int, 4>(float*)\",FETCH_SIZE,1000100\n3,\"void k<int, 4>(float*)\",WRITE_SIZE,24\n"
              "1,\"void k<int, 4>(float*)\",MfmaUtil,99\n2,\"void k<int, 4>(float*)\",MfmaUtil,99\n"
              "1,\"void k<int, 4>(float*)\",MfmaFlops,0\n1,\"void k<int, 4>(float*)\",MfmaFlopsF16,5e9\n"
              "4,other,FETCH_SIZE,9e9\n");
  json_t *e = entry(r, 0);
  NEAR(e, "bytes_est", 1000124.0 * 1024);
  NEAR(e, "flops_est", 5e9);
  IS(r, "stage", "C");
  IS(e, "confidence", "high");
  IS_BOOL(e, "rankable", true);
  json_decref(r);
}

static void counters_without_ids(void **state) {
  (void)state;
  json_t *r = counted("Kernel_Name,Counter_Name,Counter_Value\nk,FETCH_SIZE,1000\nk,FETCH_SIZE,2000\n"
                      "k,WRITE_SIZE,10\nk,WRITE_SIZE,20\nk,FETCH_SIZE,1500\nk,WRITE_SIZE,15\n");
  NEAR(entry(r, 0), "bytes_est", 1515.0 * 1024);
  json_decref(r);
}

static void zero_is_not_measured(void **state) {
  (void)state;
  static const char *const csvs[] = {
      "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n1,k,FETCH_SIZE,0\n1,k,WRITE_SIZE,0\n",
      "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n1,k,SQ_WAVES,12\n",
      "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n1,elsewhere,FETCH_SIZE,12\n",
      /* two kernels that the name may mean: no one kernel */
      "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n1,k<1>,FETCH_SIZE,1000\n2,k<2>,FETCH_SIZE,9000\n"};
  for (size_t i = 0; i < sizeof csvs / sizeof *csvs; i++) {
    json_t *r = counted(csvs[i]), *e = entry(r, 0);
    NEAR(e, "bytes_est", 1e9); /* the model stays */
    IS(e, "confidence", "medium");
    NOTED(e, "the model stays");
    json_decref(r);
  }
}

static void broken_counters(void **state) {
  (void)state;
  static const char *const csvs[] = {
      "",
      "\n\n",
      "a,b,c\n1,2,3\n",
      "Kernel_Name,Counter_Name\nk,FETCH_SIZE\n",
      ("Kernel_Name,Counter_Name,Counter_Value\nk,FETCH_SIZE,many\nk,FETCH_SIZE,-3\n"
       "k,FETCH_SIZE,nan\nk,FETCH_SIZE,1e999\nk,FETCH_SIZE\nk\n"),
      "Kernel_Name,Counter_Name,Counter_Value\n\"k,FETCH_SIZE,1\n"};
  for (size_t i = 0; i < sizeof csvs / sizeof *csvs; i++) {
    json_t *r = counted(csvs[i]);
    NEAR(entry(r, 0), "bytes_est", 1e9);
    if (i < 5) assert_true(count_of(r, "skill_errors") > 0);
    json_decref(r);
  }
  json_t *r = REPORT("--top-n", one_kernel(1000, ""), "--env", json_file("env.json", env_950), "--shapes",
                     captured(counted_kernel), "--counters", folder, in_folder("missing.csv"));
  assert_int_equal(count_of(r, "skill_errors"), 2); /* a folder, and a second file that is not there */
  json_decref(r);
}

static void stage_limits_the_evidence(void **state) {
  (void)state;
  const char *csv = file("c.csv", "Kernel_Name,Counter_Name,Counter_Value\nk,FETCH_SIZE,1000000\n");
  const char *top =
      one_kernel(1000, "'classification': 'memory', 'shapes': [[[1000, 1000]]], 'dtypes': ['float']");
  const char *env = json_file("env.json", env_950);
  static const double bytes[] = {8e6, 1e9, 1.024e9};
  static const char *const stages[] = {"A", "B", "C"}, *const confidence[] = {"low", "medium", "high"};
  for (int i = 0; i < 3; i++) {
    json_t *r = REPORT("--top-n", top, "--env", env, "--shapes", captured(counted_kernel), "--counters", csv,
                       "--stage", stages[i]);
    IS(r, "stage", stages[i]);
    NEAR(entry(r, 0), "bytes_est", bytes[i]);
    IS(entry(r, 0), "confidence", confidence[i]);
    json_decref(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(worked_example),
      IN_FOLDER(every_expert_is_suspect),
      IN_FOLDER(expected_cases),
      IN_FOLDER(shares_through_the_files),
      IN_FOLDER(missing_dtype_peak),
      IN_FOLDER(torch_spellings),
      IN_FOLDER(packed_fp4),
      IN_FOLDER(unknown_dtype),
      IN_FOLDER(one_bad_share),
      IN_FOLDER(gfx_spellings),
      IN_FOLDER(r9700_targets),
      IN_FOLDER(gain_uses_pct_gpu_time),
      IN_FOLDER(ties_keep_input_order),
      IN_FOLDER(at_most_eight),
      IN_FOLDER(fallbacks_have_notes),
      IN_FOLDER(regime_and_units),
      IN_FOLDER(captured_layer_over_two_launches),
      IN_FOLDER(profiles_from_two_places),
      IN_FOLDER(sharded_attention),
      IN_FOLDER(largest_feasible_candidate),
      IN_FOLDER(counters_are_per_dispatch),
      IN_FOLDER(counters_without_ids),
      IN_FOLDER(zero_is_not_measured),
      IN_FOLDER(broken_counters),
      IN_FOLDER(stage_limits_the_evidence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
