/* format_text against the C library: same text, same length, nothing behind the room it was given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "text/format.h"
#include "text/output.h"

static void agrees(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* At every size of room up to one that is ample. */
static void agrees(const char *format, ...) {
  char wanted[256], got[300];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(wanted, sizeof wanted, format, args);
  va_end(args);
  assert_in_range(n, 0, sizeof wanted - 1);
  for (size_t room = 0; room <= (size_t)n + 8; room++) {
    memset(got, '#', sizeof got);
    va_start(args, format);
    assert_int_equal(format_text(got, room, format, args), (size_t)n);
    va_end(args);
    if (room > (size_t)n) assert_string_equal(got, wanted);
    for (size_t i = room; i < sizeof got; i++) assert_int_equal(got[i], '#');
  }
}

static void prints_as_the_library_does(void **state) {
  (void)state;
  agrees("plain");
  agrees("%s", "");
  agrees("a%sb%sc", "first", "second");
  agrees("%.*s|%.*s|%.*s", 3, "abcdef", 0, "abc", 9, "abc");
  agrees("%.*s", -1, "all of it");
  agrees("%.*s.", 5, "ab\0cd"); /* a text with a limit ends at a NUL too */
  agrees("%u %u %u", 0u, 7u, UINT_MAX);
  agrees("%d %d %d", 0, INT_MIN, INT_MAX);
  agrees("%lld %lld %lld", 0LL, LLONG_MIN, LLONG_MAX);
  agrees("%llu", ULLONG_MAX);
  agrees("%c%c %%", 'x', 'y');
}

/* One conversion of another sort, wherever it stands, hands the whole format to the library. */
static void leaves_the_rest_to_the_library(void **state) {
  (void)state;
  agrees("%s %5d %u", "x", 42, 9u);
  agrees("%.*s %02X %s", 2, "abc", 10, "end");
  agrees("%g %.17g %zu %lx", 0.1, 0.1, (size_t)12, 255L);
  agrees("%-8s|%8.3s|%ld", "ab", "abcdef", -5L);
}

/* Pieces that end in the middle of a block, at its end, and behind it. */
static void grows_in_an_arena(void **state) {
  (void)state;
  arena *a = arena_new();
  out_text o;
  out_init(&o, a);
  for (unsigned i = 0; i < 3000; i++) {
    const str s =
        arena_printf(a, "%u:%s", i, i % 100 == 0 ? "a rather longer piece of text than the others" : "");
    char wanted[80];
    const int n = snprintf(wanted, sizeof wanted, "%u:%s", i,
                           i % 100 == 0 ? "a rather longer piece of text than the others" : "");
    assert_int_equal(s.n, n);
    assert_string_equal(s.p, wanted); /* terminated */
    const size_t before = o.n;
    out_pad(&o, i % 7);
    out_printf(&o, "%.*s\n", STR_ARG(s));
    assert_int_equal(o.n, before + i % 7 + s.n + 1);
    assert_memory_equal(o.p + before + i % 7, wanted, (size_t)n);
  }
  assert_int_equal(o.p[0], '0');
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_as_the_library_does),
      cmocka_unit_test(leaves_the_rest_to_the_library),
      cmocka_unit_test(grows_in_an_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
