/* What the report formats share: labels, units, the summary. */
#include "runtime/pricing/report.h"

#include <math.h>

const char *report_basis(const report *r) { return r->options.theoretical ? "theoretical" : "calibrated"; }

double report_target(const report *r) {
  return r->options.target > 0 ? r->options.target : r->thresholds.at_ceiling;
}

double report_gain_ms(const priced_row *row) {
  double speedup = row->reading.attainable_speedup;
  return isnan(speedup) ? 0 : row->reading.actual_time_ms * (1 - 1 / speedup);
}

const char *report_verdict_label(roofline_verdict verdict) {
  static const char *const labels[ROOFLINE_VERDICT_COUNT] = {"formula error", "anomaly", "latency-bound",
                                                             "at ceiling",    "below",   "blank"};
  return labels[verdict];
}

/* Four significant digits: 9.300, 93.00, 930.0. */
static const char *scaled(double x, const char *const *units, int count, const char *suffix, char *text) {
  int unit = 0;
  if (!isfinite(x)) {
    snprintf(text, REPORT_UNIT_MAX, "-");
    return text;
  }
  while (x >= 999.95 && unit + 1 < count) x /= 1000, unit++;
  if (x >= 99999)
    snprintf(text, REPORT_UNIT_MAX, "%.3g %s%s", x, units[unit], suffix);
  else
    snprintf(text, REPORT_UNIT_MAX, "%.*f %s%s", x < 9.9995 ? 3 : x < 99.995 ? 2 : 1, x, units[unit], suffix);
  return text;
}

const char *report_time(double ms, char *text) {
  static const char *const units[] = {"ns", "µs", "ms", "s"};
  return scaled(ms * 1e6, units, 4, "", text);
}

const char *report_rate(double per_second, const char *unit, char *text) {
  static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(per_second, units, 7, unit, text);
}

void report_summary_lines(report *r, const char *indent) {
  const report_summary *s = &r->summary;
  const roofline_thresholds *t = &r->thresholds;
  writer_printf(r->out, "%s%llu row%s", indent, (unsigned long long)s->rows, s->rows == 1 ? "" : "s");
  for (int v = 0; v < ROOFLINE_VERDICT_COUNT; v++)
    writer_printf(r->out, "%s %llu %s", v == 0 ? ":" : ",", (unsigned long long)s->verdicts[v],
                  report_verdict_label((roofline_verdict)v));
  if (s->malformed > 0) writer_printf(r->out, "; %llu malformed", (unsigned long long)s->malformed);
  writer_literal(r->out, "\n");
  for (int i = 0; i < ROOFLINE_REASON_COUNT; i++)
    if (s->blanks[i] > 0)
      writer_printf(r->out, "%sblank, %s: %llu\n", indent, roofline_reason_meaning((roofline_reason)i),
                    (unsigned long long)s->blanks[i]);
  writer_printf(
      r->out,
      "%sthresholds: at ceiling from %g, anomaly above %g, latency-bound below %g µs of light and %g µs\n",
      indent, t->at_ceiling, t->anomaly, t->latency_sol_us, t->latency_actual_us);
  writer_printf(r->out, "%sefficiency is of %s roofs; gain leads to %g\n", indent, report_basis(r),
                report_target(r));
}
