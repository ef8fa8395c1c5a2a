/* Profiles: every defect with its code, its message and the exact text it covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/profiles.h"

#define GOOD_HBM "hbm: {theoretical: 4800e9, calibration: 0.9380}\n"
#define GOOD "gpu: G\n" GOOD_HBM

typedef struct defect {
  const char *yaml, *code, *at, *message; /* `at`: "line:column" of the token; message: part of it */
} defect;

/* The diagnostics of one profile as text. */
static char *diagnose(const char *yaml, const roofline_profile **profile) {
  static char text[1 << 16];
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  *profile = profile_read(a, sink, source_from_text(a, "p.yaml", str_of(yaml)));
  FILE *out = tmpfile();
  diag_print(sink, out, &(diag_options){.format = DIAG_TEXT});
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = '\0';
  fclose(out);
  arena_free(a);
  return text;
}

static void defects(void **state) {
  (void)state;
  static const defect rows[] = {
      {"", "RL1001", "1:1", "a profile is a mapping"},
      {"- a\n", "RL1001", "1:1", "a profile is a mapping"},
      {GOOD_HBM, "RL1003", "1:1", "the profile has no 'gpu'"},
      {"gpu: G\n", "RL1003", "1:1", "the profile has no 'hbm'"},
      {GOOD "tensor_cores: {}\n", "RL1002", "3:1", "unknown key 'tensor_cores' in the profile"},
      {GOOD "tensor_cores: {}\n", "RL1002", "3:1", "did you mean 'tensor_core'?"},
      {GOOD "tensor_core:\n  bf61: {theoretical: 1}\n", "RL1002", "4:3", "did you mean 'bf16'?"},
      {"gpu: G\nhbm: {theoritical: 4800e9}\n", "RL1002", "2:7", "did you mean 'theoretical'?"},
      {"gpu: G\nhbm: {calibration: 0.9}\n", "RL1003", "2:1", "hbm has no 'theoretical'"},
      {"gpu: G\nhbm: {theoretical: -4800e9}\n", "RL1005", "2:20",
       "hbm.theoretical is finite and positive, not -4800e9"},
      {"gpu: G\nhbm: {theoretical: 0}\n", "RL1005", "2:20", "not 0"},
      {"gpu: G\nhbm: {theoretical: .inf}\n", "RL1005", "2:20", "not .inf"},
      {"gpu: G\nhbm: {theoretical: .nan}\n", "RL1005", "2:20", "not .nan"},
      {"gpu: G\nhbm: {theoretical: 1e999}\n", "RL1005", "2:20", "not 1e999"},
      {"gpu: G\nhbm: {theoretical: fast}\n", "RL1004", "2:20", "hbm.theoretical is a number"},
      {"gpu: G\nhbm: {theoretical: \"4800e9\"}\n", "RL1004", "2:21", "hbm.theoretical is a number"},
      {"gpu: G\nhbm: 4800e9\n", "RL1004", "2:6", "hbm is a mapping"},
      {"gpu: G\nhbm: {theoretical: 1, calibration: 93.8}\n", "RL1006", "2:36", "hbm.calibration is a share"},
      {"gpu: G\nhbm: {theoretical: 1, calibration: 0}\n", "RL1005", "2:36", "not 0"},
      {"gpu: G\nhbm: {theoretical: 1, calibration: 0.9, effective: 0.9}\n", "RL1009", "2:41",
       "hbm stores 'effective'"},
      {GOOD "cuda_core:\n  fp32: {theoretical: 1, effective: 1}\n", "RL1009", "4:26",
       "cuda_core.fp32 stores 'effective'"},
      {"gpu: G\nhbm: {theoretical: 1, calibration: 0.9, mixes: {copy: 0.8, read: 0.9, write: 0.8}}\n",
       "RL1007", "2:41", "hbm.mixes has no 'triad'"},
      {"gpu: G\nhbm: {theoretical: 1, calibration: 0.8, mixes: {copy: 0.8, triad: 0.7, read: 0.9, write: "
       "0.8}}\n",
       "RL1008", "2:36", "not the largest mix, 0.9"},
      {"gpu: G\nhbm: {theoretical: 1, mixes: {copy: 0.8, triad: 0.7, read: 0.9, write: 0.8}}\n", "RL1003",
       "2:1", "hbm has mixes and no 'calibration'"},
      {GOOD "tensor_core:\n  bf16: {theoretical: 2e12}\n  fp16: {theoretical: 1e12}\n", "RL1010", "5:23",
       "bf16 and fp16 tensor peaks differ"},
      {GOOD "cuda_core:\n  fp32: {theoretical: 1}\n", "RL1011", "4:3", "cuda_core.fp32 has no calibration"},
      {"gpu: G\nhbm: {theoretical: 1}\n", "RL1011", "1:1", "no roof has a calibration"},
      {GOOD "compute_capability: 9.0\n", "RL1004", "3:21", "write it in quotes: \"9.0\""},
      {GOOD "timing: events\n", "RL1004", "3:9", "'events' is no clock"},
      {GOOD "aliases: H200\n", "RL1004", "3:10", "'aliases' is a list"},
      {GOOD "default: true\n", "RL1003", "3:1", "there is none"},
      {GOOD "compute_units: -1\n", "RL1004", "3:16", "positive integer"},
      {GOOD "gpu: H\n", "RL0102", "3:1", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const roofline_profile *p;
    char place[64];
    const char *text = diagnose(rows[i].yaml, &p);
    snprintf(place, sizeof place, "p.yaml:%s: ", rows[i].at);
    const char *line = strstr(text, place);
    if (line == NULL || strstr(line, rows[i].code) == NULL || strstr(text, rows[i].message) == NULL)
      fail_msg("%s: expected %s at %s: %s; got\n%s", rows[i].yaml, rows[i].code, rows[i].at, rows[i].message,
               text);
  }
}

/* One defect never hides another, and a profile with an error is none. */
static void accumulates(void **state) {
  (void)state;
  const roofline_profile *p;
  const char *text = diagnose("hbm: {theoretical: -1, calibration: 2}\nspeed: 1\n", &p);
  assert_null(p);
  assert_non_null(strstr(text, "RL1002"));
  assert_non_null(strstr(text, "RL1003"));
  assert_non_null(strstr(text, "RL1005"));
  assert_non_null(strstr(text, "RL1006"));
}

static void reads_what_it_says(void **state) {
  (void)state;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  const char *yaml = "gpu: AMD Test\naliases: [Test, Prüfling]\narch: gfx950\nproduct: test\ndefault: "
                     "true\ncompute_units: 256\n"
                     "hbm: {theoretical: 4800e9, calibration: 0.9380, source: sheet, mixes: {copy: 0.8183, "
                     "triad: 0.8427, read: 0.9380, write: 0.8926}}\n"
                     "cuda_core: {fp32: {theoretical: 67.0e12, calibration: 0.8548}}\ntensor_core: {fp8: "
                     "{theoretical: 1979000000000000}}\n";
  const roofline_profile *p = profile_read(a, sink, source_from_text(a, "p.yaml", str_of(yaml)));
  assert_non_null(p);
  assert_string_equal(p->timing, "rocprofiler");
  assert_true(roofline_profile_claims(p, "Prüfling") && roofline_profile_claims(p, "AMD Test") &&
              !roofline_profile_claims(p, "amd test"));
  assert_true(p->hbm.theoretical == 4.8e12 && roofline_roof_effective(&p->hbm) == 4.8e12 * 0.938);
  assert_true(p->mixes.triad == 0.8427 && p->compute_units == 256 && p->arch_default);
  assert_int_equal(p->roof_count, 2);
  assert_true(roofline_profile_roof(p, "tensor_core.fp8")->theoretical == 1979e12);
  assert_true(roofline_profile_roof(p, "tensor_core.fp8")->calibration == 0);
  assert_null(roofline_profile_roof(p, "tensor_core.bf16"));
  arena_free(a);
}

/* The shipped profiles: no error, no warning, the known numbers, and a source beside each. */
static void shipped(void **state) {
  (void)state;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  profile_set set;
  str why;
  const char *dir = SOURCE_DIR "/manifest/profiles";
  assert_true(profiles_load(a, sink, &dir, 1, &set, &why));
  assert_int_equal(diag_errors(sink), 0);
  assert_int_equal(diag_count(sink, DIAG_WARNING), 0);
  assert_int_equal(set.n, 16);
  for (uint32_t i = 0; i < set.n; i++) {
    const roofline_profile *p = set.v[i];
    assert_non_null(p->hbm.source);
    for (int32_t k = 0; k < p->roof_count; k++) assert_non_null(p->roofs[k].source);
  }
  static const struct {
    const char *gpu, *roof;
    double theoretical, calibration;
  } known[] = {
      {"NVIDIA H200", "hbm", 4800e9, 0.9380},
      {"NVIDIA H200", "cuda_core.fp32", 67.0e12, 0.8548},
      {"NVIDIA H200", "tensor_core.fp16", 989.5e12, 0.6684},
      {"NVIDIA H200", "tensor_core.bf16", 989.5e12, 0.7077},
      {"NVIDIA H200", "tensor_core.tf32", 494.7e12, 0.7249},
      {"NVIDIA H200", "tensor_core.fp8", 1979e12, 0.6303},
      {"NVIDIA H20-3e", "hbm", 4800e9, 0.8083},
      {"NVIDIA H20-3e", "tensor_core.bf16", 148e12, 0.95},
      {"NVIDIA H20-3e", "tensor_core.fp8", 296e12, 0.95},
      {"NVIDIA A100-SXM4-40GB", "hbm", 1.555e12, 0},
      {"NVIDIA A100-SXM4-80GB", "tensor_core.int8", 624e12, 0},
      {"NVIDIA H100 80GB HBM3", "tensor_core.fp8", 1978.9e12, 0},
      {"NVIDIA H100 PCIe", "tensor_core.tf32", 378e12, 0},
      {"NVIDIA H200 NVL", "cuda_core.fp32", 60e12, 0},
      {"NVIDIA B200", "tensor_core.bf16", 2.25e15, 0},
      {"NVIDIA B200", "tensor_core.fp4", 9.0e15, 0},
      {"NVIDIA L40S", "tensor_core.fp16", 362e12, 0},
      {"NVIDIA GeForce RTX 4090", "tensor_core.int8", 660.6e12, 0},
      {"AMD Instinct MI355X", "tensor_core.fp4", 1.0e16, 0},
      {"AMD Instinct MI350X", "tensor_core.bf16", 2.3e15, 0},
      {"AMD Instinct MI300X", "hbm", 5.3e12, 0},
      {"AMD Instinct MI325X", "hbm", 6.0e12, 0},
      {"AMD Radeon AI PRO R9700", "tensor_core.bf16", 1.91e14, 0},
      {"AMD Ryzen AI Max 395", "cuda_core.fp32", 2.97e13, 0},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const roofline_profile *p = profiles_find(&set, known[i].gpu);
    assert_non_null(p);
    const roofline_roof *roof =
        strcmp(known[i].roof, "hbm") == 0 ? &p->hbm : roofline_profile_roof(p, known[i].roof);
    assert_non_null(roof);
    assert_true(roof->theoretical == known[i].theoretical && roof->calibration == known[i].calibration);
  }
  assert_null(roofline_profile_roof(profiles_find(&set, "NVIDIA H20-3e"), "cuda_core.fp32"));
  assert_null(profiles_find(&set, "NVIDIA H200 "));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(defects), cmocka_unit_test(accumulates),
                                     cmocka_unit_test(reads_what_it_says), cmocka_unit_test(shipped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
