/* Pricing: a measured record against a profile's roofs gives a reading. Pure arithmetic: no
   allocation, no locale, no I/O. docs/pricing.md "Reading a report". */
#ifndef ROOFLINE_PRICE_H
#define ROOFLINE_PRICE_H

#include <roofline/profile.h>
#include <roofline/record.h>
#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order a report lists them; the rules that choose are ordered in price.c. */
typedef enum roofline_verdict {
  ROOFLINE_FORMULA_ERROR, /* moved more bytes, or did more flops, than the device can: the count is wrong */
  ROOFLINE_ANOMALY,       /* better than the calibrated roof by more than noise */
  ROOFLINE_LATENCY_BOUND, /* too small to be bound by a roof */
  ROOFLINE_AT_CEILING,
  ROOFLINE_BELOW,
  ROOFLINE_BLANK, /* cannot be priced, for the reading's reason */
  ROOFLINE_VERDICT_COUNT
} roofline_verdict;
ROOFLINE_API const char *roofline_verdict_name(roofline_verdict verdict); /* "formula_error", ... */

/* Why a row is blank, in the order they are looked for; or what fired for a formula error. */
typedef enum roofline_reason {
  ROOFLINE_REASON_NONE,
#define REASON(name, text, meaning) ROOFLINE_REASON_##name,
#include <roofline/reason.def>
#undef REASON
  ROOFLINE_REASON_COUNT
} roofline_reason;
ROOFLINE_API const char *roofline_reason_name(roofline_reason reason);    /* "no_profile"; NULL for NONE */
ROOFLINE_API const char *roofline_reason_meaning(roofline_reason reason); /* a phrase for people */

typedef enum roofline_bound { ROOFLINE_BOUND_MEMORY, ROOFLINE_BOUND_COMPUTE } roofline_bound;
ROOFLINE_API const char *roofline_bound_name(roofline_bound bound);

typedef struct roofline_thresholds {
  double at_ceiling;        /* 0.80: efficiency from which a row is at its ceiling */
  double anomaly;           /* 1.05: efficiency above which a row is an anomaly */
  double latency_sol_us;    /* 3: latency-bound only when the speed-of-light time is below it, and ... */
  double latency_actual_us; /* 20: ... the measured time is below it */
} roofline_thresholds;
ROOFLINE_API roofline_thresholds roofline_default_thresholds(void);

typedef struct roofline_price_options {
  bool theoretical; /* price on theoretical peaks: every calibration counts as 1 */
  double target;    /* the efficiency that attainable_speedup leads to; 0: thresholds.at_ceiling */
} roofline_price_options;

/* NaN: a number this reading lacks. Times in ms, rates per second, shares of 1. */
typedef struct roofline_reading {
  roofline_verdict verdict;
  roofline_reason reason;
  roofline_bound bound; /* meaningless in a blank reading */
  const roofline_roof *roof;
  double efficiency;
  double sol_time_ms, memory_time_ms, compute_time_ms, actual_time_ms;
  double arithmetic_intensity, ridge_point; /* flops/byte */
  double achieved_bytes_per_s, achieved_flops_per_s;
  double hbm_share_effective, hbm_share_theoretical; /* achieved bytes/s as a share of the roof's */
  double roof_share_effective, roof_share_theoretical;
  double attainable_speedup; /* rows at or below the ceiling only */
} roofline_reading;

/* Prices one record. `profile` is the one that claims the record's device, NULL when none does. */
ROOFLINE_API roofline_reading roofline_price(const roofline_profile *profile, const roofline_record *record,
                                             const roofline_thresholds *thresholds,
                                             const roofline_price_options *options);

#ifdef __cplusplus
}
#endif
#endif
