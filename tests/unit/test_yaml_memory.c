/* Every allocation of a parse fails in turn, libyaml's own too: one line and exit status 2, never a crash
   and never a tree with a part missing. glibc lets a program put its own functions before malloc's; the
   sanitizers do so themselves, so under them there is nothing to test. */
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

static const char yaml[] = "%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n---\n"
                           "a: &a {x: [1, 2.5, \"\\u00e9\\\n  z\", 'it''s'], y: !e!str z}\n"
                           "b:\n  <<: *a\n  k: |\n    literal\n  f: >-\n    folded\n    text\n"
                           "? c\n: [d: 1, *a]\n";

static int parse_with(unsigned allocations, int said) {
  pid_t child = fork();
  if (child == 0) {
    dup2(said, STDERR_FILENO);
    arena *a = arena_new();
    diag_sink *sink = diag_sink_new(a);
    source *s = source_from_text(a, "t", STR(yaml));
    bool empty;
    left = allocations;
    counting = true;
    yt_node *root = yt_parse(a, sink, s, &yt_default_limits, &empty);
    counting = false;
    _exit(root != NULL && root->n == 3 && diag_errors(sink) == 0 ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void test_every_allocation_fails(void **state) {
  (void)state;
  unsigned failures = 0;
  for (int status = 2; status != 0; failures++) {
    FILE *f = tmpfile();
    status = parse_with(failures, fileno(f));
    rewind(f);
    char said[100] = "";
    size_t n = fread(said, 1, sizeof said - 1, f);
    said[n] = '\0';
    fclose(f);
    if (status != 0 && (status != 2 || strcmp(said, "out of memory\n") != 0))
      fail_msg("after %u allocations: status %d, said '%s'", failures, status, said);
  }
  assert_true(failures > 50); /* libyaml allocates every token */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
