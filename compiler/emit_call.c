/* Comparisons, presence, ADT fields and calls as C. language.md §4. */
#include <string.h>

#include "compiler/emit_internal.h"

static cx cx_of(rep r, prec p, str text) { return (cx){.text = text, .rep = r, .prec = p}; }

/* ---- enums ---- */

static int32_t member_number(const enum_source *s, str member) {
  for (uint32_t i = 0; i < s->count; i++) {
    if (str_eq(s->members[i], member)) return (int32_t)i;
  }
  return -1;
}

/* "value is the string `member`" */
cx emit_enum_is(emit_fn *fn, cx c, str member) {
  emit_op *op = fn->op;
  if (c.rep == REP_DTYPE) {
    const roofline_dtype t = roofline_dtype_find(member.p, member.n);
    if (t == ROOFLINE_DTYPE_NONE) return cx_of(REP_BOOL, PREC_PRIMARY, STR("false"));
    const str name = emit_upper(op->a, member);
    return cx_of(REP_BOOL, PREC_COMPARE,
                 emit_format(op->a, "$ == ROOFLINE_$", emit_wrap(fn, c, PREC_UNARY), name));
  }
  if (c.rep == REP_ENUM) {
    const int32_t number = member_number(c.source, member);
    if (number < 0) return cx_of(REP_BOOL, PREC_PRIMARY, STR("false"));
    return cx_of(REP_BOOL, PREC_COMPARE,
                 emit_format(op->a, "$ == $", emit_wrap(fn, c, PREC_UNARY), c.source->constants[number]));
  }
  return cx_of(REP_BOOL, PREC_PRIMARY,
               emit_format(op->a, "roofline_eq($, roofline_string($))", emit_convert(fn, c, REP_VALUE),
                           emit_quote(op->a, member)));
}

const enum_source *emit_adt_tags(emitter *em, const adt *d) {
  enum_source *s = arena_new_of(em->a, enum_source);
  str *members = arena_array(em->a, str, d->ctor_count + 1),
      *constants = arena_array(em->a, str, d->ctor_count + 1);
  const str upper = emit_upper(em->a, emit_snake(em->a, d->name)), snake = emit_snake(em->a, d->name);
  for (uint32_t i = 0; i < d->ctor_count; i++) {
    members[i] = d->ctors[i].name;
    constants[i] = emit_format(em->a, "$_$_$", em->upper, upper, emit_upper(em->a, d->ctors[i].name));
  }
  s->members = members;
  s->constants = constants;
  s->count = d->ctor_count;
  s->open = arena_cstr(em->a, emit_format(em->a, "$_$_type.ctors[", em->prefix, snake));
  s->close = "].name";
  return s;
}

static const enum_source *field_source(emitter *em, const adt *d, uint32_t ctor, uint32_t field) {
  const kind *k = d->ctors[ctor].fields[field].kind;
  const str snake = emit_snake(em->a, d->name);
  enum_source *s = arena_new_of(em->a, enum_source);
  str *constants = arena_array(em->a, str, k->member_count + 1);
  for (uint32_t i = 0; i < k->member_count; i++) {
    constants[i] = emit_format(
        em->a, "$_$_$_$_$", em->upper, emit_upper(em->a, snake), emit_upper(em->a, d->ctors[ctor].name),
        emit_upper(em->a, d->ctors[ctor].fields[field].name), emit_upper(em->a, k->members[i]));
  }
  s->members = k->members;
  s->constants = constants;
  s->count = k->member_count;
  s->open = arena_cstr(
      em->a, emit_format(em->a, "$_$_type.ctors[%u].fields[%u].values[", em->prefix, snake, ctor, field));
  s->close = "]";
  return s;
}

/* A field of an ADT value on a branch where its constructor is one of k's: read by its position there. */
cx emit_field_read(emit_fn *fn, cx value_text, const kind *k, str field) {
  emit_op *op = fn->op;
  const adt *d = k->adt;
  const bool address = value_text.text.n > 0 && value_text.text.p[0] == '&';
  const str base = address ? emit_format(op->a, "$.", emit_from(value_text.text, 1))
                           : emit_format(op->a, "$->", emit_wrap(fn, value_text, PREC_PRIMARY));
  if (str_is(field, "kind")) {
    cx c = cx_of(REP_ENUM, PREC_PRIMARY, emit_format(op->a, "$ctor", base));
    c.source = emit_adt_tags(op->em, d);
    return c;
  }
  cx r = cx_of(REP_INT, PREC_PRIMARY, STR("0"));
  bool first = true;
  for (uint32_t i = d->ctor_count; i-- > 0;) {
    if ((k->ctors & (1u << i)) == 0) continue;
    for (uint32_t j = 0; j < d->ctors[i].field_count; j++) {
      if (!str_eq(d->ctors[i].fields[j].name, field)) continue;
      const kind *fk = d->ctors[i].fields[j].kind;
      cx c = cx_of(REP_INT, PREC_PRIMARY, emit_format(op->a, "$fields[%u]", base, j));
      if (kind_is(fk, K_BOOL)) c = cx_of(REP_BOOL, PREC_COMPARE, emit_format(op->a, "$ != 0", c.text));
      if (kind_is(fk, K_ENUM)) {
        c.rep = REP_ENUM;
        c.source = field_source(op->em, d, i, j);
      }
      if (first) {
        r = c;
      } else if (!str_eq(r.text, c.text)) {
        const rep as = r.rep == REP_ENUM ? REP_VALUE : r.rep;
        r = cx_of(as, PREC_IF,
                  emit_format(op->a, "$ctor == %u ? $ : $", base, i, emit_convert(fn, c, as),
                              emit_convert(fn, r, as)));
      }
      first = false;
    }
  }
  return r;
}

