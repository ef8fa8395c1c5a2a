/* Rows of the audit: what is declared, which kernels are theirs, and the verdict. pricing.md §6. */
#include <inttypes.h>
#include <string.h>

#include "runtime/pricing/audit.h"

static str row_key(arena *a, const char *op, const char *case_id, const char *tag) {
  return arena_printf(a, "%s\n%s\n%s", op, case_id, tag != NULL ? tag : "");
}

static const char *keep(arena *a, const char *text) {
  return text != NULL && *text != '\0' ? arena_cstr(a, str_of(text)) : NULL;
}

static audit_row *add_row(audit *x, const char *op, const char *case_id, const char *tag, bool *added) {
  str key = row_key(x->a, op, case_id, tag);
  uint32_t number = audit_index_add(x->a, &x->by_key, key, added);
  if (*added) {
    audit_row row = {.op = keep(x->a, op), .case_id = keep(x->a, case_id), .tag = keep(x->a, tag)};
    row.declared = ROOFLINE_ABSENT;
    if (row.op == NULL) row.op = "";
    if (row.case_id == NULL) row.case_id = "";
    vec_push(x->a, &x->rows, row);
  }
  return &x->rows.v[number];
}

static void take_record(audit *x, const roofline_record *r, const char *path, uint64_t line) {
  bool added;
  audit_row *row = add_row(x, r->op, r->case_id, r->tag, &added);
  if (!added) {
    if (row->declared != r->read_bytes)
      complain(&x->problems, AUDIT_DECLARED_TWICE, path, line, 0,
               "%s %s has other read_bytes than its record at %s:%" PRIu64, r->op, r->case_id, row->path,
               row->line);
    return;
  }
  row->declared = r->read_bytes;
  row->path = path;
  row->line = line;
}

bool audit_take_records(audit *x, const char *path, const char *tag, str *why) {
  roofline_record r;
  records *in = records_open(path, RECORDS_AUTO, false, &x->problems, why, x->a);
  if (in == NULL) return false;
  while (records_next(in, &r))
    if (tag == NULL || strcmp(r.tag != NULL ? r.tag : "", tag) == 0)
      take_record(x, &r, path, records_line(in));
  return records_close(in, x->a, why);
}

/* ---- which row an op and a case mean ---------------------------------------------------------------- */

enum { NO_ROW = -1, SEVERAL_ROWS = -2 };

typedef struct case_rows {
  audit_index by_case; /* op/case to a position in `row` */
  VEC(int64_t) row;    /* the untagged row, or the only tagged one, or SEVERAL_ROWS */
} case_rows;

static void index_cases(audit *x, case_rows *c) {
  for (uint32_t i = 0; i < x->rows.n; i++) {
    const audit_row *row = &x->rows.v[i];
    bool added;
    str name = arena_printf(x->a, "%s/%s", row->op, row->case_id);
    uint32_t at = audit_index_add(x->a, &c->by_case, name, &added);
    if (added)
      vec_push(x->a, &c->row, (int64_t)i);
    else if (row->tag == NULL)
      c->row.v[at] = i;
    else if (c->row.v[at] == SEVERAL_ROWS || x->rows.v[c->row.v[at]].tag != NULL)
      c->row.v[at] = SEVERAL_ROWS;
  }
}

static int64_t row_of_case(const case_rows *c, str name) {
  int64_t at = audit_index_find(&c->by_case, name);
  return at < 0 ? NO_ROW : c->row.v[at];
}

static const char several[] =
    "records of several tags have this op and case: choose one with --tag, or with a tag in the map";

/* ---- the map ------------------------------------------------------------------------------------------ */

/* A line's row; one that no record declares is a row too, so that it is judged and listed. */
static void place_map_line(audit *x, const case_rows *c, audit_map_line *m) {
  bool added;
  if (m->tag == NULL) {
    m->row = row_of_case(c, arena_printf(x->a, "%s/%s", m->op, m->case_id));
    if (m->row == SEVERAL_ROWS) {
      complain(&x->problems, AUDIT_MAP_LINE, x->map->path, m->line, 0, "%s/%s: %s", m->op, m->case_id,
               several);
      return;
    }
  }
  if (m->row < 0) m->row = add_row(x, m->op, m->case_id, m->tag, &added) - x->rows.v;
  audit_row *row = &x->rows.v[m->row];
  row->mapped = true;
  if (row->skip == NULL) row->skip = m->skip;
  if (row->why == NULL) row->why = m->unread;
}

static bool in_ids(const audit_map_line *m, const char *id) {
  uint64_t n = 0;
  if (!m->has_id) return true;
  for (const char *p = id; *p != '\0'; p++) {
    if (*p < '0' || *p > '9' || n > UINT64_MAX / 10 - 1) return false;
    n = n * 10 + (uint64_t)(*p - '0');
  }
  return *id != '\0' && n >= m->first_id && n <= m->last_id;
}

/* ---- NVTX ranges ----------------------------------------------------------------------------------------
 */

typedef bool range_visitor(void *to, str name);

/* Names in a cell of NVTX ranges, which ncu writes with the domain and attributes between colons. Visits the
   cell itself too. */
static bool each_range(str cell, range_visitor *visit, void *to) {
  bool found = visit(to, cell);
  for (uint32_t at = 0; at < cell.n;) {
    uint32_t n = 0;
    while (at + n < cell.n && memchr(":;,<>\"", cell.p[at + n], 6) == NULL) n++;
    str part = {cell.p + at, n};
    at += n + 1;
    while (part.n > 0 && part.p[0] == ' ') part.p++, part.n--;
    while (part.n > 0 && part.p[part.n - 1] == ' ') part.n--;
    if (part.n > 0 && visit(to, part)) found = true;
  }
  return found;
}

