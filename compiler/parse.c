/* The driver of the grammar: balanced brackets, a text that breaks off, and what is reported in the end. */
#include "compiler/parse.h"

#include <stdarg.h>
#include <string.h>

#include "compiler/syntax.h"
#include "grammar/expr.h"

const parse_limits parse_default_limits = {.depth = 256, .identifier = 255, .rank = 16, .bytes = 1u << 20};

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool parse_is_identifier(str name) {
  if (name.n == 0 || !letter(name.p[0])) return false;
  for (uint32_t i = 1; i < name.n; i++)
    if (!letter(name.p[i]) && !(name.p[i] >= '0' && name.p[i] <= '9')) return false;
  return true;
}

bool parse_is_reserved(str name) {
  static const char *const reserved[] = {"out",   "inf",   "present", "bytes", "true", "True",
                                         "false", "False", "None",    "and",   "or",   "not",
                                         "if",    "else",  "for",     "in",    "is",   "lambda"};
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (str_is(name, reserved[i])) return true;
  return false;
}

/* ---- defects ---- */

/* A text of nothing but defects costs no more memory than one without. */
enum { MOST_DEFECTS = 1000 };

syntax_defect *syntax_refuse(syntax *s, diag_code code, uint32_t begin, uint32_t end, const char *format,
                             ...) {
  va_list args;
  va_start(args, format);
  syntax_defect d = {.code = code, .begin = begin, .end = end, .message = arena_vprintf(s->a, format, args)};
  va_end(args);
  if (s->defects.n > MOST_DEFECTS) {
    s->stopped = true;
    s->defects.n--;
  }
  vec_push(s->a, &s->defects, d);
  return &s->defects.v[s->defects.n - 1];
}

void syntax_withdraw(syntax *s, diag_code code, uint32_t begin, uint32_t end) {
  for (uint32_t i = s->defects.n; i-- > 0;) {
    const syntax_defect *d = &s->defects.v[i];
    if (d->code != code || d->begin != begin || d->end != end) continue;
    s->defects.n--;
    memmove(&s->defects.v[i], &s->defects.v[i + 1], (s->defects.n - i) * sizeof *s->defects.v);
    return;
  }
}

void syntax_too_deep(syntax *s, uint32_t begin, uint32_t end) {
  if (!s->stopped)
    syntax_refuse(s, SYN_DEPTH, begin, end, "nested deeper than --max-expr-depth, %u", s->limits->depth)
        ->help = STR("name a part of it in 'let'");
  s->stopped = true;
}

