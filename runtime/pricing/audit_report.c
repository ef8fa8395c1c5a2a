/* What the audit found: as a table, JSON, or Markdown. docs/audit.md. */
#include <inttypes.h>
#include <string.h>

#include "runtime/pricing/audit.h"
#include "runtime/pricing/report.h"

static const char premise_text[] =
    ROOFLINE_AUDIT_PREMISE ": caches hold none of the inputs when a kernel starts (ncu --cache-control all)";

static bool is_measured(const audit_row *row) { return row->traffic.state == ROOFLINE_AUDIT_MEASURED; }
static double ratio(const audit_row *row) { return (double)row->traffic.read / (double)row->declared; }
static bool has_ratio(const audit_row *row) { return is_measured(row) && row->declared > 0; }

/* ---- facts of the whole audit ---- */

typedef struct op_count {
  const char *op;
  uint64_t judged, exempt;
} op_count;
typedef VEC(op_count) op_counts;

/* Ops whose every judged row is exempt: nothing checks their read half any more. */
static op_counts exempt_ops(const audit *x) {
  audit_index index = {0};
  op_counts all = {0}, exempt = {0};
  for (uint32_t i = 0; i < x->rows.n; i++) {
    const audit_row *row = &x->rows.v[i];
    if (row->verdict < ROOFLINE_AUDIT_FAIL) continue;
    bool added;
    uint32_t at = audit_index_add(x->a, &index, str_of(row->op), &added);
    op_count fresh = {.op = row->op};
    if (added) vec_push(x->a, &all, fresh);
    all.v[at].judged++;
    all.v[at].exempt += row->verdict == ROOFLINE_AUDIT_EXEMPT;
  }
  for (uint32_t i = 0; i < all.n; i++)
    if (all.v[i].judged == all.v[i].exempt) vec_push(x->a, &exempt, all.v[i]);
  return exempt;
}

/* Kernels of one name and file that are nobody's for one reason. */
typedef struct stray_kernels {
  const audit_kernel *first;
  uint64_t count;
} stray_kernels;
typedef VEC(stray_kernels) stray_list;

static stray_list stray_kernels_of(const audit *x) {
  audit_index index = {0};
  stray_list list = {0};
  for (uint32_t i = 0; i < x->profile.kernels.n; i++) {
    const audit_kernel *k = &x->profile.kernels.v[i];
    if (k->row >= 0) continue;
    bool added;
    str key = arena_printf(x->a, "%s\n%s\n%s", k->file, k->name, k->stray != NULL ? k->stray : "");
    uint32_t at = audit_index_add(x->a, &index, key, &added);
    stray_kernels fresh = {.first = k};
    if (added) vec_push(x->a, &list, fresh);
    list.v[at].count++;
  }
  return list;
}

static const char *stray_reason(const audit_kernel *k) {
  return k->stray != NULL ? k->stray : "nothing names it";
}

static uint64_t rows_without_kernel(const audit *x) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < x->rows.n; i++) n += x->rows.v[i].kernels == 0;
  return n;
}

/* ---- table ---- */

/* Names come from files: nothing of them may steer the terminal. */
static void put_plain(writer *w, const char *text) {
  for (; *text != '\0'; text++) {
    bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
    writer_put(w, control ? "?" : text, 1);
  }
}

static void put_amount(writer *w, bool known, int64_t bytes) {
  if (known)
    writer_printf(w, " %15" PRId64, bytes);
  else
    writer_printf(w, " %15s", "-");
}

