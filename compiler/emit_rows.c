/* Workload rows as data, their metadata's generators, and the op's table. codegen.md §2. */
#include "compiler/emit_internal.h"

/* ---- values as constant initializers ---- */

/* Static data of these items; equal lists share theirs. */
static str shared_array(emit_op *op, out_text *data, const char *type, str name, str items) {
  const str key = emit_format(op->a, "%s|$", type, items);
  for (uint32_t i = 0; i < op->outlined_count; i++) {
    if (str_eq(op->outlined[i].body, key)) return op->outlined[i].name;
  }
  const str array = names_free(&op->statics, name);
  emit_remember(op, key, array);
  emit_linef(data, 0, "static const %s $[] = {$};", type, array, items);
  return array;
}

/* A sequence; its items go to static data named after the row. */
static str seq_initializer(emit_op *op, out_text *data, str name, roofline_seq q) {
  if (q.items == NULL || q.len == 0)
    return emit_format(op->a, "{NULL, NULL, $, $, $, $}", emit_int(op->a, q.len),
                       emit_int(op->a, q.items == NULL ? q.first : 0),
                       emit_int(op->a, q.items == NULL ? q.a : 0),
                       emit_int(op->a, q.items == NULL ? q.b : 0));
  out_text items, absent;
  out_init(&items, op->a);
  out_init(&absent, op->a);
  for (int64_t i = 0; i < q.len; i++) {
    emit_putf(&items, "%s$", i > 0 ? ", " : "", emit_int(op->a, q.items[i]));
    emit_putf(&absent, "%s%s", i > 0 ? ", " : "", roofline_seq_absent(&q, i) ? "true" : "false");
  }
  const str array = shared_array(op, data, "int64_t", name, out_str(&items));
  str marks = STR("NULL");
  if (q.absent != NULL)
    marks = shared_array(op, data, "bool", emit_format(op->a, "$_absent", name), out_str(&absent));
  return emit_format(op->a, "{$, $, $, 0, 0, 0}", array, marks, emit_int(op->a, q.len));
}

static str shape_initializer(emit_op *op, roofline_seq q) {
  out_text o;
  out_init(&o, op->a);
  emit_putf(&o, "{$, {", emit_int(op->a, q.len));
  for (int64_t i = 0; i < q.len; i++)
    emit_putf(&o, "%s$", i > 0 ? ", " : "", emit_int(op->a, roofline_seq_item(&q, i)));
  out_put(&o, q.len == 0 ? STR("0}}") : STR("}}"));
  return out_str(&o);
}

static str adt_initializer(emit_op *op, const kind *k, const roofline_adt *v) {
  out_text o;
  out_init(&o, op->a);
  const uint32_t n = k->adt->ctors[v->ctor].field_count;
  emit_putf(&o, "{&$, %d, {", emit_adt_type(op->em, k->adt), v->ctor);
  for (uint32_t i = 0; i < n; i++) emit_putf(&o, "%s$", i > 0 ? ", " : "", emit_int(op->a, v->fields[i]));
  out_put(&o, n == 0 ? STR("0}}") : STR("}}"));
  return out_str(&o);
}

/* roofline_value: its tag, then every member, all but one zero. */
static str value_initializer(emit_op *op, out_text *data, str name, const value *v) {
  const char *tag = "OPAQUE";
  str b = STR("false"), t = STR("ROOFLINE_DTYPE_NONE"), i = STR("0"), f = STR("0.0"), s = STR("NULL");
  str q = STR("{NULL, NULL, 0, 0, 0, 0}");
  switch ((value_tag)v->tag) {
  case V_UNKNOWN:
  case V_NONE: tag = "NONE"; break;
  case V_BOOL: tag = "BOOL", b = v->u.b ? STR("true") : STR("false"); break;
  case V_INT: tag = "INT", i = emit_int(op->a, v->u.i); break;
  case V_FLOAT: tag = "FLOAT", f = emit_float(op->a, v->u.f); break;
  case V_STRING: tag = "STRING", s = emit_quote(op->a, v->u.s); break;
  case V_DTYPE: tag = "DTYPE", t = emit_dtype_name(op->a, v->u.t); break;
  case V_SEQ: tag = "SEQ", q = seq_initializer(op, data, name, v->u.q); break;
  default: break;
  }
  return emit_format(op->a, "{ROOFLINE_TAG_%s, {$, $, $, $, $, $}}", tag, b, t, i, f, s, q);
}

