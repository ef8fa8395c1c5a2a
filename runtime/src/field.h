/* Fields of generated call and args structs, by their description. */
#ifndef RUNTIME_FIELD_H
#define RUNTIME_FIELD_H

#include <roofline/op.h>

static inline const void *at_offset(const void *base, ptrdiff_t offset) {
  return (const char *)base + offset;
}
static inline void *at_offset_mutable(void *base, ptrdiff_t offset) { return (char *)base + offset; }

/* Positions by name; -1 when there is none. */
int32_t field_find(const roofline_field *fields, int32_t count, const char *name);
int32_t tensor_find(const roofline_op *op, const char *name);
int32_t name_find(const char *const *names, int32_t count, const char *name);

/* The value of a field; an ADT that is there reads as an opaque value, an absent one as None. */
roofline_value field_value(const roofline_field *field, const void *at);

/* Stores a value in a field, which then views the value's string or items. KIND when the value is of
   another kind than the field, MISMATCH when it is none of the kind's values. */
roofline_status field_store(const roofline_field *field, void *at, const roofline_value *value);

/* Bytes of a field's storage. */
size_t field_size(roofline_field_kind kind);

bool tensor_present(const roofline_call *call, int32_t tensor);

#endif
