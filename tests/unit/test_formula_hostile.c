/* Binding what no caller should pass: a sound call with fields and tensors set to extremes is bound or
   refused with a reason, and what is bound is evaluated to numbers that are not negative or to a status. The
   sanitizers watch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/registry.h"
#include "tests/unit/random_shapes.h"

enum { TRIES = 200 };

static const int64_t extremes[] = {0,       1, 2, -1, 16, 17, INT32_MAX, INT64_MAX, INT64_MIN, INT64_MAX / 2,
                                   1 << 20, 3};

static int64_t extreme(void) { return extremes[below((int64_t)(sizeof extremes / sizeof extremes[0]))]; }

static int64_t wild_dims[32];

static void spoil_tensor(roofline_tensor *t) {
  switch (below(5)) {
  case 0: t->rank = (int32_t)extreme(); break;
  case 1: t->dims = NULL; break;
  case 2: t->dtype = (roofline_dtype)extreme(); break;
  case 3: *t = (roofline_tensor){0}; break;
  default: /* as many sizes as the rank says, or more */
    for (int i = 0; i < 32; i++) wild_dims[i] = extreme();
    for (int32_t i = 0; i < t->rank && i < 16 && t->dims != NULL; i++)
      if (below(2) == 0) wild_dims[i] = t->dims[i];
    t->dims = wild_dims;
  }
}

static void spoil_param(const roofline_field *f, void *args) {
  static const double floats[] = {-0.0, NAN, INFINITY, -INFINITY, 1e308, 5e-324};
  char *at = (char *)args + f->args_offset;
  switch (f->kind) {
  case ROOFLINE_FIELD_INT: *(int64_t *)(void *)at = extreme(); break;
  case ROOFLINE_FIELD_BOOL: *(bool *)at = below(2) == 0; break;
  case ROOFLINE_FIELD_ENUM: *(int32_t *)(void *)at = (int32_t)extreme(); break;
  case ROOFLINE_FIELD_DTYPE: *(roofline_dtype *)(void *)at = (roofline_dtype)extreme(); break;
  case ROOFLINE_FIELD_FLOAT: *(double *)(void *)at = floats[below(6)]; break;
  case ROOFLINE_FIELD_SHAPE: ((roofline_shape *)(void *)at)->rank = (int32_t)extreme(); break;
  case ROOFLINE_FIELD_SEQ: *(roofline_seq *)(void *)at = roofline_seq_of(wild_dims, below(32)); break;
  case ROOFLINE_FIELD_VALUE: ((roofline_value *)(void *)at)->tag = (roofline_tag)extreme(); break;
  case ROOFLINE_FIELD_ADT: ((roofline_adt *)(void *)at)->ctor = (int32_t)extreme(); break;
  }
}

static unsigned bound, refused;

static void check_bound(const roofline_op *op, const roofline_call *call) {
  bound++;
  roofline_cost cost = {0, 0};
  int64_t bytes = 0;
  if (op->eval(call, &cost) == ROOFLINE_OK && (cost.flops < 0 || cost.bytes < 0))
    fail_msg("%s: a negative cost", op->name);
  if (op->read_bytes != NULL && op->read_bytes(call, &bytes) == ROOFLINE_OK && bytes < 0)
    fail_msg("%s: negative read bytes", op->name);
  if (op->roof_key != NULL) assert_non_null(op->roof_key(call));
  for (int32_t i = 0; i < op->tensor_count; i++) {
    roofline_shape shape;
    roofline_dtype dtype;
    op->tensor(call, i, &shape, &dtype);
  }
}

static const size_t sizes[] = {
    [ROOFLINE_FIELD_INT] = sizeof(int64_t),      [ROOFLINE_FIELD_BOOL] = sizeof(bool),
    [ROOFLINE_FIELD_ENUM] = sizeof(int32_t),     [ROOFLINE_FIELD_DTYPE] = sizeof(roofline_dtype),
    [ROOFLINE_FIELD_FLOAT] = sizeof(double),     [ROOFLINE_FIELD_SHAPE] = sizeof(roofline_shape),
    [ROOFLINE_FIELD_SEQ] = sizeof(roofline_seq), [ROOFLINE_FIELD_VALUE] = sizeof(roofline_value),
    [ROOFLINE_FIELD_ADT] = sizeof(roofline_adt),
};

static void spoil_row(const roofline_op *op, const roofline_row *row) {
  void *args = calloc(1, op->args_size);
  roofline_call *call = calloc(1, op->call_size);
  roofline_shape *shapes = calloc((size_t)op->tensor_count + 1, sizeof *shapes);
  for (int attempt = 0; attempt < TRIES; attempt++) {
    op->defaults(args);
    for (int32_t i = 0; i < op->param_count; i++)
      memcpy((char *)args + op->params[i].args_offset, (const char *)row->call + op->params[i].offset,
             sizes[op->params[i].kind]);
    for (int32_t i = 0; i < op->tensor_count; i++) {
      const roofline_tensor_info *t = &op->tensors[i];
      roofline_dtype dtype;
      if (t->args_offset == ROOFLINE_NOWHERE) continue;
      roofline_tensor *arg = (void *)((char *)args + t->args_offset);
      const bool passed = t->present_offset == ROOFLINE_NOWHERE ||
                          *(const bool *)((const char *)row->call + t->present_offset);
      if (passed && op->tensor(row->call, i, &shapes[i], &dtype) == ROOFLINE_OK)
        *arg = (roofline_tensor){dtype, shapes[i].rank, shapes[i].dims, NULL, NULL};
    }
    for (int64_t n = below(3); n >= 0; n--) {
      const int64_t which = below(op->param_count + op->tensor_count);
      if (which < op->param_count)
        spoil_param(&op->params[which], args);
      else if (op->tensors[which - op->param_count].args_offset != ROOFLINE_NOWHERE)
        spoil_tensor((void *)((char *)args + op->tensors[which - op->param_count].args_offset));
    }
    roofline_error error = {0};
    if (op->bind(call, args, &error) == ROOFLINE_OK) {
      check_bound(op, call);
      continue;
    }
    refused++;
    if (error.message[0] == '\0') fail_msg("%s: refused without a reason", op->name);
    roofline_cost cost;
    if (op->eval(call, &cost) == ROOFLINE_OK) fail_msg("%s: evaluated what was refused", op->name);
  }
  free(shapes);
  free(call);
  free(args);
}

static void test_extremes(void **state) {
  (void)state;
  for (size_t i = 0; roofline_ops[i] != NULL; i++)
    for (int32_t r = 0; r < roofline_ops[i]->row_count && r < 4; r++)
      spoil_row(roofline_ops[i], &roofline_ops[i]->rows[r]);
  assert_true(bound > 1000 && refused > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