static str initializer(emit_op *op, out_text *data, uint32_t number, uint32_t row, const value *v) {
  const symbol *s = &op->e->symbols[number];
  const str name = emit_format(op->a, "$_row%u_$", op->symbol, row, op->fields[number]);
  const bool unknown = v->tag == V_UNKNOWN || v->tag == V_NONE;
  switch (op->reps[number]) {
  case REP_INT: return emit_int(op->a, unknown ? 0 : v->u.i);
  case REP_BOOL: return !unknown && v->u.b ? STR("true") : STR("false");
  case REP_FLOAT: return emit_float(op->a, unknown ? 0.0 : v->tag == V_INT ? (double)v->u.i : v->u.f);
  case REP_DTYPE: return emit_dtype_name(op->a, unknown ? ROOFLINE_DTYPE_NONE : v->u.t);
  case REP_ENUM: return unknown ? STR("0") : op->sources[number]->constants[kind_member(s->kind, v->u.s)];
  case REP_SHAPE: return shape_initializer(op, unknown ? (roofline_seq){0} : v->u.q);
  case REP_SEQ: return seq_initializer(op, data, name, unknown ? (roofline_seq){0} : v->u.q);
  case REP_ADT: return unknown ? STR("{NULL, 0, {0}}") : adt_initializer(op, s->kind, v->u.adt);
  default: return value_initializer(op, data, name, v);
  }
}

/* ---- rows ---- */

static void put_call(emit_op *op, out_text *data, out_text *calls, const plan_row *row, uint32_t number) {
  const entry *e = op->e;
  out_text o;
  out_init(&o, op->a);
  emit_putf(&o, "{{&$_op, ROOFLINE_CALL_CHECKED, NULL}", op->name);
  for (uint32_t i = 0; i < e->index_count; i++) {
    if (!emit_is_list(&e->indices[i]))
      emit_putf(&o, ", $", initializer(op, data, e->indices[i].symbol, number, &row->indices[i]));
  }
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (emit_is_value(&e->parameters[i]))
      emit_putf(&o, ", $", initializer(op, data, e->parameters[i].symbol, number, &row->params[i]));
  }
  const char *between = "";
  if (op->has_present) {
    out_put(&o, STR(", {"));
    for (uint32_t i = 0; i < e->tensor_count; i++) {
      if (!emit_presence_varies(&e->tensors[i])) continue;
      emit_putf(&o, "%s%s", between, row->present[i] ? "true" : "false");
      between = ", ";
    }
    if (op->has_out) emit_putf(&o, "%sfalse", between);
    out_put(&o, STR("}"));
  }
  between = "";
  if (op->has_metadata) {
    out_put(&o, STR(", {"));
    for (uint32_t i = 0; i < e->tensor_count; i++) {
      if (!emit_is_metadata(&e->tensors[i])) continue;
      emit_putf(&o, "%s{NULL, ROOFLINE_DTYPE_NONE, 0}", between);
      between = ", ";
    }
    out_put(&o, STR("}"));
  }
  out_put(&o, STR("},"));
  emit_line(calls, 4, out_str(&o));
}

