/* Calls by name: an args struct and a call struct on the heap, set by the op's field tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "metadata.h"

/* What a tensor's descriptor points to. */
typedef struct tensor_memory {
  roofline_shape shape;
  int64_t strides[ROOFLINE_MAX_RANK];
  int64_t *values; /* generated metadata */
  bool given;      /* by roofline_binding_tensor */
  bool passed;     /* by roofline_binding_pass */
} tensor_memory;

struct roofline_binding {
  const roofline_op *op;
  void *args;
  roofline_call *call;    /* what bind fills */
  roofline_call *indexed; /* holds the indices given, for the tensors' shapes */
  tensor_memory *tensors;
  bool *index_given, *list_given;
  roofline_seq *lists;
  void **param_memory, **list_memory; /* copies that fields view */
  bool by_index, bound;
};

static void *zeroed(int32_t count, size_t size) { return calloc(count > 0 ? (size_t)count : 1, size); }

roofline_binding *roofline_binding_new(const roofline_op *op) {
  roofline_binding *b = calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  b->op = op;
  b->args = zeroed(1, op->args_size > 0 ? op->args_size : 1);
  b->call = zeroed(1, op->call_size);
  b->indexed = zeroed(1, op->call_size);
  b->tensors = zeroed(op->tensor_count, sizeof *b->tensors);
  b->index_given = zeroed(op->index_count, sizeof *b->index_given);
  b->list_given = zeroed(op->list_count, sizeof *b->list_given);
  b->lists = zeroed(op->list_count, sizeof *b->lists);
  b->param_memory = zeroed(op->param_count, sizeof *b->param_memory);
  b->list_memory = zeroed(op->list_count, sizeof *b->list_memory);
  if (b->args == NULL || b->call == NULL || b->indexed == NULL || b->tensors == NULL ||
      b->index_given == NULL || b->list_given == NULL || b->lists == NULL || b->param_memory == NULL ||
      b->list_memory == NULL) {
    roofline_binding_free(b);
    return NULL;
  }
  op->defaults(b->args);
  return b;
}

void roofline_binding_free(roofline_binding *b) {
  if (b == NULL) return;
  for (int32_t i = 0; i < b->op->tensor_count && b->tensors != NULL; i++) free(b->tensors[i].values);
  for (int32_t i = 0; i < b->op->param_count && b->param_memory != NULL; i++) free(b->param_memory[i]);
  for (int32_t i = 0; i < b->op->list_count && b->list_memory != NULL; i++) free(b->list_memory[i]);
  free(b->args);
  free(b->call);
  free(b->indexed);
  free(b->tensors);
  free(b->index_given);
  free(b->list_given);
  free(b->lists);
  free(b->param_memory);
  free(b->list_memory);
  free(b);
}

/* ---- setting ---- */

static bool seq_sound(const roofline_seq *s) {
  if (s->items != NULL) return s->len >= 0 && (uint64_t)s->len < SIZE_MAX / (sizeof(int64_t) + sizeof(bool));
  return s->len >= 0 && s->first >= 0 && s->first <= s->len && s->absent == NULL;
}

/* Copies what a value points to: *memory owns the copy, NULL when there is nothing to own. */
static roofline_status copy_value(roofline_value *value, void **memory) {
  *memory = NULL;
  if (value->tag == ROOFLINE_TAG_STRING) {
    if (value->u.s == NULL) return ROOFLINE_E_MISMATCH;
    size_t size = strlen(value->u.s) + 1;
    char *copy = malloc(size);
    if (copy == NULL) return ROOFLINE_E_MEMORY;
    memcpy(copy, value->u.s, size);
    value->u.s = *memory = copy;
    return ROOFLINE_OK;
  }
  if (value->tag != ROOFLINE_TAG_SEQ) return ROOFLINE_OK;
  roofline_seq *q = &value->u.q;
  if (!seq_sound(q)) return ROOFLINE_E_MISMATCH;
  if (q->items == NULL) return ROOFLINE_OK;
  const size_t count = (size_t)q->len;
  int64_t *items = malloc(count * (sizeof *q->items + sizeof *q->absent) + 1);
  if (items == NULL) return ROOFLINE_E_MEMORY;
  memcpy(items, q->items, count * sizeof *items);
  if (q->absent != NULL) q->absent = memcpy(items + count, q->absent, count * sizeof *q->absent);
  q->items = *memory = items;
  return ROOFLINE_OK;
}

