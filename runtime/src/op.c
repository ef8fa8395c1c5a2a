/* Evaluating calls, and reading them by name. codegen.md §2. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "field.h"

roofline_status roofline_error_set(roofline_error *error, roofline_status status, const char *declaration,
                                   int64_t expected, int64_t found, const char *format, ...) {
  if (error == NULL) return status;
  error->declaration = declaration;
  error->expected = expected;
  error->found = found;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  return status;
}

const roofline_op *roofline_op_find(const roofline_op *const *ops, const char *name) {
  for (; *ops != NULL; ops++)
    if (strcmp((*ops)->name, name) == 0) return *ops;
  return NULL;
}

static bool is_checked(const roofline_call *call) {
  return call != NULL && call->op != NULL && call->checked == ROOFLINE_CALL_CHECKED;
}

roofline_status roofline_eval(const roofline_call *call, roofline_cost *cost) {
  if (!is_checked(call)) return ROOFLINE_E_UNCHECKED;
  roofline_cost result = {0, 0};
  roofline_status status = call->op->eval(call, &result);
  if (status == ROOFLINE_OK) *cost = result;
  return status;
}

/* ---- indices, parameters and lets ---- */

/* What a name reads as. A Shape or an ADT is a copy: a let's has no place in the call. */
typedef struct reading {
  const roofline_field *field; /* NULL: a let */
  bool is_parameter;
  roofline_value value;
  const roofline_shape *shape; /* NULL: not a Shape */
  const roofline_adt *adt;     /* NULL: not an ADT */
  roofline_shape let_shape;
  roofline_adt let_adt;
} reading;

static void read_field(const roofline_call *call, const roofline_field *field, reading *r) {
  const void *at = at_offset(call, (ptrdiff_t)field->offset);
  r->field = field;
  r->value = field_value(field, at);
  if (field->kind == ROOFLINE_FIELD_SHAPE) r->shape = (const roofline_shape *)at;
  if (field->kind == ROOFLINE_FIELD_ADT) r->adt = (const roofline_adt *)at;
}

static roofline_status read_let(const roofline_call *call, int32_t let, reading *r) {
  roofline_status status = call->op->let(call, let, &r->value, &r->let_shape, &r->let_adt);
  if (status != ROOFLINE_OK) return status;
  if (r->value.tag == ROOFLINE_TAG_SEQ && r->value.u.q.items == r->let_shape.dims) r->shape = &r->let_shape;
  if (r->let_adt.type != NULL) r->adt = &r->let_adt;
  return ROOFLINE_OK;
}

static roofline_status read_name(const roofline_call *call, const char *name, reading *r) {
  memset(r, 0, sizeof *r);
  if (!is_checked(call)) return ROOFLINE_E_UNCHECKED;
  const roofline_op *op = call->op;
  int32_t i = field_find(op->indices, op->index_count, name);
  if (i >= 0) {
    read_field(call, &op->indices[i], r);
    return ROOFLINE_OK;
  }
  i = field_find(op->params, op->param_count, name);
  if (i >= 0) {
    r->is_parameter = true;
    read_field(call, &op->params[i], r);
    return ROOFLINE_OK;
  }
  i = name_find(op->lets, op->let_count, name);
  if (i >= 0) return read_let(call, i, r);
  return tensor_find(op, name) >= 0 ? ROOFLINE_E_KIND : ROOFLINE_E_UNKNOWN_NAME;
}

/* Reads a name that must hold a value of `tag`. */
static roofline_status read_tagged(const roofline_call *call, const char *name, roofline_tag tag,
                                   reading *r) {
  roofline_status status = read_name(call, name, r);
  if (status != ROOFLINE_OK) return status;
  if (r->value.tag == tag && r->adt == NULL) return ROOFLINE_OK;
  return r->value.tag == ROOFLINE_TAG_NONE ? ROOFLINE_E_NOT_AVAILABLE : ROOFLINE_E_KIND;
}

roofline_status roofline_call_int(const roofline_call *call, const char *name, int64_t *value) {
  reading r;
  roofline_status status = read_tagged(call, name, ROOFLINE_TAG_INT, &r);
  if (status == ROOFLINE_OK) *value = r.value.u.i;
  return status;
}

roofline_status roofline_call_bool(const roofline_call *call, const char *name, bool *value) {
  reading r;
  roofline_status status = read_tagged(call, name, ROOFLINE_TAG_BOOL, &r);
  if (status == ROOFLINE_OK) *value = r.value.u.b;
  return status;
}

roofline_status roofline_call_float(const roofline_call *call, const char *name, double *value) {
  reading r;
  roofline_status status = read_tagged(call, name, ROOFLINE_TAG_FLOAT, &r);
  if (status == ROOFLINE_OK) *value = r.value.u.f;
  /* A Number is a float that a caller may give as an int. */
  bool number = r.value.tag == ROOFLINE_TAG_INT && r.field != NULL && r.field->kind == ROOFLINE_FIELD_VALUE;
  if (status != ROOFLINE_E_KIND || !number) return status;
  *value = (double)r.value.u.i;
  return ROOFLINE_OK;
}

roofline_status roofline_call_string(const roofline_call *call, const char *name, const char **value) {
  reading r;
  roofline_status status = read_tagged(call, name, ROOFLINE_TAG_STRING, &r);
  if (status == ROOFLINE_OK) *value = r.value.u.s;
  return status;
}

roofline_status roofline_call_dtype(const roofline_call *call, const char *name, roofline_dtype *value) {
  reading r;
  roofline_status status = read_tagged(call, name, ROOFLINE_TAG_DTYPE, &r);
  if (status == ROOFLINE_OK) *value = r.value.u.t;
  return status;
}

