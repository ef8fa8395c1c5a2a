/* Shapes, dtypes and sizes of an op's tensors. language.md §5, §8. */
#include <string.h>

#include "compiler/emit_internal.h"

static cx cx_of(rep r, prec p, str text) { return (cx){.text = text, .rep = r, .prec = p}; }

/* ---- the ways a shape can come out ---- */

static const family_decl *find_family(const entry *e, str name) {
  for (uint32_t i = 0; i < e->family_count; i++) {
    if (str_eq(e->families[i].name, name)) return &e->families[i];
  }
  return NULL;
}

/* Adds what a case asks of one match; false: the case is ruled out. */
static bool add_match(emit_fn *fn, shape_case *c, const env *bound, const family_decl *f, uint32_t match,
                      const pattern *p) {
  if (p->op == PATTERN_ANY) return true;
  arena *a = fn->op->a;
  const env *b = bound;
  while (!str_eq(b->name, f->formals[f->matches[match].formal].name)) b = b->next;
  const int holds = emit_matches(fn, f, match, p, b->arg, b->around);
  if (holds >= 0) return holds;
  vec_push(a, &c->args, b->arg);
  vec_push(a, &c->arg_envs, b->around);
  vec_push(a, &c->patterns, p);
  vec_push(a, &c->of_presence, f->matches[match].of_presence);
  return true;
}

static void add_cases(emit_fn *fn, const expr *shape, const env *scope, const shape_case *so_far,
                      shape_cases *out) {
  emit_op *op = fn->op;
  if (op->budget == 0) {
    op->exhausted = true;
    return;
  }
  op->budget--;
  const family_decl *f = shape->op == EX_APPLY ? find_family(op->e, shape->name) : NULL;
  if (f == NULL) {
    shape_case c = *so_far;
    c.shape = shape;
    c.env = scope;
    vec_push(op->a, out, c);
    return;
  }
  env *bound = arena_new_of(op->a, env);
  *bound = (env){.closed = true, .next = NULL};
  for (uint32_t i = f->formal_count; i-- > 0;) {
    env *b = arena_new_of(op->a, env);
    *b = (env){.name = f->formals[i].name, .arg = shape->args[i], .around = scope, .next = bound};
    bound = b;
  }
  for (uint32_t i = 0; i < f->case_count; i++) {
    shape_case c = {0};
    for (uint32_t j = 0; j < so_far->args.n; j++) {
      vec_push(op->a, &c.args, so_far->args.v[j]);
      vec_push(op->a, &c.arg_envs, so_far->arg_envs.v[j]);
      vec_push(op->a, &c.patterns, so_far->patterns.v[j]);
      vec_push(op->a, &c.of_presence, so_far->of_presence.v[j]);
    }
    bool possible = true;
    for (uint32_t j = 0; j < f->match_count && possible; j++)
      possible = add_match(fn, &c, bound, f, j, &f->cases[i].when[j]);
    if (possible) add_cases(fn, f->cases[i].is.root, bound, &c, out);
  }
}

void emit_shape_cases(emit_fn *fn, const tensor_decl *t, shape_cases *out) {
  const shape_case none = {0};
  add_cases(fn, t->shape.root, NULL, &none, out);
}

static str ctor_condition(emit_fn *fn, const expr *arg, const pattern *p) {
  emit_op *op = fn->op;
  const cx c = emit_expr(fn, arg);
  const adt *d = arg->kind->adt;
  out_text o;
  out_init(&o, op->a);
  cx tag = emit_field_read(fn, c, arg->kind, STR("kind"));
  out_put(&o, emit_enum_is(fn, tag, d->ctors[p->ctor].name).text);
  kind only = *arg->kind;
  only.ctors = 1u << p->ctor;
  for (uint32_t i = 0; i < p->field_count; i++) {
    const cx f = emit_field_read(fn, c, &only, d->ctors[p->ctor].fields[p->fields[i].field].name);
    if (p->fields[i].value.tag == V_STRING)
      emit_putf(&o, " && $", emit_enum_is(fn, f, p->fields[i].value.u.s).text);
    else
      emit_putf(&o, " && %s$", p->fields[i].value.u.b ? "" : "!",
                emit_wrap(fn, f, p->fields[i].value.u.b ? PREC_COMPARE : PREC_UNARY));
  }
  return out_str(&o);
}

