/* Buffered output of report text: JSON, CSV, and plain. One failed write fails the rest, once. */
#ifndef PRICING_WRITER_H
#define PRICING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/src/json_text.h"

enum { WRITER_CAPACITY = 1 << 16, WRITER_RECENT = 64 };

typedef struct writer {
  FILE *file;
  size_t n;
  int error;      /* errno of the first failed write; 0: none */
  bool in_script; /* JSON inside an HTML <script>: no '<' may stand for itself */
  struct {
    double x;
    uint32_t n; /* 0: empty */
    char text[JSON_NUMBER_MAX];
  } recent[WRITER_RECENT]; /* a ridge point, or the bound's own time, is written again and again */
  char buffer[WRITER_CAPACITY];
} writer;

void writer_flush(writer *w);
void writer_put_slowly(writer *w, const char *p, size_t n); /* when the buffer is too full */
static inline void writer_put(writer *w, const char *p, size_t n) {
  if (WRITER_CAPACITY - w->n < n) {
    writer_put_slowly(w, p, n);
    return;
  }
  memcpy(w->buffer + w->n, p, n);
  w->n += n;
}
void writer_text(writer *w, const char *text);
#define writer_literal(w, literal) writer_put((w), (literal), sizeof(literal) - 1)
void writer_printf(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* null when not finite. */
void writer_number(writer *w, double x);
void writer_integer(writer *w, int64_t x);
/* A quoted JSON string, or null. */
void writer_json(writer *w, const char *text);
/* A CSV cell, quoted where it must be (RFC 4180). */
void writer_csv(writer *w, const char *text);

#endif
