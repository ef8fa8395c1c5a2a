/* Kinds of expressions. language.md §3 and §4. */
#include "compiler/kinds_internal.h"

diag *infer_defect_at(infer *c, diag_code code, uint32_t begin, uint32_t end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str text = arena_vprintf(c->a, format, args);
  va_end(args);
  return diag_add(c->sink, code, expr_span(&c->f->text, begin, end), "%.*s in %s", STR_ARG(text), c->f->what);
}

diag *infer_defect(infer *c, diag_code code, const expr *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str text = arena_vprintf(c->a, format, args);
  va_end(args);
  return diag_add(c->sink, code, expr_whole(&c->f->text, e), "%.*s in %s", STR_ARG(text), c->f->what);
}

/* What is no enum perhaps was to be one: its type lacks the inner quotes. */
static void explain_opaque(infer *c, diag *d, const expr *e) {
  if (d == NULL || e->op != EX_NAME || e->symbol < 0 || c->family != NULL || c->e == NULL) return;
  const symbol *s = &c->symbols[e->symbol];
  const param_decl *p = s->cls == SYM_PARAM ? &c->e->parameters[s->number] : NULL;
  if (p == NULL || p->type == NULL || !kind_may(s->kind, K_OBJECT)) return;
  const str quoted = kind_type_quoted(c->a, p->type);
  if (quoted.n == 0) return;
  diag_help(c->sink, d, "a type without quotes is opaque; write \"%.*s\" for an enum", STR_ARG(quoted));
  diag_relate(c->sink, d, expr_whole(&p->type_text, p->type), "the type of '%.*s'", STR_ARG(s->name));
}

/* The first name or literal that makes an expression a float. */
static const expr *float_leaf(const expr *e) {
  if (e == NULL || e->kind == NULL || !kind_may(e->kind, K_FLOAT)) return NULL;
  for (uint32_t i = 0; i < e->n; i++) {
    const expr *leaf = float_leaf(e->args[i]);
    if (leaf != NULL) return leaf;
  }
  return e;
}

/* Where in a longer text the float is. */
static void explain_float(infer *c, diag *d, const expr *e) {
  const expr *leaf = float_leaf(e);
  if (d == NULL || leaf == NULL || leaf == e) return;
  str text = expr_print(c->a, leaf);
  diag_relate(c->sink, d, expr_whole(&c->f->text, leaf), "'%.*s' is a float", STR_ARG(text));
  if (leaf->op == EX_FLOAT)
    diag_help(c->sink, d, "integers are exact: a fraction is written with '//', M * 3 // 2 for 1.5 * M");
}

/* A kind that may be absent has its own code: the way out is a guard, not another kind. */
const kind *infer_wrong_kind(infer *c, const expr *e, const kind *found, const char *wanted) {
  if (kind_may(found, K_UNKNOWN) || found->bits == 0) return &kind_unknown;
  if (kind_may(found, K_NONE) && e->op != EX_NONE) {
    str text = expr_print(c->a, e);
    diag *d = infer_defect(c, MAYBE_UNGUARDED, e, "'%.*s' may be absent; %s wanted", STR_ARG(text), wanted);
    diag_help(c->sink, d, "guard it: '%.*s if present(%.*s) else ..'", STR_ARG(text), STR_ARG(text));
    return &kind_unknown;
  }
  str text = kind_text(c->a, found);
  diag *d = infer_defect(c, WRONG_KIND, e, "%s wanted, found %.*s", wanted, STR_ARG(text));
  explain_opaque(c, d, e);
  explain_float(c, d, e);
  return &kind_unknown;
}

const kind *infer_wanted(infer *c, expr *e, const fact_list *facts, uint32_t wanted, const char *what) {
  const kind *k = infer_expr(c, e, facts);
  if (kind_is(k, wanted) || kind_may(k, K_UNKNOWN)) return k;
  return infer_wrong_kind(c, e, k, what);
}

