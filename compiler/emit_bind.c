/* Binding a call: parameters, presence, domain restrictions, solving, checking. language.md §5, §6. */
#include "compiler/emit_internal.h"

str emit_declaration(emit_op *op, const tensor_decl *t, const char *part) {
  static const char *const sections[] = {"inputs", "params", "outputs"};
  return emit_format(op->a, "%s.$%s", sections[t->role], t->name, part);
}

/* ---- static data that the checks read ---- */

static str strings_of(emit_op *op, const kind *k) {
  out_text o;
  out_init(&o, op->a);
  for (uint32_t i = 0; i < k->member_count; i++)
    emit_putf(&o, "%s$", i > 0 ? ", " : "", emit_quote(op->a, k->members[i]));
  return out_str(&o);
}

static uint32_t tags_of(const kind *k) {
  static const struct {
    uint32_t bit, tags;
  } map[] = {{K_NONE, 1u << ROOFLINE_TAG_NONE},
             {K_BOOL, 1u << ROOFLINE_TAG_BOOL},
             {K_INTEGER, 1u << ROOFLINE_TAG_INT},
             {K_FLOAT, 1u << ROOFLINE_TAG_FLOAT | 1u << ROOFLINE_TAG_INT},
             {K_ENUM | K_STR, 1u << ROOFLINE_TAG_STRING},
             {K_DTYPE, 1u << ROOFLINE_TAG_DTYPE},
             {K_SEQ | K_SHAPE, 1u << ROOFLINE_TAG_SEQ},
             {K_ADT, 1u << ROOFLINE_TAG_OPAQUE},
             {K_OBJECT, 0xffu}};
  uint32_t tags = 0;
  for (size_t i = 0; i < sizeof map / sizeof *map; i++) {
    if (kind_may(k, map[i].bit)) tags |= map[i].tags;
  }
  if (kind_is(k, K_OBJECT)) tags &= ~(1u << ROOFLINE_TAG_NONE);
  return tags;
}

/* Lengths that the declared type's sequence arms have; false: any. */
static bool lengths_of(emit_op *op, const expr *type, out_text *o, uint32_t *count) {
  for (uint32_t i = 0; i < type->n; i++) {
    const expr *arm = type->args[i];
    if (arm->op != EX_GENERIC) continue;
    const bool any = str_is(arm->name, "list") || (arm->n == 2 && arm->args[1]->op == EX_ELLIPSIS);
    if (any) return false;
    emit_putf(o, "%s%u", *count > 0 ? ", " : "", arm->n);
    ++*count;
  }
  (void)op;
  return *count > 0;
}

static void put_union(emit_op *op, out_text *o, const param_decl *p) {
  const kind *k = p->kind;
  const str name = op->fields[p->symbol];
  str strings = STR("NULL"), lengths = STR("NULL");
  out_text list;
  out_init(&list, op->a);
  uint32_t string_count = 0, length_count = 0;
  if (kind_may(k, K_ENUM) && !kind_may(k, K_STR | K_OBJECT)) {
    strings = emit_format(op->a, "$_$_strings", op->symbol, name);
    emit_linef(o, 0, "static const char *const $[] = {$};", strings, strings_of(op, k));
    string_count = k->member_count;
  }
  if (p->type != NULL && lengths_of(op, p->type, &list, &length_count)) {
    lengths = emit_format(op->a, "$_$_lengths", op->symbol, name);
    emit_linef(o, 0, "static const int32_t $[] = {$};", lengths, out_str(&list));
  }
  const bool absent_items = kind_may(k, K_SEQ) && k->item != NULL && kind_may(k->item, K_NONE);
  emit_linef(o, 0, "static const roofline_bind_union $_$_union = {0x%xu, 0x%xu, $, %u, $, %u, %s};",
             op->symbol, name, tags_of(k), k->dtypes, strings, string_count, lengths,
             str_is(lengths, "NULL") ? 0 : length_count, absent_items ? "true" : "false");
}

static void put_names(emit_op *op, out_text *o) {
  if (op->e->tensor_count == 0) return;
  emit_linef(o, 0, "static const roofline_bind_names $_names[] = {", op->symbol);
  for (uint32_t i = 0; i < op->e->tensor_count; i++) {
    const tensor_decl *t = &op->e->tensors[i];
    emit_linef(o, 4, "{$, $, $, $},", emit_quote(op->a, emit_declaration(op, t, "")),
               emit_quote(op->a, emit_declaration(op, t, ".shape")),
               emit_quote(op->a, emit_declaration(op, t, ".dtype")),
               emit_quoted_text(op->a, emit_shape_text(op, t)));
  }
  out_put(o, STR("};\n\n"));
}

