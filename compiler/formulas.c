/* Finds ROOFLINE_FORMULA(name) and its sisters in C files. codegen.md §2. */
#include "compiler/formulas.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/emit_internal.h"

typedef struct scan {
  arena *a;
  const char *p, *end;
  VEC(str) found[4];
} scan;

static const char *const marks[] = {"ROOFLINE_FORMULA", "ROOFLINE_ROOF_KEY", "ROOFLINE_READ_BYTES",
                                    "ROOFLINE_DATA_TERMS"};

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Behind a comment, a string or character literal, or a preprocessor line that starts here. */
static bool skip_past(scan *s, bool line_start) {
  const char *p = s->p;
  if (p + 1 < s->end && p[0] == '/' && p[1] == '*') {
    for (p += 2; p + 1 < s->end && !(p[0] == '*' && p[1] == '/');) p++;
    p += 2;
  } else if ((p + 1 < s->end && p[0] == '/' && p[1] == '/') || (*p == '#' && line_start)) {
    while (p < s->end && *p != '\n') p += *p == '\\' && p + 1 < s->end ? 2 : 1;
  } else if (*p == '"' || *p == '\'') {
    const char quote = *p++;
    while (p < s->end && *p != quote && *p != '\n') p += *p == '\\' && p + 1 < s->end ? 2 : 1;
    p++;
  } else {
    return false;
  }
  s->p = p < s->end ? p : s->end;
  return true;
}

static void skip_blanks(scan *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) s->p++;
}

/* The word at p; when it is a mark, the name in its parentheses is a definition if a body follows. */
static void read_word(scan *s) {
  const char *begin = s->p;
  while (s->p < s->end && is_word(*s->p)) s->p++;
  const str word = {begin, (uint32_t)(s->p - begin)};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!str_is(word, marks[i])) continue;
    skip_blanks(s);
    if (s->p == s->end || *s->p != '(') return;
    s->p++;
    skip_blanks(s);
    begin = s->p;
    while (s->p < s->end && is_word(*s->p)) s->p++;
    const str name = {begin, (uint32_t)(s->p - begin)};
    skip_blanks(s);
    if (s->p == s->end || *s->p != ')') return;
    s->p++;
    while (s->p < s->end) { /* a prototype defines nothing */
      skip_blanks(s);
      if (s->p == s->end || !skip_past(s, false)) break;
    }
    if (s->p < s->end && *s->p == '{' && name.n > 0) vec_push(s->a, &s->found[i], arena_str(s->a, name));
    return;
  }
}

static void scan_text(scan *s, str text) {
  s->p = text.p;
  s->end = text.p + text.n;
  bool line_start = true;
  while (s->p < s->end) {
    if (skip_past(s, line_start)) continue;
    if (is_word(*s->p)) {
      read_word(s);
      line_start = false;
      continue;
    }
    line_start = *s->p == '\n' || (line_start && (*s->p == ' ' || *s->p == '\t'));
    s->p++;
  }
}

static bool scan_file(scan *s, const char *path, str *why) {
  const source *src = source_read(s->a, path, UINT64_C(64) << 20, why);
  if (src == NULL) return false;
  scan_text(s, src->text);
  return true;
}

static int by_path(const void *x, const void *y) {
  return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool scan_directory(scan *s, const char *path, str *why) {
  DIR *d = opendir(path);
  if (d == NULL) {
    *why = arena_printf(s->a, "cannot read %s: %s", path, strerror(errno));
    return false;
  }
  VEC(const char *) files = {0};
  for (struct dirent *item = readdir(d); item != NULL; item = readdir(d)) {
    const size_t n = strlen(item->d_name);
    if (n < 3 || item->d_name[0] == '.' || strcmp(item->d_name + n - 2, ".c") != 0) continue;
    vec_push(s->a, &files, arena_cstr(s->a, arena_printf(s->a, "%s/%s", path, item->d_name)));
  }
  closedir(d);
  if (files.n > 0) qsort(files.v, files.n, sizeof *files.v, by_path);
  for (uint32_t i = 0; i < files.n; i++) {
    if (!scan_file(s, files.v[i], why)) return false;
  }
  return true;
}

bool formulas_scan(arena *a, const char *const *paths, uint32_t count, emit_definitions *out, str *why) {
  scan s = {.a = a};
  for (uint32_t i = 0; i < count; i++) {
    struct stat info;
    const bool directory = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
    if (!(directory ? scan_directory : scan_file)(&s, paths[i], why)) return false;
  }
  *out = (emit_definitions){count > 0,    s.found[0].v, s.found[1].v, s.found[2].v, s.found[3].v,
                            s.found[0].n, s.found[1].n, s.found[2].n, s.found[3].n};
  return true;
}

void formulas_check(diag_sink *sink, const emit_definitions *d, const entry *e, bool missing_unavailable) {
  if (!emit_is_func(e)) return;
  const str name = emit_func_name(e);
  const span at = yt_value_span(e->src, e->func_node);
  if (!parse_is_identifier(name) || emit_is_keyword(name)) {
    diag_add(sink, FORMULA_NAME, at, "'%.*s' cannot be the name of a C function", STR_ARG(name));
    return;
  }
  if (!e->implemented || emit_defines(d->formulas, d->formula_count, name)) return;
  if (!d->given) {
    diag_add(sink, FORMULA_UNREACHED, at, "definition of '%.*s': unreached, --formulas is not given",
             STR_ARG(name));
  } else if (!missing_unavailable) {
    diag *found = diag_add(sink, FORMULA_MISSING, at, "no file of --formulas defines '%.*s'", STR_ARG(name));
    diag_help(sink, found, "define it: ROOFLINE_FORMULA(%.*s) { ... }", STR_ARG(name));
    diag_suggest(sink, found, name, d->formulas, d->formula_count);
  }
}
