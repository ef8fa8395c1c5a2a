/* Attention formulas against counting pair by pair: every query, every key, a mark on everything touched.
   Shapes, windows, page tables and selections are random and small; the closed forms must agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_text.h"
#include "random_shapes.h"

enum { TRIALS = 300, MOST = 64 };

/* What a mask is made of, and the sums that the formulas derive. */
typedef struct recount {
  bool causal;
  int64_t left, right;
  int64_t pairs, queries;
} recount;

/* Marks every key of one request that some query sees. */
static void look(recount *r, int64_t q, int64_t kv, bool *seen) {
  for (int64_t i = 0; i < q; i++) {
    const int64_t at = i + kv - q;
    bool any = false;
    for (int64_t j = 0; j < kv; j++) {
      if (r->causal && j > at) continue;
      if (r->left >= 0 && j < at - r->left) continue;
      if (r->right >= 0 && j > at + r->right) continue;
      r->pairs++;
      any = seen[j] = true;
    }
    r->queries += any;
  }
}

static int64_t marks(const bool *seen, int64_t count) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++) n += seen[i];
  return n;
}

static recount random_mask(void) {
  recount r = {below(2) == 0, below(6) - 1, below(6) - 1, 0, 0};
  return r;
}

static int64_t score_flops(const recount *r, int64_t heads, int64_t dim, bool softcap) {
  return heads * (r->pairs * (4 * dim + 5 + (softcap ? 3 : 0)) + dim * r->queries);
}

static void test_dense(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    recount r = random_mask();
    const int64_t batch = below(3), kv = below(12), group = 1 + below(3), kv_heads = 1 + below(2);
    const bool rope = below(2) == 0, fp8 = below(3) == 0;
    const int64_t q = r.causal || rope ? below(kv + 1) : below(12), dim = 8, rotary = 4;
    const int64_t heads = group * kv_heads, size = fp8 ? 1 : 2;
    const int softcap = (int)below(3); /* absent, 0 (none), 30 */
    char text[512];
    snprintf(text, sizeof text,
             "B=%" PRId64 " S_q=%" PRId64 " S_kv=%" PRId64 " H=%" PRId64 " H_kv=%" PRId64
             " D=8 T=%s is_causal=%s window_size_left=%" PRId64 " window_size_right=%" PRId64 "%s%s%s",
             batch, q, kv, heads, kv_heads, fp8 ? "float8_e4m3fn" : "float16", r.causal ? "true" : "false",
             r.left, r.right,
             softcap == 0   ? ""
             : softcap == 1 ? " softcap=0.0"
                            : " softcap=30.0",
             fp8 ? " out_dtype=float16 +q_scale +k_scale +v_scale" : "",
             rope ? " pos_encoding_mode=rope rotary_dim=4 P_pad=3 +rope_cos +rope_sin" : "");
    const price p = price_text("GroupedQueryAttentionDenseFwdOp", text);

    bool seen[MOST] = {false};
    look(&r, q, kv, seen);
    const int64_t keys = marks(seen, kv), queries = batch * r.queries;
    int64_t flops = batch * score_flops(&r, heads, dim, softcap == 2) + (fp8 ? heads * queries : 0);
    int64_t reads =
        dim * size * (queries * heads + 2 * batch * keys * kv_heads) + (fp8 ? 3 * 4 * batch * kv_heads : 0);
    if (rope) {
      flops += 3 * rotary * (queries * heads + batch * keys * kv_heads);
      reads += batch > 0 ? 2 * 2 * keys * (rotary / 2) : 0;
    }
    if (p.flops != flops || p.reads != reads || p.bytes != reads + 2 * batch * q * heads * dim)
      fail_msg("%s: %" PRId64 " flops, not %" PRId64 "; %" PRId64 " read, not %" PRId64, text, p.flops, flops,
               p.reads, reads);
  }
}

/* Prefix sums of `count` lengths below `most`, as int32 metadata. */
static int64_t random_lengths(int64_t *lengths, int32_t *sums, int64_t count, int64_t most) {
  sums[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    lengths[i] = below(most);
    sums[i + 1] = sums[i] + (int32_t)lengths[i];
  }
  return sums[count];
}

