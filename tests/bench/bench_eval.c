/* What a generated evaluator costs, against a function written by hand with the same checked arithmetic,
   term by term as the formula and the signature have it, equal terms computed once:
   nanoseconds for one evaluation, the fastest of many rounds over all of an op's workload rows. Both give
   the same numbers, which is checked first. Target (issue 3): 1.25x. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <roofline/roofline.h>

#include "bench.h"
#include "elementwise_binary.h"
#include "gemm.h"
#include "linear_attention.h"
#include "norm.h"
#include "reduction.h"
#include "rope.h"

/* ---- by hand ---- */

static int64_t size_of(roofline_dtype t) { return roofline_dtype_size(t); }

static int64_t product(roofline_status *s, const int64_t *dims, int64_t n) {
  int64_t all = 1;
  for (int64_t i = 0; i < n; i++) all = roofline_mul(s, all, dims[i]);
  return all;
}

static roofline_status give(roofline_status s, int64_t flops, int64_t bytes, roofline_cost *cost) {
  if (s == ROOFLINE_OK) *cost = (roofline_cost){flops, bytes};
  return s;
}

static bool is_checked(const roofline_call *call) { return call->checked == ROOFLINE_CALL_CHECKED; }

static roofline_status gemm(const roofline_call *self, roofline_cost *cost) {
  const roofline_gemm_fwd_call *c = (const roofline_gemm_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  const int64_t size = size_of(c->T), M = c->M, N = c->N, K = c->K;
  const int64_t flops = roofline_mul(&s, roofline_mul(&s, roofline_mul(&s, 2, M), N), K);
  int64_t bytes = roofline_mul(&s, roofline_mul(&s, M, K), size);
  bytes = roofline_add(&s, bytes, roofline_mul(&s, roofline_mul(&s, K, N), size));
  bytes = roofline_add(&s, bytes, roofline_mul(&s, roofline_mul(&s, M, N), size));
  return give(s, flops, bytes, cost);
}

static roofline_status rms_norm(const roofline_call *self, roofline_cost *cost) {
  const roofline_rms_norm_fwd_call *c = (const roofline_rms_norm_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  const int64_t size = size_of(c->T), rows = product(&s, c->B.dims, c->B.rank);
  int64_t width = 1;
  for (int64_t i = 0; i < c->normalized_shape.len; i++)
    width = roofline_mul(&s, width, roofline_seq_item(&c->normalized_shape, i));
  const int64_t elements = roofline_mul(&s, rows, width), x = roofline_mul(&s, elements, size);
  const int64_t flops = roofline_mul(&s, c->present.weight ? 4 : 3, elements);
  int64_t bytes = roofline_add(&s, x, x);
  if (c->present.weight) bytes = roofline_add(&s, bytes, roofline_mul(&s, width, size));
  return give(s, flops, bytes, cost);
}

static roofline_status softmax(const roofline_call *self, roofline_cost *cost) {
  const roofline_softmax_fwd_call *c = (const roofline_softmax_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  const int64_t in = size_of(c->T), out = c->dtype == ROOFLINE_DTYPE_NONE ? in : size_of(c->dtype);
  const int64_t elements = product(&s, c->S.dims, c->S.rank);
  const int64_t bytes = roofline_add(&s, roofline_mul(&s, elements, in), roofline_mul(&s, elements, out));
  return give(s, roofline_mul(&s, 5, elements), bytes, cost);
}

static roofline_status rope(const roofline_call *self, roofline_cost *cost) {
  const roofline_ro_pe_fwd_call *c = (const roofline_ro_pe_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  int64_t elements = roofline_mul(&s, c->S, c->D);
  if (c->input_layout != ROOFLINE_RO_PE_FWD_INPUT_LAYOUT_1D)
    elements = roofline_mul(&s, roofline_mul(&s, elements, c->B), c->H);
  const int64_t bytes = roofline_mul(&s, roofline_mul(&s, 2, elements), size_of(c->T));
  return give(s, roofline_mul(&s, 3, elements), bytes, cost);
}

static roofline_status gla(const roofline_call *self, roofline_cost *cost) {
  const roofline_gla_fwd_call *c = (const roofline_gla_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  const int64_t B = c->B, S = c->S, H = c->H, DK = c->DK, DV = c->DV, size = size_of(c->T);
  const int64_t step = roofline_add(&s, roofline_mul3(&s, 5, DK, DV), roofline_mul(&s, 2, DK));
  const int64_t flops = roofline_mul4(&s, B, S, H, step);
  const int64_t q = roofline_mul5(&s, B, S, H, DK, size); /* k and g too */
  const int64_t v = roofline_mul5(&s, B, S, H, DV, size); /* o too */
  const int64_t state = roofline_mul5(&s, B, H, DK, DV, 4);
  int64_t bytes = roofline_add(&s, roofline_add(&s, roofline_add(&s, q, q), v), q);
  if (c->present.initial_state) bytes = roofline_add(&s, bytes, state);
  bytes = roofline_add(&s, roofline_add(&s, bytes, v), state);
  return give(s, flops, bytes, cost);
}

/* Elements of the broadcast of two shapes. */
static int64_t broadcast_size(roofline_status *s, const roofline_shape *a, const roofline_shape *b) {
  const roofline_shape *longer = a->rank >= b->rank ? a : b, *shorter = longer == a ? b : a;
  const int32_t lead = longer->rank - shorter->rank;
  int64_t all = product(s, longer->dims, lead);
  for (int32_t i = 0; i < shorter->rank; i++) {
    const int64_t x = longer->dims[lead + i], y = shorter->dims[i];
    if (x != y && x != 1 && y != 1) roofline_fail(s, ROOFLINE_E_DOMAIN);
    all = roofline_mul(s, all, x == 1 ? y : x);
  }
  return all;
}

static roofline_status add(const roofline_call *self, roofline_cost *cost) {
  const roofline_add_fwd_call *c = (const roofline_add_fwd_call *)self;
  if (!is_checked(self)) return ROOFLINE_E_UNCHECKED;
  roofline_status s = ROOFLINE_OK;
  const int64_t out = broadcast_size(&s, &c->A, &c->B), size = size_of(c->T);
  int64_t bytes = roofline_mul(&s, product(&s, c->A.dims, c->A.rank), size);
  bytes = roofline_add(&s, bytes, roofline_mul(&s, product(&s, c->B.dims, c->B.rank), size));
  bytes = roofline_add(&s, bytes, roofline_mul(&s, out, size));
  const bool plain = roofline_eq(c->alpha, roofline_int(1));
  return give(s, roofline_mul(&s, plain ? 1 : 2, out), bytes, cost);
}

/* ---- both ---- */

typedef roofline_status (*evaluator)(const roofline_call *call, roofline_cost *cost);

typedef struct contest {
  const roofline_op *op;
  evaluator by_hand;
} contest;

typedef struct job {
  const roofline_op *op;
  evaluator evaluate;
  int64_t sum; /* of everything, so that nothing is left out */
} job;

enum { REPEAT = 20000, ROUNDS = 25 };

static void evaluate_rows(void *to) {
  job *j = to;
  for (int n = 0; n < REPEAT; n++)
    for (int32_t i = 0; i < j->op->row_count; i++) {
      roofline_cost cost = {0, 0};
      j->evaluate(j->op->rows[i].call, &cost);
      j->sum += cost.flops ^ cost.bytes;
    }
}

static double nanoseconds(const roofline_op *op, evaluator evaluate) {
  job j = {op, evaluate, 0};
  return bench_best(ROUNDS, evaluate_rows, &j) * 1e9 / REPEAT / op->row_count;
}

static void check_equal(const contest *c) {
  for (int32_t i = 0; i < c->op->row_count; i++) {
    roofline_cost x = {0, 0}, y = {0, 0};
    const roofline_call *call = c->op->rows[i].call;
    if (c->op->eval(call, &x) == c->by_hand(call, &y) && x.flops == y.flops && x.bytes == y.bytes) continue;
    printf("%s %s: generated %" PRId64 " %" PRId64 ", by hand %" PRId64 " %" PRId64 "\n", c->op->name,
           c->op->rows[i].case_id, x.flops, x.bytes, y.flops, y.bytes);
    exit(1);
  }
}

int main(void) {
  static const contest contests[] = {
      {&roofline_gemm_fwd_op, gemm},       {&roofline_rms_norm_fwd_op, rms_norm},
      {&roofline_softmax_fwd_op, softmax}, {&roofline_ro_pe_fwd_op, rope},
      {&roofline_gla_fwd_op, gla},         {&roofline_add_fwd_op, add}};
  printf("%-16s %-20s %12s %12s %8s\n", "op", "family", "generated ns", "by hand ns", "ratio");
  for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) {
    const contest *c = &contests[i];
    check_equal(c);
    const double generated = nanoseconds(c->op, c->op->eval), by_hand = nanoseconds(c->op, c->by_hand);
    printf("%-16s %-20s %12.1f %12.1f %7.2fx\n", c->op->name, c->op->family, generated, by_hand,
           generated / by_hand);
  }
  return 0;
}