str emit_case_condition(emit_fn *fn, const shape_case *c) {
  emit_op *op = fn->op;
  const env *here = fn->env;
  out_text o;
  out_init(&o, op->a);
  for (uint32_t i = 0; i < c->args.n; i++) {
    fn->env = c->arg_envs.v[i];
    const pattern *p = c->patterns.v[i];
    const expr *arg = c->args.v[i];
    str text;
    if (p->op == PATTERN_CTOR) {
      text = ctor_condition(fn, arg, p);
    } else if (p->op == PATTERN_STRING) {
      const cx is = emit_enum_is(fn, emit_expr(fn, arg), p->s);
      text = emit_wrap(fn, is, PREC_COMPARE);
    } else {
      const bool presence = p->op == PATTERN_PRESENT || c->of_presence.v[i];
      cx is = presence ? cx_of(REP_BOOL, PREC_PRIMARY, emit_present(fn, arg)) : emit_expr(fn, arg);
      if (presence && memchr(is.text.p, ' ', is.text.n) != NULL) is.prec = PREC_COMPARE;
      const cx b = cx_of(REP_BOOL, is.prec, emit_convert(fn, is, REP_BOOL));
      text = p->b ? emit_wrap(fn, b, PREC_COMPARE) : emit_format(op->a, "!$", emit_wrap(fn, b, PREC_PRIMARY));
    }
    emit_putf(&o, "%s$", o.n > 0 ? " && " : "", text);
  }
  fn->env = here;
  return out_str(&o);
}

str emit_shape_text(emit_op *op, const tensor_decl *t) { return expr_print(op->a, t->shape.root); }

/* ---- dtype ---- */

cx emit_tensor_dtype(emit_fn *fn, const tensor_decl *t) {
  const expr *e = t->dtype.root;
  if (e->op == EX_STRING) {
    const str name = emit_upper(fn->op->a, e->u.s);
    return cx_of(REP_DTYPE, PREC_PRIMARY, emit_format(fn->op->a, "ROOFLINE_$", name));
  }
  const cx c = emit_expr(fn, e);
  return cx_of(REP_DTYPE, c.prec, emit_convert(fn, c, REP_DTYPE));
}

/* ---- size ---- */

/* Bytes of one element: a number for a fixed dtype, else a local named after what decides it. */
static str element_size(emit_fn *fn, const tensor_decl *t) {
  emit_op *op = fn->op;
  const cx dtype = emit_tensor_dtype(fn, t);
  const expr *e = t->dtype.root;
  for (int d = 1; d < ROOFLINE_DTYPE_COUNT; d++) {
    const str name = emit_upper(op->a, str_of(roofline_dtype_name((roofline_dtype)d)));
    if (str_eq(dtype.text, emit_format(op->a, "ROOFLINE_$", name)))
      return emit_format(op->a, "%d", (roofline_dtype_bits((roofline_dtype)d) + 7) / 8);
  }
  const str text = emit_format(op->a, "roofline_dtype_size($)", dtype.text);
  for (uint32_t i = 0; i < fn->size_texts.n; i++) {
    if (str_eq(fn->size_texts.v[i], text)) return fn->size_names.v[i];
  }
  const str name = emit_local(op, emit_format(op->a, "$_size", e->op == EX_NAME ? e->u.s : t->name));
  vec_push(op->a, &fn->size_texts, text);
  vec_push(op->a, &fn->size_names, name);
  return name;
}

/* prod(axes) * size, in the order written. Axes that make no call come first, so that two layouts of one
   matrix read the same. */
static int by_text(const str *x, const str *y) {
  const int calls = (memchr(x->p, '(', x->n) != NULL) - (memchr(y->p, '(', y->n) != NULL);
  return calls != 0 ? calls : str_cmp(*x, *y);
}

static void sort_factors(str *factors, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    const str moved = factors[i];
    uint32_t j = i;
    for (; j > 0 && by_text(&moved, &factors[j - 1]) < 0; j--) factors[j] = factors[j - 1];
    factors[j] = moved;
  }
}

static uint32_t factors_of(emit_fn *fn, const shape_case *c, str *out) {
  const env *here = fn->env;
  fn->env = c->env;
  for (uint32_t i = 0; i < c->shape->n; i++) {
    const expr *axis = c->shape->args[i];
    if (axis->op == EX_SPLICE)
      out[i] = emit_prod_of(fn, axis->args[0]);
    else
      out[i] = emit_as(fn, axis, REP_INT);
  }
  fn->env = here;
  return c->shape->n;
}

static str product(emit_fn *fn, const str *factors, uint32_t n, str size) {
  str *all = arena_array(fn->op->a, str, n + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!str_is(factors[i], "1")) all[count++] = factors[i];
  }
  if (!str_is(size, "1") || count == 0) all[count++] = size;
  return emit_product(fn, all, count);
}

static bool same_factors(emit_op *op, const str *x, const str *y, uint32_t n) {
  str *a = arena_array(op->a, str, n + 1), *b = arena_array(op->a, str, n + 1);
  memcpy(a, x, n * sizeof *a);
  memcpy(b, y, n * sizeof *b);
  sort_factors(a, n);
  sort_factors(b, n);
  for (uint32_t i = 0; i < n; i++) {
    if (!str_eq(a[i], b[i])) return false;
  }
  return true;
}