static bool each_range_of(const audit_kernel *k, range_visitor *visit, void *to) {
  bool found = false;
  for (uint32_t i = 0; i < k->ranges.n; i++) found = each_range(str_of(k->ranges.v[i]), visit, to) || found;
  return visit(to, str_of(k->name)) || found; /* ncu --print-nvtx-rename kernel */
}

typedef struct range_search {
  const char *name;
} range_search;

static bool is_range(void *to, str name) { return str_is(name, ((range_search *)to)->name); }

typedef struct case_search {
  const case_rows *cases;
  int64_t row;
} case_search;

/* The innermost range is named last. */
static bool find_case(void *to, str name) {
  case_search *s = to;
  int64_t row = row_of_case(s->cases, name);
  if (row != NO_ROW) s->row = row;
  return row != NO_ROW;
}

/* ---- kernels to rows -------------------------------------------------------------------------------------
 */

static bool fits(const audit_map_line *m, const audit_kernel *k) {
  if (m->csv == NULL && !m->has_id && m->kernel == NULL && m->range == NULL) return false;
  if (m->csv != NULL && strcmp(m->csv, k->file) != 0) return false;
  if (m->kernel != NULL && strcmp(m->kernel, k->name) != 0) return false;
  if (!in_ids(m, k->id)) return false;
  range_search s = {m->range};
  return m->range == NULL || each_range_of(k, is_range, &s);
}

static void place_kernel(audit *x, const case_rows *c, audit_kernel *k) {
  for (uint32_t i = 0; x->map != NULL && i < x->map->lines.n && k->row < 0; i++)
    if (x->map->lines.v[i].row >= 0 && fits(&x->map->lines.v[i], k)) k->row = x->map->lines.v[i].row;
  if (k->row < 0) {
    case_search s = {c, NO_ROW};
    each_range_of(k, find_case, &s);
    if (s.row == SEVERAL_ROWS) k->stray = several;
    if (s.row >= 0) k->row = s.row;
  }
  if (k->row < 0) {
    x->stray++;
    return;
  }
  audit_row *row = &x->rows.v[k->row];
  row->kernels++;
  roofline_audit_add(&row->traffic, k->bytes[AUDIT_READ], k->bytes[AUDIT_WRITE]);
  if (k->bytes[AUDIT_READ] >= 0 && k->bytes[AUDIT_WRITE] >= 0) return;
  if (row->unusable++ > 0) return;
  int missing = k->bytes[AUDIT_READ] < 0 ? AUDIT_READ : AUDIT_WRITE;
  row->why = k->why != NULL ? arena_printf(x->a, "kernel %s: %s", k->id, k->why).p
                            : arena_printf(x->a, "kernel %s has no %s", k->id, audit_metric_names[missing]).p;
}

/* ---- verdicts
 * ----------------------------------------------------------------------------------------------- */

/* A row without kernels was not run when the map says so, or has no line for it; else it was lost. */
static void settle(audit *x, audit_row *row) {
  if (row->kernels > 0 || row->skip != NULL) return;
  if (x->map != NULL && !row->mapped)
    row->skip = "the map has no line for it";
  else
    row->traffic.state = ROOFLINE_AUDIT_UNUSABLE;
}

static const char *error_reason(arena *a, const audit_row *row) {
  if (row->declared < 0) return "the declared read half is negative";
  if (row->kernels == 0)
    return row->why == NULL ? "no kernel was measured for it"
                            : arena_printf(a, "no kernel was measured for it: %s", row->why).p;
  if (row->why == NULL) return "the sum over its kernels does not fit 64 bits";
  if (row->unusable == 1) return row->why;
  return arena_printf(a, "%s, and %u more", row->why, row->unusable - 1).p;
}

static void judge_fail(audit *x, audit_row *row) {
  const char *unjudged;
  const char *reason = audit_exceptions_find(x->exceptions, row->op, row->case_id, &unjudged);
  if (reason != NULL) {
    row->verdict = ROOFLINE_AUDIT_EXEMPT;
    row->reason = reason;
    return;
  }
  row->reason = unjudged == NULL
                    ? "less was read than declared"
                    : arena_printf(x->a, "less was read than declared; its exception %s", unjudged).p;
}

static void judge_row(audit *x, audit_row *row) {
  settle(x, row);
  row->verdict = roofline_audit_judge(row->declared, &row->traffic);
  switch (row->verdict) {
  case ROOFLINE_AUDIT_NO_VERDICT:
    row->reason = row->path != NULL ? "no read half is declared" : "no record declares it";
    break;
  case ROOFLINE_AUDIT_ERROR: row->reason = error_reason(x->a, row); break;
  case ROOFLINE_AUDIT_SKIPPED:
    row->reason = row->declared == 0 ? "the declared read half is zero"
                                     : arena_printf(x->a, "not run: %s", row->skip).p;
    break;
  case ROOFLINE_AUDIT_FAIL: judge_fail(x, row); break;
  case ROOFLINE_AUDIT_WARN: row->reason = "more was read than declared"; break;
  default: break;
  }
  x->verdicts[row->verdict]++;
}

void audit_judge(audit *x) {
  case_rows cases = {0};
  index_cases(x, &cases);
  for (uint32_t i = 0; x->map != NULL && i < x->map->lines.n; i++)
    place_map_line(x, &cases, &x->map->lines.v[i]);
  if (x->map != NULL) { /* with the rows that only the map has */
    memset(&cases, 0, sizeof cases);
    index_cases(x, &cases);
  }
  for (uint32_t i = 0; i < x->profile.kernels.n; i++) place_kernel(x, &cases, &x->profile.kernels.v[i]);
  for (uint32_t i = 0; i < x->rows.n; i++) judge_row(x, &x->rows.v[i]);
}