bool kind_is_integers(const kind *k, bool maybe) {
  if (!kind_is(k, K_SHAPE | K_SEQ)) return false;
  if (!kind_may(k, K_SEQ) || k->length == 0) return true;
  return kind_is(k->item, K_INTEGER | K_UNKNOWN | (maybe ? K_NONE : 0));
}

/* ---- names ---- */

static bool unknown_once(infer *c, str name) {
  for (uint32_t i = 0; i < c->unknown.n; i++)
    if (str_eq(c->unknown.v[i], name)) return false;
  vec_push(c->a, &c->unknown, name);
  return true;
}

/* A name that nothing declares, while a section that could declare it cannot be read: one note for the
   section, and no judgement. codegen.md §1 "Lossless". */
static bool declared_unreadably(infer *c) {
  const entry *e = c->e;
  if (e == NULL || c->family != NULL) return false;
  const struct {
    fact state;
    const char *name;
  } sections[] = {{e->signature, "signature"},       {e->forall, "signature.forall"},
                  {e->params, "signature.params"},   {e->inputs, "signature.inputs"},
                  {e->outputs, "signature.outputs"}, {e->let, "signature.let"}};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    if (sections[i].state == FACT_VALID || (sections[i].state == FACT_ABSENT && i > 0)) continue;
    const yt_node *at = e->signature_node != NULL ? e->signature_node : e->key;
    diag_add(c->sink, NAME_UNREACHED, yt_span(e->src, at), "names of %s: unreached, %s is %s", c->f->what,
             sections[i].name, sections[i].state == FACT_ABSENT ? "missing" : "malformed");
    return true;
  }
  return false;
}

/* "M, N (indices)", after what stands there already. */
static str allowed_class(infer *c, str allowed, symbol_class cls, const char *label) {
  enum { MOST = 12 };
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->symbol_count && n <= MOST; i++) {
    const symbol *s = &c->symbols[i];
    if (s->cls != cls || (c->e != NULL && entry_symbol(c->e, s->name) != s)) continue; /* declared before */
    const char *before = n > 0 ? ", " : allowed.n > 0 ? "; " : "";
    str name = n < MOST ? s->name : STR("...");
    allowed = arena_printf(c->a, "%.*s%s%.*s", STR_ARG(allowed), before, STR_ARG(name));
    n++;
  }
  return n == 0 ? allowed : arena_printf(c->a, "%.*s (%s)", STR_ARG(allowed), label);
}

static void allowed_names(infer *c, diag *d) {
  str allowed = allowed_class(c, (str){0}, SYM_INDEX, "indices");
  allowed = allowed_class(c, allowed, SYM_PARAM, "params");
  allowed = allowed_class(c, allowed, SYM_LET, "lets");
  diag_help(c->sink, d, "allowed: %.*s%s%spresent, prod, ...", STR_ARG(allowed), allowed.n > 0 ? "; " : "",
            c->place == PLACE_ROOFLINE ? "bytes, " : "");
}

static void unknown_name(infer *c, const expr *e) {
  if (!unknown_once(c, e->u.s)) return;
  if (roofline_dtype_find(e->u.s.p, e->u.s.n) != ROOFLINE_DTYPE_NONE) {
    diag *d = infer_defect(c, BARE_DTYPE, e, "a dtype name stands bare only in a `dtype` field; found '%.*s'",
                           STR_ARG(e->u.s));
    diag_help(c->sink, d, "write it as a string: '%.*s'", STR_ARG(e->u.s));
    return;
  }
  diag *d = infer_defect(c, UNKNOWN_NAME, e, "unknown name '%.*s'", STR_ARG(e->u.s));
  VEC(str) names = {0};
  const str dtype = c->place == PLACE_DTYPE ? kind_dtype_called(e->u.s) : (str){0};
  if (dtype.n > 0) vec_push(c->a, &names, dtype);
  if (c->family != NULL) {
    for (uint32_t i = 0; i < c->family->formal_count; i++) vec_push(c->a, &names, c->family->formals[i].name);
    diag_list(c->sink, d, "allowed: formals", names.v, names.n);
  } else {
    for (uint32_t i = 0; i < c->symbol_count; i++)
      if (c->symbols[i].cls != SYM_TENSOR) vec_push(c->a, &names, c->symbols[i].name);
    allowed_names(c, d);
  }
  kind_suggest(c->sink, d, e->u.s, names.v, names.n);
}