static void put_combos(emit_op *op, out_text *o) {
  const entry *e = op->e;
  if (e->combo_count == 0) return;
  emit_linef(o, 0, "static const roofline_dtype $_combos[] = {", op->symbol);
  for (uint32_t i = 0; i < e->combo_count; i++) {
    out_text row;
    out_init(&row, op->a);
    /* Rows have the same keys, perhaps in another order: the first row's is kept. */
    for (uint32_t j = 0; j < e->combos[0].cell_count; j++) {
      for (uint32_t k = 0; k < e->combos[i].cell_count; k++) {
        if (e->combos[i].cells[k].symbol == e->combos[0].cells[j].symbol)
          emit_putf(&row, "$, ", emit_dtype_name(op->a, e->combos[i].cells[k].dtype));
      }
    }
    str text = out_str(&row);
    if (text.n > 0) text.n--;
    emit_linef(o, 4, "$", text);
  }
  out_put(o, STR("};\n\n"));
}

/* ---- parameters ---- */

static void put_parameter(emit_op *op, out_text *o, const param_decl *p) {
  const str field = op->fields[p->symbol];
  const str declaration = emit_quote(op->a, emit_format(op->a, "params.$", p->name));
  const kind *k = p->kind;
  emit_linef(o, 2, "call->$ = args->$;", field, field);
  switch (op->reps[p->symbol]) {
  case REP_ENUM:
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_enum(error, $, args->$, $, $_$_values, %u)", declaration,
                           field, kind_may(k, K_NONE) ? STR("true") : STR("false"), op->symbol, field,
                           k->member_count));
    return;
  case REP_DTYPE:
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_dtype(error, $, args->$, 0x%xu)", declaration, field,
                           k->dtypes | (kind_may(k, K_NONE) ? 1u : 0u)));
    return;
  case REP_SEQ: {
    const bool absent = k->item != NULL && kind_may(k->item, K_NONE);
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_seq(error, $, args->$, %d, %s)", declaration, field,
                           k->length, absent ? "true" : "false"));
    return;
  }
  case REP_VALUE:
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_value(error, $, &args->$, &$_$_union)", declaration, field,
                           op->symbol, field));
    return;
  case REP_ADT: {
    const uint32_t indent = kind_may(k, K_NONE) ? 4 : 2;
    if (kind_may(k, K_NONE)) emit_linef(o, 2, "if (args->$.type != NULL) {", field);
    emit_check(
        o, indent,
        emit_format(op->a, "$_check(error, $, &args->$)", emit_adt_name(op->em, k->adt), declaration, field));
    if (kind_may(k, K_NONE)) out_put(o, STR("  }\n"));
    return;
  }
  default: return;
  }
}

/* ---- presence ---- */

/* Conditions may read other conditional tensors' presence: those come first. */
static void put_presence_of(emit_fn *fn, out_text *o, uint32_t i, bool *done);

static void put_read_presences(emit_fn *fn, out_text *o, const expr *e, bool *done) {
  if (e == NULL) return;
  if (e->op == EX_CALL && str_is(e->name, "present") && e->n == 1 && e->args[0]->op == EX_NAME) {
    const symbol *s = entry_symbol(fn->op->e, e->args[0]->u.s);
    if (s != NULL && s->cls == SYM_TENSOR) put_presence_of(fn, o, s->number, done);
    return;
  }
  for (uint32_t i = 0; i < e->n; i++) put_read_presences(fn, o, e->args[i], done);
}

static void put_presence_of(emit_fn *fn, out_text *o, uint32_t i, bool *done) {
  emit_op *op = fn->op;
  const tensor_decl *t = &op->e->tensors[i];
  if (done[i] || t->presence == PRESENT_ALWAYS) return;
  done[i] = true;
  const str field = op->fields[t->symbol];
  if (t->presence == PRESENT_OPTIONAL) {
    emit_linef(o, 2, "call->present.$ = args->$.dtype != ROOFLINE_DTYPE_NONE;", field, field);
    return;
  }
  put_read_presences(fn, o, t->condition.root, done);
  emit_linef(o, 2, "call->present.$ = $;", field, emit_as(fn, t->condition.root, REP_BOOL));
}

