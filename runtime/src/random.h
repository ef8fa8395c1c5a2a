/* Words of MT19937 for the generators that draw millions of them. */
#ifndef RUNTIME_RANDOM_H
#define RUNTIME_RANDOM_H

#include <roofline/generator.h>

void roofline_random_refill(roofline_random *r);

static inline uint32_t random_word(roofline_random *r) {
  if (r->index >= 624) roofline_random_refill(r);
  return r->tempered[r->index++];
}

#endif
