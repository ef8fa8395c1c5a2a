/* JSON strings: which bytes stand for themselves, and how the others are written. */
#include "json_text.h"

#include <string.h>

static bool plain(char c) { return (unsigned char)c >= 0x20 && c != '"' && c != '\\' && c != 0x7f; }

size_t json_text_plain(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && plain(s[i])) i++;
  return i;
}

size_t json_text_escape(char c, char *out) {
  static const char hex[] = "0123456789abcdef", shorthand[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  out[0] = '\\';
  for (size_t i = 0; i + 1 < sizeof shorthand; i += 2) {
    if (shorthand[i] == c) {
      out[1] = shorthand[i + 1];
      return 2;
    }
  }
  memcpy(out + 1, "u00", 3);
  out[4] = hex[(unsigned char)c >> 4];
  out[5] = hex[(unsigned char)c & 15];
  return 6;
}

/* Bytes of the well-formed sequence at s, or 0: no overlong form, no surrogate, at most U+10FFFF. */
static size_t sequence(const unsigned char *s, size_t n) {
  static const struct {
    unsigned char first_low, first_high, second_low, second_high, length;
  } forms[] = {{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
               {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
               {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    size_t length = forms[i].length;
    if (s[0] < forms[i].first_low || s[0] > forms[i].first_high || length > n) continue;
    if (length > 1 && (s[1] < forms[i].second_low || s[1] > forms[i].second_high)) return 0;
    for (size_t k = 2; k < length; k++)
      if ((s[k] & 0xc0) != 0x80) return 0;
    return length;
  }
  return 0;
}

bool text_is_utf8(const char *s, size_t n) {
  for (size_t i = 0, step; i < n; i += step) {
    step = sequence((const unsigned char *)s + i, n - i);
    if (step == 0) return false;
  }
  return true;
}
