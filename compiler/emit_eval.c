/* What a call costs: the evaluator, the read half, the roof key, the lets by number. language.md §8. */
#include <string.h>

#include "compiler/emit_internal.h"

bool emit_is_func(const entry *e) { return e->func_state == FACT_VALID; }

str emit_func_name(const entry *e) {
  uint32_t at = e->func.n;
  while (at > 0 && e->func.p[at - 1] != '.') at--;
  return (str){e->func.p + at, e->func.n - at};
}

bool emit_defines(const emit_definitions *d, emit_mark_kind what, str name) {
  for (uint32_t i = 0; i < d->count; i++) {
    if (d->marks[i].kind == what && str_eq(d->marks[i].name, name)) return true;
  }
  return false;
}

static bool overrides_read(const emit_op *op) {
  return emit_defines(&op->em->options->definitions, MARK_READ_BYTES, op->symbol);
}

bool emit_has_read_bytes(const emit_op *op) { return overrides_read(op) || emit_derives_bytes(op->e); }

bool emit_has_data_terms(const emit_op *op) {
  return emit_defines(&op->em->options->definitions, MARK_DATA_TERMS, op->symbol);
}

static bool overrides_roof_key(const emit_op *op) {
  return emit_defines(&op->em->options->definitions, MARK_ROOF_KEY, op->symbol);
}

bool emit_is_overridden(const emit_op *op) {
  return overrides_read(op) || overrides_roof_key(op) || emit_has_data_terms(op);
}

/* ---- derived bytes ---- */

typedef struct charge {
  str condition; /* when; empty: always */
  const char *what;
  unsigned times;
  bool read;
} charge;

static str both(emit_op *op, str x, str y) {
  if (str_is(x, "false") || str_is(y, "true")) return x;
  if (x.n == 0 || str_is(x, "true") || str_is(y, "false")) return y;
  if (y.n == 0) return x;
  return emit_format(op->a, "$ && $", x, y);
}

static str condition_of(emit_fn *fn, const expr *e) {
  const cx c = emit_expr(fn, e);
  return emit_wrap(fn, (cx){.text = emit_convert(fn, c, REP_BOOL), .rep = REP_BOOL, .prec = c.prec},
                   PREC_AND);
}

/* When the tensor is passed; empty: always; "false": never. */
static str presence_of(emit_fn *fn, const tensor_decl *t) {
  const int present = emit_is_present(fn, t);
  if (present >= 0) return present ? (str){NULL, 0} : STR("false");
  return emit_format(fn->op->a, "call->present.$", fn->op->fields[t->symbol]);
}

/* When the input is written; empty: always; "false": never. */
static str written_when(emit_fn *fn, const tensor_decl *t) {
  if (t->mutation == MUTATED_NO) return STR("false");
  if (t->mutation == MUTATED_YES) return presence_of(fn, t);
  const str when = both(fn->op, presence_of(fn, t), condition_of(fn, t->mutated.root));
  return str_is(when, "true") ? (str){NULL, 0} : when;
}

static uint32_t charges_of(emit_fn *fn, const tensor_decl *t, charge out[2]) {
  emit_op *op = fn->op;
  const str present = presence_of(fn, t);
  if (t->role == ROOFLINE_OUTPUT) {
    str when = present;
    if (t->alias >= 0) {
      const tensor_decl *input = &op->e->tensors[t->alias];
      const str written = written_when(fn, input);
      if (written.n == 0) return 0; /* the output is the input object, whose write is already counted */
      if (!str_is(written, "false")) when = both(op, present, emit_format(op->a, "!($)", written));
    }
    out[0] = (charge){when, "written", 1, false};
    return 1;
  }
  if (t->write_only) {
    out[0] = (charge){present, "written", 1, false};
    return 1;
  }
  if (t->mutation == MUTATED_YES) {
    out[0] = (charge){present, "read and written", 2, true};
    return 1;
  }
  out[0] = (charge){present, "read", 1, true};
  if (t->mutation == MUTATED_NO) return 1;
  out[1] = (charge){written_when(fn, t), "written", 1, false};
  return 2;
}

