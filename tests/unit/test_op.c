/* Evaluating calls, reading them by name, binding by name, and workload rows, on a small op written out
   as the compiler generates them:

     MiniFwdOp:  x [M, *S] D, w [M] D when passed, offsets [B + 1] int32 = prefix_sum(lens)
                 y [M, *S] of coalesce_dtype(out_dtype, D), into `out` when given
                 flops 2 * M * prod(S) * groups, bytes those of x, y and w */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <roofline/roofline.h>

/* The files that allocate, with allocations that can be refused: the `failing`-th from now is. */
static int failing;
static bool refused(void) { return failing > 0 && --failing == 0; }
#define malloc(size) (refused() ? NULL : malloc(size))
#define calloc(count, size) (refused() ? NULL : calloc(count, size))
#include "runtime/src/binding.c"          /* NOLINT(bugprone-suspicious-include) */
#include "runtime/src/generator_seeded.c" /* NOLINT(bugprone-suspicious-include) */
#include "runtime/src/row.c"              /* NOLINT(bugprone-suspicious-include) */
#undef malloc
#undef calloc

/* ---- the op ---- */

static const roofline_adt_field boxed_fields[] = {{"size", NULL, 0}};
static const roofline_adt_ctor form_ctors[] = {{"plain", NULL, 0}, {"boxed", boxed_fields, 1}};
static const roofline_adt_type form_type = {"Form", form_ctors, 2};
static const roofline_adt_type other_type = {"Other", form_ctors, 2};

typedef struct mini_args {
  bool flag;
  int64_t groups;
  int32_t mode;
  double scale;
  roofline_dtype out_dtype;
  roofline_value k, note;
  roofline_seq pads;
  roofline_adt form;
  roofline_tensor x, w, offsets, out;
} mini_args;

typedef struct mini_call {
  roofline_call call;
  int64_t B, M, groups;
  double scale;
  roofline_value k, note;
  roofline_seq pads;
  roofline_shape S;
  roofline_adt form;
  struct {
    roofline_metadata offsets;
  } metadata;
  roofline_dtype D, out_dtype;
  int32_t mode;
  bool flag;
  struct {
    bool w;
  } present;
} mini_call;

