/* One measured row, and the writer a benchmark calls once per row. docs/pricing.md "Writing records";
   schemas/record.schema.json describes the line it writes. */
#ifndef ROOFLINE_RECORD_H
#define ROOFLINE_RECORD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "This integer is not known": a flops, bytes, read_bytes or n_samples nobody measured. */
#define ROOFLINE_ABSENT INT64_MIN

/* Start from roofline_record_empty(), which has every field absent: NULL, NaN or ROOFLINE_ABSENT. */
typedef struct roofline_record {
  const char *op;           /* op name */
  const char *case_id;      /* case id ("case" in the file: a keyword in C++) */
  const char *tag;          /* which implementation was measured; a baseline is a row of its own */
  const char *device;       /* as the driver reports it */
  const char *timing;       /* "cupti", "rocprofiler", "steady_clock": how the time was taken */
  const char *roof_key;     /* "tensor_core.bf16": the op's compute roof */
  const char *data_terms;   /* which values decided flops and bytes */
  double device_busy_ms;    /* median device-busy time of one call */
  double uncounted_copy_ms; /* device copies that device_busy_ms leaves out */
  double latency_ms;        /* median host-side latency */
  double p10_ms, p90_ms;    /* device-busy percentiles: the noise gate of `roofline diff` */
  int64_t n_samples;
  int64_t flops, bytes; /* from the op's generated evaluator */
  int64_t read_bytes;   /* the read half of bytes */
  const char *run;      /* JSON text, carried through: commit, date, driver, anything */
} roofline_record;

static inline roofline_record roofline_record_empty(void) {
  const double unknown = (double)NAN;
  roofline_record r;
  r.op = r.case_id = r.tag = r.device = r.timing = r.roof_key = r.data_terms = r.run = NULL;
  r.device_busy_ms = r.uncounted_copy_ms = r.latency_ms = r.p10_ms = r.p90_ms = unknown;
  r.n_samples = r.flops = r.bytes = r.read_bytes = ROOFLINE_ABSENT;
  return r;
}

/* Writes the record as one JSON line, in the field order above; absent optional fields are left out,
   an absent device_busy_ms, flops or bytes is written as null. Numbers round-trip and use '.' in every
   locale. `run` must be JSON text without a line end. E_UNKNOWN_NAME: op, case_id or device is NULL;
   E_DOMAIN: text that is not UTF-8, or `run` with a line end; E_IO: the write failed. Nothing is
   written unless the result is OK or E_IO. */
ROOFLINE_API roofline_status roofline_record_write(FILE *out, const roofline_record *record);

#ifdef __cplusplus
}
#endif
#endif