/* ---- comparisons ---- */

static cx not_of(emit_fn *fn, cx c) {
  return cx_of(REP_BOOL, PREC_UNARY, emit_format(fn->op->a, "!$", emit_wrap(fn, c, PREC_PRIMARY)));
}

static bool is_sequence(cx c) { return c.rep == REP_SHAPE || c.rep == REP_SEQ; }

/* Items that cannot fail and cost nothing: compared one by one against a shape. */
static bool is_plain_tuple(emit_fn *fn, const expr *e) {
  if (e->op != EX_TUPLE) return false;
  for (uint32_t i = 0; i < e->n; i++) {
    const expr *item = e->args[i];
    if (item->op == EX_INT) continue;
    if (item->op != EX_NAME || item->kind == NULL || !kind_is(item->kind, K_INTEGER)) return false;
    const symbol *s = entry_symbol(fn->op->e, item->u.s);
    if (s == NULL || s->cls == SYM_LET) return false;
  }
  return true;
}

static cx shape_is_tuple(emit_fn *fn, cx shape, const expr *tuple) {
  out_text o;
  out_init(&o, fn->op->a);
  const str base = {shape.text.p + 1, shape.text.n - 1};
  emit_putf(&o, "$.rank == %u", base, tuple->n);
  for (uint32_t i = 0; i < tuple->n; i++)
    emit_putf(&o, " && $.dims[%u] == $", base, i, emit_as(fn, tuple->args[i], REP_INT));
  return cx_of(REP_BOOL, tuple->n > 0 ? PREC_AND : PREC_COMPARE, out_str(&o));
}

/* A name against itself: compilers warn of what they can tell. A float is left alone, a nan differs. */
static bool is_itself(cx a, cx b) {
  return a.rep == b.rep &&
         (a.rep == REP_INT || a.rep == REP_BOOL || a.rep == REP_DTYPE || a.rep == REP_ENUM) &&
         str_eq(a.text, b.text) && memchr(a.text.p, '(', a.text.n) == NULL;
}

static bool is_lvalue(cx c) {
  return c.text.n > 6 && memcmp(c.text.p, "call->", 6) == 0 && memchr(c.text.p, '(', c.text.n) == NULL;
}

static cx equal(emit_fn *fn, const expr *x, const expr *y) {
  emit_op *op = fn->op;
  if (y->op == EX_STRING) return emit_enum_is(fn, emit_expr(fn, x), y->u.s);
  if (x->op == EX_STRING) return emit_enum_is(fn, emit_expr(fn, y), x->u.s);
  if (x->op == EX_TUPLE && y->op != EX_TUPLE) return equal(fn, y, x);
  const cx a = emit_expr(fn, x);
  if (a.rep == REP_SHAPE && a.text.p[0] == '&' && is_plain_tuple(fn, y)) return shape_is_tuple(fn, a, y);
  const cx b = emit_expr(fn, y);
  if (is_itself(a, b)) return cx_of(REP_BOOL, PREC_PRIMARY, STR("true"));
  if (is_sequence(a) && is_sequence(b))
    return cx_of(REP_BOOL, PREC_PRIMARY,
                 emit_format(op->a, "roofline_seq_eq($, $)", emit_convert(fn, a, REP_SEQ),
                             emit_convert(fn, b, REP_SEQ)));
  if (a.rep == REP_ADT && b.rep == REP_ADT)
    return cx_of(REP_BOOL, PREC_PRIMARY, emit_format(op->a, "roofline_adt_eq($, $)", a.text, b.text));
  const bool int_right = a.rep == REP_VALUE && b.rep == REP_INT && is_lvalue(a);
  if (int_right || (b.rep == REP_VALUE && a.rep == REP_INT && is_lvalue(b)))
    return cx_of(REP_BOOL, PREC_PRIMARY,
                 emit_format(op->a, "roofline_is_int(&$, $)", int_right ? a.text : b.text,
                             int_right ? b.text : a.text));
  const bool same = a.rep == b.rep && (a.rep == REP_INT || a.rep == REP_BOOL || a.rep == REP_DTYPE ||
                                       a.rep == REP_FLOAT || (a.rep == REP_ENUM && a.source == b.source));
  const bool against_literal = (a.rep == REP_FLOAT && b.literal) || (b.rep == REP_FLOAT && a.literal);
  if (same || against_literal) {
    const rep r = against_literal ? REP_FLOAT : a.rep;
    const cx l = cx_of(r, a.prec, emit_convert(fn, a, r)), m = cx_of(r, b.prec, emit_convert(fn, b, r));
    return cx_of(REP_BOOL, PREC_COMPARE,
                 emit_format(op->a, "$ == $", emit_wrap(fn, l, PREC_UNARY), emit_wrap(fn, m, PREC_UNARY)));
  }
  return cx_of(REP_BOOL, PREC_PRIMARY,
               emit_format(op->a, "roofline_eq($, $)", emit_convert(fn, a, REP_VALUE),
                           emit_convert(fn, b, REP_VALUE)));
}

