/* Right values of shipped operators that are known from elsewhere: derived by hand beside each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/formulas/visibility.h"
#include "runtime/formulas/window.h"

#include "call_text.h"

static int64_t pairs(int64_t q, int64_t kv, attention_mask mask) {
  tally t = {NULL, ROOFLINE_OK, 0, 0, 0};
  const visibility v = attention_visible(&t, q, kv, mask);
  assert_int_equal(t.status, ROOFLINE_OK);
  return v.pairs;
}

/* 1024 keys each but for the first 1023 queries: 32768 * 1024 - 1023 * 1024 / 2; and so on. */
static void test_causal_windows(void **state) {
  (void)state;
  assert_int_equal(pairs(32768, 32768, (attention_mask){true, 1023, -1}), 33030656);
  assert_int_equal(pairs(32768, 32768, (attention_mask){true, 1024, -1}), 33062400);
  assert_int_equal(pairs(32768, 32768, (attention_mask){true, -1, -1}), 536887296);
  /* 2^31 queries and keys: 2^30 (2^31 + 1), which no loop over pairs would live to see. */
  const int64_t n = INT64_C(1) << 31;
  assert_int_equal(pairs(n, n, (attention_mask){true, -1, -1}), (n / 2) * (n + 1));
  /* A window reaching past all positions is none, however far. */
  assert_int_equal(pairs(7, 9, (attention_mask){false, INT64_MAX, INT64_MAX}), 63);
}

static void test_overflow_is_a_status(void **state) {
  (void)state;
  tally t = {NULL, ROOFLINE_OK, 0, 0, 0};
  attention_visible(&t, INT64_C(1) << 40, INT64_C(1) << 40, (attention_mask){false, -1, -1});
  assert_int_equal(t.status, ROOFLINE_E_OVERFLOW);

  roofline_binding *b = open_call("GroupedQueryAttentionDenseFwdOp",
                                  "B=1 S_q=2147483648 S_kv=2147483648 H=16 H_kv=16 D=128 T=float16");
  const roofline_call *call = bind_call(b);
  roofline_cost cost = {11, 22};
  int64_t reads = 33;
  assert_int_equal(roofline_eval(call, &cost), ROOFLINE_E_OVERFLOW);
  assert_int_equal(cost.flops, 11);
  assert_int_equal(cost.bytes, 22);
  assert_int_equal(call->op->read_bytes(call, &reads), ROOFLINE_E_OVERFLOW); /* one walk counts both */
  assert_int_equal(reads, 33);
  roofline_binding_free(b);
}

/* The op's numbers for 32,768 tokens under a left window of 1023: H pairs (4 D + 5) + H D rows. */
static void test_sliding_window_attention(void **state) {
  (void)state;
  const price p = price_text("GroupedQueryAttentionDenseFwdOp",
                             "B=1 S_q=32768 S_kv=32768 H=8 H_kv=2 D=64 window_size_left=1023 T=bfloat16");
  assert_int_equal(p.flops, INT64_C(8) * 33030656 * (4 * 64 + 5) + INT64_C(8) * 64 * 32768);
  assert_int_equal(p.bytes, INT64_C(2) * 2 * 32768 * 64 * (8 + 2));
}

static void test_normalization(void **state) {
  (void)state;
  const price p = price_text("RMSNormFwdOp", "B=[2048] normalized_shape=[4096] T=float16 +weight");
  assert_int_equal(p.flops, 33554432); /* 4 per element */
  assert_int_equal(p.bytes, 33562624); /* in, out and 8 KiB of weight */
}

static void test_elementwise(void **state) {
  (void)state;
  assert_int_equal(price_text("ReluFwdOp", "S=[2048,4096] T=float16").flops, 8388608);
  assert_int_equal(price_text("AddFwdOp", "A=[3,1] B=[1,4] T=float16").flops, 12);
  assert_int_equal(price_text("AddFwdOp", "A=[3,1] B=[1,4] alpha=2 T=float16").flops, 24);
}

/* x in and out, and an int32 position a token; the table is the op's own. */
static void test_rotary_table_is_not_charged(void **state) {
  (void)state;
  const price p = price_text("RoPENeoxPositionIdsFwdOp",
                             "N=2048 H=32 D=128 T=bfloat16 P=int32 max_position=4096 seq_lens=[2048]");
  assert_int_equal(p.bytes, 33562624);
}

