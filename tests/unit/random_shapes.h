/* Small random numbers, the same in every run. */
#ifndef RANDOM_SHAPES_H
#define RANDOM_SHAPES_H

#include <inttypes.h>

static uint64_t random_state = 0x9e3779b97f4a7c15u;

/* In [0, n), n > 0 (xorshift64*). */
static inline int64_t below(int64_t n) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (int64_t)((random_state * 0x2545f4914f6cdd1du >> 33) % (uint64_t)n);
}

#endif
