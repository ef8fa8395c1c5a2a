/* Spelling: symbols, identifiers, literals, comments, lines. codegen.md §2 "Names". */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/emit_internal.h"

enum { COLUMN_LIMIT = 110 };

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* `_` before a capital that follows a lower-case letter or digit, and before the last capital of a run
   that a lower-case letter follows. */
str emit_snake(arena *a, str name) {
  char *p = arena_array(a, char, 2 * name.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < name.n; i++) {
    const char c = name.p[i];
    const bool after_small = i > 0 && (is_lower(name.p[i - 1]) || is_digit(name.p[i - 1]));
    const bool ends_run = i > 0 && is_upper(name.p[i - 1]) && i + 1 < name.n && is_lower(name.p[i + 1]);
    if (is_upper(c) && (after_small || ends_run)) p[n++] = '_';
    p[n++] = is_upper(c) ? (char)(c - 'A' + 'a') : c;
  }
  return (str){p, n};
}

str emit_symbol(arena *a, str op_name) {
  const bool ends_in_op = op_name.n > 2 && memcmp(op_name.p + op_name.n - 2, "Op", 2) == 0;
  return emit_snake(a, (str){op_name.p, op_name.n - (ends_in_op ? 2 : 0)});
}

/* Sorted, for bsearch: keywords of C11 and C++17, and macros and types of the headers that generated code
   includes. */
static const char *const keywords[] = {"EOF",         "INFINITY",
                                       "INT64_C",     "INT64_MAX",
                                       "INT64_MIN",   "NAN",
                                       "NULL",        "alignas",
                                       "alignof",     "and",
                                       "and_eq",      "asm",
                                       "auto",        "bitand",
                                       "bitor",       "bool",
                                       "break",       "case",
                                       "catch",       "char",
                                       "char16_t",    "char32_t",
                                       "class",       "compl",
                                       "const",       "const_cast",
                                       "constexpr",   "continue",
                                       "decltype",    "default",
                                       "delete",      "do",
                                       "double",      "dynamic_cast",
                                       "else",        "enum",
                                       "errno",       "explicit",
                                       "export",      "extern",
                                       "false",       "float",
                                       "for",         "friend",
                                       "goto",        "if",
                                       "inline",      "int",
                                       "int32_t",     "int64_t",
                                       "linux",       "long",
                                       "memset",      "mutable",
                                       "namespace",   "new",
                                       "noexcept",    "not",
                                       "not_eq",      "nullptr",
                                       "offsetof",    "operator",
                                       "or",          "or_eq",
                                       "private",     "protected",
                                       "ptrdiff_t",   "public",
                                       "register",    "reinterpret_cast",
                                       "restrict",    "return",
                                       "short",       "signed",
                                       "size_t",      "sizeof",
                                       "static",      "static_assert",
                                       "static_cast", "struct",
                                       "switch",      "template",
                                       "this",        "thread_local",
                                       "throw",       "true",
                                       "try",         "typedef",
                                       "typeid",      "typename",
                                       "uint32_t",    "union",
                                       "unix",        "unsigned",
                                       "using",       "virtual",
                                       "void",        "volatile",
                                       "wchar_t",     "while",
                                       "xor",         "xor_eq"};
/* What generated functions call their own parameters and locals. */
static const char *const own_names[] = {
    "absent", "adt",      "args",     "bytes",  "call",  "cost",   "count", "declaration", "dtype_out",
    "error",  "fallback", "flops",    "item",   "items", "let",    "lists", "names",       "nth",
    "out",    "pass",     "progress", "read",   "rest",  "result", "self",  "shape",       "shapes",
    "size",   "solved",   "status",   "tensor", "total", "value",  "values"};

static int compare_taken(const void *key, const void *item) {
  return str_cmp(*(const str *)key, str_of(*(const char *const *)item));
}

static bool begins(str s, const char *with) {
  const size_t n = strlen(with);
  return s.n >= n && memcmp(s.p, with, n) == 0;
}

