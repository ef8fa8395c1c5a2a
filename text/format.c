#include "text/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct window {
  char *p;
  size_t room, n; /* n counts on where nothing fits any more */
} window;

static void put(window *w, const char *bytes, size_t n) {
  if (w->n < w->room && n < w->room - w->n) memcpy(w->p + w->n, bytes, n);
  w->n += n;
}

static void put_number(window *w, uint64_t magnitude, bool negative) {
  char digits[21], *end = digits + sizeof digits, *p = end;
  do *--p = (char)('0' + magnitude % 10);
  while ((magnitude /= 10) != 0);
  if (negative) *--p = '-';
  put(w, p, (size_t)(end - p));
}

static void put_signed(window *w, int64_t v) { put_number(w, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0); }

/* As the library does: a text with a limit ends at a NUL too, a negative limit is none. */
static void put_limited(window *w, int limit, const char *text) {
  const char *nul = limit < 0 ? NULL : memchr(text, '\0', (size_t)limit);
  put(w, text, limit < 0 ? strlen(text) : nul != NULL ? (size_t)(nul - text) : (size_t)limit);
}

/* Is `prefix` what follows? Then *p goes behind it. */
static bool skip(const char **p, const char *prefix) {
  const size_t n = strlen(prefix);
  if (strncmp(*p, prefix, n) != 0) return false;
  *p += n;
  return true;
}

size_t format_text(char *p, size_t room, const char *format, va_list args) {
  window w = {p, room, 0};
  va_list all;
  va_copy(all, args);
  for (const char *at = format; *at != '\0';) {
    const char *literal = at;
    while (*at != '\0' && *at != '%') at++;
    put(&w, literal, (size_t)(at - literal));
    if (*at == '\0') break;
    at++;
    if (skip(&at, ".*s")) {
      const int limit = va_arg(args, int);
      put_limited(&w, limit, va_arg(args, const char *));
    } else if (skip(&at, "s")) {
      put_limited(&w, -1, va_arg(args, const char *));
    } else if (skip(&at, "u")) {
      put_number(&w, va_arg(args, unsigned), false);
    } else if (skip(&at, "d")) {
      put_signed(&w, va_arg(args, int));
    } else if (skip(&at, "lld")) {
      put_signed(&w, va_arg(args, long long));
    } else if (skip(&at, "llu")) {
      put_number(&w, va_arg(args, unsigned long long), false);
    } else if (skip(&at, "c")) {
      put(&w, &(char){(char)va_arg(args, int)}, 1);
    } else if (skip(&at, "%")) {
      put(&w, "%", 1);
    } else {
      const int n = vsnprintf(p, room, format, all);
      w.n = n < 0 ? SIZE_MAX : (size_t)n;
      va_end(all);
      return w.n;
    }
  }
  va_end(all);
  if (w.n < room) p[w.n] = '\0';
  return w.n;
}
