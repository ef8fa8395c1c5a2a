/* Kinds of calls: present, bytes, primitives, generators, predicates. language.md §4. */
#include <string.h>

#include "compiler/kinds_internal.h"

/* What each argument must be, a letter each (the last letter repeats), and what the call gives. */
typedef struct call_form {
  const char *args;
  char result;
} call_form;

/* S Shape or Seq[Int]; A axes; b Bool; i Int; q Seq[Int]; v per_axis's value; n Int or None; T DType;
   U DType or None; x number, Bool or DType; r number or Bool; L expert layout (an ADT); m reduction mode;
   w window end; B Seq[Bool]; z any sequence; M metadata tensor. Results: s Shape, d Dim, i Int, b Bool,
   q Seq[Int], t dtype of the arguments, p promoted dtype, c category, e Dim of Dims else Int, - none. */
static const call_form call_forms[PRIM_COUNT] = {
    [PRIM_BROADCAST] = {"S", 's'},
    [PRIM_REDUCED] = {"SAbm", 's'},
    [PRIM_VALID_AXES] = {"Ai", 'b'},
    [PRIM_UNIQUE_AXES] = {"Ai", 'b'},
    [PRIM_PER_AXIS] = {"viin", 'i'},
    [PRIM_CEIL_DIV] = {"ii", 'e'},
    [PRIM_LEN] = {"z", 'd'},
    [PRIM_PROD] = {"q", 'i'},
    [PRIM_SUM] = {"q", 'i'},
    [PRIM_MAX] = {"qn", 'i'},
    [PRIM_MIN] = {"qn", 'i'},
    [PRIM_ALL] = {"B", 'b'},
    [PRIM_CONV_OUT] = {"iiiii", 'i'},
    [PRIM_POOL_OUT] = {"iiiiib", 'd'},
    [PRIM_MOE_CAPACITY] = {"Lii", 'd'},
    [PRIM_MHC_EXPANSION] = {"i", 'd'},
    [PRIM_PROMOTE_INT_TO_FLOAT] = {"T", 'p'},
    [PRIM_COALESCE_DTYPE] = {"UT", 't'},
    [PRIM_BALANCED_SIZES] = {"ii", 'q'},
    [PRIM_REPEAT] = {"ii", 'q'},
    [PRIM_CATEGORY] = {"x", 'c'},
    [PRIM_REPRESENTABLE] = {"rT", 'b'},
    [PRIM_AS_TENSOR] = {"q", '-'},
    [PRIM_PREFIX_SUM] = {"q", '-'},
    [PRIM_EXCLUSIVE_PREFIX_SUM] = {"q", '-'},
    [PRIM_CHUNK_INDICES] = {"qi", '-'},
    [PRIM_TOKEN_INDICES] = {"q", '-'},
    [PRIM_PACKED_POSITIONS] = {"q", '-'},
    [PRIM_CHUNK_OFFSETS] = {"qi", '-'},
    [PRIM_KEY_WINDOWS] = {"qiiw", '-'},
    [PRIM_FULL] = {"Si", '-'},
    [PRIM_MOE_LAYOUT_METADATA] = {"Lii", '-'},
    [PRIM_TOPK_IDS] = {"iii", '-'},
    [PRIM_RANDOM_IDS] = {"iii", '-'},
    [PRIM_SAMPLE_INDICES] = {"ii", '-'},
    [PRIM_PAGED_BLOCK_TABLE] = {"iii", '-'},
    [PRIM_NSA_BLOCK_INDICES] = {"qiii", '-'},
    [PRIM_NSA_BLOCK_COUNTS] = {"iii", '-'},
    [PRIM_CAUSAL_TOPK_INDICES] = {"iiiiiii", '-'},
    [PRIM_ATTN_SPARSE_TOPK_POSITIONS] = {"qii", '-'},
    [PRIM_PREFIX_OFFSETS] = {"i", 'b'},
    [PRIM_MAX_SEGMENT] = {"i", 'b'},
    [PRIM_IN_RANGE] = {"ii", 'b'},
    [PRIM_SUMS_TO] = {"i", 'b'},
    [PRIM_EXCLUSIVE_PREFIX_OF] = {"M", 'b'},
    [PRIM_CHUNK_OFFSETS_OF] = {"Mi", 'b'},
    [PRIM_INDICES_WITHIN] = {"M", 'b'},
    [PRIM_ATTN_PAGED_FITS] = {"Mi", 'b'},
    [PRIM_MOE_LAYOUT_VALID] = {"Lii", 'b'},
};

static bool layout_fits(const kind *k) { return kind_is(k, K_ADT) && k->adt != NULL; }

