/* Attention masks, counted in closed form. Query i of q sits at key position p = i + kv - q and sees the
   keys [p - left, p + right], cut at p when causal, and to [0, kv). */
#ifndef FORMULAS_VISIBILITY_H
#define FORMULAS_VISIBILITY_H

#include "tally.h"

typedef struct attention_mask {
  bool causal;
  int64_t left, right; /* -1: unlimited; a left window of W shows W + 1 keys */
} attention_mask;

typedef struct visibility {
  int64_t pairs;       /* (query, key) pairs seen */
  int64_t queries;     /* queries that see a key: the last ones */
  int64_t first, keys; /* keys that some query sees: [first, kv), `keys` of them */
} visibility;

visibility attention_visible(tally *t, int64_t q, int64_t kv, attention_mask mask);

#endif
