/* Memory: aligned, zeroed, kept over a reset; a failed allocation is one line and exit status 2. */
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

#include "text/yaml_tree.h"

static void test_alignment_and_zeroes(void **state) {
  (void)state;
  arena *a = arena_new();
  for (int round = 0; round < 2; round++) {
    for (size_t size = 1; size < 20000; size = size * 3 / 2 + 1) {
      unsigned char *p = arena_alloc(a, size);
      size_t align = size & (~size + 1);
      assert_int_equal((uintptr_t)p % (align > 16 ? 16 : align), 0);
      assert_int_equal((uintptr_t)p % sizeof(void *), 0);
      for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
      memset(p, 0xAA, size);
    }
    arena_reset(a);
  }
  assert_non_null(arena_alloc(a, 0));
  arena_free(a);
  arena_free(NULL);
}

static void test_reset_keeps_blocks(void **state) {
  (void)state;
  arena *a = arena_new();
  for (int i = 0; i < 1000; i++) arena_alloc(a, 100);
  size_t held = arena_bytes(a);
  assert_true(held >= 100000);
  for (int round = 0; round < 10; round++) {
    arena_reset(a);
    for (int i = 0; i < 1000; i++) arena_alloc(a, 100);
    assert_int_equal(arena_bytes(a), held);
  }
  arena_alloc(a, 1000000);
  assert_true(arena_bytes(a) >= held + 1000000);
  arena_reset(a); /* what was too large for a block goes back */
  assert_int_equal(arena_bytes(a), held);
  arena_free(a);
}

static void test_strings(void **state) {
  (void)state;
  arena *a = arena_new();
  assert_true(str_eq((str){0}, STR("")));
  assert_true(str_is(STR("ab"), "ab"));
  assert_false(str_is(STR("ab"), "abc"));
  assert_true(str_cmp(STR("a"), STR("ab")) < 0);
  assert_true(str_cmp(STR("b"), STR("ab")) > 0);
  assert_true(str_cmp(STR("\x7F"), STR("\xC3\xA9")) < 0); /* by bytes, as unsigned */
  assert_int_equal(str_cmp((str){0}, STR("")), 0);
  assert_string_equal(arena_printf(a, "%d-%s", 12, "x").p, "12-x");
  assert_string_equal(arena_cstr(a, (str){"abc", 2}), "ab");
  assert_int_equal(str_of(NULL).n, 0);
  VEC(int) v = {0};
  for (int i = 0; i < 1000; i++) vec_push(a, &v, i * i);
  for (int i = 0; i < 1000; i++) assert_int_equal(v.v[i], i * i);
  arena_free(a);
}

static unsigned left;

static void *fail_after(size_t size) { return left-- > 0 ? malloc(size) : NULL; }

static void work(void) {
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  bool empty;
  char *text = arena_alloc(a, 60001);
  for (int i = 0; i < 10000; i++) memcpy(text + (size_t)i * 6, "- &a x", 6);
  for (int i = 0; i < 10000; i++) text[i * 6 + 5] = '\n';
  source *s = source_from_text(a, "t", str_of(text));
  yt_parse(a, sink, s, &yt_default_limits, &empty);
  arena_free(a);
}

/* Every allocation in turn fails: each time one line on standard error and exit status 2. */
static void test_out_of_memory(void **state) {
  (void)state;
  unsigned n = 0, failures = 0;
  for (bool finished = false; !finished; n++) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      left = n;
      arena_system_alloc = fail_after;
      work();
      _exit(0);
    }
    close(ends[1]);
    char said[100] = "";
    FILE *f = fdopen(ends[0], "r");
    size_t length = fread(said, 1, sizeof said - 1, f);
    said[length] = '\0';
    fclose(f);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    finished = WEXITSTATUS(status) == 0;
    if (finished) continue;
    failures++;
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_string_equal(said, "out of memory\n");
  }
  assert_true(failures > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alignment_and_zeroes),
      cmocka_unit_test(test_reset_keeps_blocks),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
