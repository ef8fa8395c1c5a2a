/* The steps generated binds are made of. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <roofline/bind.h>

static const char *const tag_names[] = {"None",     "a bool",  "an int",     "a float",
                                        "a string", "a dtype", "a sequence", "an object"};

static roofline_status mismatch(roofline_error *error, const char *declaration, int64_t expected,
                                int64_t found, const char *message) {
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, expected, found, "%s: %s", declaration,
                            message);
}

/* Names that are one too many for `list` are left out, and it says so. */
static void append_name(char *list, size_t size, const char *format, const char *name, int number) {
  static const char more[] = ", ...";
  const size_t used = strlen(list), separated = used == 0 ? 0 : 2;
  if (used >= sizeof more && strcmp(list + used - sizeof more + 1, more) == 0) return;
  const int length = snprintf(NULL, 0, format, name, number);
  if (used + separated + (size_t)length + sizeof more > size) {
    snprintf(list + used, size - used, "%s", more);
    return;
  }
  memcpy(list + used, ", ", separated);
  snprintf(list + used + separated, size - used - separated, format, name, number);
}

/* ---- parameters ---- */

roofline_status roofline_bind_range(roofline_error *error, const char *declaration, int64_t value,
                                    int64_t first, int64_t last) {
  if (value >= first && value <= last) return ROOFLINE_OK;
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, value < first ? first : last, value,
                            "%s: %" PRId64 " is not in %" PRId64 "..%" PRId64, declaration, value, first,
                            last);
}

roofline_status roofline_bind_enum(roofline_error *error, const char *declaration, int64_t value,
                                   bool optional, const char *const *values, int32_t count) {
  if (value >= !optional && value <= count) return ROOFLINE_OK;
  char list[160] = "";
  if (optional) append_name(list, sizeof list, "%s (%d)", "None", 0);
  for (int32_t i = 0; i < count; i++) append_name(list, sizeof list, "'%s' (%d)", values[i], i + 1);
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, value < 1 ? !optional : count, value,
                            "%s: %" PRId64 " is none of %s", declaration, value, list);
}

roofline_status roofline_bind_seq(roofline_error *error, const char *declaration, roofline_seq seq,
                                  int64_t length, bool absent_items) {
  if (seq.len < 0 || (seq.items == NULL && (seq.first < 0 || seq.first > seq.len)))
    return mismatch(error, declaration, 0, seq.len, "not a sequence: its lengths are negative");
  if (length >= 0 && seq.len != length)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, length, seq.len,
                              "%s: %" PRId64 " items, expected %" PRId64, declaration, seq.len, length);
  for (int64_t i = 0; seq.absent != NULL && !absent_items && i < seq.len; i++) {
    if (seq.absent[i])
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, i,
                                "%s: item %" PRId64 " is None, expected an int", declaration, i);
  }
  return ROOFLINE_OK;
}

roofline_status roofline_bind_dtype(roofline_error *error, const char *declaration, roofline_dtype dtype,
                                    uint32_t allowed) {
  const bool known = (unsigned)dtype < ROOFLINE_DTYPE_COUNT;
  if (known && (allowed >> (unsigned)dtype & 1u) != 0) return ROOFLINE_OK;
  char list[160] = "";
  for (int t = 1; t < ROOFLINE_DTYPE_COUNT; t++) {
    if ((allowed >> t & 1u) != 0)
      append_name(list, sizeof list, "%s", roofline_dtype_name((roofline_dtype)t), 0);
  }
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, (int64_t)dtype,
                            "%s: %s is not one of %s", declaration,
                            known ? roofline_dtype_name(dtype) : "an unknown dtype", list);
}

static bool is_listed(const char *s, const roofline_bind_union *allowed) {
  for (int32_t i = 0; i < allowed->string_count; i++) {
    if (strcmp(s, allowed->strings[i]) == 0) return true;
  }
  return allowed->strings == NULL;
}

static bool has_length(int64_t length, const roofline_bind_union *allowed) {
  for (int32_t i = 0; i < allowed->length_count; i++) {
    if (allowed->lengths[i] == length) return true;
  }
  return allowed->lengths == NULL;
}

roofline_status roofline_bind_value(roofline_error *error, const char *declaration,
                                    const roofline_value *value, const roofline_bind_union *allowed) {
  if ((unsigned)value->tag > ROOFLINE_TAG_OPAQUE)
    return mismatch(error, declaration, 0, (int64_t)value->tag, "not a value: its tag is unknown");
  char list[160] = "";
  if ((allowed->tags >> (unsigned)value->tag & 1u) == 0) {
    for (unsigned t = 0; t <= ROOFLINE_TAG_OPAQUE; t++)
      if ((allowed->tags >> t & 1u) != 0) append_name(list, sizeof list, "%s", tag_names[t], 0);
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, (int64_t)value->tag,
                              "%s: %s is none of %s", declaration, tag_names[value->tag], list);
  }
  switch (value->tag) {
  case ROOFLINE_TAG_DTYPE: return roofline_bind_dtype(error, declaration, value->u.t, allowed->dtypes);
  case ROOFLINE_TAG_STRING:
    if (value->u.s == NULL) return mismatch(error, declaration, 0, 0, "a string without text");
    if (is_listed(value->u.s, allowed)) return ROOFLINE_OK;
    for (int32_t i = 0; i < allowed->string_count; i++)
      append_name(list, sizeof list, "'%s'", allowed->strings[i], 0);
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, 0, "%s: '%.60s' is none of %s",
                              declaration, value->u.s, list);
  case ROOFLINE_TAG_SEQ:
    if (!has_length(value->u.q.len, allowed))
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, allowed->lengths[0], value->u.q.len,
                                "%s: %" PRId64 " items, expected %" PRId32, declaration, value->u.q.len,
                                allowed->lengths[0]);
    return roofline_bind_seq(error, declaration, value->u.q, -1, allowed->absent_items);
  default: return ROOFLINE_OK;
  }
}

