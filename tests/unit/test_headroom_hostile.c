/* `roofline headroom` against inputs and output places that are broken or hostile: always an answer, or
   nothing at all where the answer cannot be put. headroom.md "Degradation". */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "tests/unit/headroom_report.h"

/* ---- hostile inputs ---- */

static char *repeated(const char *part, size_t n) {
  size_t length = strlen(part);
  char *text = malloc(length * n + 1);
  assert_non_null(text);
  for (size_t i = 0; i < n; i++) memcpy(text + i * length, part, length);
  text[length * n] = '\0';
  return text;
}

/* The same bytes as each of the JSON inputs. */
static void hostile(const char *name, const void *bytes, size_t n) {
  static const char *const roles[] = {"--top-n", "--env", "--model", "--shapes"};
  const char *bad = file_of("hostile.json", bytes, n);
  const char *top = one_kernel(100, "'classification': 'memory', 'shapes': [[[9, 9]]], 'dtypes': ['float']");
  const char *env = json_file("env.json", env_950);
  for (int i = 0; i < 4; i++) {
    print_message("%s as %s\n", name, roles[i]);
    const char *other = i == 0 ? env : top;
    json_t *r = REPORT(roles[i], bad, i == 0 ? "--env" : "--top-n", other,
                       i > 1 ? "--env" : "--dispatch-floor", i > 1 ? env : "10");
    assert_true(count_of(r, "skill_errors") > 0);
    if (i > 1) IS_BOOL(entry(r, 0), "modeled", true); /* the rest is written */
    json_decref(r);
  }
}

static void hostile_json(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      " ",
      "{",
      "[]",
      "null",
      "true",
      "\"text\"",
      "{\"top_kernels\": [",
      "{\"a\": tru}",
      "not json",
      "\xff\xfe\x00",
      "{\"gfx\": 1, \"top_kernels\": {}, \"kernels\": [], \"hidden_size\": \"x\"}",
      "{\"gfx\": [], \"top_kernels\": 4, \"kernels\": 4, \"hidden_size\": {}, \"text_config\": 9}",
      "{\"gfx\": true, \"top_kernels\": \"x\", \"kernels\": \"x\", \"hidden_size\": []}",
      "{\"gfx\": \"gfx950\", \"gfx\": 7, \"top_kernels\": 1, \"kernels\": 1, \"hidden_size\": \"\"}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hostile(texts[i], texts[i], strlen(texts[i]));
  static const char binary[] = "\x7f"
                               "ELF\x02\x01\x01\0\0\0\xff\xfe\x80";
  hostile("binary", binary, sizeof binary);
  char *deep = repeated("[", 100000);
  hostile("deep", deep, strlen(deep));
  free(deep);
  deep = repeated("{\"a\":", 100000);
  hostile("deep objects", deep, strlen(deep));
  free(deep);
}

static void missing_files(void **state) {
  (void)state;
  json_t *r = REPORT("--top-n", in_folder("no.json"), "--env", folder, "--model", "/dev/null", "--shapes",
                     in_folder("no/no"), "--counters", in_folder("no.csv"));
  assert_true(count_of(r, "skill_errors") >= 5);
  json_decref(r);
  r = REPORT("--top-n", "/tmp/\xff\xe2\x82/no.json"); /* a path is bytes, a report is text */
  assert_true(count_of(r, "skill_errors") > 0);
  json_decref(r);
  r = REPORT("--stage", "auto");
  ERRED(r, "--top-n");
  ERRED(r, "--env");
  json_decref(r);
}

