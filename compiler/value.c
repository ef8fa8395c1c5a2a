/* Values at compile time: equality as the runtime has it, and their text. language.md §3. */
#include "compiler/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scalars and sequences as the runtime compares them; text and ADT values are compared here. */
static roofline_value as_runtime(const value *v) {
  switch (v->tag) {
  case V_BOOL: return roofline_bool(v->u.b);
  case V_INT: return roofline_int(v->u.i);
  case V_FLOAT: return roofline_float(v->u.f);
  case V_DTYPE: return roofline_dtype_value(v->u.t);
  case V_SEQ: return roofline_seq_value(v->u.q);
  default: return roofline_none();
  }
}

static bool adt_eq(const roofline_adt *a, const roofline_adt *b) {
  if (a->type != b->type || a->type == NULL) return a->type == b->type;
  if (a->ctor != b->ctor) return false;
  size_t n = (size_t)a->type->ctors[a->ctor].field_count;
  return memcmp(a->fields, b->fields, n * sizeof a->fields[0]) == 0;
}

static value item_of(const value *v, uint32_t i) {
  if (v->tag == V_MIXED) return v->u.items[i];
  return roofline_seq_absent(&v->u.q, i) ? value_none() : value_int(roofline_seq_item(&v->u.q, i));
}

static bool is_sequence(const value *v) { return v->tag == V_SEQ || v->tag == V_MIXED; }

static int64_t length_of(const value *v) { return v->tag == V_MIXED ? (int64_t)v->n : v->u.q.len; }

static bool mixed_eq(const value *a, const value *b) {
  if (!is_sequence(a) || !is_sequence(b) || length_of(a) != length_of(b)) return false;
  uint32_t n = a->tag == V_MIXED ? a->n : b->n;
  for (uint32_t i = 0; i < n; i++) {
    value x = item_of(a, i), y = item_of(b, i);
    if (!value_eq(&x, &y)) return false;
  }
  return true;
}

/* A string against a dtype is compared by the dtype's name. */
static bool text_of(const value *v, str *text) {
  if (v->tag != V_STRING && v->tag != V_DTYPE) return false;
  *text = v->tag == V_STRING ? v->u.s : str_of(roofline_dtype_name(v->u.t));
  return true;
}

bool value_eq(const value *a, const value *b) {
  if (a->tag == V_UNKNOWN || b->tag == V_UNKNOWN || a->tag == V_OBJECT || b->tag == V_OBJECT) return false;
  if (a->tag == V_MIXED || b->tag == V_MIXED) return mixed_eq(a, b);
  if (a->tag == V_STRING || b->tag == V_STRING) {
    str x, y;
    return text_of(a, &x) && text_of(b, &y) && str_eq(x, y);
  }
  if (a->tag == V_ADT || b->tag == V_ADT) return a->tag == b->tag && adt_eq(a->u.adt, b->u.adt);
  roofline_value x = as_runtime(a), y = as_runtime(b);
  return roofline_value_eq(&x, &y);
}

/* ---- as text ---- */

enum { ITEMS_SHOWN = 16 };

static str float_text(arena *a, double f) {
  if (isnan(f)) return STR("nan");
  if (isinf(f)) return f < 0 ? STR("-inf") : STR("inf");
  char text[40];
  for (int digits = 15; digits <= 17; digits++) { /* the shortest that reads back as the same number */
    snprintf(text, sizeof text, "%.*g", digits, f);
    if (strtod(text, NULL) == f) break;
  }
  bool looks_integer = strpbrk(text, ".e") == NULL;
  return arena_printf(a, "%s%s", text, looks_integer ? ".0" : "");
}

static str string_text(arena *a, str s) {
  char *p = arena_alloc(a, (size_t)s.n * 2 + 2), *end = p;
  *end++ = '\'';
  for (uint32_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    if (c == '\'' || c == '\\' || c == '\n') *end++ = '\\';
    *end++ = c == '\n' ? 'n' : c;
  }
  *end++ = '\'';
  return (str){p, (uint32_t)(end - p)};
}

static str sequence_text(arena *a, const value *v) {
  int64_t n = length_of(v), shown = n <= ITEMS_SHOWN ? n : ITEMS_SHOWN;
  str text = STR("(");
  for (int64_t i = 0; i < shown; i++) {
    value item = item_of(v, (uint32_t)i);
    text = arena_printf(a, "%.*s%s%.*s", STR_ARG(text), i == 0 ? "" : ", ", STR_ARG(value_text(a, &item)));
  }
  const char *end = shown < n ? ", ...)" : n == 1 ? ",)" : ")";
  return arena_printf(a, "%.*s%s", STR_ARG(text), end);
}

static str field_text(arena *a, const roofline_adt_field *f, int64_t v) {
  return f->values != NULL ? string_text(a, str_of(f->values[v])) : arena_printf(a, "%lld", (long long)v);
}

static str adt_text(arena *a, const roofline_adt *v) {
  if (v->type == NULL) return STR("None");
  const roofline_adt_ctor *ctor = &v->type->ctors[v->ctor];
  str text = arena_printf(a, "{%s: {", ctor->name);
  for (int32_t i = 0; i < ctor->field_count; i++)
    text = arena_printf(a, "%.*s%s%s: %.*s", STR_ARG(text), i == 0 ? "" : ", ", ctor->fields[i].name,
                        STR_ARG(field_text(a, &ctor->fields[i], v->fields[i])));
  return arena_printf(a, "%.*s}}", STR_ARG(text));
}

str value_text(arena *a, const value *v) {
  switch ((value_tag)v->tag) {
  case V_UNKNOWN: return STR("unknown");
  case V_NONE: return STR("None");
  case V_BOOL: return v->u.b ? STR("true") : STR("false");
  case V_INT: return arena_printf(a, "%lld", (long long)v->u.i);
  case V_FLOAT: return float_text(a, v->u.f);
  case V_STRING: return string_text(a, v->u.s);
  case V_DTYPE: return arena_printf(a, "'%s'", roofline_dtype_name(v->u.t));
  case V_SEQ:
  case V_MIXED: return sequence_text(a, v);
  case V_ADT: return adt_text(a, v->u.adt);
  case V_OBJECT: break;
  }
  return STR("an object");
}