static bool argument_fits(char form, const kind *k) {
  switch (form) {
  case 'S':
  case 'q': return kind_is_integers(k, false);
  case 'A':
    return kind_is(k, K_NONE | K_INTEGER | K_SHAPE | K_SEQ) &&
           (!kind_may(k, K_SEQ) || k->length == 0 || kind_is(k->item, K_INTEGER | K_UNKNOWN));
  case 'v':
    return kind_is(k, K_NONE | K_INTEGER | K_SHAPE | K_SEQ) &&
           (!kind_may(k, K_SEQ) || k->length == 0 || kind_is(k->item, K_INTEGER | K_NONE | K_UNKNOWN));
  case 'b': return kind_is(k, K_BOOL);
  case 'i': return kind_is(k, K_INTEGER);
  case 'n': return kind_is(k, K_INTEGER | K_NONE);
  case 'T': return kind_is(k, K_DTYPE);
  case 'U': return kind_is(k, K_DTYPE | K_NONE);
  case 'x': return kind_is(k, K_NUMBER | K_BOOL | K_DTYPE);
  case 'r': return kind_is(k, K_NUMBER | K_BOOL);
  case 'L': return layout_fits(k);
  case 'B': return kind_is(k, K_SEQ) && (k->length == 0 || kind_is(k->item, K_BOOL | K_UNKNOWN));
  case 'z': return kind_is(k, K_SHAPE | K_SEQ);
  default: return false;
  }
}

static const char *argument_text(char form) {
  switch (form) {
  case 'S': return "a Shape";
  case 'A': return "axes (Int, Seq[Int] or None)";
  case 'v': return "Int, Seq[Int] or None";
  case 'b': return "a Bool";
  case 'i': return "an Int";
  case 'q': return "a Seq[Int]";
  case 'n': return "an Int";
  case 'T': return "a DType";
  case 'U': return "a DType or None";
  case 'x': return "a number or a DType";
  case 'r': return "a number";
  case 'L': return "an expert layout";
  case 'm': return "'full', 'noop' or 'reject'";
  case 'w': return "'start' or 'end'";
  case 'B': return "a sequence of Bool";
  case 'z': return "a sequence";
  default: return "the name of a metadata tensor";
  }
}

static bool one_of(const expr *e, const char *const *words) {
  if (e->op != EX_STRING) return false;
  for (; *words != NULL; words++)
    if (str_is(e->u.s, *words)) return true;
  return false;
}

static void check_word(infer *c, expr *e, const fact_list *facts, const char *const *words,
                       const char *what) {
  const kind *k = infer_expr(c, e, facts);
  if (one_of(e, words) || kind_may(k, K_UNKNOWN)) return;
  infer_defect(c, WRONG_KIND, e, "%s wanted", what);
}

static void check_metadata(infer *c, expr *e) {
  e->symbol = -1;
  e->kind = &kind_tensor;
  if (e->op == EX_NAME) {
    const kind *k;
    const symbol *s = c->e == NULL ? NULL : entry_symbol(c->e, e->u.s);
    if (s == NULL) {
      infer_name(c, e, &k);
      return;
    }
    if (s->cls == SYM_TENSOR && c->e->tensors[s->number].values.state != FACT_ABSENT) {
      e->symbol = (int32_t)(s - c->symbols);
      return;
    }
    if (s->state != FACT_VALID) return;
  }
  infer_defect(c, WRONG_KIND, e, "the name of a metadata tensor (one with `values`) wanted");
}

static void check_argument(infer *c, char form, expr *e, const fact_list *facts) {
  static const char *const modes[] = {"full", "noop", "reject", NULL};
  static const char *const ends[] = {"start", "end", NULL};
  switch (form) {
  case 'm': check_word(c, e, facts, modes, argument_text(form)); return;
  case 'w': check_word(c, e, facts, ends, argument_text(form)); return;
  case 'M': check_metadata(c, e); return;
  default: break;
  }
  const kind *k = infer_expr(c, e, facts);
  if (kind_may(k, K_UNKNOWN) || k->bits == 0 || argument_fits(form, k)) return;
  if (kind_may(k, K_SEQ) && k->item != NULL && kind_may(k->item, K_UNKNOWN)) return;
  /* In a tuple or comprehension the element is what is wrong. */
  if (e->op == EX_TUPLE && (form == 'q' || form == 'S')) {
    for (uint32_t i = 0; i < e->n; i++)
      if (!kind_is(e->args[i]->kind, K_INTEGER | K_UNKNOWN)) {
        infer_wrong_kind(c, e->args[i], e->args[i]->kind, "an Int");
        return;
      }
  }
  if (e->op == EX_COMPREHENSION) e = e->args[0], k = e->kind;
  const char *what = argument_text(form);
  if (form == 'q' && kind_is(k, K_INTEGER))
    what = "a Seq[Int], such as a tuple ((a, b), in its own parentheses),";
  infer_wrong_kind(c, e, k, what);
}

