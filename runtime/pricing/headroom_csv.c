/* Hardware counters from rocprofv3's long CSV: one row per counter per dispatch. headroom.md §2.9. */
#include "runtime/pricing/headroom_run.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_FIELD = 1 << 20 };

typedef enum column { KERNEL_NAME, COUNTER_NAME, COUNTER_VALUE, DISPATCH_ID, COLUMN_COUNT } column;
static const char *const column_names[COLUMN_COUNT] = {"Kernel_Name", "Counter_Name", "Counter_Value",
                                                       "Dispatch_Id"};

typedef struct sample {
  uint32_t file, order; /* order: row number, then occurrence within (file, dispatch, counter) */
  uint64_t dispatch;
  roofline_counter counter;
  double value;
} sample;

/* A kernel that some watched name may mean. */
typedef struct csv_kernel {
  str name;
  VEC(sample) samples;
} csv_kernel;

typedef struct watched {
  str name, short_name;
} watched;

struct hr_counters {
  hr_log *log;
  json_t *by_name; /* kernel name as the CSV has it -> position in `kernels`, or -1: nobody's */
  VEC(csv_kernel) kernels;
  VEC(watched) watched;
  uint32_t files;
};

hr_counters *hr_counters_new(hr_log *log) {
  hr_counters *c = arena_new_of(log->a, hr_counters);
  c->log = log;
  c->by_name = json_object();
  return c;
}

void hr_counters_free(hr_counters *c) { json_decref(c->by_name); }

void hr_counters_watch(hr_counters *c, str name, str short_name) {
  watched w = {name, short_name};
  vec_push(c->log->a, &c->watched, w);
}

