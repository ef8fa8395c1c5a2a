#include "runtime/pricing/csv_line.h"

#include <string.h>

#include "runtime/src/json_text.h"

void csv_line_init(csv_line *l) {
  memset(l, 0, sizeof *l);
  if (csv_init(&l->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) arena_out_of_memory();
}

void csv_line_free(csv_line *l) { csv_free(&l->parser); }

static void on_cell(void *bytes, size_t n, void *context) {
  csv_line *l = context;
  str cell = {bytes, (uint32_t)n};
  cell.p = arena_cstr(l->a, cell);
  vec_push(l->a, &l->cells, cell);
}

static void on_row(int end, void *context) {
  (void)end;
  (void)context;
}

/* A tab is a blank to libcsv, which it trims, even where it separates. */
static int is_space(unsigned char c) { return c == CSV_SPACE; }

bool csv_line_read(csv_line *l, arena *a, char separator, char *text, size_t n) {
  for (size_t i = 0, plain = text_is_utf8(text, n); plain == 0 && i < n; i++)
    if ((unsigned char)text[i] >= 0x80) text[i] = '?';
  memset(&l->cells, 0, sizeof l->cells);
  l->a = a;
  csv_set_delim(&l->parser, (unsigned char)separator);
  csv_set_space_func(&l->parser, is_space);
  bool whole = csv_parse(&l->parser, text, n, on_cell, on_row, l) == n &&
               csv_fini(&l->parser, on_cell, on_row, l) == 0;
  if (whole) return true;
  /* Its state is that of the broken line, and there is no other way back to the first. */
  csv_free(&l->parser);
  if (csv_init(&l->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) arena_out_of_memory();
  return false;
}
