/* Binds every workload row again with one thing about its tensors changed: an axis, the rank, the dtype or
   the presence of one tensor, or an index of all of them. What a bind accepts must describe the tensors
   passed; what it refuses must say which declaration and leave the call unchecked. Whether a refusal is right
   is judged by tests/oracle/bind.py, from the line that is printed for every bind:

   op, case, tensor or index, change, tensors that differ from the row's ("x=float16[4,5]", "y=-" for none),
   status, then the declaration, expected, found and message of a refusal, or the indices ("M=4 S=[2,3]"),
   status, flops and bytes of an evaluation. The first line of a row has its change "row" and all its tensors.
 */
#include <inttypes.h>

#include "row_args.h"

/* Values of a metadata tensor, in both integer types: a row's own, then zeros where a change needs more. */
typedef struct metadata_values {
  bool given;
  int64_t count, room;
  int64_t *wide;
  int32_t *narrow;
} metadata_values;

typedef struct subject {
  const roofline_op *op;
  const roofline_row *row;
  void *args, *first_args; /* the second is never changed */
  roofline_call *call;
  roofline_shape *shapes, *first_shapes; /* by tensor */
  metadata_values *values;
} subject;

static int failures;
static long accepted, refused;

static void fail(const subject *s, const char *what, const char *change, const char *why) {
  fprintf(stderr, "%s %s: %s %s: %s\n", s->op->name, s->row->case_id, what, change, why);
  failures++;
}

/* ---- printing ---- */

static void print_shape(const int64_t *dims, int32_t rank) {
  putchar('[');
  for (int32_t i = 0; i < rank; i++) printf("%s%" PRId64, i > 0 ? "," : "", dims[i]);
  putchar(']');
}

static void print_indices(const subject *s) {
  for (int32_t i = 0; i < s->op->index_count; i++) {
    const roofline_field *f = &s->op->indices[i];
    const void *at = (const char *)s->call + f->offset;
    printf("%s%s=", i > 0 ? " " : "", f->name);
    if (f->kind == ROOFLINE_FIELD_INT)
      printf("%" PRId64, *(const int64_t *)at);
    else if (f->kind == ROOFLINE_FIELD_DTYPE)
      fputs(roofline_dtype_name(*(const roofline_dtype *)at), stdout);
    else
      print_shape(((const roofline_shape *)at)->dims, ((const roofline_shape *)at)->rank);
  }
}

static bool same_tensor(const roofline_tensor *a, const roofline_tensor *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

static void print_tensors(const subject *s, bool all) {
  const char *separator = "";
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    const roofline_tensor *t = row_tensor(s->args, &s->op->tensors[i]);
    if (t == NULL || (!all && same_tensor(t, row_tensor(s->first_args, &s->op->tensors[i])))) continue;
    printf("%s%s=", separator, s->op->tensors[i].name);
    separator = " ";
    if (t->dtype == ROOFLINE_DTYPE_NONE) {
      putchar('-');
      continue;
    }
    fputs(roofline_dtype_name(t->dtype), stdout);
    print_shape(t->dims, t->rank);
  }
}

/* ---- one bind ---- */

/* A metadata tensor reads its row's values, as many as it has items. */
static void attach_values(subject *s) {
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    metadata_values *v = &s->values[i];
    roofline_tensor *t = row_tensor(s->args, &s->op->tensors[i]);
    if (!v->given) continue;
    int64_t count = 1;
    for (int32_t axis = 0; axis < t->rank; axis++) count *= t->dims[axis] > 0 ? t->dims[axis] : 0;
    if (count > v->room) {
      v->wide = realloc(v->wide, (size_t)count * sizeof *v->wide);
      v->narrow = realloc(v->narrow, (size_t)count * sizeof *v->narrow);
      if (v->wide == NULL || v->narrow == NULL) abort();
      memset(v->wide + v->room, 0, (size_t)(count - v->room) * sizeof *v->wide);
      memset(v->narrow + v->room, 0, (size_t)(count - v->room) * sizeof *v->narrow);
      v->room = count;
    }
    t->data = t->dtype == ROOFLINE_INT64 ? (const void *)v->wide : v->narrow;
  }
}