/* Written where it was read, or elsewhere: the same elements once each way. */
static void test_in_place_costs_the_same(void **state) {
  (void)state;
  const char *text = "B=[2048] N=4096 T=float16";
  const price apart = price_text("FusedAddRMSNormFwdOp", text),
              in_place = price_text("FusedAddRMSNormInPlaceFwdOp", text);
  assert_int_equal(apart.flops, in_place.flops);
  assert_int_equal(apart.bytes, in_place.bytes);
  assert_int_equal(apart.bytes, 4 * 2048 * 4096 * 2 + 4096 * 2);
}

/* The ids are sorted by: read; the routes' places are written: 4 bytes each, both int32. */
static void test_permute_reads_and_writes_ids(void **state) {
  (void)state;
  const price p =
      price_text("MoePrePermuteFwdOp", "T=512 H=128 K=2 num_local_experts=4 layout=tight D=float16");
  assert_int_equal(p.flops, 0);
  assert_int_equal(p.reads, 512 * 128 * 2 + 1024 * 4);
  assert_int_equal(p.bytes - p.reads, 1024 * 128 * 2 + 1024 * 4 + 4 * 4);
}

/* 512 tokens through 8 of 256 experts of which 170 are reached: 170 * 3 * 7168 * 2048 * 2 bytes of weights,
   14.97 GB, then hidden states and output of 7 MiB each, half a MiB of logits, 1 KiB of bias. */
static void test_distinct_experts(void **state) {
  (void)state;
  static int32_t ids[512 * 8];
  for (int i = 0; i < 512 * 8; i++) ids[i] = i % 170;
  const int64_t dims[] = {512, 8};
  roofline_binding *experts = open_call("FusedMoEExpertsFwdOp", "T=512 H=7168 F=2048 E=256 K=8 D=bfloat16");
  set_values(experts, "topk_ids", ROOFLINE_INT32, 2, dims, ids);
  const roofline_call *stage = bind_call(experts);
  roofline_binding *moe =
      open_call("FusedMoeFwdOp", "T=512 H=7168 F=2048 E=256 top_k=8 scoring_func=sigmoid renormalize=true "
                                 "routed_scaling_factor=2.827 D=bfloat16 +correction_bias");
  const roofline_call *bound = bind_call(moe);
  const int64_t expert = INT64_C(3) * 7168 * 2048 * 2, rest = 2 * 512 * 7168 * 2 + 512 * 256 * 4 + 256 * 4;

  /* Without a stage the least: every token on the same eight. */
  assert_int_equal(price_of(bound).bytes, 8 * expert + rest);
  assert_string_equal(bound->op->data_terms(bound), "lower bound: every token on the same experts");

  const roofline_call *slots[2] = {NULL, NULL};
  roofline_call *call = malloc(bound->op->call_size);
  assert_non_null(call);
  memcpy(call, bound, bound->op->call_size);
  assert_int_equal(roofline_call_attach(call, slots, "experts", stage), ROOFLINE_OK);
  assert_int_equal(price_of(call).bytes, 170 * expert + rest);
  assert_int_equal(170 * expert + rest, INT64_C(14988870656)); /* the public 14.989 GB */
  assert_string_equal(call->op->data_terms(call), "topk_ids of the experts stage: distinct experts");
  free(call);
  roofline_binding_free(moe);
  roofline_binding_free(experts);
}

