/* A workload row as the arguments of a bind: its parameters, and the tensors that it stands for. */
#ifndef CONFORMANCE_ROW_ARGS_H
#define CONFORMANCE_ROW_ARGS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <roofline/roofline.h>

static inline size_t row_field_size(roofline_field_kind kind) {
  static const size_t sizes[] = {
      [ROOFLINE_FIELD_INT] = sizeof(int64_t),      [ROOFLINE_FIELD_BOOL] = sizeof(bool),
      [ROOFLINE_FIELD_ENUM] = sizeof(int32_t),     [ROOFLINE_FIELD_DTYPE] = sizeof(roofline_dtype),
      [ROOFLINE_FIELD_FLOAT] = sizeof(double),     [ROOFLINE_FIELD_SHAPE] = sizeof(roofline_shape),
      [ROOFLINE_FIELD_SEQ] = sizeof(roofline_seq), [ROOFLINE_FIELD_VALUE] = sizeof(roofline_value),
      [ROOFLINE_FIELD_ADT] = sizeof(roofline_adt),
  };
  return sizes[kind];
}

static inline bool row_present(const roofline_call *call, const roofline_tensor_info *t) {
  return t->present_offset == ROOFLINE_NOWHERE || *(const bool *)((const char *)call + t->present_offset);
}

/* NULL: a tensor that no caller passes. */
static inline roofline_tensor *row_tensor(void *args, const roofline_tensor_info *t) {
  return t->args_offset == ROOFLINE_NOWHERE ? NULL : (void *)((char *)args + t->args_offset);
}

/* Fills args, which is the caller's, as is shapes: one for each tensor, to live as long as args. Metadata
   tensors come without data. The position of a tensor without a shape, or -1. */
static inline int32_t row_fill_args(const roofline_op *op, const roofline_call *call, void *args,
                                    roofline_shape *shapes) {
  op->defaults(args);
  for (int32_t i = 0; i < op->param_count; i++) {
    const roofline_field *f = &op->params[i];
    memcpy((char *)args + f->args_offset, (const char *)call + f->offset, row_field_size(f->kind));
  }
  for (int32_t i = 0; i < op->tensor_count; i++) {
    roofline_tensor *arg = row_tensor(args, &op->tensors[i]);
    roofline_dtype dtype;
    if (!row_present(call, &op->tensors[i])) continue;
    if (op->tensor(call, i, &shapes[i], &dtype) != ROOFLINE_OK) return i;
    if (arg != NULL) *arg = (roofline_tensor){dtype, shapes[i].rank, shapes[i].dims, NULL, NULL};
  }
  return -1;
}

#endif
