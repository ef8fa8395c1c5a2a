/* Generating a metadata tensor's values in the tensor's dtype. language.md §4. */
#include <string.h>

#include "metadata.h"

roofline_status metadata_shape(const roofline_call *call, const roofline_seq *lists, int32_t tensor,
                               roofline_shape *shape, roofline_metadata *metadata) {
  roofline_shape generated;
  *metadata = (roofline_metadata){NULL, ROOFLINE_DTYPE_NONE, 0};
  roofline_status status = call->op->tensor(call, tensor, shape, &metadata->dtype);
  if (status == ROOFLINE_OK) status = call->op->generate(call, lists, tensor, &generated, NULL);
  if (status != ROOFLINE_OK) return status;
  if (metadata->dtype != ROOFLINE_INT32 && metadata->dtype != ROOFLINE_INT64) return ROOFLINE_E_MISMATCH;
  if (!roofline_seq_eq(roofline_seq_of_shape(shape), roofline_seq_of_shape(&generated)))
    return ROOFLINE_E_MISMATCH;
  metadata->count = roofline_prod(&status, roofline_seq_of_shape(shape));
  return status;
}

/* Halves the items in place, front to back: an int32 never lands on an int64 still to be read. */
static roofline_status narrow(int64_t *values, int64_t count) {
  char *out = (char *)values;
  for (int64_t i = 0; i < count; i++) {
    if (values[i] < INT32_MIN || values[i] > INT32_MAX) return ROOFLINE_E_OVERFLOW;
    int32_t item = (int32_t)values[i];
    memcpy(out + (size_t)i * sizeof item, &item, sizeof item);
  }
  return ROOFLINE_OK;
}

roofline_status metadata_generate(const roofline_call *call, const roofline_seq *lists, int32_t tensor,
                                  int64_t *memory, roofline_metadata *metadata) {
  roofline_shape shape;
  roofline_status status = call->op->generate(call, lists, tensor, &shape, memory);
  if (status == ROOFLINE_OK && metadata->dtype == ROOFLINE_INT32) status = narrow(memory, metadata->count);
  if (status == ROOFLINE_OK) metadata->data = memory;
  return status;
}
