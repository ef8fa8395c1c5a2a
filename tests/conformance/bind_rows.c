/* Binds every workload row again from nothing but its parameters and the tensors it stands for, and
   compares what was solved with the row. Linked with generated code by test_bind_rows.sh. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <roofline/roofline.h>

static const size_t sizes[] = {
    [ROOFLINE_FIELD_INT] = sizeof(int64_t),      [ROOFLINE_FIELD_BOOL] = sizeof(bool),
    [ROOFLINE_FIELD_ENUM] = sizeof(int32_t),     [ROOFLINE_FIELD_DTYPE] = sizeof(roofline_dtype),
    [ROOFLINE_FIELD_FLOAT] = sizeof(double),     [ROOFLINE_FIELD_SHAPE] = sizeof(roofline_shape),
    [ROOFLINE_FIELD_SEQ] = sizeof(roofline_seq), [ROOFLINE_FIELD_VALUE] = sizeof(roofline_value),
    [ROOFLINE_FIELD_ADT] = sizeof(roofline_adt),
};

/* Read by `values` alone: such an index belongs to the row, and no tensor gives it (language.md §6). */
static bool is_row_only(const roofline_op *op, const char *index) {
  return strcmp(op->name, "FP8LightningIndexerFwdOp") == 0 && strcmp(index, "first") == 0;
}

static int failures;

static void fail(const roofline_op *op, const roofline_row *row, const char *what, const char *why) {
  printf("%s %s: %s: %s\n", op->name, row->case_id, what, why);
  failures++;
}

static bool present(const roofline_call *call, const roofline_tensor_info *t) {
  return t->present_offset == ROOFLINE_NOWHERE || *(const bool *)((const char *)call + t->present_offset);
}

static bool same_field(const roofline_field *f, const roofline_call *a, const roofline_call *b) {
  const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
  if (f->kind != ROOFLINE_FIELD_SHAPE) return memcmp(x, y, sizes[f->kind]) == 0;
  const roofline_shape *s = x, *t = y;
  return s->rank == t->rank && memcmp(s->dims, t->dims, (size_t)s->rank * sizeof *s->dims) == 0;
}

static void check_row(const roofline_op *op, const roofline_row *row) {
  void *args = calloc(1, op->args_size);
  roofline_call *call = calloc(1, op->call_size);
  roofline_shape *shapes = calloc((size_t)op->tensor_count + 1, sizeof *shapes);
  op->defaults(args);
  for (int32_t i = 0; i < op->param_count; i++) {
    const roofline_field *f = &op->params[i];
    memcpy((char *)args + f->args_offset, (const char *)row->call + f->offset, sizes[f->kind]);
  }
  for (int32_t i = 0; i < op->tensor_count; i++) {
    const roofline_tensor_info *t = &op->tensors[i];
    roofline_tensor *arg =
        t->args_offset == ROOFLINE_NOWHERE ? NULL : (void *)((char *)args + t->args_offset);
    roofline_dtype dtype;
    if (!present(row->call, t)) continue;
    if (op->tensor(row->call, i, &shapes[i], &dtype) != ROOFLINE_OK) {
      fail(op, row, t->name, "no shape");
    } else if (arg != NULL) {
      *arg = (roofline_tensor){dtype, shapes[i].rank, shapes[i].dims, NULL, NULL};
    }
  }
  roofline_error error = {0};
  if (op->bind(call, args, &error) != ROOFLINE_OK) {
    fail(op, row, "bind", error.message);
  } else {
    roofline_cost ours = {-1, -1}, theirs = {-1, -1};
    for (int32_t i = 0; i < op->index_count; i++)
      if (!is_row_only(op, op->indices[i].name) && !same_field(&op->indices[i], call, row->call))
        fail(op, row, op->indices[i].name, "solved to another value");
    for (int32_t i = 0; i < op->tensor_count; i++)
      if (present(call, &op->tensors[i]) != present(row->call, &op->tensors[i]))
        fail(op, row, op->tensors[i].name, "another presence");
    if (op->eval(call, &ours) != op->eval(row->call, &theirs) || ours.flops != theirs.flops ||
        ours.bytes != theirs.bytes)
      fail(op, row, "cost", "the bound call costs something else");
  }
  /* A wrong size anywhere is refused, and leaves the call unchecked. */
  for (int32_t i = 0; i < op->tensor_count; i++) {
    const roofline_tensor_info *t = &op->tensors[i];
    if (t->args_offset == ROOFLINE_NOWHERE || !present(row->call, t)) continue;
    roofline_tensor *arg = (void *)((char *)args + t->args_offset);
    const roofline_tensor kept = *arg;
    int64_t dims[ROOFLINE_MAX_RANK] = {0};
    roofline_cost cost = {7, 7};
    memcpy(dims, kept.dims, (size_t)kept.rank * sizeof *dims);
    arg->dims = dims;
    arg->rank = kept.rank < ROOFLINE_MAX_RANK ? kept.rank + 1 : kept.rank - 1;
    const roofline_status ranked = op->bind(call, args, NULL);
    if (ranked != ROOFLINE_OK &&
        (op->eval(call, &cost) != ROOFLINE_E_UNCHECKED || cost.flops != 7 || cost.bytes != 7))
      fail(op, row, t->name, "a refused call can be evaluated");
    for (int32_t axis = 0; axis < kept.rank; axis++) {
      *arg = kept;
      arg->dims = dims;
      dims[axis] = -1;
      if (op->bind(call, args, NULL) == ROOFLINE_OK) fail(op, row, t->name, "a negative axis is accepted");
      dims[axis] = kept.dims[axis];
    }
    *arg = kept;
    arg->dtype = ROOFLINE_FLOAT8_E8M0FNU; /* no entry takes it */
    if (op->bind(call, args, NULL) == ROOFLINE_OK) fail(op, row, t->name, "a wrong dtype is accepted");
    *arg = kept;
  }
  free(shapes);
  free(call);
  free(args);
}

int main(void) {
  int rows = 0;
  for (const roofline_op *const *op = roofline_ops; *op != NULL; op++) {
    for (int32_t r = 0; r < (*op)->row_count; r++, rows++) check_row(*op, &(*op)->rows[r]);
  }
  printf("%d rows bound, %d failures\n", rows, failures);
  return failures == 0 && rows > 0 ? 0 : 1;
}
