/* The table: aligned columns within --width characters, a group per device. pricing.md §5. */
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
  int numbers;     /* behind the verdict: the number columns, or the text that stands instead of them */
} layout;

static const char *name_of(const priced_row *row, int column) {
  const roofline_record *r = &row->record;
  const char *names[NAMES] = {r->op, r->case_id, r->tag};
  return names[column] != NULL ? names[column] : "";
}

/* Never the efficiency of a formula error: it would read as that of a fast kernel. */
static void formula_error_text(const priced_row *row, char *text, size_t size) {
  const roofline_reading *g = &row->reading;
  char rate[REPORT_UNIT_MAX], peak[REPORT_UNIT_MAX];
  bool memory = g->reason != ROOFLINE_REASON_ABOVE_ROOF;
  const char *unit = memory ? "B/s" : "FLOP/s";
  snprintf(text, size, "%s, %s peak %s",
           report_rate(memory ? g->achieved_bytes_per_s : g->achieved_flops_per_s, unit, rate),
           memory ? "hbm" : g->roof->key,
           report_rate(memory ? row->profile->hbm.theoretical : g->roof->theoretical, unit, peak));
}

/* What a row without numbers says instead; "" for one with numbers. */
static const char *instead(const priced_row *row, char *text, size_t size) {
  const roofline_reading *g = &row->reading;
  *text = '\0';
  if (g->verdict == ROOFLINE_FORMULA_ERROR)
    formula_error_text(row, text, size);
  else if (g->reason == ROOFLINE_REASON_NO_ROOF && row->record.roof_key != NULL)
    snprintf(text, size, "%s: %s", roofline_reason_name(g->reason), row->record.roof_key);
  else if (g->verdict == ROOFLINE_BLANK)
    snprintf(text, size, "%s", roofline_reason_name(g->reason));
  return text;
}
enum { LONGEST_INSTEAD = 128, NARROWEST_NAMES = 12, WIDEST_TAG = 10 };

