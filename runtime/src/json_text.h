/* JSON text of numbers and strings, the same bytes in every locale. Private to runtime/. */
#ifndef RUNTIME_SRC_JSON_TEXT_H
#define RUNTIME_SRC_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_NUMBER_MAX = 32, JSON_ESCAPE_MAX = 6 };

/* The shortest decimal that reads back as `x` (-0 as 0), or "null" when x is not finite, into
   JSON_NUMBER_MAX bytes. Returns its length; no terminator. */
size_t json_text_number(double x, char *out);
size_t json_text_integer(int64_t x, char *out);

/* How many leading bytes of s[0..n) stand for themselves inside a JSON string. */
size_t json_text_plain(const char *s, size_t n);
/* The escape of a byte that does not stand for itself, into JSON_ESCAPE_MAX bytes. Returns its length. */
size_t json_text_escape(char c, char *out);

bool text_is_utf8(const char *s, size_t n);

#endif
