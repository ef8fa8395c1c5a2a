/* The map: whose measurement a kernel is, line by line; a plan is one too. docs/audit.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/audit.h"
#include "runtime/pricing/csv_line.h"
#include "runtime/pricing/text_input.h"

/* The last ones only inform: `roofline audit plan` writes them. */
typedef enum column {
  OP,
  CASE,
  TAG,
  CSV,
  ID,
  KERNEL,
  RANGE,
  SKIP,
  BYTES,
  READ_BYTES,
  BRANCH,
  DTYPES,
  COLUMNS
} column;
static const char *const column_names[COLUMNS] = {"op",    "case", "tag",   "csv",        "id",     "kernel",
                                                  "range", "skip", "bytes", "read_bytes", "branch", "dtypes"};

typedef struct reader {
  arena *a;
  complaints *problems;
  audit_map *map;
  str folder; /* of the map, with its slash: files it names stand beside it */
  char separator;
  bool usable;
  uint32_t width; /* 0: no column names yet */
  uint32_t at[COLUMNS];
  uint64_t line;
} reader;

static void read_names(reader *r, const csv_line *l) {
  str known[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    r->at[c] = UINT32_MAX;
    known[c] = str_of(column_names[c]);
  }
  r->width = l->cells.n;
  r->usable = true;
  for (uint32_t i = 0; i < l->cells.n; i++) {
    str name = l->cells.v[i];
    int c = 0;
    while (c < COLUMNS && !str_eq(known[c], name)) c++;
    if (c < COLUMNS && r->at[c] == UINT32_MAX) {
      r->at[c] = i;
      continue;
    }
    str near = c < COLUMNS ? (str){0} : diag_nearest(name, known, COLUMNS);
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0, "%s column '%.*s'%s%.*s%s",
             c < COLUMNS ? "a second" : "unknown", STR_ARG(name), near.n > 0 ? "; did you mean '" : "",
             STR_ARG(near), near.n > 0 ? "'?" : "");
    r->usable = false;
  }
  for (int c = OP; c <= CASE; c++) {
    if (r->at[c] != UINT32_MAX) continue;
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0, "no column '%s'", column_names[c]);
    r->usable = false;
  }
}

static const char *cell(const reader *r, const csv_line *l, column c) {
  if (r->at[c] == UINT32_MAX || l->cells.v[r->at[c]].n == 0) return NULL;
  return arena_cstr(r->a, l->cells.v[r->at[c]]);
}

/* "12" or "12-15" */
static bool read_ids(const char *text, audit_map_line *m) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  m->first_id = m->last_id = strtoull(text, &end, 10);
  if (*end == '-' && end[1] >= '0' && end[1] <= '9') m->last_id = strtoull(end + 1, &end, 10);
  m->has_id = true;
  return *end == '\0' && errno == 0 && m->first_id <= m->last_id;
}

static void read_map_line(reader *r, const csv_line *l) {
  audit_map_line m = {.line = r->line, .row = -1};
  if (l->cells.n != r->width) {
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0, "%u cells where the column names are %u",
             l->cells.n, r->width);
    return;
  }
  m.op = cell(r, l, OP);
  m.case_id = cell(r, l, CASE);
  m.tag = cell(r, l, TAG);
  m.csv = cell(r, l, CSV);
  m.kernel = cell(r, l, KERNEL);
  m.range = cell(r, l, RANGE);
  m.skip = cell(r, l, SKIP);
  if (m.op == NULL || m.case_id == NULL) {
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0, "no %s", m.op == NULL ? "op" : "case");
    return;
  }
  const char *ids = cell(r, l, ID);
  if (ids != NULL && !read_ids(ids, &m)) {
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0, "id is a number or FIRST-LAST, not '%s'",
             ids);
    return;
  }
  if (m.csv != NULL && m.csv[0] != '/')
    m.csv = arena_cstr(r->a, arena_printf(r->a, "%.*s%s", STR_ARG(r->folder), m.csv));
  vec_push(r->a, &r->map->lines, m);
}

static void read_lines(reader *r, text_input *in) {
  arena *scratch = arena_new();
  csv_line l;
  csv_line_init(&l);
  char *text;
  const char *bytes;
  size_t n;
  if (text_input_peek(in, 3, &bytes) >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) text_input_skip(in, 3);
  for (text_piece piece; (piece = text_input_line(in, &text, &n)) != TEXT_END; arena_reset(scratch)) {
    r->line = in->start;
    if (piece == TEXT_PIECE && (text_is_blank(text, n) || *text == '#')) continue;
    if (r->width == 0 && piece == TEXT_PIECE) r->separator = memchr(text, '\t', n) != NULL ? '\t' : ',';
    if (piece != TEXT_PIECE || !csv_line_read(&l, scratch, r->separator, text, n))
      complain(r->problems, AUDIT_MAP_LINE, r->map->path, r->line, 0,
               "not CSV: a quote is not closed, or "
               "stands inside a cell");
    else if (r->width == 0)
      read_names(r, &l);
    else
      read_map_line(r, &l);
    if (!r->usable) break;
  }
  if (r->width == 0 && r->usable && !in->failed)
    complain(r->problems, AUDIT_MAP_LINE, r->map->path, 1, 0, "no line of column names");
  csv_line_free(&l);
  arena_free(scratch);
}

bool audit_map_read(arena *a, complaints *problems, const char *path, audit_map *map, str *why) {
  bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdin : fopen(path, "rb");
  if (file == NULL) {
    *why = arena_printf(a, "cannot read %s: %s", path, strerror(errno));
    return false;
  }
  *map = (audit_map){.path = standard ? "<stdin>" : path};
  const char *slash = standard ? NULL : strrchr(path, '/');
  str folder = {path, slash != NULL ? (uint32_t)(slash + 1 - path) : 0};
  reader r = {.a = a, .problems = problems, .map = map, .folder = folder, .separator = ',', .usable = true};
  text_input in;
  text_input_init(&in, file);
  read_lines(&r, &in);
  bool read = !in.failed;
  if (!read) *why = arena_printf(a, "cannot read %s: %s", path, strerror(errno));
  text_input_free(&in);
  if (!standard) fclose(file);
  return read;
}
