/* Reading calls and adding up costs, for every formula. */
#include <stdlib.h>

#include "tally.h"

roofline_status tally_cost(const roofline_call *call, tally_formula *formula, roofline_cost *cost) {
  tally t = {call, ROOFLINE_OK, 0, 0, 0};
  formula(&t);
  const int64_t bytes = add(&t, t.reads, t.writes);
  if (tally_ok(&t)) *cost = (roofline_cost){t.flops, bytes};
  return t.status;
}

roofline_status tally_reads(const roofline_call *call, tally_formula *formula, int64_t *bytes) {
  tally t = {call, ROOFLINE_OK, 0, 0, 0};
  formula(&t);
  if (tally_ok(&t)) *bytes = t.reads;
  return t.status;
}

int64_t tally_product(tally *t, const int64_t *factors, size_t count) {
  int64_t product = 1;
  for (size_t i = 0; i < count; i++) product = mul(t, product, factors[i]);
  return tally_ok(t) ? product : 0;
}

/* ---- the call ---- */

int64_t tally_int(tally *t, const char *name) {
  int64_t value = 0;
  if (tally_ok(t)) t->status = roofline_call_int(t->call, name, &value);
  return value;
}

bool tally_bool(tally *t, const char *name) {
  bool value = false;
  if (tally_ok(t)) t->status = roofline_call_bool(t->call, name, &value);
  return value;
}

double tally_float(tally *t, const char *name) {
  double value = 0;
  if (tally_ok(t)) t->status = roofline_call_float(t->call, name, &value);
  return value;
}

roofline_value tally_value(tally *t, const char *name) {
  roofline_value value = roofline_none();
  if (tally_ok(t)) t->status = roofline_call_value(t->call, name, &value);
  return value;
}

bool tally_present(tally *t, const char *name) {
  bool present = false;
  if (tally_ok(t)) t->status = roofline_call_present(t->call, name, &present);
  return present;
}

bool tally_has(const tally *t, const char *name) {
  roofline_value value;
  return roofline_call_value(t->call, name, &value) != ROOFLINE_E_UNKNOWN_NAME;
}

roofline_shape tally_shape(tally *t, const char *tensor) {
  roofline_shape shape = {0, {0}};
  roofline_dtype dtype = ROOFLINE_DTYPE_NONE;
  if (tally_ok(t)) t->status = roofline_call_tensor(t->call, tensor, &shape, &dtype);
  return shape;
}

int64_t tally_size(tally *t, const char *tensor) {
  roofline_shape shape;
  roofline_dtype dtype = ROOFLINE_DTYPE_NONE;
  if (tally_ok(t)) t->status = roofline_call_tensor(t->call, tensor, &shape, &dtype);
  return roofline_dtype_bits(dtype) / 8; /* no dtype is narrower than a byte: language.md §3 */
}

int64_t tally_elements(tally *t, const char *tensor) {
  const roofline_shape shape = tally_shape(t, tensor);
  return tally_ok(t) ? roofline_prod(&t->status, roofline_seq_of_shape(&shape)) : 0;
}

int64_t tally_items(tally *t, const char *tensor, int32_t axis, int64_t count) {
  const roofline_shape shape = tally_shape(t, tensor);
  int64_t bytes = mul(t, count, tally_size(t, tensor));
  for (int32_t i = axis; i < shape.rank; i++) bytes = mul(t, bytes, shape.dims[i]);
  return bytes;
}

void tally_read_items(tally *t, const char *tensor, int32_t axis, int64_t count) {
  READ(t, tally_items(t, tensor, axis, count));
}

void tally_write_items(tally *t, const char *tensor, int32_t axis, int64_t count) {
  WRITE(t, tally_items(t, tensor, axis, count));
}

void tally_read(tally *t, const char *tensor) { tally_read_items(t, tensor, 0, 1); }

void tally_read_present(tally *t, const char *tensor) {
  if (tally_present(t, tensor)) tally_read(t, tensor);
}

void tally_write(tally *t, const char *tensor) { tally_write_items(t, tensor, 0, 1); }

void tally_write_outputs(tally *t) {
  if (!tally_ok(t)) return;
  const roofline_op *op = t->call->op;
  for (int32_t i = 0; i < op->tensor_count; i++) {
    const char *name = op->tensors[i].name;
    if (op->tensors[i].role == ROOFLINE_OUTPUT && tally_present(t, name)) tally_write(t, name);
  }
}

/* ---- metadata ---- */

bool tally_values(tally *t, const char *tensor, roofline_metadata *values) {
  *values = (roofline_metadata){NULL, ROOFLINE_INT32, 0};
  if (tally_ok(t)) t->status = roofline_call_metadata(t->call, tensor, values);
  return tally_ok(t);
}

bool tally_has_values(tally *t, const char *tensor, roofline_metadata *values) {
  if (!tally_ok(t)) return false;
  const roofline_status status = roofline_call_metadata(t->call, tensor, values);
  if (status != ROOFLINE_OK && status != ROOFLINE_E_NOT_AVAILABLE) tally_fail(t, status);
  return status == ROOFLINE_OK;
}

int64_t tally_segment(tally *t, const roofline_metadata *values, int64_t i) {
  if (!tally_require(t, i + 1 < values->count)) return 0;
  const int64_t length = sub(t, roofline_metadata_at(values, i + 1), roofline_metadata_at(values, i));
  return tally_require(t, length >= 0) ? length : 0;
}

int64_t tally_item(tally *t, const roofline_metadata *values, int64_t i, int64_t lo, int64_t hi) {
  if (!tally_require(t, i < values->count)) return lo;
  const int64_t item = roofline_metadata_at(values, i);
  return tally_require(t, lo <= item && item < hi) ? item : lo;
}

void *tally_scratch(tally *t, int64_t count, size_t size) {
  if (!tally_ok(t)) return NULL;
  void *memory = (uint64_t)count > SIZE_MAX ? NULL : calloc(count > 0 ? (size_t)count : 1, size);
  if (memory == NULL) tally_fail(t, ROOFLINE_E_MEMORY);
  return memory;
}
