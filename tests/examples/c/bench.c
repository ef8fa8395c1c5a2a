/* A benchmark of two CPU kernels, start to end: time the kernel, let the generated evaluator say what the
   call must cost, write one record a row. `roofline price` does the rest:

     bench > records.jsonl && roofline price --profiles cpu.yaml records.jsonl */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <roofline/ops/gemm.h>
#include <roofline/ops/reduction.h>
#include <roofline/record.h>

enum { SAMPLES = 15 };

/* ---- the kernels ---- */

typedef uint16_t bf16;
static float widen(bf16 x) {
  const uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
static bf16 narrow(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even; no nan here */
}

typedef struct gemm {
  int64_t M, N, K;
  const bf16 *a, *b; /* [M, K], [K, N] */
  bf16 *d;           /* [M, N] */
} gemm;

/* One block of d at a time, accumulated in float; b's block stays in the cache. */
static void run_gemm(void *self) {
  enum { BLOCK = 32 };
  const gemm *g = self;
  for (int64_t m0 = 0; m0 < g->M; m0 += BLOCK)
    for (int64_t n0 = 0; n0 < g->N; n0 += BLOCK) {
      const int64_t rows = g->M - m0 < BLOCK ? g->M - m0 : BLOCK;
      const int64_t columns = g->N - n0 < BLOCK ? g->N - n0 : BLOCK;
      float sum[BLOCK][BLOCK] = {{0}};
      for (int64_t k = 0; k < g->K; k++)
        for (int64_t m = 0; m < rows; m++) {
          const float a = widen(g->a[(m0 + m) * g->K + k]);
          for (int64_t n = 0; n < columns; n++) sum[m][n] += a * widen(g->b[k * g->N + n0 + n]);
        }
      for (int64_t m = 0; m < rows; m++)
        for (int64_t n = 0; n < columns; n++) g->d[(m0 + m) * g->N + n0 + n] = narrow(sum[m][n]);
    }
}

typedef struct softmax {
  int64_t rows, columns;
  const float *x;
  float *output;
} softmax;

static void run_softmax(void *self) {
  const softmax *s = self;
  for (int64_t r = 0; r < s->rows; r++) {
    const float *x = s->x + r * s->columns;
    float *y = s->output + r * s->columns, most = x[0], sum = 0;
    for (int64_t c = 1; c < s->columns; c++) most = x[c] > most ? x[c] : most;
    for (int64_t c = 0; c < s->columns; c++) sum += y[c] = expf(x[c] - most);
    for (int64_t c = 0; c < s->columns; c++) y[c] /= sum;
  }
}

/* ---- measuring ---- */

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times `run`, prices nothing: what the call must cost comes from its evaluator. */
static void measure(const char *case_id, void (*run)(void *), void *kernel, const roofline_call *call) {
  double times[SAMPLES];
  run(kernel); /* once for the caches */
  for (int i = 0; i < SAMPLES; i++) {
    const double start = now_ms();
    run(kernel);
    times[i] = now_ms() - start;
  }
  qsort(times, SAMPLES, sizeof *times, by_value);

  roofline_cost cost;
  roofline_status status = roofline_eval(call, &cost);
  roofline_record record = roofline_record_empty();
  record.op = call->op->name;
  record.case_id = case_id;
  record.tag = "example";
  record.device = "CPU";
  record.timing = "steady_clock";
  record.device_busy_ms = times[SAMPLES / 2];
  record.p10_ms = times[SAMPLES / 10];
  record.p90_ms = times[SAMPLES - 1 - SAMPLES / 10];
  record.n_samples = SAMPLES;
  record.roof_key = call->op->roof_key(call);
  if (status == ROOFLINE_OK) {
    record.flops = cost.flops;
    record.bytes = cost.bytes;
  }
  if (call->op->read_bytes != NULL && call->op->read_bytes(call, &record.read_bytes) != ROOFLINE_OK)
    record.read_bytes = ROOFLINE_ABSENT;
  if (status == ROOFLINE_OK) status = roofline_record_write(stdout, &record);
  if (status != ROOFLINE_OK) {
    fprintf(stderr, "%s: %s\n", case_id, roofline_status_name(status));
    exit(EXIT_FAILURE);
  }
}

static void check(roofline_status status, const roofline_error *error) {
  if (status == ROOFLINE_OK) return;
  fprintf(stderr, "%s: %s\n", roofline_status_name(status), error->message);
  exit(EXIT_FAILURE);
}

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (memory == NULL) exit(EXIT_FAILURE);
  return memory;
}

static void bench_gemm(int64_t M, int64_t N, int64_t K) {
  bf16 *a = allocate((size_t)(M * K) * sizeof *a), *b = allocate((size_t)(K * N) * sizeof *b);
  bf16 *d = allocate((size_t)(M * N) * sizeof *d);
  for (int64_t i = 0; i < M * K; i++) a[i] = narrow((float)(i % 7) - 3);
  for (int64_t i = 0; i < K * N; i++) b[i] = narrow((float)(i % 5) - 2);

  /* The tensors that the kernel is given are the tensors that the evaluator is given. */
  const int64_t a_shape[] = {M, K}, b_shape[] = {K, N};
  roofline_gemm_fwd_args args = roofline_gemm_fwd_defaults();
  args.trans_b = false;
  args.a = (roofline_tensor){ROOFLINE_BFLOAT16, 2, a_shape, NULL, a};
  args.b = (roofline_tensor){ROOFLINE_BFLOAT16, 2, b_shape, NULL, b};
  roofline_gemm_fwd_call call;
  roofline_error error;
  check(roofline_gemm_fwd_bind(&call, &args, &error), &error);

  char case_id[64];
  snprintf(case_id, sizeof case_id, "cpu.%dx%dx%d-bfloat16", (int)M, (int)N, (int)K);
  gemm kernel = {M, N, K, a, b, d};
  measure(case_id, run_gemm, &kernel, &call.roofline);
  for (int64_t m = 0; m < M; m += 17) { /* a fast kernel that is wrong has no efficiency */
    float sum = 0;
    for (int64_t k = 0; k < K; k++) sum += widen(a[m * K + k]) * widen(b[k * N + m % N]);
    if (d[m * N + m % N] != narrow(sum)) {
      fprintf(stderr, "gemm: d[%d, %d] is wrong\n", (int)m, (int)(m % N));
      exit(EXIT_FAILURE);
    }
  }
  free(a);
  free(b);
  free(d);
}

static void bench_softmax(int64_t rows, int64_t columns) {
  float *x = allocate((size_t)(rows * columns) * sizeof *x),
        *y = allocate((size_t)(rows * columns) * sizeof *y);
  for (int64_t i = 0; i < rows * columns; i++) x[i] = (float)(i % 11);

  const int64_t shape[] = {rows, columns};
  roofline_softmax_fwd_args args = roofline_softmax_fwd_defaults();
  args.dim = roofline_int(-1);
  args.x = (roofline_tensor){ROOFLINE_FLOAT32, 2, shape, NULL, x};
  roofline_softmax_fwd_call call;
  roofline_error error;
  check(roofline_softmax_fwd_bind(&call, &args, &error), &error);

  char case_id[64];
  snprintf(case_id, sizeof case_id, "cpu.%dx%d-float32", (int)rows, (int)columns);
  softmax kernel = {rows, columns, x, y};
  measure(case_id, run_softmax, &kernel, &call.roofline);
  free(x);
  free(y);
}

int main(void) {
  bench_gemm(256, 192, 320);
  bench_gemm(1, 1024, 512);
  bench_softmax(256, 4096);
  bench_softmax(3, 50257);
  return 0;
}
