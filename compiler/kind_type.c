/* A parsed type as a kind: index kinds, formals, parameter types, fields. language.md §2, §3. */
#include "compiler/kind.h"

#include <string.h>

#include "compiler/name_index.h"
#include "compiler/parse.h"

enum {
  INDEX = 1u << KIND_INDEX,
  FORMAL = 1u << KIND_FORMAL,
  PARAM = 1u << KIND_PARAM,
  FIELD = 1u << KIND_FIELD
};

typedef struct word {
  const char *name;
  const kind *kind;
  uint32_t forms;
} word;
static const word words[] = {
    {"Dim", &kind_dim, INDEX | FORMAL | FIELD},
    {"Shape", &kind_shape, INDEX | FORMAL},
    {"Int", &kind_int, FORMAL | FIELD},
    {"Bool", &kind_bool, FORMAL | FIELD},
    {"int", &kind_int, PARAM},
    {"bool", &kind_bool, PARAM},
    {"float", &kind_float, PARAM},
    {"Number", &kind_float, PARAM},
    {"str", &kind_str, PARAM},
    {"torch.dtype", &kind_dtype_any, PARAM},
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

/* Per kind_form: what it is called, and what may stand there. */
static const struct {
  const char *name, *allowed;
} forms[] = {
    [KIND_INDEX] = {"an index", "Dim, Shape, DType[a | b], Seq[Int]"},
    [KIND_FORMAL] = {"a formal", "Dim, Int, Bool, Shape, quoted strings apart by '|', the name of an ADT"},
    [KIND_PARAM] = {"a parameter",
                    "int, bool, float, Number, str, None, quoted strings, dtype names, torch.dtype, "
                    "ADT names, list[int], tuple[int, ...], tuple[int, int]"},
    [KIND_FIELD] = {"a field", "Dim, Int, Bool, quoted strings apart by '|'"},
};

typedef struct typing {
  arena *a;
  diag_sink *sink;
  kind_form form;
  const adt_table *adts;
  const expr_text *text;
  bool bool_is_dtype; /* `bool` beside other dtypes */
  bool unquoted;      /* plain names that were to be an enum: reported as a whole */
} typing;

/* The arms of a union; a type that is no union is its only arm. */
static uint32_t arms_of(const expr *e, const expr *const **arms, const expr *const *self) {
  if (e->op != EX_UNION) {
    *arms = self;
    return 1;
  }
  *arms = (const expr *const *)e->args;
  return e->n;
}

static const kind *refuse(typing *t, const expr *e) {
  str written = expr_print(t->a, e);
  diag *d = diag_add(t->sink, TYPE_UNKNOWN, expr_whole(t->text, e), "'%.*s' is no kind of %s",
                     STR_ARG(written), forms[t->form].name);
  diag_help(t->sink, d, "allowed: %s", forms[t->form].allowed);
  return NULL;
}

/* Names that may have been meant: the form's words, ADTs where they are legal, dtypes for a parameter. */
enum { MAX_ADTS_OFFERED = 256, MAX_CANDIDATES = WORD_COUNT + MAX_ADTS_OFFERED + ROOFLINE_DTYPE_COUNT };

static uint32_t candidate_names(const typing *t, str names[MAX_CANDIDATES]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < WORD_COUNT; i++)
    if ((words[i].forms & (1u << t->form)) != 0) names[n++] = str_of(words[i].name);
  if (t->form == KIND_FORMAL || t->form == KIND_PARAM)
    for (uint32_t i = 0; i < t->adts->count && i < MAX_ADTS_OFFERED; i++) names[n++] = t->adts->adts[i].name;
  if (t->form == KIND_PARAM)
    for (uint32_t i = 1; i < ROOFLINE_DTYPE_COUNT; i++)
      names[n++] = str_of(roofline_dtype_name((roofline_dtype)i));
  return n;
}

static const kind *refuse_name(typing *t, const expr *e) {
  diag *d = diag_add(t->sink, TYPE_UNKNOWN, expr_at(t->text, e), "'%.*s' is no kind of %s", STR_ARG(e->u.s),
                     forms[t->form].name);
  diag_help(t->sink, d, "allowed: %s", forms[t->form].allowed);
  str names[MAX_CANDIDATES];
  uint32_t n = candidate_names(t, names);
  kind_suggest(t->sink, d, e->u.s, names, n);
  return NULL;
}

