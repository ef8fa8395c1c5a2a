/* A YAML node as a value of a kind: defaults, rows, ADT values, patterns. language.md §1, §2. */
#include "compiler/value.h"

#include <math.h>
#include <string.h>

#include "compiler/invariant.h"
#include "compiler/parse.h"
#include "compiler/yaml_value.h"

typedef struct reading {
  arena *a;
  diag_sink *sink;
  const source *src;
  const expr *type;
  const char *what;
} reading;

/* ---- refusals ---- */

static str allowed_text(const reading *r, const kind *k) {
  return r->type != NULL ? expr_print(r->a, r->type) : kind_text(r->a, k);
}

enum { MAX_MEMBERS = 256, MAX_LITERALS = MAX_MEMBERS + ROOFLINE_DTYPE_COUNT + 2 };

static uint32_t literal_names(const kind *k, str names[MAX_LITERALS]) {
  uint32_t n = 0;
  if (kind_may(k, K_ENUM))
    while (n < k->member_count && n < MAX_MEMBERS) names[n] = k->members[n], n++;
  for (uint32_t t = 1; t < ROOFLINE_DTYPE_COUNT; t++)
    if (kind_may(k, K_DTYPE) && (k->dtypes >> t & 1u) != 0)
      names[n++] = str_of(roofline_dtype_name((roofline_dtype)t));
  if (kind_may(k, K_BOOL)) names[n++] = STR("true"), names[n++] = STR("false");
  return n;
}

static bool refuse(const reading *r, const yt_node *node, const kind *k) {
  if (kind_may(k, K_BOOL | K_NUMBER | K_SEQ | K_SHAPE)) yaml_warn_trap(r->sink, r->src, node);
  diag *d = diag_add(r->sink, VALUE_KIND, yt_value_span(r->src, node), "%s is %.*s; it takes %.*s", r->what,
                     STR_ARG(yaml_describe(r->a, node)), STR_ARG(allowed_text(r, k)));
  if (node->kind == YT_SCALAR && node->type == YT_STRING) {
    str names[MAX_LITERALS];
    kind_suggest(r->sink, d, yt_text(node), names, literal_names(k, names));
  } else if (node->kind == YT_SCALAR && kind_has_member(k, yt_text(node))) {
    diag_help(r->sink, d, "a string that YAML reads as something else needs quotes: '%.*s'",
              STR_ARG(yt_text(node)));
  }
  return false;
}

static bool out_of_range(const reading *r, const yt_node *node) {
  diag_add(r->sink, VALUE_RANGE, yt_value_span(r->src, node),
           "%s is %.*s, which no 64-bit signed integer holds", r->what, STR_ARG(yt_text(node)));
  return false;
}

/* ---- scalars ---- */

static bool read_int(const reading *r, const yt_node *node, const kind *k, value *out) {
  int64_t i;
  if (!kind_may(k, K_NUMBER)) return refuse(r, node, k);
  yaml_warn_trap(r->sink, r->src, node);
  if (!yt_int(node, &i)) {
    if (!kind_may(k, K_FLOAT)) return out_of_range(r, node);
    *out = value_float(yt_float(node));
    return true;
  }
  if (i < 0 && !kind_may(k, K_INT | K_FLOAT)) {
    diag_add(r->sink, VALUE_NEGATIVE, yt_value_span(r->src, node), "%s is %lld; it is a size, 0 or more",
             r->what, (long long)i);
    return false;
  }
  *out = value_int(i);
  return true;
}

static bool read_float(const reading *r, const yt_node *node, const kind *k, value *out) {
  if (!kind_may(k, K_FLOAT)) return refuse(r, node, k);
  yaml_warn_trap(r->sink, r->src, node);
  double f = yt_float(node);
  /* `.inf` says what it means; a number of digits that became infinite does not. */
  if (isinf(f) && memchr(yt_text(node).p, 'f', node->n) == NULL &&
      memchr(yt_text(node).p, 'F', node->n) == NULL) {
    diag_add(r->sink, VALUE_RANGE, yt_value_span(r->src, node), "%s is %.*s, which is not finite as a float",
             r->what, STR_ARG(yt_text(node)));
    return false;
  }
  *out = value_float(f);
  return true;
}