str syntax_shown(syntax *s, uint32_t begin, uint32_t end) {
  enum { MOST = 40 };
  uint32_t n = end - begin;
  if (n > MOST)
    for (n = MOST; n > 0 && ((unsigned char)s->text[begin + n] & 0xc0) == 0x80;) n--;
  char *out = arena_array(s->a, char, (size_t)n * 4 + 3);
  uint32_t used = 0;
  for (uint32_t i = begin; i < begin + n; i++) {
    unsigned char c = (unsigned char)s->text[i];
    if (c >= ' ' && c != 0x7f) {
      out[used++] = (char)c;
    } else {
      static const char hex[] = "0123456789abcdef";
      memcpy(out + used, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
      used += 4;
    }
  }
  if (n < end - begin) {
    for (int i = 0; i < 3; i++) out[used++] = '.';
  }
  return (str){out, used};
}

/* Whether a token ends an operand, so that an operator may follow. One that is reported ends it too. */
static bool ends_operand(int code) {
  static const bool ends[] = {
      [TOKEN_NAME] = true,   [TOKEN_INTEGER] = true,  [TOKEN_FLOAT] = true,  [TOKEN_STRING] = true,
      [TOKEN_TRUE] = true,   [TOKEN_FALSE] = true,    [TOKEN_NONE] = true,   [TOKEN_INF] = true,
      [TOKEN_RPAREN] = true, [TOKEN_RBRACKET] = true, [TOKEN_RBRACE] = true, [TOKEN_ELLIPSIS] = true,
      [TOKEN_BAD] = true,    [TOKEN_UNKNOWN] = true,
  };
  return (size_t)code < sizeof ends / sizeof ends[0] && ends[code];
}

void syntax_unexpected(syntax *s, const expr_token *t) {
  static const char *const operands[] = {
      [PARSE_EXPRESSION] = "an operand", [PARSE_SHAPE] = "an operand", [PARSE_TYPE] = "a type"};
  static const char *const operators[] = {
      [PARSE_EXPRESSION] = "an operator", [PARSE_SHAPE] = "an operator or ','", [PARSE_TYPE] = "'|'"};
  if (s->padding || t->code == TOKEN_UNKNOWN || t->code == TOKEN_BAD) return; /* reported */
  bool wants_operand = !ends_operand(s->last.code);
  const char *expected = (wants_operand ? operands : operators)[s->form];
  if (t->code == TOKEN_END || t->code == 0) {
    syntax_refuse(s, SYN_UNEXPECTED, s->last.begin, s->last.end, "the text ends where %s is expected",
                  expected);
    return;
  }
  if (s->else_at != 0 && s->else_at == s->last.end) return; /* what stands there is no `else`: reported */
  if (s->form == PARSE_SHAPE && s->open.n == 0) {
    if (s->defects.n > 0 && s->defects.v[s->defects.n - 1].code == SYN_SHAPE)
      return; /* `M, N`, after its M */
    syntax_refuse(s, SYN_SHAPE, t->begin, t->end, "something other than a shape")->help =
        STR("a shape is written [axis, ...] or Family[arg, ...]");
    return;
  }
  str shown = syntax_shown(s, t->begin, t->end);
  syntax_refuse(s, SYN_UNEXPECTED, t->begin, t->end, "unexpected '%.*s' where %s is expected", STR_ARG(shown),
                expected);
}

/* ---- tokens, balanced ---- */

static int closing_of(int code) {
  switch (code) {
  case TOKEN_LPAREN: return TOKEN_RPAREN;
  case TOKEN_LBRACKET: return TOKEN_RBRACKET;
  case TOKEN_LBRACE: return TOKEN_RBRACE;
  default: return 0;
  }
}

static const char *bracket_text(int code) {
  static const char *const texts[] = {[TOKEN_LPAREN] = "(", [TOKEN_LBRACKET] = "[", [TOKEN_LBRACE] = "{",
                                      [TOKEN_RPAREN] = ")", [TOKEN_RBRACKET] = "]", [TOKEN_RBRACE] = "}"};
  return texts[code];
}

static void refuse_unclosed(syntax *s, const expr_token *open, const expr_token *by) {
  syntax_defect *d =
      syntax_refuse(s, SYN_UNCLOSED, open->begin, open->end, "'%s' is not closed", bracket_text(open->code));
  d->related_begin = by->begin;
  d->related_end = by->end;
  d->related = arena_printf(s->a, "'%s' is missing %s", bracket_text(closing_of(open->code)),
                            by->code == closing_of(TOKEN_LPAREN) || by->code == TOKEN_RBRACKET ||
                                    by->code == TOKEN_RBRACE
                                ? "before this"
                                : "after this");
}

/* A token that completes what breaks off: an operand where one is missing, else the closing bracket. */
static expr_token completion(syntax *s, uint32_t at) {
  expr_token t = {.code = TOKEN_BAD, .begin = at, .end = at};
  if (ends_operand(s->last.code)) t.code = closing_of(s->open.v[--s->open.n].code);
  return t;
}

/* A closing bracket against those open. False: it is no token for the grammar. */
static bool close_bracket(syntax *s, expr_token *t) {
  if (s->open.n == 0) {
    syntax_refuse(s, SYN_UNMATCHED, t->begin, t->end, "'%s' closes nothing", bracket_text(t->code));
    return false;
  }
  const expr_token *top = &s->open.v[s->open.n - 1];
  if (closing_of(top->code) == t->code) {
    s->padding = false;
    s->open.n--;
    return true;
  }
  bool matches = false;
  for (uint32_t i = 0; i < s->open.n; i++) matches = matches || closing_of(s->open.v[i].code) == t->code;
  if (matches) { /* those inside were forgotten */
    if (!s->padding) refuse_unclosed(s, top, t);
    s->padding = true;
    s->held = *t;
    *t = completion(s, t->begin);
    return true;
  }
  syntax_defect *d = syntax_refuse(s, SYN_UNMATCHED, t->begin, t->end, "'%s' where '%s' is expected",
                                   bracket_text(t->code), bracket_text(closing_of(top->code)));
  d->related_begin = top->begin;
  d->related_end = top->end;
  d->related = STR("opened here");
  t->code = closing_of(top->code);
  s->open.n--;
  return true;
}

bool syntax_next(syntax *s, expr_token *t) {
  for (;;) {
    *t = s->held;
    s->held.code = 0;
    if (t->code == 0) *t = expr_lex(s);
    if (closing_of(t->code) != 0) {
      if (s->open.n == s->limits->depth) {
        syntax_too_deep(s, t->begin, t->end);
        return false;
      }
      vec_push(s->a, &s->open, *t);
      return true;
    }
    bool closing = t->code == TOKEN_RPAREN || t->code == TOKEN_RBRACKET || t->code == TOKEN_RBRACE;
    if (t->code != 0 && (!closing || close_bracket(s, t))) return true;
    if (t->code == 0) break;
  }
  if (s->open.n > 0) {
    if (!s->padding) refuse_unclosed(s, &s->open.v[0], &s->last);
    s->padding = true;
    *t = completion(s, t->begin);
    return true;
  }
  if (s->last.code == 0) {
    if (s->defects.n == 0) syntax_refuse(s, SYN_EMPTY, 0, t->end, "nothing");
    s->stopped = true;
    return false;
  }
  t->code = TOKEN_END;
  return !ends_operand(s->last.code) && s->last.code != TOKEN_END;
}

/* ---- the whole ---- */

/* What stands in a rejected form is not judged (codegen.md §1). Trees grow from the leaves, so the
   defects inside a form come before it; between may be one of the token ahead, or an unclosed bracket. */
static void drop_inside_forms(syntax *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->defects.n; i++) {
    syntax_defect d = s->defects.v[i];
    bool form = d.form_begin < d.form_end;
    uint32_t first = n;
    for (const syntax_defect *x; form && first > 0; first--) {
      x = &s->defects.v[first - 1];
      if (x->begin < d.form_begin && x->code != SYN_UNCLOSED) break;
    }
    uint32_t kept = first;
    for (uint32_t j = first; j < n; j++) {
      uint32_t begin = s->defects.v[j].begin;
      if (begin < d.form_begin || begin >= d.form_end) s->defects.v[kept++] = s->defects.v[j];
    }
    n = kept;
    s->defects.v[n++] = d;
  }
  s->defects.n = n;
}

