/* Attention over dense, packed and paged keys. formulas.md, "Attention visibility".

   Per (query head, query, key it sees): 2 D for q k, 2 D for p v, 5 for the softmax, 3 more under a softcap
   (divide, tanh, multiply); then one divide per output element whose query sees a key. A query that sees no
   key is not read, nor is a key that no query sees. Counts are over B, requests and heads; bytes over
   elements, each once. */
#include "spans.h"
#include "visibility.h"

/* What the sums over requests give. */
typedef struct seen {
  int64_t pairs, queries, keys;
  int64_t entries; /* of the page table, consulted */
  spans positions; /* of keys, for the rows of a rotary table */
  spans slots;     /* of the page pool, read */
} seen;

static attention_mask mask_of(tally *t) {
  const attention_mask mask = {tally_bool(t, "is_causal"), tally_int(t, "window_size_left"),
                               tally_int(t, "window_size_right")};
  return mask;
}

static visibility see(tally *t, seen *s, int64_t q, int64_t kv, attention_mask mask) {
  const visibility v = attention_visible(t, q, kv, mask);
  s->pairs = add(t, s->pairs, v.pairs);
  s->queries = add(t, s->queries, v.queries);
  s->keys = add(t, s->keys, v.keys);
  return v;
}

/* A softcap of 0 is none. */
static bool has_softcap(tally *t) { return tally_present(t, "softcap") && tally_float(t, "softcap") != 0; }

/* Scores, softmax, values; `scaled`: FP8 values, whose scale multiplies each (query, head) once. */
static void attend(tally *t, const seen *s, int64_t heads, int64_t dim, bool softcap, bool scaled) {
  FLOPS(t, heads, s->pairs, mul_add(t, 4, dim, softcap ? 8 : 5));
  FLOPS(t, heads, s->queries, dim);
  if (scaled) FLOPS(t, heads, s->queries);
}

/* Rotates each query and each key once, 3 flops an element; the cos and sin rows of the positions in use
   are read. A query in use has a position that some key in use has too, or one below 0 that has no row. */
static void rotate(tally *t, seen *s, int64_t heads, int64_t kv_heads) {
  const int64_t rows = spans_close(t, &s->positions);
  if (!tally_present(t, "rope_cos")) return;
  FLOPS(t, 3, tally_int(t, "R"), mul_add(t, s->queries, heads, mul(t, s->keys, kv_heads)));
  const int64_t table = tally_shape(t, "rope_cos").dims[0];
  tally_read_items(t, "rope_cos", 1, min_of(rows, table));
  tally_read_items(t, "rope_sin", 1, min_of(rows, table));
}

static void read_scales(tally *t) {
  tally_read_present(t, "q_scale");
  tally_read_present(t, "k_scale");
  tally_read_present(t, "v_scale");
}

static void gqa_dense(tally *t) {
  const int64_t batch = tally_int(t, "B"), kv = tally_int(t, "S_kv");
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  seen s = {0};
  const visibility v = see(t, &s, tally_int(t, "S_q"), kv, mask_of(t));
  s.pairs = mul(t, batch, s.pairs);
  s.queries = mul(t, batch, s.queries);
  s.keys = mul(t, batch, s.keys);
  if (batch > 0) spans_add(t, &s.positions, v.first, kv);
  attend(t, &s, heads, dim, has_softcap(t), tally_present(t, "v_scale"));
  rotate(t, &s, heads, kv_heads);
  tally_read_items(t, "q", 2, s.queries);
  tally_read_items(t, "k", 2, s.keys);
  tally_read_items(t, "v", 2, s.keys);
  read_scales(t);
  tally_write(t, "o");
}

/* gqa_dense_fwd_roofline: pairs = B visible(S_q, S_kv).
   flops = H pairs (4 D + 5 [+ 3]) + H D rows + 3 R (queries H + keys H_kv) [+ H rows under FP8]. */
ROOFLINE_FORMULA(gqa_dense_fwd_roofline) { return tally_cost(call, gqa_dense, cost); }
ROOFLINE_READ_BYTES(grouped_query_attention_dense_fwd) { return tally_reads(call, gqa_dense, bytes); }

static void gqa_varlen(tally *t) {
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  const attention_mask mask = mask_of(t);
  roofline_metadata cu_q, cu_kv;
  if (!tally_values(t, "cu_seqlens_q", &cu_q) || !tally_values(t, "cu_seqlens_kv", &cu_kv)) return;
  seen s = {0};
  for (int64_t i = 0; i + 1 < cu_q.count && tally_ok(t); i++) {
    const int64_t kv = tally_segment(t, &cu_kv, i);
    const visibility v = see(t, &s, tally_segment(t, &cu_q, i), kv, mask);
    spans_add(t, &s.positions, v.first, kv);
  }
  attend(t, &s, heads, dim, has_softcap(t), tally_present(t, "v_scale"));
  rotate(t, &s, heads, kv_heads);
  tally_read_items(t, "q", 1, s.queries);
  tally_read_items(t, "k", 1, s.keys);
  tally_read_items(t, "v", 1, s.keys);
  tally_read(t, "cu_seqlens_q");
  tally_read(t, "cu_seqlens_kv");
  read_scales(t);
  tally_write(t, "o");
}

