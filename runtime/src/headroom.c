/* The verdict on one kernel, confidence, head and rankings. headroom.md §2.1, §2.7, §2.8, §2.10. */
#include <roofline/headroom.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const roofline_headroom_limits roofline_headroom_default_limits = {
    .dispatch_floor_us = 10.0,
    .raw_min = 0.001,
    .raw_max = 1.0,
    .latency_util = 0.60,
    .saturated = 0.9,
    .moderate = 0.6,
};

const char *roofline_headroom_bound_name(roofline_headroom_bound b) {
  static const char *const names[] = {"unknown", "memory", "compute", "latency"};
  return names[b];
}

const char *roofline_headroom_class_name(roofline_headroom_class c) {
  static const char *const names[] = {"unknown", "underperforming", "moderate", "saturated"};
  return names[c];
}

const char *roofline_confidence_name(roofline_confidence c) {
  static const char *const names[] = {"low", "medium", "high"};
  return names[c];
}

const char *roofline_op_class_name(roofline_op_class c) {
  static const char *const names[] = {"unknown", "gemm", "moe", "attn", "elementwise"};
  return names[c];
}

double roofline_headroom_target(roofline_op_class op_class, const char *product) {
  static const double targets[] = {NAN, 0.90, 0.90, 0.50, 0.875};
  bool moves_bytes = op_class == ROOFLINE_CLASS_MOE || op_class == ROOFLINE_CLASS_ELEMENTWISE;
  if (moves_bytes && product != NULL && strcasecmp(product, "r9700") == 0) return 0.76;
  return targets[op_class];
}

roofline_confidence roofline_headroom_confidence(roofline_headroom_stage stage, bool derived_peaks) {
  static const roofline_confidence of[] = {ROOFLINE_CONFIDENCE_LOW, ROOFLINE_CONFIDENCE_MEDIUM,
                                           ROOFLINE_CONFIDENCE_HIGH};
  return derived_peaks ? ROOFLINE_CONFIDENCE_LOW : of[stage];
}

static bool known(double peak) { return isfinite(peak) && peak > 0; }
static double finite_or_nan(double x) { return isfinite(x) ? x : NAN; }

/* The numbers; the verdict is judge's. A compute peak that is missing leaves its numbers NaN. */
static void measure(const roofline_headroom_case *c, roofline_headroom_result *r) {
  double t = c->t_ms / 1000.0, bytes = c->work.bytes, flops = c->work.flops;
  r->achieved_bw = finite_or_nan(bytes / t);
  r->achieved_flops = finite_or_nan(flops / t);
  r->arithmetic_intensity = bytes > 0 ? finite_or_nan(flops / bytes) : NAN;
  if (known(c->peak_bw)) r->hbm_util = finite_or_nan(r->achieved_bw / c->peak_bw);
  if (known(c->peak_flops)) r->compute_util = finite_or_nan(r->achieved_flops / c->peak_flops);
  if (known(c->peak_bw) && known(c->peak_flops)) r->ridge_point = c->peak_flops / c->peak_bw;
}

static void no_gain(roofline_headroom_result *r) {
  r->headroom = ROOFLINE_HEADROOM_UNKNOWN;
  r->attainable_speedup = 1.0;
  r->expected_gain_pct = 0.0;
}

static roofline_headroom_class class_of(double utilisation, double target,
                                        const roofline_headroom_limits *limits) {
  if (utilisation >= limits->saturated * target) return ROOFLINE_HEADROOM_SATURATED;
  if (utilisation >= limits->moderate * target) return ROOFLINE_HEADROOM_MODERATE;
  return ROOFLINE_HEADROOM_UNDERPERFORMING;
}

