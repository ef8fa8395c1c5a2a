/* CSV records: a header of field names, then a row each. libcsv does the quoting; lines are fed to it one
   by one, so that a row's place is known and a broken row costs only itself. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/records_read.h"

typedef struct csv_columns {
  int *field; /* column to position in record_fields, -1 for one that is not ours */
  size_t count, capacity;
  bool header_done;
  /* The row under way: its cells, terminated, and where each starts. */
  row_buffer text;
  size_t *cell;
  size_t cells, cell_capacity;
  bool row_done;
} csv_columns;

static void *grown(void *items, size_t *capacity, size_t size) {
  *capacity = *capacity == 0 ? 32 : *capacity * 2;
  void *p = realloc(items, *capacity * size);
  if (p == NULL) arena_out_of_memory();
  return p;
}

static void on_cell(void *bytes, size_t n, void *context) {
  records *in = context;
  csv_columns *c = in->columns;
  if (c->cells == c->cell_capacity) c->cell = grown(c->cell, &c->cell_capacity, sizeof *c->cell);
  c->cell[c->cells++] = c->text.n;
  row_keep(&c->text, bytes, n);
  row_keep(&c->text, "", 1);
}

static void on_row(int end, void *context) {
  (void)end;
  records *in = context;
  in->columns->row_done = true;
}

static void forget_row(records *in) {
  in->columns->text.n = 0;
  in->columns->cells = 0;
  in->columns->row_done = false;
}

void records_csv_open(records *in) {
  in->columns = calloc(1, sizeof *in->columns);
  if (in->columns == NULL || csv_init(&in->csv, CSV_STRICT | CSV_STRICT_FINI) != 0) arena_out_of_memory();
}

void records_csv_close(records *in) {
  csv_free(&in->csv);
  free(in->columns->field);
  free(in->columns->cell);
  free(in->columns->text.p);
  free(in->columns);
}

/* Feeds lines until a row is complete. A quoted cell may hold line ends, so a row may take several. */
static bool next_row(records *in) {
  csv_columns *c = in->columns;
  char *text;
  size_t n;
  bool inside = false;
  forget_row(in);
  for (text_piece piece; (piece = text_input_line(&in->input, &text, &n)) != TEXT_END;) {
    if (!inside) in->line = in->input.start;
    if (piece == TEXT_TOO_LONG || c->text.n > TEXT_INPUT_LONGEST) {
      record_defect(in, RECORD_TOO_LONG, 0, "a row longer than %d MiB", TEXT_INPUT_LONGEST >> 20);
    } else if (csv_parse(&in->csv, text, n, on_cell, on_row, in) == n &&
               csv_parse(&in->csv, "\n", 1, on_cell, on_row, in) == 1) {
      if (c->row_done) return true;
      inside = inside || !text_is_blank(text, n);
      continue;
    } else {
      record_defect(in, RECORD_SYNTAX, 0, "not CSV: %s", csv_strerror(csv_error(&in->csv)));
    }
    csv_free(&in->csv);
    csv_init(&in->csv, CSV_STRICT | CSV_STRICT_FINI);
    forget_row(in);
    inside = false;
  }
  if (inside) record_defect(in, RECORD_SYNTAX, 0, "not CSV: the file ends inside a quoted cell");
  return false;
}

static bool read_header(records *in) {
  csv_columns *c = in->columns;
  c->header_done = true;
  if (!next_row(in)) return false;
  uint32_t found = 0;
  for (size_t i = 0; i < c->cells; i++) {
    if (c->count == c->capacity) c->field = grown(c->field, &c->capacity, sizeof *c->field);
    int field = record_field_find(c->text.p + c->cell[i]);
    if (field >= 0 && (found >> field & 1) != 0)
      record_defect(in, RECORD_SYNTAX, 0, "two columns '%s'", record_fields[field].name);
    if (field >= 0) found |= UINT32_C(1) << field;
    c->field[c->count++] = field;
  }
  for (int i = 0; i < RECORD_FIELDS; i++) {
    if (!record_fields[i].identity || (found >> i & 1) != 0) continue;
    record_defect(in, RECORD_MISSING_FIELD, 0, "the header has no column '%s'; no row can be read",
                  record_fields[i].name);
    return false;
  }
  return true;
}

bool records_csv_next(records *in, roofline_record *out) {
  csv_columns *c = in->columns;
  if (!c->header_done && !read_header(in)) {
    c->count = 0;
    return false;
  }
  while (c->count > 0 && next_row(in)) {
    *out = roofline_record_empty();
    in->found = 0;
    in->defective = false;
    if (c->cells != c->count) {
      record_defect(in, RECORD_SYNTAX, 0, "%zu cells where the header has %zu", c->cells, c->count);
      continue;
    }
    for (size_t i = 0; i < c->cells; i++)
      if (c->field[i] >= 0) record_set_text(in, c->field[i], c->text.p + c->cell[i], out);
    if (record_complete(in, out)) return true;
  }
  return false;
}
