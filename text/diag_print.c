/* Order of diagnostics, and the forms for people: text and GitHub's workflow annotations. */
#include <stdlib.h>

#include "text/diag_render.h"

const char *const diag_severity_name[4] = {"error", "warning", "advisory", "unreached"};

static int compare_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

/* file, line, column, code (codegen.md §1); the rest only makes the order total. */
static int compare_diags(const void *left, const void *right) {
  const diag *a = *(diag *const *)left, *b = *(diag *const *)right;
  int c = compare_numbers(a->at.src != NULL, b->at.src != NULL);
  if (c == 0 && a->at.src != NULL && a->at.src != b->at.src) c = str_cmp(a->at.src->path, b->at.src->path);
  if (c == 0) c = compare_numbers(a->at.begin, b->at.begin);
  if (c == 0) c = compare_numbers(diag_code_info(a->code)->number, diag_code_info(b->code)->number);
  if (c == 0) c = compare_numbers(a->at.end, b->at.end);
  return c != 0 ? c : str_cmp(a->message, b->message);
}

void diag_print(diag_sink *sink, FILE *out, const diag_options *options) {
  static void (*const printers[])(const diag_report *, FILE *) = {
      [DIAG_TEXT] = diag_print_text,
      [DIAG_JSON] = diag_print_json,
      [DIAG_SARIF] = diag_print_sarif,
      [DIAG_GITHUB] = diag_print_github,
  };
  bool for_people = options->format == DIAG_TEXT || options->format == DIAG_GITHUB;
  bool unreached = options->show_unreached || !for_people;
  uint32_t count, errors = 0;
  diag *const *all = diag_all(sink, &count);
  arena *a = arena_new();
  diag_report report = {.options = options};
  for (uint32_t i = 0; i < 4; i++) report.counts[i] = diag_count(sink, (diag_severity)i);
  const diag **v = arena_array(a, const diag *, count);
  for (uint32_t i = 0; i < count; i++) v[i] = all[i];
  if (count > 1) qsort(v, count, sizeof *v, compare_diags);
  for (uint32_t i = 0; i < count; i++) {
    if (v[i]->severity == DIAG_UNREACHED && !unreached) continue;
    if (v[i]->severity == DIAG_ERROR) {
      if (errors == options->max_errors && options->max_errors > 0) continue;
      errors++;
    }
    v[report.n++] = v[i];
  }
  report.v = v;
  report.hidden_errors = report.counts[DIAG_ERROR] - errors;
  printers[options->format](&report, out);
  arena_free(a);
}

typedef struct palette {
  const char *severity[4], *bold, *caret, *off;
} palette;