static void put_presence(emit_fn *fn, out_text *o) {
  emit_op *op = fn->op;
  const entry *e = op->e;
  bool *done = arena_array(op->a, bool, e->tensor_count + 1);
  for (uint32_t i = 0; i < e->tensor_count; i++) put_presence_of(fn, o, i, done);
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    if (!emit_is_passed(t)) continue;
    const str field = op->fields[t->symbol];
    if (t->role == ROOFLINE_OUTPUT)
      emit_linef(o, 2, "call->present.out = args->$.dtype != ROOFLINE_DTYPE_NONE;", field);
    const str wanted = t->role == ROOFLINE_OUTPUT ? STR("call->present.out")
                       : emit_presence_varies(t)  ? emit_format(op->a, "call->present.$", field)
                                                  : STR("true");
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_passed(error, $, &args->$, $)",
                           emit_quote(op->a, emit_declaration(op, t, "")), field, wanted));
    if (t->contiguous)
      emit_check(o, 2,
                 emit_format(op->a, "roofline_bind_contiguous(error, $, &args->$)",
                             emit_quote(op->a, emit_declaration(op, t, "")), field));
    if (emit_is_metadata(t))
      emit_linef(o, 2, "call->$.$ = roofline_bind_metadata(&args->$);", op->metadata_member, field, field);
  }
}

/* ---- refinements ---- */

/* Does it read an index, through lets too? Those wait until the indices are solved. */
static bool reads_index(const entry *e, const expr *x) {
  if (x == NULL) return false;
  if (x->op == EX_NAME) {
    const symbol *s = entry_symbol(e, x->u.s);
    if (s == NULL) return false;
    return s->cls == SYM_INDEX || (s->cls == SYM_LET && reads_index(e, e->lets[s->number].formula.root));
  }
  for (uint32_t i = 0; i < x->n; i++) {
    if (reads_index(e, x->args[i])) return true;
  }
  return false;
}

static bool is_int_comparison(const expr *x) {
  return x->op == EX_COMPARE && x->n == 2 && x->links[0].op != OP_IN && x->links[0].op != OP_NOT_IN &&
         x->args[0]->kind != NULL && kind_is(x->args[0]->kind, K_INTEGER) && x->args[1]->kind != NULL &&
         kind_is(x->args[1]->kind, K_INTEGER);
}

/* One conjunct at a time, so that the message names what failed; a comparison of integers with its sides. */
static void put_conjunct(emit_fn *fn, out_text *o, str declaration, const expr *x) {
  emit_op *op = fn->op;
  if (x->op == EX_AND) {
    for (uint32_t i = 0; i < x->n; i++) put_conjunct(fn, o, declaration, x->args[i]);
    return;
  }
  const cx c = emit_expr(fn, x);
  const cx b = {.text = emit_convert(fn, c, REP_BOOL), .rep = REP_BOOL, .prec = c.prec};
  const str text = emit_quoted_text(op->a, expr_print(op->a, x));
  emit_linef(o, 2, "if (!($) || status != ROOFLINE_OK)", b.text);
  if (is_int_comparison(x))
    emit_linef(o, 4, "return roofline_bind_compared(error, status, $, $, $, $);", declaration, text,
               emit_as(fn, x->args[0], REP_INT), emit_as(fn, x->args[1], REP_INT));
  else
    emit_linef(o, 4, "return roofline_bind_rule(error, status, $, $);", declaration, text);
}

static void put_rules(emit_fn *fn, out_text *o, bool after_solving) {
  emit_op *op = fn->op;
  for (uint32_t i = 0; i < op->e->rule_count; i++) {
    const expr *root = op->e->rules[i].root;
    if (reads_index(op->e, root) != after_solving) continue;
    put_conjunct(fn, o, emit_quote(op->a, emit_format(op->a, "shape_rules[%u]", i)), root);
  }
}

/* ---- dtypes and metadata ---- */

static void put_dtypes(emit_fn *fn, out_text *o) {
  emit_op *op = fn->op;
  const entry *e = op->e;
  for (uint32_t i = 0; i < e->index_count; i++) {
    const index_decl *x = &e->indices[i];
    if (!kind_is(x->kind, K_DTYPE)) continue;
    /* NONE: not relevant on this branch. */
    emit_check(o, 2,
               emit_format(op->a, "roofline_bind_dtype(error, $, call->$, 0x%xu)",
                           emit_quote(op->a, emit_format(op->a, "forall.$", x->name)), op->fields[x->symbol],
                           x->kind->dtypes | 1u));
  }
  if (e->combo_count == 0) return;
  out_text list;
  out_init(&list, op->a);
  for (uint32_t i = 0; i < e->combos[0].cell_count; i++)
    emit_putf(&list, "%scall->$", i > 0 ? ", " : "", op->fields[e->combos[0].cells[i].symbol]);
  emit_linef(o, 2, "const roofline_dtype values[] = {$};", out_str(&list));
  emit_check(o, 2,
             emit_format(op->a, "roofline_bind_combo(error, values, $_combos, %u, %u)", op->symbol,
                         e->combos[0].cell_count, e->combo_count));
}

