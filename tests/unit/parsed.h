/* Parsing one text in a test: its tree, and its defects, as text to compare. */
#ifndef TESTS_PARSED_H
#define TESTS_PARSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "compiler/parse.h"

typedef struct parsed {
  arena *a;
  diag_sink *sink;
  expr_text text;
  expr *root;
} parsed;

static inline parsed parse_limited(parse_form form, str text, const parse_limits *limits) {
  parsed p = {.a = arena_new()};
  p.sink = diag_sink_new(p.a);
  yt_node *node = arena_new_of(p.a, yt_node);
  *node = (yt_node){.kind = YT_SCALAR, .style = YT_PLAIN, .exact = 1, .n = text.n, .end = text.n};
  node->u.text = text.p;
  p.text = (expr_text){source_from_text(p.a, "t.yaml", text), node};
  p.root = parse_text(p.a, p.sink, limits, form, &p.text, "test");
  return p;
}

static inline parsed parse(parse_form form, const char *text) {
  return parse_limited(form, str_of(text), &parse_default_limits);
}

/* ---- trees as text, in another way than expr_print ---- */

typedef struct writer {
  arena *a;
  VEC(char) out;
} writer;

static inline void put(writer *t, str s) {
  for (uint32_t i = 0; i < s.n; i++) vec_push(t->a, &t->out, s.p[i]);
}

static const char *const op_names[] = {
    [EX_ERROR] = "error",     [EX_INT] = "int",      [EX_FLOAT] = "float", [EX_BOOL] = "bool",
    [EX_NONE] = "none",       [EX_STRING] = "str",   [EX_NAME] = "name",   [EX_TUPLE] = "tuple",
    [EX_NEG] = "neg",         [EX_NOT] = "not",      [EX_ARITH] = "",      [EX_COMPARE] = "",
    [EX_AND] = "and",         [EX_OR] = "or",        [EX_IF] = "if",       [EX_INDEX] = "index",
    [EX_SLICE] = "slice",     [EX_FIELD] = "field",  [EX_CALL] = "call",   [EX_COMPREHENSION] = "for",
    [EX_SPLICE] = "*",        [EX_SHAPE] = "shape",  [EX_APPLY] = "apply", [EX_UNION] = "union",
    [EX_GENERIC] = "generic", [EX_ELLIPSIS] = "...",
};
static const char *const link_names[] = {
    "+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};

static inline void sketch(writer *t, const expr *e) {
  switch (e->op) {
  case EX_INT: put(t, arena_printf(t->a, "%" PRId64, e->u.i)); return;
  case EX_FLOAT: put(t, arena_printf(t->a, "%g", e->u.f)); return;
  case EX_BOOL: put(t, str_of(e->u.b ? "T" : "F")); return;
  case EX_NAME: put(t, e->u.s); return;
  case EX_STRING: put(t, arena_printf(t->a, "'%.*s'", STR_ARG(e->u.s))); return;
  default: break;
  }
  put(t, STR("("));
  put(t, str_of(op_names[e->op]));
  if (e->op != EX_ERROR && e->name.n != 0) put(t, arena_printf(t->a, ":%.*s", STR_ARG(e->name)));
  for (uint32_t i = 0; i < e->n; i++) {
    bool linked = e->op == EX_ARITH || e->op == EX_COMPARE;
    if (!linked || i > 0) put(t, STR(" "));
    if (linked && i > 0) put(t, arena_printf(t->a, "%s ", link_names[e->links[i - 1].op]));
    if (e->op == EX_CALL && i >= e->positional)
      put(t, arena_printf(t->a, "%.*s=", STR_ARG(e->keywords[i - e->positional])));
    if (e->args[i] == NULL)
      put(t, STR("_"));
    else
      sketch(t, e->args[i]);
  }
  put(t, STR(")"));
}

static inline const char *sketched(arena *a, const expr *e) {
  if (e == NULL) return "NULL";
  writer t = {.a = a};
  sketch(&t, e);
  return arena_cstr(a, (str){t.out.v, t.out.n});
}

/* Diagnostics as "code text" in order, joined by "; ": the code and what of the text it covers. The
   text is one line of ASCII. */
static inline const char *defects(const parsed *p) {
  FILE *f = tmpfile();
  assert_non_null(f);
  diag_print(p->sink, f, &(diag_options){.format = DIAG_JSON});
  rewind(f);
  json_t *all = json_loadf(f, 0, NULL);
  fclose(f);
  assert_non_null(all);
  writer t = {.a = p->a};
  size_t i;
  json_t *d;
  json_array_foreach(json_object_get(all, "diagnostics"), i, d) {
    long long from = json_integer_value(json_object_get(d, "column")) - 1;
    long long to = json_integer_value(json_object_get(d, "end_column")) - 1;
    put(&t,
        arena_printf(p->a, "%s%s %.*s", i > 0 ? "; " : "", json_string_value(json_object_get(d, "code")) + 3,
                     (int)(to - from), p->text.src->text.p + from));
  }
  json_decref(all);
  return arena_cstr(p->a, (str){t.out.v, t.out.n});
}

#endif
