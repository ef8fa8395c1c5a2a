/* Cells of a text table: UTF-8 in terminal columns. Control characters show as '?'. */
#ifndef PRICING_CELLS_H
#define PRICING_CELLS_H

#include "runtime/pricing/writer.h"

enum { TABLE_WIDTH = 100 }; /* columns, unless --width asks for others */

int cell_width(const char *text);
/* Two columns that want *x and *y, in `room` together: the shorter one keeps what it wants as far as half. */
void cells_share(int room, int *x, int *y);
/* Text in exactly `width` columns; what is too long loses its middle. */
void cell_put(writer *w, const char *text, int width);
void cell_put_right(writer *w, const char *text, int width);

#endif
