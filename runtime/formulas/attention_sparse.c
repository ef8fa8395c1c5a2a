/* Attention over selected keys: DeepSeek sparse decode, and the three passes of native sparse attention
   (NSA). Scores cost what they cost in attention.c; what differs is which pairs there are. */
#include <stdlib.h>

#include "tally.h"

/* ---- DeepSeek sparse attention ---- */

/* One (batch, key head): which keys its rows select, each key stamped with the row that selected it last. */
typedef struct selection {
  int64_t pairs, rows; /* distinct (row, key), and rows with a key */
  int64_t keys;        /* distinct keys of all rows */
} selection;

/* `slots` are row r's; a key that is stamped r already is a repeat, one stamped below `base` is new. */
static void select_row(tally *t, const roofline_metadata *slots, int64_t at, int64_t count, int64_t limit,
                       int64_t row, int64_t base, int64_t *stamps, selection *s) {
  const int64_t before = s->pairs;
  for (int64_t i = at; i < at + count && tally_require(t, i < slots->count); i++) {
    const int64_t key = roofline_metadata_at(slots, i);
    if (key < 0 || key >= limit || stamps[key] == row) continue;
    if (stamps[key] < base) s->keys++;
    stamps[key] = row;
    s->pairs++;
  }
  if (s->pairs > before) s->rows++;
}

static void dsa_decode(tally *t) {
  const int64_t batch = tally_int(t, "B"), queries = tally_int(t, "S"), keys = tally_int(t, "S_kv");
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), slots = tally_int(t, "K");
  const int64_t dim = tally_int(t, "D"), tail = tally_int(t, "dim_tail");
  const int64_t stride = tally_int(t, "stride_kv"), start = tally_int(t, "q_start_index_s");
  const bool causal = tally_bool(t, "is_causal");
  roofline_metadata indices;
  if (!tally_values(t, "indices", &indices)) return;
  int64_t *stamps = tally_scratch(t, keys, sizeof *stamps);
  selection s = {0, 0, 0};
  int64_t row = 0;
  for (int64_t b = 0; b < batch && tally_ok(t); b++) {
    for (int64_t g = 0; g < kv_heads && tally_ok(t); g++) {
      const int64_t base = row + 1;
      for (int64_t q = 0; q < queries && tally_ok(t); q++) {
        /* (j + 1) stride <= start + q + 1 */
        const int64_t closed = div_down(t, add(t, add(t, start, q), 1), stride);
        const int64_t at = mul(t, add(t, mul(t, add(t, mul(t, b, queries), q), kv_heads), g), slots);
        select_row(t, &indices, at, slots, causal ? min_of(closed, keys) : keys, ++row, base, stamps, &s);
      }
    }
  }
  free(stamps);
  const int64_t group = div_down(t, heads, kv_heads), width = add(t, dim, tail);
  FLOPS(t, group, s.pairs, add(t, mul(t, 2, width), mul_add(t, 2, dim, 5)));
  FLOPS(t, group, s.rows, dim);
  tally_read_items(t, "q", 3, mul(t, group, s.rows));
  tally_read_items(t, "kv", 3, s.keys);
  tally_read(t, "indices");
  tally_write(t, "o");
}

/* dsa_decode_roofline: slot j of a query counts when 0 <= j < S_kv and, causal, (j + 1) stride_kv <=
   q_start + s + 1; a repeat counts once. flops = (H / H_kv) (pairs (2 (D + tail) + 2 D + 5) + rows D). V is
   the first D columns of a kv row, so the row is read once, for the union of what the queries select. */
ROOFLINE_FORMULA(dsa_decode_roofline) { return tally_cost(call, dsa_decode, cost); }
ROOFLINE_READ_BYTES(deep_seek_sparse_attention_decode_with_kv_cache_fwd) {
  return tally_reads(call, dsa_decode, bytes);
}
ROOFLINE_DATA_TERMS(deep_seek_sparse_attention_decode_with_kv_cache_fwd) {
  (void)call;
  return "indices: distinct selected keys";
}

/* ---- native sparse attention: compressed blocks ---- */