/* gqa_varlen_fwd_roofline: gqa_dense_fwd_roofline summed over the requests that the prefix sums cut out. */
ROOFLINE_FORMULA(gqa_varlen_fwd_roofline) { return tally_cost(call, gqa_varlen, cost); }
ROOFLINE_READ_BYTES(grouped_query_attention_varlen_fwd) { return tally_reads(call, gqa_varlen, bytes); }
ROOFLINE_DATA_TERMS(grouped_query_attention_varlen_fwd) {
  (void)call;
  return "cu_seqlens_q and cu_seqlens_kv: each request's length";
}

/* ---- paged keys ---- */

typedef struct page_table {
  roofline_metadata pages; /* [B, W]: row i names request i's pages in order */
  int64_t width, page_size, pool;
} page_table;

/* Request i reads its keys [first, last) from the pool, and its table's entries up to key `reach`. Slots
   are numbered page * page_size + offset, so what two requests share lies in both their intervals. */
static void read_pages(tally *t, seen *s, const page_table *p, int64_t i, int64_t first, int64_t last,
                       int64_t reach) {
  const int64_t begin = div_down(t, first, p->page_size), end = div_up(t, reach, p->page_size);
  if (first >= reach || !tally_require(t, end <= p->width)) return;
  s->entries = add(t, s->entries, end - begin);
  const int64_t last_page = div_up(t, last, p->page_size);
  for (int64_t e = begin; e < last_page && tally_ok(t); e++) {
    const int64_t page = tally_item(t, &p->pages, mul_add(t, i, p->width, e), 0, p->pool);
    const int64_t shift = mul(t, page - e, p->page_size); /* from a key's position to its slot */
    const int64_t from = max_of(first, e * p->page_size), to = min_of(last, (e + 1) * p->page_size);
    spans_add(t, &s->slots, add(t, from, shift), add(t, to, shift));
  }
}

static page_table page_table_of(tally *t, const char *name, int64_t page_size, int64_t pool) {
  page_table p = {.page_size = page_size, .pool = pool};
  tally_require(t, page_size > 0);
  if (tally_values(t, name, &p.pages)) p.width = tally_shape(t, name).dims[1];
  return p;
}

static void gqa_paged(tally *t) {
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  const attention_mask mask = mask_of(t);
  const page_table pages = page_table_of(t, "page_table", tally_int(t, "PS"), tally_int(t, "NP"));
  roofline_metadata cu_q, lengths;
  if (!tally_values(t, "cu_seqlens_q", &cu_q) || !tally_values(t, "cache_seqlens", &lengths)) return;
  seen s = {0};
  for (int64_t i = 0; i < lengths.count && tally_ok(t); i++) {
    const int64_t kv = tally_item(t, &lengths, i, 0, INT64_MAX);
    const visibility v = see(t, &s, tally_segment(t, &cu_q, i), kv, mask);
    spans_add(t, &s.positions, v.first, kv);
    read_pages(t, &s, &pages, i, v.first, kv, kv);
  }
  const int64_t slots = spans_close(t, &s.slots);
  attend(t, &s, heads, dim, has_softcap(t), tally_present(t, "v_scale"));
  rotate(t, &s, heads, kv_heads);
  tally_read_items(t, "q", 1, s.queries);
  tally_read_items(t, "k_pages", 2, slots);
  tally_read_items(t, "v_pages", 2, slots);
  tally_read_items(t, "page_table", 2, s.entries);
  tally_read(t, "cache_seqlens");
  tally_read(t, "cu_seqlens_q");
  read_scales(t);
  tally_write(t, "o");
}

/* gqa_paged_fwd_roofline: as gqa_varlen_fwd_roofline with the lengths of cache_seqlens. K and V rows are the
   distinct (page, offset) that requests reach; of the table, the entries of pages with a key in use. */
ROOFLINE_FORMULA(gqa_paged_fwd_roofline) { return tally_cost(call, gqa_paged, cost); }
ROOFLINE_READ_BYTES(grouped_query_attention_paged_fwd) { return tally_reads(call, gqa_paged, bytes); }
ROOFLINE_DATA_TERMS(grouped_query_attention_paged_fwd) {
  (void)call;
  return "cu_seqlens_q and cache_seqlens: each request's lengths; page_table: distinct page slots";
}