/* Every field of a kernel in every wrong type: never a crash, always an answer. */
static void wrong_types(void **state) {
  (void)state;
  static const char *const fields[] = {"name",     "short_name",      "pct_gpu_time",   "calls",
                                       "avg_us",   "shapes",          "dtypes",         "classification",
                                       "editable", "base_latency_ms", "calls_per_step", "est_shape"};
  static const char *const values[] = {"null",
                                       "true",
                                       "-1",
                                       "1e308",
                                       "1e999",
                                       "123456789012345678901234567890",
                                       "\"\"",
                                       "\"\\u0000|`<b>\\n\"",
                                       "[]",
                                       "[[]]",
                                       "[[[]]]",
                                       "[[[1,2],[-1]]]",
                                       "[[[1e308,1e308]]]",
                                       "[1,2]",
                                       "[null]",
                                       "{}",
                                       "{\"decode\": \"x\"}",
                                       "{\"decode\": {\"M\": -1}}",
                                       "{\"decode\": -0.5}",
                                       "{\"decode\": 1e-320}"};
  static const char *const names[] = {"fused_moe", "attention", "gemm", "norm"};
  const char *env = json_file("env.json", env_950);
  const char *config =
      json_file("config.json", "{'hidden_size': 8, 'num_hidden_layers': 1, 'num_experts': 4, "
                               "'num_experts_per_tok': 2, 'moe_intermediate_size': 4, "
                               "'num_attention_heads': 2}");
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      FILE *top = fopen(in_folder("top.json"), "w");
      assert_non_null(top);
      fputs("{\"top_kernels\": [", top);
      for (size_t k = 0; k < 4; k++)
        fprintf(top,
                "%s{\"name\": \"%s\", \"pct_gpu_time\": 20, \"avg_us\": 50, \"dtypes\": [\"float\"], "
                "\"shapes\": [[[8, 8], [8, 8]]], \"%s\": %s}",
                k > 0 ? "," : "", names[k], fields[f], values[v]);
      fputs("]}", top);
      fclose(top);
      json_t *r = REPORT("--top-n", in_folder("top.json"), "--env", env, "--model", config);
      json_decref(r);
    }
}

static void wrong_captured(void **state) {
  (void)state;
  static const char *const shapes[] = {"'op_class': 'gemm'",
                                       "'op_class': 'gemm', 'm': 'x', 'n': 1, 'k': 1",
                                       "'op_class': 'magic', 'bytes_est': 1",
                                       "'op_class': 7",
                                       "'bytes_est': 1",
                                       "'op_class': 'moe', 'experts': -1",
                                       "'op_class': 'attn', 'batch': []",
                                       "'op_class': 'elementwise'",
                                       "'op_class': 'gemm', 'bytes_est': null, 'flops_est': 1",
                                       "'op_class': 'gemm', 'bytes_est': 1, 'flops_est': -1",
                                       "'op_class': 'gemm', 'm': 1e300, 'n': 1e300, 'k': 1e300"};
  const char *top =
      one_kernel(100, "'classification': 'memory', 'shapes': [[[1000, 1000]]], 'dtypes': ['float']");
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    print_message("%s\n", shapes[i]);
    json_t *r =
        REPORT("--top-n", top, "--env", json_file("env.json", env_950), "--shapes", captured(shapes[i]));
    assert_true(count_of(r, "skill_errors") > 0);
    NEAR(entry(r, 0), "bytes_est", 8e6); /* the profile's own shapes */
    NOTED(entry(r, 0), "captured shapes are not usable");
    json_decref(r);
  }
}

static void a_hundred_thousand_kernels(void **state) {
  (void)state;
  FILE *f = fopen(in_folder("top.json"), "w");
  assert_non_null(f);
  fputs("{\"top_kernels\": [", f);
  for (int i = 0; i < 100000; i++)
    fprintf(f, "%s{\"name\": \"k%d\", \"pct_gpu_time\": %s, \"avg_us\": 20, \"shapes\": [[[64, 64]]]}",
            i > 0 ? ",\n" : "", i, i % 2 == 0 ? "7" : "\"?\"");
  fputs("]}", f);
  fclose(f);
  json_t *r = REPORT("--top-n", in_folder("top.json"), "--env", json_file("env.json", env_950));
  assert_int_equal(json_array_size(entries_of(r)), 16); /* 8 of the head, 8 whose share nobody can read */
  IS(entry(r, 0), "name", "k0");
  assert_true(count_of(r, "skill_errors") <= 101);
  ERRED(r, "and 49900 more");
  json_decref(r);
}