static const char *const modes[] = {"fast", "exact"};
#define INDEX(name, kind)                                                                                    \
  { #name, ROOFLINE_FIELD_##kind, offsetof(mini_call, name), 0, NULL, 0, NULL }
#define PARAM(name, kind)                                                                                    \
  { #name, ROOFLINE_FIELD_##kind, offsetof(mini_call, name), offsetof(mini_args, name), NULL, 0, NULL }
static const roofline_field indices[] = {INDEX(B, INT), INDEX(M, INT), INDEX(S, SHAPE), INDEX(D, DTYPE)};
static const roofline_field params[] = {
    PARAM(flag, BOOL),
    PARAM(groups, INT),
    {"mode", ROOFLINE_FIELD_ENUM, offsetof(mini_call, mode), offsetof(mini_args, mode), modes, 2, NULL},
    PARAM(scale, FLOAT),
    PARAM(out_dtype, DTYPE),
    PARAM(k, VALUE),
    PARAM(note, VALUE),
    PARAM(pads, SEQ),
    {"form", ROOFLINE_FIELD_ADT, offsetof(mini_call, form), offsetof(mini_args, form), NULL, 0, &form_type},
};

enum { X, W, OFFSETS, Y };
static const roofline_tensor_info tensors[] = {
    {"x", ROOFLINE_INPUT, ROOFLINE_NOWHERE, offsetof(mini_args, x), ROOFLINE_NOWHERE},
    {"w", ROOFLINE_INPUT, offsetof(mini_call, present.w), offsetof(mini_args, w), ROOFLINE_NOWHERE},
    {"offsets", ROOFLINE_INPUT, ROOFLINE_NOWHERE, offsetof(mini_args, offsets),
     offsetof(mini_call, metadata.offsets)},
    {"y", ROOFLINE_OUTPUT, ROOFLINE_NOWHERE, offsetof(mini_args, out), ROOFLINE_NOWHERE},
};

static void mini_defaults(void *out) {
  mini_args *args = out;
  memset(args, 0, sizeof *args);
  args->flag = true;
  args->groups = 1;
  args->scale = 0.5;
  args->k = roofline_int(3);
}

static roofline_status mini_tensor(const roofline_call *base, int32_t tensor, roofline_shape *shape,
                                   roofline_dtype *dtype) {
  const mini_call *call = (const mini_call *)base;
  roofline_status status = ROOFLINE_OK;
  memset(shape, 0, sizeof *shape);
  roofline_shape_push(&status, shape, tensor == OFFSETS ? call->B + 1 : call->M);
  if (tensor == X || tensor == Y) roofline_shape_append(&status, shape, roofline_seq_of_shape(&call->S));
  *dtype = tensor == OFFSETS ? ROOFLINE_INT32
           : tensor == Y     ? roofline_coalesce_dtype(call->out_dtype, call->D)
                             : call->D;
  return status;
}

static const roofline_bind_names names[] = {
    {"inputs.x", "inputs.x.shape", "inputs.x.dtype", "[M, *S]"},
    {"inputs.w", "inputs.w.shape", "inputs.w.dtype", "[M]"},
    {"inputs.offsets", "inputs.offsets.shape", "inputs.offsets.dtype", "[B + 1]"},
    {"outputs.y", "outputs.y.shape", "outputs.y.dtype", "[M, *S]"},
};

static const roofline_op mini_op;

static roofline_status mini_bind(roofline_call *base, const void *from, roofline_error *error) {
  mini_call *call = (mini_call *)base;
  const mini_args *args = from;
  memset(call, 0, sizeof *call);
  call->call.op = &mini_op;
  call->flag = args->flag;
  call->groups = args->groups;
  call->mode = args->mode;
  call->scale = args->scale;
  call->out_dtype = args->out_dtype;
  call->k = args->k;
  call->note = args->note;
  call->pads = args->pads;
  call->form = args->form;
  call->present.w = args->w.dtype != ROOFLINE_DTYPE_NONE;
  roofline_status status = roofline_bind_passed(error, names[X].tensor, &args->x, true);
  if (status == ROOFLINE_OK)
    status = roofline_bind_passed(error, names[OFFSETS].tensor, &args->offsets, true);
  if (status == ROOFLINE_OK) status = roofline_bind_splice(error, &names[X], &args->x, 1, 0, &call->S);
  if (status == ROOFLINE_OK) status = roofline_bind_rank(error, &names[OFFSETS], &args->offsets, 1, false);
  if (status != ROOFLINE_OK) return status;
  call->M = args->x.dims[0];
  call->D = args->x.dtype;
  call->B = args->offsets.dims[0] - 1;
  call->metadata.offsets = roofline_bind_metadata(&args->offsets);
  status = roofline_bind_tensors(error, base, args, names);
  if (status == ROOFLINE_OK && call->metadata.offsets.data != NULL &&
      !roofline_prefix_offsets(&status, &call->metadata.offsets, call->M))
    status = roofline_bind_rule(error, status, "inputs.offsets.requires[0]", "prefix_offsets(M)");
  if (status == ROOFLINE_OK) call->call.checked = ROOFLINE_CALL_CHECKED;
  return status;
}

static roofline_status mini_eval(const roofline_call *base, roofline_cost *cost) {
  const mini_call *call = (const mini_call *)base;
  roofline_status status = ROOFLINE_OK;
  int64_t x, y, w = 0;
  const int64_t items =
      roofline_mul(&status, call->M, roofline_prod(&status, roofline_seq_of_shape(&call->S)));
  cost->flops = roofline_mul(&status, roofline_mul(&status, 2, items), call->groups);
  cost->bytes = -1; /* a caller must not see this beside a failure */
  if (status == ROOFLINE_OK) status = roofline_call_bytes(base, "x", &x);
  if (status == ROOFLINE_OK) status = roofline_call_bytes(base, "y", &y);
  if (status == ROOFLINE_OK && call->present.w) status = roofline_call_bytes(base, "w", &w);
  if (status == ROOFLINE_OK) cost->bytes = roofline_add(&status, roofline_add(&status, x, y), w);
  return status;
}

enum { LET_N, LET_FLAT, LET_BOX, LET_BAD };
static const char *const lets[] = {"N", "flat", "box", "bad"};
static roofline_status mini_let(const roofline_call *base, int32_t let, roofline_value *value,
                                roofline_shape *shape, roofline_adt *adt) {
  const mini_call *call = (const mini_call *)base;
  roofline_status status = ROOFLINE_OK;
  switch (let) {
  case LET_N: *value = roofline_int(roofline_mul(&status, call->M, call->groups)); break;
  case LET_FLAT:
    shape->rank = 2;
    shape->dims[0] = call->M;
    shape->dims[1] = roofline_prod(&status, roofline_seq_of_shape(&call->S));
    *value = roofline_seq_value(roofline_seq_of_shape(shape));
    break;
  case LET_BOX:
    *adt = (roofline_adt){&form_type, 1, {call->M}};
    *value = roofline_opaque();
    break;
  default: *value = roofline_int(roofline_floordiv(&status, call->M, 0)); break;
  }
  return status;
}

static const char *const lists[] = {"lens"};
static roofline_status mini_generate(const roofline_call *base, const roofline_seq *given, int32_t tensor,
                                     roofline_shape *shape, int64_t *values) {
  (void)base;
  roofline_status status = tensor == OFFSETS ? ROOFLINE_OK : ROOFLINE_E_NOT_AVAILABLE;
  roofline_prefix_sum(&status, shape, values, given[0]);
  return status;
}

static const char *mini_roof_key(const roofline_call *call) {
  (void)call;
  return "cuda_core.fp32";
}

/* Rows: a good one, one whose metadata does not fit int32, one whose list has another length than B, one
   whose metadata just fits. */
#define ROW_CALL(b, m)                                                                                       \
  {                                                                                                          \
    .call = {&mini_op, ROOFLINE_CALL_CHECKED, NULL}, .B = (b), .M = (m), .S = {1, {4}},                      \
    .D = ROOFLINE_FLOAT16, .flag = true, .groups = 1, .scale = 0.5,                                          \
    .k = {.tag = ROOFLINE_TAG_INT, .u = {.i = 3}}, .metadata = {                                             \
      {NULL, ROOFLINE_INT32, (b) + 1}                                                                        \
    }                                                                                                        \
  }
static const mini_call row_calls[] = {ROW_CALL(2, 8), ROW_CALL(1, 3000000000), ROW_CALL(3, 8),
                                      ROW_CALL(1, INT32_MAX)};
static const int64_t row_items[] = {3, 5, 3000000000, INT32_MAX};
static const roofline_seq row_lists[] = {
    {row_items, NULL, 2, 0, 0, 0}, {row_items + 2, NULL, 1, 0, 0, 0}, {row_items + 3, NULL, 1, 0, 0, 0}};
static const roofline_row rows[] = {
    {"good-float16", "good", &row_calls[0].call, &row_lists[0]},
    {"wide-float16", "wide", &row_calls[1].call, &row_lists[1]},
    {"short-float16", "short", &row_calls[2].call, &row_lists[0]},
    {"edge-float16", "edge", &row_calls[3].call, &row_lists[2]},
};

static const roofline_op part_op;
static const roofline_stage stages[] = {{"first", &mini_op, false}, {"kernel", NULL, true}};

static const roofline_op mini_op = {
    .name = "MiniFwdOp",
    .family = "mini",
    .origin = "mini.yaml:1",
    .implemented = true,
    .call_size = sizeof(mini_call),
    .args_size = sizeof(mini_args),
    .indices = indices,
    .params = params,
    .tensors = tensors,
    .lets = lets,
    .lists = lists,
    .rows = rows,
    .stages = stages,
    .index_count = 4,
    .param_count = 9,
    .tensor_count = 4,
    .let_count = 4,
    .list_count = 1,
    .row_count = 4,
    .stage_count = 2,
    .defaults = mini_defaults,
    .bind = mini_bind,
    .eval = mini_eval,
    .tensor = mini_tensor,
    .let = mini_let,
    .generate = mini_generate,
    .roof_key = mini_roof_key,
};
static const roofline_op part_op = {.name = "PartFwdOp", .family = "mini"};
static const roofline_op *const ops[] = {&mini_op, &part_op, NULL};

/* ---- errors, ops, evaluation ---- */

static void test_error_set(void **state) {
  (void)state;
  roofline_error error;
  assert_int_equal(roofline_error_set(NULL, ROOFLINE_E_MISMATCH, "inputs.a", 1, 2, "%d", 3),
                   ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_error_set(&error, ROOFLINE_E_DOMAIN, "inputs.a", 1, 2, "%s is %d", "M", 3),
                   ROOFLINE_E_DOMAIN);
  assert_string_equal(error.declaration, "inputs.a");
  assert_string_equal(error.message, "M is 3");
  assert_int_equal(error.expected, 1);
  assert_int_equal(error.found, 2);
  char text[1000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  roofline_error_set(&error, ROOFLINE_E_DOMAIN, "inputs.a", 1, 2, "%s", text);
  assert_int_equal(strlen(error.message), sizeof error.message - 1); /* cut, and terminated */
}

static void test_op_find(void **state) {
  (void)state;
  assert_ptr_equal(roofline_op_find(ops, "MiniFwdOp"), &mini_op);
  assert_ptr_equal(roofline_op_find(ops, "PartFwdOp"), &part_op);
  assert_null(roofline_op_find(ops, "MiniFwd"));
  assert_null(roofline_op_find(ops, ""));
}

static void test_eval(void **state) {
  (void)state;
  roofline_cost cost = {-7, -8};
  mini_call call = row_calls[0];
  assert_int_equal(roofline_eval(&call.call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.flops, 2 * 8 * 4);
  assert_int_equal(cost.bytes, 2 * (8 * 4 * 2)); /* x read, y written, float16 */
  call.present.w = true;
  call.out_dtype = ROOFLINE_FLOAT32;
  assert_int_equal(roofline_eval(&call.call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.bytes, 8 * 4 * 2 + 8 * 4 * 4 + 8 * 2);

  cost = (roofline_cost){-7, -8};
  call.M = INT64_MAX;
  assert_int_equal(roofline_eval(&call.call, &cost), ROOFLINE_E_OVERFLOW);
  call.call.checked = 1;
  assert_int_equal(roofline_eval(&call.call, &cost), ROOFLINE_E_UNCHECKED);
  call.call = (roofline_call){NULL, ROOFLINE_CALL_CHECKED, NULL};
  assert_int_equal(roofline_eval(&call.call, &cost), ROOFLINE_E_UNCHECKED);
  assert_int_equal(roofline_eval(NULL, &cost), ROOFLINE_E_UNCHECKED);
  assert_int_equal(cost.flops, -7); /* untouched */
  assert_int_equal(cost.bytes, -8);
}

/* ---- reads by name ---- */

/* A call with something in every field. */
static mini_call full_call(void) {
  static const int64_t items[] = {1, 2};
  mini_call call = row_calls[0];
  call.mode = 2;
  call.note = roofline_string("hello");
  call.pads = roofline_seq_of(items, 2);
  call.form = (roofline_adt){&form_type, 1, {77}};
  return call;
}

static void test_reads(void **state) {
  (void)state;
  const mini_call full = full_call();
  const roofline_call *call = &full.call;
  int64_t i = 0;
  bool b = false;
  double f = 0;
  const char *s = NULL;
  roofline_dtype t = ROOFLINE_DTYPE_NONE;
  roofline_shape shape;
  roofline_value value;
  roofline_adt adt;
  assert_int_equal(roofline_call_int(call, "M", &i), ROOFLINE_OK);
  assert_int_equal(i, 8);
  assert_int_equal(roofline_call_int(call, "k", &i), ROOFLINE_OK);
  assert_int_equal(i, 3);
  assert_int_equal(roofline_call_int(call, "N", &i), ROOFLINE_OK);
  assert_int_equal(i, 8);
  assert_int_equal(roofline_call_bool(call, "flag", &b), ROOFLINE_OK);
  assert_true(b);
  assert_int_equal(roofline_call_float(call, "scale", &f), ROOFLINE_OK);
  assert_true(f == 0.5);
  assert_int_equal(roofline_call_float(call, "k", &f), ROOFLINE_OK); /* a Number given as an int */
  assert_true(f == 3.0);
  assert_int_equal(roofline_call_string(call, "mode", &s), ROOFLINE_OK);
  assert_string_equal(s, "exact");
  assert_int_equal(roofline_call_string(call, "note", &s), ROOFLINE_OK);
  assert_string_equal(s, "hello");
  assert_int_equal(roofline_call_dtype(call, "D", &t), ROOFLINE_OK);
  assert_int_equal(t, ROOFLINE_FLOAT16);
  assert_int_equal(roofline_call_shape(call, "S", &shape), ROOFLINE_OK);
  assert_int_equal(shape.rank, 1);
  assert_int_equal(shape.dims[0], 4);
  assert_int_equal(roofline_call_shape(call, "flat", &shape), ROOFLINE_OK);
  assert_int_equal(shape.rank, 2);
  assert_int_equal(shape.dims[1], 4);
  assert_int_equal(roofline_call_value(call, "pads", &value), ROOFLINE_OK);
  assert_int_equal(value.tag, ROOFLINE_TAG_SEQ);
  assert_int_equal(roofline_seq_item(&value.u.q, 1), 2);
  assert_int_equal(roofline_call_adt(call, "form", &adt), ROOFLINE_OK);
  assert_int_equal(adt.fields[0], 77);
  assert_int_equal(roofline_call_adt(call, "box", &adt), ROOFLINE_OK);
  assert_int_equal(adt.fields[0], 8);
}

static void test_reads_refused(void **state) {
  (void)state;
  const mini_call full = full_call();
  const roofline_call *call = &full.call, *bare = &row_calls[0].call;
  roofline_call unchecked = full.call;
  unchecked.checked = 0;
  int64_t i = -7;
  double f = -7;
  const char *s = "kept";
  roofline_dtype t = ROOFLINE_INT8;
  roofline_shape shape;
  roofline_value value;
  roofline_adt adt;
  assert_int_equal(roofline_call_int(call, "Q", &i), ROOFLINE_E_UNKNOWN_NAME);
  assert_int_equal(roofline_call_int(call, "S", &i), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_int(call, "flag", &i), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_int(call, "x", &i), ROOFLINE_E_KIND); /* a tensor's name */
  assert_int_equal(roofline_call_int(call, "bad", &i), ROOFLINE_E_DOMAIN);
  assert_int_equal(roofline_call_int(&unchecked, "M", &i), ROOFLINE_E_UNCHECKED);
  assert_int_equal(roofline_call_float(call, "M", &f), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_string(bare, "mode", &s), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_string(bare, "note", &s), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_dtype(bare, "out_dtype", &t), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_adt(bare, "form", &adt), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_adt(call, "M", &adt), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_shape(call, "pads", &shape), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_shape(bare, "note", &shape), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_value(call, "flat", &value), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_value(bare, "note", &value), ROOFLINE_OK);
  assert_int_equal(value.tag, ROOFLINE_TAG_NONE);
  assert_int_equal(i, -7); /* a refused read leaves its result alone */
  assert_true(f == -7);
  assert_string_equal(s, "kept");
  assert_int_equal(t, ROOFLINE_INT8);
}

static void test_presence_and_tensors(void **state) {
  (void)state;
  const mini_call full = full_call();
  const roofline_call *call = &full.call;
  static const struct {
    const char *name;
    bool present;
    roofline_status status;
  } cases[] = {
      {"x", true, ROOFLINE_OK},      {"w", false, ROOFLINE_OK},
      {"note", true, ROOFLINE_OK},   {"out_dtype", false, ROOFLINE_OK},
      {"form", true, ROOFLINE_OK},   {"mode", true, ROOFLINE_OK},
      {"flag", true, ROOFLINE_OK},   {"M", false, ROOFLINE_E_KIND},
      {"N", false, ROOFLINE_E_KIND}, {"q", false, ROOFLINE_E_UNKNOWN_NAME},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool present = !cases[i].present;
    assert_int_equal(roofline_call_present(call, cases[i].name, &present), cases[i].status);
    if (cases[i].status == ROOFLINE_OK) assert_int_equal(present, cases[i].present);
  }
  roofline_shape shape;
  roofline_dtype dtype;
  int64_t bytes = -7;
  assert_int_equal(roofline_call_tensor(call, "offsets", &shape, &dtype), ROOFLINE_OK);
  assert_int_equal(shape.dims[0], 3);
  assert_int_equal(dtype, ROOFLINE_INT32);
  assert_int_equal(roofline_call_bytes(call, "offsets", &bytes), ROOFLINE_OK);
  assert_int_equal(bytes, 12);
  assert_int_equal(roofline_call_bytes(call, "w", &bytes), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_bytes(call, "M", &bytes), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_bytes(call, "q", &bytes), ROOFLINE_E_UNKNOWN_NAME);
  roofline_metadata m;
  assert_int_equal(roofline_call_metadata(call, "offsets", &m), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_metadata(call, "x", &m), ROOFLINE_E_KIND);
  assert_int_equal(roofline_call_metadata(call, "w", &m), ROOFLINE_E_NOT_AVAILABLE);
}

static void test_stages(void **state) {
  (void)state;
  mini_call call = row_calls[0];
  const mini_call part = row_calls[0];
  const roofline_call other = {&part_op, ROOFLINE_CALL_CHECKED, NULL}, unchecked = {&mini_op, 0, NULL};
  const roofline_call *slots[2] = {NULL, NULL}, *found = NULL;
  assert_int_equal(roofline_call_stage(&call.call, "first", &found), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_attach(&call.call, slots, "third", &part.call), ROOFLINE_E_UNKNOWN_NAME);
  assert_int_equal(roofline_call_attach(&call.call, slots, "first", &other), ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_call_attach(&call.call, slots, "first", &unchecked), ROOFLINE_E_UNCHECKED);
  assert_int_equal(roofline_call_attach(&call.call, slots, "first", &part.call), ROOFLINE_OK);
  assert_int_equal(roofline_call_stage(&call.call, "first", &found), ROOFLINE_OK);
  assert_ptr_equal(found, &part.call);
  assert_int_equal(roofline_call_stage(&call.call, "kernel", &found), ROOFLINE_E_NOT_AVAILABLE);
  assert_int_equal(roofline_call_stage(&call.call, "third", &found), ROOFLINE_E_UNKNOWN_NAME);
  assert_int_equal(roofline_call_attach(&call.call, slots, "kernel", &other), ROOFLINE_OK); /* of any op */
}

/* ---- bindings ---- */

static roofline_binding *binding;
static int open_binding(void **state) {
  (void)state;
  binding = roofline_binding_new(&mini_op);
  return binding == NULL;
}
static int close_binding(void **state) {
  (void)state;
  roofline_binding_free(binding);
  return 0;
}

static void test_binding_tensors(void **state) {
  (void)state;
  int64_t x_dims[] = {8, 4, 5}, offsets_dims[] = {3}, pads[] = {1, 2};
  const int32_t offsets[] = {0, 3, 8};
  char note[] = "hello";
  roofline_error error;
  assert_null(roofline_binding_call(binding));
  const roofline_tensor x = {ROOFLINE_FLOAT32, 3, x_dims, NULL, NULL},
                        m = {ROOFLINE_INT32, 1, offsets_dims, NULL, offsets};
  assert_int_equal(roofline_binding_tensor(binding, "x", x), ROOFLINE_OK);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.declaration, "inputs.offsets");
  assert_int_equal(roofline_binding_tensor(binding, "offsets", m), ROOFLINE_OK);
  assert_int_equal(roofline_binding_set(binding, "note", roofline_string(note)), ROOFLINE_OK);
  assert_int_equal(roofline_binding_set(binding, "pads", roofline_seq_value(roofline_seq_of(pads, 2))),
                   ROOFLINE_OK);
  /* What was given may be gone before the bind. */
  memset(note, '?', sizeof note - 1);
  memset(x_dims, 0xff, sizeof x_dims);
  memset(offsets_dims, 0xff, sizeof offsets_dims);
  memset(pads, 0xff, sizeof pads);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_OK);

  const roofline_call *call = roofline_binding_call(binding);
  const char *s;
  roofline_value value;
  roofline_shape shape;
  roofline_metadata metadata;
  roofline_cost cost;
  bool flag;
  assert_non_null(call);
  assert_int_equal(roofline_call_string(call, "note", &s), ROOFLINE_OK);
  assert_string_equal(s, "hello");
  assert_int_equal(roofline_call_value(call, "pads", &value), ROOFLINE_OK);
  assert_int_equal(roofline_seq_item(&value.u.q, 1), 2);
  assert_int_equal(roofline_call_bool(call, "flag", &flag), ROOFLINE_OK);
  assert_true(flag); /* its default */
  assert_int_equal(roofline_call_shape(call, "S", &shape), ROOFLINE_OK);
  assert_true(roofline_seq_eq(roofline_seq_of_shape(&shape), roofline_seq_of((int64_t[]){4, 5}, 2)));
  assert_int_equal(roofline_call_metadata(call, "offsets", &metadata), ROOFLINE_OK);
  assert_int_equal(roofline_metadata_at(&metadata, 1), 3);
  assert_int_equal(roofline_eval(call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.flops, 2 * 8 * 20);
  assert_int_equal(cost.bytes, 2 * 8 * 20 * 4);

  assert_int_equal(roofline_binding_set(binding, "note", roofline_none()), ROOFLINE_OK);
  assert_null(roofline_binding_call(binding)); /* bound no more */
  const roofline_tensor absent = {ROOFLINE_DTYPE_NONE, 0, NULL, NULL, NULL};
  assert_int_equal(roofline_binding_tensor(binding, "x", absent), ROOFLINE_OK);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.declaration, "inputs.x");
}

static void test_binding_sets(void **state) {
  (void)state;
  const int64_t items[] = {1, 2, 3};
  const bool absent[] = {false, true, false};
  roofline_seq maybe = roofline_seq_of(items, 3), unsound = roofline_seq_of_runs(3, 1, 2, 1);
  maybe.absent = absent;
  unsound.len = -1;
  const struct {
    const char *name;
    roofline_value value;
    roofline_status status;
  } cases[] = {
      {"flag", roofline_bool(false), ROOFLINE_OK},
      {"flag", roofline_int(1), ROOFLINE_E_KIND},
      {"groups", roofline_int(4), ROOFLINE_OK},
      {"groups", roofline_bool(true), ROOFLINE_E_KIND},
      {"mode", roofline_string("exact"), ROOFLINE_OK},
      {"mode", roofline_string("slow"), ROOFLINE_E_MISMATCH},
      {"mode", roofline_none(), ROOFLINE_OK},
      {"mode", roofline_int(1), ROOFLINE_E_KIND},
      {"scale", roofline_float(2.5), ROOFLINE_OK},
      {"scale", roofline_int(2), ROOFLINE_OK},
      {"scale", roofline_string("2"), ROOFLINE_E_KIND},
      {"out_dtype", roofline_dtype_value(ROOFLINE_FLOAT32), ROOFLINE_OK},
      {"out_dtype", roofline_string("bfloat16"), ROOFLINE_OK},
      {"out_dtype", roofline_string("float15"), ROOFLINE_E_MISMATCH},
      {"out_dtype", roofline_none(), ROOFLINE_OK},
      {"out_dtype", roofline_int(1), ROOFLINE_E_KIND},
      {"k", roofline_seq_value(maybe), ROOFLINE_OK},
      {"k", roofline_seq_value(roofline_seq_of_runs(3, 1, 2, 1)), ROOFLINE_OK},
      {"k", roofline_seq_value(roofline_seq_of_runs(0, 1, 2, 1)), ROOFLINE_OK},
      {"k", roofline_seq_value(roofline_seq_of_runs(0, 1, 0, 1)), ROOFLINE_OK},
      {"k", roofline_seq_value(unsound), ROOFLINE_E_MISMATCH},
      {"k", roofline_string(NULL), ROOFLINE_E_MISMATCH},
      {"pads", roofline_int(1), ROOFLINE_E_KIND},
      {"form", roofline_opaque(), ROOFLINE_E_KIND},
      {"M", roofline_int(1), ROOFLINE_E_KIND}, /* an index */
      {"x", roofline_int(1), ROOFLINE_E_KIND},
      {"N", roofline_int(1), ROOFLINE_E_KIND},
      {"lens", roofline_int(1), ROOFLINE_E_KIND},
      {"q", roofline_int(1), ROOFLINE_E_UNKNOWN_NAME},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (roofline_binding_set(binding, cases[i].name, cases[i].value) != cases[i].status)
      fail_msg("case %zu: setting %s is not %s", i, cases[i].name, roofline_status_name(cases[i].status));

  const roofline_adt form = {&form_type, 0, {0}}, other = {&other_type, 0, {0}}, none = {NULL, 0, {0}};
  assert_int_equal(roofline_binding_set_adt(binding, "form", form), ROOFLINE_OK);
  assert_int_equal(roofline_binding_set_adt(binding, "form", none), ROOFLINE_OK);
  assert_int_equal(roofline_binding_set_adt(binding, "form", other), ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_binding_set_adt(binding, "k", form), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_set_adt(binding, "q", form), ROOFLINE_E_UNKNOWN_NAME);

  const int64_t dims[17] = {1};
  const roofline_tensor deep = {ROOFLINE_INT8, 17, dims, NULL, NULL},
                        no_dims = {ROOFLINE_INT8, 1, NULL, NULL, NULL},
                        scalar = {ROOFLINE_INT8, 0, NULL, NULL, NULL};
  assert_int_equal(roofline_binding_tensor(binding, "x", deep), ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_binding_tensor(binding, "x", no_dims), ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_binding_tensor(binding, "x", scalar), ROOFLINE_OK);
  assert_int_equal(roofline_binding_tensor(binding, "M", scalar), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_tensor(binding, "q", scalar), ROOFLINE_E_UNKNOWN_NAME);
  assert_int_equal(roofline_binding_pass(binding, "w", true), ROOFLINE_OK);
  assert_int_equal(roofline_binding_pass(binding, "k", true), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "M", roofline_float(1)), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "S", roofline_int(1)), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "S", roofline_seq_value(maybe)), ROOFLINE_E_MISMATCH);
  assert_int_equal(roofline_binding_index(binding, "lens", roofline_int(1)), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "D", roofline_none()), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "flag", roofline_int(1)), ROOFLINE_E_KIND);
  assert_int_equal(roofline_binding_index(binding, "q", roofline_int(1)), ROOFLINE_E_UNKNOWN_NAME);
}