void emit_rows(emit_op *op, out_text *o) {
  const plan *p = op->plan;
  const entry *e = op->e;
  if (p->row_count == 0) return;
  out_text data, calls, lists, rows;
  out_init(&data, op->a);
  out_init(&calls, op->a);
  out_init(&lists, op->a);
  out_init(&rows, op->a);
  uint32_t list_count = 0;
  for (uint32_t i = 0; i < e->index_count; i++) list_count += emit_is_list(&e->indices[i]);
  for (uint32_t r = 0; r < p->row_count; r++) {
    const plan_row *row = &p->rows[r];
    put_call(op, &data, &calls, row, r);
    for (uint32_t i = 0; i < e->index_count; i++) {
      if (!emit_is_list(&e->indices[i])) continue;
      const str name = emit_format(op->a, "$_row%u_$", op->symbol, r, op->fields[e->indices[i].symbol]);
      const value *v = &row->indices[i];
      emit_linef(&lists, 4, "$,",
                 seq_initializer(op, &data, name, v->tag == V_SEQ ? v->u.q : (roofline_seq){0}));
    }
    const str list =
        list_count == 0 ? STR("NULL") : emit_format(op->a, "&$_lists[%u]", op->symbol, r * list_count);
    emit_linef(&rows, 4, "{$, $, &$_calls[%u].$, $},", emit_quote(op->a, row->case_id),
               emit_quote(op->a, row->label), op->symbol, r, op->base_member, list);
  }
  out_put(o, out_str(&data));
  emit_putf(o, "static const $ $_calls[] = {\n", op->call_type, op->symbol);
  out_put(o, out_str(&calls));
  out_put(o, STR("};\n"));
  if (list_count > 0) {
    emit_putf(o, "static const roofline_seq $_lists[] = {\n", op->symbol);
    out_put(o, out_str(&lists));
    out_put(o, STR("};\n"));
  }
  emit_putf(o, "static const roofline_row $_rows[] = {\n", op->symbol);
  out_put(o, out_str(&rows));
  out_put(o, STR("};\n\n"));
}

/* ---- generators ---- */

static void put_generate(emit_op *op, out_text *o) {
  const entry *e = op->e;
  emit_fn fn = emit_fn_start(op, "&status");
  fn.lists = "lists";
  out_text body;
  out_init(&body, op->a);
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    if (!emit_is_metadata(t)) continue;
    const expr *x = t->values.root;
    const primitive *p = primitive_get((primitive_id)x->symbol);
    const str seed = p->cls != PRIM_SEEDED
                         ? (str){NULL, 0}
                         : emit_format(op->a, ", roofline_generator_seed($, $)", emit_quote(op->a, e->name),
                                       emit_quote(op->a, t->name));
    emit_linef(&body, 2, "case %u: /* $ */", i, t->name);
    emit_linef(&body, 4, "$(&status, shape, values$$);", emit_primitive_name(op->a, (primitive_id)x->symbol),
               seed, emit_primitive_arguments(&fn, x));
    out_put(&body, STR("    break;\n"));
  }
  emit_linef(o, 0,
             "static roofline_status $_generate(const roofline_call *self, const roofline_seq *lists, "
             "int32_t tensor, roofline_shape *shape, int64_t *values) {",
             op->symbol);
  out_put(o, STR("  (void)lists;\n"));
  out_text all;
  out_init(&all, op->a);
  out_put(&all, STR("  switch (tensor) {\n"));
  out_put(&all, out_str(&body));
  out_put(&all, STR("  default: return ROOFLINE_E_UNKNOWN_NAME;\n  }\n  return status;\n"));
  emit_fn_put_self(&fn, o, out_str(&all));
  out_put(o, STR("}\n\n"));
}

/* ---- the table ---- */

static const char *field_kind(rep r) {
  static const char *const kinds[] = {[REP_INT] = "INT",     [REP_BOOL] = "BOOL",   [REP_ENUM] = "ENUM",
                                      [REP_DTYPE] = "DTYPE", [REP_FLOAT] = "FLOAT", [REP_SHAPE] = "SHAPE",
                                      [REP_SEQ] = "SEQ",     [REP_VALUE] = "VALUE", [REP_ADT] = "ADT"};
  return kinds[r];
}

