/* Every allocation of a whole compile fails in turn, those of libyaml and the C library too: one line and
   exit status 2, never a crash, never a manifest judged in part. glibc lets a program put its own functions
   before malloc's; the sanitizers do so themselves, so under them there is nothing to test. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/emit.h"
#include "compiler/manifest.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED) || !defined(__GLIBC__)

int main(void) {
  puts("skipped: malloc belongs to a sanitizer or is not glibc's");
  return 77;
}

#else

void *__libc_malloc(size_t size);
void *__libc_realloc(void *p, size_t size);

static bool counting;
static unsigned left; /* allocations that still succeed */

static bool refused(void) {
  if (!counting) return false;
  if (left == 0) return true;
  left--;
  return false;
}

void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void *realloc(void *p, size_t size) { return refused() ? NULL : __libc_realloc(p, size); }

/* Two optional tensors, a family, a let, seeded metadata, a shape: a little of everything. */
static const char manifest_text[] =
    "PickFwdOp:\n"
    "  family: pick\n"
    "  status: implemented\n"
    "  signature:\n"
    "    forall: {M: Dim, K: Dim, S: Shape, T: \"DType[float16 | bfloat16]\"}\n"
    "    params:\n"
    "      t: {type: bool, default: false}\n"
    "      e: {type: int}\n"
    "      mode: {type: \"'a' | 'b' | None\", default: null}\n"
    "    inputs:\n"
    "      x: {dtype: T, shape: \"Mat[t, M, K]\"}\n"
    "      s: {dtype: T, shape: \"[*S]\"}\n"
    "      ids: {dtype: int32, shape: \"[M, K]\", values: \"topk_ids(M, K, e)\", requires: [\"in_range(0, "
    "e)\"]}\n"
    "      bias: {dtype: T, shape: \"[K]\", optional: true}\n"
    "    outputs:\n"
    "      y: {dtype: T, shape: \"[M, K]\"}\n"
    "    types:\n"
    "      Mat:\n"
    "        params: {f: Bool, R: Dim, C: Dim}\n"
    "        match: f\n"
    "        cases: [{when: false, is: \"[R, C]\"}, {when: true, is: \"[C, R]\"}]\n"
    "    let: {MK: \"M * K\"}\n"
    "    shape_rules: [\"K > 0\", \"K <= e\"]\n"
    "  workloads:\n"
    "  - {M: 4, K: 2, S: [2, 3], e: 8, dtype_cases: [{T: float16}, {T: bfloat16}], label: plain}\n"
    "  - {M: 4, K: 2, S: [], e: 8, t: true, mode: a, some: [bias], dtype_cases: [{T: float16}], label: "
    "bias}\n"
    "  roofline:\n"
    "    flops: \"2 * MK * (e if present(bias) else 1) + prod(S)\"\n";

static int compile(const char *path) {
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  emit_definitions none = {0};
  manifest_options options = {.paths = &path,
                              .path_count = 1,
                              .yaml = yt_default_limits,
                              .parse = parse_default_limits,
                              .analysis = analysis_default_options,
                              .definitions = &none};
  options.analysis.want_rows = true;
  manifest m;
  manifest_analyse(a, sink, &options, &m);
  if (m.unreadable) return 2; /* opendir or the like said so */
  emit_options emission = {.prefix = STR("roofline"), .rows_main = true};
  emit_files files = {0};
  emit_all(a, sink, &m.plans, &emission, &files);
  if (m.cases == 3 && diag_errors(sink) == 0 && files.n == 5) return 0;
  diag_options shown = {.format = DIAG_TEXT};
  counting = false;
  diag_print(sink, stdout, &shown);
  printf("%u files, %u cases\n", files.n, m.cases);
  fflush(stdout);
  return 1;
}

static int compile_with(unsigned allocations, const char *path, int said) {
  pid_t child = fork();
  if (child == 0) {
    dup2(said, STDERR_FILENO);
    left = allocations;
    counting = true;
    int status = compile(path);
    counting = false;
    _exit(status);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void test_every_allocation_fails(void **state) {
  (void)state;
  char path[] = "/tmp/test_compile_memory_XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, manifest_text, sizeof manifest_text - 1), sizeof manifest_text - 1);
  close(fd);
  unsigned failures = 0;
  for (int status = 2; status != 0; failures++) {
    FILE *f = tmpfile();
    status = compile_with(failures, path, fileno(f));
    rewind(f);
    char said[200] = "", more[200] = "";
    bool any = fgets(said, sizeof said, f) != NULL, second = fgets(more, sizeof more, f) != NULL;
    fclose(f);
    if (status == 0) continue;
    if (status != 2 || !any || second)
      print_error("allocation %u: status %d, \"%s\" \"%s\"\n", failures, status, said, more);
    assert_int_equal(status, 2);
    assert_true(any && !second);
  }
  unlink(path);
  assert_true(failures > 100); /* libyaml alone makes hundreds */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
