/* Nsight Compute's CSV: a line for each metric of each kernel. pricing.md §6. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/pricing/audit.h"
#include "runtime/pricing/csv_line.h"
#include "runtime/pricing/text_input.h"

const char *const audit_metric_names[AUDIT_METRICS] = {"dram__bytes_read.sum", "dram__bytes_write.sum"};

uint32_t audit_index_add(arena *a, audit_index *x, str name, bool *added) {
  if (x->names.n == x->room) {
    x->room = x->room == 0 ? 64 : x->room * 2;
    x->slots = name_index_new(a, x->room);
    for (uint32_t i = 0; i < x->names.n; i++) name_index_add(&x->slots, x->names.v[i], i);
  }
  int64_t known = name_index_find(&x->slots, name);
  *added = known < 0;
  if (known >= 0) return (uint32_t)known;
  vec_push(a, &x->names, arena_str(a, name));
  name_index_add(&x->slots, x->names.v[x->names.n - 1], x->names.n - 1);
  return x->names.n - 1;
}

int64_t audit_index_find(const audit_index *x, str name) { return name_index_find(&x->slots, name); }

typedef enum column { ID, KERNEL, METRIC, VALUE, UNIT, COLUMNS } column;
static const char *const column_names[COLUMNS] = {"ID", "Kernel Name", "Metric Name", "Metric Value",
                                                  "Metric Unit"};
enum { REQUIRED = UNIT, MAX_RANGE_COLUMNS = 8 };

/* One table: a file may hold several, when ncu's output was appended to it. */
typedef struct table {
  audit_profile *profile;
  const char *path;
  uint32_t number;
  uint32_t width;                     /* cells of a line; 0: no column names yet */
  uint32_t at[COLUMNS];               /* UINT32_MAX: no such column */
  uint32_t ranges[MAX_RANGE_COLUMNS]; /* NVTX columns */
  uint32_t range_count;
  bool raw; /* names were seen that only ncu's other page has */
} table;

static bool has_text(str cell, const char *text) { return strstr(cell.p, text) != NULL; }

/* "thread Domain:Push/Pop_Range:PL_Type:..", "Id:Domain:Start/Stop_Range:..": ncu --nvtx adds them. */
static bool is_range_column(str cell) {
  return has_text(cell, "Push/Pop") || has_text(cell, "Start/Stop") || str_is(cell, "NVTX");
}

/* Takes the line as column names, if it is one. */
static bool read_names(table *t, const csv_line *l) {
  uint32_t at[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    at[c] = UINT32_MAX;
    for (uint32_t i = l->cells.n; i-- > 0;)
      if (str_is(l->cells.v[i], column_names[c])) at[c] = i;
    if (c >= REQUIRED || at[c] != UINT32_MAX) continue;
    for (uint32_t i = 0; c > KERNEL && i < l->cells.n; i++)
      t->raw = t->raw || str_is(l->cells.v[i], audit_metric_names[AUDIT_READ]);
    return false;
  }
  memcpy(t->at, at, sizeof at);
  t->width = l->cells.n;
  t->number++;
  t->range_count = 0;
  for (uint32_t i = 0; i < l->cells.n && t->range_count < MAX_RANGE_COLUMNS; i++)
    if (is_range_column(l->cells.v[i])) t->ranges[t->range_count++] = i;
  return true;
}

static bool is_number(str cell) {
  for (uint32_t i = 0; i < cell.n; i++)
    if (cell.p[i] < '0' || cell.p[i] > '9') return false;
  return cell.n > 0;
}

/* The kernel of a line. Its cells may end early: what is cut off still is a kernel that was run. */
static audit_kernel *kernel_of(table *t, const csv_line *l, arena *scratch, uint64_t line) {
  audit_profile *p = t->profile;
  str id = l->cells.v[t->at[ID]], name = l->cells.v[t->at[KERNEL]];
  bool added;
  str key = arena_printf(scratch, "%s\n%u\n%.*s\n%.*s", t->path, t->number, STR_ARG(id), STR_ARG(name));
  uint32_t number = audit_index_add(p->a, &p->by_key, key, &added);
  if (!added) return &p->kernels.v[number];
  audit_kernel k = {.file = t->path, .line = line, .row = -1};
  k.id = arena_cstr(p->a, id);
  k.name = arena_cstr(p->a, name);
  k.bytes[AUDIT_READ] = k.bytes[AUDIT_WRITE] = ROOFLINE_ABSENT;
  for (uint32_t i = 0; i < t->range_count; i++)
    if (t->ranges[i] < l->cells.n && l->cells.v[t->ranges[i]].n > 0)
      vec_push(p->a, &k.ranges, arena_cstr(p->a, l->cells.v[t->ranges[i]]));
  vec_push(p->a, &p->kernels, k);
  return &p->kernels.v[number];
}

