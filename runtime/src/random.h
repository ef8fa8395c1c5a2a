/* Words of MT19937 for the generators that draw millions of them. */
#ifndef RUNTIME_RANDOM_H
#define RUNTIME_RANDOM_H

#include <roofline/generator.h>

void roofline_random_refill(roofline_random *r);

static inline uint32_t random_word(roofline_random *r) {
  if (r->index >= 624) roofline_random_refill(r);
  return r->tempered[r->index++];
}

/* How many bits n has, 0 <= n: those that draws below n take. */
static inline int random_width(int64_t n) {
  int width = 0;
  while (width < 63 && n >> width != 0) width++;
  return width;
}

/* 1 to 63 random bits; the low word is drawn first. */
static inline int64_t random_draw(roofline_random *r, int width) {
  const uint64_t first = random_word(r);
  if (width <= 32) return (int64_t)(first >> (32 - width));
  return (int64_t)((uint64_t)(random_word(r) >> (64 - width)) << 32 | first);
}

/* roofline_random_below of a known width, 1 to 63: drawn again until it is below n. */
static inline int64_t random_below(roofline_random *r, int64_t n, int width) {
  int64_t draw;
  do draw = random_draw(r, width);
  while (draw >= n);
  return draw;
}

#endif