/* Any other identifier is an opaque type; one near a known name is perhaps a slip. A dotted name is
   somebody's class, however near to torch.dtype it is. */
static const kind *opaque(typing *t, const expr *e) {
  str names[MAX_CANDIDATES];
  uint32_t n = candidate_names(t, names);
  const bool near = kind_dtype_called(e->u.s).n > 0 || diag_nearest(e->u.s, names, n).n > 0;
  if (t->unquoted || memchr(e->u.s.p, '.', e->u.s.n) != NULL || !near) return &kind_object;
  diag *d =
      diag_add(t->sink, TYPE_NEAR, expr_at(t->text, e),
               "'%.*s' is taken as an opaque type, of which the language knows nothing", STR_ARG(e->u.s));
  kind_suggest(t->sink, d, e->u.s, names, n);
  return &kind_object;
}

static const kind *dtype_kind(typing *t, roofline_dtype dtype) {
  kind *k = arena_new_of(t->a, kind);
  k->bits = K_DTYPE;
  k->length = -1;
  k->dtypes = 1u << dtype;
  return k;
}

static const kind *adt_kind(typing *t, str name) {
  if (t->form != KIND_FORMAL && t->form != KIND_PARAM) return NULL;
  for (uint32_t i = 0; i < t->adts->count; i++) {
    const adt *d = &t->adts->adts[i];
    if (!str_eq(d->name, name)) continue;
    if (d->malformed) return &kind_unknown;
    kind *k = arena_new_of(t->a, kind);
    k->bits = K_ADT;
    k->length = -1;
    k->adt = d;
    k->ctors = (uint32_t)((UINT64_C(1) << d->ctor_count) - 1u);
    return k;
  }
  return NULL;
}

static const kind *kind_of_name(typing *t, const expr *e) {
  str name = e->u.s;
  roofline_dtype dtype = t->form == KIND_PARAM ? roofline_dtype_find(name.p, name.n) : ROOFLINE_DTYPE_NONE;
  if (dtype != ROOFLINE_DTYPE_NONE && (dtype != ROOFLINE_BOOL || t->bool_is_dtype))
    return dtype_kind(t, dtype);
  for (uint32_t i = 0; i < WORD_COUNT; i++)
    if ((words[i].forms & (1u << t->form)) != 0 && str_is(name, words[i].name)) return words[i].kind;
  const kind *of_adt = adt_kind(t, name);
  if (of_adt != NULL) return of_adt;
  return t->form == KIND_PARAM ? opaque(t, e) : refuse_name(t, e);
}

/* DType[a | b] */
static const kind *dtype_set(typing *t, const expr *e) {
  if (e->n != 1) return refuse(t, e);
  const expr *self = e->args[0];
  const expr *const *arms;
  uint32_t n = arms_of(e->args[0], &arms, &self);
  kind *k = arena_new_of(t->a, kind);
  k->bits = K_DTYPE;
  k->length = -1;
  bool good = true;
  for (uint32_t i = 0; i < n; i++) {
    const expr *arm = arms[i];
    roofline_dtype dtype =
        arm->op == EX_NAME ? roofline_dtype_find(arm->u.s.p, arm->u.s.n) : ROOFLINE_DTYPE_NONE;
    k->dtypes |= 1u << dtype;
    if (dtype != ROOFLINE_DTYPE_NONE) continue;
    good = false;
    if (arm->op == EX_ERROR) continue;
    str written = expr_print(t->a, arm);
    diag *d = diag_add(t->sink, TYPE_DTYPE, expr_whole(t->text, arm), "'%.*s' is no dtype", STR_ARG(written));
    str names[ROOFLINE_DTYPE_COUNT];
    for (uint32_t j = 1; j < ROOFLINE_DTYPE_COUNT; j++)
      names[j - 1] = str_of(roofline_dtype_name((roofline_dtype)j));
    diag_list(t->sink, d, "dtypes", names, ROOFLINE_DTYPE_COUNT - 1);
    kind_suggest(t->sink, d, written, names, ROOFLINE_DTYPE_COUNT - 1);
  }
  return good ? k : NULL;
}