int32_t infer_name(infer *c, const expr *e, const kind **k) {
  if (c->family != NULL) {
    for (uint32_t i = 0; i < c->family->formal_count; i++)
      if (str_eq(c->family->formals[i].name, e->u.s)) {
        *k = c->family->formals[i].kind;
        return (int32_t)i;
      }
  } else if (c->e != NULL) {
    const symbol *s = entry_symbol(c->e, e->u.s);
    if (s != NULL) {
      *k = s->kind != NULL ? s->kind : &kind_unknown;
      return (int32_t)(s - c->symbols);
    }
  } else {
    for (uint32_t i = 0; i < c->symbol_count; i++)
      if (str_eq(c->symbols[i].name, e->u.s)) {
        *k = c->symbols[i].kind;
        return (int32_t)i;
      }
  }
  *k = &kind_unknown;
  if (!declared_unreadably(c)) unknown_name(c, e);
  return -1;
}

static const kind *infer_name_read(infer *c, expr *e, const fact_list *facts) {
  e->symbol = -1;
  for (const variable *v = c->vars; v != NULL; v = v->outer)
    if (str_eq(v->name, e->u.s)) return v->kind;
  roofline_dtype t = roofline_dtype_find(e->u.s.p, e->u.s.n);
  if (c->place == PLACE_DTYPE && t != ROOFLINE_DTYPE_NONE &&
      (c->e == NULL || entry_symbol(c->e, e->u.s) == NULL)) {
    kind *k = arena_new_of(c->a, kind);
    *k = (kind){.bits = K_DTYPE, .dtypes = 1u << t, .length = -1};
    return k;
  }
  const kind *k;
  e->symbol = infer_name(c, e, &k);
  if (e->symbol < 0) return &kind_unknown;
  k = fact_kind(c, e->symbol, facts);
  if (k == NULL) return &kind_unknown;
  if (c->family == NULL && c->symbols[e->symbol].cls == SYM_TENSOR) {
    diag *d = infer_defect(c, TENSOR_READ_BARE, e, "tensor '%.*s' is read as a value", STR_ARG(e->u.s));
    diag_help(c->sink, d, "a tensor stands only in present(%.*s)%s", STR_ARG(e->u.s),
              c->place == PLACE_ROOFLINE ? " and bytes(..)" : "");
    return &kind_unknown;
  }
  bool list = c->family == NULL && c->symbols[e->symbol].cls == SYM_INDEX && kind_is(k, K_SEQ);
  if (list && c->place != PLACE_VALUES && c->place != PLACE_REQUIRES) {
    infer_defect(c, LIST_READ, e,
                 "'%.*s' is a Seq[Int] index: it is read only in `values` and `requires`, not",
                 STR_ARG(e->u.s));
    return &kind_unknown;
  }
  return k;
}

/* ---- operators ---- */

static bool positive_literal(const expr *e) { return e->op == EX_INT && e->u.i > 0; }

static const kind *arith_kind(const kind *x, uint8_t op, const expr *right, const kind *y) {
  if (kind_may(x, K_UNKNOWN) || kind_may(y, K_UNKNOWN)) return &kind_unknown;
  if (kind_may(x, K_FLOAT) || kind_may(y, K_FLOAT)) return &kind_float;
  bool dims = kind_is(x, K_DIM) && kind_is(y, K_DIM);
  switch (op) {
  case OP_ADD:
  case OP_MUL: return dims ? &kind_dim : &kind_int;
  case OP_FLOORDIV:
  case OP_MOD: return dims && positive_literal(right) ? &kind_dim : &kind_int;
  default: return &kind_int;
  }
}