/* A metadata value that the call does not carry is a status, or the bound the page names. */
static void test_absent_metadata(void **state) {
  (void)state;
  roofline_binding *b =
      open_call("GroupedQueryAttentionVarlenFwdOp", "B=2 T_q=4 T_kv=4 H=1 H_kv=1 D=8 P=0 T=float16");
  roofline_cost cost = {5, 6};
  assert_int_equal(roofline_eval(bind_call(b), &cost), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(cost.flops, 5);
  assert_int_equal(cost.bytes, 6);
  roofline_binding_free(b);
}

/* A kernel of 131,072 taps over as many positions: n (n + 1) / 2 pairs inside, counted tap by tap. */
static void test_long_kernel(void **state) {
  (void)state;
  const int64_t n = 131072;
  tally t = {NULL, ROOFLINE_OK, 0, 0, 0};
  const taps c = window_taps(&t, (window){n, n, n, 1, n - 1, 1});
  assert_int_equal(t.status, ROOFLINE_OK);
  assert_int_equal(c.inside, n * (n + 1) / 2);
  assert_int_equal(c.touched, n);
  assert_int_equal(c.used, n);
}

/* Two requests over 65,536 pages of 16: one names them backwards, the other the even ones twice over. */
static void test_large_page_table(void **state) {
  (void)state;
  enum { PAGES = 65536, SIZE = 16 };
  int32_t *table = malloc(2 * PAGES * sizeof *table);
  assert_non_null(table);
  for (int32_t i = 0; i < PAGES; i++) {
    table[i] = PAGES - 1 - i;
    table[PAGES + i] = i / 4 * 2;
  }
  const int64_t dims[] = {2, PAGES}, two = 2, three = 3;
  const int32_t cu[] = {0, 1, 2}, lengths[] = {PAGES * SIZE / 2, PAGES * SIZE}; /* the first its upper half */
  roofline_binding *b =
      open_call("GroupedQueryAttentionPagedFwdOp", "B=2 T_q=2 NP=65536 PS=16 W=65536 H=1 H_kv=1 D=8 "
                                                   "T=float16 KV=float16");
  set_values(b, "page_table", ROOFLINE_INT32, 2, dims, table);
  set_values(b, "cache_seqlens", ROOFLINE_INT32, 1, &two, lengths);
  set_values(b, "cu_seqlens_q", ROOFLINE_INT32, 1, &three, cu);
  const price p = price_of(bind_call(b));
  /* Upper half by the first; of the lower half the even pages, up to 32,766, by the second. */
  const int64_t pages = PAGES / 2 + PAGES / 4;
  const int64_t tables = 4 * (PAGES / 2 + PAGES) + 2 * 4 + 3 * 4, queries = 2 * 2 * 8;
  assert_int_equal(p.reads, queries + 2 * 2 * 8 * pages * SIZE + tables);
  assert_int_equal(p.flops, (PAGES * SIZE / 2 + PAGES * SIZE) * (4 * 8 + 5) + 2 * 8);
  roofline_binding_free(b);
  free(table);
}

/* Each of 131,072 queries scores its last 65,536 keys, in an order that jumps about. */
static void test_many_windows(void **state) {
  (void)state;
  enum { QUERIES = 131072, WIDTH = 65536 };
  int32_t *from = malloc(QUERIES * sizeof *from), *to = malloc(QUERIES * sizeof *to);
  assert_true(from != NULL && to != NULL);
  for (int64_t i = 0; i < QUERIES; i++) {
    from[i] = (int32_t)(i * 40503 % (QUERIES - WIDTH));
    to[i] = from[i] + WIDTH;
  }
  const int64_t queries = QUERIES;
  roofline_binding *b =
      open_call("FP8LightningIndexerFwdOp", "B=1 S=131072 S_kv=131072 H=1 G=1 D=1 T=float8_e4m3fn");
  set_values(b, "cu_seqlen_ks", ROOFLINE_INT32, 1, &queries, from);
  set_values(b, "cu_seqlen_ke", ROOFLINE_INT32, 1, &queries, to);
  const price p = price_of(bind_call(b));
  assert_int_equal(p.flops, INT64_C(5) * QUERIES * WIDTH);
  /* Starts are all of [0, 65,536): the windows cover every key but the last. */
  assert_int_equal(p.reads, queries + (QUERIES - 1) + 4 * queries + 2 * 4 * queries);
  roofline_binding_free(b);
  free(from);
  free(to);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_causal_windows),
      cmocka_unit_test(test_overflow_is_a_status),
      cmocka_unit_test(test_sliding_window_attention),
      cmocka_unit_test(test_normalization),
      cmocka_unit_test(test_elementwise),
      cmocka_unit_test(test_rotary_table_is_not_charged),
      cmocka_unit_test(test_in_place_costs_the_same),
      cmocka_unit_test(test_permute_reads_and_writes_ids),
      cmocka_unit_test(test_distinct_experts),
      cmocka_unit_test(test_absent_metadata),
      cmocka_unit_test(test_long_kernel),
      cmocka_unit_test(test_large_page_table),
      cmocka_unit_test(test_many_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