/* Names get the width their longest needs, as far as the line goes; the tag first, it is short. */
static layout lay_out(const report *r, const priced_row *rows, uint64_t count) {
  layout l = {{2, 4, 0}, -1};
  for (int i = 0; i < NUMBERS; i++) l.numbers += 1 + number_columns[i].width;
  for (uint64_t i = 0; i < count; i++) {
    char text[LONGEST_INSTEAD];
    int width = cell_width(instead(&rows[i], text, sizeof text));
    if (width > l.numbers && (r->width == 0 || width <= r->width / 2)) l.numbers = width;
    for (int c = 0; c < NAMES; c++) {
      width = cell_width(name_of(&rows[i], c));
      if (width > l.name[c]) l.name[c] = width;
    }
  }
  if (r->width == 0) return l;
  if (l.name[2] > WIDEST_TAG) l.name[2] = WIDEST_TAG;
  int room = r->width - 1 - 1 - VERDICT_WIDTH - 1 - l.numbers - (l.name[2] > 0 ? l.name[2] + 1 : 0);
  if (r->options.theoretical) room -= (int)sizeof basis_note - 1;
  cells_share(room > NARROWEST_NAMES ? room : NARROWEST_NAMES, &l.name[0], &l.name[1]);
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

/* From the end of the number columns to where the next one starts, where there is one. */
static void put_padding(writer *w, const layout *l, bool padded) {
  int width = -1;
  for (int i = 0; i < NUMBERS; i++) width += 1 + number_columns[i].width;
  for (; padded && width < l->numbers; width++) writer_literal(w, " ");
}

static void put_head(report *r, const layout *l) {
  put_names(r->out, l, (const char *const[NAMES]){"OP", "CASE", "TAG"});
  cell_put(r->out, "VERDICT", VERDICT_WIDTH);
  for (int i = 0; i < NUMBERS; i++) {
    writer_literal(r->out, " ");
    cell_put_right(r->out, number_columns[i].head, number_columns[i].width);
  }
  put_padding(r->out, l, r->options.theoretical);
  writer_text(r->out, r->options.theoretical ? " ROOFS\n" : "\n");
}

static const char *colour_of(roofline_verdict verdict) {
  static const char *const colours[ROOFLINE_VERDICT_COUNT] = {"\x1b[1;31m", "\x1b[33m", "\x1b[36m",
                                                              "\x1b[32m",   "",         "\x1b[2m"};
  return colours[verdict];
}

static void put_numbers(writer *w, const layout *l, const priced_row *row, bool padded) {
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
  put_padding(w, l, padded);
}

static void put_row(report *r, const layout *l, const priced_row *row) {
  writer *w = r->out;
  roofline_verdict verdict = row->reading.verdict;
  put_names(w, l, (const char *const[NAMES]){name_of(row, 0), name_of(row, 1), name_of(row, 2)});
  if (r->colour) writer_text(w, colour_of(verdict));
  cell_put(w, report_verdict_label(verdict), VERDICT_WIDTH);
  if (r->colour) writer_literal(w, "\x1b[0m");
  char text[LONGEST_INSTEAD];
  int width = cell_width(instead(row, text, sizeof text));
  if (*text == '\0') {
    put_numbers(w, l, row, r->options.theoretical);
  } else {
    writer_literal(w, " ");
    cell_put(w, text, r->options.theoretical || width > l->numbers ? l->numbers : width);
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

/* The keys that rows of the group name and its profile lacks, each once, and at most a few: what is wrong
   with the rest shows in their rows. */
static void put_missing_roofs(report *r, arena *a, const priced_row *const *rows, uint64_t count) {
  enum { MOST = 4 };
  const char *keys[MOST];
  int n = 0;
  for (uint64_t k = 0; k < count && n < MOST; k++) {
    const char *key = rows[k]->record.roof_key;
    bool missing = rows[k]->reading.reason == ROOFLINE_REASON_NO_ROOF && key != NULL;
    for (int i = 0; i < n && missing; i++) missing = strcmp(keys[i], key) != 0;
    if (missing) keys[n++] = key;
  }
  for (int i = 0; i < n; i++) {
    const roofline_profile *p = rows[0]->profile;
    str nearest = profiles_nearest_roof(a, p, keys[i]);
    int width = cell_width(keys[i]);
    writer_literal(r->out, "  ");
    cell_put(r->out, keys[i], width < 18 ? 18 : width > 40 ? 40 : width);
    writer_literal(r->out, " no roof of the profile");
    if (nearest.n > 0) writer_printf(r->out, "; did you mean %.*s?", STR_ARG(nearest));
    for (int32_t k = 0; k < p->roof_count && nearest.n == 0; k++)
      writer_printf(r->out, "%s%s", k == 0 ? ", which has " : ", ", p->roofs[k].key);
    writer_literal(r->out, "\n");
  }
}

static void put_no_profile(report *r, arena *a, const char *device) {
  str nearest = profiles_nearest(a, &r->profiles, device);
  writer_literal(r->out, ": no profile");
  if (nearest.n > 0) writer_printf(r->out, "; did you mean '%.*s'?", STR_ARG(nearest));
}

/* A group: the device, the roofs its rows used, the rows. */
static void put_group(report *r, const layout *l, const priced_row *const *rows, uint64_t count) {
  const roofline_profile *p = rows[0]->profile;
  cell_put(r->out, device_of(rows[0])[0] != '\0' ? device_of(rows[0]) : "(no device)",
           cell_width(device_of(rows[0])) > 0 ? cell_width(device_of(rows[0])) : 11);
  arena *a = arena_new();
  if (p == NULL) put_no_profile(r, a, device_of(rows[0]));
  writer_literal(r->out, "\n");
  if (p != NULL) put_roof(r, "hbm", &p->hbm, "B/s");
  for (int32_t i = 0; p != NULL && i < p->roof_count; i++)
    for (uint64_t k = 0; k < count; k++)
      if (rows[k]->reading.roof == &p->roofs[i]) {
        put_roof(r, p->roofs[i].key, &p->roofs[i], "FLOP/s");
        break;
      }
  if (p != NULL) put_missing_roofs(r, a, rows, count);
  arena_free(a);
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
