#include "runtime/pricing/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void write_out(writer *w, const char *p, size_t n) {
  errno = 0;
  if (w->error == 0 && n > 0 && fwrite(p, 1, n, w->file) != n) w->error = errno != 0 ? errno : EIO;
}

void writer_flush(writer *w) {
  write_out(w, w->buffer, w->n);
  w->n = 0;
}

void writer_put_slowly(writer *w, const char *p, size_t n) {
  writer_flush(w);
  if (n > WRITER_CAPACITY)
    write_out(w, p, n);
  else
    writer_put(w, p, n);
}

void writer_text(writer *w, const char *text) { writer_put(w, text, strlen(text)); }

void writer_printf(writer *w, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > 0) writer_put(w, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void writer_number(writer *w, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits ^ bits >> 29) * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (size_t)(bits >> 58);
  if (w->recent[slot].n == 0 || w->recent[slot].x != x) {
    w->recent[slot].x = x;
    w->recent[slot].n = (uint32_t)json_text_number(x, w->recent[slot].text);
  }
  writer_put(w, w->recent[slot].text, w->recent[slot].n);
}

void writer_integer(writer *w, int64_t x) {
  if (WRITER_CAPACITY - w->n < JSON_NUMBER_MAX) writer_flush(w);
  w->n += json_text_integer(x, w->buffer + w->n);
}

void writer_json(writer *w, const char *text) {
  if (text == NULL) {
    writer_literal(w, "null");
    return;
  }
  writer_literal(w, "\"");
  for (size_t n = strlen(text); n > 0;) {
    size_t plain = json_text_plain(text, n);
    if (w->in_script) {
      const char *angle = memchr(text, '<', plain);
      if (angle != NULL) plain = (size_t)(angle - text);
    }
    writer_put(w, text, plain);
    text += plain, n -= plain;
    if (n == 0) break;
    char escape[JSON_ESCAPE_MAX];
    writer_put(w, escape, json_text_escape(*text, escape));
    text++, n--;
  }
  writer_literal(w, "\"");
}

void writer_csv(writer *w, const char *text) {
  if (text == NULL) return;
  size_t n = strlen(text);
  bool plain = text[strcspn(text, ",\"\r\n")] == '\0' && (n == 0 || (text[0] != ' ' && text[n - 1] != ' '));
  if (plain) {
    writer_put(w, text, n);
    return;
  }
  writer_literal(w, "\"");
  for (size_t part; *text != '\0'; text += part) {
    part = strcspn(text, "\"");
    writer_put(w, text, part);
    if (text[part] == '"') writer_literal(w, "\"\""), part++;
  }
  writer_literal(w, "\"");
}
