/* Workload rows: the stored call with its metadata values generated. codegen.md §2. */
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "metadata.h"

/* Items of all metadata that the row passes. */
static roofline_status count_items(const roofline_row *row, int64_t *items) {
  const roofline_op *op = row->call->op;
  roofline_status status = ROOFLINE_OK;
  *items = 0;
  for (int32_t i = 0; i < op->tensor_count && status == ROOFLINE_OK; i++) {
    roofline_shape shape;
    roofline_metadata metadata;
    if (op->tensors[i].metadata_offset == ROOFLINE_NOWHERE || !tensor_present(row->call, i)) continue;
    status = metadata_shape(row->call, row->lists, i, &shape, &metadata);
    *items = roofline_add(&status, *items, metadata.count);
  }
  return status;
}

static roofline_status generate_all(const roofline_row *row, roofline_call *call, int64_t *memory) {
  const roofline_op *op = row->call->op;
  roofline_status status = ROOFLINE_OK;
  for (int32_t i = 0; i < op->tensor_count && status == ROOFLINE_OK; i++) {
    roofline_shape shape;
    ptrdiff_t offset = op->tensors[i].metadata_offset;
    if (offset == ROOFLINE_NOWHERE || !tensor_present(row->call, i)) continue;
    roofline_metadata *metadata = at_offset_mutable(call, offset);
    status = metadata_shape(row->call, row->lists, i, &shape, metadata);
    if (status == ROOFLINE_OK) status = metadata_generate(row->call, row->lists, i, memory, metadata);
    memory += metadata->count;
  }
  return status;
}

/* One block: the call, rounded up to whole items, then the metadata values. */
roofline_status roofline_row_open(const roofline_op *op, int32_t row, roofline_row_call *out) {
  *out = (roofline_row_call){NULL, NULL};
  if (row < 0 || row >= op->row_count) return ROOFLINE_E_UNKNOWN_NAME;
  const roofline_row *from = &op->rows[row];
  int64_t items;
  roofline_status status = count_items(from, &items);
  if (status != ROOFLINE_OK) return status;
  const size_t call_size = (op->call_size + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
  if ((uint64_t)items > (SIZE_MAX - call_size) / sizeof(int64_t)) return ROOFLINE_E_MEMORY;
  char *memory = malloc(call_size + (size_t)items * sizeof(int64_t));
  if (memory == NULL) return ROOFLINE_E_MEMORY;
  roofline_call *call = (roofline_call *)memory;
  memcpy(call, from->call, op->call_size);
  status = generate_all(from, call, (int64_t *)(memory + call_size));
  if (status != ROOFLINE_OK) {
    free(memory);
    return status;
  }
  *out = (roofline_row_call){call, memory};
  return ROOFLINE_OK;
}

void roofline_row_close(roofline_row_call *row) {
  free(row->memory);
  *row = (roofline_row_call){NULL, NULL};
}