static void check_accepted(const subject *s, const char *what, const char *change) {
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    const roofline_tensor *t = row_tensor(s->args, &s->op->tensors[i]);
    roofline_shape shape = {0, {0}};
    roofline_dtype dtype = ROOFLINE_DTYPE_NONE;
    const bool passed = t != NULL && t->dtype != ROOFLINE_DTYPE_NONE;
    /* An output is there whether or not its memory was passed. */
    if (t != NULL && s->op->tensors[i].role != ROOFLINE_OUTPUT &&
        passed != row_present(s->call, &s->op->tensors[i]))
      fail(s, what, change, "the bound call has another presence than was passed");
    if (!passed) continue;
    if (s->op->tensor(s->call, i, &shape, &dtype) != ROOFLINE_OK ||
        !same_tensor(t, &(roofline_tensor){dtype, shape.rank, shape.dims, NULL, NULL}))
      fail(s, what, change, "the bound call describes another tensor than was passed");
  }
}

static void check_refused(const subject *s, const char *what, const char *change,
                          const roofline_error *error) {
  roofline_cost cost = {7, 7};
  if (s->op->eval(s->call, &cost) != ROOFLINE_E_UNCHECKED || cost.flops != 7 || cost.bytes != 7)
    fail(s, what, change, "a refused call can be evaluated");
  const size_t length = strlen(error->declaration);
  if (strncmp(error->message, error->declaration, length) != 0 || error->message[length] != ':')
    fail(s, what, change, "the message does not start with its declaration");
}

/* The read half: a number, a status, or nothing where none is declared. `to`: 32 bytes. */
static const char *reads_text(const subject *s, char *to) {
  int64_t reads = 0;
  const roofline_status status = s->op->read_bytes == NULL ? ROOFLINE_OK : s->op->read_bytes(s->call, &reads);
  if (status != ROOFLINE_OK) return roofline_status_name(status);
  if (s->op->read_bytes != NULL) snprintf(to, 32, "%" PRId64, reads);
  return to;
}

static void try(subject *s, const char *what, const char *change, bool all) {
  roofline_error error = {"-", 0, 0, ""};
  roofline_cost cost = {0, 0};
  attach_values(s);
  const roofline_status status = s->op->bind(s->call, s->args, &error);
  printf("%s\t%s\t%s\t%s\t", s->op->name, s->row->case_id, what, change);
  print_tensors(s, all);
  printf("\t%s\t", status == ROOFLINE_OK ? "OK" : roofline_status_name(status));
  if (status == ROOFLINE_OK) {
    accepted++;
    check_accepted(s, what, change);
    print_indices(s);
    const roofline_status evaluated = s->op->eval(s->call, &cost);
    printf("\t%s\t%" PRId64 "\t%" PRId64 "\t%s\n",
           evaluated == ROOFLINE_OK ? "OK" : roofline_status_name(evaluated), cost.flops, cost.bytes,
           reads_text(s, (char[32]){""}));
  } else {
    refused++;
    check_refused(s, what, change, &error);
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%s\n", error.declaration, error.expected, error.found,
           error.message);
  }
  if (s->op->bind(s->call, s->args, NULL) != status)
    fail(s, what, change, "another status where no error is asked for");
}

/* ---- changes ---- */

static void change_axes(subject *s, int32_t tensor) {
  static const struct {
    const char *text;
    int64_t add, times;
  } changes[] = {{"+1", 1, 1}, {"-1", -1, 1}, {"to -1", -1, 0}};
  const roofline_tensor_info *t = &s->op->tensors[tensor];
  int64_t *dims = s->shapes[tensor].dims;
  for (int32_t axis = 0; axis < s->shapes[tensor].rank; axis++) {
    const int64_t kept = dims[axis];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
      char change[32];
      snprintf(change, sizeof change, "axis %" PRId32 " %s", axis, changes[i].text);
      dims[axis] = kept * changes[i].times + changes[i].add;
      try(s, t->name, change, false);
    }
    dims[axis] = kept;
  }
}