/* a < b, a <= b; the others by exchanging the sides, so that a nan makes each of them false. */
static cx ordered(emit_fn *fn, const expr *x, link_op link, const expr *y) {
  static const char *const symbols[] = {[OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">="};
  emit_op *op = fn->op;
  const cx a = emit_expr(fn, x), b = emit_expr(fn, y);
  if (is_itself(a, b))
    return cx_of(REP_BOOL, PREC_PRIMARY, link == OP_LE || link == OP_GE ? STR("true") : STR("false"));
  if (is_sequence(a) || is_sequence(b))
    return cx_of(REP_BOOL, PREC_COMPARE,
                 emit_format(op->a, "roofline_seq_cmp($, $) %s 0", emit_convert(fn, a, REP_SEQ),
                             emit_convert(fn, b, REP_SEQ), symbols[link]));
  const bool literal = (a.rep == REP_FLOAT && b.literal) || (b.rep == REP_FLOAT && a.literal);
  if ((a.rep == b.rep && (a.rep == REP_INT || a.rep == REP_FLOAT)) || literal) {
    const rep r = literal ? REP_FLOAT : a.rep;
    const cx l = cx_of(r, a.prec, emit_convert(fn, a, r)), m = cx_of(r, b.prec, emit_convert(fn, b, r));
    return cx_of(REP_BOOL, PREC_COMPARE,
                 emit_format(op->a, "$ %s $", emit_wrap(fn, l, PREC_UNARY), symbols[link],
                             emit_wrap(fn, m, PREC_UNARY)));
  }
  const bool exchanged = link == OP_GT || link == OP_GE;
  const str l = emit_convert(fn, exchanged ? b : a, REP_VALUE),
            m = emit_convert(fn, exchanged ? a : b, REP_VALUE);
  return cx_of(REP_BOOL, PREC_PRIMARY,
               emit_format(op->a, "roofline_%s($, $)", link == OP_LT || link == OP_GT ? "lt" : "le", l, m));
}

static cx member_of(emit_fn *fn, const expr *x, const expr *y) {
  if (y->op != EX_TUPLE)
    return cx_of(REP_BOOL, PREC_PRIMARY,
                 emit_format(fn->op->a, "roofline_seq_contains($, $)", emit_as(fn, y, REP_SEQ),
                             emit_as(fn, x, REP_INT)));
  if (y->n == 0) return cx_of(REP_BOOL, PREC_PRIMARY, STR("false"));
  cx any = equal(fn, x, y->args[0]);
  for (uint32_t i = 1; i < y->n; i++) {
    const cx next = equal(fn, x, y->args[i]);
    any = cx_of(REP_BOOL, PREC_OR,
                emit_format(fn->op->a, "$ || $",
                            any.prec == PREC_OR ? any.text : emit_wrap(fn, any, PREC_COMPARE),
                            emit_wrap(fn, next, PREC_COMPARE)));
  }
  return any;
}

/* Where the ` == ` of a comparison stands, not one of its operands'; 0: there is none. */
static uint32_t outer_equals(str text) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i + 4 <= text.n; i++) {
    if (text.p[i] == '"') /* to the string's end */
      for (i++; i < text.n && text.p[i] != '"'; i++) i += text.p[i] == '\\';
    else if (strchr("([{", text.p[i]) != NULL)
      depth++;
    else if (strchr(")]}", text.p[i]) != NULL)
      depth--;
    else if (depth == 0 && memcmp(text.p + i, " == ", 4) == 0)
      return i;
  }
  return 0;
}

cx emit_compare(emit_fn *fn, const expr *x, link_op link, const expr *y) {
  switch (link) {
  case OP_EQ: return equal(fn, x, y);
  case OP_NE: {
    cx c = equal(fn, x, y);
    const uint32_t at = c.prec == PREC_COMPARE ? outer_equals(c.text) : 0;
    if (at == 0) return not_of(fn, c);
    return cx_of(REP_BOOL, PREC_COMPARE, /* a single `==` reads better turned */
                 emit_format(fn->op->a, "$ != $", emit_until(c.text, at), emit_from(c.text, at + 4)));
  }
  case OP_IN: return member_of(fn, x, y);
  case OP_NOT_IN: return not_of(fn, member_of(fn, x, y));
  default: return ordered(fn, x, link, y);
  }
}