#define IS_LISTED(name, table)                                                                               \
  (bsearch(&(name), table, sizeof table / sizeof *table, sizeof *table, compare_taken) != NULL)

str emit_field(arena *a, str name) {
  const bool taken = IS_LISTED(name, keywords) || begins(name, "roofline_") || begins(name, "ROOFLINE_") ||
                     begins(name, "__") || (name.n > 1 && name.p[0] == '_' && is_upper(name.p[1]));
  return taken ? arena_printf(a, "%.*s_", STR_ARG(name)) : name;
}

bool emit_is_keyword(str name) { return IS_LISTED(name, keywords); }

bool emit_is_own_name(str name) { return IS_LISTED(name, own_names); }

str emit_upper(arena *a, str text) {
  char *p = arena_array(a, char, text.n + 1);
  for (uint32_t i = 0; i < text.n; i++) {
    const char c = text.p[i];
    p[i] = is_lower(c) ? (char)(c - 'a' + 'A') : is_upper(c) || is_digit(c) ? c : '_';
  }
  return (str){p, text.n};
}

/* ---- literals ---- */

str emit_quote(arena *a, str text) {
  char *p = arena_array(a, char, 4 * (size_t)text.n + 3);
  uint32_t n = 0;
  p[n++] = '"';
  for (uint32_t i = 0; i < text.n; i++) {
    const unsigned char c = (unsigned char)text.p[i];
    if (c == '"' || c == '\\' || c == '?') { /* '?': no trigraphs */
      p[n++] = '\\';
      p[n++] = (char)c;
    } else if (c >= 0x20 && c < 0x7f) {
      p[n++] = (char)c;
    } else {
      p[n++] = '\\';
      p[n++] = (char)('0' + (c >> 6));
      p[n++] = (char)('0' + (c >> 3 & 7));
      p[n++] = (char)('0' + (c & 7));
    }
  }
  p[n++] = '"';
  return (str){p, n};
}

/* Messages have room for some 200 characters, and C for 4,095. */
str emit_quoted_text(arena *a, str text) {
  enum { MOST = 180 };
  if (text.n <= MOST) return emit_quote(a, text);
  uint32_t n = MOST;
  while (n > 0 && ((unsigned char)text.p[n] & 0xc0u) == 0x80u) n--; /* not inside a character */
  return emit_quote(a, arena_printf(a, "%.*s...", (int)n, text.p));
}

/* A comment may not end early, open another one, or break a line by itself. */
str emit_comment(arena *a, str text) {
  char *p = arena_array(a, char, 2 * (size_t)text.n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < text.n; i++) {
    const char c = text.p[i], before = n > 0 ? p[n - 1] : '\0';
    if ((c == '/' && before == '*') || (c == '*' && before == '/') || (c == '?' && before == '?'))
      p[n++] = ' ';
    const bool blank = (unsigned char)c <= ' ' || c == '\\' || c == 0x7f;
    if (blank && c != '\\' && (n == 0 || p[n - 1] == ' ')) continue;
    p[n++] = blank ? ' ' : c;
  }
  while (n > 0 && p[n - 1] == ' ') n--;
  return (str){p, n};
}

str emit_int(arena *a, int64_t v) {
  if (v == INT64_MIN) return STR("INT64_MIN");
  if (v > INT32_MAX || v < -INT32_MAX) return arena_printf(a, "INT64_C(%lld)", (long long)v);
  return arena_printf(a, "%lld", (long long)v);
}

/* The shortest text that reads back as the same double. */
str emit_float(arena *a, double v) {
  if (isnan(v)) return STR("NAN");
  if (isinf(v)) return v > 0 ? STR("INFINITY") : STR("-INFINITY");
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (strtod(text, NULL) == v) break;
  }
  const bool whole = strpbrk(text, ".e") == NULL;
  return arena_printf(a, "%s%s", text, whole ? ".0" : "");
}

/* ---- lines ---- */