static const kind *infer_arith(infer *c, expr *e, const fact_list *facts) {
  const kind *k = infer_wanted(c, e->args[0], facts, K_NUMBER, "a number");
  for (uint32_t i = 1; i < e->n; i++) {
    const kind *y = infer_wanted(c, e->args[i], facts, K_NUMBER, "a number");
    k = arith_kind(k, e->links[i - 1].op, e->args[i], y);
  }
  return k;
}

/* ---- comparisons ---- */

static bool is_string(const expr *e) { return e->op == EX_STRING; }

/* Can a value of kind k be equal to this literal at all? */
static bool literal_fits(const kind *k, const expr *literal) {
  if (kind_may(k, K_UNKNOWN | K_STR)) return true;
  if (is_string(literal)) {
    if (kind_may(k, K_ENUM) && kind_has_member(k, literal->u.s)) return true;
    roofline_dtype t = roofline_dtype_find(literal->u.s.p, literal->u.s.n);
    return kind_may(k, K_DTYPE) && t != ROOFLINE_DTYPE_NONE && (k->dtypes & (1u << t)) != 0;
  }
  return true;
}

/* Kinds two values may share, so that `==` can be true. A string literal may equal a dtype. */
static bool kinds_share(const kind *x, const kind *y) {
  if (kind_may(x, K_NUMBER) && kind_may(y, K_NUMBER)) return true;
  if (kind_may(x, K_BOOL) && kind_may(y, K_BOOL)) return true;
  if (kind_may(x, K_ENUM | K_STR) && kind_may(y, K_ENUM | K_STR)) return true;
  if (kind_may(x, K_DTYPE) && kind_may(y, K_DTYPE)) return true;
  if (kind_may(x, K_SHAPE | K_SEQ) && kind_may(y, K_SHAPE | K_SEQ)) return true;
  return kind_may(x, K_ADT) && kind_may(y, K_ADT) && x->adt == y->adt;
}

static void never_matches(infer *c, const kind *k, const expr *literal) {
  str text = expr_print(c->a, literal), set = kind_text(c->a, k);
  diag *d = infer_defect(c, NEVER_MATCHES, literal, "%.*s can never match: the value is %.*s", STR_ARG(text),
                         STR_ARG(set));
  if (kind_may(k, K_ENUM)) diag_suggest(c->sink, d, literal->u.s, k->members, k->member_count);
  const str dtype = kind_may(k, K_DTYPE) ? kind_dtype_called(literal->u.s) : (str){0};
  if (dtype.n > 0 && (k->dtypes >> roofline_dtype_find(dtype.p, dtype.n) & 1u) != 0)
    diag_help(c->sink, d, "did you mean '%.*s'?", STR_ARG(dtype));
}

static void compare_none(infer *c, const expr *none, const expr *other) {
  diag *d = infer_defect(c, COMPARE_NONE, none, "a comparison with None");
  str text = expr_print(c->a, other);
  diag_help(c->sink, d, "write `present(%.*s)` or `not present(%.*s)`", STR_ARG(text), STR_ARG(text));
}

static bool is_constant(const expr *e) {
  return e->op == EX_INT || e->op == EX_FLOAT || e->op == EX_BOOL || e->op == EX_STRING ||
         e->op == EX_TUPLE || (e->op == EX_NEG && is_constant(e->args[0]));
}

