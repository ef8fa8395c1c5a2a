/* Binds every workload row again from nothing but its parameters and the tensors it stands for, and
   compares what was solved with the row. Linked with generated code by test_bind_rows.sh. */
#include "row_args.h"

/* Read by `values` alone: such an index belongs to the row, and no tensor gives it (language.md §6). */
static bool is_row_only(const roofline_op *op, const char *index) {
  return strcmp(op->name, "FP8LightningIndexerFwdOp") == 0 && strcmp(index, "first") == 0;
}

static int failures;

static void fail(const roofline_op *op, const roofline_row *row, const char *what, const char *why) {
  printf("%s %s: %s: %s\n", op->name, row->case_id, what, why);
  failures++;
}

static bool same_field(const roofline_field *f, const roofline_call *a, const roofline_call *b) {
  const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
  if (f->kind != ROOFLINE_FIELD_SHAPE) return memcmp(x, y, row_field_size(f->kind)) == 0;
  const roofline_shape *s = x, *t = y;
  return s->rank == t->rank && memcmp(s->dims, t->dims, (size_t)s->rank * sizeof *s->dims) == 0;
}

static void check_row(const roofline_op *op, const roofline_row *row) {
  void *args = calloc(1, op->args_size);
  roofline_call *call = calloc(1, op->call_size);
  roofline_shape *shapes = calloc((size_t)op->tensor_count + 1, sizeof *shapes);
  roofline_error error = {0};
  const int32_t shapeless = row_fill_args(op, row->call, args, shapes);
  if (shapeless >= 0) {
    fail(op, row, op->tensors[shapeless].name, "no shape");
  } else if (op->bind(call, args, &error) != ROOFLINE_OK) {
    fail(op, row, "bind", error.message);
  } else {
    roofline_cost ours = {-1, -1}, theirs = {-1, -1};
    for (int32_t i = 0; i < op->index_count; i++)
      if (!is_row_only(op, op->indices[i].name) && !same_field(&op->indices[i], call, row->call))
        fail(op, row, op->indices[i].name, "solved to another value");
    for (int32_t i = 0; i < op->tensor_count; i++)
      if (row_present(call, &op->tensors[i]) != row_present(row->call, &op->tensors[i]))
        fail(op, row, op->tensors[i].name, "another presence");
    if (op->eval(call, &ours) != op->eval(row->call, &theirs) || ours.flops != theirs.flops ||
        ours.bytes != theirs.bytes)
      fail(op, row, "cost", "the bound call costs something else");
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