static bool read_string(const reading *r, const yt_node *node, const kind *k, value *out) {
  str text = yt_text(node);
  roofline_dtype t = kind_may(k, K_DTYPE) ? roofline_dtype_find(text.p, text.n) : ROOFLINE_DTYPE_NONE;
  if (kind_has_member(k, text))
    *out = value_string(text);
  else if (t != ROOFLINE_DTYPE_NONE && (k->dtypes >> t & 1u) != 0)
    *out = value_dtype(t);
  else if (kind_may(k, K_STR))
    *out = value_string(text);
  else if (kind_may(k, K_OBJECT))
    *out = (value){.tag = V_OBJECT};
  else
    return refuse(r, node, k);
  return true;
}

static bool read_scalar(const reading *r, const yt_node *node, const kind *k, value *out) {
  uint32_t wanted = node->type == YT_NULL    ? K_NONE
                    : node->type == YT_BOOL  ? K_BOOL
                    : node->type == YT_INT   ? K_NUMBER
                    : node->type == YT_FLOAT ? K_FLOAT
                                             : K_ENUM | K_DTYPE | K_STR | K_OBJECT;
  if (!kind_may(k, wanted) && node->type != YT_NULL && kind_may(k, K_OBJECT)) {
    *out = (value){.tag = V_OBJECT};
    return true;
  }
  if (!kind_may(k, wanted)) return refuse(r, node, k);
  switch (node->type) {
  case YT_NULL: *out = value_none(); return true;
  case YT_BOOL: *out = value_bool(yt_bool(node)); return true;
  case YT_INT: return read_int(r, node, k, out);
  case YT_FLOAT: return read_float(r, node, k, out);
  default: return read_string(r, node, k, out);
  }
}

/* ---- sequences ---- */

static bool element_fits(const expr *element, const yt_node *item) {
  if (!yt_is_null(item)) return true; /* an integer: read already */
  if (element->op == EX_NONE) return true;
  for (uint32_t i = 0; element->op == EX_UNION && i < element->n; i++)
    if (element->args[i]->op == EX_NONE) return true;
  return false;
}

/* Whether one arm of the declared type, list[E], tuple[E, ...] or tuple[E, E], holds this many items. */
static bool arm_fits(const expr *arm, const yt_node *node) {
  if (arm->op != EX_GENERIC || arm->n == 0) return false;
  bool any_length = str_is(arm->name, "list") || (arm->n == 2 && arm->args[1]->op == EX_ELLIPSIS);
  if (!any_length && arm->n != node->n) return false;
  for (uint32_t i = 0; i < node->n; i++)
    if (!element_fits(arm->args[any_length ? 0 : i], node->u.items[i])) return false;
  return true;
}

static bool length_fits(const reading *r, const yt_node *node, const kind *k) {
  if (r->type == NULL) return k->length < 0 || (uint32_t)k->length == node->n;
  for (uint32_t i = 0; i < r->type->n; i++)
    if (arm_fits(r->type->args[i], node)) return true;
  return r->type->op != EX_UNION && arm_fits(r->type, node);
}

static bool read_items(const reading *r, const yt_node *node, const kind *item, roofline_seq *out) {
  int64_t *items = arena_array(r->a, int64_t, node->n + 1);
  bool *absent = NULL, good = true;
  reading inner = *r;
  inner.type = NULL;
  for (uint32_t i = 0; i < node->n; i++) {
    const yt_node *at = node->u.items[i];
    value v;
    inner.what = at->kind == YT_SCALAR ? r->what : "an item of a sequence";
    if (at->kind != YT_SCALAR || !read_scalar(&inner, at, item, &v)) {
      good = at->kind == YT_SCALAR ? false : refuse(&inner, at, item);
      continue;
    }
    if (v.tag == V_INT)
      items[i] = v.u.i;
    else {
      if (absent == NULL) absent = arena_array(r->a, bool, node->n);
      absent[i] = true;
    }
  }
  *out = roofline_seq_of(items, node->n);
  out->absent = absent;
  return good;
}