/* Length of a separator at p, a comma or a blank: a break goes behind ", " and before an operator. */
static uint32_t separator(const char *p, const char *end, bool *before) {
  static const char *const operators[] = {" && ", " || ", " ? ", " : "};
  *before = *p == ' ';
  if (*p == ',') return end - p >= 2 && p[1] == ' ' ? 2 : 0;
  for (size_t i = 0; *before && i < sizeof operators / sizeof *operators; i++) {
    const size_t n = strlen(operators[i]);
    if ((size_t)(end - p) >= n && memcmp(p, operators[i], n) == 0) return (uint32_t)n;
  }
  return 0;
}

enum { DEEPEST = 64, LAST_COLUMN_TO_ALIGN = 70 };

/* Columns behind the brackets that are open, innermost last. */
typedef struct brackets {
  uint32_t columns[DEEPEST], n;
} brackets;

/* Characters that a walk along a line looks at: brackets, quotes, what separators begin with. */
static const bool looked_at[256] = {['"'] = true, ['('] = true, ['{'] = true, ['['] = true, [')'] = true,
                                    ['}'] = true, [']'] = true, [','] = true, [' '] = true};

static inline uint32_t skip_plain(str text, uint32_t i) {
  while (i < text.n && !looked_at[(unsigned char)text.p[i]]) i++;
  return i;
}

/* Walks [*i, ..) of a line past one character or string literal, which starts at column `at + *i`. */
static inline void step(str text, uint32_t *i, uint32_t at, int *depth, brackets *open) {
  switch (text.p[*i]) {
  case '"':
    for (++*i; *i < text.n && text.p[*i] != '"'; ++*i) *i += text.p[*i] == '\\';
    break;
  case '(':
  case '{':
  case '[':
    ++*depth;
    if (open != NULL) open->columns[open->n++ % DEEPEST] = at + *i + 1;
    break;
  case ')':
  case '}':
  case ']':
    --*depth;
    if (open != NULL) open->n -= open->n > 0;
    break;
  default: break;
  }
  ++*i;
}

/* Where to break `text`, at most `room` wide: at the outermost separator, the last of those; failing that
   behind its `=`, or at the first separator there is. 0: nowhere. */
static uint32_t break_point(str text, uint32_t room) {
  uint32_t best = 0, beyond = 0, equals = 0;
  int depth = 0, best_depth = INT_MAX;
  for (uint32_t i = 0; (i = skip_plain(text, i)) < text.n && beyond == 0; step(text, &i, 0, &depth, NULL)) {
    if (text.p[i] != ',' && text.p[i] != ' ') continue;
    bool before;
    const uint32_t n = separator(text.p + i, text.p + text.n, &before);
    const uint32_t at = before ? i : i + n - 1;
    if (n > 0 && at > room) beyond = at;
    if (n > 0 && depth <= best_depth && at <= room && at > 0) {
      best = at;
      best_depth = depth;
    }
    if (i + 3 <= text.n && memcmp(text.p + i, " = ", 3) == 0 && i + 2 <= room) equals = i + 2;
  }
  return best > 0 ? best : equals > 0 ? equals : beyond;
}

static void put_line(out_text *o, uint32_t indent, str text) {
  out_pad(o, indent);
  out_put(o, text);
  out_put(o, STR("\n"));
}

void emit_line(out_text *o, uint32_t indent, str text) {
  brackets open = {.n = 0};
  uint32_t at = indent;
  for (;;) {
    uint32_t n = 0;
    int depth = 0;
    if (at + text.n > COLUMN_LIMIT) n = break_point(text, COLUMN_LIMIT > at ? COLUMN_LIMIT - at : 0);
    if (n == 0) {
      put_line(o, at, text);
      return;
    }
    put_line(o, at, (str){text.p, n});
    for (uint32_t i = 0; (i = skip_plain(text, i)) < n;) step(text, &i, at, &depth, &open);
    text = (str){text.p + n + 1, text.n - n - 1};
    const uint32_t column = open.n > 0 ? open.columns[(open.n - 1) % DEEPEST] : 0;
    at = column > 0 && column <= LAST_COLUMN_TO_ALIGN ? column : indent + 4;
  }
}