/* Rows of the pool that two requests write are not the same; what one reads, another may read too. */
static void gqa_prefill_paged(tally *t) {
  const int64_t heads = tally_int(t, "H"), kv_heads = tally_int(t, "H_kv"), dim = tally_int(t, "D");
  const attention_mask mask = {tally_bool(t, "is_causal"), -1, -1};
  const page_table pages = page_table_of(t, "block_table", tally_int(t, "page_size"), tally_int(t, "NP"));
  const int64_t queries = tally_int(t, "T_q");
  roofline_metadata cu_q, lengths;
  if (!tally_values(t, "cu_seqlens_q", &cu_q) || !tally_values(t, "cache_seqlens", &lengths)) return;
  seen s = {0};
  for (int64_t i = 0; i < lengths.count && tally_ok(t); i++) {
    const int64_t q = tally_segment(t, &cu_q, i), cached = tally_item(t, &lengths, i, 0, INT64_MAX);
    const int64_t kv = add(t, cached, q);
    const visibility v = see(t, &s, q, kv, mask);
    read_pages(t, &s, &pages, i, v.first, cached, kv);
  }
  const int64_t slots = spans_close(t, &s.slots);
  const bool fp8_cache = tally_size(t, "k_pages") == 1;
  attend(t, &s, heads, dim, has_softcap(t), fp8_cache);
  if (tally_bool(t, "fuse_rope")) {
    const int64_t rotary = tally_present(t, "rotary_dim") ? tally_int(t, "rotary_dim") : dim;
    FLOPS(t, 3, rotary, queries, add(t, heads, kv_heads));
  }
  if (fp8_cache) {
    FLOPS(t, 2, 2, queries, kv_heads, dim); /* quantizes new k and v, 2 flops a value */
    tally_read(t, "k_scale");
    tally_read(t, "v_scale");
  }
  tally_read(t, "q");
  tally_read(t, "k_new");
  tally_read(t, "v_new");
  tally_read(t, "cu_seqlens_q");
  tally_read(t, "cache_seqlens");
  tally_read_items(t, "block_table", 2, s.entries);
  tally_read_items(t, "k_pages", 1, slots);
  tally_read_items(t, "v_pages", 1, slots);
  tally_write_items(t, "k_pages", 1, queries);
  tally_write_items(t, "v_pages", 1, queries);
  tally_write(t, "o");
}

/* gqa_prefill_paged_with_kv_cache_fwd_roofline: request of c cached and q new keys: visible(q, c +
   q). New rows come from k_new and v_new and are written to the pool, cached rows are read from it; a fused
   rotation makes its table itself. An FP8 cache adds H T_q for the value scale, 4 T_q H_kv D to quantize,
   and is read and written at its own width. */
ROOFLINE_FORMULA(gqa_prefill_paged_with_kv_cache_fwd_roofline) {
  return tally_cost(call, gqa_prefill_paged, cost);
}
ROOFLINE_READ_BYTES(grouped_query_attention_prefill_paged_with_kv_cache_fwd) {
  return tally_reads(call, gqa_prefill_paged, bytes);
}
ROOFLINE_DATA_TERMS(grouped_query_attention_prefill_paged_with_kv_cache_fwd) {
  (void)call;
  return "cu_seqlens_q and cache_seqlens: each request's lengths; block_table: distinct page slots";
}

static void paged_decode(tally *t) {
  const int64_t heads = tally_int(t, "H"), dim = tally_int(t, "D"), queries = tally_int(t, "S_q");
  const attention_mask mask = {tally_bool(t, "is_causal"), -1, -1};
  const page_table pages = page_table_of(t, "block_table", tally_int(t, "page_size"), tally_int(t, "NP"));
  roofline_metadata lengths;
  if (!tally_values(t, "real_seqlen_kv", &lengths)) return;
  seen s = {0};
  for (int64_t i = 0; i < lengths.count && tally_ok(t); i++) {
    const int64_t kv = tally_item(t, &lengths, i, 0, INT64_MAX);
    const visibility v = see(t, &s, queries, kv, mask);
    read_pages(t, &s, &pages, i, v.first, kv, kv);
  }
  const int64_t slots = spans_close(t, &s.slots);
  attend(t, &s, heads, dim, false, false);
  tally_read_items(t, "q", 2, s.queries);
  tally_read_items(t, "k", 1, slots);
  tally_read_items(t, "v", 1, slots);
  tally_read_items(t, "block_table", 2, s.entries);
  tally_read(t, "real_seqlen_kv");
  tally_write(t, "o");
}

/* paged_decode_roofline: S_q queries a request against its real_seqlen_kv keys, paged as above. */
ROOFLINE_FORMULA(paged_decode_roofline) { return tally_cost(call, paged_decode, cost); }
ROOFLINE_READ_BYTES(multi_head_attention_decode_paged_with_kv_cache_fwd) {
  return tally_reads(call, paged_decode, bytes);
}
ROOFLINE_DATA_TERMS(multi_head_attention_decode_paged_with_kv_cache_fwd) {
  (void)call;
  return "real_seqlen_kv: each request's length; block_table: distinct page slots";
}
