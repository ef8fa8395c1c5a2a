/* Generators (`values:`) and predicates (`requires:`) of metadata tensors. docs/language.md "Generators and
   predicates". A generator writes row-major int64 values into caller memory: call with values NULL to learn
   the result's shape, then with room for prod(shape) items. Seeded ones draw CPython's random.Random. */
#ifndef ROOFLINE_GENERATOR_H
#define ROOFLINE_GENERATOR_H

#include <roofline/primitive.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MT19937 as CPython's random.Random(seed) seeds and draws it. */
typedef struct roofline_random {
  uint32_t state[624], tempered[624]; /* the next words, as they are drawn */
  int32_t index;
} roofline_random;
ROOFLINE_API void roofline_random_seed(roofline_random *r, uint64_t seed);
ROOFLINE_API uint32_t roofline_random_bits(roofline_random *r, int k);     /* getrandbits, k <= 32 */
ROOFLINE_API int64_t roofline_random_below(roofline_random *r, int64_t n); /* _randbelow */
/* 1235 XOR crc32("<Op>:<tensor>"). */
ROOFLINE_API uint32_t roofline_generator_seed(const char *op, const char *tensor);

typedef enum roofline_window_end { ROOFLINE_WINDOW_START, ROOFLINE_WINDOW_END } roofline_window_end;

/* Every generator: (status, out_shape, values or NULL, seed for the seeded ones, its arguments). Checks
   its domain and sets *shape first; with values NULL it stops there. A result of more than
   ROOFLINE_MAX_SEQUENCE items, or a list of as many, is DOMAIN. May allocate scratch memory (E_MEMORY).
   chunk_indices, chunk_offsets and key_windows too take lengths that are not negative only. */
ROOFLINE_API void roofline_as_tensor(roofline_status *, roofline_shape *shape, int64_t *values,
                                     roofline_seq l);
ROOFLINE_API void roofline_prefix_sum(roofline_status *, roofline_shape *shape, int64_t *values,
                                      roofline_seq l);
ROOFLINE_API void roofline_exclusive_prefix_sum(roofline_status *, roofline_shape *shape, int64_t *values,
                                                roofline_seq l);
ROOFLINE_API void roofline_chunk_indices(roofline_status *, roofline_shape *shape, int64_t *values,
                                         roofline_seq l, int64_t c);
ROOFLINE_API void roofline_token_indices(roofline_status *, roofline_shape *shape, int64_t *values,
                                         roofline_seq l);
ROOFLINE_API void roofline_packed_positions(roofline_status *, roofline_shape *shape, int64_t *values,
                                            roofline_seq l);
ROOFLINE_API void roofline_chunk_offsets(roofline_status *, roofline_shape *shape, int64_t *values,
                                         roofline_seq l, int64_t c);
ROOFLINE_API void roofline_key_windows(roofline_status *, roofline_shape *shape, int64_t *values,
                                       roofline_seq l, int64_t first, int64_t count,
                                       roofline_window_end which);
ROOFLINE_API void roofline_full(roofline_status *, roofline_shape *shape, int64_t *values,
                                roofline_seq extents, int64_t v);
/* An aligned layout deals whole tiles to experts as balanced_sizes does; one that gets none ends where it
   starts. per_row: the segment of every row, those of a half-empty tile included. */
ROOFLINE_API void roofline_moe_layout_metadata(roofline_status *, roofline_shape *shape, int64_t *values,
                                               const roofline_adt *layout, int64_t rows, int64_t experts);
ROOFLINE_API void roofline_topk_ids(roofline_status *, roofline_shape *shape, int64_t *values, uint32_t seed,
                                    int64_t n, int64_t k, int64_t e);
ROOFLINE_API void roofline_random_ids(roofline_status *, roofline_shape *shape, int64_t *values,
                                      uint32_t seed, int64_t n, int64_t w, int64_t u);