/* Sum of n // bs over 0 <= n <= last: m = last // bs full values 0 .. m - 1, bs times each, then the rest. */
static int64_t sum_of_quotients(tally *t, int64_t last, int64_t bs) {
  const int64_t m = div_down(t, last, bs);
  const int64_t pairs = m % 2 == 0 ? mul(t, m / 2, m - 1) : mul(t, m, (m - 1) / 2);
  return add(t, mul(t, bs, pairs), mul(t, m, add(t, sub(t, last, mul(t, m, bs)), 1)));
}

/* Token t of a request has (t + 1) // bs closed blocks, of which t // bs lie before its own. */
typedef struct closed_blocks {
  int64_t pairs, before, rows, blocks; /* (token, block); tokens with a block; blocks closed by a token */
} closed_blocks;

static closed_blocks count_closed(tally *t) {
  closed_blocks c = {0, 0, 0, 0};
  const int64_t bs = tally_int(t, "bs");
  roofline_metadata offsets;
  if (!tally_values(t, "offsets", &offsets)) return c;
  for (int64_t i = 0; i + 1 < offsets.count && tally_ok(t); i++) {
    const int64_t length = tally_segment(t, &offsets, i);
    if (length == 0) continue;
    c.pairs = add(t, c.pairs, sum_of_quotients(t, length, bs));
    c.before = add(t, c.before, sum_of_quotients(t, length - 1, bs));
    c.rows = add(t, c.rows, max_of(0, sub(t, length, bs - 1)));
    c.blocks = add(t, c.blocks, div_down(t, length, bs));
  }
  return c;
}

static void read_packing(tally *t) {
  tally_read(t, "offsets");
  tally_read(t, "chunk_offsets");
  tally_read(t, "token_indices");
}

static void nsa_cmp(tally *t) {
  const int64_t heads = tally_int(t, "H"), dk = tally_int(t, "DK"), dv = tally_int(t, "DV");
  const closed_blocks c = count_closed(t);
  FLOPS(t, heads, c.pairs, add(t, mul(t, 2, dk), mul_add(t, 2, dv, 5)));
  FLOPS(t, heads, dv, c.rows);
  FLOPS(t, 2, heads, c.rows);
  tally_read_items(t, "q", 1, c.rows);
  tally_read_items(t, "k_cmp", 1, c.blocks);
  tally_read_items(t, "v_cmp", 1, c.blocks);
  read_packing(t);
  tally_write(t, "o");
  tally_write(t, "lse");
}

/* nsa_cmp_fwd_varlen_roofline: flops = H pairs (2 DK + 2 DV + 5) + H DV rows for the divide + 2 H rows for
   the logarithm and add of the lse. Only closed blocks are read, and only rows that have one. */
ROOFLINE_FORMULA(nsa_cmp_fwd_varlen_roofline) { return tally_cost(call, nsa_cmp, cost); }
ROOFLINE_READ_BYTES(nsa_cmp_varlen_fwd) { return tally_reads(call, nsa_cmp, bytes); }
ROOFLINE_DATA_TERMS(nsa_cmp_varlen_fwd) {
  (void)call;
  return "offsets: closed blocks of each request";
}

static void nsa_topk(tally *t) {
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  const closed_blocks c = count_closed(t);
  FLOPS(t, heads, c.pairs, mul_add(t, 2, dim, 5));
  FLOPS(t, 2, heads, c.before);
  FLOPS(t, kv_heads, c.before);
  tally_read_items(t, "q", 1, c.rows);
  tally_read_items(t, "k_cmp", 1, c.blocks);
  read_packing(t);
  tally_write(t, "block_indices");
}

/* nsa_topk_varlen_roofline: each closed score once, 2 D, and the lse's softmax, 5; of the blocks before a
   token's own, the normalizing divide and the add into the key head's sum, per query head, and one
   compare-and-select per key head. lse_in is computed again, not read. */
ROOFLINE_FORMULA(nsa_topk_varlen_roofline) { return tally_cost(call, nsa_topk, cost); }
ROOFLINE_READ_BYTES(nsa_topk_varlen_fwd) { return tally_reads(call, nsa_topk, bytes); }
ROOFLINE_DATA_TERMS(nsa_topk_varlen_fwd) {
  (void)call;
  return "offsets: closed blocks of each request";
}

/* ---- native sparse attention: kept blocks ---- */