static void table_row(const audit_row *row, uint32_t green, bool colour, writer *w) {
  bool red = !roofline_audit_is_green(green, row->verdict), measured = is_measured(row);
  if (colour) writer_text(w, red ? "\x1b[1;31m" : row->verdict == ROOFLINE_AUDIT_WARN ? "\x1b[33m" : "");
  writer_printf(w, "%-10s", roofline_audit_verdict_name(row->verdict));
  if (colour) writer_literal(w, "\x1b[0m");
  put_amount(w, row->declared != ROOFLINE_ABSENT, row->declared);
  put_amount(w, measured, row->traffic.read);
  if (has_ratio(row))
    writer_printf(w, " %8.4f", ratio(row));
  else
    writer_printf(w, " %8s", "-");
  put_amount(w, measured, row->traffic.write);
  writer_printf(w, " %7" PRIu32 "  ", row->kernels);
  put_plain(w, row->op);
  writer_literal(w, " ");
  put_plain(w, row->case_id);
  if (row->tag != NULL) {
    writer_literal(w, " [");
    put_plain(w, row->tag);
    writer_literal(w, "]");
  }
  writer_literal(w, "\n");
  if (row->reason == NULL) return;
  writer_printf(w, "%10s ", "");
  put_plain(w, row->reason);
  writer_literal(w, "\n");
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* "20 rows: 3 FAIL (red), 17 PASS" */
static void summary_line(const audit *x, uint32_t green, writer *w) {
  writer_printf(w, "%" PRIu32 " row%s", x->rows.n, plural(x->rows.n));
  for (int v = 0, shown = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++) {
    if (x->verdicts[v] == 0) continue;
    writer_printf(w, "%s %" PRIu64 " %s%s", shown++ > 0 ? "," : ":", x->verdicts[v],
                  roofline_audit_verdict_name((roofline_audit_verdict)v),
                  roofline_audit_is_green(green, (roofline_audit_verdict)v) ? "" : " (red)");
  }
  writer_literal(w, "\n");
}

static void put_table(const audit *x, uint32_t green, bool colour, writer *w) {
  writer_printf(w, "%-10s %15s %15s %8s %15s %7s  %s\n", "VERDICT", "READS DECLARED", "READS MEASURED",
                "RATIO", "WRITES MEASURED", "KERNELS", "OP CASE");
  for (uint32_t i = 0; i < x->rows.n; i++) table_row(&x->rows.v[i], green, colour, w);
  writer_literal(w, "\n");
  summary_line(x, green, w);
  if (rows_without_kernel(x) > 0)
    writer_printf(w, "%" PRIu64 " row%s without a kernel\n", rows_without_kernel(x),
                  plural(rows_without_kernel(x)));
  op_counts exempt = exempt_ops(x);
  for (uint32_t i = 0; i < exempt.n; i++) {
    writer_text(w, i == 0 ? "every judged row is exempt: " : ", ");
    put_plain(w, exempt.v[i].op);
    if (i + 1 == exempt.n) writer_literal(w, "\n");
  }
  stray_list stray = stray_kernels_of(x);
  if (stray.n > 0) writer_printf(w, "%" PRIu64 " kernel%s of no row:\n", x->stray, plural(x->stray));
  for (uint32_t i = 0; i < stray.n; i++) {
    const audit_kernel *k = stray.v[i].first;
    writer_printf(w, "  %6" PRIu64 " x ", stray.v[i].count);
    put_plain(w, k->name);
    writer_printf(w, "  (first at ");
    put_plain(w, k->file);
    writer_printf(w, ":%" PRIu64 ": %s)\n", k->line, stray_reason(k));
  }
  writer_printf(w, "in bytes; premise of every verdict: %s\n", premise_text);
}

/* ---- JSON ---- */

static void json_amount(writer *w, const char *key, bool known, int64_t bytes) {
  writer_printf(w, ", \"%s\": ", key);
  if (known)
    writer_integer(w, bytes);
  else
    writer_literal(w, "null");
}

static void json_text(writer *w, const char *key, const char *text) {
  writer_printf(w, "\"%s\": ", key);
  writer_json(w, text);
}

static void json_row(const audit_row *row, uint32_t green, writer *w) {
  writer_literal(w, "{");
  json_text(w, "op", row->op);
  writer_literal(w, ", ");
  json_text(w, "case", row->case_id);
  writer_literal(w, ", ");
  json_text(w, "tag", row->tag);
  writer_printf(w, ", \"verdict\": \"%s\", \"green\": %s", roofline_audit_verdict_name(row->verdict),
                roofline_audit_is_green(green, row->verdict) ? "true" : "false");
  json_amount(w, "declared_read_bytes", row->declared != ROOFLINE_ABSENT, row->declared);
  json_amount(w, "measured_read_bytes", is_measured(row), row->traffic.read);
  writer_literal(w, ", \"ratio\": ");
  if (has_ratio(row))
    writer_number(w, ratio(row));
  else
    writer_literal(w, "null");
  json_amount(w, "measured_write_bytes", is_measured(row), row->traffic.write);
  writer_printf(w, ", \"kernels\": %" PRIu32 ", \"premise\": \"" ROOFLINE_AUDIT_PREMISE "\", ", row->kernels);
  json_text(w, "reason", row->reason);
  writer_literal(w, "}");
}

static void json_kernel(const audit_kernel *k, writer *w) {
  writer_literal(w, "{");
  json_text(w, "file", k->file);
  writer_printf(w, ", \"line\": %" PRIu64 ", ", k->line);
  json_text(w, "id", k->id);
  writer_literal(w, ", ");
  json_text(w, "name", k->name);
  json_amount(w, "measured_read_bytes", k->bytes[AUDIT_READ] >= 0, k->bytes[AUDIT_READ]);
  json_amount(w, "measured_write_bytes", k->bytes[AUDIT_WRITE] >= 0, k->bytes[AUDIT_WRITE]);
  writer_literal(w, ", ");
  json_text(w, "reason", stray_reason(k));
  writer_literal(w, "}");
}

static void put_json(const audit *x, uint32_t green, writer *w) {
  writer_printf(w, "{\"version\": 1, \"premise\": \"%s\", \"green\": [", premise_text);
  for (int v = 0, shown = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++)
    if (roofline_audit_is_green(green, (roofline_audit_verdict)v))
      writer_printf(w, "%s\"%s\"", shown++ > 0 ? ", " : "",
                    roofline_audit_verdict_name((roofline_audit_verdict)v));
  writer_literal(w, "],\n\"rows\": [");
  for (uint32_t i = 0; i < x->rows.n; i++) {
    writer_text(w, i > 0 ? ",\n" : "\n");
    json_row(&x->rows.v[i], green, w);
  }
  writer_literal(w, "],\n\"unmatched_kernels\": [");
  for (uint32_t i = 0, shown = 0; i < x->profile.kernels.n; i++) {
    if (x->profile.kernels.v[i].row >= 0) continue;
    writer_text(w, shown++ > 0 ? ",\n" : "\n");
    json_kernel(&x->profile.kernels.v[i], w);
  }
  writer_literal(w, "],\n\"exempt_ops\": [");
  op_counts exempt = exempt_ops(x);
  for (uint32_t i = 0; i < exempt.n; i++) {
    if (i > 0) writer_literal(w, ", ");
    writer_json(w, exempt.v[i].op);
  }
  writer_printf(w, "],\n\"summary\": {\"rows\": %" PRIu32, x->rows.n);
  for (int v = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++)
    writer_printf(w, ", \"%s\": %" PRIu64, roofline_audit_verdict_name((roofline_audit_verdict)v),
                  x->verdicts[v]);
  writer_printf(w,
                ", \"unmatched_rows\": %" PRIu64 ", \"unmatched_kernels\": %" PRIu64 ", \"defects\": %" PRIu64
                "}}\n",
                rows_without_kernel(x), x->stray, x->problems.count);
}

/* ---- Markdown ---- */

static void md_row(const audit_row *row, writer *w) {
  writer_literal(w, "| ");
  report_md_code(w, row->op);
  writer_literal(w, " | ");
  report_md_code(w, row->case_id);
  writer_literal(w, " | ");
  if (row->tag != NULL) report_md_code(w, row->tag);
  writer_printf(w, " | %s | ", roofline_audit_verdict_name(row->verdict));
  if (row->declared != ROOFLINE_ABSENT) writer_integer(w, row->declared);
  writer_literal(w, " | ");
  if (is_measured(row)) writer_integer(w, row->traffic.read);
  writer_literal(w, " | ");
  if (has_ratio(row)) writer_printf(w, "%.4f", ratio(row));
  writer_literal(w, " | ");
  if (is_measured(row)) writer_integer(w, row->traffic.write);
  writer_printf(w, " | %" PRIu32 " | " ROOFLINE_AUDIT_PREMISE " | ", row->kernels);
  if (row->reason != NULL) report_md_code(w, row->reason);
  writer_literal(w, " |\n");
}

static void put_md(const audit *x, uint32_t green, writer *w) {
  writer_literal(w,
                 "| op | case | tag | verdict | reads declared | reads measured | ratio | writes measured | "
                 "kernels | premise | reason |\n");
  writer_literal(w, "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
  for (uint32_t i = 0; i < x->rows.n; i++) md_row(&x->rows.v[i], w);
  writer_literal(w, "\n- ");
  summary_line(x, green, w);
  if (rows_without_kernel(x) > 0)
    writer_printf(w, "- %" PRIu64 " row%s without a kernel\n", rows_without_kernel(x),
                  plural(rows_without_kernel(x)));
  op_counts exempt = exempt_ops(x);
  for (uint32_t i = 0; i < exempt.n; i++) {
    writer_text(w, i == 0 ? "- every judged row is exempt: " : ", ");
    report_md_code(w, exempt.v[i].op);
    if (i + 1 == exempt.n) writer_literal(w, "\n");
  }
  stray_list stray = stray_kernels_of(x);
  for (uint32_t i = 0; i < stray.n; i++) {
    writer_printf(w, "- %" PRIu64 " kernel%s of no row: ", stray.v[i].count, plural(stray.v[i].count));
    report_md_code(w, stray.v[i].first->name);
    writer_literal(w, " in ");
    report_md_code(w, stray.v[i].first->file);
    writer_printf(w, ": %s\n", stray_reason(stray.v[i].first));
  }
  writer_printf(w, "- in bytes; premise of every verdict: %s\n", premise_text);
}

void audit_report(const audit *x, audit_format format, uint32_t green, bool colour, writer *w) {
  switch (format) {
  case AUDIT_TABLE: put_table(x, green, colour, w); break;
  case AUDIT_JSON: put_json(x, green, w); break;
  case AUDIT_MD: put_md(x, green, w); break;
  }
  writer_flush(w);
}