static void check_equality(infer *c, const expr_link *link, expr *left, const kind *x, expr *right,
                           const kind *y) {
  if (left->op == EX_NONE || right->op == EX_NONE) {
    compare_none(c, left->op == EX_NONE ? left : right, left->op == EX_NONE ? right : left);
    return;
  }
  if (kind_may(x, K_UNKNOWN) || kind_may(y, K_UNKNOWN) || x->bits == 0 || y->bits == 0) return;
  if (is_string(right) && kind_may(x, K_ENUM | K_DTYPE) && !literal_fits(x, right)) {
    never_matches(c, x, right);
    return;
  }
  if (is_string(left) && kind_may(y, K_ENUM | K_DTYPE) && !literal_fits(y, left)) {
    never_matches(c, y, left);
    return;
  }
  /* A Maybe may be compared with a literal; when that is true it is present. */
  if (kind_may(x, K_NONE) && !is_constant(right)) {
    infer_wrong_kind(c, left, x, "a value that is present");
    return;
  }
  if (kind_may(y, K_NONE) && !is_constant(left)) {
    infer_wrong_kind(c, right, y, "a value that is present");
    return;
  }
  bool dtype_string = (is_string(right) && kind_may(x, K_DTYPE)) || (is_string(left) && kind_may(y, K_DTYPE));
  if (dtype_string || kinds_share(x, y)) return;
  str a = kind_text(c->a, x), b = kind_text(c->a, y);
  diag *d = infer_defect_at(c, NOT_COMPARABLE, link->begin, link->end, "%.*s and %.*s are never equal",
                            STR_ARG(a), STR_ARG(b));
  explain_opaque(c, d, left);
  explain_opaque(c, d, right);
}

static void check_membership(infer *c, expr *left, const kind *x, expr *right, const kind *y) {
  if (kind_may(x, K_UNKNOWN) || kind_may(y, K_UNKNOWN)) return;
  if (!kind_is(y, K_SEQ | K_SHAPE)) {
    infer_wrong_kind(c, right, y, "a tuple");
    return;
  }
  if (right->op != EX_TUPLE) {
    if (!kind_is(x, K_INTEGER)) infer_wrong_kind(c, left, x, "an Int");
    return;
  }
  bool any = right->n == 0, comparable = right->n == 0;
  for (uint32_t i = 0; i < right->n; i++) {
    expr *item = right->args[i];
    if (item->op == EX_NONE) {
      compare_none(c, item, left);
      return;
    }
    const kind *k = item->kind;
    bool dtype_string = is_string(item) && kind_may(x, K_DTYPE);
    bool shares = kind_may(k, K_UNKNOWN) || dtype_string || kinds_share(x, k);
    comparable = comparable || shares;
    any = any || (shares && literal_fits(x, item));
  }
  if (!comparable) {
    infer_wrong_kind(c, left, kind_without(c->a, x, K_NONE), "a value of the tuple's kind");
    return;
  }
  if (!any) never_matches(c, x, right->args[0]);
}

static bool ordered(infer *c, expr *e, const kind *k) {
  if (kind_may(k, K_UNKNOWN) || k->bits == 0) return false;
  if (kind_is(k, K_NUMBER) || kind_is(k, K_SHAPE | K_SEQ)) return true;
  if (kind_may(k, K_NONE) && e->op != EX_NONE) {
    infer_wrong_kind(c, e, k, "a number");
    return false;
  }
  str text = kind_text(c->a, k);
  infer_defect(c, NOT_ORDERED, e, "%.*s is not ordered: `<` takes two numbers or two sequences",
               STR_ARG(text));
  return false;
}

static void check_order(infer *c, const expr_link *link, expr *left, const kind *x, expr *right,
                        const kind *y) {
  bool a = ordered(c, left, x);
  bool b = ordered(c, right, y);
  if (!a || !b) return;
  if (kind_is(x, K_NUMBER) != kind_is(y, K_NUMBER)) {
    str l = kind_text(c->a, x), r = kind_text(c->a, y);
    infer_defect_at(c, NOT_ORDERED, link->begin, link->end, "%.*s and %.*s have no order", STR_ARG(l),
                    STR_ARG(r));
  }
}

static const kind *infer_compare(infer *c, expr *e, const fact_list *facts) {
  const kind *x = infer_expr(c, e->args[0], facts);
  for (uint32_t i = 1; i < e->n; i++) {
    const kind *y = infer_expr(c, e->args[i], facts);
    expr *left = e->args[i - 1], *right = e->args[i];
    switch ((link_op)e->links[i - 1].op) {
    case OP_EQ:
    case OP_NE: check_equality(c, &e->links[i - 1], left, x, right, y); break;
    case OP_IN:
    case OP_NOT_IN: check_membership(c, left, x, right, y); break;
    default: check_order(c, &e->links[i - 1], left, x, right, y); break;
    }
    x = y;
  }
  return &kind_bool;
}