static bool read_sequence(const reading *r, const yt_node *node, const kind *k, value *out) {
  roofline_seq q;
  if (kind_may(k, K_SHAPE)) {
    if (!read_items(r, node, &kind_dim, &q)) return false;
    if (node->n > ROOFLINE_MAX_RANK) {
      diag_add(r->sink, VALUE_LENGTH, yt_value_span(r->src, node), "%s has %u axes; the highest rank is %d",
               r->what, node->n, ROOFLINE_MAX_RANK);
      return false;
    }
  } else if (kind_may(k, K_SEQ)) {
    if (!read_items(r, node, k->item, &q)) return false;
    if (!length_fits(r, node, k)) {
      diag_add(r->sink, VALUE_LENGTH, yt_value_span(r->src, node), "%s has %u item%s; it takes %.*s", r->what,
               node->n, node->n == 1 ? "" : "s", STR_ARG(allowed_text(r, k)));
      return false;
    }
  } else if (kind_may(k, K_OBJECT)) {
    *out = (value){.tag = V_OBJECT};
    return true;
  } else {
    return refuse(r, node, k);
  }
  *out = value_seq(q);
  return true;
}

/* ---- ADT values: {ctor: {field: value}} ---- */

static const adt_field *field_named(const adt_ctor *ctor, str name, uint32_t *number) {
  for (*number = 0; *number < ctor->field_count; ++*number)
    if (str_eq(ctor->fields[*number].name, name)) return &ctor->fields[*number];
  return NULL;
}

/* Returns the bit of the field that was probably meant, which then is not missing too. */
static uint32_t refuse_field(const reading *r, const adt_ctor *ctor, const yt_node *key) {
  str names[ROOFLINE_MAX_FIELDS];
  for (uint32_t i = 0; i < ctor->field_count; i++) names[i] = ctor->fields[i].name;
  diag *d = diag_add(r->sink, VALUE_ADT, yt_value_span(r->src, key),
                     "'%.*s' is no field of constructor '%.*s'", STR_ARG(yt_text(key)), STR_ARG(ctor->name));
  diag_list(r->sink, d, "fields", names, ctor->field_count);
  diag_suggest(r->sink, d, yt_text(key), names, ctor->field_count);
  uint32_t number;
  return field_named(ctor, diag_nearest(yt_text(key), names, ctor->field_count), &number) != NULL
             ? 1u << number
             : 0;
}

static int64_t field_number(const kind *k, const value *v) {
  return v->tag == V_BOOL ? v->u.b : v->tag == V_STRING ? kind_member(k, v->u.s) : v->u.i;
}

static void missing_fields(const reading *r, const adt_ctor *ctor, uint32_t seen, const yt_node *key) {
  str missing = {0};
  for (uint32_t i = 0; i < ctor->field_count; i++)
    if ((seen >> i & 1u) == 0)
      missing = arena_printf(r->a, "%.*s%s'%.*s'", STR_ARG(missing), missing.n == 0 ? "" : ", ",
                             STR_ARG(ctor->fields[i].name));
  diag_add(r->sink, VALUE_ADT, yt_value_span(r->src, key), "%s lacks %.*s of constructor '%.*s'", r->what,
           STR_ARG(missing), STR_ARG(ctor->name));
}