/* "if (condition) statement comment" on one line, or on as many as it takes. */
static void put_guarded(out_text *o, str condition, str statement, str comment) {
  enum { ONE_LINE = 108 };
  if (condition.n == 0) {
    emit_linef(o, 2, "$ $", statement, comment);
  } else if (condition.n + statement.n + comment.n + 8 <= ONE_LINE) {
    emit_linef(o, 2, "if ($) $ $", condition, statement, comment);
  } else {
    emit_linef(o, 2, "if ($)", condition);
    emit_linef(o, 4, "$ $", statement, comment);
  }
}

/* One statement of the sum. */
typedef struct term {
  charge charge;
  const tensor_decl *t;
  str size;
} term;

/* A size that several tensors have is computed once, where one of them is always term. */
static void share_sizes(emit_fn *fn, out_text *o, term *all, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t uses = 0, always = n;
    if (memchr(all[i].size.p, '(', all[i].size.n) == NULL) continue;
    for (uint32_t j = i; j < n; j++) {
      if (!str_eq(all[j].size, all[i].size)) continue;
      uses++;
      if (all[j].charge.condition.n == 0 && always == n) always = j;
    }
    if (uses < 2 || always == n) continue;
    const str text = all[i].size;
    const str name = emit_local(fn->op, emit_format(fn->op->a, "$_bytes", all[always].t->name));
    emit_linef(o, 2, "const int64_t $ = $;", name, text);
    for (uint32_t j = i; j < n; j++) {
      if (str_eq(all[j].size, text)) all[j].size = name;
    }
  }
}

/* The sum of language.md §8, tensor by tensor; `reads`: the read half alone. */
static void put_derived(emit_fn *fn, out_text *o, bool reads) {
  emit_op *op = fn->op;
  const char *sum = reads ? "total" : "bytes";
  term *all = arena_array(op->a, term, 2 * (size_t)op->e->tensor_count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < op->e->tensor_count; i++) {
    const tensor_decl *t = &op->e->tensors[i];
    charge charges[2];
    const uint32_t n = charges_of(fn, t, charges);
    for (uint32_t j = 0; j < n; j++) {
      if ((reads && !charges[j].read) || str_is(charges[j].condition, "false")) continue;
      fn->conditional += charges[j].condition.n > 0;
      const cx size = emit_tensor_bytes(fn, t);
      all[count++] = (term){charges[j], t, size.text};
      fn->conditional -= charges[j].condition.n > 0;
    }
  }
  share_sizes(fn, o, all, count);
  bool declared = false;
  for (uint32_t i = 0; i < count; i++) {
    const charge *c = &all[i].charge;
    str size = all[i].size;
    if (!reads && c->times > 1)
      size = emit_format(op->a, "roofline_mul(%s, %u, $)", fn->status, c->times, size);
    const str comment = emit_format(op->a, "/* $: %s */", all[i].t->name, reads ? "read" : c->what);
    if (!declared && c->condition.n == 0) {
      put_guarded(o, c->condition, emit_format(op->a, "int64_t %s = $;", sum, size), comment);
    } else {
      if (!declared) emit_putf(o, "  int64_t %s = 0;\n", sum);
      put_guarded(o, c->condition,
                  emit_format(op->a, "%s = roofline_add(%s, %s, $);", sum, fn->status, sum, size), comment);
    }
    declared = true;
  }
  if (!declared) emit_putf(o, "  const int64_t %s = 0;\n", sum);
}

/* ---- formulas ---- */

/* A sum term by term, so that each stands on a line of its own. */
static void put_formula(emit_fn *fn, out_text *o, const char *name, const expr *e) {
  const bool sum = e->op == EX_ARITH && (e->links[0].op == OP_ADD || e->links[0].op == OP_SUB);
  emit_linef(o, 2, "%sint64_t %s = $;", sum ? "" : "const ", name,
             emit_as(fn, sum ? e->args[0] : e, REP_INT));
  for (uint32_t i = 1; sum && i < e->n; i++)
    emit_linef(o, 2, "%s = roofline_%s(%s, %s, $);", name, e->links[i - 1].op == OP_ADD ? "add" : "sub",
               fn->status, name, emit_as(fn, e->args[i], REP_INT));
}

