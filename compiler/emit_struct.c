/* The public part of one op: its call and args structs, enums, prototypes. codegen.md §2. */
#include "compiler/emit_internal.h"

static const char *field_type(rep r) {
  static const char *const types[] = {
      [REP_INT] = "int64_t",          [REP_BOOL] = "bool",        [REP_ENUM] = "int32_t",
      [REP_DTYPE] = "roofline_dtype", [REP_FLOAT] = "double",     [REP_SHAPE] = "roofline_shape",
      [REP_SEQ] = "roofline_seq",     [REP_ADT] = "roofline_adt", [REP_VALUE] = "roofline_value"};
  return types[r];
}

/* "'fast' | 'exact'", "Dim": beside a field. */
static void put_field(emit_op *op, out_text *o, uint32_t number) {
  const symbol *s = &op->e->symbols[number];
  emit_linef(o, 2, "%s $; /* $ */", field_type(op->reps[number]), op->fields[number],
             emit_comment(op->a, kind_text(op->a, s->kind)));
}

static void put_enums(emit_op *op, out_text *o) {
  for (uint32_t i = 0; i < op->e->param_count; i++) {
    const param_decl *p = &op->e->parameters[i];
    if (!emit_is_value(p) || op->reps[p->symbol] != REP_ENUM) continue;
    const enum_source *s = op->sources[p->symbol];
    emit_linef(o, 0, "/* $%s */", op->fields[p->symbol], s->maybe ? "; 0 is None" : "");
    out_text list;
    out_init(&list, op->a);
    for (uint32_t m = 0; m < s->count; m++)
      emit_putf(&list, "%s$ = %u", m > 0 ? ", " : "", s->constants[m], m + 1);
    emit_linef(o, 0, "enum { $ };", out_str(&list));
  }
}

static void put_call(emit_op *op, out_text *o) {
  const entry *e = op->e;
  if (op->has_present) {
    emit_putf(o, "/* Which tensors that may be absent are passed. */\ntypedef struct $_present {\n",
              op->name);
    for (uint32_t i = 0; i < e->tensor_count; i++) {
      if (emit_presence_varies(&e->tensors[i])) emit_putf(o, "  bool $;\n", op->fields[e->tensors[i].symbol]);
    }
    if (op->has_out) out_put(o, STR("  bool out; /* the caller gave the output's buffer */\n"));
    emit_putf(o, "} $_present;\n\n", op->name);
  }
  if (op->has_metadata) {
    emit_putf(
        o, "/* Values of the metadata tensors, where the caller gave them. */\ntypedef struct $_metadata {\n",
        op->name);
    for (uint32_t i = 0; i < e->tensor_count; i++) {
      if (emit_is_metadata(&e->tensors[i]))
        emit_putf(o, "  roofline_metadata $;\n", op->fields[e->tensors[i].symbol]);
    }
    emit_putf(o, "} $_metadata;\n\n", op->name);
  }
  emit_putf(o, "typedef struct $ {\n  roofline_call $;\n", op->call_type, op->base_member);
  for (uint32_t i = 0; i < e->index_count; i++) {
    if (!emit_is_list(&e->indices[i])) put_field(op, o, e->indices[i].symbol);
  }
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (emit_is_value(&e->parameters[i])) put_field(op, o, e->parameters[i].symbol);
  }
  if (op->has_present) emit_putf(o, "  $_present present;\n", op->name);
  if (op->has_metadata) emit_putf(o, "  $_metadata $;\n", op->name, op->metadata_member);
  emit_putf(o, "} $;\n\n", op->call_type);
}