static const kind *infer_logic(infer *c, expr *e, const fact_list *facts) {
  for (uint32_t i = 0; i < e->n; i++) {
    infer_wanted(c, e->args[i], facts, K_BOOL, "a Bool");
    facts = narrow(c, e->args[i], e->op == EX_AND, facts);
  }
  return &kind_bool;
}

/* ---- access ---- */

static const kind *infer_index(infer *c, expr *e, const fact_list *facts) {
  const kind *s = infer_wanted(c, e->args[0], facts, K_SHAPE | K_SEQ, "a sequence");
  const kind *i = infer_wanted(c, e->args[1], facts, K_INTEGER, "an Int");
  if (kind_may(s, K_UNKNOWN) || kind_may(i, K_UNKNOWN)) return &kind_unknown;
  if (!kind_may(s, K_SEQ)) return &kind_dim;
  const expr *at = e->args[1];
  bool negative = at->op == EX_NEG && at->args[0]->op == EX_INT;
  if (s->length >= 0 && kind_is(s, K_SEQ) && (negative || at->op == EX_INT)) {
    int64_t n = negative ? at->args[0]->u.i : at->u.i;
    if (negative ? n > s->length : n >= s->length) {
      infer_defect(c, INDEX_OUT_OF_RANGE, at, "index out of range: the sequence has %d items", s->length);
      return &kind_unknown;
    }
  }
  return kind_may(s, K_SHAPE) ? kind_union(c->a, &kind_dim, s->item) : s->item;
}

static const kind *infer_slice(infer *c, expr *e, const fact_list *facts) {
  const kind *s = infer_wanted(c, e->args[0], facts, K_SHAPE | K_SEQ, "a sequence");
  for (int i = 1; i <= 2; i++)
    if (e->args[i] != NULL) infer_wanted(c, e->args[i], facts, K_INTEGER, "an Int");
  if (!kind_is(s, K_SEQ)) return s;
  kind *k = arena_new_of(c->a, kind);
  *k = *s;
  k->length = -1;
  return k;
}

static const kind *kind_of_ctors(infer *c, const kind *k) {
  str *names = arena_array(c->a, str, k->adt->ctor_count);
  kind *r = arena_new_of(c->a, kind);
  *r = (kind){.bits = K_ENUM, .members = names, .length = -1};
  for (uint32_t i = 0; i < k->adt->ctor_count; i++)
    if ((k->ctors & (1u << i)) != 0) names[r->member_count++] = k->adt->ctors[i].name;
  if (r->member_count == 0) return &kind_unknown; /* a branch that no value reaches */
  return r;
}

static const adt_field *ctor_field(const adt_ctor *ctor, str name) {
  for (uint32_t i = 0; i < ctor->field_count; i++)
    if (str_eq(ctor->fields[i].name, name)) return &ctor->fields[i];
  return NULL;
}