static void unusable(audit_profile *p, audit_kernel *k, audit_metric m, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void unusable(audit_profile *p, audit_kernel *k, audit_metric m, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str text = arena_vprintf(p->a, format, args);
  va_end(args);
  k->bytes[m] = ROOFLINE_ABSENT;
  if (k->why == NULL) k->why = arena_cstr(p->a, text);
}

static void read_metric(table *t, const csv_line *l, audit_kernel *k, audit_metric m) {
  audit_profile *p = t->profile;
  str value = l->cells.v[t->at[VALUE]];
  str unit = t->at[UNIT] != UINT32_MAX ? l->cells.v[t->at[UNIT]] : (str){"", 0};
  int64_t bytes = ROOFLINE_ABSENT;
  roofline_status status = roofline_audit_bytes(value.p, value.n, unit.p, unit.n, &bytes);
  bool again = k->seen[m];
  k->seen[m] = true;
  if (status == ROOFLINE_E_UNKNOWN_NAME)
    unusable(p, k, m, "%s is in '%.*s', which is no unit of bytes", audit_metric_names[m], STR_ARG(unit));
  else if (status == ROOFLINE_E_OVERFLOW)
    unusable(p, k, m, "%s is '%.*s', more than 64 bits hold", audit_metric_names[m], STR_ARG(value));
  else if (status != ROOFLINE_OK)
    unusable(p, k, m, "%s is '%.*s', not a number of bytes", audit_metric_names[m], STR_ARG(value));
  else if (again && k->bytes[m] != bytes)
    unusable(p, k, m, "%s has two values", audit_metric_names[m]);
  else
    k->bytes[m] = bytes;
}

static void broken(table *t, const csv_line *l, arena *scratch, uint64_t line) {
  if (l->cells.n > t->at[ID] && l->cells.n > t->at[KERNEL]) (void)kernel_of(t, l, scratch, line);
  complain(t->profile->problems, AUDIT_BROKEN_LINE, t->path, line, 0,
           "a kernel's line is cut off or broken: %u whole cells where the column names are %u", l->cells.n,
           t->width);
}

static void read_line(table *t, csv_line *l, arena *scratch, char *text, size_t n, uint64_t line) {
  bool whole = csv_line_read(l, scratch, ',', text, n);
  if (whole && read_names(t, l)) return;
  if (t->width == 0) return; /* what ncu and the program print before the table */
  if (!whole || l->cells.n != t->width) {
    /* A log line, unless it starts as a kernel's line does. */
    if (l->cells.n > t->at[ID] && is_number(l->cells.v[t->at[ID]])) broken(t, l, scratch, line);
    return;
  }
  if (l->cells.v[t->at[KERNEL]].n == 0) return; /* the units under the names of a wide table */
  audit_kernel *k = kernel_of(t, l, scratch, line);
  for (int m = 0; m < AUDIT_METRICS; m++)
    if (str_is(l->cells.v[t->at[METRIC]], audit_metric_names[m])) read_metric(t, l, k, (audit_metric)m);
}

static void read_table(table *t, text_input *in) {
  arena *scratch = arena_new();
  csv_line l;
  csv_line_init(&l);
  char *text;
  const char *bytes;
  size_t n, ready = text_input_peek(in, 3, &bytes);
  bool utf16 = ready >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
  if (ready >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) text_input_skip(in, 3);
  for (text_piece piece; (piece = text_input_line(in, &text, &n)) != TEXT_END;) {
    if (piece == TEXT_PIECE) read_line(t, &l, scratch, text, n, in->start);
    arena_reset(scratch);
  }
  if (t->width == 0 && !in->failed)
    complain(t->profile->problems, AUDIT_NO_TABLE, t->path, 1, 0, "%s",
             utf16    ? "the file is UTF-16, not UTF-8: save it as UTF-8"
             : t->raw ? "this is ncu's raw page; its details page is needed: run ncu without --page raw"
                      : "no line of column names with ID, Kernel Name, Metric Name and Metric Value");
  csv_line_free(&l);
  arena_free(scratch);
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return strcmp(a, b) == 0 ||
         (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

const char *audit_profile_read(audit_profile *p, const char *path, str *why) {
  bool standard = strcmp(path, "-") == 0;
  for (uint32_t i = 0; i < p->files.n; i++)
    if (same_file(p->files.v[i], path)) return p->files.v[i];
  FILE *file = standard ? stdin : fopen(path, "rb");
  if (file == NULL) {
    *why = arena_printf(p->a, "cannot read %s: %s", path, strerror(errno));
    return NULL;
  }
  if (standard) path = "<stdin>";
  vec_push(p->a, &p->files, path);
  text_input in;
  text_input_init(&in, file);
  table t = {.profile = p, .path = path};
  read_table(&t, &in);
  bool read = !in.failed;
  if (!read) *why = arena_printf(p->a, "cannot read %s: %s", path, strerror(errno));
  text_input_free(&in);
  if (!standard) fclose(file);
  return read ? path : NULL;
}