static str formula_place(const emit_op *op, const formula *f) {
  const span at = expr_whole(&f->text, f->root);
  if (at.src == NULL) return emit_origin(op);
  const str file = emit_base_name(at.src->path);
  return emit_format(op->a, "$:%u", file, source_position(at.src, at.begin).line);
}

static void put_quote(emit_op *op, out_text *o) {
  const entry *e = op->e;
  out_text text;
  out_init(&text, op->a);
  emit_putf(&text, "$ ($): ", e->name, emit_origin(op));
  if (emit_is_func(e)) {
    emit_putf(&text, "func $", e->func);
  } else {
    emit_putf(&text, "flops $ ($)", yt_text(e->flops.text.node), formula_place(op, &e->flops));
    if (emit_derives_bytes(e))
      out_put(&text, STR("; bytes derived from the signature"));
    else
      emit_putf(&text, "; bytes $ ($)", yt_text(e->bytes.text.node), formula_place(op, &e->bytes));
  }
  emit_block_comment(o, 0, out_str(&text));
}

/* Is the formula's function there to be called? Without --formulas an implemented entry's is taken to be. */
static bool has_formula(const emit_op *op) {
  const emit_options *options = op->em->options;
  if (emit_defines(&options->definitions, MARK_FORMULA, emit_func_name(op->e))) return true;
  return !options->definitions.given && !options->missing_unavailable && op->e->implemented;
}

bool emit_calls_formula(const emit_op *op) { return emit_is_func(op->e) && has_formula(op); }

static void put_guard(emit_op *op, out_text *o) {
  emit_linef(o, 2, "if (call->$.checked != ROOFLINE_CALL_CHECKED) return ROOFLINE_E_UNCHECKED;",
             op->base_member);
}

static void put_func(emit_op *op, out_text *o) {
  if (!has_formula(op)) {
    out_put(o, STR("  (void)cost;\n"));
    put_guard(op, o);
    out_put(o, STR("  return ROOFLINE_E_NOT_AVAILABLE; /* no definition of the formula was given */\n"));
    return;
  }
  put_guard(op, o);
  out_put(o, STR("  roofline_cost result = {0, 0};\n"));
  emit_linef(o, 2, "const roofline_status status = $(&call->$, &result);", emit_func_name(op->e),
             op->base_member);
  out_put(o, STR("  if (status == ROOFLINE_OK) *cost = result;\n  return status;\n"));
}

/* Renders a part once to find the products worth sharing and, where there are any, again with them. */
static void put_shared(emit_fn *fn, out_text *o, void (*part)(emit_fn *fn, out_text *o)) {
  fn->sharing = true;
  part(fn, o);
  if (!emit_share_prods(fn)) return;
  o->n = 0;
  part(fn, o);
}

static void put_costs(emit_fn *fn, out_text *o) {
  const entry *e = fn->op->e;
  put_formula(fn, o, "flops", e->flops.root);
  if (emit_derives_bytes(e))
    put_derived(fn, o, false);
  else
    put_formula(fn, o, "bytes", e->bytes.root);
}

static void put_reads(emit_fn *fn, out_text *o) { put_derived(fn, o, true); }

static str cost_body(emit_op *op, fold *point) {
  const entry *e = op->e;
  emit_fn fn = emit_fn_start(op, "&status");
  fn.point = point;
  emit_find_eager(op, e->flops.root, fn.eager);
  if (!emit_derives_bytes(e)) emit_find_eager(op, e->bytes.root, fn.eager);
  out_text statements, body;
  out_init(&statements, op->a);
  out_init(&body, op->a);
  put_shared(&fn, &statements, put_costs);
  out_put(&statements,
          STR("  if (status != ROOFLINE_OK) return status;\n  cost->flops = flops;\n  cost->bytes = bytes;\n"
              "  return ROOFLINE_OK;\n"));
  out_put(&body, STR("  roofline_status status = ROOFLINE_OK;\n"));
  emit_fn_put(&fn, &body, out_str(&statements));
  return out_str(&body);
}

static void put_inline(emit_op *op, out_text *o) {
  put_guard(op, o);
  emit_at_points(op, o, "cost", "roofline_cost *cost", "cost", cost_body);
}