static const kind *infer_adt_field(infer *c, expr *e, const kind *k) {
  if (k->adt == NULL || k->adt->malformed) return &kind_unknown;
  if (str_is(e->name, "kind")) return kind_of_ctors(c, k);
  const kind *r = NULL;
  VEC(str) owners = {0}, all = {0};
  bool everywhere = true;
  for (uint32_t i = 0; i < k->adt->ctor_count; i++) {
    const adt_ctor *ctor = &k->adt->ctors[i];
    for (uint32_t j = 0; j < ctor->field_count; j++) vec_push(c->a, &all, ctor->fields[j].name);
    const adt_field *f = ctor_field(ctor, e->name);
    bool possible = (k->ctors & (1u << i)) != 0;
    if (f != NULL) vec_push(c->a, &owners, ctor->name);
    if (f != NULL && possible) r = r == NULL ? f->kind : kind_union(c->a, r, f->kind);
    if (f == NULL && possible) everywhere = false;
  }
  if (owners.n == 0) {
    vec_push(c->a, &all, STR("kind"));
    diag *d = infer_defect_at(c, UNKNOWN_FIELD, e->at, e->at_end, "%.*s has no field '%.*s'",
                              STR_ARG(k->adt->name), STR_ARG(e->name));
    diag_list(c->sink, d, "fields", all.v, all.n);
    diag_suggest(c->sink, d, e->name, all.v, all.n);
    return &kind_unknown;
  }
  if (k->ctors != 0 && (!everywhere || r == NULL)) {
    str base = expr_print(c->a, e->args[0]);
    diag *d = infer_defect_at(c, FIELD_OFF_BRANCH, e->at, e->at_end,
                              "field '%.*s' is read where its constructor is not known", STR_ARG(e->name));
    diag_help(c->sink, d, "guard it: `.. if %.*s.kind == '%.*s' else ..`", STR_ARG(base),
              STR_ARG(owners.v[0]));
    return &kind_unknown;
  }
  return r == NULL ? &kind_unknown : r;
}

/* `v.value`: the present value of a Maybe. */
static const kind *infer_value_field(infer *c, expr *e, const fact_list *facts) {
  expr *base = e->args[0];
  const kind *now = infer_expr(c, base, facts);
  if (kind_may(now, K_UNKNOWN)) return &kind_unknown;
  const kind *declared = now;
  if (base->op == EX_NAME && base->symbol >= 0) declared = fact_kind(c, base->symbol, NULL);
  if (!kind_may(declared, K_NONE)) {
    str text = expr_print(c->a, base);
    diag *d = infer_defect_at(c, UNKNOWN_FIELD, e->at, e->at_end,
                              "'%.*s' is never absent, so it has no `.value`", STR_ARG(text));
    diag_help(c->sink, d, "write '%.*s'", STR_ARG(text));
    return &kind_unknown;
  }
  if (!kind_may(now, K_NONE)) return now->bits == 0 ? &kind_unknown : now;
  str text = expr_print(c->a, base);
  diag *d = infer_defect(c, MAYBE_UNGUARDED, e, "'%.*s' %s here", STR_ARG(text),
                         kind_is(now, K_NONE) ? "is absent" : "may be absent");
  diag_help(c->sink, d, "guard it: '%.*s.value if present(%.*s) else ..'", STR_ARG(text), STR_ARG(text));
  return &kind_unknown;
}

static bool reads_tensor(infer *c, const expr *e) {
  if (e->op != EX_NAME || c->family != NULL || c->e == NULL) return false;
  const symbol *s = entry_symbol(c->e, e->u.s);
  return s != NULL && s->cls == SYM_TENSOR;
}

static const kind *infer_field(infer *c, expr *e, const fact_list *facts) {
  if (reads_tensor(c, e->args[0])) {
    str base = e->args[0]->u.s;
    diag *d = infer_defect(c, TENSOR_ATTRIBUTE, e, "an attribute of tensor '%.*s'", STR_ARG(base));
    diag_help(c->sink, d, "a formula reads the indices that the tensor's shape is written with");
    return &kind_unknown;
  }
  if (str_is(e->name, "value")) return infer_value_field(c, e, facts);
  const kind *k = infer_expr(c, e->args[0], facts);
  if (kind_may(k, K_UNKNOWN)) return &kind_unknown;
  if (kind_is(k, K_ADT)) return infer_adt_field(c, e, k);
  if (kind_may(k, K_NONE) && kind_may(k, K_ADT))
    return infer_wrong_kind(c, e->args[0], k, "a value that is present");
  str text = kind_text(c->a, k);
  infer_defect_at(c, UNKNOWN_FIELD, e->at, e->at_end, "%.*s has no field '%.*s'", STR_ARG(text),
                  STR_ARG(e->name));
  return &kind_unknown;
}

/* ---- composition ---- */