static void put_args(emit_op *op, out_text *o) {
  const entry *e = op->e;
  emit_putf(o,
            "/* Parameters, and the tensors of the call: a zeroed one is not passed. */\ntypedef struct "
            "$_args {\n",
            op->name);
  bool any = false;
  for (uint32_t i = 0; i < e->param_count; i++) {
    if (!emit_is_value(&e->parameters[i])) continue;
    put_field(op, o, e->parameters[i].symbol);
    any = true;
  }
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    const tensor_decl *t = &e->tensors[i];
    if (!emit_is_passed(t)) continue;
    emit_linef(o, 2, "roofline_tensor $; /* $ */", op->fields[t->symbol],
               emit_comment(op->a, emit_shape_text(op, t)));
    any = true;
  }
  if (!any) out_put(o, STR("  int32_t nothing; /* this op takes no argument */\n"));
  emit_putf(o, "} $_args;\n\n", op->name);
}

/* ---- defaults ---- */

static void put_value_default(emit_op *op, out_text *o, str target, const value *v) {
  switch ((value_tag)v->tag) {
  case V_NONE: emit_linef(o, 2, "$ = roofline_none();", target); return;
  case V_BOOL: emit_linef(o, 2, "$ = roofline_bool(%s);", target, v->u.b ? "true" : "false"); return;
  case V_INT: emit_linef(o, 2, "$ = roofline_int($);", target, emit_int(op->a, v->u.i)); return;
  case V_FLOAT: emit_linef(o, 2, "$ = roofline_float($);", target, emit_float(op->a, v->u.f)); return;
  case V_STRING: emit_linef(o, 2, "$ = roofline_string($);", target, emit_quote(op->a, v->u.s)); return;
  case V_DTYPE:
    emit_linef(o, 2, "$ = roofline_dtype_value($);", target, emit_dtype_name(op->a, v->u.t));
    return;
  case V_SEQ:
    emit_linef(o, 2, "$ = roofline_seq_value($_default_$());", target, op->name,
               emit_from(target, 5)); /* behind "args." */
    return;
  default: emit_linef(o, 2, "$ = roofline_opaque();", target); return;
  }
}

static const value *default_of(const param_decl *p) {
  return emit_is_value(p) && p->default_state == FACT_VALID ? &p->default_value : NULL;
}

/* A sequence's items need memory that outlives the args. */
static void put_sequence_default(emit_op *op, out_text *o, const param_decl *p, const value *v) {
  const roofline_seq q = v->u.q;
  emit_putf(o, "static inline roofline_seq $_default_$(void) {\n", op->name, op->fields[p->symbol]);
  if (q.items == NULL || q.len == 0) {
    emit_linef(o, 2, "return roofline_seq_of_runs($, $, $, $);", emit_int(op->a, q.first),
               emit_int(op->a, q.a), emit_int(op->a, q.len - q.first), emit_int(op->a, q.b));
  } else {
    out_text items, absent;
    out_init(&items, op->a);
    out_init(&absent, op->a);
    for (int64_t i = 0; i < q.len; i++) {
      emit_putf(&items, "%s$", i > 0 ? ", " : "", emit_int(op->a, q.items[i]));
      emit_putf(&absent, "%s%s", i > 0 ? ", " : "", roofline_seq_absent(&q, i) ? "true" : "false");
    }
    emit_linef(o, 2, "static const int64_t items[] = {$};", out_str(&items));
    if (q.absent != NULL) emit_linef(o, 2, "static const bool absent[] = {$};", out_str(&absent));
    emit_linef(o, 2, "roofline_seq result = roofline_seq_of(items, $);", emit_int(op->a, q.len));
    if (q.absent != NULL) out_put(o, STR("  result.absent = absent;\n"));
    out_put(o, STR("  return result;\n"));
  }
  out_put(o, STR("}\n\n"));
}

