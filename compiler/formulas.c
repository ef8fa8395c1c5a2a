/* Finds ROOFLINE_FORMULA(name) and its sisters in C files. codegen.md §2. */
#include "compiler/formulas.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/emit_internal.h"
#include "compiler/name_index.h"

typedef struct scan {
  arena *a;
  const source *src;
  const char *p, *end;
  VEC(emit_mark) found;
} scan;

static const char *const marks[MARK_KINDS] = {"ROOFLINE_FORMULA", "ROOFLINE_ROOF_KEY", "ROOFLINE_READ_BYTES",
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
  for (int i = 0; i < MARK_KINDS; i++) {
    if (!str_is(word, marks[i])) continue;
    skip_blanks(s);
    if (s->p == s->end || *s->p != '(') return;
    s->p++;
    skip_blanks(s);
    begin = s->p;
    while (s->p < s->end && is_word(*s->p)) s->p++;
    const str name = {begin, (uint32_t)(s->p - begin)};
    const uint32_t at = (uint32_t)(begin - s->src->text.p);
    skip_blanks(s);
    if (s->p == s->end || *s->p != ')') return;
    s->p++;
    while (s->p < s->end) { /* a prototype defines nothing */
      skip_blanks(s);
      if (s->p == s->end || !skip_past(s, false)) break;
    }
    if (s->p < s->end && *s->p == '{' && name.n > 0) {
      const emit_mark mark = {(emit_mark_kind)i, name, {s->src, at, at + name.n}};
      vec_push(s->a, &s->found, mark);
    }
    return;
  }
}

static void scan_text(scan *s) {
  s->p = s->src->text.p;
  s->end = s->p + s->src->text.n;
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
  s->src = source_read(s->a, path, UINT64_C(64) << 20, why);
  if (s->src == NULL) return false;
  scan_text(s);
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
  *out = (emit_definitions){count > 0, s.found.v, s.found.n};
  return true;
}

/* ---- what the marks are of ---- */

static const emit_mark *find_mark(const emit_definitions *d, emit_mark_kind what, str name) {
  for (uint32_t i = 0; i < d->count; i++)
    if (d->marks[i].kind == what && str_eq(d->marks[i].name, name)) return &d->marks[i];
  return NULL;
}

/* The definition that was perhaps meant. */
static void suggest_formula(arena *a, diag_sink *sink, diag *found, const emit_definitions *d, str name) {
  VEC(str) names = {0};
  for (uint32_t i = 0; i < d->count; i++)
    if (d->marks[i].kind == MARK_FORMULA) vec_push(a, &names, d->marks[i].name);
  const str near = diag_nearest(name, names.v, names.n);
  if (near.n == 0) return;
  diag_suggest(sink, found, name, names.v, names.n);
  diag_relate(sink, found, find_mark(d, MARK_FORMULA, near)->at, "'%.*s' is defined here", STR_ARG(near));
}

void formulas_check(arena *a, diag_sink *sink, const emit_definitions *d, const entry *e,
                    bool missing_unavailable) {
  if (!emit_is_func(e)) return;
  const str name = emit_func_name(e);
  const span at = yt_value_span(e->src, e->func_node);
  if (!parse_is_identifier(name) || emit_is_keyword(name)) {
    diag_add(sink, FORMULA_NAME, at, "'%.*s' cannot be the name of a C function", STR_ARG(name));
    return;
  }
  if (!e->implemented || emit_defines(d, MARK_FORMULA, name)) return;
  if (!d->given) {
    diag_add(sink, FORMULA_UNREACHED, at, "definition of '%.*s': unreached, --formulas is not given",
             STR_ARG(name));
  } else if (!missing_unavailable) {
    diag *found = diag_add(sink, FORMULA_MISSING, at, "no file of --formulas defines '%.*s'", STR_ARG(name));
    diag_help(sink, found, "define it: ROOFLINE_FORMULA(%.*s) { ... }", STR_ARG(name));
    suggest_formula(a, sink, found, d, name);
  }
}

formulas_op formulas_op_of(arena *a, const entry *e, bool missing_unavailable) {
  formulas_op op = {.symbol = emit_symbol(a, e->name), .at = yt_value_span(e->src, e->key)};
  op.unknown = e->state != FACT_VALID || e->roofline != FACT_VALID || e->func_state == FACT_MALFORMED;
  op.derives_bytes = !op.unknown && emit_derives_bytes(e);
  if (op.unknown || !emit_is_func(e)) return op;
  op.func = arena_str(a, emit_func_name(e));
  op.func_at = yt_value_span(e->src, e->func_node);
  op.func_reported = e->implemented && !missing_unavailable;
  return op;
}

/* Operators' names, or their formulas', that no mark of a kind has and one could have. */
typedef struct unmarked {
  name_index all; /* marked or not: to the operator's number */
  VEC(str) names;
} unmarked;

static str name_of(const formulas_op *op, emit_mark_kind what) {
  return what == MARK_FORMULA ? op->func : op->symbol;
}

static bool is_open(const formulas_op *op, emit_mark_kind what) {
  if (what == MARK_FORMULA) return op->func.n > 0 && !op->func_reported;
  return what != MARK_READ_BYTES || !op->derives_bytes;
}

static unmarked find_unmarked(arena *a, const emit_definitions *d, emit_mark_kind what,
                              const formulas_op *ops, uint32_t count) {
  unmarked out = {name_index_new(a, count), {0}};
  name_index marked = name_index_new(a, d->count);
  for (uint32_t i = 0; i < d->count; i++)
    if (d->marks[i].kind == what) name_index_add(&marked, d->marks[i].name, i);
  for (uint32_t i = 0; i < count; i++) {
    const str name = name_of(&ops[i], what);
    if (name.n == 0 || name_index_add(&out.all, name, i) >= 0) continue;
    if (is_open(&ops[i], what) && name_index_find(&marked, name) < 0) vec_push(a, &out.names, name);
  }
  return out;
}

static void misspelt(diag_sink *sink, const emit_mark *m, const formulas_op *op, str near) {
  const bool of_func = m->kind == MARK_FORMULA;
  diag *d = diag_add(sink, FORMULA_MARK, m->at, "%s(%.*s) is of no %s given", marks[m->kind],
                     STR_ARG(m->name), of_func ? "operator's func" : "operator");
  diag_help(sink, d, "did you mean '%.*s'?", STR_ARG(near));
  diag_relate(sink, d, of_func ? op->func_at : op->at, "'%.*s' has no %s", STR_ARG(near), marks[m->kind]);
}

/* Operators are named alike (gemm_fwd, gelu_fwd): a slip is a letter, in a long name two. */
void formulas_check_marks(arena *a, diag_sink *sink, const emit_definitions *d, const formulas_op *ops,
                          uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (ops[i].unknown) return; /* the mark may be its */
  for (int what = 0; what < MARK_KINDS; what++) {
    const unmarked u = find_unmarked(a, d, (emit_mark_kind)what, ops, count);
    for (uint32_t i = 0; i < d->count; i++) {
      const emit_mark *m = &d->marks[i];
      if (m->kind != (emit_mark_kind)what || name_index_find(&u.all, m->name) >= 0) continue;
      const str near = diag_nearest_within(m->name, 1 + m->name.n / 12, u.names.v, u.names.n);
      if (near.n > 0) misspelt(sink, m, &ops[name_index_find(&u.all, near)], near);
    }
  }
}