/* ---- present ---- */

str emit_present(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  const env *scope = fn->env;
  e = emit_resolve(e, &scope);
  if (e->op != EX_NAME) return STR("true");
  if (str_is(e->u.s, "out")) return STR("call->present.out");
  const symbol *s = entry_symbol(op->e, e->u.s);
  if (s == NULL) return STR("true");
  const uint32_t number = (uint32_t)(s - op->e->symbols);
  if (s->cls == SYM_TENSOR) {
    const int present = emit_is_present(fn, &op->e->tensors[s->number]);
    if (present >= 0) return present ? STR("true") : STR("false");
    if (op->choosing > 0 && op->decides != NULL) op->decides[number] = true;
    return emit_format(op->a, "call->present.$", op->fields[number]);
  }
  if (!kind_may(s->kind, K_NONE)) return STR("true");
  const cx c = emit_symbol_read(fn, number, s->kind);
  switch (c.rep) {
  case REP_VALUE: return emit_format(op->a, "$.tag != ROOFLINE_TAG_NONE", emit_wrap(fn, c, PREC_PRIMARY));
  case REP_ENUM: return emit_format(op->a, "$ != 0", c.text);
  case REP_DTYPE: return emit_format(op->a, "$ != ROOFLINE_DTYPE_NONE", c.text);
  case REP_ADT: return emit_format(op->a, "call->$.type != NULL", op->fields[number]);
  default: return STR("true");
  }
}

/* ---- comprehensions ---- */

typedef enum fold_op { FOLD_ALL, FOLD_SUM, FOLD_MAX, FOLD_MIN } fold_op;

static rep fold_rep(fold_op over) { return over == FOLD_ALL ? REP_BOOL : REP_INT; }

/* Can its evaluation fail? No: what reads a field or compares such. */
static bool can_fail(const emit_fn *fn, const expr *e) {
  const symbol *s;
  switch ((expr_op)e->op) {
  case EX_INT:
  case EX_FLOAT:
  case EX_BOOL:
  case EX_NONE:
  case EX_STRING: return false;
  case EX_NAME: s = entry_symbol(fn->op->e, e->u.s); return s == NULL || s->cls == SYM_LET;
  case EX_CALL: return !str_is(e->name, "present");
  case EX_TUPLE:
  case EX_NOT:
  case EX_AND:
  case EX_OR:
  case EX_IF:
  case EX_COMPARE:
    for (uint32_t i = 0; i < e->n; i++)
      if (can_fail(fn, e->args[i])) return true;
    return false;
  default: return true;
  }
}

/* A literal tuple is unrolled: its items may be of any kind. */
static cx unrolled(emit_fn *fn, fold_op over, const expr *c, const expr *items) {
  emit_op *op = fn->op;
  const env *here = fn->env;
  cx all =
      over == FOLD_ALL ? cx_of(REP_BOOL, PREC_PRIMARY, STR("true")) : cx_of(REP_INT, PREC_PRIMARY, STR("0"));
  for (uint32_t i = 0; i < items->n; i++) {
    env *bound = arena_new_of(op->a, env);
    *bound = (env){.name = c->name, .arg = items->args[i], .around = here, .next = here};
    fn->env = bound;
    const cx body = emit_expr(fn, c->args[0]);
    const cx item = cx_of(fold_rep(over), body.prec, emit_convert(fn, body, fold_rep(over)));
    if (i == 0)
      all = item;
    else if (over == FOLD_ALL)
      all = cx_of(
          REP_BOOL, PREC_AND,
          emit_format(op->a, "$ && $", emit_wrap(fn, all, PREC_AND), emit_wrap(fn, item, PREC_COMPARE)));
    else
      all = cx_of(REP_INT, PREC_PRIMARY,
                  emit_format(op->a, "roofline_add(%s, $, $)", fn->status, all.text, item.text));
  }
  fn->env = here;
  return all;
}

/* What a loop starts from, and what it does with `item`, the body's value. */
static const struct {
  const char *start, *step;
} folds[] = {
    [FOLD_ALL] = {"bool result = true;", "if (!item) return false;"},
    [FOLD_SUM] = {"int64_t result = 0;", "result = roofline_add(status, result, item);"},
    [FOLD_MAX] = {"int64_t result = INT64_MIN;", "if (item > result) result = item;"},
    [FOLD_MIN] = {"int64_t result = INT64_MAX;", "if (item < result) result = item;"},
};

static bool is_variable(const env *scope, str name) {
  for (; scope != NULL; scope = scope->next)
    if (scope->variable && str_eq(scope->value.text, name)) return true;
  return false;
}