/* Stores a copy in a field and frees the one it held. */
static roofline_status store_copy(const roofline_field *field, void *at, roofline_value value, void **held) {
  void *copy;
  roofline_status status = copy_value(&value, &copy);
  if (status == ROOFLINE_OK) status = field_store(field, at, &value);
  if (status != ROOFLINE_OK) {
    free(copy);
    return status;
  }
  free(*held);
  *held = copy;
  return ROOFLINE_OK;
}

/* Why a name is not what was asked for: it is another thing's name, or nothing's. */
static roofline_status other_name(const roofline_op *op, const char *name) {
  bool known = field_find(op->params, op->param_count, name) >= 0 ||
               field_find(op->indices, op->index_count, name) >= 0 ||
               name_find(op->lists, op->list_count, name) >= 0 ||
               name_find(op->lets, op->let_count, name) >= 0 || tensor_find(op, name) >= 0;
  return known ? ROOFLINE_E_KIND : ROOFLINE_E_UNKNOWN_NAME;
}

roofline_status roofline_binding_set(roofline_binding *b, const char *param, roofline_value value) {
  b->bound = false;
  int32_t i = field_find(b->op->params, b->op->param_count, param);
  if (i < 0) return other_name(b->op, param);
  const roofline_field *field = &b->op->params[i];
  return store_copy(field, at_offset_mutable(b->args, (ptrdiff_t)field->args_offset), value,
                    &b->param_memory[i]);
}

roofline_status roofline_binding_set_adt(roofline_binding *b, const char *param, roofline_adt value) {
  b->bound = false;
  int32_t i = field_find(b->op->params, b->op->param_count, param);
  if (i < 0) return other_name(b->op, param);
  const roofline_field *field = &b->op->params[i];
  if (field->kind != ROOFLINE_FIELD_ADT) return ROOFLINE_E_KIND;
  if (value.type != NULL && value.type != field->adt) return ROOFLINE_E_MISMATCH;
  *(roofline_adt *)at_offset_mutable(b->args, (ptrdiff_t)field->args_offset) = value;
  return ROOFLINE_OK;
}

static roofline_tensor *args_tensor(roofline_binding *b, int32_t tensor) {
  ptrdiff_t offset = b->op->tensors[tensor].args_offset;
  return offset == ROOFLINE_NOWHERE ? NULL : at_offset_mutable(b->args, offset);
}

roofline_status roofline_binding_tensor(roofline_binding *b, const char *tensor, roofline_tensor value) {
  b->bound = false;
  int32_t i = tensor_find(b->op, tensor);
  if (i < 0) return other_name(b->op, tensor);
  roofline_tensor *at = args_tensor(b, i);
  if (at == NULL) return ROOFLINE_E_KIND;
  tensor_memory *memory = &b->tensors[i];
  if (value.dtype == ROOFLINE_DTYPE_NONE) value = (roofline_tensor){ROOFLINE_DTYPE_NONE, 0, NULL, NULL, NULL};
  if (value.rank < 0 || value.rank > ROOFLINE_MAX_RANK || (value.rank > 0 && value.dims == NULL))
    return ROOFLINE_E_MISMATCH;
  memory->shape.rank = value.rank;
  for (int32_t axis = 0; axis < value.rank; axis++) {
    memory->shape.dims[axis] = value.dims[axis];
    memory->strides[axis] = value.strides != NULL ? value.strides[axis] : 0;
  }
  value.dims = memory->shape.dims;
  if (value.strides != NULL) value.strides = memory->strides;
  memory->given = value.dtype != ROOFLINE_DTYPE_NONE;
  *at = value;
  return ROOFLINE_OK;
}