roofline_status roofline_bind_adt(roofline_error *error, const char *declaration, const roofline_adt *value,
                                  const roofline_adt_type *type) {
  if (value->type != type)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, 0, "%s: %s, expected a value of %s",
                              declaration, value->type == NULL ? "None" : value->type->name, type->name);
  if (value->ctor < 0 || value->ctor >= type->ctor_count)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, type->ctor_count, value->ctor,
                              "%s: %s has no constructor %" PRId32, declaration, type->name, value->ctor);
  return ROOFLINE_OK;
}

/* ---- tensors ---- */

roofline_status roofline_bind_passed(roofline_error *error, const char *declaration,
                                     const roofline_tensor *tensor, bool wanted) {
  const bool given = tensor->dtype != ROOFLINE_DTYPE_NONE;
  if (given != wanted)
    return mismatch(error, declaration, wanted, given,
                    wanted ? "not passed, and this call needs it" : "passed, and this call takes none");
  if (!given) return ROOFLINE_OK;
  if ((unsigned)tensor->dtype >= ROOFLINE_DTYPE_COUNT)
    return mismatch(error, declaration, 0, (int64_t)tensor->dtype, "its dtype is unknown");
  if (tensor->rank < 0 || tensor->rank > ROOFLINE_MAX_RANK)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, ROOFLINE_MAX_RANK, tensor->rank,
                              "%s: rank %" PRId32 " is not in 0..%d", declaration, tensor->rank,
                              (int)ROOFLINE_MAX_RANK);
  if (tensor->rank > 0 && tensor->dims == NULL)
    return mismatch(error, declaration, tensor->rank, 0, "its dims are missing");
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (tensor->dims[i] < 0)
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 0, tensor->dims[i],
                                "%s: axis %" PRId32 " is %" PRId64 ", below 0", declaration, i,
                                tensor->dims[i]);
  }
  return ROOFLINE_OK;
}

roofline_status roofline_bind_contiguous(roofline_error *error, const char *declaration,
                                         const roofline_tensor *tensor) {
  if (tensor->strides == NULL) return ROOFLINE_OK;
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (tensor->dims[i] == 0) return ROOFLINE_OK;
  }
  roofline_status status = ROOFLINE_OK;
  int64_t compact = 1;
  for (int32_t i = tensor->rank - 1; i >= 0; i--) {
    if (tensor->dims[i] != 1 && tensor->strides[i] != compact)
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, compact, tensor->strides[i],
                                "%s: not contiguous, the stride of axis %" PRId32 " is %" PRId64
                                ", expected %" PRId64,
                                declaration, i, tensor->strides[i], compact);
    compact = roofline_mul(&status, compact, tensor->dims[i]);
    if (status != ROOFLINE_OK) return mismatch(error, declaration, 0, 0, "its size does not fit 64 bits");
  }
  return ROOFLINE_OK;
}

/* Values are read in row-major order: those of a tensor that is strided otherwise are not available. */
roofline_metadata roofline_bind_metadata(const roofline_tensor *tensor) {
  roofline_status status = ROOFLINE_OK;
  roofline_metadata m = {tensor->data, tensor->dtype, 1};
  for (int32_t i = 0; i < tensor->rank; i++) m.count = roofline_mul(&status, m.count, tensor->dims[i]);
  if (status != ROOFLINE_OK || (m.dtype != ROOFLINE_INT32 && m.dtype != ROOFLINE_INT64)) m.data = NULL;
  if (roofline_bind_contiguous(NULL, "", tensor) != ROOFLINE_OK) m.data = NULL;
  return m;
}

/* ---- solving indices ---- */

roofline_status roofline_bind_rank(roofline_error *error, const roofline_bind_names *names,
                                   const roofline_tensor *tensor, int64_t axes, bool at_least) {
  if (at_least ? tensor->rank >= axes : tensor->rank == axes) return ROOFLINE_OK;
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, names->shape, axes, tensor->rank,
                            "%s: rank %" PRId32 ", and %s has %s%" PRId64, names->shape, tensor->rank,
                            names->written, at_least ? "at least " : "", axes);
}