static void set_indices(int64_t m, int64_t b) {
  const int64_t s[] = {4, 5};
  assert_int_equal(roofline_binding_index(binding, "M", roofline_int(m)), ROOFLINE_OK);
  assert_int_equal(roofline_binding_index(binding, "B", roofline_int(b)), ROOFLINE_OK);
  assert_int_equal(roofline_binding_index(binding, "S", roofline_seq_value(roofline_seq_of(s, 2))),
                   ROOFLINE_OK);
  assert_int_equal(roofline_binding_index(binding, "D", roofline_string("float16")), ROOFLINE_OK);
}

static void test_binding_indices(void **state) {
  (void)state;
  roofline_error error;
  roofline_cost cost;
  roofline_metadata metadata;
  assert_int_equal(roofline_binding_index(binding, "M", roofline_int(8)), ROOFLINE_OK);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.declaration, "B");
  assert_string_equal(error.message, "B: this index is not given");

  set_indices(8, 2);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_OK);
  const roofline_call *call = roofline_binding_call(binding);
  assert_int_equal(roofline_eval(call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.flops, 2 * 8 * 20);
  assert_int_equal(cost.bytes, 2 * 8 * 20 * 2);
  assert_int_equal(roofline_call_metadata(call, "offsets", &metadata), ROOFLINE_E_NOT_AVAILABLE);

  /* With the list, the metadata is generated; with w passed, it is built and costs its bytes. */
  int64_t lens[] = {3, 5};
  assert_int_equal(roofline_binding_index(binding, "lens", roofline_seq_value(roofline_seq_of(lens, 2))),
                   ROOFLINE_OK);
  lens[0] = 1000;
  assert_int_equal(roofline_binding_pass(binding, "w", true), ROOFLINE_OK);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_OK);
  call = roofline_binding_call(binding);
  assert_int_equal(roofline_eval(call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.bytes, 2 * 8 * 20 * 2 + 8 * 2);
  assert_int_equal(roofline_call_metadata(call, "offsets", &metadata), ROOFLINE_OK);
  assert_int_equal(metadata.dtype, ROOFLINE_INT32);
  assert_int_equal(metadata.count, 3);
  assert_int_equal(roofline_metadata_at(&metadata, 0), 0);
  assert_int_equal(roofline_metadata_at(&metadata, 1), 3);
  assert_int_equal(roofline_metadata_at(&metadata, 2), 8);

  set_indices(9, 2); /* offsets end at 8 */
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.declaration, "inputs.offsets.requires[0]");
  set_indices(8, 3); /* two lengths, three sequences */
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.message, "offsets: its values cannot be generated (MISMATCH)");
  set_indices(-1, 2);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_DOMAIN);
  assert_string_equal(error.message, "x: its shape cannot be computed (DOMAIN)");
  assert_null(roofline_binding_call(binding));
}

