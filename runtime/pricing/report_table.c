/* The table: aligned columns within 100 characters, a group per device. pricing.md §5. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/cells.h"
#include "runtime/pricing/report.h"

enum { NAMES = 3, NUMBERS = 4, VERDICT_WIDTH = 13 };
/* What stands behind the names and the verdict. */
static const struct {
  const char *head;
  int width;
} number_columns[NUMBERS] = {{"EFF", 6}, {"BOUND", 7}, {"TIME", 8}, {"GAIN", 7}};
static const char basis_note[] = " theoretical";

typedef struct layout {
  int name[NAMES]; /* op, case, tag; 0: no such column */
  int total;
} layout;

static const char *name_of(const priced_row *row, int column) {
  const roofline_record *r = &row->record;
  const char *names[NAMES] = {r->op, r->case_id, r->tag};
  return names[column] != NULL ? names[column] : "";
}

/* Names get the width their longest needs, as far as the line goes; the tag first, it is short. */
static layout lay_out(const report *r, const priced_row *rows, uint64_t count) {
  layout l = {{2, 4, 0}, 1 + VERDICT_WIDTH};
  for (int i = 0; i < NUMBERS; i++) l.total += 1 + number_columns[i].width;
  if (r->options.theoretical) l.total += (int)sizeof basis_note - 1;
  for (uint64_t i = 0; i < count; i++)
    for (int c = 0; c < NAMES; c++) {
      int width = cell_width(name_of(&rows[i], c));
      if (width > l.name[c]) l.name[c] = width;
    }
  if (l.name[2] > 10) l.name[2] = 10;
  int room = TABLE_WIDTH - l.total - 1 - (l.name[2] > 0 ? l.name[2] + 1 : 0);
  if (l.name[0] + l.name[1] > room) {
    int half = room / 2;
    if (l.name[0] <= half)
      l.name[1] = room - l.name[0];
    else if (l.name[1] <= room - half)
      l.name[0] = room - l.name[1];
    else
      l.name[0] = half, l.name[1] = room - half;
  }
  return l;
}

static void put_names(writer *w, const layout *l, const char *const names[NAMES]) {
  for (int c = 0; c < NAMES; c++) {
    if (l->name[c] == 0) continue;
    if (c > 0) writer_literal(w, " ");
    cell_put(w, names[c], l->name[c]);
  }
  writer_literal(w, " ");
}

static void put_head(report *r, const layout *l) {
  put_names(r->out, l, (const char *const[NAMES]){"OP", "CASE", "TAG"});
  cell_put(r->out, "VERDICT", VERDICT_WIDTH);
  for (int i = 0; i < NUMBERS; i++) {
    writer_literal(r->out, " ");
    cell_put_right(r->out, number_columns[i].head, number_columns[i].width);
  }
  writer_text(r->out, r->options.theoretical ? " ROOFS\n" : "\n");
}

static const char *colour_of(roofline_verdict verdict) {
  static const char *const colours[ROOFLINE_VERDICT_COUNT] = {"\x1b[1;31m", "\x1b[33m", "\x1b[36m",
                                                              "\x1b[32m",   "",         "\x1b[2m"};
  return colours[verdict];
}

/* Never the efficiency of a formula error: it would read as that of a fast kernel. */
static void formula_error_text(const priced_row *row, char *text, size_t size) {
  const roofline_reading *g = &row->reading;
  char rate[REPORT_UNIT_MAX], peak[REPORT_UNIT_MAX];
  bool memory = g->reason != ROOFLINE_REASON_ABOVE_ROOF;
  const char *unit = memory ? "B/s" : "FLOP/s";
  snprintf(text, size, "%s, peak %s",
           report_rate(memory ? g->achieved_bytes_per_s : g->achieved_flops_per_s, unit, rate),
           report_rate(memory ? row->profile->hbm.theoretical : g->roof->theoretical, unit, peak));
}

/* A text instead of numbers, as wide as they are. */
static void put_instead(writer *w, const char *text) {
  int width = -1;
  for (int i = 0; i < NUMBERS; i++) width += 1 + number_columns[i].width;
  writer_literal(w, " ");
  writer_text(w, text);
  for (int n = cell_width(text); n < width; n++) writer_literal(w, " ");
}