void roofline_headroom_judge(const roofline_headroom_case *c, const roofline_headroom_limits *limits,
                             roofline_headroom_result *out) {
  if (limits == NULL) limits = &roofline_headroom_default_limits;
  roofline_headroom_result r = {.rule = ROOFLINE_RULE_NO_INPUT,
                                .achieved_bw = NAN,
                                .achieved_flops = NAN,
                                .hbm_util = NAN,
                                .compute_util = NAN,
                                .arithmetic_intensity = NAN,
                                .ridge_point = NAN,
                                .roofline_pct = NAN,
                                .roofline_pct_raw = NAN,
                                .attainable_speedup = NAN,
                                .expected_gain_pct = NAN,
                                .bytes_upper_bound = NAN};
  bool has_input = isfinite(c->t_ms) && c->t_ms > 0 && isfinite(c->work.bytes) && isfinite(c->work.flops);
  if (!has_input) {
    *out = r;
    return;
  }
  measure(c, &r);
  /* NaN compares false: without a ridge, or with no bytes, the axis is memory. */
  bool compute_axis = r.arithmetic_intensity > r.ridge_point;
  roofline_headroom_bound axis =
      compute_axis ? ROOFLINE_HEADROOM_BOUND_COMPUTE : ROOFLINE_HEADROOM_BOUND_MEMORY;
  r.roofline_pct_raw = compute_axis ? r.compute_util : r.hbm_util;
  r.roofline_pct = isnan(r.roofline_pct_raw) ? NAN : fmin(fmax(r.roofline_pct_raw, 0.0), 1.0);
  double hbm = isnan(r.hbm_util) ? 0 : r.hbm_util;
  double compute = isnan(r.compute_util) ? 0 : r.compute_util;

  if (c->t_ms <= limits->dispatch_floor_us / 1000.0) {
    r.rule = ROOFLINE_RULE_DISPATCH;
    r.bound = ROOFLINE_HEADROOM_BOUND_LATENCY;
    no_gain(&r);
  } else if (!known(c->peak_bw)) {
    r.rule = ROOFLINE_RULE_NO_PEAKS;
  } else if (!(r.roofline_pct_raw >= limits->raw_min && r.roofline_pct_raw <= limits->raw_max) ||
             (c->work.bytes <= 0 && c->work.flops > 0)) {
    r.rule = ROOFLINE_RULE_INFEASIBLE;
    r.bound = axis;
    r.suspect = true;
    r.bytes_upper_bound = finite_or_nan(c->peak_bw * (c->t_ms / 1000.0));
    no_gain(&r);
  } else if (isnan(r.compute_util) && c->work.flops > 0 && hbm < limits->latency_util) {
    r.rule = ROOFLINE_RULE_NO_COMPUTE_PEAK;
    no_gain(&r);
  } else {
    r.rule = ROOFLINE_RULE_JUDGED;
    r.bound =
        hbm < limits->latency_util && compute < limits->latency_util ? ROOFLINE_HEADROOM_BOUND_LATENCY : axis;
    if (c->target > 0) {
      r.headroom = class_of(r.roofline_pct, c->target, limits);
      r.attainable_speedup = fmax(1.0, c->target / r.roofline_pct);
      r.expected_gain_pct = finite_or_nan(c->pct_gpu_time * (1.0 - 1.0 / r.attainable_speedup));
    }
  }
  *out = r;
}

static int by_pct(const void *left, const void *right) {
  const roofline_headroom_ranked *a = left, *b = right;
  bool a_has = !isnan(a->pct), b_has = !isnan(b->pct);
  if (a_has != b_has) return a_has ? -1 : 1;
  if (a_has && a->pct != b->pct) return a->pct > b->pct ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static int by_gain(const void *left, const void *right) {
  const roofline_headroom_ranked *a = left, *b = right;
  bool a_has = !isnan(a->gain), b_has = !isnan(b->gain);
  if (a_has != b_has) return a_has ? -1 : 1;
  if (a_has && a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
  return by_pct(left, right);
}

size_t roofline_headroom_head(roofline_headroom_ranked *items, size_t count, double threshold, size_t limit) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (items[i].pct >= threshold) items[kept++] = items[i];
  if (kept > 1) qsort(items, kept, sizeof *items, by_pct);
  return kept < limit ? kept : limit;
}

void roofline_headroom_rank_by_gain(roofline_headroom_ranked *items, size_t count) {
  if (count > 1) qsort(items, count, sizeof *items, by_gain);
}