/* The bytes of a present tensor. Cases with the same axes in another order are one size. */
cx emit_tensor_bytes(emit_fn *fn, const tensor_decl *t) {
  emit_op *op = fn->op;
  const env *here = fn->env;
  fn->env = NULL;
  const str size = element_size(fn, t);
  shape_cases cases = {0};
  emit_shape_cases(fn, t, &cases);
  str *first = NULL, all = STR("0");
  uint32_t first_n = 0;
  bool same = true;
  str *texts = arena_array(op->a, str, cases.n + 1);
  fn->conditional += cases.n > 1;
  for (uint32_t i = 0; i < cases.n; i++) {
    str *factors = arena_array(op->a, str, cases.v[i].shape->n + 1);
    const uint32_t n = factors_of(fn, &cases.v[i], factors);
    texts[i] = product(fn, factors, n, size);
    if (i == 0) {
      first = factors;
      first_n = n;
    }
    same = same && n == first_n && same_factors(op, first, factors, n);
  }
  fn->conditional -= cases.n > 1;
  prec p = PREC_PRIMARY;
  if (same && cases.n > 0) {
    all = texts[0];
  } else {
    for (uint32_t i = cases.n; i-- > 0;) { /* the last case needs no test: the cases are exhaustive */
      op->choosing++;
      const str condition = emit_case_condition(fn, &cases.v[i]);
      op->choosing--;
      if (i + 1 == cases.n) {
        all = texts[i];
      } else {
        const bool joined = memchr(condition.p, '&', condition.n) != NULL;
        const cx test = cx_of(REP_BOOL, joined ? PREC_AND : PREC_COMPARE, condition);
        all = emit_format(op->a, "$ ? $ : $", emit_wrap(fn, test, PREC_COMPARE), texts[i], all);
        p = PREC_IF;
      }
    }
  }
  fn->env = here;
  return cx_of(REP_INT, p, all);
}

/* ---- the function that gives a tensor's shape and dtype ---- */

static void push_axes(emit_fn *fn, const shape_case *c, uint32_t indent, out_text *o) {
  const env *here = fn->env;
  fn->env = c->env;
  for (uint32_t i = 0; i < c->shape->n; i++) {
    const expr *axis = c->shape->args[i];
    if (axis->op == EX_SPLICE)
      emit_linef(o, indent, "roofline_shape_append(&status, shape, $);", emit_as(fn, axis->args[0], REP_SEQ));
    else
      emit_linef(o, indent, "roofline_shape_push(&status, shape, $);", emit_as(fn, axis, REP_INT));
  }
  fn->env = here;
}

static void push_shape(emit_fn *fn, const tensor_decl *t, out_text *o) {
  shape_cases cases = {0};
  emit_shape_cases(fn, t, &cases);
  for (uint32_t i = 0; i < cases.n; i++) {
    const str condition = emit_case_condition(fn, &cases.v[i]);
    const bool last = i + 1 == cases.n;
    if (i == 0 && condition.n > 0)
      emit_linef(o, 4, "if ($) {", condition);
    else if (i > 0 && condition.n > 0 && !last)
      emit_linef(o, 4, "} else if ($) {", condition);
    else if (i > 0)
      emit_linef(o, 4, "} else {");
    push_axes(fn, &cases.v[i], condition.n > 0 || i > 0 ? 6 : 4, o);
    if (last && (condition.n > 0 || i > 0)) out_put(o, STR("    }\n"));
  }
}

void emit_tensor_function(emit_op *op, out_text *o) {
  emit_fn fn = emit_fn_start(op, "&status");
  out_text body;
  out_init(&body, op->a);
  for (uint32_t i = 0; i < op->e->tensor_count; i++) {
    const tensor_decl *t = &op->e->tensors[i];
    emit_linef(&body, 2, "case %u: /* $: $ */", i, t->name, emit_comment(op->a, emit_shape_text(op, t)));
    push_shape(&fn, t, &body);
    emit_linef(&body, 4, "*dtype_out = $;", emit_tensor_dtype(&fn, t).text);
    out_put(&body, STR("    break;\n"));
  }
  emit_block_comment(o, 0, STR("Shape and dtype of a present tensor; a negative axis is DOMAIN."));
  emit_linef(o, 0,
             "static roofline_status $_tensor(const roofline_call *self, int32_t tensor, roofline_shape "
             "*shape, roofline_dtype *dtype_out) {",
             op->symbol);
  out_text all;
  out_init(&all, op->a);
  out_put(&all, STR("  shape->rank = 0;\n  switch (tensor) {\n"));
  out_put(&all, out_str(&body));
  out_put(&all, STR("  default: return ROOFLINE_E_UNKNOWN_NAME;\n  }\n  return status;\n"));
  emit_fn_put_self(&fn, o, out_str(&all));
  out_put(o, STR("}\n\n"));
}