/* ---- formats ---- */

static void put_format(out_text *o, const char *format, va_list args) {
  for (const char *p = format; *p != '\0'; p++) {
    if (*p == '$') {
      out_put(o, va_arg(args, str));
    } else if (*p != '%') {
      const char *begin = p;
      while (p[1] != '\0' && p[1] != '$' && p[1] != '%') p++;
      out_put(o, (str){begin, (uint32_t)(p - begin + 1)});
    } else {
      switch (*++p) {
      case 's': out_put(o, str_of(va_arg(args, const char *))); break;
      case 'c': out_printf(o, "%c", va_arg(args, int)); break;
      case 'd': out_printf(o, "%d", va_arg(args, int)); break;
      case 'u': out_printf(o, "%u", va_arg(args, unsigned)); break;
      case 'x': out_printf(o, "%x", va_arg(args, unsigned)); break;
      default: out_put(o, (str){p, 1}); break;
      }
    }
  }
}

str emit_format(arena *a, const char *format, ...) {
  out_text o;
  va_list args;
  out_init(&o, a);
  va_start(args, format);
  put_format(&o, format, args);
  va_end(args);
  return out_str(&o);
}

void emit_putf(out_text *o, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_format(o, format, args);
  va_end(args);
}

/* Most lines are short, and stand as they are printed. */
void emit_linef(out_text *o, uint32_t indent, const char *format, ...) {
  const size_t begin = o->n;
  va_list args;
  va_start(args, format);
  out_pad(o, indent);
  put_format(o, format, args);
  va_end(args);
  if (o->n - begin <= COLUMN_LIMIT) {
    out_put(o, STR("\n"));
    return;
  }
  const str text = arena_str(o->a, (str){o->p + begin + indent, (uint32_t)(o->n - begin) - indent});
  o->n = begin;
  emit_line(o, indent, text);
}

/* A step that may fail: on one line when it fits. */
void emit_check(out_text *o, uint32_t indent, str call) {
  const str line = arena_printf(o->a, "if ((status = %.*s) != ROOFLINE_OK) return status;", STR_ARG(call));
  if (indent + line.n <= COLUMN_LIMIT) {
    emit_line(o, indent, line);
    return;
  }
  emit_linef(o, indent, "status = $;", call);
  emit_linef(o, indent, "if (status != ROOFLINE_OK) return status;");
}

void emit_block_comment(out_text *o, uint32_t indent, str text) {
  text = emit_comment(o->a, text);
  const uint32_t width = COLUMN_LIMIT - 6 - indent;
  out_printf(o, "%*s/* ", (int)indent, "");
  while (text.n > width) {
    uint32_t n = width;
    while (n > 0 && text.p[n] != ' ') n--;
    if (n == 0)
      for (n = width; n < text.n && text.p[n] != ' ';) n++;
    out_printf(o, "%.*s\n%*s", (int)n, text.p, (int)indent + 3, "");
    while (n < text.n && text.p[n] == ' ') n++;
    text = (str){text.p + n, text.n - n};
  }
  out_printf(o, "%.*s */\n", STR_ARG(text));
}

/* ---- sets of names ---- */

bool names_add(name_set *set, str name) {
  uint32_t low = 0, high = set->sorted.n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = str_cmp(set->sorted.v[middle], name);
    if (order == 0) return false;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  vec_push(set->a, &set->sorted, name);
  memmove(set->sorted.v + low + 1, set->sorted.v + low, (set->sorted.n - 1 - low) * sizeof(str));
  set->sorted.v[low] = name;
  return true;
}

str names_free(name_set *set, str wanted) {
  str name = wanted;
  for (unsigned i = 2; !names_add(set, name); i++) name = arena_printf(set->a, "%.*s_%u", STR_ARG(wanted), i);
  return name;
}
