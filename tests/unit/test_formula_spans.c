/* What formulas share: intervals covered together, values that lie where they must, memory that is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_shapes.h"

/* The files that allocate, with allocations that can be refused: the `failing`-th from now is. */
static int failing;
static int refused(void) { return failing > 0 && --failing == 0; }
#define realloc(memory, size) (refused() ? NULL : realloc(memory, size))
#define calloc(count, size) (refused() ? NULL : calloc(count, size))
#include "runtime/formulas/spans.c" /* NOLINT(bugprone-suspicious-include) */
#include "runtime/formulas/tally.c" /* NOLINT(bugprone-suspicious-include) */
#undef realloc
#undef calloc

static tally fresh(void) {
  const tally t = {NULL, ROOFLINE_OK, 0, 0, 0};
  return t;
}

static void test_cover(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    tally t = fresh();
    spans s = {NULL, 0, 0, false};
    bool covered[40] = {false};
    int64_t want = 0;
    for (int64_t i = below(100); i > 0; i--) {
      const int64_t from = below(40), to = from + below(6) - 1; /* some are empty */
      spans_add(&t, &s, from, to < 40 ? to : 40);
      for (int64_t x = from; x < to && x < 40; x++) covered[x] = true;
    }
    for (int x = 0; x < 40; x++) want += covered[x];
    assert_int_equal(spans_close(&t, &s), want);
    assert_null(s.items);
    assert_int_equal(t.status, ROOFLINE_OK);
  }
}

static void test_far_apart(void **state) {
  (void)state;
  tally t = fresh();
  spans s = {NULL, 0, 0, false};
  spans_add(&t, &s, INT64_MAX - 1, INT64_MAX);
  spans_add(&t, &s, INT64_MIN, INT64_MIN + 1);
  assert_int_equal(spans_close(&t, &s), 2);
  spans_add(&t, &s, INT64_MIN, INT64_MAX);
  spans_close(&t, &s);
  assert_int_equal(t.status, ROOFLINE_E_OVERFLOW);
}

/* Few values of few, marked; few of many, sorted. */
static void test_distinct(void **state) {
  (void)state;
  static const int64_t limits[] = {1, 9, 100, INT64_C(1) << 50};
  for (int trial = 0; trial < 400; trial++) {
    int64_t items[20], want = 0;
    const int64_t limit = limits[trial % 4];
    const roofline_metadata values = {items, ROOFLINE_INT64, below(20)};
    for (int64_t i = 0; i < values.count; i++) {
      items[i] = below(limit < 12 ? limit : 12) * (limit > 1000 ? limit / 12 : 1);
      bool again = false;
      for (int64_t j = 0; j < i; j++) again = again || items[j] == items[i];
      want += !again;
    }
    tally t = fresh();
    assert_int_equal(spans_distinct(&t, &values, limit), want);
    assert_int_equal(t.status, ROOFLINE_OK);
  }
}

static void test_refused_memory(void **state) {
  (void)state;
  static const int32_t items[200] = {7, 3};
  const roofline_metadata values = {items, ROOFLINE_INT32, 200};
  for (int at = 1; at <= 4; at++) { /* room for 64, 128 and 256 items: three allocations */
    failing = at;
    tally t = fresh();
    const int64_t distinct = spans_distinct(&t, &values, INT64_MAX);
    assert_int_equal(t.status, at < 4 ? ROOFLINE_E_MEMORY : ROOFLINE_OK);
    if (at == 4) assert_int_equal(distinct, 3);
  }
  failing = 1;
  tally t = fresh();
  spans_distinct(&t, &values, 8);
  assert_int_equal(t.status, ROOFLINE_E_MEMORY);
}

/* Metadata that no `requires` held back, in a manifest that declares none. */
static void test_wrong_values(void **state) {
  (void)state;
  const int32_t items[] = {0, 5, 3, -1};
  const roofline_metadata values = {items, ROOFLINE_INT32, 4};
  tally t = fresh();
  assert_int_equal(tally_segment(&t, &values, 0), 5);
  assert_int_equal(tally_item(&t, &values, 2, 0, 4), 3);
  assert_int_equal(t.status, ROOFLINE_OK);
  tally_segment(&t, &values, 1); /* falls */
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
  t = fresh();
  tally_segment(&t, &values, 3); /* behind the last */
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
  t = fresh();
  tally_item(&t, &values, 3, 0, 4);
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
  t = fresh();
  tally_item(&t, &values, 4, 0, 4);
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
  t = fresh();
  spans_distinct(&t, &values, 6);
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
  t = fresh();
  spans_distinct(&t, &values, INT64_MAX);
  assert_int_equal(t.status, ROOFLINE_E_DOMAIN);
}

/* The first failure stays, and nothing is added after it. */
static void test_first_failure(void **state) {
  (void)state;
  tally t = fresh();
  FLOPS(&t, 2, 3, 5);
  assert_int_equal(t.flops, 30);
  READ(&t, INT64_MAX, 2);
  assert_int_equal(t.status, ROOFLINE_E_OVERFLOW);
  tally_require(&t, false);
  assert_int_equal(t.status, ROOFLINE_E_OVERFLOW);
  FLOPS(&t, 1);
  assert_int_equal(PRODUCT(&t, 4, 4), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cover),        cmocka_unit_test(test_distinct),
      cmocka_unit_test(test_far_apart),    cmocka_unit_test(test_refused_memory),
      cmocka_unit_test(test_wrong_values), cmocka_unit_test(test_first_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
