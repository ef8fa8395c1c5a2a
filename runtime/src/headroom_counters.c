/* What hardware counters say one dispatch of a kernel does. headroom.md §2.9. */
#include <roofline/headroom.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const counter_names[ROOFLINE_COUNTER_COUNT] = {
    "FETCH_SIZE",   "WRITE_SIZE",   "MfmaFlops",    "MfmaFlopsBF16",
    "MfmaFlopsF16", "MfmaFlopsF32", "MfmaFlopsF64", "SQ_INSTS_VALU_MFMA_MOPS_F8"};

roofline_counter roofline_counter_find(const char *name, size_t length) {
  for (size_t i = 0; i < ROOFLINE_COUNTER_COUNT; i++)
    if (strlen(counter_names[i]) == length && strncasecmp(name, counter_names[i], length) == 0)
      return (roofline_counter)i;
  return ROOFLINE_COUNTER_COUNT;
}

void roofline_dispatch_init(roofline_dispatch *d) {
  for (size_t i = 0; i < ROOFLINE_COUNTER_COUNT; i++) d->value[i] = NAN;
}

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

double roofline_median(double *values, size_t count) {
  if (count == 0) return NAN;
  qsort(values, count, sizeof *values, by_value);
  size_t middle = count / 2;
  /* Halved before adding: two large values do not overflow. */
  return count % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
}

/* Over the dispatches where the counter was collected and is above zero. */
static double counter_median(const roofline_dispatch *d, size_t count, roofline_counter c, double *scratch) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (d[i].value[c] > 0 && isfinite(d[i].value[c])) scratch[n++] = d[i].value[c];
  return roofline_median(scratch, n);
}

static double or_zero(double x) { return isnan(x) ? 0 : x; }

/* In units of 1024 bytes; NaN when nothing was moved that anything measured. */
static double traffic(const roofline_dispatch *d, size_t count, double *scratch) {
  const roofline_counter F = ROOFLINE_COUNTER_FETCH_SIZE, W = ROOFLINE_COUNTER_WRITE_SIZE;
  bool together = false, fetch = false, write = false;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    bool f = !isnan(d[i].value[F]), w = !isnan(d[i].value[W]);
    together |= f && w;
    fetch |= f;
    write |= w;
    double total = or_zero(d[i].value[F]) + or_zero(d[i].value[W]);
    if (total > 0 && isfinite(total)) scratch[n++] = total;
  }
  /* Reads and writes collected in separate passes never share a dispatch: each has its own median. */
  if (fetch && write && !together) {
    double sum =
        or_zero(counter_median(d, count, F, scratch)) + or_zero(counter_median(d, count, W, scratch));
    return sum > 0 ? sum : NAN;
  }
  return roofline_median(scratch, n);
}

roofline_work roofline_headroom_measured(const roofline_dispatch *dispatches, size_t count, double *scratch) {
  roofline_work work = {.bytes = traffic(dispatches, count, scratch) * 1024, .flops = NAN};
  for (int c = ROOFLINE_COUNTER_MFMA_FLOPS; c < ROOFLINE_COUNTER_COUNT && isnan(work.flops); c++) {
    work.flops = counter_median(dispatches, count, (roofline_counter)c, scratch);
    if (c == ROOFLINE_COUNTER_MFMA_MOPS_F8) work.flops *= 512; /* counted in 512 operations */
  }
  return work;
}
