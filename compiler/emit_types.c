/* The algebraic data types of types.yaml as C: constants, type data, a check of every value. */
#include "compiler/emit_internal.h"

str emit_adt_name(emitter *em, const adt *d) {
  return emit_format(em->a, "$_$", em->prefix, emit_snake(em->a, d->name));
}

str emit_adt_type(emitter *em, const adt *d) { return emit_format(em->a, "$_type", emit_adt_name(em, d)); }

static str upper_name(emitter *em, const adt *d, uint32_t ctor, const char *rest, str last) {
  return emit_format(em->a, "$_$_$%s$", em->upper, emit_upper(em->a, emit_snake(em->a, d->name)),
                     emit_upper(em->a, d->ctors[ctor].name), rest, last);
}

static void constant(emitter *em, const adt *d, out_text *o, str name, uint32_t number, const char *comment) {
  if (!names_add(&em->globals, name)) emit_collision(em, (span){d->src, d->node->begin, d->node->end}, name);
  emit_linef(o, 2, "$ = %u,%s%s%s", name, number, comment[0] != '\0' ? " /* " : "", comment,
             comment[0] != '\0' ? " */" : "");
}

static void put_constants(emitter *em, const adt *d, out_text *o) {
  out_put(o, STR("enum {\n"));
  for (uint32_t i = 0; i < d->ctor_count; i++) {
    constant(em, d, o, upper_name(em, d, i, "", (str){NULL, 0}), i, "");
    for (uint32_t j = 0; j < d->ctors[i].field_count; j++) {
      const adt_field *f = &d->ctors[i].fields[j];
      for (uint32_t k = 0; k < f->kind->member_count; k++) {
        const str member = emit_format(em->a, "_$", emit_upper(em->a, f->kind->members[k]));
        const str field = emit_format(em->a, "_$", emit_upper(em->a, f->name));
        constant(em, d, o, upper_name(em, d, i, arena_cstr(em->a, field), member), k, "");
      }
    }
  }
  out_put(o, STR("};\n"));
}

/* A value is made by its constructor's function: one argument a field. */
static void put_constructor(emitter *em, const adt *d, uint32_t ctor, out_text *o) {
  const adt_ctor *c = &d->ctors[ctor];
  out_text parameters;
  out_init(&parameters, em->a);
  for (uint32_t i = 0; i < c->field_count; i++)
    emit_putf(&parameters, "%sint64_t $_", i > 0 ? ", " : "", c->fields[i].name);
  if (c->field_count == 0) out_put(&parameters, STR("void"));
  emit_linef(o, 0, "static inline roofline_adt $_$($) {", emit_adt_name(em, d), c->name,
             out_str(&parameters));
  emit_linef(o, 2, "roofline_adt v = {&$, $, {0}};", emit_adt_type(em, d),
             upper_name(em, d, ctor, "", (str){NULL, 0}));
  for (uint32_t i = 0; i < c->field_count; i++) emit_linef(o, 2, "v.fields[%u] = $_;", i, c->fields[i].name);
  out_put(o, STR("  return v;\n}\n"));
}

static void put_header(emitter *em, const adt *d, out_text *o) {
  emit_linef(o, 0, "/* ---- $ ---- */", d->name);
  out_put(o, STR("\n"));
  put_constants(em, d, o);
  emit_linef(o, 0, "extern const roofline_adt_type $;", emit_adt_type(em, d));
  for (uint32_t i = 0; i < d->ctor_count; i++) put_constructor(em, d, i, o);
  emit_linef(o, 0, "/* Type, constructor, fields and invariant of a value; `declaration` names it. */");
  emit_linef(
      o, 0, "roofline_status $_check(roofline_error *error, const char *declaration, const roofline_adt *v);",
      emit_adt_name(em, d));
  out_put(o, STR("\n"));
}

static void put_data(emitter *em, const adt *d, out_text *o) {
  const str snake = emit_snake(em->a, d->name);
  for (uint32_t i = 0; i < d->ctor_count; i++) {
    const adt_ctor *c = &d->ctors[i];
    out_text fields;
    out_init(&fields, em->a);
    for (uint32_t j = 0; j < c->field_count; j++) {
      const kind *k = c->fields[j].kind;
      str values = STR("NULL");
      if (kind_is(k, K_ENUM)) {
        values = emit_format(em->a, "$_values%u_%u", snake, i, j);
        out_text list;
        out_init(&list, em->a);
        for (uint32_t m = 0; m < k->member_count; m++)
          emit_putf(&list, "%s$", m > 0 ? ", " : "", emit_quote(em->a, k->members[m]));
        emit_linef(o, 0, "static const char *const $[] = {$};", values, out_str(&list));
      }
      emit_linef(&fields, 4, "{$, $, %u},", emit_quote(em->a, c->fields[j].name), values, k->member_count);
    }
    if (c->field_count == 0) continue;
    emit_linef(o, 0, "static const roofline_adt_field $_fields%u[] = {", snake, i);
    out_put(o, out_str(&fields));
    out_put(o, STR("};\n"));
  }
  emit_linef(o, 0, "static const roofline_adt_ctor $_ctors[] = {", snake);
  for (uint32_t i = 0; i < d->ctor_count; i++) {
    const uint32_t n = d->ctors[i].field_count;
    const str fields = n == 0 ? STR("NULL") : emit_format(em->a, "$_fields%u", snake, i);
    emit_linef(o, 4, "{$, $, %u},", emit_quote(em->a, d->ctors[i].name), fields, n);
  }
  out_put(o, STR("};\n"));
  emit_linef(o, 0, "const roofline_adt_type $ = {$, $_ctors, %u};", emit_adt_type(em, d),
             emit_quote(em->a, d->name), snake, d->ctor_count);
  out_put(o, STR("\n"));
}