static void names_stay_text(void **state) {
  (void)state;
  json_t *r = REPORT("--top-n",
                     file("top.json", "{\"top_kernels\": [{\"name\": \"a|b\\n<x>\\u0000\\\"\\\\\\u00e9\", "
                                      "\"pct_gpu_time\": 9, \"avg_us\": 20}]}"),
                     "--env", json_file("env.json", env_950));
  json_t *name = json_object_get(entry(r, 0), "name");
  (void)name;
  char text[4096], path[160];
  snprintf(path, sizeof path, "%s/profile_roofline.md", out_dir);
  FILE *md = fopen(path, "r");
  assert_non_null(md);
  text[fread(text, 1, sizeof text - 1, md)] = '\0';
  fclose(md);
  assert_non_null(strstr(text, "| a\\|b &lt;x\\> \"\\\\\xc3\xa9 |"));
  json_decref(r);
}

/* ---- the output place ---- */

static void unwritable_output(void **state) {
  (void)state;
  const char *top = one_kernel(100, ""), *env = json_file("env.json", env_950);
  snprintf(out_dir, sizeof out_dir, "%s/no/such", folder);
  assert_int_equal(RUN("--top-n", top, "--env", env), EXIT_USAGE);
  snprintf(out_dir, sizeof out_dir, "%s/env.json", folder); /* a file */
  assert_int_equal(RUN("--top-n", top, "--env", env), EXIT_USAGE);
  snprintf(out_dir, sizeof out_dir, "%s/out", folder);
  assert_int_equal(mkdir(out_dir, 0777), 0);
  assert_int_equal(mkdir(in_folder("out/profile_roofline.md"), 0777),
                   0); /* one of the two cannot be replaced */
  assert_int_equal(RUN("--top-n", top, "--env", env), EXIT_USAGE);
  assert_int_not_equal(access(in_folder("out/profile_roofline.json"), F_OK), 0); /* so neither is */
}

static void inputs_are_never_edited(void **state) {
  (void)state;
  const char *env = json_file("env.json", env_950);
  snprintf(out_dir, sizeof out_dir, "%s", folder);
  const char *top = one_kernel(100, "");
  assert_int_equal(rename(top, in_folder("profile_roofline.json")), 0);
  struct stat before, after;
  assert_int_equal(stat(in_folder("profile_roofline.json"), &before), 0);
  assert_int_equal(RUN("--top-n", in_folder("profile_roofline.json"), "--env", env), EXIT_USAGE);
  assert_int_equal(stat(in_folder("profile_roofline.json"), &after), 0);
  assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void same_bytes_again(void **state) {
  (void)state;
  const char *top = one_kernel(100, "'classification': 'memory', 'shapes': [[[64, 64]]]");
  const char *env = json_file("env.json", env_950);
  char path[160];
  snprintf(path, sizeof path, "%s/profile_roofline.json", out_dir);
  json_decref(REPORT("--top-n", top, "--env", env));
  struct stat first, second;
  assert_int_equal(stat(path, &first), 0);
  json_decref(REPORT("--top-n", top, "--env", env));
  assert_int_equal(stat(path, &second), 0);
  assert_true(first.st_ino == second.st_ino); /* an unchanged report is left alone */
}

static void command_lines(void **state) {
  (void)state;
  const char *top = one_kernel(100, "");
  static const char *const wrong[][2] = {{"--stage", "D"},       {"--target", "attn"},
                                         {"--target", "attn=2"}, {"--target", "nope=0.5"},
                                         {"--head-limit", "0"},  {"--nonsense", "1"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(RUN("--top-n", top, wrong[i][0], wrong[i][1]), EXIT_USAGE);
  char *none[] = {"headroom", NULL};
  assert_int_equal(headroom_main(1, none), EXIT_USAGE);
  json_t *r = REPORT("--top-n", one_kernel(1000, ""), "--env", json_file("env.json", env_950), "--shapes",
                     captured("'op_class': 'gemm', 'bytes_est': 1e9"), "--target", "gemm=0.25");
  NEAR(entry(r, 0), "target_eff", 0.25);
  json_decref(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(hostile_json),
      IN_FOLDER(missing_files),
      IN_FOLDER(wrong_types),
      IN_FOLDER(wrong_captured),
      IN_FOLDER(a_hundred_thousand_kernels),
      IN_FOLDER(names_stay_text),
      IN_FOLDER(unwritable_output),
      IN_FOLDER(inputs_are_never_edited),
      IN_FOLDER(same_bytes_again),
      IN_FOLDER(command_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