roofline_status roofline_binding_pass(roofline_binding *b, const char *tensor, bool present) {
  b->bound = false;
  int32_t i = tensor_find(b->op, tensor);
  if (i < 0) return other_name(b->op, tensor);
  if (args_tensor(b, i) == NULL) return ROOFLINE_E_KIND;
  b->tensors[i].passed = present;
  return ROOFLINE_OK;
}

static roofline_status set_list(roofline_binding *b, int32_t list, roofline_value value) {
  static const roofline_field seq_field = {.kind = ROOFLINE_FIELD_SEQ};
  roofline_status status = store_copy(&seq_field, &b->lists[list], value, &b->list_memory[list]);
  if (status == ROOFLINE_OK) b->list_given[list] = true;
  return status;
}

roofline_status roofline_binding_index(roofline_binding *b, const char *index, roofline_value value) {
  b->bound = false;
  b->by_index = true;
  int32_t i = name_find(b->op->lists, b->op->list_count, index);
  if (i >= 0) return set_list(b, i, value);
  i = field_find(b->op->indices, b->op->index_count, index);
  if (i < 0) return other_name(b->op, index);
  const roofline_field *field = &b->op->indices[i];
  if (field->kind == ROOFLINE_FIELD_DTYPE && value.tag == ROOFLINE_TAG_NONE) return ROOFLINE_E_KIND;
  roofline_status status =
      field_store(field, at_offset_mutable(b->indexed, (ptrdiff_t)field->offset), &value);
  if (status == ROOFLINE_OK) b->index_given[i] = true;
  return status;
}

/* ---- tensors from indices ---- */

/* Fills b->indexed with everything but the indices it holds: parameters and presence. */
static void complete_indexed_call(roofline_binding *b) {
  const roofline_op *op = b->op;
  b->indexed->op = op;
  b->indexed->checked = ROOFLINE_CALL_CHECKED; /* its shapes are read, and only here */
  for (int32_t i = 0; i < op->param_count; i++)
    memcpy(at_offset_mutable(b->indexed, (ptrdiff_t)op->params[i].offset),
           at_offset(b->args, (ptrdiff_t)op->params[i].args_offset), field_size(op->params[i].kind));
  for (int32_t i = 0; i < op->tensor_count; i++) {
    ptrdiff_t offset = op->tensors[i].present_offset;
    if (offset == ROOFLINE_NOWHERE || op->tensors[i].args_offset == ROOFLINE_NOWHERE) continue;
    *(bool *)at_offset_mutable(b->indexed, offset) = b->tensors[i].given || b->tensors[i].passed;
  }
}

/* An output is built only where `roofline_binding_pass` asks for its buffer. */
static bool is_to_build(const roofline_binding *b, int32_t tensor) {
  const roofline_tensor_info *info = &b->op->tensors[tensor];
  if (info->args_offset == ROOFLINE_NOWHERE || b->tensors[tensor].given) return false;
  if (info->role == ROOFLINE_OUTPUT) return b->tensors[tensor].passed;
  return info->present_offset == ROOFLINE_NOWHERE || b->tensors[tensor].passed;
}

static roofline_status generate_values(roofline_binding *b, int32_t tensor, tensor_memory *memory) {
  roofline_metadata metadata;
  free(memory->values);
  memory->values = NULL;
  roofline_status status = metadata_shape(b->indexed, b->lists, tensor, &memory->shape, &metadata);
  if (status != ROOFLINE_OK) return status;
  memory->values = malloc((size_t)metadata.count * sizeof *memory->values + 1); /* also of no items */
  if (memory->values == NULL) return ROOFLINE_E_MEMORY;
  return metadata_generate(b->indexed, b->lists, tensor, memory->values, &metadata);
}

