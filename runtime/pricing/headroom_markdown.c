/* profile_roofline.md: the same report for people. headroom.md §3. */
#include "runtime/pricing/headroom_run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Text from the inputs, on one line and without meaning to Markdown. */
static void put_plain(out_text *out, str s) {
  for (uint32_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    if ((unsigned char)c < 0x20 || c == 0x7f)
      out_put(out, STR(" "));
    else if (c == '<')
      out_put(out, STR("&lt;"));
    else if (c == '&')
      out_put(out, STR("&amp;"));
    else if (c == '_' && i > 0 && i + 1 < s.n && isalnum((unsigned char)s.p[i - 1]) &&
             isalnum((unsigned char)s.p[i + 1]))
      out_put(out, STR("_")); /* inside a word it means nothing */
    else if (strchr("\\`*_{}[]|#~>", c) != NULL)
      out_printf(out, "\\%c", c);
    else
      out_put(out, (str){s.p + i, 1});
  }
}

static void put_scaled(out_text *out, double x, const char *unit) {
  static const struct {
    double scale;
    const char *prefix;
  } steps[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
  if (!isfinite(x)) {
    out_put(out, STR("-"));
    return;
  }
  size_t i = 0;
  while (fabs(x) < steps[i].scale) i++;
  out_printf(out, "%.4g %s%s", steps[i].scale > 0 ? x / steps[i].scale : x, steps[i].prefix, unit);
}

static void put_cell(out_text *out, double x, double scale, const char *format_unit) {
  if (isfinite(x))
    out_printf(out, " %.4g%s |", x * scale, format_unit);
  else
    out_put(out, STR(" - |"));
}

static void put_peaks(out_text *out, const hr_report *report) {
  const roofline_headroom_peaks *p = &report->peaks;
  out_put(out, STR("## Peaks\n\n"));
  if (!(p->hbm > 0)) {
    out_put(out, STR("Unknown: no verdict below rests on a ceiling, and nothing is ranked by gain.\n\n"));
    return;
  }
  out_put(out, STR("- memory: "));
  put_scaled(out, p->hbm, "B/s");
  out_put(out, STR("\n"));
  for (int i = 0; i < ROOFLINE_ROOF_COUNT; i++) {
    if (!(p->flops[i] > 0)) continue;
    out_printf(out, "- %s: ", roofline_headroom_roof_name((roofline_headroom_roof)i));
    put_scaled(out, p->flops[i], "FLOP/s");
    out_put(out, STR("\n"));
  }
  double bf16 = p->flops[ROOFLINE_ROOF_BF16], fp16 = p->flops[ROOFLINE_ROOF_FP16];
  if (bf16 > 0 && fp16 > 0)
    out_printf(out, "- check: bf16 = fp16 %s\n",
               bf16 == fp16 ? "holds" : "does not hold: one of them is wrong");
  out_printf(out, "- source: %s\n\n",
             p->derived ? "derived from device properties, so every confidence is low" : "profile table");
}

static void put_table(out_text *out, const hr_report *report) {
  out_put(out,
          STR("## Kernels\n\n"
              "| kernel | % GPU time | class | time ms | HBM % | compute % | flops/byte | bound | "
              "% of ceiling | target % | headroom | speedup | gain % | confidence |\n"
              "| --- | --: | --- | --: | --: | --: | --: | --- | --: | --: | --- | --: | --: | --- |\n"));
  for (uint32_t i = 0; i < report->entries.n; i++) {
    const hr_entry *e = &report->entries.v[i];
    const roofline_headroom_result *r = &e->result;
    out_put(out, STR("| "));
    put_plain(out, e->short_name);
    out_put(out, STR(" |"));
    put_cell(out, e->pct_value, 1, "");
    out_printf(out, " %s |", roofline_op_class_name(e->op_class));
    put_cell(out, e->t_ms, 1, "");
    put_cell(out, r->hbm_util, 100, "");
    put_cell(out, r->compute_util, 100, "");
    put_cell(out, r->arithmetic_intensity, 1, "");
    out_printf(out, " %s |", roofline_headroom_bound_name(r->bound));
    put_cell(out, r->suspect ? r->roofline_pct_raw : r->roofline_pct, 100, r->suspect ? " (impossible)" : "");
    put_cell(out, e->target, 100, "");
    out_printf(out, " %s |", roofline_headroom_class_name(r->headroom));
    put_cell(out, r->attainable_speedup, 1, "x");
    put_cell(out, r->expected_gain_pct, 1, "");
    out_printf(out, " %s |\n", roofline_confidence_name(e->confidence));
  }
  out_put(out, STR("\n"));
}

static void put_rankings(out_text *out, const hr_report *report) {
  out_put(out, STR("## Rankings\n\n| | by GPU time | by expected gain |\n| --: | --- | --- |\n"));
  for (uint32_t i = 0; i < report->entries.n; i++) {
    out_printf(out, "| %u | ", i + 1);
    put_plain(out, report->entries.v[i].short_name);
    out_put(out, STR(" | "));
    if (i < report->by_gain.n)
      put_plain(out, report->entries.v[report->by_gain.v[i]].short_name);
    else
      out_put(out, STR("-"));
    out_put(out, STR(" |\n"));
  }
  bool differ = false;
  for (uint32_t i = 0; i < report->by_gain.n; i++) differ |= report->by_gain.v[i] != i;
  if (differ) out_put(out, STR("\nThe two disagree: time spent is not what is left to win.\n"));
  out_put(out, STR("\n"));
}

static const char *advice(const hr_entry *e) {
  const roofline_headroom_result *r = &e->result;
  if (json_is_false(e->editable)) return "not editable: host-side levers only";
  if (r->headroom == ROOFLINE_HEADROOM_SATURATED && r->bound == ROOFLINE_HEADROOM_BOUND_MEMORY)
    return "saturated and memory-bound: move fewer bytes; never dropped";
  if (r->headroom == ROOFLINE_HEADROOM_UNKNOWN) return "unknown: by GPU time alone";
  if (!e->rankable) return "low confidence: by GPU time alone, until shapes or counters confirm it";
  if (r->headroom != ROOFLINE_HEADROOM_UNDERPERFORMING)
    return "little left for kernel work: after the underperforming ones";
  return r->bound == ROOFLINE_HEADROOM_BOUND_LATENCY
             ? "underperforming and latency-bound: occupancy, dependency chains, fusion"
             : "underperforming: kernel work first";
}

static void put_notes(out_text *out, const hr_report *report) {
  out_put(out, STR("## Notes\n\n"));
  for (uint32_t i = 0; i < report->entries.n; i++) {
    const hr_entry *e = &report->entries.v[i];
    out_put(out, STR("### "));
    put_plain(out, e->short_name);
    out_printf(out, "\n\n- route: %s\n", advice(e));
    for (uint32_t k = 0; k < e->levers.n; k++) {
      out_put(out, STR("- fewer bytes: "));
      put_plain(out, e->levers.v[k]);
      out_put(out, STR("\n"));
    }
    for (uint32_t k = 0; k < e->notes.n; k++) {
      out_put(out, STR("- "));
      put_plain(out, e->notes.v[k]);
      out_put(out, STR("\n"));
    }
    out_put(out, STR("\n"));
  }
}

static void put_degraded(out_text *out, const hr_log *log, const hr_report *report) {
  bool any = false;
  out_put(out, STR("## Degraded\n\n"));
  for (uint32_t i = 0; i < report->entries.n; i++) {
    const hr_entry *e = &report->entries.v[i];
    if (e->degraded.n == 0) continue;
    any = true;
    out_put(out, STR("- "));
    put_plain(out, e->short_name);
    out_put(out, STR(": "));
    put_plain(out, e->degraded);
    out_put(out, STR("\n"));
  }
  if (!any) out_put(out, STR("None.\n"));
  if (log->errors.n > 0) out_put(out, STR("\n## Errors in the inputs\n\n"));
  for (uint32_t i = 0; i < log->errors.n; i++) {
    out_put(out, STR("- "));
    put_plain(out, log->errors.v[i]);
    out_put(out, STR("\n"));
  }
}

static const char routing[] = "\n## Routing\n\n"
                              "- Underperforming, memory- or compute-bound: kernel work first.\n"
                              "- Underperforming, latency-bound: occupancy, dependency chains, fusion.\n"
                              "- Saturated and memory-bound: move fewer bytes. It is never dropped.\n"
                              "- Not editable: host-side levers only.\n"
                              "- Unknown, or low confidence: by GPU time alone.\n";

str hr_markdown_text(hr_log *log, const hr_report *report) {
  out_text out;
  out_init(&out, log->a);
  out_put(&out, STR("# Roofline headroom: "));
  if (report->gfx.n > 0)
    put_plain(&out, report->gfx);
  else
    out_put(&out, STR("unknown device"));
  out_put(&out, STR("\n\nAdvice, not a gate: how well each kernel executes its current byte and flop budget. "
                    "Whether that\n"
                    "budget is necessary is another question.\n\n"));
  put_peaks(&out, report);
  out_printf(
      &out,
      "## Scope\n\n- stage %c\n- %u of %u kernels: those with at least %g %% of GPU time\n- regime: %s\n\n",
      "ABC"[report->stage], report -> entries.n, report->kernel_count, report->threshold,
      hr_phase_name(report->regime));
  put_table(&out, report);
  put_rankings(&out, report);
  put_notes(&out, report);
  put_degraded(&out, log, report);
  out_put(&out, str_of(routing));
  return out_str(&out);
}