static void report(syntax *s, diag_sink *sink, const expr_text *text, const char *what) {
  if (s->defects.n > MOST_DEFECTS) {
    syntax_defect *d = &s->defects.v[MOST_DEFECTS];
    *d = (syntax_defect){.code = SYN_MANY, .begin = d->begin, .end = d->end};
    d->message = STR("a defect after a thousand others, the last that is read,");
  }
  drop_inside_forms(s);
  for (uint32_t i = 0; i < s->defects.n; i++) {
    const syntax_defect *x = &s->defects.v[i];
    diag *d =
        diag_add(sink, x->code, expr_span(text, x->begin, x->end), "%.*s in %s", STR_ARG(x->message), what);
    if (x->help.n != 0) diag_help(sink, d, "%.*s", STR_ARG(x->help));
    if (x->related.n != 0)
      diag_relate(sink, d, expr_span(text, x->related_begin, x->related_end), "%.*s", STR_ARG(x->related));
  }
}

expr *parse_text(arena *a, diag_sink *sink, const parse_limits *limits, parse_form form,
                 const expr_text *text, const char *what) {
  str written = yt_text(text->node);
  syntax s = {.a = a, .limits = limits, .form = form};
  s.text = s.cursor = arena_cstr(a, written);
  s.limit = s.text + written.n;
  expr_run(&s);
  report(&s, sink, text, what);
  return s.stopped ? NULL : s.root;
}