static void put_numbers(writer *w, const priced_row *row) {
  const roofline_reading *g = &row->reading;
  char cells[NUMBERS][REPORT_UNIT_MAX];
  snprintf(cells[0], REPORT_UNIT_MAX, "%.1f%%", g->efficiency * 100);
  snprintf(cells[1], REPORT_UNIT_MAX, "%s", roofline_bound_name(g->bound));
  report_time(g->actual_time_ms, cells[2]);
  if (g->attainable_speedup > 1)
    snprintf(cells[3], REPORT_UNIT_MAX, g->attainable_speedup < 1000 ? "%.2fx" : "%.0fx",
             g->attainable_speedup);
  else
    snprintf(cells[3], REPORT_UNIT_MAX, "-");
  for (int i = 0; i < NUMBERS; i++) {
    writer_literal(w, " ");
    cell_put_right(w, cells[i], number_columns[i].width);
  }
}

static void put_row(report *r, const layout *l, const priced_row *row) {
  writer *w = r->out;
  roofline_verdict verdict = row->reading.verdict;
  put_names(w, l, (const char *const[NAMES]){name_of(row, 0), name_of(row, 1), name_of(row, 2)});
  if (r->colour) writer_text(w, colour_of(verdict));
  cell_put(w, report_verdict_label(verdict), VERDICT_WIDTH);
  if (r->colour) writer_literal(w, "\x1b[0m");
  char text[2 * REPORT_UNIT_MAX + 8];
  snprintf(text, sizeof text, "%s", roofline_reason_name(row->reading.reason));
  if (verdict == ROOFLINE_FORMULA_ERROR) formula_error_text(row, text, sizeof text);
  if (verdict != ROOFLINE_FORMULA_ERROR && verdict != ROOFLINE_BLANK)
    put_numbers(w, row);
  else if (r->options.theoretical)
    put_instead(w, text); /* a column follows */
  else {
    writer_literal(w, " ");
    writer_text(w, text);
  }
  if (r->options.theoretical) writer_text(w, basis_note);
  writer_literal(w, "\n");
}

static void put_roof(report *r, const char *label, const roofline_roof *roof, const char *unit) {
  char rate[REPORT_UNIT_MAX];
  if (r->options.theoretical)
    writer_printf(r->out, "  %-18s %s theoretical\n", label, report_rate(roof->theoretical, unit, rate));
  else if (roof->calibration > 0) {
    writer_printf(r->out, "  %-18s %s", label, report_rate(roofline_roof_effective(roof), unit, rate));
    writer_printf(r->out, " = %s × %g\n", report_rate(roof->theoretical, unit, rate), roof->calibration);
  } else
    writer_printf(r->out, "  %-18s not calibrated\n", label);
}

static const char *device_of(const priced_row *row) {
  return row->record.device != NULL ? row->record.device : "";
}

/* A group: the device, the roofs its rows used, the rows. */
static void put_group(report *r, const layout *l, const priced_row *const *rows, uint64_t count) {
  const roofline_profile *p = rows[0]->profile;
  cell_put(r->out, device_of(rows[0])[0] != '\0' ? device_of(rows[0]) : "(no device)",
           cell_width(device_of(rows[0])) > 0 ? cell_width(device_of(rows[0])) : 11);
  writer_text(r->out, p == NULL ? ": no profile\n" : "\n");
  if (p != NULL) put_roof(r, "hbm", &p->hbm, "B/s");
  for (int32_t i = 0; p != NULL && i < p->roof_count; i++)
    for (uint64_t k = 0; k < count; k++)
      if (rows[k]->reading.roof == &p->roofs[i]) {
        put_roof(r, p->roofs[i].key, &p->roofs[i], "FLOP/s");
        break;
      }
  writer_literal(r->out, "\n");
  put_head(r, l);
  for (uint64_t k = 0; k < count; k++) put_row(r, l, rows[k]);
  writer_literal(r->out, "\n");
}

static int by_device(const void *a, const void *b) {
  const priced_row *x = *(const priced_row *const *)a, *y = *(const priced_row *const *)b;
  int order = strcmp(device_of(x), device_of(y));
  return order != 0 ? order : (x > y) - (x < y); /* rows keep their order within a device */
}

static void table_whole(report *r, const priced_row *rows, uint64_t count) {
  layout l = lay_out(r, rows, count);
  const size_t n = (size_t)count; /* rows that stand in memory */
  const priced_row **order = malloc((n > 0 ? n : 1) * sizeof *order);
  if (order == NULL) arena_out_of_memory();
  for (size_t i = 0; i < n; i++) order[i] = &rows[i];
  qsort(order, n, sizeof *order, by_device);
  for (uint64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && strcmp(device_of(order[i]), device_of(order[end])) == 0;) end++;
    put_group(r, &l, order + i, end - i);
  }
  free(order);
  report_summary_lines(r, "");
}

static void nothing(report *r) { (void)r; }

const report_format report_table = {"table", nothing, NULL, table_whole, nothing};