static str read_body(emit_op *op, fold *point) {
  emit_fn fn = emit_fn_start(op, "&status");
  fn.point = point;
  out_text statements, body;
  out_init(&statements, op->a);
  out_init(&body, op->a);
  put_shared(&fn, &statements, put_reads);
  out_put(&statements, STR("  if (status == ROOFLINE_OK) *bytes = total;\n  return status;\n"));
  out_put(&body, STR("  roofline_status status = ROOFLINE_OK;\n"));
  emit_fn_put(&fn, &body, out_str(&statements));
  return out_str(&body);
}

static void put_read(emit_op *op, out_text *o) {
  out_text body;
  out_init(&body, op->a);
  emit_at_points(op, &body, "reads", "int64_t *bytes", "bytes", read_body);
  emit_linef(o, 0, "roofline_status $_read_bytes(const roofline_call *self, int64_t *bytes) {", op->name);
  out_put(o, STR("  if (self->checked != ROOFLINE_CALL_CHECKED) return ROOFLINE_E_UNCHECKED;\n"));
  if (emit_mentions(out_str(&body), STR("call")))
    emit_linef(o, 2, "const $ *call = (const $ *)self;", op->call_type, op->call_type);
  out_put(o, out_str(&body));
  out_put(o, STR("}\n\n"));
}

/* ---- declared beside formulas, or by default ---- */

static bool is_prefixed(const emit_op *op) { return !str_is(op->em->prefix, "roofline"); }

/* A hand-written function keeps its name `roofline_<op>_..`; under another prefix it is called. */
static void put_declared(emit_op *op, out_text *o) {
  const struct {
    bool overridden;
    const char *mark, *returns, *name, *parameters, *arguments;
  } hooks[] = {
      {overrides_roof_key(op), "ROOFLINE_ROOF_KEY", "const char *", "roof_key", "const roofline_call *self",
       "self"},
      {overrides_read(op), "ROOFLINE_READ_BYTES", "roofline_status ", "read_bytes",
       "const roofline_call *self, int64_t *bytes", "self, bytes"},
      {emit_has_data_terms(op), "ROOFLINE_DATA_TERMS", "const char *", "data_terms",
       "const roofline_call *self", "self"},
  };
  for (size_t i = 0; is_prefixed(op) && i < sizeof hooks / sizeof *hooks; i++) {
    if (!hooks[i].overridden) continue;
    emit_linef(o, 0, "%s$_%s(%s) {", hooks[i].returns, op->name, hooks[i].name, hooks[i].parameters);
    emit_linef(o, 2, "return roofline_$_%s(%s);", op->symbol, hooks[i].name, hooks[i].arguments);
    out_put(o, STR("}\n\n"));
    vec_push(op->em->a, &op->em->hooks, emit_format(op->em->a, "%s($);", hooks[i].mark, op->symbol));
  }
  if (!overrides_roof_key(op))
    emit_putf(o,
              "const char *$_roof_key(const roofline_call *self) {\n  (void)self;\n  return "
              "\"cuda_core.fp32\";\n}\n\n",
              op->name);
  if (emit_derives_bytes(op->e) && !overrides_read(op)) put_read(op, o);
}

void emit_eval(emit_op *op, out_text *o) {
  out_text body;
  out_init(&body, op->a);
  if (emit_is_func(op->e))
    put_func(op, &body);
  else
    put_inline(op, &body);
  put_quote(op, o);
  emit_linef(o, 0, "roofline_status $_eval_roofline(const $ *call, roofline_cost *cost) {", op->name,
             op->call_type);
  out_put(o, out_str(&body));
  out_put(o, STR("}\n\n"));
  put_declared(op, o);
}

/* ---- what reading the lets costs ---- */

/* Evaluations of lets that one reading of e makes; a function reads an eager let once. */
static uint64_t count_reads(const emit_op *op, const expr *e, const bool *eager, bool *counted,
                            const uint64_t *costs) {
  if (e == NULL) return 0;
  const symbol *s = e->op == EX_NAME ? entry_symbol(op->e, e->u.s) : NULL;
  uint64_t sum = 0;
  if (s != NULL && s->cls == SYM_LET && !counted[s->number]) {
    sum = costs[s->number];
    counted[s->number] = eager[s->number];
  }
  for (uint32_t i = 0; i < e->n; i++) sum += count_reads(op, e->args[i], eager, counted, costs);
  return sum < EMIT_MOST_EVALUATIONS ? sum : EMIT_MOST_EVALUATIONS;
}

