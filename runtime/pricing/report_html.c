/* The page: report.html with the report's data inside. pricing.md §5. Rows are arrays under one list of
   column names, and every '<' of the data is escaped, so no name can end the script that holds it. */
#include <string.h>

#include "runtime/pricing/report.h"

/* report.html, as the build embeds it (cmake/embed.cmake). */
extern const unsigned char report_page[];
extern const size_t report_page_size;

static const char mark[] = "@DATA@";

/* The page up to the mark. */
static size_t head_size(void) {
  size_t at = 0;
  while (at + sizeof mark <= report_page_size && memcmp(report_page + at, mark, sizeof mark - 1) != 0) at++;
  return at;
}

static void html_begin(report *r) {
  writer *w = r->out;
  writer_put(w, (const char *)report_page, head_size());
  w->in_script = true;
  writer_printf(w, "{\"version\": 1, \"basis\": \"%s\",\n\"profiles\": ", report_basis(r));
  report_json_profiles(r);
  writer_literal(w, ",\n\"thresholds\": ");
  report_json_thresholds(r);
  writer_literal(w, ",\n\"reasons\": {");
  for (int i = 1; i < ROOFLINE_REASON_COUNT; i++)
    writer_printf(w, "%s\"%s\": \"%s\"", i > 1 ? ", " : "", roofline_reason_name((roofline_reason)i),
                  roofline_reason_meaning((roofline_reason)i));
  writer_literal(w, "},\n\"columns\": [\"op\", \"case\", \"tag\", \"device\", \"roof_key\", \"verdict\", "
                    "\"reason\", \"bound\", "
                    "\"flops\", \"bytes\", \"efficiency\", \"actual_time_ms\", \"sol_time_ms\", "
                    "\"arithmetic_intensity\", \"achieved_bytes_per_s\", \"achieved_flops_per_s\", "
                    "\"attainable_speedup\"],\n\"rows\": [");
}

static void html_row(report *r, const priced_row *row) {
  writer *w = r->out;
  const roofline_record *c = &row->record;
  const roofline_reading *g = &row->reading;
  const char *texts[] = {c->op,
                         c->case_id,
                         c->tag,
                         c->device,
                         c->roof_key,
                         roofline_verdict_name(g->verdict),
                         roofline_reason_name(g->reason),
                         g->verdict == ROOFLINE_BLANK ? NULL : roofline_bound_name(g->bound)};
  const int64_t integers[] = {c->flops, c->bytes};
  const double numbers[] = {g->efficiency,           g->actual_time_ms,       g->sol_time_ms,
                            g->arithmetic_intensity, g->achieved_bytes_per_s, g->achieved_flops_per_s,
                            g->attainable_speedup};
  writer_text(w, r->printed++ > 0 ? ",\n[" : "\n[");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    writer_json(w, texts[i]);
    writer_literal(w, ", ");
  }
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    if (integers[i] == ROOFLINE_ABSENT)
      writer_literal(w, "null");
    else
      writer_integer(w, integers[i]);
    writer_literal(w, ", ");
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (i > 0) writer_literal(w, ", ");
    writer_number(w, numbers[i]);
  }
  writer_literal(w, "]");
}

static void html_end(report *r) {
  writer *w = r->out;
  size_t head = head_size() + sizeof mark - 1;
  writer_literal(w, "],\n\"summary\": ");
  report_json_summary(r);
  writer_literal(w, "}");
  w->in_script = false;
  writer_put(w, (const char *)report_page + head, report_page_size - head);
}

const report_format report_html = {"html", html_begin, html_row, NULL, html_end};