/* A name for a comprehension's variable that no field, no own name and no loop around it has. */
static str loop_variable(emit_fn *fn, str wanted) {
  emit_op *op = fn->op;
  str name = emit_local(op, emit_field(op->a, wanted));
  while (emit_is_own_name(name) || is_variable(fn->env, name))
    name = emit_local(op, emit_format(op->a, "$_", name));
  return name;
}

static cx looped(emit_fn *fn, fold_op over, const expr *c, const expr *fallback, const char *base) {
  emit_op *op = fn->op;
  emit_fn inner = emit_fn_inner(fn);
  const kind *items = c->args[1]->kind;
  const bool maybe =
      items != NULL && kind_may(items, K_SEQ) && items->item != NULL && kind_may(items->item, K_NONE);
  const str name = loop_variable(fn, c->name);
  env *variable = arena_new_of(op->a, env);
  *variable = (env){.name = c->name,
                    .variable = true,
                    .next = fn->env,
                    .value = cx_of(maybe ? REP_VALUE : REP_INT, PREC_PRIMARY, name)};
  inner.env = variable;
  const str item = emit_as(&inner, c->args[0], fold_rep(over));
  out_text loop, body;
  out_init(&loop, op->a);
  out_init(&body, op->a);
  emit_putf(&loop, "  const int64_t count = roofline_seq_len_walkable(status, items);\n");
  if (over == FOLD_MAX || over == FOLD_MIN) {
    inner.env = fn->env;
    if (fallback != NULL) /* read whether it is needed or not, as every argument is */
      emit_linef(&loop, 2, "const roofline_value fallback = $;", emit_as(&inner, fallback, REP_VALUE));
    emit_linef(&loop, 2, "if (items.len == 0) return roofline_max(status, items, %s);",
               fallback != NULL ? "fallback" : "roofline_none()");
  }
  emit_putf(&loop, "  %s\n  for (int64_t nth = 0; nth < count && *status == ROOFLINE_OK; nth++) {\n",
            folds[over].start);
  if (maybe)
    emit_linef(&loop, 4,
               "const roofline_value $ = roofline_seq_absent(&items, nth) ? roofline_none() : "
               "roofline_int(roofline_seq_item(&items, nth));",
               name);
  else
    emit_linef(&loop, 4, "const int64_t $ = roofline_seq_item(&items, nth);", name);
  emit_linef(&loop, 4, "const %sitem = $;", rep_type(fold_rep(over)), item);
  emit_putf(&loop, "    %s\n  }\n  return result;\n", folds[over].step);
  emit_fn_put(&inner, &body, out_str(&loop));
  const str parameters = emit_format(op->a, "$, roofline_seq items", emit_variable_parameters(fn));
  const str function = emit_outline(op, base, rep_type(fold_rep(over)), parameters, out_str(&body));
  const str argument = emit_as(fn, c->args[1], REP_SEQ);
  return cx_of(fold_rep(over), PREC_PRIMARY,
               emit_format(op->a, "$($)", function, emit_arguments(fn, argument)));
}

static cx comprehension(emit_fn *fn, fold_op over, const expr *call) {
  static const char *const bases[] = {"all", "sum", "max", "min"};
  const expr *c = call->args[0];
  const env *scope = fn->env;
  const expr *items = emit_resolve(c->args[1], &scope);
  const kind *k = c->args[1]->kind;
  const bool integers = k != NULL && k->item != NULL && kind_is(k->item, K_INTEGER | K_NONE);
  /* Every item is evaluated, whatever the body reads of it: unrolled are those that cannot fail. */
  if (items->op == EX_TUPLE && (over == FOLD_ALL || over == FOLD_SUM || items->n == 0)) {
    if (items == c->args[1] && !(integers && can_fail(fn, items))) return unrolled(fn, over, c, items);
  }
  return looped(fn, over, c, call->n > 1 ? call->args[1] : NULL, bases[over]);
}

/* all((a, b)) of items that may fail: each is evaluated, also behind one that is false. */
static cx all_of_failing(emit_fn *fn, const expr *items) {
  emit_op *op = fn->op;
  emit_fn inner = emit_fn_inner(fn);
  out_text list, body;
  out_init(&list, op->a);
  out_init(&body, op->a);
  out_put(&list, STR("  bool result = true;\n"));
  for (uint32_t i = 0; i < items->n; i++) {
    const cx c = emit_expr(&inner, items->args[i]);
    const cx item = cx_of(REP_BOOL, c.prec, emit_convert(&inner, c, REP_BOOL));
    emit_linef(&list, 2, "if ($) result = false;", not_of(&inner, item).text);
  }
  out_put(&list, STR("  return result;\n"));
  emit_fn_put(&inner, &body, out_str(&list));
  const str function = emit_outline(op, "all", "bool ", emit_variable_parameters(fn), out_str(&body));
  return cx_of(REP_BOOL, PREC_PRIMARY,
               emit_format(op->a, "$($)", function, emit_arguments(fn, (str){NULL, 0})));
}