static uint64_t cost_of(const emit_op *op, uint32_t let, uint64_t *costs) {
  const entry *e = op->e;
  if (costs[let] > 0) return costs[let];
  costs[let] = EMIT_MOST_EVALUATIONS; /* a circle, were there one */
  bool *read = arena_array(op->a, bool, e->let_count), *eager = arena_array(op->a, bool, e->let_count);
  emit_find_lets(op, e->lets[let].formula.root, read);
  for (uint32_t i = 0; i < e->let_count; i++)
    if (read[i]) cost_of(op, i, costs);
  emit_find_eager(op, e->lets[let].formula.root, eager);
  bool *counted = arena_array(op->a, bool, e->let_count);
  costs[let] = 1 + count_reads(op, e->lets[let].formula.root, eager, counted, costs);
  return costs[let];
}

/* Lets that name each other again and again could make a call's evaluation endless. */
bool emit_lets_are_cheap(const emit_op *op) {
  uint64_t *costs = arena_array(op->a, uint64_t, op->e->let_count + 1);
  for (uint32_t i = 0; i < op->e->let_count; i++)
    if (cost_of(op, i, costs) >= EMIT_MOST_EVALUATIONS) return false;
  return true;
}

/* ---- lets by number ---- */

static void put_let(emit_fn *fn, out_text *o, uint32_t i) {
  emit_op *op = fn->op;
  const let_decl *let = &op->e->lets[i];
  emit_linef(o, 2, "case %u: { /* $ */", i, let->name);
  const cx c = emit_symbol_read(fn, let->symbol, let->kind);
  switch (c.rep) {
  case REP_SHAPE:
    emit_linef(o, 4, "*shape = *$;", emit_wrap(fn, c, PREC_PRIMARY));
    out_put(o, STR("    *value = roofline_seq_value(roofline_seq_of_shape(shape));\n"));
    break;
  case REP_SEQ: /* the items of a tuple live here: the caller's shape keeps them */
    emit_linef(o, 4, "const roofline_seq items = $;", c.text);
    out_put(o,
            STR("    *value = roofline_seq_value(items);\n"
                "    if (items.items == NULL || items.len > ROOFLINE_MAX_RANK) break;\n"
                "    shape->rank = (int32_t)items.len;\n"
                "    for (int32_t nth = 0; nth < shape->rank; nth++) shape->dims[nth] = items.items[nth];\n"
                "    value->u.q.items = shape->dims;\n"));
    break;
  case REP_ADT:
    emit_linef(o, 4, "*adt = *$;", emit_wrap(fn, c, PREC_PRIMARY));
    out_put(o, STR("    *value = roofline_opaque();\n"));
    break;
  default: emit_linef(o, 4, "*value = $;", emit_convert(fn, c, REP_VALUE));
  }
  out_put(o, STR("    break;\n  }\n"));
}

void emit_let_function(emit_op *op, out_text *o) {
  if (op->e->let_count == 0) return;
  emit_fn fn = emit_fn_start(op, "&status");
  out_text body;
  out_init(&body, op->a);
  for (uint32_t i = 0; i < op->e->let_count; i++) put_let(&fn, &body, i);
  emit_linef(o, 0,
             "static roofline_status $_let(const roofline_call *self, int32_t let, roofline_value *value, "
             "roofline_shape *shape, roofline_adt *adt) {",
             op->symbol);
  out_put(o, STR("  (void)shape;\n  (void)adt;\n"));
  out_text all;
  out_init(&all, op->a);
  out_put(&all, STR("  switch (let) {\n"));
  out_put(&all, out_str(&body));
  out_put(&all, STR("  default: return ROOFLINE_E_UNKNOWN_NAME;\n  }\n  return status;\n"));
  emit_fn_put_self(&fn, o, out_str(&all));
  out_put(o, STR("}\n\n"));
}
