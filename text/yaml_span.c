/* Where in the source a scalar's text stands: its token is scanned again, by the rules that made the text.
   Done only for a diagnostic, so nothing is kept for it. */
#include <string.h>

#include "text/yaml_private.h"

span yt_span(const source *src, const yt_node *n) { return (span){src, n->begin, n->end}; }

span yt_value_span(const source *src, const yt_node *n) {
  bool quoted =
      n->kind == YT_SCALAR && (n->style == YT_SINGLE || n->style == YT_DOUBLE) && n->end - n->begin >= 2;
  return (span){src, n->begin + quoted, n->end - quoted};
}

/* A stretch of the token and the stretch of the text that it became. */
typedef struct piece {
  uint32_t begin, end; /* in the source */
  uint32_t n;          /* bytes of text */
  bool verbatim;       /* byte for byte, so that offsets inside map */
} piece;

typedef struct scan {
  const char *s;    /* the source */
  uint32_t at, end; /* in the token */
  uint8_t style;
  uint32_t indent; /* block scalars: columns cut from each line */
  bool content;    /* block scalars: a line of text has been passed; breaks before one are all kept */
} scan;

uint32_t yt_break_length(const char *text, uint32_t left) {
  const unsigned char *p = (const unsigned char *)text;
  if (left == 0) return 0;
  if (p[0] == '\r') return left > 1 && p[1] == '\n' ? 2 : 1;
  if (p[0] == '\n') return 1;
  if (left > 1 && p[0] == 0xC2 && p[1] == 0x85) return 2;
  return left > 2 && p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}

static uint32_t break_length(const scan *c, uint32_t at) { return yt_break_length(c->s + at, c->end - at); }

/* Bytes of text a break makes when it is kept: LS and PS stay, the others are LF. */
static uint32_t break_text(uint32_t length) { return length == 3 ? 3 : 1; }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static uint32_t skip_blanks(const scan *c, uint32_t at) {
  while (at < c->end && is_blank(c->s[at])) at++;
  return at;
}

/* Line folding of plain and quoted scalars: the first break of a run is a blank when it stands alone,
   nothing when more follow; blanks around breaks vanish. */
static piece fold_flow(const scan *c, uint32_t first_break) {
  piece p = {.begin = c->at, .end = first_break};
  uint32_t first = break_length(c, p.end), rest = 0, length;
  p.end = skip_blanks(c, p.end + first);
  while ((length = break_length(c, p.end)) > 0) {
    rest += break_text(length);
    p.end = skip_blanks(c, p.end + length);
  }
  p.n = first == 3 ? 3 + rest : rest > 0 ? rest : 1;
  return p;
}

static piece verbatim(uint32_t begin, uint32_t end) { return (piece){begin, end, end - begin, true}; }

static uint32_t utf8_bytes(uint32_t value) {
  return value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
}

static piece read_escape(const scan *c) {
  piece p = {.begin = c->at, .end = c->at + 2, .n = 1};
  if (p.end > c->end) p.end = c->end;
  uint32_t broken = break_length(c, c->at + 1);
  if (broken > 0) { /* an escaped line break joins the lines */
    p.n = 0;
    p.end = skip_blanks(c, c->at + 1 + broken);
    for (uint32_t length; (length = break_length(c, p.end)) > 0; p.end = skip_blanks(c, p.end + length))
      p.n += break_text(length);
    return p;
  }
  char letter = c->at + 1 < c->end ? c->s[c->at + 1] : '\0';
  uint32_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0, value = 0;
  for (; digits > 0 && p.end < c->end; digits--, p.end++) {
    char d = c->s[p.end];
    value = value * 16 + (uint32_t)(d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10);
  }
  p.n = letter == 'N' || letter == '_' ? 2 : letter == 'L' || letter == 'P' ? 3 : utf8_bytes(value);
  return p;
}

static piece next_flow(const scan *c) {
  uint32_t at = c->at, blanks = skip_blanks(c, at);
  if (break_length(c, blanks) > 0) return fold_flow(c, blanks);
  if (blanks > at) return verbatim(at, blanks);
  if (c->style == YT_DOUBLE && c->s[at] == '\\') return read_escape(c);
  if (c->style == YT_SINGLE && c->s[at] == '\'')
    return (piece){at, at + 2 < c->end ? at + 2 : c->end, 1, false};
  while (at < c->end && !is_blank(c->s[at]) && break_length(c, at) == 0 &&
         !(c->style == YT_DOUBLE && c->s[at] == '\\') && !(c->style == YT_SINGLE && c->s[at] == '\''))
    at++;
  return verbatim(c->at, at);
}