static void test_varlen(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    recount r = random_mask();
    const int64_t batch = below(4), heads = 4, kv_heads = 2, dim = 8;
    const bool rope = below(2) == 0;
    int64_t q_lens[4] = {0}, kv_lens[4] = {0}, dims[] = {batch + 1};
    int32_t cu_q[5], cu_kv[5];
    const int64_t t_q = random_lengths(q_lens, cu_q, batch, 7),
                  t_kv = random_lengths(kv_lens, cu_kv, batch, 9);
    char text[512];
    snprintf(text, sizeof text,
             "B=%" PRId64 " T_q=%" PRId64 " T_kv=%" PRId64
             " H=4 H_kv=2 D=8 T=bfloat16 is_causal=%s window_size_left=%" PRId64 " window_size_right=%" PRId64
             "%s",
             batch, t_q, t_kv, r.causal ? "true" : "false", r.left, r.right,
             rope ? " P=16 pos_encoding_mode=rope +rope_cos +rope_sin" : "");
    roofline_binding *b = open_call("GroupedQueryAttentionVarlenFwdOp", text);
    set_values(b, "cu_seqlens_q", ROOFLINE_INT32, 1, dims, cu_q);
    set_values(b, "cu_seqlens_kv", ROOFLINE_INT32, 1, dims, cu_kv);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    bool positions[MOST] = {false};
    int64_t keys = 0;
    for (int64_t i = 0; i < batch; i++) {
      bool seen[MOST] = {false};
      look(&r, q_lens[i], kv_lens[i], seen);
      keys += marks(seen, kv_lens[i]);
      for (int64_t j = 0; j < kv_lens[i]; j++) positions[j] = positions[j] || seen[j];
    }
    int64_t flops = score_flops(&r, heads, dim, false);
    int64_t reads = 2 * dim * (r.queries * heads + 2 * keys * kv_heads) + 2 * 4 * (batch + 1);
    if (rope) {
      flops += 3 * dim * (r.queries * heads + keys * kv_heads);
      reads += 2 * 2 * marks(positions, MOST) * (dim / 2);
    }
    if (p.flops != flops || p.reads != reads || p.bytes != reads + 2 * t_q * heads * dim)
      fail_msg("%s: %" PRId64 " flops, not %" PRId64 "; %" PRId64 " read, not %" PRId64, text, p.flops, flops,
               p.reads, reads);
  }
}

/* A pool of pages, shared at will: what is reached of it, entry by entry and key by key. */
typedef struct pool {
  int64_t pages, width, size;
  int32_t table[4 * 6];
  bool reached[MOST], consulted[4 * 6];
} pool;

static pool random_pool(int64_t batch) {
  pool p = {1 + below(8), 1 + below(6), 1 + below(4), {0}, {false}, {false}};
  for (int64_t i = 0; i < batch * p.width; i++) p.table[i] = (int32_t)below(p.pages);
  return p;
}

static void reach(pool *p, int64_t request, int64_t key, bool reads) {
  const int64_t entry = request * p->width + key / p->size;
  p->consulted[entry] = true;
  if (reads) p->reached[p->table[entry] * p->size + key % p->size] = true;
}

static void test_paged(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    recount r = random_mask();
    const int64_t batch = 1 + below(3), heads = 4, kv_heads = 2, dim = 8;
    pool s = random_pool(batch);
    int64_t q_lens[4] = {0}, table_dims[] = {batch, s.width}, cu_dims[] = {batch + 1};
    int32_t cu[5], lengths[4];
    const int64_t t_q = random_lengths(q_lens, cu, batch, 6);
    for (int64_t i = 0; i < batch; i++) lengths[i] = (int32_t)below(s.width * s.size + 1);
    char text[512];
    snprintf(text, sizeof text,
             "B=%" PRId64 " T_q=%" PRId64 " NP=%" PRId64 " PS=%" PRId64 " W=%" PRId64
             " H=4 H_kv=2 D=8 T=float16 KV=float16 is_causal=%s window_size_left=%" PRId64
             " window_size_right=%" PRId64,
             batch, t_q, s.pages, s.size, s.width, r.causal ? "true" : "false", r.left, r.right);
    roofline_binding *b = open_call("GroupedQueryAttentionPagedFwdOp", text);
    set_values(b, "page_table", ROOFLINE_INT32, 2, table_dims, s.table);
    set_values(b, "cache_seqlens", ROOFLINE_INT32, 1, &batch, lengths);
    set_values(b, "cu_seqlens_q", ROOFLINE_INT32, 1, cu_dims, cu);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    for (int64_t i = 0; i < batch; i++) {
      bool seen[MOST] = {false};
      look(&r, q_lens[i], lengths[i], seen);
      for (int64_t j = 0; j < lengths[i]; j++)
        if (seen[j]) reach(&s, i, j, true);
    }
    const int64_t flops = score_flops(&r, heads, dim, false);
    const int64_t reads = 2 * dim * (r.queries * heads + 2 * marks(s.reached, MOST) * kv_heads) +
                          4 * marks(s.consulted, 24) + 4 * batch + 4 * (batch + 1);
    if (p.flops != flops || p.reads != reads || p.bytes != reads + 2 * t_q * heads * dim)
      fail_msg("%s: %" PRId64 " flops, not %" PRId64 "; %" PRId64 " read, not %" PRId64, text, p.flops, flops,
               p.reads, reads);
  }
}

