#include "runtime/pricing/audit_names.h"

#include "runtime/src/field.h"

static const void *field_at(const roofline_field *f, const roofline_row *row) {
  return at_offset(row->call, (ptrdiff_t)f->offset);
}

/* ---- kinds ---- */

static const kind *adt_kind(arena *a, const roofline_adt_type *type) {
  adt *t = arena_new_of(a, adt);
  *t = (adt){.name = str_of(type->name), .ctor_count = (uint32_t)type->ctor_count, .type = type};
  t->ctors = arena_array(a, adt_ctor, t->ctor_count);
  for (uint32_t i = 0; i < t->ctor_count; i++) {
    const roofline_adt_ctor *from = &type->ctors[i];
    adt_ctor *ctor = &t->ctors[i];
    ctor->name = str_of(from->name);
    ctor->field_count = (uint32_t)from->field_count;
    ctor->fields = arena_array(a, adt_field, ctor->field_count);
    for (uint32_t k = 0; k < ctor->field_count; k++) {
      ctor->fields[k] = (adt_field){.name = str_of(from->fields[k].name), .kind = &kind_int};
      if (from->fields[k].values == NULL) continue;
      kind *words = arena_new_of(a, kind);
      str *members = arena_array(a, str, from->fields[k].value_count);
      for (int32_t m = 0; m < from->fields[k].value_count; m++)
        members[m] = str_of(from->fields[k].values[m]);
      *words = (kind){.bits = K_ENUM, .members = members, .length = -1};
      words->member_count = (uint32_t)from->fields[k].value_count;
      ctor->fields[k].kind = words;
    }
  }
  kind *k = arena_new_of(a, kind);
  *k = (kind){.bits = K_ADT, .ctors = (uint32_t)((UINT64_C(1) << t->ctor_count) - 1), .length = -1, .adt = t};
  return k;
}

static const kind *enum_kind(arena *a, const roofline_field *f) {
  kind *k = arena_new_of(a, kind);
  str *members = arena_array(a, str, f->value_count);
  for (int32_t i = 0; i < f->value_count; i++) members[i] = str_of(f->values[i]);
  *k = (kind){.bits = K_ENUM | K_NONE, .members = members, .length = -1};
  k->member_count = (uint32_t)f->value_count;
  return k;
}

static const kind *tag_kind(roofline_tag tag) {
  switch (tag) {
  case ROOFLINE_TAG_NONE: return &kind_none;
  case ROOFLINE_TAG_BOOL: return &kind_bool;
  case ROOFLINE_TAG_INT: return &kind_int;
  case ROOFLINE_TAG_FLOAT: return &kind_float;
  case ROOFLINE_TAG_STRING: return &kind_str;
  case ROOFLINE_TAG_DTYPE: return &kind_dtype_any;
  case ROOFLINE_TAG_SEQ: return &kind_seq_int;
  case ROOFLINE_TAG_OPAQUE: return &kind_object;
  }
  return &kind_unknown;
}

static bool ever_absent(const roofline_op *op, const roofline_field *f) {
  for (int32_t i = 0; i < op->row_count; i++)
    if (field_value(f, field_at(f, &op->rows[i])).tag == ROOFLINE_TAG_NONE) return true;
  return false;
}

/* What the rows hold, and that it may be absent; when they hold nothing it is not to be judged. */
static const kind *union_kind(arena *a, const roofline_op *op, const roofline_field *f) {
  const kind *k = &kind_none;
  for (int32_t i = 0; i < op->row_count; i++)
    k = kind_union(a, k, tag_kind(field_value(f, field_at(f, &op->rows[i])).tag));
  return kind_is(k, K_NONE) ? &kind_unknown : k;
}

static const kind *field_kind(arena *a, const roofline_op *op, const roofline_field *f) {
  const kind *k = &kind_unknown;
  switch (f->kind) {
  case ROOFLINE_FIELD_INT: return &kind_int;
  case ROOFLINE_FIELD_BOOL: return &kind_bool;
  case ROOFLINE_FIELD_FLOAT: return &kind_float;
  case ROOFLINE_FIELD_SHAPE: return &kind_shape;
  case ROOFLINE_FIELD_SEQ: return &kind_seq_int;
  case ROOFLINE_FIELD_ENUM: return enum_kind(a, f);
  case ROOFLINE_FIELD_VALUE: return union_kind(a, op, f);
  case ROOFLINE_FIELD_DTYPE: k = &kind_dtype_any; break;
  case ROOFLINE_FIELD_ADT: k = adt_kind(a, f->adt); break;
  }
  return ever_absent(op, f) ? kind_union(a, k, &kind_none) : k;
}

entry *audit_names_of(arena *a, const roofline_op *op) {
  entry *e = arena_new_of(a, entry);
  uint32_t n = 0;
  e->symbols = arena_array(a, symbol, op->index_count + op->param_count + op->tensor_count);
  for (int32_t i = 0; i < op->index_count; i++) {
    const roofline_field *f = &op->indices[i];
    e->symbols[n++] =
        (symbol){str_of(f->name), SYM_INDEX, (uint32_t)i, FACT_VALID, field_kind(a, op, f), NULL};
  }
  for (int32_t i = 0; i < op->param_count; i++) {
    const roofline_field *f = &op->params[i];
    e->symbols[n++] =
        (symbol){str_of(f->name), SYM_PARAM, (uint32_t)i, FACT_VALID, field_kind(a, op, f), NULL};
  }
  e->tensor_count = (uint32_t)op->tensor_count;
  e->tensors = arena_array(a, tensor_decl, op->tensor_count);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    const roofline_tensor_info *t = &op->tensors[i];
    e->tensors[i] = (tensor_decl){.name = str_of(t->name), .role = t->role, .symbol = n};
    e->tensors[i].presence = t->present_offset == ROOFLINE_NOWHERE ? PRESENT_ALWAYS : PRESENT_OPTIONAL;
    e->symbols[n++] = (symbol){str_of(t->name), SYM_TENSOR, (uint32_t)i, FACT_VALID, &kind_tensor, NULL};
  }
  e->symbol_count = n;
  return e;
}

/* ---- values ---- */

static value value_of(const roofline_field *f, const void *at) {
  roofline_value v = field_value(f, at);
  if (f->kind == ROOFLINE_FIELD_ADT && v.tag == ROOFLINE_TAG_OPAQUE) return value_adt(at);
  switch (v.tag) {
  case ROOFLINE_TAG_NONE: return value_none();
  case ROOFLINE_TAG_BOOL: return value_bool(v.u.b);
  case ROOFLINE_TAG_INT: return value_int(v.u.i);
  case ROOFLINE_TAG_FLOAT: return value_float(v.u.f);
  case ROOFLINE_TAG_STRING: return value_string(str_of(v.u.s));
  case ROOFLINE_TAG_DTYPE: return value_dtype(v.u.t);
  case ROOFLINE_TAG_SEQ: return value_seq(v.u.q);
  case ROOFLINE_TAG_OPAQUE: return (value){.tag = V_OBJECT};
  }
  return (value){.tag = V_UNKNOWN};
}

void audit_names_set(fold *c, const roofline_op *op, const roofline_row *row) {
  uint32_t n = 0;
  for (int32_t i = 0; i < op->index_count; i++)
    c->slots[n++] = value_of(&op->indices[i], field_at(&op->indices[i], row));
  for (int32_t i = 0; i < op->param_count; i++)
    c->slots[n++] = value_of(&op->params[i], field_at(&op->params[i], row));
  for (int32_t i = 0; i < op->tensor_count; i++) c->slots[n++] = value_bool(tensor_present(row->call, i));
  fold_forget(c);
}