static uint32_t line_length(const scan *c, uint32_t at) {
  uint32_t begin = at;
  while (at < c->end && break_length(c, at) == 0) at++;
  return at - begin;
}

static uint32_t leading_spaces(const char *p, uint32_t n) {
  uint32_t i = 0;
  while (i < n && p[i] == ' ') i++;
  return i;
}

static uint32_t skip_indent(const scan *c, uint32_t at) {
  for (uint32_t i = 0; i < c->indent && at < c->end && c->s[at] == ' '; i++) at++;
  return at;
}

/* The break at a line's end with the empty lines that follow it. A folded scalar's lone break between two
   lines that start with no blank is a blank; of several the first vanishes. */
static piece fold_block(const scan *c, bool line_is_indented) {
  piece p = {.begin = c->at, .end = c->at};
  uint32_t first = break_length(c, p.end), rest = 0, length;
  p.end = skip_indent(c, p.end + first);
  while (c->style == YT_FOLDED && (length = break_length(c, p.end)) > 0) {
    rest += break_text(length);
    p.end = skip_indent(c, p.end + length);
  }
  bool next_is_indented = p.end < c->end && is_blank(c->s[p.end]);
  bool folds = c->style == YT_FOLDED && c->content && first != 3 && !line_is_indented && !next_is_indented &&
               p.end < c->end;
  p.n = folds ? (rest > 0 ? rest : 1) : break_text(first) + rest;
  return p;
}

static piece next_block(scan *c, uint32_t line_begin) {
  if (break_length(c, c->at) > 0) return fold_block(c, line_begin < c->end && is_blank(c->s[line_begin]));
  uint32_t n = line_length(c, c->at);
  c->content = true;
  return verbatim(c->at, c->at + n);
}

/* Enters a block scalar: past its header, with the indentation that the text shows was cut: on the first
   line that has any text, what the source has more of leading spaces than the text. Of lines without any
   all spaces were cut. */
static void enter_block(scan *c, const yt_node *n) {
  while (c->at < c->end && break_length(c, c->at) == 0) c->at++;
  c->at += break_length(c, c->at);
  const char *text = n->u.text;
  uint32_t i = 0, at = c->at, length;
  while (i < n->n && at < c->end) {
    scan of_text = {.s = text, .at = i, .end = n->n};
    length = break_length(&of_text, i);
    if (length == 0) break;
    i += length;
    at += line_length(c, at);
    at += break_length(c, at);
  }
  uint32_t in_source = leading_spaces(c->s + at, c->end - at), in_text = leading_spaces(text + i, n->n - i);
  c->indent = i == n->n ? UINT32_MAX : in_source > in_text ? in_source - in_text : 0;
}

span yt_text_span(const source *src, const yt_node *n, uint32_t begin, uint32_t end) {
  span value = yt_value_span(src, n);
  if (end > n->n) end = n->n;
  if (begin > end) begin = end;
  if (n->exact) return (span){src, value.begin + begin, value.begin + end};
  bool block = n->style == YT_LITERAL || n->style == YT_FOLDED;
  scan c = {.s = src->text.p, .at = value.begin, .end = value.end, .style = n->style};
  if (block) {
    enter_block(&c, n);
    c.at = skip_indent(&c, c.at);
  }
  uint32_t text = 0, line_begin = c.at;
  span found = {src, value.end, value.end};
  bool have_begin = false;
  while (c.at < c.end) {
    piece p = block ? next_block(&c, line_begin) : next_flow(&c);
    if (p.end <= p.begin) break;
    if (!have_begin && begin < text + p.n) {
      found.begin = p.verbatim ? p.begin + (begin - text) : p.begin;
      have_begin = true;
      if (begin == end) break;
    }
    if (have_begin && end <= text + p.n) {
      found.end = p.verbatim ? p.begin + (end - text) : p.end;
      break;
    }
    if (block && break_length(&c, p.begin) > 0) line_begin = p.end;
    text += p.n;
    c.at = p.end;
  }
  if (begin == end || found.end < found.begin) found.end = found.begin;
  return found;
}
