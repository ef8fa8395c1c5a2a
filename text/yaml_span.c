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
  str text;
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

static uint32_t blanks_at(const char *p, uint32_t left) {
  uint32_t n = 0;
  while (n < left && is_blank(p[n])) n++;
  return n;
}

static uint32_t skip_blanks(const scan *c, uint32_t at) { return at + blanks_at(c->s + at, c->end - at); }

/* Line folding of double-quoted scalars: the first break of a run is a blank when it stands alone,
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

static piece next_double_quoted(const scan *c) {
  uint32_t at = c->at, blanks = skip_blanks(c, at);
  if (break_length(c, blanks) > 0) return fold_flow(c, blanks);
  if (blanks > at) return verbatim(at, blanks);
  if (c->s[at] == '\\') return read_escape(c);
  while (at < c->end && !is_blank(c->s[at]) && break_length(c, at) == 0 && c->s[at] != '\\') at++;
  return verbatim(c->at, at);
}

/* ---- the other styles ---- */

/* Blanks and breaks of the source and of the text between the same two characters, or before the first. How
   one became the other depends on the style, the indentation and what stands around; all other characters
   are in both, in order, and tell where the next gap begins. */
typedef struct gap {
  const char *p;
  uint32_t n, breaks, last; /* blanks behind the last break */
} gap;

static gap gap_at(const char *p, uint32_t left) {
  gap g = {p, 0, 0, 0};
  for (uint32_t length; g.n < left; g.n += length) {
    length = is_blank(p[g.n]) ? 1 : yt_break_length(p + g.n, left - g.n);
    if (length == 0) break;
    g.last = is_blank(p[g.n]) ? g.last + 1 : 0;
    g.breaks += !is_blank(p[g.n]);
  }
  return g;
}

/* The first piece of a gap that is not the same in both. */
static piece next_of_gap(uint32_t at, gap from, gap to) {
  if (from.breaks == 0 || from.breaks != to.breaks) { /* folded: only what indents the next line stayed */
    const uint32_t kept = to.breaks > 0 && to.last <= from.last ? to.last : 0;
    return (piece){at, at + from.n - kept, to.n - kept, false};
  }
  /* Every break stayed, with some of the blanks around it. */
  const uint32_t trailing = blanks_at(from.p, from.n), kept = blanks_at(to.p, to.n);
  if (kept > 0 && kept == trailing) return verbatim(at, at + kept);
  const uint32_t line = trailing + yt_break_length(from.p + trailing, from.n - trailing),
                 made = kept + yt_break_length(to.p + kept, to.n - kept),
                 indent = blanks_at(from.p + line, from.n - line),
                 stays = blanks_at(to.p + made, to.n - made);
  return (piece){at, at + line + (indent > stays ? indent - stays : 0), made, false};
}

static piece next_aligned(const scan *c, uint8_t style, uint32_t offset) {
  const char *text = c->text.p + offset;
  const uint32_t at = c->at, left = c->text.n - offset;
  const gap source_gap = gap_at(c->s + at, c->end - at), text_gap = gap_at(text, left);
  if (source_gap.n == text_gap.n && source_gap.n > 0 && memcmp(source_gap.p, text_gap.p, text_gap.n) == 0)
    return verbatim(at, at + text_gap.n);
  if (source_gap.n > 0 || text_gap.n > 0) return next_of_gap(at, source_gap, text_gap);
  uint32_t n = 0;
  while (at + n < c->end && n < left && c->s[at + n] == text[n] && gap_at(text + n, left - n).n == 0 &&
         !(style == YT_SINGLE && text[n] == '\''))
    n++;
  if (n == 0) return (piece){at, at + 2 < c->end ? at + 2 : c->end, 1, false}; /* '' */
  return verbatim(at, at + n);
}

static uint32_t behind_header(const scan *c) {
  uint32_t at = c->at;
  while (at < c->end && break_length(c, at) == 0) at++;
  return at + break_length(c, at);
}

span yt_text_span(const source *src, const yt_node *n, uint32_t begin, uint32_t end) {
  span value = yt_value_span(src, n);
  if (end > n->n) end = n->n;
  if (begin > end) begin = end;
  if (n->exact) return (span){src, value.begin + begin, value.begin + end};
  scan c = {.s = src->text.p, .at = value.begin, .end = value.end, .text = yt_text(n)};
  if (n->style == YT_LITERAL || n->style == YT_FOLDED) c.at = behind_header(&c);
  uint32_t text = 0;
  span found = {src, value.end, value.end};
  bool have_begin = false;
  while (c.at < c.end) {
    piece p = n->style == YT_DOUBLE ? next_double_quoted(&c) : next_aligned(&c, n->style, text);
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
    text += p.n;
    c.at = p.end;
  }
  if (begin == end || found.end < found.begin) found.end = found.begin;
  return found;
}
