/* The machine-readable formats: json, jsonl and csv carry the same columns. pricing.md §5. */
#include <math.h>

#include "runtime/pricing/report.h"

typedef enum column_kind {
  RECORD_TEXT,
  RECORD_INTEGER,
  RECORD_JSON,
  READING_NUMBER,
  READING_VERDICT,
  READING_REASON,
  READING_BOUND,
  REPORT_BASIS
} column_kind;

typedef struct column {
  const char *name, *json_key; /* the key as JSON writes it between two members */
  size_t key_length, offset;
  column_kind kind;
  bool optional; /* left out of a JSON row that lacks it */
} column;

#define COLUMN(name, kind, offset, optional)                                                                 \
  { name, ", \"" name "\": ", sizeof(", \"" name "\": ") - 1, offset, kind, optional }
#define RECORD(kind, name, member, optional) COLUMN(name, kind, offsetof(roofline_record, member), optional)
#define NUMBER(member) COLUMN(#member, READING_NUMBER, offsetof(roofline_reading, member), false)

static const column columns[] = {
    RECORD(RECORD_TEXT, "op", op, false),
    RECORD(RECORD_TEXT, "case", case_id, false),
    RECORD(RECORD_TEXT, "tag", tag, true),
    RECORD(RECORD_TEXT, "device", device, false),
    COLUMN("verdict", READING_VERDICT, 0, false),
    COLUMN("reason", READING_REASON, 0, true),
    NUMBER(efficiency),
    COLUMN("bound", READING_BOUND, 0, false),
    NUMBER(sol_time_ms),
    NUMBER(memory_time_ms),
    NUMBER(compute_time_ms),
    NUMBER(actual_time_ms),
    RECORD(RECORD_INTEGER, "flops", flops, false),
    RECORD(RECORD_INTEGER, "bytes", bytes, false),
    RECORD(RECORD_TEXT, "roof_key", roof_key, false),
    NUMBER(arithmetic_intensity),
    NUMBER(ridge_point),
    NUMBER(achieved_bytes_per_s),
    NUMBER(achieved_flops_per_s),
    NUMBER(attainable_speedup),
    NUMBER(hbm_share_effective),
    NUMBER(hbm_share_theoretical),
    NUMBER(roof_share_effective),
    NUMBER(roof_share_theoretical),
    COLUMN("basis", REPORT_BASIS, 0, false),
    RECORD(RECORD_JSON, "run", run, true),
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

/* The text of a column that is one, or NULL. */
static const char *column_text(const report *r, const priced_row *row, const column *c) {
  switch (c->kind) {
  case RECORD_TEXT:
  case RECORD_JSON: return *(const char *const *)((const char *)&row->record + c->offset);
  case READING_VERDICT: return roofline_verdict_name(row->reading.verdict);
  case READING_REASON: return roofline_reason_name(row->reading.reason);
  case READING_BOUND:
    return row->reading.verdict == ROOFLINE_BLANK ? NULL : roofline_bound_name(row->reading.bound);
  case REPORT_BASIS: return report_basis(r);
  case RECORD_INTEGER:
  case READING_NUMBER: break;
  }
  return NULL;
}

static double column_number(const priced_row *row, const column *c) {
  return *(const double *)((const char *)&row->reading + c->offset);
}

static int64_t column_integer(const priced_row *row, const column *c) {
  return *(const int64_t *)((const char *)&row->record + c->offset);
}

static void json_row(report *r, const priced_row *row) {
  writer *w = r->out;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    const column *c = &columns[i];
    if (c->kind == READING_NUMBER) {
      writer_put(w, c->json_key, c->key_length);
      writer_number(w, column_number(row, c));
    } else if (c->kind == RECORD_INTEGER) {
      writer_put(w, c->json_key, c->key_length);
      if (column_integer(row, c) == ROOFLINE_ABSENT)
        writer_literal(w, "null");
      else
        writer_integer(w, column_integer(row, c));
    } else {
      const char *text = column_text(r, row, c);
      if (text == NULL && c->optional) continue;
      if (i == 0)
        writer_literal(w, "{\"op\": ");
      else
        writer_put(w, c->json_key, c->key_length);
      if (c->kind == RECORD_JSON)
        writer_text(w, text);
      else
        writer_json(w, text);
    }
  }
  writer_literal(w, "}");
}

/* ---- jsonl ---- */

static void jsonl_row(report *r, const priced_row *row) {
  json_row(r, row);
  writer_literal(r->out, "\n");
}

static void nothing(report *r) { (void)r; }

const report_format report_jsonl = {"jsonl", nothing, jsonl_row, NULL, nothing};

/* ---- json ---- */