/* An element of a list or tuple type: `int` or `int | None`. */
static const kind *element_kind(typing *t, const expr *e) {
  const expr *self = e;
  const expr *const *arms;
  uint32_t n = arms_of(e, &arms, &self);
  uint32_t ints = 0, nones = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (arms[i]->op == EX_ERROR) return NULL;
    if (arms[i]->op == EX_NAME && str_is(arms[i]->u.s, "int")) ints++;
    if (arms[i]->op == EX_NONE) nones++;
  }
  if (ints == 1 && nones == n - 1 && n <= 2)
    return nones == 0 ? &kind_int : kind_union(t->a, &kind_int, &kind_none);
  str written = expr_print(t->a, e);
  diag *d = diag_add(t->sink, TYPE_ELEMENT, expr_whole(t->text, e),
                     "a sequence of '%.*s' is not in the language", STR_ARG(written));
  diag_help(t->sink, d, "an element is int or int | None");
  return NULL;
}

static const kind *seq_kind(typing *t, const kind *item, int32_t length) {
  if (item == NULL) return NULL;
  kind *k = arena_new_of(t->a, kind);
  k->bits = K_SEQ;
  k->length = length;
  k->item = item;
  return k;
}

static const kind *tuple_kind(typing *t, const expr *e) {
  if (e->n == 2 && e->args[1]->op == EX_ELLIPSIS) return seq_kind(t, element_kind(t, e->args[0]), -1);
  const kind *item = NULL;
  bool good = e->n > 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->args[i]->op == EX_ELLIPSIS) return refuse(t, e);
    const kind *k = element_kind(t, e->args[i]);
    good = good && k != NULL;
    if (k != NULL) item = item == NULL ? k : kind_union(t->a, item, k);
  }
  if (e->n == 0) return refuse(t, e);
  return good ? seq_kind(t, item, (int32_t)e->n) : NULL;
}

static const kind *kind_of_generic(typing *t, const expr *e) {
  bool one = e->n == 1 && e->args[0]->op != EX_ELLIPSIS;
  if (t->form == KIND_INDEX) {
    if (str_is(e->name, "DType")) return dtype_set(t, e);
    const expr *item = one ? e->args[0] : NULL;
    if (item != NULL && item->op == EX_UNION && item->n == 1) item = item->args[0];
    bool seq = item != NULL && item->op == EX_NAME && str_is(item->u.s, "Int");
    if (str_is(e->name, "Seq") && seq) return &kind_seq_int;
  } else if (t->form == KIND_PARAM) {
    if (str_is(e->name, "list") && one) return seq_kind(t, element_kind(t, e->args[0]), -1);
    if (str_is(e->name, "tuple")) return tuple_kind(t, e);
  }
  return refuse(t, e);
}

/* Stands for a string literal until all are known: members are put together once, in string_members. */
static const kind some_string = {.bits = K_ENUM, .length = -1};

static const kind *kind_of_arm(typing *t, const expr *e) {
  switch (e->op) {
  case EX_ERROR: return NULL; /* reported by the parser */
  case EX_NONE: return t->form == KIND_PARAM || t->form == KIND_FORMAL ? &kind_none : refuse(t, e);
  case EX_STRING: return t->form == KIND_INDEX ? refuse(t, e) : &some_string;
  case EX_NAME: return kind_of_name(t, e);
  case EX_GENERIC: return kind_of_generic(t, e);
  default: return refuse(t, e);
  }
}

/* Whether an arm may stand beside those before it. */
static bool joinable(typing *t, const kind *before, const kind *arm, const expr *e) {
  uint32_t both = (before->bits | arm->bits) & ~(uint32_t)(K_NONE | K_UNKNOWN);
  if (before->adt != NULL && arm->adt != NULL && before->adt != arm->adt) {
    diag_add(t->sink, TYPE_UNION, expr_whole(t->text, e), "a union of two ADTs, '%.*s' and '%.*s'",
             STR_ARG(before->adt->name), STR_ARG(arm->adt->name));
    return false;
  }
  if (t->form == KIND_PARAM || (both & (both - 1)) == 0) return true;
  diag *d = diag_add(t->sink, TYPE_UNION, expr_whole(t->text, e), "%s has one kind, not a union of them",
                     forms[t->form].name);
  diag_help(t->sink, d, "allowed: %s", forms[t->form].allowed);
  return false;
}

/* `bool` beside other dtypes is a dtype, alone it is Bool. language.md §2. */
static bool has_other_dtype(const expr *const *arms, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (arms[i]->op != EX_NAME) continue;
    roofline_dtype dtype = roofline_dtype_find(arms[i]->u.s.p, arms[i]->u.s.n);
    if ((dtype != ROOFLINE_DTYPE_NONE && dtype != ROOFLINE_BOOL) || str_is(arms[i]->u.s, "torch.dtype"))
      return true;
  }
  return false;
}