/* all((a, b)) */
static cx all_of_tuple(emit_fn *fn, const expr *items) {
  if (can_fail(fn, items)) return all_of_failing(fn, items);
  cx all = cx_of(REP_BOOL, PREC_PRIMARY, STR("true"));
  for (uint32_t i = 0; i < items->n; i++) {
    const cx c = emit_expr(fn, items->args[i]);
    const cx item = cx_of(REP_BOOL, c.prec, emit_convert(fn, c, REP_BOOL));
    all = i == 0 ? item
                 : cx_of(REP_BOOL, PREC_AND,
                         emit_format(fn->op->a, "$ && $", emit_wrap(fn, all, PREC_AND),
                                     emit_wrap(fn, item, PREC_COMPARE)));
  }
  return all;
}

/* ---- primitives ---- */

/* Arguments of a primitive's C function, a letter each: i int, b bool, s sequence, v value, t dtype,
   a ADT, m metadata tensor, r reduction mode, w window end. Before them stand, as flagged: the status;
   a temporary shape for the result. */
enum { WITH_STATUS = 1, WITH_SHAPE = 2 };
static const struct {
  const char *args;
  rep result;
  unsigned with;
} forms[PRIM_COUNT] = {
    [PRIM_REDUCED] = {"svbr", REP_SHAPE, WITH_STATUS | WITH_SHAPE},
    [PRIM_VALID_AXES] = {"vi", REP_BOOL, WITH_STATUS},
    [PRIM_UNIQUE_AXES] = {"vi", REP_BOOL, WITH_STATUS},
    [PRIM_PER_AXIS] = {"viiv", REP_INT, WITH_STATUS},
    [PRIM_CEIL_DIV] = {"ii", REP_INT, WITH_STATUS},
    [PRIM_PROD] = {"s", REP_INT, WITH_STATUS},
    [PRIM_SUM] = {"s", REP_INT, WITH_STATUS},
    [PRIM_MAX] = {"sv", REP_INT, WITH_STATUS},
    [PRIM_MIN] = {"sv", REP_INT, WITH_STATUS},
    [PRIM_CONV_OUT] = {"iiiii", REP_INT, WITH_STATUS},
    [PRIM_POOL_OUT] = {"iiiiib", REP_INT, WITH_STATUS},
    [PRIM_MOE_CAPACITY] = {"aii", REP_INT, WITH_STATUS},
    [PRIM_MHC_EXPANSION] = {"i", REP_INT, WITH_STATUS},
    [PRIM_PROMOTE_INT_TO_FLOAT] = {"t", REP_DTYPE, 0},
    [PRIM_COALESCE_DTYPE] = {"tt", REP_DTYPE, 0},
    [PRIM_BALANCED_SIZES] = {"ii", REP_SEQ, WITH_STATUS},
    [PRIM_REPEAT] = {"ii", REP_SEQ, WITH_STATUS},
    [PRIM_REPRESENTABLE] = {"vt", REP_BOOL, WITH_STATUS},
    [PRIM_AS_TENSOR] = {"s", 0, 0},
    [PRIM_PREFIX_SUM] = {"s", 0, 0},
    [PRIM_EXCLUSIVE_PREFIX_SUM] = {"s", 0, 0},
    [PRIM_CHUNK_INDICES] = {"si", 0, 0},
    [PRIM_TOKEN_INDICES] = {"s", 0, 0},
    [PRIM_PACKED_POSITIONS] = {"s", 0, 0},
    [PRIM_CHUNK_OFFSETS] = {"si", 0, 0},
    [PRIM_KEY_WINDOWS] = {"siiw", 0, 0},
    [PRIM_FULL] = {"si", 0, 0},
    [PRIM_MOE_LAYOUT_METADATA] = {"aii", 0, 0},
    [PRIM_TOPK_IDS] = {"iii", 0, 0},
    [PRIM_RANDOM_IDS] = {"iii", 0, 0},
    [PRIM_SAMPLE_INDICES] = {"ii", 0, 0},
    [PRIM_PAGED_BLOCK_TABLE] = {"iii", 0, 0},
    [PRIM_NSA_BLOCK_INDICES] = {"siii", 0, 0},
    [PRIM_NSA_BLOCK_COUNTS] = {"iii", 0, 0},
    [PRIM_CAUSAL_TOPK_INDICES] = {"iiiiiii", 0, 0},
    [PRIM_ATTN_SPARSE_TOPK_POSITIONS] = {"sii", 0, 0},
    [PRIM_PREFIX_OFFSETS] = {"i", REP_BOOL, 0},
    [PRIM_MAX_SEGMENT] = {"i", REP_BOOL, 0},
    [PRIM_IN_RANGE] = {"ii", REP_BOOL, 0},
    [PRIM_SUMS_TO] = {"i", REP_BOOL, 0},
    [PRIM_EXCLUSIVE_PREFIX_OF] = {"m", REP_BOOL, 0},
    [PRIM_CHUNK_OFFSETS_OF] = {"mi", REP_BOOL, 0},
    [PRIM_INDICES_WITHIN] = {"m", REP_BOOL, 0},
    [PRIM_ATTN_PAGED_FITS] = {"mi", REP_BOOL, 0},
    [PRIM_MOE_LAYOUT_VALID] = {"aii", REP_BOOL, 0},
};