ROOFLINE_API void roofline_sample_indices(roofline_status *, roofline_shape *shape, int64_t *values,
                                          uint32_t seed, int64_t n, int64_t hi);
ROOFLINE_API void roofline_paged_block_table(roofline_status *, roofline_shape *shape, int64_t *values,
                                             uint32_t seed, int64_t b, int64_t w, int64_t pool);
ROOFLINE_API void roofline_nsa_block_indices(roofline_status *, roofline_shape *shape, int64_t *values,
                                             uint32_t seed, roofline_seq l, int64_t block, int64_t k,
                                             int64_t h_kv);
ROOFLINE_API void roofline_nsa_block_counts(roofline_status *, roofline_shape *shape, int64_t *values,
                                            uint32_t seed, int64_t t, int64_t h_kv, int64_t k);
ROOFLINE_API void roofline_causal_topk_indices(roofline_status *, roofline_shape *shape, int64_t *values,
                                               uint32_t seed, int64_t b, int64_t s, int64_t h_kv, int64_t k,
                                               int64_t extent, int64_t start, int64_t stride);
ROOFLINE_API void roofline_attn_sparse_topk_positions(roofline_status *, roofline_shape *shape,
                                                      int64_t *values, uint32_t seed, roofline_seq l,
                                                      int64_t s_q, int64_t k);

/* A metadata tensor's values as predicates and formulas read them, int32 or int64 host memory. */
typedef struct roofline_metadata {
  const void *data;     /* NULL: not available */
  roofline_dtype dtype; /* ROOFLINE_INT32 or ROOFLINE_INT64 */
  int64_t count;
} roofline_metadata;
static inline int64_t roofline_metadata_at(const roofline_metadata *m, int64_t i) {
  return m->dtype == ROOFLINE_INT32 ? ((const int32_t *)m->data)[i] : ((const int64_t *)m->data)[i];
}

/* Predicates: true when the constrained tensor `m` keeps it. Data that is not there is NOT_AVAILABLE.
   Tensors whose lengths do not belong together, and differences that leave 64 bits, are false. A tensor of
   no items lies in every range and sums to 0, but is no prefix sum. */
ROOFLINE_API bool roofline_prefix_offsets(roofline_status *, const roofline_metadata *m,
                                          int64_t total); /* 0 first, ascending, total last */
ROOFLINE_API bool roofline_max_segment(roofline_status *, const roofline_metadata *m,
                                       int64_t bound); /* no gap wider than bound */
ROOFLINE_API bool roofline_in_range(roofline_status *, const roofline_metadata *m, int64_t lo, int64_t hi);
ROOFLINE_API bool roofline_sums_to(roofline_status *, const roofline_metadata *m, int64_t total);
ROOFLINE_API bool roofline_exclusive_prefix_of(roofline_status *, const roofline_metadata *m,
                                               const roofline_metadata *other);
ROOFLINE_API bool roofline_chunk_offsets_of(roofline_status *, const roofline_metadata *m,
                                            const roofline_metadata *offsets, int64_t chunk);
ROOFLINE_API bool
roofline_indices_within(roofline_status *, const roofline_metadata *m,
                        const roofline_metadata *offsets); /* m is [n, 2]: (sequence, position) */
/* m[b] cached tokens and the cu[b + 1] - cu[b] new ones are at most cap, for every request b. */
ROOFLINE_API bool roofline_attn_paged_fits(roofline_status *, const roofline_metadata *m,
                                           const roofline_metadata *cu, int64_t cap);
/* masked: counts in [0, max_m]. Ends: ascending from tile to tile within the rows, filling them when tight.
   per_row: experts ascending, each starting on a tile; -1 marks rows behind an expert's last, when aligned.
 */
ROOFLINE_API bool roofline_moe_layout_valid(roofline_status *, const roofline_metadata *m,
                                            const roofline_adt *layout, int64_t rows, int64_t experts);

#ifdef __cplusplus
}
#endif
#endif