static void put_field(emit_op *op, out_text *o, uint32_t number, bool is_param) {
  const symbol *s = &op->e->symbols[number];
  const str field = op->fields[number];
  const rep r = op->reps[number];
  const str args = is_param ? emit_format(op->a, "offsetof($_args, $)", op->name, field) : STR("0");
  str values = STR("NULL"), adt_type = STR("NULL");
  uint32_t count = 0;
  if (r == REP_ENUM) {
    values = emit_format(op->a, "$_$_values", op->symbol, field);
    count = s->kind->member_count;
  }
  if (r == REP_ADT) adt_type = emit_format(op->a, "&$", emit_adt_type(op->em, s->kind->adt));
  emit_linef(o, 4, "{$, ROOFLINE_FIELD_%s, offsetof($, $), $, $, %u, $},", emit_quote(op->a, s->name),
             field_kind(r), op->call_type, field, args, values, count, adt_type);
}

static void put_tensor_info(emit_op *op, out_text *o, const tensor_decl *t) {
  static const char *const roles[] = {"INPUT", "CONSTRUCTION", "OUTPUT"};
  const str field = op->fields[t->symbol], nowhere = STR("ROOFLINE_NOWHERE");
  const str present = !emit_presence_varies(t)
                          ? nowhere
                          : emit_format(op->a, "(ptrdiff_t)(offsetof($, present) + offsetof($_present, $))",
                                        op->call_type, op->name, field);
  const str args =
      !emit_is_passed(t) ? nowhere : emit_format(op->a, "(ptrdiff_t)offsetof($_args, $)", op->name, field);
  const str metadata = !emit_is_metadata(t)
                           ? nowhere
                           : emit_format(op->a, "(ptrdiff_t)(offsetof($, $) + offsetof($_metadata, $))",
                                         op->call_type, op->metadata_member, op->name, field);
  emit_linef(o, 4, "{$, ROOFLINE_%s, $, $, $},", emit_quote(op->a, t->name), roles[t->role], present, args,
             metadata);
}

static void include_family(emit_op *op, str family) {
  emitter *em = op->em;
  if (str_eq(family, op->e->family)) return;
  for (uint32_t i = 0; i < em->includes.n; i++) {
    if (str_eq(em->includes.v[i], family)) return;
  }
  vec_push(em->a, &em->includes, family);
}

/* Writes `static const TYPE SYMBOL_NAME[] = {...};` and gives its name, or NULL when there is nothing. */
static str put_table(emit_op *op, out_text *o, const char *type, const char *name, const out_text *items) {
  if (items->n == 0) return STR("NULL");
  const str table = emit_format(op->a, "$_%s", op->symbol, name);
  emit_putf(o, "static const %s $[] = {\n", type, table);
  out_put(o, out_str(items));
  out_put(o, STR("};\n"));
  return table;
}

static const emit_op *find_op(const emitter *em, str name) {
  for (uint32_t i = 0; i < em->plans->count; i++) {
    if (em->ops[i].e != NULL && str_eq(em->ops[i].e->name, name)) return &em->ops[i];
  }
  return NULL;
}

static void put_wrappers(emit_op *op, out_text *o) {
  emit_putf(o,
            "static void $_set_defaults(void *args) {\n  const $_args defaults = $_defaults();\n"
            "  memcpy(args, &defaults, sizeof defaults);\n}\n\n",
            op->symbol, op->name, op->name);
  emit_linef(
      o, 0,
      "static roofline_status $_bind_any(roofline_call *call, const void *args, roofline_error *error) {",
      op->symbol);
  emit_linef(o, 2, "return $_bind(($ *)call, (const $_args *)args, error);", op->name, op->call_type,
             op->name);
  out_put(o, STR("}\n\n"));
  emit_linef(o, 0, "static roofline_status $_eval_any(const roofline_call *call, roofline_cost *cost) {",
             op->symbol);
  emit_linef(o, 2, "return $_eval_roofline((const $ *)call, cost);", op->name, op->call_type);
  out_put(o, STR("}\n\n"));
}