static bool read_fields(const reading *r, const adt_ctor *ctor, const yt_node *key, const yt_node *node,
                        roofline_adt *out) {
  bool good = true;
  uint32_t seen = 0, pairs = node->kind == YT_MAPPING ? node->n : 0;
  for (uint32_t i = 0; i < pairs; i++) {
    const yt_node *name = node->u.items[2 * i];
    uint32_t number;
    const adt_field *f = field_named(ctor, yt_text(name), &number);
    if (f == NULL) {
      seen |= refuse_field(r, ctor, name);
      good = false;
      continue;
    }
    seen |= 1u << number;
    str what = arena_printf(r->a, "field '%.*s'", STR_ARG(f->name));
    value v;
    if (value_of_node(r->a, r->sink, r->src, node->u.items[2 * i + 1], f->kind, NULL, arena_cstr(r->a, what),
                      &v))
      out->fields[number] = field_number(f->kind, &v);
    else
      good = false;
  }
  if (seen != (1u << ctor->field_count) - 1u) {
    missing_fields(r, ctor, seen, key);
    good = false;
  }
  return good;
}

static bool refuse_ctor(const reading *r, const yt_node *node, const yt_node *name, const adt *type) {
  str *names = arena_array(r->a, str, type->ctor_count);
  for (uint32_t i = 0; i < type->ctor_count; i++) names[i] = type->ctors[i].name;
  const yt_node *at = name != NULL ? name : node;
  diag *d = name != NULL
                ? diag_add(r->sink, VALUE_ADT, yt_value_span(r->src, at),
                           "'%.*s' is no constructor of '%.*s'", STR_ARG(yt_text(name)), STR_ARG(type->name))
                : diag_add(r->sink, VALUE_ADT, yt_value_span(r->src, at),
                           "%s gives %u constructors of '%.*s' where it is one", r->what, node->n,
                           STR_ARG(type->name));
  diag_list(r->sink, d, "constructors", names, type->ctor_count);
  if (name != NULL) diag_suggest(r->sink, d, yt_text(name), names, type->ctor_count);
  return false;
}

static bool read_adt(const reading *r, const yt_node *node, const adt *type, value *out) {
  if (type->malformed) return false;
  if (node->n != 1) return refuse_ctor(r, node, NULL, type);
  const yt_node *name = node->u.items[0], *fields = node->u.items[1];
  for (uint32_t c = 0; c < type->ctor_count; c++) {
    if (!str_eq(type->ctors[c].name, yt_text(name))) continue;
    roofline_adt *v = arena_new_of(r->a, roofline_adt);
    v->type = type->type;
    v->ctor = (int32_t)c;
    if (fields->kind != YT_MAPPING && !yt_is_null(fields)) {
      diag_add(r->sink, VALUE_ADT, yt_value_span(r->src, fields),
               "constructor '%.*s' takes a mapping of its fields; found %.*s", STR_ARG(yt_text(name)),
               STR_ARG(yaml_describe(r->a, fields)));
      return false;
    }
    *out = value_adt(v);
    return read_fields(r, &type->ctors[c], name, fields, v) &&
           invariant_check_value(r->a, r->sink, r->src, name, type, v);
  }
  return refuse_ctor(r, node, name, type);
}

static bool read_mapping(const reading *r, const yt_node *node, const kind *k, value *out) {
  if (kind_may(k, K_ADT)) return read_adt(r, node, k->adt, out);
  if (!kind_may(k, K_OBJECT)) return refuse(r, node, k);
  *out = (value){.tag = V_OBJECT};
  return true;
}

bool value_of_node(arena *a, diag_sink *sink, const source *src, const yt_node *node, const kind *k,
                   const expr *type, const char *what, value *out) {
  *out = (value){.tag = V_UNKNOWN};
  if (kind_may(k, K_UNKNOWN)) return false; /* reported where the kind is written */
  reading r = {a, sink, src, type, what};
  switch (node->kind) {
  case YT_SEQUENCE: return read_sequence(&r, node, k, out);
  case YT_MAPPING: return read_mapping(&r, node, k, out);
  default: return read_scalar(&r, node, k, out);
  }
}