/* The invariant is an expression over the fields: those are its names. */
static void put_invariant(emitter *em, const adt *d, uint32_t ctor, out_text *o) {
  const adt_ctor *c = &d->ctors[ctor];
  if (c->invariant == NULL) return;
  const entry none = {0};
  emit_op op = {.em = em, .a = em->a, .e = &none, .symbol = emit_snake(em->a, d->name), .budget = 100000};
  out_init(&op.helpers, em->a);
  op.statics.a = em->a;
  emit_fn fn = emit_fn_start(&op, "&status");
  const env *scope = NULL;
  env closed = {.closed = true};
  scope = &closed;
  kind only = {.bits = K_ADT, .ctors = 1u << ctor, .adt = d, .length = -1};
  for (uint32_t i = 0; i < c->field_count; i++) {
    env *bound = arena_new_of(em->a, env);
    *bound = (env){.name = c->fields[i].name, .next = scope};
    bound->value = emit_field_read(&fn, (cx){.text = STR("v"), .rep = REP_ADT, .prec = PREC_PRIMARY}, &only,
                                   c->fields[i].name);
    scope = bound;
  }
  fn.env = scope;
  emit_linef(o, 4, "if (!($) || status != ROOFLINE_OK)", emit_as(&fn, c->invariant, REP_BOOL));
  emit_linef(o, 6, "return roofline_bind_rule(error, status, declaration, $);",
             emit_quoted_text(em->a, expr_print(em->a, c->invariant)));
}

static void put_check(emitter *em, const adt *d, out_text *o) {
  emit_linef(
      o, 0,
      "roofline_status $_check(roofline_error *error, const char *declaration, const roofline_adt *v) {",
      emit_adt_name(em, d));
  emit_linef(o, 2, "roofline_status status = roofline_bind_adt(error, declaration, v, &$);",
             emit_adt_type(em, d));
  out_put(o, STR("  if (status != ROOFLINE_OK) return status;\n  switch (v->ctor) {\n"));
  for (uint32_t i = 0; i < d->ctor_count; i++) {
    const adt_ctor *c = &d->ctors[i];
    emit_linef(o, 2, "case $:", upper_name(em, d, i, "", (str){NULL, 0}));
    for (uint32_t j = 0; j < c->field_count; j++) {
      const kind *k = c->fields[j].kind;
      if (kind_is(k, K_INT)) continue;
      const str last = kind_is(k, K_DIM)
                           ? STR("INT64_MAX")
                           : emit_int(em->a, kind_is(k, K_BOOL) ? 1 : (int64_t)k->member_count - 1);
      emit_linef(o, 4, "status = roofline_bind_range(error, declaration, v->fields[%u], 0, $); /* $ */", j,
                 last, c->fields[j].name);
      out_put(o, STR("    if (status != ROOFLINE_OK) return status;\n"));
    }
    put_invariant(em, d, i, o);
    out_put(o, STR("    break;\n"));
  }
  out_put(o, STR("  default: break;\n  }\n  return status;\n}\n\n"));
}

bool emit_types(emitter *em) {
  if (em->plans->adts == NULL || em->plans->adts->count == 0) return false;
  out_text header, code;
  out_init(&header, em->a);
  out_init(&code, em->a);
  out_put(&header, emit_file_comment(em, "Algebraic data types."));
  emit_open_header(em, &header, STR("types"), false);
  out_put(&code, emit_file_comment(em, "Algebraic data types."));
  out_put(&code, STR("#include \"types.h\"\n\n"));
  for (uint32_t i = 0; i < em->plans->adts->count; i++) {
    const adt *d = &em->plans->adts->adts[i];
    if (d->malformed) continue;
    put_header(em, d, &header);
    put_data(em, d, &code);
    put_check(em, d, &code);
  }
  emit_close_header(&header);
  emit_add_file(em, STR("types.h"), out_str(&header));
  emit_add_file(em, STR("types.c"), out_str(&code));
  return true;
}