roofline_status roofline_call_shape(const roofline_call *call, const char *name, roofline_shape *value) {
  reading r;
  roofline_status status = read_name(call, name, &r);
  if (status != ROOFLINE_OK) return status;
  if (r.shape == NULL) return r.value.tag == ROOFLINE_TAG_NONE ? ROOFLINE_E_NOT_AVAILABLE : ROOFLINE_E_KIND;
  *value = *r.shape;
  return ROOFLINE_OK;
}

roofline_status roofline_call_value(const roofline_call *call, const char *name, roofline_value *value) {
  reading r;
  roofline_status status = read_name(call, name, &r);
  if (status != ROOFLINE_OK) return status;
  if (r.shape == &r.let_shape) return ROOFLINE_E_KIND; /* its items would not outlive this call */
  *value = r.value;
  return ROOFLINE_OK;
}

roofline_status roofline_call_adt(const roofline_call *call, const char *name, roofline_adt *value) {
  reading r;
  roofline_status status = read_name(call, name, &r);
  if (status != ROOFLINE_OK) return status;
  if (r.adt == NULL) return r.value.tag == ROOFLINE_TAG_NONE ? ROOFLINE_E_NOT_AVAILABLE : ROOFLINE_E_KIND;
  if (r.adt->type == NULL) return ROOFLINE_E_NOT_AVAILABLE;
  *value = *r.adt;
  return ROOFLINE_OK;
}

/* ---- tensors ---- */

/* The number of a tensor that is present. */
static roofline_status read_tensor(const roofline_call *call, const char *name, int32_t *tensor) {
  if (!is_checked(call)) return ROOFLINE_E_UNCHECKED;
  *tensor = tensor_find(call->op, name);
  if (*tensor < 0) {
    reading r;
    return read_name(call, name, &r) == ROOFLINE_E_UNKNOWN_NAME ? ROOFLINE_E_UNKNOWN_NAME : ROOFLINE_E_KIND;
  }
  return tensor_present(call, *tensor) ? ROOFLINE_OK : ROOFLINE_E_NOT_AVAILABLE;
}

roofline_status roofline_call_present(const roofline_call *call, const char *name, bool *present) {
  int32_t tensor;
  roofline_status status = read_tensor(call, name, &tensor);
  if (status == ROOFLINE_OK || status == ROOFLINE_E_NOT_AVAILABLE) {
    *present = status == ROOFLINE_OK;
    return ROOFLINE_OK;
  }
  reading r;
  status = read_name(call, name, &r);
  if (status != ROOFLINE_OK) return status;
  if (!r.is_parameter) return ROOFLINE_E_KIND;
  *present = r.value.tag != ROOFLINE_TAG_NONE;
  return ROOFLINE_OK;
}

roofline_status roofline_call_tensor(const roofline_call *call, const char *name, roofline_shape *shape,
                                     roofline_dtype *dtype) {
  int32_t tensor;
  roofline_status status = read_tensor(call, name, &tensor);
  return status == ROOFLINE_OK ? call->op->tensor(call, tensor, shape, dtype) : status;
}

roofline_status roofline_call_bytes(const roofline_call *call, const char *name, int64_t *bytes) {
  roofline_shape shape;
  roofline_dtype dtype;
  roofline_status status = roofline_call_tensor(call, name, &shape, &dtype);
  if (status != ROOFLINE_OK) return status;
  int64_t size = roofline_tensor_bytes(&status, roofline_seq_of_shape(&shape), dtype);
  if (status == ROOFLINE_OK) *bytes = size;
  return status;
}

roofline_status roofline_call_metadata(const roofline_call *call, const char *name,
                                       roofline_metadata *metadata) {
  int32_t tensor;
  roofline_status status = read_tensor(call, name, &tensor);
  if (status != ROOFLINE_OK) return status;
  ptrdiff_t offset = call->op->tensors[tensor].metadata_offset;
  if (offset == ROOFLINE_NOWHERE) return ROOFLINE_E_KIND;
  const roofline_metadata *m = at_offset(call, offset);
  if (m->data == NULL) return ROOFLINE_E_NOT_AVAILABLE;
  *metadata = *m;
  return ROOFLINE_OK;
}

/* ---- stages of a composite ---- */

static roofline_status stage_number(const roofline_call *call, const char *name, int32_t *number) {
  if (!is_checked(call)) return ROOFLINE_E_UNCHECKED;
  for (*number = 0; *number < call->op->stage_count; ++*number)
    if (strcmp(call->op->stages[*number].name, name) == 0) return ROOFLINE_OK;
  return ROOFLINE_E_UNKNOWN_NAME;
}

roofline_status roofline_call_attach(roofline_call *call, const roofline_call **slots, const char *name,
                                     const roofline_call *stage) {
  int32_t number;
  roofline_status status = stage_number(call, name, &number);
  if (status != ROOFLINE_OK) return status;
  if (!is_checked(stage)) return ROOFLINE_E_UNCHECKED;
  const roofline_op *declared = call->op->stages[number].op;
  if (declared != NULL && declared != stage->op) return ROOFLINE_E_MISMATCH;
  slots[number] = stage;
  call->stages = slots;
  return ROOFLINE_OK;
}

roofline_status roofline_call_stage(const roofline_call *call, const char *name,
                                    const roofline_call **stage) {
  int32_t number;
  roofline_status status = stage_number(call, name, &number);
  if (status != ROOFLINE_OK) return status;
  if (call->stages == NULL || call->stages[number] == NULL) return ROOFLINE_E_NOT_AVAILABLE;
  *stage = call->stages[number];
  return ROOFLINE_OK;
}