/* A predicate that reads a Seq[Int] index cannot be judged: a call does not carry those. */
static bool reads_list(const entry *e, const expr *x) {
  if (x == NULL) return false;
  const symbol *s = x->op == EX_NAME ? entry_symbol(e, x->u.s) : NULL;
  if (s != NULL && s->cls == SYM_INDEX && emit_is_list(&e->indices[s->number])) return true;
  for (uint32_t i = 0; i < x->n; i++) {
    if (reads_list(e, x->args[i])) return true;
  }
  return false;
}

static void put_predicate(emit_fn *fn, out_text *o, const tensor_decl *t, uint32_t number) {
  emit_op *op = fn->op;
  const expr *x = t->requires[number].root;
  if (x->op != EX_CALL || reads_list(op->e, x)) return;
  out_text test;
  out_init(&test, op->a);
  emit_putf(&test, "call->$.$.data != NULL", op->metadata_member, op->fields[t->symbol]);
  for (uint32_t i = 0; i < x->n; i++) {
    const symbol *s = x->args[i]->op == EX_NAME ? entry_symbol(op->e, x->args[i]->u.s) : NULL;
    if (s != NULL && s->cls == SYM_TENSOR)
      emit_putf(&test, " && call->$.$.data != NULL", op->metadata_member,
                op->fields[op->e->tensors[s->number].symbol]);
  }
  const str arguments = emit_primitive_arguments(fn, x);
  const str declaration = emit_declaration(op, t, "");
  emit_linef(o, 2, "if ($ && !($(&status, &call->$.$$) && status == ROOFLINE_OK))", out_str(&test),
             emit_primitive_name(op->a, (primitive_id)x->symbol), op->metadata_member, op->fields[t->symbol],
             arguments);
  emit_linef(o, 4, "return roofline_bind_rule(error, status, $, $);",
             emit_quote(op->a, emit_format(op->a, "$.requires[%u]", declaration, number)),
             emit_quoted_text(op->a, expr_print(op->a, x)));
}

/* ---- all of it ---- */

void emit_bind(emit_op *op, out_text *o) {
  const entry *e = op->e;
  emit_fn fn = emit_fn_start(op, "&status");
  fn.locals = false;
  out_text body;
  out_init(&body, op->a);
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (emit_is_value(&e->parameters[i])) put_parameter(op, &body, &e->parameters[i]);
  }
  put_presence(&fn, &body);
  put_rules(&fn, &body, false);
  emit_solve(&fn, &body);
  put_dtypes(&fn, &body);
  if (e->tensor_count > 0)
    emit_check(&body, 2,
               emit_format(op->a, "roofline_bind_tensors(error, &call->$, args, names)", op->base_member));
  put_rules(&fn, &body, true);
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    for (uint32_t j = 0; emit_is_metadata(&e->tensors[i]) && j < e->tensors[i].requires_count; j++)
      put_predicate(&fn, &body, &e->tensors[i], j);
  }

  put_names(op, o);
  put_combos(op, o);
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (emit_is_value(&e->parameters[i]) && op->reps[e->parameters[i].symbol] == REP_VALUE)
      put_union(op, o, &e->parameters[i]);
  }
  emit_linef(o, 0, "roofline_status $_bind($ *call, const $_args *args, roofline_error *error) {", op->name,
             op->call_type, op->name);
  if (e->tensor_count > 0)
    emit_linef(o, 2, "const roofline_bind_names *names = $_names;", op->symbol);
  else
    out_put(o, STR("  (void)error;\n  (void)args;\n"));
  if (emit_mentions(out_str(&body), STR("status")))
    out_put(o, STR("  roofline_status status = ROOFLINE_OK;\n"));
  out_put(o, STR("  memset(call, 0, sizeof *call);\n"));
  emit_linef(o, 2, "call->$.op = &$_op;", op->base_member, op->name);
  emit_linef(&body, 2, "call->$.checked = ROOFLINE_CALL_CHECKED;", op->base_member);
  emit_fn_put(&fn, o, out_str(&body));
  out_put(o, STR("  return ROOFLINE_OK;\n}\n\n"));
}