static const kind *dtype_kind(infer *c, uint32_t dtypes) {
  kind *k = arena_new_of(c->a, kind);
  *k = (kind){.bits = K_DTYPE, .dtypes = dtypes, .length = -1};
  return k;
}

static const kind *result_kind(infer *c, char result, const expr *e) {
  static const str categories[] = {STR_INIT("bool"), STR_INIT("int"), STR_INIT("float"), STR_INIT("complex")};
  static const kind category = {.bits = K_ENUM, .members = categories, .member_count = 4, .length = -1};
  switch (result) {
  case 's': return &kind_shape;
  case 'd': return &kind_dim;
  case 'i': return &kind_int;
  case 'b': return &kind_bool;
  case 'q': return &kind_seq_int;
  case 'c': return &category;
  case 'e':
    return kind_is(e->args[0]->kind, K_DIM) && kind_is(e->args[1]->kind, K_DIM) ? &kind_dim : &kind_int;
  case 't': return dtype_kind(c, e->args[0]->kind->dtypes | e->args[1]->kind->dtypes);
  case 'p': {
    uint32_t out = 0;
    for (uint32_t t = 1; t < ROOFLINE_DTYPE_COUNT; t++)
      if ((e->args[0]->kind->dtypes & (1u << t)) != 0)
        out |= 1u << roofline_promote_int_to_float((roofline_dtype)t);
    return dtype_kind(c, out);
  }
  default: return &kind_object;
  }
}

/* ---- present and bytes ---- */

typedef enum called_on { ON_TENSOR, ON_VALUE, ON_REPORTED, ON_NOTHING } called_on;

/* What present(x) or bytes(x) names. */
static called_on infer_called_on(infer *c, expr *arg, const kind **k) {
  arg->symbol = -1;
  arg->kind = *k = &kind_unknown;
  if (arg->op == EX_ERROR) return ON_REPORTED;
  if (arg->op != EX_NAME) return ON_NOTHING;
  for (const variable *v = c->vars; v != NULL; v = v->outer)
    if (str_eq(v->name, arg->u.s)) return ON_NOTHING;
  arg->symbol = infer_name(c, arg, k);
  if (arg->symbol < 0) return ON_REPORTED;
  arg->kind = *k;
  return c->family == NULL && c->symbols[arg->symbol].cls == SYM_TENSOR ? ON_TENSOR : ON_VALUE;
}

static bool one_argument(infer *c, const expr *e, const char *what) {
  if (e->n == 1 && e->positional == 1) return true;
  infer_defect_at(c, WRONG_ARGUMENTS, e->at, e->at_end, "%.*s takes one %s; %u arguments given",
                  STR_ARG(e->name), what, e->n);
  return false;
}

static const kind *infer_present(infer *c, expr *e) {
  const kind *k;
  if (!one_argument(c, e, "name")) return &kind_bool;
  expr *arg = e->args[0];
  called_on on = infer_called_on(c, arg, &k);
  if (on == ON_TENSOR || on == ON_REPORTED) return &kind_bool;
  if (on == ON_VALUE && kind_may(k, K_UNKNOWN | K_NONE)) return &kind_bool;
  str text = expr_print(c->a, arg);
  diag *d = infer_defect(c, PRESENT_ARGUMENT, arg,
                         "present takes a tensor or a value that may be absent, not '%.*s'", STR_ARG(text));
  if (arg->op == EX_FIELD && str_is(arg->name, "value"))
    diag_help(c->sink, d, "write present(v), without `.value`");
  return &kind_bool;
}

static const kind *infer_bytes(infer *c, expr *e) {
  const kind *k;
  if (c->place != PLACE_ROOFLINE) {
    infer_defect_at(c, CALL_NOT_HERE, e->at, e->at_end, "bytes(..) stands only in the roofline, not");
    return &kind_unknown;
  }
  if (!one_argument(c, e, "tensor")) return &kind_dim;
  expr *arg = e->args[0];
  called_on on = infer_called_on(c, arg, &k);
  if (on == ON_TENSOR || on == ON_REPORTED) return &kind_dim;
  str text = expr_print(c->a, arg);
  diag *d =
      infer_defect(c, BYTES_ARGUMENT, arg, "bytes takes the name of a tensor, not '%.*s'", STR_ARG(text));
  VEC(str) names = {0};
  for (uint32_t i = 0; i < c->symbol_count; i++)
    if (c->symbols[i].cls == SYM_TENSOR) vec_push(c->a, &names, c->symbols[i].name);
  diag_list(c->sink, d, "tensors", names.v, names.n);
  if (arg->op == EX_NAME) diag_suggest(c->sink, d, arg->u.s, names.v, names.n);
  return &kind_dim;
}