/* A tensor given beside indices is taken as it is, and may contradict them. */
static void test_binding_both(void **state) {
  (void)state;
  roofline_error error;
  const int64_t dims[] = {9, 4, 5};
  const roofline_tensor x = {ROOFLINE_FLOAT16, 3, dims, NULL, NULL};
  set_indices(8, 2);
  assert_int_equal(roofline_binding_tensor(binding, "x", x), ROOFLINE_OK);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_E_MISMATCH);
  assert_string_equal(error.declaration, "M");
  assert_int_equal(error.expected, 8);
  assert_int_equal(error.found, 9);
  set_indices(9, 2);
  assert_int_equal(roofline_binding_bind(binding, &error), ROOFLINE_OK);
}

/* Whichever allocation of a binding's life is refused, it is said, and nothing leaks or breaks. */
static roofline_status life_of_a_binding(void) {
  const int64_t lens[] = {3, 5};
  roofline_binding *b = roofline_binding_new(&mini_op);
  if (b == NULL) return ROOFLINE_E_MEMORY;
  roofline_status status = roofline_binding_set(b, "note", roofline_string("one"));
  if (status == ROOFLINE_OK) status = roofline_binding_set(b, "note", roofline_string("two"));
  if (status == ROOFLINE_OK)
    status = roofline_binding_set(b, "pads", roofline_seq_value(roofline_seq_of(lens, 2)));
  if (status == ROOFLINE_OK)
    status = roofline_binding_index(b, "lens", roofline_seq_value(roofline_seq_of(lens, 2)));
  if (status == ROOFLINE_OK) {
    binding = b;
    set_indices(8, 2);
    status = roofline_binding_bind(b, NULL);
  }
  roofline_binding_free(b);
  return status;
}

