/* The metric and the verdicts. pricing.md §1 and §4. */
#include <roofline/price.h>

#include <string.h>

static const char *const verdict_names[ROOFLINE_VERDICT_COUNT] = {"formula_error", "anomaly", "latency_bound",
                                                                  "at_ceiling",    "below",   "blank"};
static const char *const reason_names[ROOFLINE_REASON_COUNT] = {
    NULL,
#define REASON(name, text, meaning) text,
#include <roofline/reason.def>
#undef REASON
};
static const char *const reason_meanings[ROOFLINE_REASON_COUNT] = {
    NULL,
#define REASON(name, text, meaning) meaning,
#include <roofline/reason.def>
#undef REASON
};

const char *roofline_verdict_name(roofline_verdict verdict) { return verdict_names[verdict]; }
const char *roofline_reason_name(roofline_reason reason) { return reason_names[reason]; }
const char *roofline_reason_meaning(roofline_reason reason) { return reason_meanings[reason]; }
const char *roofline_bound_name(roofline_bound bound) {
  return bound == ROOFLINE_BOUND_MEMORY ? "memory" : "compute";
}

roofline_thresholds roofline_default_thresholds(void) { return (roofline_thresholds){0.80, 1.05, 3, 20}; }

/* With no profile to say which clock is the device's own, a clock that is no device's still is none. */
static bool device_timed(const roofline_profile *profile, const char *timing) {
  static const char *const clocks[] = {"cupti", "rocprofiler", "steady_clock"};
  if (timing == NULL) return false;
  if (profile != NULL) return strcmp(timing, profile->timing) == 0;
  for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
    if (strcmp(timing, clocks[i]) == 0) return true;
  return false;
}

/* A copy time nobody gave is none; one that was given counts as a time. */
static double actual_ms(const roofline_record *r) {
  return isnan(r->uncounted_copy_ms) ? r->device_busy_ms : r->device_busy_ms + r->uncounted_copy_ms;
}

static roofline_reason blank_reason(const roofline_profile *profile, const roofline_roof *roof,
                                    const roofline_record *r, bool theoretical) {
  if (!isfinite(actual_ms(r))) return ROOFLINE_REASON_TIME_MISSING;
  if (r->flops == ROOFLINE_ABSENT) return ROOFLINE_REASON_FLOPS_MISSING;
  if (r->bytes == ROOFLINE_ABSENT) return ROOFLINE_REASON_BYTES_MISSING;
  if (r->bytes <= 0) return ROOFLINE_REASON_BYTES_NOT_POSITIVE;
  if (r->flops < 0) return ROOFLINE_REASON_FLOPS_NEGATIVE;
  if (r->device_busy_ms <= 0 || r->uncounted_copy_ms < 0) return ROOFLINE_REASON_TIME_NOT_POSITIVE;
  if (!device_timed(profile, r->timing)) return ROOFLINE_REASON_NOT_DEVICE_TIMED;
  if (profile == NULL) return ROOFLINE_REASON_NO_PROFILE;
  if (roof == NULL) return ROOFLINE_REASON_NO_ROOF;
  if (theoretical) return ROOFLINE_REASON_NONE;
  if (roof->calibration <= 0) return ROOFLINE_REASON_ROOF_NOT_CALIBRATED;
  if (profile->hbm.calibration <= 0) return ROOFLINE_REASON_HBM_NOT_CALIBRATED;
  return ROOFLINE_REASON_NONE;
}

/* The order is the rule: a formula error is never shown as a fast kernel. */
static void judge(roofline_reading *reading, const roofline_profile *profile,
                  const roofline_thresholds *thresholds) {
  bool above_hbm = reading->achieved_bytes_per_s > profile->hbm.theoretical;
  bool above_roof = reading->achieved_flops_per_s > reading->roof->theoretical;
  if (above_hbm || above_roof) {
    reading->verdict = ROOFLINE_FORMULA_ERROR;
    reading->reason = !above_roof  ? ROOFLINE_REASON_ABOVE_HBM
                      : !above_hbm ? ROOFLINE_REASON_ABOVE_ROOF
                                   : ROOFLINE_REASON_ABOVE_BOTH;
  } else if (reading->efficiency > thresholds->anomaly) {
    reading->verdict = ROOFLINE_ANOMALY;
  } else if (reading->sol_time_ms < thresholds->latency_sol_us / 1000 &&
             reading->actual_time_ms < thresholds->latency_actual_us / 1000) {
    reading->verdict = ROOFLINE_LATENCY_BOUND;
  } else {
    reading->verdict = reading->efficiency >= thresholds->at_ceiling ? ROOFLINE_AT_CEILING : ROOFLINE_BELOW;
  }
}

roofline_reading roofline_price(const roofline_profile *profile, const roofline_record *record,
                                const roofline_thresholds *thresholds,
                                const roofline_price_options *options) {
  const double unknown = (double)NAN;
  const roofline_roof *roof =
      profile != NULL && record->roof_key != NULL ? roofline_profile_roof(profile, record->roof_key) : NULL;
  roofline_reading r = {ROOFLINE_BLANK,
                        blank_reason(profile, roof, record, options->theoretical),
                        ROOFLINE_BOUND_MEMORY,
                        roof,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown,
                        unknown};
  if (r.reason != ROOFLINE_REASON_NONE) return r;

  /* Everything in ms, and scaled before the one division, so that a time of exactly 3 µs or 20 µs is
     that threshold's own double and an edge falls on the side the rule says. */
  const double bytes = (double)record->bytes, flops = (double)record->flops;
  const double hbm = options->theoretical ? profile->hbm.theoretical : roofline_roof_effective(&profile->hbm);
  const double peak = options->theoretical ? roof->theoretical : roofline_roof_effective(roof);
  r.memory_time_ms = bytes * 1000 / hbm;
  r.compute_time_ms = flops * 1000 / peak;
  r.bound = r.memory_time_ms >= r.compute_time_ms ? ROOFLINE_BOUND_MEMORY : ROOFLINE_BOUND_COMPUTE;
  r.sol_time_ms = r.bound == ROOFLINE_BOUND_MEMORY ? r.memory_time_ms : r.compute_time_ms;
  r.actual_time_ms = actual_ms(record);
  r.efficiency = r.sol_time_ms / r.actual_time_ms;
  r.arithmetic_intensity = flops / bytes;
  r.ridge_point = peak / hbm;
  r.achieved_bytes_per_s = bytes * 1000 / r.actual_time_ms;
  r.achieved_flops_per_s = flops * 1000 / r.actual_time_ms;
  r.hbm_share_effective = r.memory_time_ms / r.actual_time_ms;
  r.hbm_share_theoretical = r.achieved_bytes_per_s / profile->hbm.theoretical;
  r.roof_share_effective = r.compute_time_ms / r.actual_time_ms;
  r.roof_share_theoretical = r.achieved_flops_per_s / roof->theoretical;
  judge(&r, profile, thresholds);
  if (r.verdict == ROOFLINE_BELOW || r.verdict == ROOFLINE_AT_CEILING) {
    double target = options->target > 0 ? options->target : thresholds->at_ceiling;
    r.attainable_speedup = r.efficiency < target ? target / r.efficiency : 1;
  }
  return r;
}