static void change_rank(subject *s, int32_t tensor) {
  const roofline_tensor_info *t = &s->op->tensors[tensor];
  roofline_tensor *arg = row_tensor(s->args, t);
  const roofline_tensor kept = *arg;
  int64_t dims[ROOFLINE_MAX_RANK + 1] = {2};
  memcpy(dims + 1, kept.dims, (size_t)kept.rank * sizeof *dims);
  if (kept.rank < ROOFLINE_MAX_RANK) {
    arg->rank = kept.rank + 1;
    arg->dims = dims;
    try(s, t->name, "a first axis of 2", false);
    dims[kept.rank + 1] = 1;
    arg->dims = dims + 1;
    try(s, t->name, "a last axis of 1", false);
  }
  if (kept.rank > 0) {
    arg->rank = kept.rank - 1;
    arg->dims = kept.dims + 1;
    try(s, t->name, "no first axis", false);
    arg->dims = kept.dims;
    try(s, t->name, "no last axis", false);
  }
  *arg = kept;
}

/* Has a tensor of the row this dtype? */
static bool row_has_dtype(const subject *s, roofline_dtype dtype) {
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    const roofline_tensor *t = row_tensor(s->first_args, &s->op->tensors[i]);
    if (t != NULL && t->dtype == dtype) return true;
  }
  return false;
}

/* Every dtype in an op's first row; in the others those that stand beside it, and one that is rarely right.
 */
static void change_dtype(subject *s, int32_t tensor) {
  const roofline_tensor_info *t = &s->op->tensors[tensor];
  roofline_tensor *arg = row_tensor(s->args, t);
  const roofline_tensor kept = *arg;
  for (int i = 1; i < ROOFLINE_DTYPE_COUNT; i++) {
    const roofline_dtype dtype = (roofline_dtype)i;
    const bool tried = s->row == s->op->rows || dtype == ROOFLINE_FLOAT8_E8M0FNU || row_has_dtype(s, dtype);
    char change[32];
    if (dtype == kept.dtype || !tried) continue;
    arg->dtype = dtype;
    snprintf(change, sizeof change, "dtype %s", roofline_dtype_name(dtype));
    try(s, t->name, change, false);
  }
  *arg = kept;
}

/* A tensor that the row does not pass takes the shape its indices give, or is a scalar where they give none:
   only it reads one that the row leaves open. */
static void change_presence(subject *s, int32_t tensor) {
  const roofline_tensor_info *t = &s->op->tensors[tensor];
  roofline_tensor *arg = row_tensor(s->args, t);
  const roofline_tensor kept = *arg;
  const bool passed = kept.dtype != ROOFLINE_DTYPE_NONE;
  if (passed) {
    *arg = (roofline_tensor){ROOFLINE_DTYPE_NONE, 0, NULL, NULL, NULL};
  } else {
    const roofline_status known = s->op->tensor(s->row->call, tensor, &s->shapes[tensor], &arg->dtype);
    if (known != ROOFLINE_OK) arg->dtype = ROOFLINE_FLOAT32;
    arg->rank = known == ROOFLINE_OK ? s->shapes[tensor].rank : 0;
    arg->dims = s->shapes[tensor].dims;
  }
  try(s, t->name, passed ? "not passed" : "passed", false);
  *arg = kept;
}

/* Every tensor as another value of an index makes it: a call that differs from the row, and fits itself. */
static void try_index(subject *s, const roofline_call *other, const char *index, const char *change) {
  const size_t shapes_size = (size_t)s->op->tensor_count * sizeof *s->shapes;
  if (row_fill_args(s->op, other, s->args, s->shapes) < 0) try(s, index, change, false);
  memcpy(s->args, s->first_args, s->op->args_size);
  memcpy(s->shapes, s->first_shapes, shapes_size);
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    roofline_tensor *t = row_tensor(s->args, &s->op->tensors[i]);
    if (t != NULL && t->dtype != ROOFLINE_DTYPE_NONE) t->dims = s->shapes[i].dims;
  }
}