static void test_prefill_paged(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    recount r = {below(2) == 0, -1, -1, 0, 0};
    const int64_t batch = 1 + below(3), heads = 4, kv_heads = 2, dim = 8;
    const bool fp8 = below(2) == 0, rope = below(2) == 0;
    pool s = random_pool(batch);
    int64_t q_lens[4] = {0}, table_dims[] = {batch, s.width}, cu_dims[] = {batch + 1};
    int32_t cu[5], cached[4];
    const int64_t t_q = random_lengths(q_lens, cu, batch, s.width * s.size < 5 ? s.width * s.size + 1 : 6);
    for (int64_t i = 0; i < batch; i++) cached[i] = (int32_t)below(s.width * s.size - q_lens[i] + 1);
    char text[512];
    snprintf(text, sizeof text,
             "B=%" PRId64 " T_q=%" PRId64 " PT=%" PRId64 " page_size=%" PRId64 " W=%" PRId64
             " H=4 H_kv=2 D=8 max_seqlen_q=6 T=float16 is_causal=%s%s%s",
             batch, t_q, s.pages * s.size, s.size, s.width, r.causal ? "true" : "false",
             fp8 ? " cache_dtype=float8_e4m3fn" : "", rope ? " fuse_rope=true max_position=99" : "");
    roofline_binding *b = open_call("GroupedQueryAttentionPrefillPagedWithKVCacheFwdOp", text);
    set_values(b, "block_table", ROOFLINE_INT32, 2, table_dims, s.table);
    set_values(b, "cache_seqlens", ROOFLINE_INT32, 1, &batch, cached);
    set_values(b, "cu_seqlens_q", ROOFLINE_INT32, 1, cu_dims, cu);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    for (int64_t i = 0; i < batch; i++) {
      bool seen[MOST] = {false};
      look(&r, q_lens[i], cached[i] + q_lens[i], seen);
      for (int64_t j = 0; j < cached[i] + q_lens[i]; j++)
        if (seen[j]) reach(&s, i, j, j < cached[i]); /* new keys are written there */
    }
    const int64_t width = fp8 ? 1 : 2;
    const int64_t flops = score_flops(&r, heads, dim, false) +
                          (fp8 ? heads * r.queries + 2 * 2 * t_q * kv_heads * dim : 0) +
                          (rope ? 3 * dim * t_q * (heads + kv_heads) : 0);
    const int64_t reads = 2 * dim * t_q * (heads + 2 * kv_heads) +
                          2 * width * marks(s.reached, MOST) * kv_heads * dim + 4 * marks(s.consulted, 24) +
                          4 * batch + 4 * (batch + 1) + (fp8 ? 8 : 0);
    const int64_t writes = 2 * t_q * heads * dim + 2 * width * t_q * kv_heads * dim;
    if (p.flops != flops || p.reads != reads || p.bytes != reads + writes)
      fail_msg("%s: %" PRId64 " flops, not %" PRId64 "; %" PRId64 " read, not %" PRId64, text, p.flops, flops,
               p.reads, reads);
  }
}