static void json_roof(writer *w, const roofline_roof *roof) {
  writer_literal(w, "{\"theoretical\": ");
  writer_number(w, roof->theoretical);
  writer_literal(w, ", \"calibration\": ");
  if (roof->calibration > 0)
    writer_number(w, roof->calibration);
  else
    writer_literal(w, "null");
  writer_literal(w, "}");
}

static void json_profile(writer *w, const roofline_profile *p) {
  writer_literal(w, "{\"gpu\": ");
  writer_json(w, p->gpu);
  writer_literal(w, ", \"aliases\": [");
  for (int32_t i = 0; i < p->alias_count; i++) {
    if (i > 0) writer_literal(w, ", ");
    writer_json(w, p->aliases[i]);
  }
  writer_literal(w, "], \"hbm\": ");
  json_roof(w, &p->hbm);
  writer_literal(w, ", \"roofs\": {");
  for (int32_t i = 0; i < p->roof_count; i++) {
    if (i > 0) writer_literal(w, ", ");
    writer_json(w, p->roofs[i].key);
    writer_literal(w, ": ");
    json_roof(w, &p->roofs[i]);
  }
  writer_literal(w, "}}");
}

void report_json_profiles(report *r) {
  writer_literal(r->out, "[");
  for (uint32_t i = 0; i < r->profiles.n; i++) {
    writer_text(r->out, i > 0 ? ",\n  " : "\n  ");
    json_profile(r->out, r->profiles.v[i]);
  }
  writer_literal(r->out, "]");
}

void report_json_thresholds(report *r) {
  const struct {
    const char *key;
    double value;
  } items[] = {{"{\"at_ceiling\": ", r->thresholds.at_ceiling},
               {", \"anomaly\": ", r->thresholds.anomaly},
               {", \"latency_sol_us\": ", r->thresholds.latency_sol_us},
               {", \"latency_actual_us\": ", r->thresholds.latency_actual_us},
               {", \"target\": ", report_target(r)}};
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    writer_text(r->out, items[i].key);
    writer_number(r->out, items[i].value);
  }
  writer_literal(r->out, "}");
}

void report_json_summary(report *r) {
  const report_summary *s = &r->summary;
  writer_printf(r->out, "{\"rows\": %llu", (unsigned long long)s->rows);
  for (int v = 0; v < ROOFLINE_VERDICT_COUNT; v++)
    writer_printf(r->out, ", \"%s\": %llu", roofline_verdict_name((roofline_verdict)v),
                  (unsigned long long)s->verdicts[v]);
  writer_literal(r->out, ", \"blanks\": {");
  bool first = true;
  for (int i = 0; i < ROOFLINE_REASON_COUNT; i++) {
    if (s->blanks[i] == 0) continue;
    writer_printf(r->out, "%s\"%s\": %llu", first ? "" : ", ", roofline_reason_name((roofline_reason)i),
                  (unsigned long long)s->blanks[i]);
    first = false;
  }
  writer_printf(r->out, "}, \"malformed\": %llu, \"basis\": \"%s\"}", (unsigned long long)s->malformed,
                report_basis(r));
}

static void json_begin(report *r) {
  writer_literal(r->out, "{\"version\": 1,\n\"profiles\": ");
  report_json_profiles(r);
  writer_literal(r->out, ",\n\"thresholds\": ");
  report_json_thresholds(r);
  writer_literal(r->out, ",\n\"rows\": [");
}

static void json_next(report *r, const priced_row *row) {
  writer_text(r->out, r->printed++ > 0 ? ",\n" : "\n");
  json_row(r, row);
}

static void json_end(report *r) {
  writer_literal(r->out, "],\n\"summary\": ");
  report_json_summary(r);
  writer_literal(r->out, "}\n");
}

const report_format report_json = {"json", json_begin, json_next, NULL, json_end};

/* ---- csv ---- */

static void csv_begin(report *r) {
  if (!r->header) return;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (i > 0) writer_literal(r->out, ",");
    writer_text(r->out, columns[i].name);
  }
  writer_literal(r->out, "\n");
}

static void csv_row(report *r, const priced_row *row) {
  for (int i = 0; i < COLUMN_COUNT; i++) {
    const column *c = &columns[i];
    if (i > 0) writer_literal(r->out, ",");
    if (c->kind == READING_NUMBER) {
      double x = column_number(row, c);
      if (isfinite(x)) writer_number(r->out, x); /* an empty cell where JSON has null */
    } else if (c->kind == RECORD_INTEGER) {
      if (column_integer(row, c) != ROOFLINE_ABSENT) writer_integer(r->out, column_integer(row, c));
    } else {
      writer_csv(r->out, column_text(r, row, c));
    }
  }
  writer_literal(r->out, "\n");
}

const report_format report_csv = {"csv", csv_begin, csv_row, NULL, nothing};
