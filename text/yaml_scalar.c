/* What a scalar is: YAML 1.2 core schema, and what YAML 1.1 tools would make of it. language.md §1. */
#include <stdlib.h>
#include <string.h>

#include "text/yaml_private.h"

/* A longer text is no number that anyone writes. */
enum { LONGEST_NUMBER = 400 };

static bool is_one_of(str s, const char *const *words) {
  for (; *words != NULL; words++)
    if (str_is(s, *words)) return true;
  return false;
}

static const char *skip_digits(const char *p, const char *digits) { return p + strspn(p, digits); }

static const char decimal[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdefABCDEF";

/* [-+]? [0-9]+ | 0o [0-7]+ | 0x [0-9a-fA-F]+ */
static bool is_int(const char *p) {
  if (p[0] == '0' && p[1] == 'o' && p[2] != '\0') return *skip_digits(p + 2, "01234567") == '\0';
  if (p[0] == '0' && p[1] == 'x' && p[2] != '\0') return *skip_digits(p + 2, hexadecimal) == '\0';
  if (*p == '-' || *p == '+') p++;
  return *p != '\0' && *skip_digits(p, decimal) == '\0';
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? | [-+]? \.inf | \.nan */
static bool is_float(const char *p) {
  static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
  static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
  if (is_one_of(str_of(p), nans)) return true;
  if (*p == '-' || *p == '+') p++;
  if (is_one_of(str_of(p), infinities)) return true;
  const char *whole = p;
  p = skip_digits(p, decimal);
  bool digits = p > whole;
  if (*p == '.') {
    const char *fraction = ++p;
    p = skip_digits(p, decimal);
    digits = digits || p > fraction;
  }
  if (!digits) return false;
  if (*p == 'e' || *p == 'E') {
    p++;
    if (*p == '-' || *p == '+') p++;
    if (*p == '\0') return false;
    p = skip_digits(p, decimal);
  }
  return *p == '\0';
}

/* The text as a C string, or false when it is too long for a number. */
static bool number_text(str s, char buffer[LONGEST_NUMBER + 1]) {
  if (s.n == 0 || s.n > LONGEST_NUMBER || memchr(s.p, '\0', s.n) != NULL) return false;
  memcpy(buffer, s.p, s.n);
  buffer[s.n] = '\0';
  return true;
}

yt_type yt_resolve(str s) {
  static const char *const nulls[] = {"null", "Null", "NULL", "~", "", NULL};
  static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE", NULL};
  char number[LONGEST_NUMBER + 1];
  char first = s.n > 0 ? s.p[0] : '~';
  if (strchr("nN~tTfF", first) != NULL)
    return is_one_of(s, nulls) ? YT_NULL : is_one_of(s, bools) ? YT_BOOL : YT_STRING;
  if (strchr("0123456789.+-", first) == NULL || !number_text(s, number)) return YT_STRING;
  return is_int(number) ? YT_INT : is_float(number) ? YT_FLOAT : YT_STRING;
}

bool yt_int(const yt_node *n, int64_t *value) {
  const char *p = n->u.text, *end = p + n->n;
  uint64_t base = 10, magnitude = 0;
  bool negative = n->n > 0 && *p == '-';
  if (n->n > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'o')) {
    base = p[1] == 'x' ? 16 : 8;
    p += 2;
  } else if (n->n > 0 && (*p == '-' || *p == '+')) {
    p++;
  }
  if (n->type != YT_INT || p == end) return false;
  uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
  for (; p < end; p++) {
    uint64_t digit = (uint64_t)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
    if (magnitude > (most - digit) / base) return false;
    magnitude = magnitude * base + digit;
  }
  *value = !negative ? (int64_t)magnitude : magnitude == most ? INT64_MIN : -(int64_t)magnitude;
  return true;
}

/* strtod is exact, and no program of ours changes the locale that it reads. */
double yt_float(const yt_node *n) {
  char text[LONGEST_NUMBER + 1];
  int64_t integer;
  if (n->type == YT_INT && yt_int(n, &integer)) return (double)integer;
  if (!number_text(yt_text(n), text)) return 0;
  char *p = text, sign = *p;
  if (*p == '-' || *p == '+') p++;
  if (*p == '.' && p[1] > '9') p++; /* .inf, .nan */
  double value = strtod(p, NULL);
  return sign == '-' ? -value : value;
}

bool yt_bool(const yt_node *n) { return n->n == 4; }

/* YAML 1.1's [0-9]+ (: [0-5]? [0-9])+ (\. [0-9]*)? */
static bool is_sexagesimal(const char *p) {
  p = skip_digits(p, decimal);
  if (*p != ':') return false;
  while (*p == ':') {
    const char *part = ++p;
    p = skip_digits(p, decimal);
    if (p == part || p - part > 2 || (p - part == 2 && *part > '5')) return false;
  }
  return *p == '\0' || (*p == '.' && *skip_digits(p + 1, decimal) == '\0');
}

bool yt_is_yaml11_trap(const yt_node *n) {
  static const char *const bools[] = {"y",  "Y",  "yes", "Yes", "YES", "n",   "N",   "no", "No",
                                      "NO", "on", "On",  "ON",  "off", "Off", "OFF", NULL};
  char text[LONGEST_NUMBER + 1];
  if (n->kind != YT_SCALAR || n->style != YT_PLAIN || !number_text(yt_text(n), text)) return false;
  if (is_one_of(yt_text(n), bools)) return true;
  bool sign = text[0] == '-' || text[0] == '+';
  if (strchr(decimal, text[sign]) == NULL || text[sign] == '\0') return false;
  char plain[LONGEST_NUMBER + 1], *out = plain; /* without '_', which YAML 1.1 allows anywhere in a number */
  for (const char *p = text + sign; *p != '\0'; p++)
    if (*p != '_') *out++ = *p;
  *out = '\0';
  bool underscore = (size_t)(out - plain) + sign < n->n;
  if (plain[0] == '0' && plain[1] == 'b') return plain[2] != '\0' && *skip_digits(plain + 2, "01") == '\0';
  if (plain[0] == '0' && plain[1] == 'x') return (sign || underscore) && is_int(plain);
  if (plain[0] == '0' && plain[1] != '\0' && *skip_digits(plain, decimal) == '\0') return true;
  return is_sexagesimal(plain) || (underscore && (is_int(plain) || is_float(plain)));
}