roofline_status roofline_bind_splice(roofline_error *error, const roofline_bind_names *names,
                                     const roofline_tensor *tensor, int64_t left, int64_t right,
                                     roofline_shape *out) {
  const roofline_status status = roofline_bind_rank(error, names, tensor, left + right, true);
  if (status != ROOFLINE_OK) return status;
  out->rank = (int32_t)(tensor->rank - left - right);
  for (int32_t i = 0; i < out->rank; i++) out->dims[i] = tensor->dims[left + i];
  return ROOFLINE_OK;
}

roofline_status roofline_bind_affine(roofline_error *error, const roofline_bind_names *names,
                                     roofline_status status, int64_t size, int64_t factor, int64_t rest,
                                     const char *axis, int64_t *out) {
  const int64_t scaled = roofline_sub(&status, size, rest);
  if (status != ROOFLINE_OK) return roofline_bind_rule(error, status, names->shape, axis);
  if (scaled < 0 || scaled % factor != 0)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, names->shape, rest, size,
                              "%s: an axis is %" PRId64 ", which %s is for no index: %" PRId64
                              " is not a multiple of %" PRId64 " from 0 up",
                              names->shape, size, axis, scaled, factor);
  *out = scaled / factor;
  return ROOFLINE_OK;
}

/* ---- checking ---- */

/* A tensor nobody passed (most outputs) still has to have a shape: a negative axis is refused here. */
static roofline_status check_tensor(roofline_error *error, const roofline_call *call, int32_t number,
                                    const roofline_tensor *found, const roofline_bind_names *names) {
  roofline_shape shape = {0, {0}};
  roofline_dtype dtype = ROOFLINE_DTYPE_NONE;
  const roofline_status status = call->op->tensor(call, number, &shape, &dtype);
  if (status != ROOFLINE_OK) return roofline_bind_rule(error, status, names->shape, names->written);
  if (found == NULL || found->dtype == ROOFLINE_DTYPE_NONE) return ROOFLINE_OK;
  if (found->dtype != dtype)
    return roofline_error_set(error, ROOFLINE_E_MISMATCH, names->dtype, (int64_t)dtype, (int64_t)found->dtype,
                              "%s: %s, expected %s", names->dtype, roofline_dtype_name(found->dtype),
                              roofline_dtype_name(dtype));
  if (found->rank != shape.rank) return roofline_bind_rank(error, names, found, shape.rank, false);
  for (int32_t i = 0; i < shape.rank; i++) {
    if (found->dims[i] != shape.dims[i])
      return roofline_error_set(error, ROOFLINE_E_MISMATCH, names->shape, shape.dims[i], found->dims[i],
                                "%s: axis %" PRId32 " is %" PRId64 ", and %s gives %" PRId64, names->shape, i,
                                found->dims[i], names->written, shape.dims[i]);
  }
  return ROOFLINE_OK;
}

roofline_status roofline_bind_tensors(roofline_error *error, const roofline_call *call, const void *args,
                                      const roofline_bind_names *names) {
  for (int32_t i = 0; i < call->op->tensor_count; i++) {
    const roofline_tensor_info *info = &call->op->tensors[i];
    if (info->present_offset != ROOFLINE_NOWHERE &&
        !*(const bool *)((const char *)call + info->present_offset))
      continue;
    const void *found = info->args_offset == ROOFLINE_NOWHERE ? NULL : (const char *)args + info->args_offset;
    const roofline_status status = check_tensor(error, call, i, (const roofline_tensor *)found, &names[i]);
    if (status != ROOFLINE_OK) return status;
  }
  return ROOFLINE_OK;
}

roofline_status roofline_bind_rule(roofline_error *error, roofline_status status, const char *declaration,
                                   const char *text) {
  if (status != ROOFLINE_OK)
    return roofline_error_set(error, status, declaration, 0, 0, "%s: %s cannot be computed (%s)", declaration,
                              text, roofline_status_name(status));
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, 1, 0, "%s: %s does not hold",
                            declaration, text);
}

roofline_status roofline_bind_compared(roofline_error *error, roofline_status status, const char *declaration,
                                       const char *text, int64_t left, int64_t right) {
  if (status != ROOFLINE_OK) return roofline_bind_rule(error, status, declaration, text);
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, declaration, right, left,
                            "%s: %s does not hold, its sides are %" PRId64 " and %" PRId64, declaration, text,
                            left, right);
}

roofline_status roofline_bind_combo(roofline_error *error, const roofline_dtype *values,
                                    const roofline_dtype *rows, int32_t columns, int32_t row_count) {
  for (int32_t r = 0; r < row_count; r++) {
    bool equal = true;
    for (int32_t c = 0; c < columns && equal; c++)
      equal = values[c] == ROOFLINE_DTYPE_NONE || values[c] == rows[r * columns + c];
    if (equal) return ROOFLINE_OK;
  }
  char list[160] = "";
  for (int32_t c = 0; c < columns; c++)
    append_name(list, sizeof list, "%s", roofline_dtype_name(values[c]), 0);
  return roofline_error_set(error, ROOFLINE_E_MISMATCH, "dtype_combos", row_count, 0,
                            "dtype_combos: (%s) is none of the %" PRId32 " supported combinations", list,
                            row_count);
}