/* ---- enums without their quotes ---- */

/* 'bshd', which no class is called like, and nothing the language knows. */
static bool is_plain_name(const expr *e) {
  if (e->op != EX_NAME || kind_dtype_called(e->u.s).n > 0) return false;
  for (uint32_t i = 0; i < e->u.s.n; i++) {
    const char c = e->u.s.p[i];
    if (c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')) return false;
  }
  for (uint32_t i = 0; i < WORD_COUNT; i++)
    if ((words[i].forms & PARAM) != 0 && str_is(e->u.s, words[i].name)) return false;
  return roofline_dtype_find(e->u.s.p, e->u.s.n) == ROOFLINE_DTYPE_NONE;
}

str kind_type_quoted(arena *a, const expr *type) {
  const expr *self = type;
  const expr *const *arms;
  const uint32_t n = arms_of(type, &arms, &self);
  enum { MOST = 12 };
  str text = {0};
  bool any = false;
  for (uint32_t i = 0; i < n && i < MOST; i++) {
    const bool plain = is_plain_name(arms[i]);
    const char *quote = plain ? "'" : "";
    text = arena_printf(a, "%.*s%s%s%.*s%s", STR_ARG(text), i > 0 ? " | " : "", quote,
                        STR_ARG(expr_print(a, arms[i])), quote);
    any = any || plain;
  }
  if (n > MOST) text = arena_printf(a, "%.*s | ..", STR_ARG(text));
  return any ? text : (str){0};
}

/* Two plain names or more, and nothing else but strings and None. */
static bool is_unquoted_enum(const typing *t, const expr *const *arms, uint32_t n) {
  uint32_t plain = 0;
  for (uint32_t i = 0; i < n && t->form == KIND_PARAM; i++) {
    bool of_adt = false;
    for (uint32_t k = 0; arms[i]->op == EX_NAME && k < t->adts->count; k++)
      of_adt = of_adt || str_eq(t->adts->adts[k].name, arms[i]->u.s);
    if (!of_adt && is_plain_name(arms[i]))
      plain++;
    else if (arms[i]->op != EX_STRING && arms[i]->op != EX_NONE)
      return false;
  }
  return plain >= 2;
}

static void string_members(arena *a, kind *out, const expr *const *arms, uint32_t n) {
  name_index seen = name_index_new(a, n);
  str *members = arena_array(a, str, n);
  for (uint32_t i = 0; i < n; i++)
    if (arms[i]->op == EX_STRING && name_index_add(&seen, arms[i]->u.s, 0) < 0)
      members[out->member_count++] = arms[i]->u.s;
  out->members = members;
}

const kind *kind_of_type(arena *a, diag_sink *sink, kind_form form, const adt_table *adts, const expr *type,
                         const expr_text *text) {
  static const adt_table no_adts = {0};
  const expr *self = type;
  const expr *const *arms;
  uint32_t n = arms_of(type, &arms, &self);
  typing t = {a, sink, form, adts != NULL ? adts : &no_adts, text, has_other_dtype(arms, n), false};
  t.unquoted = is_unquoted_enum(&t, arms, n);
  if (t.unquoted) {
    const str quoted = kind_type_quoted(a, type);
    diag *d = diag_add(sink, TYPE_UNQUOTED, expr_whole(text, type),
                       "names without quotes are opaque types, of which the language knows nothing");
    diag_help(sink, d, "write \"%.*s\" for an enum", STR_ARG(quoted));
  }
  const kind *out = NULL;
  bool good = true;
  for (uint32_t i = 0; i < n; i++) {
    const kind *arm = kind_of_arm(&t, arms[i]);
    if (arm == NULL || (out != NULL && !joinable(&t, out, arm, arms[i])))
      good = false;
    else
      out = out == NULL || arm == out ? arm : kind_union(a, out, arm);
  }
  if (!good || out == NULL) return NULL;
  if (kind_may(out, K_UNKNOWN)) return &kind_unknown;
  if (form == KIND_FORMAL && out->bits == K_NONE) return refuse(&t, type);
  if (!kind_may(out, K_ENUM)) return out;
  kind *whole = arena_new_of(a, kind);
  *whole = *out;
  string_members(a, whole, arms, n);
  return whole;
}
