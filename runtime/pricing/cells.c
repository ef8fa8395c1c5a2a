#define _XOPEN_SOURCE 700 /* wcwidth */
#include "runtime/pricing/cells.h"

#include <string.h>
#include <wchar.h>

/* One character of UTF-8: its bytes, and the columns it takes. What is no text takes the place of '?'. */
static size_t character(const char *p, size_t n, int *columns, bool *shown) {
  mbstate_t state = {0};
  wchar_t c;
  size_t length = mbrtowc(&c, p, n, &state);
  bool valid = length != 0 && length <= n;
  *columns = valid ? wcwidth(c) : -1;
  *shown = *columns >= 0;
  if (!*shown) *columns = 1;
  return valid ? length : 1;
}

int cell_width(const char *text) {
  int total = 0, columns;
  bool shown;
  for (size_t n = strlen(text), step; n > 0; text += step, n -= step) {
    step = character(text, n, &columns, &shown);
    total += columns;
  }
  return total;
}

/* Text in exactly `width` columns; one that is too long loses its middle, as names differ at both ends. */
void cell_put(writer *w, const char *text, int width) {
  int total = cell_width(text), at = 0, used = 0, columns;
  bool cut = total > width, shown;
  int head = cut ? (width - 1) / 2 : total, tail = cut ? total - (width - 1 - head) : 0;
  for (size_t n = strlen(text), step; n > 0; text += step, n -= step) {
    step = character(text, n, &columns, &shown);
    bool keep = at + columns <= head || (cut && at >= tail);
    if (cut && !keep && at <= head && at + columns > head) writer_literal(w, "…"), used++;
    if (keep && shown)
      writer_put(w, text, step);
    else if (keep)
      writer_literal(w, "?");
    if (keep) used += columns;
    at += columns;
  }
  for (; used < width; used++) writer_literal(w, " ");
}

void cell_put_right(writer *w, const char *text, int width) {
  for (int n = width - cell_width(text); n > 0; n--) writer_literal(w, " ");
  writer_text(w, text);
}

void cells_share(int room, int *x, int *y) {
  int half = room / 2;
  if (*x + *y <= room) return;
  if (*x <= half)
    *y = room - *x;
  else if (*y <= room - half)
    *x = room - *y;
  else
    *x = half, *y = room - half;
}