static const kind *infer_tuple(infer *c, expr *e, const fact_list *facts) {
  const kind *item = NULL;
  for (uint32_t i = 0; i < e->n; i++) {
    const kind *k = infer_expr(c, e->args[i], facts);
    item = item == NULL ? k : kind_union(c->a, item, k);
  }
  kind *r = arena_new_of(c->a, kind);
  *r = (kind){.bits = K_SEQ, .length = (int32_t)e->n, .item = item == NULL ? &kind_int : item};
  return r;
}

static const kind *infer_if(infer *c, expr *e, const fact_list *facts) {
  infer_wanted(c, e->args[1], facts, K_BOOL, "a Bool");
  const kind *then = infer_expr(c, e->args[0], narrow(c, e->args[1], true, facts));
  const kind *otherwise = infer_expr(c, e->args[2], narrow(c, e->args[1], false, facts));
  return kind_union(c->a, then, otherwise);
}

static const kind *infer_comprehension(infer *c, expr *e, const fact_list *facts) {
  const kind *s = infer_wanted(c, e->args[1], facts, K_SHAPE | K_SEQ, "a sequence");
  const kind *item = kind_may(s, K_UNKNOWN) ? &kind_unknown : kind_may(s, K_SEQ) ? s->item : &kind_dim;
  if (kind_may(s, K_SHAPE) && kind_may(s, K_SEQ)) item = kind_union(c->a, item, &kind_dim);
  variable v = {e->name, item, c->vars};
  c->vars = &v;
  const kind *k = infer_expr(c, e->args[0], facts);
  c->vars = v.outer;
  kind *r = arena_new_of(c->a, kind);
  *r = (kind){
      .bits = K_SEQ, .length = kind_may(s, K_SEQ) && !kind_may(s, K_SHAPE) ? s->length : -1, .item = k};
  return r;
}

static const kind *string_kind(infer *c, const expr *e) {
  str *member = arena_new_of(c->a, str);
  kind *k = arena_new_of(c->a, kind);
  *member = e->u.s;
  *k = (kind){.bits = K_ENUM, .members = member, .member_count = 1, .length = -1};
  return k;
}

static const kind *infer_node(infer *c, expr *e, const fact_list *facts) {
  switch ((expr_op)e->op) {
  case EX_ERROR: /* what is inside is judged on its own */
    for (uint32_t i = 0; i < e->n; i++) infer_expr(c, e->args[i], facts);
    return &kind_unknown;
  case EX_INT: return e->u.i < 0 ? &kind_int : &kind_dim;
  case EX_FLOAT: return &kind_float;
  case EX_BOOL: return &kind_bool;
  case EX_NONE: return &kind_none;
  case EX_STRING: return string_kind(c, e);
  case EX_NAME: return infer_name_read(c, e, facts);
  case EX_TUPLE: return infer_tuple(c, e, facts);
  case EX_NEG: {
    const kind *k = infer_wanted(c, e->args[0], facts, K_NUMBER, "a number");
    return kind_may(k, K_UNKNOWN | K_FLOAT) ? k : &kind_int;
  }
  case EX_NOT: infer_wanted(c, e->args[0], facts, K_BOOL, "a Bool"); return &kind_bool;
  case EX_ARITH: return infer_arith(c, e, facts);
  case EX_COMPARE: return infer_compare(c, e, facts);
  case EX_AND:
  case EX_OR: return infer_logic(c, e, facts);
  case EX_IF: return infer_if(c, e, facts);
  case EX_INDEX: return infer_index(c, e, facts);
  case EX_SLICE: return infer_slice(c, e, facts);
  case EX_FIELD: return infer_field(c, e, facts);
  case EX_CALL: return infer_call(c, e, facts);
  case EX_COMPREHENSION: return infer_comprehension(c, e, facts);
  default: return &kind_unknown; /* shapes and types are walked by their own stages */
  }
}

const kind *infer_expr(infer *c, expr *e, const fact_list *facts) {
  e->kind = infer_node(c, e, facts);
  return e->kind;
}