typedef struct kept {
  int64_t pairs, rows;   /* (token, key) per key head; (token, key head) with a key */
  int64_t keys, slots;   /* distinct (key, key head); entries of block_indices read */
  int64_t *reach;        /* per block of this request and head: keys of it that some token reads */
  int64_t *stamps;       /* per block: the token that kept it last, so that a repeat counts once */
  int64_t block, length; /* of a block, of this request */
  bool causal;
} kept;

/* Token `p` of the request keeps the blocks of `count` slots. */
static void keep(tally *t, kept *k, const roofline_metadata *indices, int64_t at, int64_t count, int64_t p,
                 int64_t stamp) {
  const int64_t limit = k->causal ? p + 1 : k->length, before = k->pairs;
  for (int64_t i = at; i < at + count && tally_require(t, i < indices->count); i++) {
    const int64_t b = roofline_metadata_at(indices, i);
    if (b < 0 || b > (limit - 1) / k->block || k->stamps[b] == stamp) continue;
    k->stamps[b] = stamp;
    const int64_t width = min_of(k->block, limit - b * k->block);
    k->pairs = add(t, k->pairs, width);
    k->keys += max_of(0, width - k->reach[b]);
    k->reach[b] = max_of(k->reach[b], width);
  }
  k->slots = add(t, k->slots, count);
  if (k->pairs > before) k->rows++;
}

static void nsa_blocks(tally *t) {
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  const int64_t tokens = tally_int(t, "T_q"), selected = tally_int(t, "SEL");
  kept k = {.block = tally_int(t, "block_size"), .causal = tally_bool(t, "is_causal")};
  roofline_metadata offsets, indices, counts;
  if (!tally_values(t, "offsets", &offsets) || !tally_values(t, "block_indices", &indices) ||
      !tally_values(t, "block_counts", &counts) || !tally_require(t, k.block > 0))
    return;
  k.reach = tally_scratch(t, tokens / k.block + 1, sizeof *k.reach);
  k.stamps = tally_scratch(t, tokens / k.block + 1, sizeof *k.stamps);
  int64_t stamp = 0;
  for (int64_t i = 0; i + 1 < offsets.count && tally_ok(t); i++) {
    const int64_t begin = tally_item(t, &offsets, i, 0, tokens + 1);
    k.length = tally_segment(t, &offsets, i);
    if (!tally_require(t, k.length <= tokens - begin) || k.length == 0) continue;
    for (int64_t g = 0; g < kv_heads && tally_ok(t); g++) {
      for (int64_t b = 0; b <= (k.length - 1) / k.block; b++) k.reach[b] = 0;
      for (int64_t p = 0; p < k.length && tally_ok(t); p++) {
        const int64_t row = add(t, mul(t, begin + p, kv_heads), g);
        const int64_t count = tally_item(t, &counts, row, 0, INT64_MAX);
        keep(t, &k, &indices, mul(t, row, selected), min_of(count, selected), p, ++stamp);
      }
    }
  }
  free(k.reach);
  free(k.stamps);
  const int64_t group = div_down(t, heads, kv_heads);
  FLOPS(t, group, k.pairs, mul_add(t, 4, dim, 5));
  FLOPS(t, group, k.rows, dim);
  tally_read_items(t, "q", 2, mul(t, group, k.rows));
  tally_read_items(t, "k", 2, k.keys);
  tally_read_items(t, "v", 2, k.keys);
  tally_read_items(t, "block_indices", 3, k.slots);
  tally_read(t, "block_counts");
  tally_read(t, "offsets");
  tally_read(t, "token_indices");
  tally_write(t, "o_slc");
}

/* nsa_fwd_varlen_roofline: a (token, key head) attends to the first block_counts blocks of block_indices,
   cut at the token when causal and at its request's end; a repeat counts once. flops = (H / H_kv) (pairs
   (4 D + 5) + rows D). Keys are read once a key head, of block_indices the slots in use. */
ROOFLINE_FORMULA(nsa_fwd_varlen_roofline) { return tally_cost(call, nsa_blocks, cost); }
ROOFLINE_READ_BYTES(nsa_varlen_fwd) { return tally_reads(call, nsa_blocks, bytes); }
ROOFLINE_DATA_TERMS(nsa_varlen_fwd) {
  (void)call;
  return "offsets, block_counts and block_indices: keys of the blocks kept";
}