static void change_index(subject *s, const roofline_field *f) {
  roofline_call *other = malloc(s->op->call_size);
  if (other == NULL) abort();
  memcpy(other, s->row->call, s->op->call_size);
  char *at = (char *)other + f->offset;
  for (int64_t delta = 1; delta >= -1; delta -= 2) {
    char change[32];
    snprintf(change, sizeof change, "index %+" PRId64, delta);
    if (f->kind == ROOFLINE_FIELD_INT) {
      *(int64_t *)at += delta;
      try_index(s, other, f->name, change);
      *(int64_t *)at -= delta;
    }
    roofline_shape *shape = (roofline_shape *)at;
    for (int32_t i = 0; f->kind == ROOFLINE_FIELD_SHAPE && i < shape->rank; i++) {
      snprintf(change, sizeof change, "index %" PRId32 " %+" PRId64, i, delta);
      shape->dims[i] += delta;
      try_index(s, other, f->name, change);
      shape->dims[i] -= delta;
    }
  }
  free(other);
}

/* ---- a row ---- */

static void take_values(subject *s, int32_t row) {
  roofline_row_call opened;
  if (roofline_row_open(s->op, row, &opened) != ROOFLINE_OK) {
    fail(s, "row", "", "its metadata cannot be generated");
    return;
  }
  for (int32_t i = 0; i < s->op->tensor_count; i++) {
    const roofline_tensor_info *t = &s->op->tensors[i];
    metadata_values *v = &s->values[i];
    if (t->metadata_offset == ROOFLINE_NOWHERE || !row_present(s->row->call, t)) continue;
    const roofline_metadata *m = (const void *)((const char *)opened.call + t->metadata_offset);
    v->given = true;
    v->room = m->count > 0 ? m->count : 1;
    v->wide = calloc((size_t)v->room, sizeof *v->wide);
    v->narrow = calloc((size_t)v->room, sizeof *v->narrow);
    if (v->wide == NULL || v->narrow == NULL) abort();
    for (int64_t j = 0; j < m->count; j++) {
      v->wide[j] = roofline_metadata_at(m, j);
      v->narrow[j] = (int32_t)v->wide[j];
    }
  }
  roofline_row_close(&opened);
}

static void change_row(const roofline_op *op, int32_t number) {
  const size_t tensors = (size_t)op->tensor_count + 1;
  subject s = {.op = op,
               .row = &op->rows[number],
               .args = calloc(1, op->args_size),
               .first_args = calloc(1, op->args_size),
               .call = calloc(1, op->call_size),
               .shapes = calloc(tensors, sizeof *s.shapes),
               .first_shapes = calloc(tensors, sizeof *s.first_shapes),
               .values = calloc(tensors, sizeof *s.values)};
  if (row_fill_args(op, s.row->call, s.args, s.shapes) >= 0 ||
      row_fill_args(op, s.row->call, s.first_args, s.first_shapes) >= 0)
    fail(&s, "row", "", "a tensor has no shape");
  take_values(&s, number);
  try(&s, "-", "row", true);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    const roofline_tensor *t = row_tensor(s.args, &op->tensors[i]);
    if (t == NULL) continue;
    change_presence(&s, i);
    if (t->dtype == ROOFLINE_DTYPE_NONE) continue;
    change_axes(&s, i);
    change_rank(&s, i);
    change_dtype(&s, i);
  }
  for (int32_t i = 0; i < op->index_count; i++) change_index(&s, &op->indices[i]);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    free(s.values[i].wide);
    free(s.values[i].narrow);
  }
  free(s.values);
  free(s.first_shapes);
  free(s.shapes);
  free(s.call);
  free(s.first_args);
  free(s.args);
}

int main(void) {
  for (const roofline_op *const *op = roofline_ops; *op != NULL; op++) {
    for (int32_t r = 0; r < (*op)->row_count; r++) change_row(*op, r);
  }
  fprintf(stderr, "%ld calls accepted, %ld refused, %d failures\n", accepted, refused, failures);
  return failures == 0 && accepted > 0 && refused > 0 ? 0 : 1;
}