str emit_primitive_name(arena *a, primitive_id id) {
  char *name = arena_cstr(a, emit_format(a, "roofline_%s", primitive_get(id)->name));
  for (char *p = name; *p != '\0'; p++) {
    if (*p == '.') *p = '_';
  }
  return str_of(name);
}

static str argument(emit_fn *fn, char form, const expr *e) {
  emit_op *op = fn->op;
  static const struct {
    char form;
    rep rep;
  } reps[] = {{'i', REP_INT},   {'b', REP_BOOL},  {'s', REP_SEQ},
              {'v', REP_VALUE}, {'t', REP_DTYPE}, {'a', REP_ADT}};
  if (form == 'm') {
    const symbol *s = entry_symbol(op->e, e->u.s);
    return emit_format(op->a, "&call->$.$", op->metadata_member, op->fields[s - op->e->symbols]);
  }
  if (form == 'r') return emit_format(op->a, "ROOFLINE_REDUCED_$", emit_upper(op->a, e->u.s));
  if (form == 'w') return emit_format(op->a, "ROOFLINE_WINDOW_$", emit_upper(op->a, e->u.s));
  for (size_t i = 0; i < sizeof reps / sizeof *reps; i++) {
    if (reps[i].form == form) return emit_as(fn, e, reps[i].rep);
  }
  return STR("0");
}

/* The arguments the manifest writes, each after ", "; an omitted last one is None. */
str emit_primitive_arguments(emit_fn *fn, const expr *e) {
  const char *form = forms[e->symbol].args;
  out_text o;
  out_init(&o, fn->op->a);
  for (uint32_t i = 0; form[i] != '\0'; i++) {
    const str text = i < e->n ? argument(fn, form[i], e->args[i]) : STR("roofline_none()");
    emit_putf(&o, ", $", text);
  }
  return out_str(&o);
}

/* broadcast of two shapes, the usual one */
static bool broadcast2(emit_fn *fn, const expr *e, cx *out) {
  if (e->n != 2) return false;
  const emit_trial mark = emit_fn_mark(fn);
  const cx a = emit_expr(fn, e->args[0]), b = emit_expr(fn, e->args[1]);
  if (a.rep != REP_SHAPE || b.rep != REP_SHAPE) {
    emit_fn_forget(fn, mark);
    return false;
  }
  *out = cx_of(REP_SHAPE, PREC_PRIMARY,
               emit_format(fn->op->a, "roofline_broadcast2(%s, &$, $, $)", fn->status, emit_new_shape(fn),
                           a.text, b.text));
  return true;
}

static cx broadcast(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  cx pair;
  if (broadcast2(fn, e, &pair)) return pair;
  emit_fn inner = emit_fn_inner(fn);
  emit_find_eager(op, e, inner.eager);
  out_text list, all, body;
  out_init(&list, op->a);
  out_init(&all, op->a);
  out_init(&body, op->a);
  for (uint32_t i = 0; i < e->n; i++)
    emit_putf(&list, "%s$", i > 0 ? ", " : "", emit_as(&inner, e->args[i], REP_SEQ));
  emit_linef(&all, 2, "const roofline_seq shapes[] = {$};", out_str(&list));
  emit_putf(&all, "  return roofline_broadcast(status, out, shapes, %u);\n", e->n);
  emit_fn_put(&inner, &body, out_str(&all));
  const str parameters = emit_format(op->a, "$, roofline_shape *out", emit_variable_parameters(fn));
  const str name = emit_outline(op, "broadcast", "const roofline_shape *", parameters, out_str(&body));
  const str out = emit_format(op->a, "&$", emit_new_shape(fn));
  return cx_of(REP_SHAPE, PREC_PRIMARY, emit_format(op->a, "$($)", name, emit_arguments(fn, out)));
}

static cx length_of(emit_fn *fn, const expr *e) {
  const cx c = emit_expr(fn, e);
  if (c.rep == REP_SHAPE && c.text.p[0] == '&')
    return cx_of(REP_INT, PREC_PRIMARY, emit_format(fn->op->a, "$.rank", emit_from(c.text, 1)));
  if (c.rep == REP_SHAPE)
    return cx_of(REP_INT, PREC_PRIMARY, emit_format(fn->op->a, "$->rank", emit_wrap(fn, c, PREC_PRIMARY)));
  const cx seq = cx_of(REP_SEQ, c.rep == REP_SEQ ? c.prec : PREC_PRIMARY, emit_convert(fn, c, REP_SEQ));
  return cx_of(REP_INT, PREC_PRIMARY, emit_format(fn->op->a, "$.len", emit_wrap(fn, seq, PREC_PRIMARY)));
}

