/* Every piece of work is done once, whatever the number of threads asked for or got. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "text/parallel.h"

enum { MOST = 5000, WORKERS = 64 };

typedef struct tally {
  atomic_uint done[MOST];
  atomic_bool busy[WORKERS];
  uint32_t jobs;
  atomic_bool shared; /* a worker did two things at once, or there was one too many */
} tally;

static void count_one(void *to, uint32_t worker, uint32_t i) {
  tally *t = to;
  if (worker >= t->jobs || atomic_exchange(&t->busy[worker], true)) atomic_store(&t->shared, true);
  atomic_fetch_add(&t->done[i], 1);
  atomic_store(&t->busy[worker], false);
}

static bool each_once(uint32_t jobs, uint32_t count) {
  static tally t;
  memset(&t, 0, sizeof t);
  t.jobs = jobs > 0 ? jobs : 1;
  parallel_run(jobs, count, count_one, &t);
  for (uint32_t i = 0; i < MOST; i++)
    if (atomic_load(&t.done[i]) != (i < count ? 1 : 0)) return false;
  return !atomic_load(&t.shared);
}

static void test_each_once(void **state) {
  (void)state;
  static const uint32_t jobs[] = {0, 1, 2, 3, 64}, counts[] = {0, 1, 2, 63, MOST};
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
    for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) assert_true(each_once(jobs[i], counts[j]));
  assert_true(parallel_processors() >= 1);
}

/* No room for a thread's stack: the one there is does everything. */
static void test_no_threads(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* a sanitizer's own memory is beyond any limit */
#endif
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit little = {8u << 20, 8u << 20};
    if (setrlimit(RLIMIT_AS, &little) != 0) _exit(2);
    _exit(each_once(8, MOST) ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once), cmocka_unit_test(test_no_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