static void test_binding_memory(void **state) {
  (void)state;
  int allocations = 0;
  roofline_status status = ROOFLINE_E_MEMORY;
  while (status == ROOFLINE_E_MEMORY) {
    failing = ++allocations;
    status = life_of_a_binding();
    failing = 0;
  }
  assert_int_equal(status, ROOFLINE_OK);
  assert_true(allocations > 10); /* a binding alone has ten */
  roofline_binding_free(NULL);
}

static void test_row_and_generator_memory(void **state) {
  (void)state;
  roofline_row_call row;
  failing = 1;
  assert_int_equal(roofline_row_open(&mini_op, 0, &row), ROOFLINE_E_MEMORY);
  assert_null(row.call);
  roofline_row_close(&row);
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  int64_t values[4];
  failing = 1;
  roofline_topk_ids(&status, &shape, values, 1, 2, 2, 4);
  assert_int_equal(status, ROOFLINE_E_MEMORY);
  failing = 0;
}

/* ---- rows ---- */

static void test_rows(void **state) {
  (void)state;
  roofline_row_call row;
  roofline_metadata metadata;
  roofline_cost cost;
  assert_int_equal(roofline_row_open(&mini_op, 0, &row), ROOFLINE_OK);
  assert_int_equal(roofline_eval(row.call, &cost), ROOFLINE_OK);
  assert_int_equal(cost.flops, 64);
  assert_int_equal(roofline_call_metadata(row.call, "offsets", &metadata), ROOFLINE_OK);
  assert_int_equal(metadata.dtype, ROOFLINE_INT32);
  assert_int_equal(metadata.count, 3);
  assert_int_equal(roofline_metadata_at(&metadata, 1), 3);
  assert_int_equal(roofline_metadata_at(&metadata, 2), 8);
  roofline_row_close(&row);
  assert_null(row.call);
  roofline_row_close(&row); /* closing twice does nothing */

  assert_int_equal(roofline_row_open(&mini_op, 3, &row), ROOFLINE_OK);
  assert_int_equal(roofline_call_metadata(row.call, "offsets", &metadata), ROOFLINE_OK);
  assert_int_equal(roofline_metadata_at(&metadata, 1), INT32_MAX);
  roofline_row_close(&row);

  static const struct {
    int32_t row;
    roofline_status status;
  } refusals[] = {
      {1, ROOFLINE_E_OVERFLOW}, /* 3e9 in an int32 */
      {2, ROOFLINE_E_MISMATCH},
      {4, ROOFLINE_E_UNKNOWN_NAME},
      {-1, ROOFLINE_E_UNKNOWN_NAME},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    assert_int_equal(roofline_row_open(&mini_op, refusals[i].row, &row), refusals[i].status);
    assert_null(row.call);
    roofline_row_close(&row);
  }
}

#define BINDING_TEST(test) cmocka_unit_test_setup_teardown(test, open_binding, close_binding)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_set),     cmocka_unit_test(test_op_find),
      cmocka_unit_test(test_eval),          cmocka_unit_test(test_reads),
      cmocka_unit_test(test_reads_refused), cmocka_unit_test(test_presence_and_tensors),
      cmocka_unit_test(test_stages),        BINDING_TEST(test_binding_tensors),
      BINDING_TEST(test_binding_sets),      BINDING_TEST(test_binding_indices),
      BINDING_TEST(test_binding_both),      cmocka_unit_test(test_binding_memory),
      cmocka_unit_test(test_rows),          cmocka_unit_test(test_row_and_generator_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
