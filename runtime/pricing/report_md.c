/* Markdown for a pull request: one table, then the summary. pricing.md §5. */
#include <string.h>

#include "runtime/pricing/report.h"

/* A code span: inside one only backticks and, in a table, pipes mean anything, so no name can become
   markup. The fence is longer than any run of backticks in the name. */
void report_md_code(writer *w, const char *text) {
  size_t longest = 0, run = 0;
  for (const char *p = text; *p != '\0'; p++) {
    run = *p == '`' ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  for (size_t i = 0; i <= longest; i++) writer_literal(w, "`");
  if (longest > 0) writer_literal(w, " ");
  for (const char *p = text; *p != '\0'; p++) {
    if ((unsigned char)*p < 0x20 || *p == 0x7f)
      writer_literal(w, " ");
    else if (*p == '|')
      writer_literal(w, "\\|");
    else
      writer_put(w, p, 1);
  }
  if (longest > 0) writer_literal(w, " ");
  for (size_t i = 0; i <= longest; i++) writer_literal(w, "`");
}

static void put_name(writer *w, const char *text) {
  writer_literal(w, "| ");
  if (text != NULL && *text != '\0') report_md_code(w, text);
  writer_literal(w, " ");
}

static void md_begin(report *r) {
  writer_printf(
      r->out,
      "| op | case | tag | device | verdict | efficiency%s | bound | time | speed of light | gain |\n",
      r->options.theoretical ? " of theoretical" : "");
  writer_literal(r->out, "| --- | --- | --- | --- | --- | ---: | --- | ---: | ---: | ---: |\n");
}

/* Which roof was exceeded, or what was perhaps meant by one or a device that is not there. */
static void put_reason(report *r, const priced_row *row) {
  const char *key = row->record.roof_key;
  roofline_reason reason = row->reading.reason;
  bool of_roof = reason == ROOFLINE_REASON_ABOVE_ROOF || reason == ROOFLINE_REASON_NO_ROOF;
  writer_printf(r->out, ": %s", roofline_reason_meaning(reason));
  if (of_roof && key != NULL) writer_literal(r->out, ", "), report_md_code(r->out, key);
  if (reason != ROOFLINE_REASON_NO_ROOF && reason != ROOFLINE_REASON_NO_PROFILE) return;
  arena *a = arena_new();
  str nearest = {0};
  if (reason == ROOFLINE_REASON_NO_PROFILE && row->record.device != NULL)
    nearest = profiles_nearest(a, &r->profiles, row->record.device);
  else if (reason == ROOFLINE_REASON_NO_ROOF && key != NULL)
    nearest = profiles_nearest_roof(a, row->profile, key);
  if (nearest.n > 0) {
    writer_literal(r->out, "; did you mean ");
    report_md_code(r->out, arena_cstr(a, nearest));
    writer_literal(r->out, "?");
  }
  arena_free(a);
}

static void md_row(report *r, const priced_row *row) {
  writer *w = r->out;
  const roofline_reading *g = &row->reading;
  char time[REPORT_UNIT_MAX], sol[REPORT_UNIT_MAX];
  put_name(w, row->record.op);
  put_name(w, row->record.case_id);
  put_name(w, row->record.tag);
  put_name(w, row->record.device);
  writer_printf(w, "| %s", report_verdict_label(g->verdict));
  if (g->reason != ROOFLINE_REASON_NONE) put_reason(r, row);
  /* No efficiency for a formula error: it would read as that of a fast kernel. */
  if (g->verdict == ROOFLINE_BLANK || g->verdict == ROOFLINE_FORMULA_ERROR)
    writer_text(w, r->options.theoretical ? " | theoretical" : " | ");
  else
    writer_printf(w, " | %.1f%%%s", g->efficiency * 100, r->options.theoretical ? " of theoretical" : "");
  if (g->verdict == ROOFLINE_BLANK)
    writer_literal(w, " | | | | |\n");
  else {
    writer_printf(w, " | %s | %s | %s | ", roofline_bound_name(g->bound),
                  report_time(g->actual_time_ms, time), report_time(g->sol_time_ms, sol));
    if (g->attainable_speedup > 1) writer_printf(w, "%.2fx", g->attainable_speedup);
    writer_literal(w, " |\n");
  }
}

static void md_end(report *r) {
  writer_literal(r->out, "\n");
  report_summary_lines(r, "- ");
}

const report_format report_md = {"md", md_begin, md_row, NULL, md_end};
