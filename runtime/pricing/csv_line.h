/* One line of CSV or TSV as cells. Quoting is libcsv's; a line is read by itself, so that a log line with
   a stray quote, or a line that breaks off, costs only itself. */
#ifndef PRICING_CSV_LINE_H
#define PRICING_CSV_LINE_H

#include <csv.h>

#include "text/arena.h"

typedef struct csv_line {
  struct csv_parser parser;
  arena *a;
  VEC(str) cells; /* terminated, in the arena that csv_line_read got */
} csv_line;

void csv_line_init(csv_line *l);
void csv_line_free(csv_line *l);
/* False when the line is no CSV: a quote is not closed, or text follows one; the cells before it are there.
   `separator` is ',' or '\t'. In a line that is not UTF-8, what is not ASCII becomes '?'. */
bool csv_line_read(csv_line *l, arena *a, char separator, char *text, size_t n);

#endif
