/* Seeded generators. Each draws from its own MT19937 in CPython's order: random.sample without
   replacement, randrange and randint with it. language.md §4; ../expected/generators.tsv has vectors. */
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "random.h"
#include "sequence.h"

typedef struct sampler {
  roofline_random random;
  int64_t *scratch;
} sampler;

/* The least power of four that is at least 3k: CPython's guess at the slots of a set of k items. */
static int64_t set_slots(int64_t k) {
  int64_t slots = 4;
  while (slots < 3 * k) slots *= 4;
  return slots;
}

/* Up to this population a pool of it takes less memory than a set of k picked items. */
static int64_t pool_limit(int64_t k) { return 21 + (k > 5 ? set_slots(k) : 0); }

/* Room for samples of up to k items from up to `population`. A pool is never larger than either bound;
   a set has fewer slots than its population has items. */
static bool sampler_begin(roofline_status *status, sampler *s, uint32_t seed, int64_t population, int64_t k) {
  int64_t bound = 21 + set_slots(k);
  s->scratch = malloc((size_t)(population < bound ? population : bound) * sizeof *s->scratch);
  if (s->scratch == NULL) {
    roofline_fail(status, ROOFLINE_E_MEMORY);
    return false;
  }
  roofline_random_seed(&s->random, seed);
  return true;
}

static void sampler_end(sampler *s) { free(s->scratch); }

/* Each pick leaves a hole in the pool that the last item left fills. First all places are drawn, as by
   roofline_random_below but without its branch, which nothing can predict: a draw that is too large for what
   is left stays where the next one goes. A pool is smaller than 2^31 items (pool_limit of what fits a
   generated tensor), so one word is one draw. */
static void sample_from_pool(sampler *s, int64_t *values, int64_t population, int64_t k) {
  const int64_t last = population - 1;
  for (int64_t bits = 31, i = 0; i < k; bits--) {
    const int64_t fewer =
        population - (INT64_C(1) << (bits - 1)) + 1; /* picks after which a bit less is left */
    const int64_t end = fewer < k ? fewer : k;
    while (i < end) {
      values[i] = random_word(&s->random) >> (32 - bits);
      i += last - values[i] >= i;
    }
  }
  int64_t *pool = s->scratch;
  for (int64_t i = 0; i < population; i++) pool[i] = i;
  for (int64_t i = 0; i < k; i++) {
    const int64_t place = values[i];
    values[i] = pool[place];
    pool[place] = pool[last - i];
  }
}

/* Adds an item, kept as item + 1 (0 is a free slot), to a set that is never full; false when it is in. */
static bool set_add(int64_t *slots, int64_t slot_count, int64_t item) {
  int64_t i = item & (slot_count - 1); /* the items are random: their low bits spread them */
  for (; slots[i] != 0; i = (i + 1) & (slot_count - 1))
    if (slots[i] == item + 1) return false;
  slots[i] = item + 1;
  return true;
}

static void sample_by_set(sampler *s, int64_t *values, int64_t population, int64_t k) {
  const int64_t slot_count = set_slots(k);
  const int width = random_width(population);
  memset(s->scratch, 0, (size_t)slot_count * sizeof *s->scratch);
  for (int64_t i = 0; i < k; i++) {
    do values[i] = random_below(&s->random, population, width);
    while (!set_add(s->scratch, slot_count, values[i]));
  }
}

/* random.sample(range(population), k), 0 <= k <= population. */
static void sample(sampler *s, int64_t *values, int64_t population, int64_t k) {
  if (population <= pool_limit(k))
    sample_from_pool(s, values, population, k);
  else
    sample_by_set(s, values, population, k);
}