static void test_paged_decode(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    recount r = {below(2) == 0, -1, -1, 0, 0};
    const int64_t batch = 1 + below(3), q = 1 + below(4), heads = 3, dim = 8;
    pool s = random_pool(batch);
    int64_t table_dims[] = {batch, s.width};
    int32_t lengths[4];
    for (int64_t i = 0; i < batch; i++) lengths[i] = (int32_t)below(s.width * s.size + 1);
    char text[256];
    snprintf(text, sizeof text,
             "B=%" PRId64 " S_q=%" PRId64 " H=3 D=8 N_kv=%" PRId64 " page_size=%" PRId64 " W=%" PRId64
             " T=float16 is_causal=%s",
             batch, q, s.pages * s.size, s.size, s.width, r.causal ? "true" : "false");
    roofline_binding *b = open_call("MultiHeadAttentionDecodePagedWithKVCacheFwdOp", text);
    set_values(b, "block_table", ROOFLINE_INT32, 2, table_dims, s.table);
    set_values(b, "real_seqlen_kv", ROOFLINE_INT32, 1, &batch, lengths);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    for (int64_t i = 0; i < batch; i++) {
      bool seen[MOST] = {false};
      look(&r, q, lengths[i], seen);
      for (int64_t j = 0; j < lengths[i]; j++)
        if (seen[j]) reach(&s, i, j, true);
    }
    const int64_t reads =
        2 * dim * heads * (r.queries + 2 * marks(s.reached, MOST)) + 4 * marks(s.consulted, 24) + 4 * batch;
    assert_int_equal(p.flops, score_flops(&r, heads, dim, false));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 2 * batch * q * heads * dim);
  }
}

/* ---- selected keys ---- */

static void test_dsa(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t batch = 1 + below(2), q = 1 + below(4), kv = 1 + below(9), kv_heads = 1 + below(2);
    const int64_t group = 1 + below(3), k = 1 + below(4), dim = 8, tail = 2, stride = 1 + below(3);
    const int64_t start = stride == 1 && below(2) == 0 ? 0 : stride + 1 + below(4);
    const bool causal = below(2) == 0;
    int32_t indices[2 * 4 * 2 * 4];
    const int64_t dims[] = {batch, q, kv_heads, k};
    for (int64_t i = 0; i < batch * q * kv_heads * k; i++) indices[i] = (int32_t)below(kv + 1);
    char text[256];
    snprintf(text, sizeof text,
             "B=%" PRId64 " S=%" PRId64 " S_kv=%" PRId64 " H=%" PRId64 " H_kv=%" PRId64
             " D=8 dim_tail=2 K=%" PRId64 " stride_kv=%" PRId64 " q_start_index_s=%" PRId64
             " T=float16 is_causal=%s",
             batch, q, kv, group * kv_heads, kv_heads, k, stride, start, causal ? "true" : "false");
    roofline_binding *b = open_call("DeepSeekSparseAttentionDecodeWithKVCacheFwdOp", text);
    set_values(b, "indices", ROOFLINE_INT32, 4, dims, indices);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    int64_t pairs = 0, rows = 0, keys = 0;
    for (int64_t i = 0; i < batch; i++) {
      for (int64_t g = 0; g < kv_heads; g++) {
        bool read[MOST] = {false};
        for (int64_t s = 0; s < q; s++) {
          bool selected[MOST] = {false};
          for (int64_t slot = 0; slot < k; slot++) {
            const int64_t j = indices[((i * q + s) * kv_heads + g) * k + slot];
            if (j < kv && (!causal || (j + 1) * stride <= start + s + 1)) selected[j] = read[j] = true;
          }
          pairs += marks(selected, kv);
          rows += marks(selected, kv) > 0;
        }
        keys += marks(read, kv);
      }
    }
    const int64_t reads = 2 * (dim + tail) * (group * rows + keys) + 4 * batch * q * kv_heads * k;
    assert_int_equal(p.flops, group * (pairs * (2 * (dim + tail) + 2 * dim + 5) + rows * dim));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 2 * batch * q * group * kv_heads * dim);
  }
}