static const palette colours = {
    {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;34m"}, "\033[1m", "\033[1;32m", "\033[0m"};
static const palette no_colours = {{"", "", "", ""}, "", "", ""};

/* Source text may hold what moves a terminal's cursor or reorders its letters. */
static bool unprintable(const char *p, uint32_t n) {
  unsigned char c = (unsigned char)p[0], d = n > 1 ? (unsigned char)p[1] : 0,
                e = n > 2 ? (unsigned char)p[2] : 0;
  if (n == 1) return (c < 0x20 && c != '\t') || c == 0x7F;
  if (n == 2) return c == 0xC2 && d < 0xA0;
  /* U+2028..U+202E and U+2066..U+2069 */
  return n == 3 && c == 0xE2 &&
         ((d == 0x80 && e >= 0xA8 && e <= 0xAE) || (d == 0x81 && e >= 0xA6 && e <= 0xA9));
}

static void put_source(FILE *out, str s) {
  for (uint32_t i = 0; i < s.n;) {
    uint32_t n = source_utf8_length(s.p + i, s.p + s.n);
    if (n == 0 || unprintable(s.p + i, n))
      fputs("\xEF\xBF\xBD", out);
    else
      fwrite(s.p + i, 1, n, out);
    i += n == 0 ? 1 : n;
  }
}

static uint32_t back_to_character(str line, uint32_t at) {
  while (at > 0 && at < line.n && ((unsigned char)line.p[at] & 0xC0) == 0x80) at--;
  return at;
}

/* The source line under its number, and a caret line. Of a long line, the part around the token. */
static void put_excerpt(FILE *out, const palette *c, span at) {
  enum { WIDEST = 160, BEFORE = 60 };
  if (at.src->text.n == 0) return;
  position begin = source_position(at.src, at.begin);
  str line = source_line(at.src, begin.line);
  uint32_t line_begin = (uint32_t)(line.p - at.src->text.p);
  uint32_t from = at.begin - line_begin, to = at.end - line_begin, first = 0, last = line.n;
  if (from > line.n) from = line.n;
  if (to > line.n) to = line.n;
  if (line.n > WIDEST) {
    first = back_to_character(line, from > BEFORE ? from - BEFORE : 0);
    last = back_to_character(line, first + WIDEST < line.n ? first + WIDEST : line.n);
    if (to > last) to = last;
  }
  const char *clipped = first > 0 ? "..." : "";
  fprintf(out, "%5u | %s", begin.line, clipped);
  put_source(out, (str){line.p + first, last - first});
  fprintf(out, "%s\n      | %*s", last < line.n ? "..." : "", first > 0 ? 3 : 0, "");
  for (uint32_t i = first; i < from; i++)
    if (((unsigned char)line.p[i] & 0xC0) != 0x80) fputc(line.p[i] == '\t' ? '\t' : ' ', out);
  fprintf(out, "%s^", c->caret);
  for (uint32_t i = from + 1; i < to; i++)
    if (((unsigned char)line.p[i] & 0xC0) != 0x80) fputc('~', out);
  fprintf(out, "%s\n", c->off);
}

static void put_place(FILE *out, span at) {
  if (at.src == NULL) return;
  position p = source_position(at.src, at.begin);
  fprintf(out, "%.*s:%u:%u: ", STR_ARG(at.src->path), p.line, p.column);
}

static void put_diag(FILE *out, const palette *c, const diag *d) {
  fputs(c->bold, out);
  put_place(out, d->at);
  fprintf(out, "%s%s[RL%04u]:%s%s %.*s%s\n", c->severity[d->severity], diag_severity_name[d->severity],
          diag_code_info(d->code)->number, c->off, c->bold, STR_ARG(d->message), c->off);
  if (d->at.src != NULL) put_excerpt(out, c, d->at);
  for (uint32_t i = 0; i < d->help.n; i++) fprintf(out, "      = %.*s\n", STR_ARG(d->help.v[i]));
  for (uint32_t i = 0; i < d->related.n; i++) {
    put_place(out, d->related.v[i].at);
    fprintf(out, "note: %.*s\n", STR_ARG(d->related.v[i].message));
    if (d->related.v[i].at.src != NULL) put_excerpt(out, c, d->related.v[i].at);
  }
}

static void put_count(FILE *out, const char **separator, uint32_t n, const char *one, const char *many) {
  if (n == 0) return;
  fprintf(out, "%s%u %s", *separator, n, n == 1 ? one : many);
  *separator = ", ";
}

static void put_summary(const diag_report *report, FILE *out) {
  const diag_options *o = report->options;
  const char *separator = "";
  bool clean = report->counts[DIAG_ERROR] + report->counts[DIAG_WARNING] + report->counts[DIAG_ADVISORY] == 0;
  put_count(out, &separator, o->ops, "op", "ops");
  put_count(out, &separator, o->cases, "case", "cases");
  if (o->ops > 0) {
    separator = ": ";
    if (clean) fputs(": no defects", out);
    if (clean) separator = ", ";
  }
  put_count(out, &separator, report->counts[DIAG_ERROR], "error", "errors");
  if (report->hidden_errors > 0) fprintf(out, " (%u not shown)", report->hidden_errors);
  put_count(out, &separator, report->counts[DIAG_WARNING], "warning", "warnings");
  put_count(out, &separator, report->counts[DIAG_ADVISORY], "advisory", "advisories");
  put_count(out, &separator, report->counts[DIAG_UNREACHED], "judgement unreached", "judgements unreached");
  if (report->counts[DIAG_UNREACHED] > 0 && !o->show_unreached) fputs(" (see --notes)", out);
  if (*separator != '\0') fputc('\n', out);
}

void diag_print_text(const diag_report *report, FILE *out) {
  const palette *c = report->options->colour ? &colours : &no_colours;
  for (uint32_t i = 0; i < report->n; i++) put_diag(out, c, report->v[i]);
  put_summary(report, out);
}

/* Workflow commands escape what would end a value; a property also ends at ':' and ','. */
static void put_github(FILE *out, str s, bool property) {
  for (uint32_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      fprintf(out, "%%%02X", (unsigned)c);
    else
      fputc(c, out);
  }
}

void diag_print_github(const diag_report *report, FILE *out) {
  static const char *const level[4] = {"error", "warning", "notice", "notice"};
  for (uint32_t i = 0; i < report->n; i++) {
    const diag *d = report->v[i];
    fprintf(out, "::%s ", level[d->severity]);
    if (d->at.src != NULL) {
      position begin = source_position(d->at.src, d->at.begin), end = source_position(d->at.src, d->at.end);
      fputs("file=", out);
      put_github(out, d->at.src->path, true);
      fprintf(out, ",line=%u,col=%u,endLine=%u,endColumn=%u,", begin.line, begin.column, end.line,
              end.column);
    }
    fprintf(out, "title=RL%04u::", diag_code_info(d->code)->number);
    put_github(out, d->message, false);
    for (uint32_t h = 0; h < d->help.n; h++) {
      fputs("%0A", out);
      put_github(out, d->help.v[h], false);
    }
    for (uint32_t r = 0; r < d->related.n; r++) {
      const diag_related *related = &d->related.v[r];
      fputs("%0A", out);
      if (related->at.src != NULL) {
        put_github(out, related->at.src->path, false);
        fprintf(out, ":%u: ", source_position(related->at.src, related->at.begin).line);
      }
      put_github(out, related->message, false);
    }
    fputc('\n', out);
  }
}