static bool is_word_byte(char ch) {
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* `word` inside `s` as a whole identifier: "fused_moe_kernel.kd" and "void fused_moe_kernel<..>(..)". */
static bool contains_word(str s, str word) {
  if (word.n == 0 || word.n > s.n) return false;
  for (uint32_t i = 0; i + word.n <= s.n; i++) {
    if (memcmp(s.p + i, word.p, word.n) != 0) continue;
    bool starts = i == 0 || !is_word_byte(s.p[i - 1]);
    bool ends = i + word.n == s.n || !is_word_byte(s.p[i + word.n]);
    if (starts && ends) return true;
  }
  return false;
}

static bool concerns(const watched *w, str kernel) {
  return str_eq(kernel, w->name) || str_eq(kernel, w->short_name) || contains_word(kernel, w->short_name) ||
         contains_word(kernel, w->name);
}

/* One file's parse. */
typedef struct reader {
  hr_counters *counters;
  const char *path;
  uint32_t file, row, field, bad_values;
  bool header_seen, usable;
  int column_at[COLUMN_COUNT]; /* position of each column, -1 while not seen */
  str cells[COLUMN_COUNT];
  arena *row_memory;
} reader;

static void on_field(void *text, size_t length, void *data) {
  reader *r = data;
  str cell = {text, (uint32_t)length};
  for (int c = 0; c < COLUMN_COUNT; c++) {
    if (!r->header_seen && cell.n == strlen(column_names[c]) &&
        strncasecmp(cell.p, column_names[c], cell.n) == 0)
      r->column_at[c] = (int)r->field;
    else if (r->header_seen && r->column_at[c] == (int)r->field)
      r->cells[c] = arena_str(r->row_memory, cell);
  }
  r->field++;
}

/* The kernel of a row, or NULL when no watched name can mean it. */
static csv_kernel *kernel_of(hr_counters *c, arena *row_memory, str name) {
  char *key = arena_cstr(row_memory, name);
  json_t *known = json_object_get(c->by_name, key);
  if (known == NULL) {
    json_int_t position = -1; /* nobody watches it */
    for (uint32_t i = 0; i < c->watched.n && position < 0; i++)
      if (concerns(&c->watched.v[i], name)) position = c->kernels.n;
    csv_kernel kernel = {.name = arena_str(c->log->a, name)};
    if (position >= 0) vec_push(c->log->a, &c->kernels, kernel);
    json_object_set_new_nocheck(c->by_name, key, json_integer(position));
    return position >= 0 ? &c->kernels.v[position] : NULL;
  }
  json_int_t position = json_integer_value(known);
  return position >= 0 ? &c->kernels.v[position] : NULL;
}

static bool parse_value(reader *r, str cell, double *value) {
  char *copy = arena_cstr(r->row_memory, cell), *end = copy;
  *value = strtod(copy, &end);
  if (end != copy && *end == '\0' && isfinite(*value) && *value >= 0) return true;
  r->bad_values++;
  return false;
}

static void on_data_row(reader *r) {
  roofline_counter counter = roofline_counter_find(r->cells[COUNTER_NAME].p, r->cells[COUNTER_NAME].n);
  if (counter == ROOFLINE_COUNTER_COUNT) return; /* percentages among them: they are never summed */
  csv_kernel *kernel = kernel_of(r->counters, r->row_memory, r->cells[KERNEL_NAME]);
  sample s = {.file = r->file, .order = r->row, .counter = counter};
  if (kernel == NULL || !parse_value(r, r->cells[COUNTER_VALUE], &s.value)) return;
  s.dispatch = strtoull(arena_cstr(r->row_memory, r->cells[DISPATCH_ID]), NULL, 10);
  vec_push(r->counters->log->a, &kernel->samples, s);
}

static void on_row(int end, void *data) {
  (void)end;
  reader *r = data;
  bool blank = r->field == 0;
  r->field = 0;
  if (blank) return;
  r->row++;
  if (!r->header_seen) {
    r->header_seen = true;
    r->usable =
        r->column_at[KERNEL_NAME] >= 0 && r->column_at[COUNTER_NAME] >= 0 && r->column_at[COUNTER_VALUE] >= 0;
  } else if (r->usable && r->cells[KERNEL_NAME].p != NULL && r->cells[COUNTER_NAME].p != NULL) {
    on_data_row(r);
  }
  memset(r->cells, 0, sizeof r->cells);
  arena_reset(r->row_memory);
}

static const char *parse_file(FILE *in, struct csv_parser *parser, reader *r) {
  char block[1 << 14];
  size_t n;
  while ((n = fread(block, 1, sizeof block, in)) > 0) {
    if (csv_parse(parser, block, n, on_field, on_row, r) != n) return csv_strerror(csv_error(parser));
    if (csv_get_buffer_size(parser) > MAX_FIELD) return "a field is longer than a mebibyte";
    if (r->header_seen && !r->usable) return "no Kernel_Name, Counter_Name and Counter_Value columns";
  }
  if (ferror(in)) return strerror(errno);
  csv_fini(parser, on_field, on_row, r);
  if (!r->header_seen) return "empty";
  return r->usable ? NULL : "no Kernel_Name, Counter_Name and Counter_Value columns";
}

void hr_counters_read(hr_counters *c, const char *path) {
  FILE *in = fopen(path, "rb");
  struct csv_parser parser;
  if (in == NULL || csv_init(&parser, 0) != 0) {
    hr_error(c->log, "%s: cannot read: %s", path, strerror(errno));
    if (in != NULL) fclose(in);
    return;
  }
  reader r = {.counters = c, .path = path, .file = c->files++, .row_memory = arena_new()};
  for (int i = 0; i < COLUMN_COUNT; i++) r.column_at[i] = -1;
  const char *why = parse_file(in, &parser, &r);
  if (why != NULL) hr_error(c->log, "%s: not usable as counters: %s", path, why);
  if (r.bad_values > 0)
    hr_error(c->log, "%s: %u counter values are not numbers of 0 or more", path, r.bad_values);
  csv_free(&parser);
  arena_free(r.row_memory);
  fclose(in);
}

static int sample_order(const sample *a, const sample *b) {
  if (a->file != b->file) return a->file < b->file ? -1 : 1;
  if (a->dispatch != b->dispatch) return a->dispatch < b->dispatch ? -1 : 1;
  return 0;
}

static int by_counter(const void *left, const void *right) {
  const sample *a = left, *b = right;
  int c = sample_order(a, b);
  if (c != 0) return c;
  if (a->counter != b->counter) return a->counter < b->counter ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static int by_occurrence(const void *left, const void *right) {
  const sample *a = left, *b = right;
  int c = sample_order(a, b);
  if (c != 0) return c;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  return a->counter < b->counter ? -1 : a->counter > b->counter;
}

/* The n-th row of a counter within one dispatch id is the n-th dispatch: rows without an id, and ids
   that repeat, are launches of their own, so nothing is ever summed over launches. */
static roofline_work measure(hr_counters *c, csv_kernel *kernel) {
  sample *s = kernel->samples.v;
  uint32_t n = kernel->samples.n, groups = 0;
  roofline_dispatch *dispatches = arena_array(c->log->a, roofline_dispatch, n + 1);
  double *scratch = arena_array(c->log->a, double, n + 1);
  if (n > 0) qsort(s, n, sizeof *s, by_counter);
  for (uint32_t i = 0, first = 0; i < n; i++) {
    if (sample_order(&s[i], &s[first]) != 0 || s[i].counter != s[first].counter) first = i;
    s[i].order = i - first;
  }
  if (n > 0) qsort(s, n, sizeof *s, by_occurrence);
  for (uint32_t i = 0; i < n; i++) {
    bool same = i > 0 && sample_order(&s[i], &s[i - 1]) == 0 && s[i].order == s[i - 1].order;
    if (!same) roofline_dispatch_init(&dispatches[groups++]);
    dispatches[groups - 1].value[s[i].counter] = s[i].value;
  }
  return roofline_headroom_measured(dispatches, groups, scratch);
}

/* The one CSV kernel a watched name means: the exact name, the exact short name, or the only one that
   contains it. Several that contain it are no one kernel. */
static csv_kernel *meant(hr_counters *c, const watched *w, uint32_t *several) {
  csv_kernel *found = NULL;
  const str names[] = {w->name, w->short_name};
  for (size_t i = 0; i < 2; i++)
    for (uint32_t k = 0; k < c->kernels.n; k++)
      if (names[i].n > 0 && str_eq(c->kernels.v[k].name, names[i])) return &c->kernels.v[k];
  *several = 0;
  for (uint32_t k = 0; k < c->kernels.n; k++)
    if (concerns(w, c->kernels.v[k].name)) {
      found = &c->kernels.v[k];
      ++*several;
    }
  return *several == 1 ? found : NULL;
}

roofline_work hr_counters_of(hr_counters *c, uint32_t index, bool *found, hr_lines *notes) {
  uint32_t several = 0;
  csv_kernel *kernel = meant(c, &c->watched.v[index], &several);
  *found = kernel != NULL;
  if (several > 1) hr_note(c->log, notes, "%u kernels in the counters match this name: not used", several);
  if (kernel == NULL) return (roofline_work){NAN, NAN};
  return measure(c, kernel);
}