/* "seq_lens=[..]" of `count` lengths from 1 to 12, and the rest of the text. */
static void nsa_text(char *text, size_t size, const int64_t *lengths, int64_t count, const char *rest) {
  size_t n = (size_t)snprintf(text, size, "N=%" PRId64 " seq_lens=[", count);
  for (int64_t i = 0; i < count; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%" PRId64, i > 0 ? "," : "", lengths[i]);
  snprintf(text + n, size - n, "] %s", rest);
}

static void test_nsa_compressed(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t count = 1 + below(3), bs = 1 + below(5), heads = 32, kv_heads = 2, dk = 8, dv = 4;
    int64_t lengths[3], tokens = 0, blocks = 0;
    int64_t pairs = 0, before = 0, rows = 0, closed = 0;
    for (int64_t i = 0; i < count; i++) {
      lengths[i] = 1 + below(12);
      tokens += lengths[i];
      blocks += (lengths[i] + bs - 1) / bs;
      bool read[MOST] = {false};
      for (int64_t at = 0; at < lengths[i]; at++) {
        bool any = false;
        for (int64_t c = 0; (c + 1) * bs <= lengths[i]; c++) {
          if ((c + 1) * bs > at + 1) continue; /* its last token is at or before this one */
          pairs++;
          before += c < at / bs;
          any = read[c] = true;
        }
        rows += any;
      }
      closed += marks(read, MOST);
    }
    char text[256], rest[192];
    snprintf(rest, sizeof rest,
             "T_q=%" PRId64 " C=%" PRId64 " H=32 H_kv=2 DK=8 DV=4 scale=1.0 bs=%" PRId64 " T=float16", tokens,
             blocks, bs);
    nsa_text(text, sizeof text, lengths, count, rest);
    price p = price_text("NSACmpVarlenFwdOp", text);
    const int64_t packing = 2 * 4 * (count + 1) + 2 * 4 * tokens;
    int64_t reads = 2 * (rows * heads * dk + closed * kv_heads * (dk + dv)) + packing;
    assert_int_equal(p.flops, heads * (pairs * (2 * dk + 2 * dv + 5) + dv * rows + 2 * rows));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 2 * tokens * heads * (dv + 1));

    snprintf(rest, sizeof rest,
             "T_q=%" PRId64 " C=%" PRId64 " H=32 H_kv=2 D=8 scale=1.0 selected_block_num=1 "
             "bs=%" PRId64 " T=float16",
             tokens, blocks, bs);
    nsa_text(text, sizeof text, lengths, count, rest);
    p = price_text("NSATopkVarlenFwdOp", text);
    reads = 2 * (rows * heads * dk + closed * kv_heads * dk) + packing;
    assert_int_equal(p.flops, heads * (pairs * (2 * dk + 5) + 2 * before) + kv_heads * before);
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 4 * tokens * kv_heads);
  }
}

static void test_nsa_selected(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    enum { HEADS = 2, SLOTS = 3 };
    const int64_t count = 1 + below(3), block = 1 + below(4), group = 16, dim = 8;
    const bool causal = below(2) == 0;
    int64_t lengths[3], starts[3], tokens = 0;
    for (int64_t i = 0; i < count; i++) {
      starts[i] = tokens;
      lengths[i] = 1 + below(10);
      tokens += lengths[i];
    }
    int32_t indices[30 * HEADS * SLOTS], counts[30 * HEADS];
    for (int64_t i = 0; i < tokens * HEADS * SLOTS; i++)
      indices[i] = (int32_t)below(below(2) == 0 && tokens > 4 ? 5 : tokens + 1);
    for (int64_t i = 0; i < tokens * HEADS; i++) counts[i] = (int32_t)below(SLOTS + 1);
    const int64_t index_dims[] = {tokens, HEADS, SLOTS}, count_dims[] = {tokens, HEADS};
    char text[256], rest[192];
    snprintf(rest, sizeof rest,
             "T_q=%" PRId64 " H=32 H_kv=2 D=8 SEL=3 is_causal=%s scale=1.0 block_size=%" PRId64 " T=float16",
             tokens, causal ? "true" : "false", block);
    nsa_text(text, sizeof text, lengths, count, rest);
    roofline_binding *b = open_call("NSAVarlenFwdOp", text);
    set_values(b, "block_indices", ROOFLINE_INT32, 3, index_dims, indices);
    set_values(b, "block_counts", ROOFLINE_INT32, 2, count_dims, counts);
    const price p = price_of(bind_call(b));
    roofline_binding_free(b);

    int64_t pairs = 0, rows = 0, keys = 0, slots = 0;
    for (int64_t i = 0; i < count; i++) {
      for (int64_t g = 0; g < HEADS; g++) {
        bool read[MOST] = {false};
        for (int64_t at = 0; at < lengths[i]; at++) {
          const int64_t row = (starts[i] + at) * HEADS + g;
          bool kept[MOST] = {false};
          for (int64_t s = 0; s < counts[row]; s++)
            for (int64_t j = 0; j < lengths[i]; j++)
              if (j / block == indices[row * SLOTS + s] && (!causal || j <= at)) kept[j] = read[j] = true;
          pairs += marks(kept, MOST);
          rows += marks(kept, MOST) > 0;
          slots += counts[row];
        }
        keys += marks(read, MOST);
      }
    }
    const int64_t reads =
        2 * dim * (group * rows + 2 * keys) + 4 * (slots + tokens * HEADS + count + 1 + 2 * tokens);
    assert_int_equal(p.flops, group * (pairs * (4 * dim + 5) + rows * dim));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 2 * tokens * group * HEADS * dim);
  }
}

