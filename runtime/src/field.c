/* Reading and storing fields of generated structs by their description. */
#include <string.h>

#include "field.h"

int32_t field_find(const roofline_field *fields, int32_t count, const char *name) {
  for (int32_t i = 0; i < count; i++)
    if (strcmp(fields[i].name, name) == 0) return i;
  return -1;
}

int32_t tensor_find(const roofline_op *op, const char *name) {
  for (int32_t i = 0; i < op->tensor_count; i++)
    if (strcmp(op->tensors[i].name, name) == 0) return i;
  return -1;
}

int32_t name_find(const char *const *names, int32_t count, const char *name) {
  for (int32_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

bool tensor_present(const roofline_call *call, int32_t tensor) {
  ptrdiff_t offset = call->op->tensors[tensor].present_offset;
  return offset == ROOFLINE_NOWHERE || *(const bool *)at_offset(call, offset);
}

size_t field_size(roofline_field_kind kind) {
  static const size_t sizes[] = {
      [ROOFLINE_FIELD_INT] = sizeof(int64_t),      [ROOFLINE_FIELD_BOOL] = sizeof(bool),
      [ROOFLINE_FIELD_ENUM] = sizeof(int32_t),     [ROOFLINE_FIELD_DTYPE] = sizeof(roofline_dtype),
      [ROOFLINE_FIELD_FLOAT] = sizeof(double),     [ROOFLINE_FIELD_SHAPE] = sizeof(roofline_shape),
      [ROOFLINE_FIELD_SEQ] = sizeof(roofline_seq), [ROOFLINE_FIELD_VALUE] = sizeof(roofline_value),
      [ROOFLINE_FIELD_ADT] = sizeof(roofline_adt),
  };
  return sizes[kind];
}

static roofline_value enum_value(const roofline_field *field, int32_t position) {
  bool known = position > 0 && position <= field->value_count;
  return known ? roofline_string(field->values[position - 1]) : roofline_none();
}

roofline_value field_value(const roofline_field *field, const void *at) {
  switch (field->kind) {
  case ROOFLINE_FIELD_INT: return roofline_int(*(const int64_t *)at);
  case ROOFLINE_FIELD_BOOL: return roofline_bool(*(const bool *)at);
  case ROOFLINE_FIELD_ENUM: return enum_value(field, *(const int32_t *)at);
  case ROOFLINE_FIELD_DTYPE: return roofline_dtype_value(*(const roofline_dtype *)at);
  case ROOFLINE_FIELD_FLOAT: return roofline_float(*(const double *)at);
  case ROOFLINE_FIELD_SHAPE: return roofline_seq_value(roofline_seq_of_shape((const roofline_shape *)at));
  case ROOFLINE_FIELD_SEQ: return roofline_seq_value(*(const roofline_seq *)at);
  case ROOFLINE_FIELD_VALUE: return *(const roofline_value *)at;
  case ROOFLINE_FIELD_ADT:
    return ((const roofline_adt *)at)->type != NULL ? roofline_opaque() : roofline_none();
  }
  return roofline_none();
}

/* ---- storing ---- */

static roofline_status store_enum(const roofline_field *field, int32_t *at, const roofline_value *value) {
  if (value->tag == ROOFLINE_TAG_NONE) {
    *at = 0;
    return ROOFLINE_OK;
  }
  if (value->tag != ROOFLINE_TAG_STRING) return ROOFLINE_E_KIND;
  int32_t position = name_find(field->values, field->value_count, value->u.s);
  if (position < 0) return ROOFLINE_E_MISMATCH;
  *at = position + 1;
  return ROOFLINE_OK;
}

/* A dtype may be given by its name, as a manifest gives it. */
static roofline_status store_dtype(roofline_dtype *at, const roofline_value *value) {
  roofline_dtype t = ROOFLINE_DTYPE_NONE;
  if (value->tag == ROOFLINE_TAG_STRING) {
    t = roofline_dtype_find(value->u.s, strlen(value->u.s));
    if (t == ROOFLINE_DTYPE_NONE) return ROOFLINE_E_MISMATCH;
  } else if (value->tag == ROOFLINE_TAG_DTYPE) {
    t = value->u.t;
    if (roofline_dtype_bits(t) == 0) return ROOFLINE_E_MISMATCH;
  } else if (value->tag != ROOFLINE_TAG_NONE)
    return ROOFLINE_E_KIND;
  *at = t;
  return ROOFLINE_OK;
}

static roofline_status store_float(double *at, const roofline_value *value) {
  if (value->tag == ROOFLINE_TAG_FLOAT)
    *at = value->u.f;
  else if (value->tag == ROOFLINE_TAG_INT)
    *at = (double)value->u.i;
  else
    return ROOFLINE_E_KIND;
  return ROOFLINE_OK;
}

static roofline_status store_shape(roofline_shape *at, const roofline_value *value) {
  if (value->tag != ROOFLINE_TAG_SEQ) return ROOFLINE_E_KIND;
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  roofline_shape_of(&status, &shape, value->u.q);
  if (status != ROOFLINE_OK) return ROOFLINE_E_MISMATCH;
  *at = shape;
  return ROOFLINE_OK;
}

roofline_status field_store(const roofline_field *field, void *at, const roofline_value *value) {
  switch (field->kind) {
  case ROOFLINE_FIELD_INT:
    if (value->tag != ROOFLINE_TAG_INT) return ROOFLINE_E_KIND;
    *(int64_t *)at = value->u.i;
    return ROOFLINE_OK;
  case ROOFLINE_FIELD_BOOL:
    if (value->tag != ROOFLINE_TAG_BOOL) return ROOFLINE_E_KIND;
    *(bool *)at = value->u.b;
    return ROOFLINE_OK;
  case ROOFLINE_FIELD_SEQ:
    if (value->tag != ROOFLINE_TAG_SEQ) return ROOFLINE_E_KIND;
    *(roofline_seq *)at = value->u.q;
    return ROOFLINE_OK;
  case ROOFLINE_FIELD_VALUE: *(roofline_value *)at = *value; return ROOFLINE_OK;
  case ROOFLINE_FIELD_ENUM: return store_enum(field, (int32_t *)at, value);
  case ROOFLINE_FIELD_DTYPE: return store_dtype((roofline_dtype *)at, value);
  case ROOFLINE_FIELD_FLOAT: return store_float((double *)at, value);
  case ROOFLINE_FIELD_SHAPE: return store_shape((roofline_shape *)at, value);
  case ROOFLINE_FIELD_ADT: break; /* not a roofline_value: roofline_binding_set_adt */
  }
  return ROOFLINE_E_KIND;
}
