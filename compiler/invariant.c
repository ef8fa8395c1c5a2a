#include "compiler/invariant.h"

#include "compiler/fold.h"
#include "compiler/kinds.h"

static const char what[] = "invariant";

/* The fields as the names of a condition. */
static symbol *field_symbols(arena *a, const adt_ctor *c) {
  symbol *symbols = arena_array(a, symbol, c->field_count);
  for (uint32_t i = 0; i < c->field_count; i++)
    symbols[i] = (symbol){c->fields[i].name, SYM_PARAM, i, FACT_VALID, c->fields[i].kind, c->fields[i].node};
  return symbols;
}

static formula invariant_of(const adt_ctor *c) {
  return (formula){.state = FACT_VALID,
                   .text = c->invariant_text,
                   .what = what,
                   .root = c->invariant,
                   .judged = c->invariant_judged};
}

void invariant_check_kinds(arena *a, diag_sink *sink, const adt_table *adts) {
  for (uint32_t i = 0; i < adts->count; i++)
    for (uint32_t k = 0; k < adts->adts[i].ctor_count; k++) {
      adt_ctor *c = &adts->adts[i].ctors[k];
      if (c->invariant == NULL) continue;
      formula f = invariant_of(c);
      c->invariant_judged = kinds_check_condition(a, sink, field_symbols(a, c), c->field_count, &f);
    }
}

static value field_value(const adt_field *f, int64_t v) {
  if (kind_may(f->kind, K_ENUM)) return value_string(f->kind->members[v]);
  return kind_may(f->kind, K_BOOL) ? value_bool(v != 0) : value_int(v);
}

value invariant_holds(arena *a, const adt *type, const value *v) {
  const adt_ctor *c = &type->ctors[v->u.adt->ctor];
  if (!c->invariant_judged) return (value){.tag = V_UNKNOWN};
  const entry fields = {.symbols = field_symbols(a, c), .symbol_count = c->field_count};
  const formula f = invariant_of(c);
  fold at = fold_new(a, NULL, &fields);
  for (uint32_t i = 0; i < c->field_count; i++)
    if ((v->n >> i & 1) == 0) at.slots[i] = field_value(&c->fields[i], v->u.adt->fields[i]);
  return fold_formula(&at, &f);
}

bool invariant_check_value(arena *a, diag_sink *sink, const source *src, const yt_node *key, const adt *type,
                           const roofline_adt *v) {
  const adt_ctor *c = &type->ctors[v->ctor];
  if (!c->invariant_judged) return true;
  value shown = value_adt(v), holds = invariant_holds(a, type, &shown);
  if (holds.tag == V_BOOL && holds.u.b) return true;
  diag *d = diag_add(sink, VALUE_INVARIANT, yt_value_span(src, key),
                     "%s of '%.*s' is not fulfilled by these fields%s", what, STR_ARG(c->name),
                     holds.tag == V_BOOL ? "" : ": its evaluation fails");
  diag_help(sink, d, "the value is %.*s", STR_ARG(value_text(a, &shown)));
  diag_relate(sink, d, yt_value_span(c->invariant_text.src, c->invariant_text.node), "%s", what);
  return false;
}
