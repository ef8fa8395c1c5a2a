/* Numbers and strings as written to their values. language.md §4 "Lexis". */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/syntax.h"

static uint32_t digit_of(char c) {
  if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
  if (c >= 'a' && c <= 'f') return (uint32_t)(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return (uint32_t)(c - 'A' + 10);
  return UINT32_MAX;
}

bool literal_integer(syntax *s, expr_token *t, uint32_t base) {
  int64_t value = 0;
  for (uint32_t i = t->begin + (base == 10 ? 0 : 2); i < t->end; i++) {
    if (s->text[i] == '_') continue;
    int64_t digit = (int64_t)digit_of(s->text[i]);
    if (value > (INT64_MAX - digit) / (int64_t)base) {
      syntax_refuse(s, SYN_INT_RANGE, t->begin, t->end, "an integer literal is out of range")->help =
          STR("integers are 64-bit: a literal is at most 9223372036854775807");
      return false;
    }
    value = value * (int64_t)base + digit;
  }
  t->u.i = value;
  return true;
}

bool literal_float(syntax *s, expr_token *t) {
  char *digits = arena_array(s->a, char, t->end - t->begin + 1);
  uint32_t n = 0;
  for (uint32_t i = t->begin; i < t->end; i++)
    if (s->text[i] != '_') digits[n++] = s->text[i];
  t->u.f = strtod(digits, NULL); /* neither program sets a locale, so the point is '.' */
  if (isfinite(t->u.f)) return true;
  syntax_refuse(s, SYN_FLOAT_RANGE, t->begin, t->end, "a float literal is not finite")->help =
      STR("write inf for infinity");
  return false;
}

static uint32_t put_utf8(char *out, uint32_t c) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  uint32_t tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint32_t heads[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(heads[tail] | c >> (6 * tail));
  for (uint32_t i = 1; i <= tail; i++) out[i] = (char)(0x80 | (c >> (6 * (tail - i)) & 0x3f));
  return tail + 1;
}

/* Reads `count` hexadecimal digits; false when there are not as many. */
static bool hex_digits(const char *p, const char *end, uint32_t count, uint32_t *value) {
  *value = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (p + i == end || digit_of(p[i]) > 15) return false;
    *value = *value * 16 + digit_of(p[i]);
  }
  return true;
}

/* The escape at *p, just after its backslash, to out; false: there is no such escape. */
static bool escape(const char **p, const char *end, char *out, uint32_t *n) {
  static const char names[] = "\\'\"abfnrtv", values[] = "\\'\"\a\b\f\n\r\t\v";
  char c = *(*p)++;
  const char *simple = c == '\0' ? NULL : strchr(names, c);
  if (simple != NULL) {
    out[(*n)++] = values[simple - names];
    return true;
  }
  uint32_t value;
  if (c >= '0' && c <= '7') {
    value = digit_of(c);
    for (int i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++) value = value * 8 + digit_of(*(*p)++);
  } else {
    uint32_t count = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (count == 0 || !hex_digits(*p, end, count, &value)) return false;
    *p += count;
    if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return false;
  }
  *n += put_utf8(out + *n, value);
  return true;
}

bool literal_string(syntax *s, expr_token *t) {
  const char *p = s->text + t->begin + 1, *end = s->text + t->end - 1;
  /* No escape is longer than what is written for it, except that \377 is two bytes for four. */
  char *out = arena_array(s->a, char, (size_t)(end - p) + 1);
  uint32_t n = 0;
  while (p < end) {
    const char *start = p;
    if (*p != '\\') {
      out[n++] = *p++;
      continue;
    }
    p++;
    if (*p == '\n' || *p == '\r') { /* a line break after a backslash is no part of the string */
      p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
      continue;
    }
    if (escape(&p, end, out, &n)) continue;
    uint32_t begin = (uint32_t)(start - s->text), length = 2;
    while (begin + length < t->end - 1 && ((unsigned char)s->text[begin + length] & 0xc0) == 0x80) length++;
    str shown = syntax_shown(s, begin, begin + length);
    syntax_refuse(s, SYN_ESCAPE, t->begin, t->end, "'%.*s' begins no escape sequence", STR_ARG(shown))->help =
        STR("escapes: \\\\ \\' \\\" \\a \\b \\f \\n \\r \\t \\v \\ooo \\xhh \\uhhhh \\Uhhhhhhhh; write "
            "'\\\\' for a backslash");
    return false;
  }
  t->u.s = (str){out, n};
  return true;
}
