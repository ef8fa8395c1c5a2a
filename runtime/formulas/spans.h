/* How many positions do intervals cover together? Distinct pages, experts, cache rows, table rows: what
   several readers share is read once. */
#ifndef FORMULAS_SPANS_H
#define FORMULAS_SPANS_H

#include "tally.h"

typedef struct span {
  int64_t from, to; /* [from, to) */
} span;

typedef struct spans {
  span *items;
  int64_t count, room;
  bool unordered; /* some item starts before the one added before it */
} spans;

void spans_add(tally *t, spans *s, int64_t from, int64_t to); /* an empty one adds nothing */
/* Positions covered, in O(n log n), or O(n) when the intervals came in ascending order. Frees them. */
int64_t spans_close(tally *t, spans *s);

/* Number of distinct values, each in [0, limit), else DOMAIN. */
int64_t spans_distinct(tally *t, const roofline_metadata *values, int64_t limit);

#endif