static void put_default(emit_op *op, out_text *o, const param_decl *p) {
  const value *v = default_of(p);
  if (v == NULL) return;
  const str target = emit_format(op->a, "args.$", op->fields[p->symbol]);
  str text = {NULL, 0};
  switch (op->reps[p->symbol]) {
  case REP_INT: text = emit_int(op->a, v->u.i); break;
  case REP_BOOL: text = v->u.b ? STR("true") : STR("false"); break;
  case REP_FLOAT: text = emit_float(op->a, v->tag == V_INT ? (double)v->u.i : v->u.f); break;
  case REP_DTYPE: text = v->tag == V_DTYPE ? emit_dtype_name(op->a, v->u.t) : (str){NULL, 0}; break;
  case REP_ENUM:
    if (v->tag == V_STRING) text = op->sources[p->symbol]->constants[kind_member(p->kind, v->u.s)];
    break;
  case REP_SEQ: text = emit_format(op->a, "$_default_$()", op->name, op->fields[p->symbol]); break;
  case REP_ADT:
    if (v->tag != V_ADT) break;
    emit_linef(o, 2, "$.type = &$;", target, emit_adt_type(op->em, p->kind->adt));
    emit_linef(o, 2, "$.ctor = %d;", target, v->u.adt->ctor);
    for (uint32_t i = 0; i < p->kind->adt->ctors[v->u.adt->ctor].field_count; i++)
      emit_linef(o, 2, "$.fields[%u] = $;", target, i, emit_int(op->a, v->u.adt->fields[i]));
    break;
  default: put_value_default(op, o, target, v); break;
  }
  if (text.n > 0) emit_linef(o, 2, "$ = $;", target, text);
}

static void put_defaults(emit_op *op, out_text *o) {
  for (uint32_t i = 0; i < op->e->param_count; i++) {
    const value *v = default_of(&op->e->parameters[i]);
    if (v != NULL && v->tag == V_SEQ) put_sequence_default(op, o, &op->e->parameters[i], v);
  }
  emit_putf(o, "static inline $_args $_defaults(void) {\n  $_args args;\n  memset(&args, 0, sizeof args);\n",
            op->name, op->name, op->name);
  for (uint32_t i = 0; i < op->e->param_count; i++) put_default(op, o, &op->e->parameters[i]);
  out_put(o, STR("  return args;\n}\n\n"));
}

/* ---- all of it ---- */

void emit_struct(emit_op *op, out_text *o) {
  const entry *e = op->e;
  emit_linef(o, 0, "/* ---- $, $ ---- */", e->name, emit_origin(op));
  out_put(o, STR("\n"));
  put_enums(op, o);
  put_call(op, o);
  put_args(op, o);
  put_defaults(op, o);
  emit_linef(o, 0, "extern const roofline_op $_op;", op->name);
  out_put(o, STR("\n"));
  emit_block_comment(o, 0, STR("The call as this op's own, or NULL when it is another op's."));
  emit_linef(o, 0, "static inline const $ *$_cast(const roofline_call *call) {", op->call_type, op->name);
  emit_linef(o, 2, "return call->op == &$_op ? (const $ *)call : NULL;", op->name, op->call_type);
  out_put(o, STR("}\n\n"));
  emit_block_comment(
      o, 0,
      STR("Solves the indices from the tensors and parameters given, then checks the call. On failure "
          "`error`, which may be NULL, names the declaration and both values."));
  emit_linef(o, 0, "roofline_status $_bind($ *call, const $_args *args, roofline_error *error);", op->name,
             op->call_type, op->name);
  emit_block_comment(o, 0, STR("What one checked call costs; on failure `cost` is untouched."));
  emit_linef(o, 0, "roofline_status $_eval_roofline(const $ *call, roofline_cost *cost);", op->name,
             op->call_type);
  emit_linef(o, 0, "const char *$_roof_key(const roofline_call *call);", op->name);
  if (emit_has_read_bytes(op))
    emit_linef(o, 0, "roofline_status $_read_bytes(const roofline_call *call, int64_t *bytes);", op->name);
  if (emit_has_data_terms(op))
    emit_linef(o, 0, "const char *$_data_terms(const roofline_call *call);", op->name);
  out_put(o, STR("\n"));
}