/* ---- primitives ---- */

static const kind *unknown_call(infer *c, expr *e) {
  VEC(str) names = {0};
  vec_push(c->a, &names, STR("present"));
  vec_push(c->a, &names, STR("bytes"));
  for (int id = 0; id < PRIM_COUNT; id++)
    if (primitive_get((primitive_id)id)->cls == PRIM_VALUE)
      vec_push(c->a, &names, str_of(primitive_get((primitive_id)id)->name));
  diag *d = infer_defect_at(c, UNKNOWN_CALL, e->at, e->at_end,
                            "'%.*s' is not a primitive; it may not be called", STR_ARG(e->name));
  diag_list(c->sink, d, "primitives", names.v, names.n);
  diag_suggest(c->sink, d, e->name, names.v, names.n);
  return &kind_unknown; /* a refused call: nothing inside is judged */
}

/* One error for a call whose arguments do not fit in number or keyword. */
static bool arguments_fit(infer *c, expr *e, const primitive *p) {
  bool fits = (int)e->n >= p->min && (p->max < 0 || (int)e->n <= p->max);
  for (uint32_t i = e->positional; fits && i < e->n; i++)
    fits = p->keyword != NULL && str_is(e->keywords[i - e->positional], p->keyword) && (int)i == p->max - 1;
  if (fits) return true;
  str range = p->min == p->max ? arena_printf(c->a, "%d", p->min)
              : p->max < 0     ? arena_printf(c->a, "at least %d", p->min)
                               : arena_printf(c->a, "%d to %d", p->min, p->max);
  diag *d = infer_defect_at(c, WRONG_ARGUMENTS, e->at, e->at_end, "%s takes %.*s argument%s; %u given",
                            p->name, STR_ARG(range), p->min == 1 && p->max == 1 ? "" : "s", e->n);
  if (e->n > e->positional && p->keyword == NULL) diag_help(c->sink, d, "none of them may be given by name");
  if (p->keyword != NULL) diag_help(c->sink, d, "only `%s` may be given by name", p->keyword);
  return false;
}

/* A comprehension is the first argument of all, sum, max, min; the grammar admits it nowhere else. */
static bool class_allowed(infer *c, expr *e, const primitive *p) {
  if (p->cls == PRIM_VALUE) return true;
  bool root = c->f->root == e;
  if (root && c->place == PLACE_VALUES && p->cls != PRIM_PREDICATE) return true;
  if (root && c->place == PLACE_REQUIRES && p->cls == PRIM_PREDICATE) return true;
  const char *home = p->cls == PRIM_PREDICATE ? "`requires`" : "`values`";
  infer_defect_at(c, CALL_NOT_HERE, e->at, e->at_end, "%s %s stands only in %s, not",
                  p->cls == PRIM_PREDICATE ? "predicate" : "generator", p->name, home);
  return false;
}

const kind *infer_call(infer *c, expr *e, const fact_list *facts) {
  e->symbol = -1;
  if (str_is(e->name, "present")) return infer_present(c, e);
  if (str_is(e->name, "bytes")) return infer_bytes(c, e);
  int32_t id = primitive_find(e->name);
  if (id < 0) return unknown_call(c, e);
  const primitive *p = primitive_get((primitive_id)id);
  e->symbol = id;
  if (!class_allowed(c, e, p)) return &kind_unknown;
  if (!arguments_fit(c, e, p)) return &kind_unknown;
  const call_form *form = &call_forms[id];
  size_t forms = strlen(form->args);
  uint32_t errors = diag_errors(c->sink);
  for (uint32_t i = 0; i < e->n; i++)
    check_argument(c, form->args[i < forms ? i : forms - 1], e->args[i], facts);
  for (uint32_t i = 0; i < e->n; i++)
    if (form->args[i < forms ? i : forms - 1] == 'L' && kind_may(e->args[i]->kind, K_UNKNOWN))
      return &kind_unknown;
  if (diag_errors(c->sink) != errors && form->result == 't') return &kind_unknown;
  if (diag_errors(c->sink) != errors && form->result == 'e') return &kind_int;
  return result_kind(c, form->result, e);
}