void emit_op_table(emit_op *op, out_text *o) {
  const entry *e = op->e;
  arena *a = op->a;
  if (op->has_metadata) put_generate(op, o);
  put_wrappers(op, o);
  out_text indices, params, tensors, lets, lists, stages;
  out_init(&indices, a);
  out_init(&params, a);
  out_init(&tensors, a);
  out_init(&lets, a);
  out_init(&lists, a);
  out_init(&stages, a);
  uint32_t index_count = 0, param_count = 0, list_count = 0;
  for (uint32_t i = 0; i < e->index_count; i++) {
    if (emit_is_list(&e->indices[i])) {
      emit_linef(&lists, 4, "$,", emit_quote(a, e->indices[i].name));
      list_count++;
    } else {
      put_field(op, &indices, e->indices[i].symbol, false);
      index_count++;
    }
  }
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (!emit_is_value(&e->parameters[i])) continue;
    put_field(op, &params, e->parameters[i].symbol, true);
    param_count++;
  }
  for (uint32_t i = 0; i < e->tensor_count; i++) put_tensor_info(op, &tensors, &e->tensors[i]);
  for (uint32_t i = 0; i < e->let_count; i++) emit_linef(&lets, 4, "$,", emit_quote(a, e->lets[i].name));
  for (uint32_t i = 0; i < e->stage_count; i++) {
    const stage_decl *s = &e->stages[i];
    const emit_op *stage = s->op.n > 0 ? find_op(op->em, s->op) : NULL;
    const str ref = stage == NULL ? STR("NULL") : emit_format(a, "&$_op", stage->name);
    if (stage != NULL) include_family(op, stage->e->family);
    emit_linef(&stages, 4, "{$, $, %s},", emit_quote(a, s->name), ref, s->optional ? "true" : "false");
  }
  const str t1 = put_table(op, o, "roofline_field", "indices", &indices),
            t2 = put_table(op, o, "roofline_field", "params", &params);
  const str t3 = put_table(op, o, "roofline_tensor_info", "tensors", &tensors);
  const str t4 = put_table(op, o, "char *const", "lets", &lets),
            t5 = put_table(op, o, "char *const", "list_names", &lists);
  const str t6 = put_table(op, o, "roofline_stage", "stages", &stages);
  const str rows = op->plan->row_count > 0 ? emit_format(a, "$_rows", op->symbol) : STR("NULL");
  const str let = e->let_count > 0 ? emit_format(a, "$_let", op->symbol) : STR("NULL");
  const str generate = op->has_metadata ? emit_format(a, "$_generate", op->symbol) : STR("NULL");
  const str read = emit_has_read_bytes(op) ? emit_format(a, "$_read_bytes", op->name) : STR("NULL");
  const str terms = emit_has_data_terms(op) ? emit_format(a, "$_data_terms", op->name) : STR("NULL");
  emit_putf(o, "\nconst roofline_op $_op = {\n", op->name);
  emit_linef(o, 4, "$, $, $, %s,", emit_quote(a, e->name), emit_quote(a, e->family),
             emit_quote(a, emit_origin(op)), e->implemented ? "true" : "false");
  emit_linef(o, 4, "sizeof($), sizeof($_args),", op->call_type, op->name);
  emit_linef(o, 4, "$, $, $, $, $, $, $,", t1, t2, t3, t4, t5, rows, t6);
  emit_linef(o, 4, "%u, %u, %u, %u, %u, %u, %u,", index_count, param_count, e->tensor_count, e->let_count,
             list_count, op->plan->row_count, e->stage_count);
  emit_linef(o, 4, "$_set_defaults, $_bind_any, $_eval_any, $_tensor, $, $,", op->symbol, op->symbol,
             op->symbol, op->symbol, let, generate);
  emit_linef(o, 4, "$_roof_key, $, $,", op->name, read, terms);
  out_put(o, STR("};\n\n"));
}
