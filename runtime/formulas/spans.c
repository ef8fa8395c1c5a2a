#include "spans.h"

#include <stdlib.h>

void spans_add(tally *t, spans *s, int64_t from, int64_t to) {
  if (!tally_ok(t) || from >= to) return;
  if (s->count == s->room) {
    const int64_t room = s->room > 0 ? 2 * s->room : 64;
    span *items = (uint64_t)room > SIZE_MAX / sizeof(span)
                      ? NULL
                      : (span *)realloc(s->items, (size_t)room * sizeof(span));
    if (items == NULL) {
      tally_fail(t, ROOFLINE_E_MEMORY);
      return;
    }
    s->items = items;
    s->room = room;
  }
  if (s->count > 0 && from < s->items[s->count - 1].from) s->unordered = true;
  s->items[s->count++] = (span){from, to};
}

static int by_start(const void *a, const void *b) {
  const int64_t x = ((const span *)a)->from, y = ((const span *)b)->from;
  return (x > y) - (x < y);
}

int64_t spans_close(tally *t, spans *s) {
  int64_t covered = 0, end = INT64_MIN;
  if (s->unordered) qsort(s->items, (size_t)s->count, sizeof(span), by_start);
  for (int64_t i = 0; i < s->count; i++) {
    const int64_t from = max_of(s->items[i].from, end);
    if (from >= s->items[i].to) continue;
    end = s->items[i].to;
    covered = add(t, covered, sub(t, end, from));
  }
  free(s->items);
  *s = (spans){NULL, 0, 0, false};
  return covered;
}

/* Where a mark per possible value takes no more memory than the values themselves. */
static int64_t distinct_by_marks(tally *t, const roofline_metadata *values, int64_t limit) {
  bool *seen = tally_scratch(t, limit, sizeof *seen);
  int64_t distinct = 0;
  for (int64_t i = 0; i < values->count && tally_ok(t); i++) {
    const int64_t v = tally_item(t, values, i, 0, limit);
    if (!tally_ok(t)) break;
    distinct += !seen[v];
    seen[v] = true;
  }
  free(seen);
  return distinct;
}

int64_t spans_distinct(tally *t, const roofline_metadata *values, int64_t limit) {
  if (limit / 8 <= values->count) return distinct_by_marks(t, values, limit);
  spans s = {NULL, 0, 0, false};
  for (int64_t i = 0; i < values->count && tally_ok(t); i++) {
    const int64_t v = tally_item(t, values, i, 0, limit);
    spans_add(t, &s, v, v + 1);
  }
  return spans_close(t, &s);
}