/* ---- indexing ---- */

static void test_indexing(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t batch = 1 + below(2), q = 1 + below(5), kv = 1 + below(9), groups = 1 + below(2), dim = 4;
    const int64_t heads = 2 * groups;
    const int kind = (int)below(3); /* bfloat16; fp8; fp8 with key scales */
    int32_t from[10] = {0}, to[10] = {0};
    for (int64_t i = 0; i < batch * q; i++) from[i] = (int32_t)below(kv + 1), to[i] = (int32_t)below(kv + 1);
    int64_t scored = 0, queries = 0, keys;
    bool read[MOST] = {false};
    for (int64_t i = 0; i < q; i++) {
      for (int64_t j = from[i]; j < to[i]; j++) scored++, read[j] = true;
      queries += from[i] < to[i];
    }
    keys = marks(read, kv);
    char text[256];
    snprintf(text, sizeof text,
             "B=%" PRId64 " S=%" PRId64 " S_kv=%" PRId64 " H=%" PRId64 " G=%" PRId64 " D=4 T=%s%s", batch, q,
             kv, heads, groups, kind == 0 ? "bfloat16" : "float8_e4m3fn", kind == 2 ? " +index_k_scale" : "");
    roofline_binding *b = open_call("FP8LightningIndexerFwdOp", text);
    set_values(b, "cu_seqlen_ks", ROOFLINE_INT32, 1, &q, from);
    set_values(b, "cu_seqlen_ke", ROOFLINE_INT32, 1, &q, to);
    const roofline_call *call = bind_call(b);
    price p = price_of(call);
    assert_string_equal(call->op->roof_key(call), "tensor_core.fp8");
    roofline_binding_free(b);
    const int64_t rows = batch * groups * keys, size = kind == 0 ? 2 : 1;
    int64_t reads = size * dim * (batch * queries * heads + rows) + 4 * queries * heads +
                    (kind == 2 ? 4 * rows : 0) + 2 * 4 * q;
    assert_int_equal(p.flops, batch * heads * scored * (2 * dim + 3) +
                                  (kind != 1 ? batch * groups * scored : 0) +
                                  (kind == 0 ? rows * (4 * dim + 2) : 0));
    assert_int_equal(p.reads, reads);
    assert_int_equal(p.bytes, reads + 4 * batch * q * kv * groups);

    const int64_t topk = 1 + below(kv), dims[] = {batch, q};
    int64_t ranked = 0;
    for (int64_t i = 0; i < batch * q; i++) ranked += to[i] - from[i] > topk ? to[i] - from[i] : 0;
    snprintf(text, sizeof text, "B=%" PRId64 " S=%" PRId64 " S_kv=%" PRId64 " G=%" PRId64 " topk=%" PRId64,
             batch, q, kv, groups, topk);
    b = open_call("TopKSelectFwdOp", text);
    set_values(b, "starts", ROOFLINE_INT32, 2, dims, from);
    set_values(b, "ends", ROOFLINE_INT32, 2, dims, to);
    p = price_of(bind_call(b));
    roofline_binding_free(b);
    assert_int_equal(p.flops, groups * ranked);
    assert_int_equal(p.reads, 4 * groups * ranked + 2 * 4 * batch * q);
    assert_int_equal(p.bytes, p.reads + 4 * batch * q * groups * topk);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dense),          cmocka_unit_test(test_varlen),
      cmocka_unit_test(test_paged),          cmocka_unit_test(test_prefill_paged),
      cmocka_unit_test(test_paged_decode),   cmocka_unit_test(test_dsa),
      cmocka_unit_test(test_nsa_compressed), cmocka_unit_test(test_nsa_selected),
      cmocka_unit_test(test_indexing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