static cx category(emit_fn *fn, const expr *e) {
  static const str members[] = {{"bool", 4}, {"int", 3}, {"float", 5}, {"complex", 7}};
  static const str constants[] = {{"ROOFLINE_CATEGORY_BOOL", 22},
                                  {"ROOFLINE_CATEGORY_INT", 21},
                                  {"ROOFLINE_CATEGORY_FLOAT", 23},
                                  {"ROOFLINE_CATEGORY_COMPLEX", 25}};
  static const enum_source categories = {.members = members,
                                         .constants = constants,
                                         .count = 4,
                                         .open = "roofline_category_name(",
                                         .close = ")"};
  cx c = cx_of(REP_ENUM, PREC_PRIMARY,
               emit_format(fn->op->a, "roofline_category_of(%s, $)", fn->status, emit_as(fn, e, REP_VALUE)));
  c.source = &categories;
  return c;
}

static cx primitive_call(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  const primitive_id id = (primitive_id)e->symbol;
  out_text o;
  out_init(&o, op->a);
  const str arguments = emit_primitive_arguments(fn, e);
  if ((forms[id].with & WITH_STATUS) != 0) emit_putf(&o, ", %s", fn->status);
  if ((forms[id].with & WITH_SHAPE) != 0) emit_putf(&o, ", &$", emit_new_shape(fn));
  out_put(&o, arguments);
  const str all = out_str(&o);
  return cx_of(forms[id].result, PREC_PRIMARY,
               emit_format(op->a, "$($)", emit_primitive_name(op->a, id), emit_from(all, 2)));
}

/* prod(X), by its shared name when it has one. */
str emit_prod_of(emit_fn *fn, const expr *seq) {
  emit_op *op = fn->op;
  const env *scope = fn->env;
  const expr *meant = emit_resolve(seq, &scope);
  const bool shared = fn->sharing && scope == NULL;
  emit_prod *found = NULL;
  const str of = shared ? expr_print(op->a, meant) : (str){NULL, 0};
  for (uint32_t i = 0; shared && found == NULL && i < fn->prods.n; i++) {
    if (str_eq(fn->prods.v[i].of, of)) found = &fn->prods.v[i];
  }
  if (found != NULL && found->name.n > 0) return found->name;
  const str text = emit_format(op->a, "roofline_prod(%s, $)", fn->status, emit_as(fn, seq, REP_SEQ));
  if (!shared) return text;
  if (found == NULL) {
    const emit_prod p = {.of = of, .text = text};
    vec_push(op->a, &fn->prods, p);
    found = &fn->prods.v[fn->prods.n - 1];
  }
  found->uses++;
  found->eager = found->eager || fn->conditional == 0;
  return text;
}

bool emit_share_prods(emit_fn *fn) {
  bool any = false;
  for (uint32_t i = 0; i < fn->prods.n; i++) {
    emit_prod *p = &fn->prods.v[i];
    if (p->uses < 2 || !p->eager) continue;
    p->name = emit_local(fn->op, parse_is_identifier(p->of) ? emit_format(fn->op->a, "$_prod", p->of)
                                                            : emit_format(fn->op->a, "prod%u", i + 1));
    any = true;
  }
  return any;
}

cx emit_call_expr(emit_fn *fn, const expr *e) {
  if (str_is(e->name, "present")) {
    const str text = emit_present(fn, e->args[0]);
    const bool compared = memchr(text.p, ' ', text.n) != NULL;
    return cx_of(REP_BOOL, compared ? PREC_COMPARE : PREC_PRIMARY, text);
  }
  if (str_is(e->name, "bytes")) {
    const symbol *s = entry_symbol(fn->op->e, e->args[0]->u.s);
    return emit_tensor_bytes(fn, &fn->op->e->tensors[s->number]);
  }
  static const struct {
    primitive_id id;
    fold_op over;
  } folding[] = {{PRIM_ALL, FOLD_ALL}, {PRIM_SUM, FOLD_SUM}, {PRIM_MAX, FOLD_MAX}, {PRIM_MIN, FOLD_MIN}};
  for (size_t i = 0; i < sizeof folding / sizeof *folding; i++) {
    if (e->symbol != (int32_t)folding[i].id) continue;
    if (e->args[0]->op == EX_COMPREHENSION) return comprehension(fn, folding[i].over, e);
    if (folding[i].id == PRIM_ALL) return all_of_tuple(fn, e->args[0]);
  }
  switch (e->symbol) {
  case PRIM_BROADCAST: return broadcast(fn, e);
  case PRIM_LEN: return length_of(fn, e->args[0]);
  case PRIM_PROD: return cx_of(REP_INT, PREC_PRIMARY, emit_prod_of(fn, e->args[0]));
  case PRIM_CATEGORY: return category(fn, e->args[0]);
  default: return primitive_call(fn, e);
  }
}