/* A row of k slots: a sample of as many of `population` as there are, then padding. Returns how many. */
static int64_t sample_padded(sampler *s, int64_t *values, int64_t population, int64_t k, int64_t padding) {
  int64_t picked = population < k ? population : k;
  sample(s, values, population, picked);
  for (int64_t i = picked; i < k; i++) values[i] = padding;
  return picked;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

void roofline_topk_ids(roofline_status *status, roofline_shape *shape, int64_t *values, uint32_t seed,
                       int64_t n, int64_t k, int64_t e) {
  sampler s;
  generator_domain(status, n >= 0 && 0 < k && k <= e);
  if (!generator_begin(status, shape, values, 2, (int64_t[]){n, k}) || n == 0) return;
  if (!sampler_begin(status, &s, seed, e, k)) return;
  for (int64_t i = 0; i < n; i++) sample(&s, values + i * k, e, k);
  sampler_end(&s);
}

void roofline_random_ids(roofline_status *status, roofline_shape *shape, int64_t *values, uint32_t seed,
                         int64_t n, int64_t w, int64_t u) {
  roofline_random random;
  generator_domain(status, n > 0 && w > 0 && u > 0);
  if (!generator_begin(status, shape, values, 2, (int64_t[]){n, w})) return;
  roofline_random_seed(&random, seed);
  const int width = random_width(u);
  for (int64_t i = 0; i < n * w; i++) values[i] = random_below(&random, u, width);
}

void roofline_sample_indices(roofline_status *status, roofline_shape *shape, int64_t *values, uint32_t seed,
                             int64_t n, int64_t hi) {
  sampler s;
  generator_domain(status, 0 <= n && n <= hi);
  if (!generator_begin(status, shape, values, 1, &n) || n == 0) return;
  if (!sampler_begin(status, &s, seed, hi, n)) return;
  sample(&s, values, hi, n);
  sampler_end(&s);
}

/* One sample of the pool is dealt out where it reaches all requests; else each draws pages of its own
   that others may draw too. */
void roofline_paged_block_table(roofline_status *status, roofline_shape *shape, int64_t *values,
                                uint32_t seed, int64_t b, int64_t w, int64_t pool) {
  sampler s;
  generator_domain(status, b >= 0 && 0 < w && w <= pool);
  if (!generator_begin(status, shape, values, 2, (int64_t[]){b, w}) || b == 0) return;
  int64_t samples = b * w <= pool ? 1 : b, k = b * w / samples;
  if (!sampler_begin(status, &s, seed, pool, k)) return;
  for (int64_t i = 0; i < samples; i++) sample(&s, values + i * k, pool, k);
  sampler_end(&s);
}

/* For qsort. */
static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

void roofline_nsa_block_indices(roofline_status *status, roofline_shape *shape, int64_t *values,
                                uint32_t seed, roofline_seq l, int64_t block, int64_t k, int64_t h_kv) {
  sampler s;
  generator_domain(status, l.len > 0 && block > 0 && k > 0 && h_kv > 0);
  generator_list(status, &l, 1);
  int64_t tokens = roofline_sum(status, l), longest = roofline_max(status, l, roofline_none());
  if (!generator_begin(status, shape, values, 3, (int64_t[]){tokens, h_kv, k})) return;
  int64_t most = longest > block ? roofline_ceil_div(status, longest - 1, block) : 1;
  if (!sampler_begin(status, &s, seed, most, least(k, most))) return;
  for (int64_t i = 0; i < l.len; i++)
    for (int64_t j = 0; j < roofline_seq_item(&l, i); j++) {
      int64_t visible = greatest(roofline_ceil_div(status, j, block), 1);
      for (int64_t h = 0; h < h_kv; h++, values += k) {
        int64_t picked = sample_padded(&s, values, visible, k, tokens);
        qsort(values, (size_t)picked, sizeof *values, ascending);
      }
    }
  sampler_end(&s);
}

void roofline_nsa_block_counts(roofline_status *status, roofline_shape *shape, int64_t *values, uint32_t seed,
                               int64_t t, int64_t h_kv, int64_t k) {
  roofline_random random;
  generator_domain(status, t > 0 && h_kv > 0 && k > 0);
  if (!generator_begin(status, shape, values, 2, (int64_t[]){t, h_kv})) return;
  roofline_random_seed(&random, seed);
  const int width = random_width(k);
  for (int64_t i = 0; i < t * h_kv; i++) values[i] = 1 + random_below(&random, k, width);
}

void roofline_causal_topk_indices(roofline_status *status, roofline_shape *shape, int64_t *values,
                                  uint32_t seed, int64_t b, int64_t s_q, int64_t h_kv, int64_t k,
                                  int64_t extent, int64_t start, int64_t stride) {
  sampler s;
  generator_domain(status, b > 0 && s_q > 0 && h_kv > 0 && k > 0 && extent > 0 && start >= 0 && stride > 0);
  roofline_add(status, start, s_q); /* the last query's position is an int64 */
  if (!generator_begin(status, shape, values, 4, (int64_t[]){b, s_q, h_kv, k})) return;
  if (!sampler_begin(status, &s, seed, extent, least(k, extent))) return;
  for (int64_t i = 0; i < b * s_q; i++) {
    int64_t visible = least(greatest(1, (i % s_q + start) / stride), extent);
    for (int64_t h = 0; h < h_kv; h++, values += k) sample_padded(&s, values, visible, k, extent);
  }
  sampler_end(&s);
}

/* The S_q queries are a sequence's last: query t sees the keys up to its own. */
void roofline_attn_sparse_topk_positions(roofline_status *status, roofline_shape *shape, int64_t *values,
                                         uint32_t seed, roofline_seq l, int64_t s_q, int64_t k) {
  sampler s;
  generator_domain(status, s_q > 0 && k > 0);
  generator_list(status, &l, s_q);
  if (!generator_begin(status, shape, values, 3, (int64_t[]){l.len, s_q, k}) || l.len == 0) return;
  int64_t longest = roofline_max(status, l, roofline_none());
  if (!sampler_begin(status, &s, seed, longest, least(k, longest))) return;
  for (int64_t i = 0; i < l.len; i++)
    for (int64_t t = 0; t < s_q; t++, values += k)
      sample_padded(&s, values, roofline_seq_item(&l, i) - s_q + t + 1, k, -1);
  sampler_end(&s);
}