static bool all_given(const bool *given, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (!given[i]) return false;
  return true;
}

static roofline_status build_tensor(roofline_binding *b, int32_t tensor, roofline_error *error) {
  const roofline_tensor_info *info = &b->op->tensors[tensor];
  tensor_memory *memory = &b->tensors[tensor];
  roofline_tensor *at = args_tensor(b, tensor);
  roofline_dtype dtype;
  roofline_status status = b->op->tensor(b->indexed, tensor, &memory->shape, &dtype);
  if (status != ROOFLINE_OK)
    return roofline_error_set(error, status, info->name, 0, 0, "%s: its shape cannot be computed (%s)",
                              info->name, roofline_status_name(status));
  *at = (roofline_tensor){dtype, memory->shape.rank, memory->shape.dims, NULL, NULL};
  if (info->metadata_offset == ROOFLINE_NOWHERE || !all_given(b->list_given, b->op->list_count))
    return ROOFLINE_OK;
  status = generate_values(b, tensor, memory);
  if (status != ROOFLINE_OK)
    return roofline_error_set(error, status, info->name, 0, 0, "%s: its values cannot be generated (%s)",
                              info->name, roofline_status_name(status));
  at->data = memory->values;
  return ROOFLINE_OK;
}

static roofline_status build_tensors(roofline_binding *b, roofline_error *error) {
  const roofline_op *op = b->op;
  for (int32_t i = 0; i < op->index_count; i++)
    if (!b->index_given[i])
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, op->indices[i].name, 0, 0,
                                "%s: this index is not given", op->indices[i].name);
  complete_indexed_call(b);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    roofline_tensor *at = args_tensor(b, i);
    if (at == NULL || b->tensors[i].given) continue;
    *at = (roofline_tensor){ROOFLINE_DTYPE_NONE, 0, NULL, NULL, NULL};
    roofline_status status = is_to_build(b, i) ? build_tensor(b, i, error) : ROOFLINE_OK;
    if (status != ROOFLINE_OK) return status;
  }
  return ROOFLINE_OK;
}

/* An index that the branch does not use is left zero by bind, and is not compared. */
static roofline_status compare_index(const roofline_binding *b, const roofline_field *field,
                                     roofline_error *error) {
  roofline_value given = field_value(field, at_offset(b->indexed, (ptrdiff_t)field->offset));
  roofline_value solved = field_value(field, at_offset(b->call, (ptrdiff_t)field->offset));
  bool unused = solved.tag == ROOFLINE_TAG_NONE || (solved.tag == ROOFLINE_TAG_INT && solved.u.i == 0) ||
                (solved.tag == ROOFLINE_TAG_SEQ && solved.u.q.len == 0);
  if (unused || roofline_value_eq(&given, &solved)) return ROOFLINE_OK;
  if (solved.tag != ROOFLINE_TAG_INT)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, field->name, 0, 0,
                              "%s: the tensors give another value than the one given", field->name);
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, field->name, given.u.i, solved.u.i,
                            "%s: given as %" PRId64 ", and the tensors give %" PRId64, field->name, given.u.i,
                            solved.u.i);
}

roofline_status roofline_binding_bind(roofline_binding *b, roofline_error *error) {
  b->bound = false;
  if (b->by_index) {
    roofline_status status = build_tensors(b, error);
    if (status != ROOFLINE_OK) return status;
  }
  memset(b->call, 0, b->op->call_size);
  roofline_status status = b->op->bind(b->call, b->args, error);
  for (int32_t i = 0; status == ROOFLINE_OK && b->by_index && i < b->op->index_count; i++)
    status = compare_index(b, &b->op->indices[i], error);
  b->bound = status == ROOFLINE_OK;
  return status;
}

const roofline_call *roofline_binding_call(const roofline_binding *b) { return b->bound ? b->call : NULL; }
