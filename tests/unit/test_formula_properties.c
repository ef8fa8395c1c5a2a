/* What holds for every shipped operator, on each of its workload rows and on rows made larger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_text.h"

static int64_t output_bytes(const roofline_call *call) {
  int64_t sum = 0, bytes;
  for (int32_t i = 0; i < call->op->tensor_count; i++)
    if (call->op->tensors[i].role == ROOFLINE_OUTPUT &&
        roofline_call_bytes(call, call->op->tensors[i].name, &bytes) == ROOFLINE_OK)
      sum += bytes;
  return sum;
}

/* Rows of a grouped operand that are not in use are not written. */
static bool writes_whole_outputs(const roofline_op *op) {
  for (int32_t i = 0; i < op->param_count; i++)
    if (strcmp(op->params[i].name, "layout") == 0) return false;
  return true;
}

static void test_bytes_cover_outputs(void **state) {
  (void)state;
  int64_t rows = 0;
  for (const roofline_op *const *op = roofline_ops; *op != NULL; op++) {
    assert_non_null((*op)->read_bytes); /* derived, or declared beside the formula */
    for (int32_t i = 0; i < (*op)->row_count; i++, rows++) {
      roofline_row_call row;
      assert_int_equal(roofline_row_open(*op, i, &row), ROOFLINE_OK);
      const price p = price_of(row.call);
      const int64_t written = writes_whole_outputs(*op) ? output_bytes(row.call) : 0;
      if (p.flops < 0 || p.reads < 0 || p.bytes - p.reads < written)
        fail_msg("%s %s: %" PRId64 " flops, %" PRId64 " bytes, %" PRId64 " read, outputs of %" PRId64,
                 (*op)->name, (*op)->rows[i].case_id, p.flops, p.bytes, p.reads, written);
      roofline_row_close(&row);
    }
  }
  assert_true(rows > 300);
}

/* ---- monotone in every dimension ---- */

/* A binding of the row's parameters, indices and presence, with index number `grown` doubled. */
static roofline_binding *regrow(const roofline_op *op, const roofline_row *row, int32_t grown) {
  const roofline_call *call = row->call;
  roofline_binding *b = roofline_binding_new(op);
  assert_non_null(b);
  for (int32_t i = 0; i < op->param_count; i++) {
    roofline_adt adt;
    roofline_value value;
    const char *name = op->params[i].name;
    if (roofline_call_adt(call, name, &adt) == ROOFLINE_OK)
      roofline_binding_set_adt(b, name, adt);
    else if (roofline_call_value(call, name, &value) == ROOFLINE_OK)
      roofline_binding_set(b, name, value);
  }
  for (int32_t i = 0; i < op->index_count; i++) {
    roofline_value value;
    roofline_shape shape;
    const char *name = op->indices[i].name;
    assert_int_equal(roofline_call_value(call, name, &value), ROOFLINE_OK);
    if (i == grown && value.tag == ROOFLINE_TAG_INT) value.u.i *= 2;
    if (i == grown && roofline_call_shape(call, name, &shape) == ROOFLINE_OK && shape.rank > 0) {
      shape.dims[0] *= 2;
      value = roofline_seq_value(roofline_seq_of_shape(&shape));
    }
    if (value.tag == ROOFLINE_TAG_NONE) value = roofline_dtype_value(ROOFLINE_FLOAT32); /* of no use here */
    roofline_binding_index(b, name, value);
  }
  for (int32_t i = 0; i < op->list_count; i++)
    roofline_binding_index(b, op->lists[i], roofline_seq_value(row->lists[i]));
  for (int32_t i = 0; i < op->tensor_count; i++) {
    bool present = false;
    if (op->tensors[i].role == ROOFLINE_OUTPUT || op->tensors[i].present_offset == ROOFLINE_NOWHERE) continue;
    if (roofline_call_present(call, op->tensors[i].name, &present) == ROOFLINE_OK && present)
      roofline_binding_pass(b, op->tensors[i].name, true);
  }
  return b;
}

/* Where more of an index may be less work. */
static const struct {
  const char *op, *index;
} falling[] = {
    /* A wider kernel leaves fewer outputs. */
    {"Conv1dFwdOp", "kW"},
    {"Conv2dFwdOp", "kH"},
    {"Conv2dFwdOp", "kW"},
    {"Conv3dFwdOp", "kD"},
    {"Conv3dFwdOp", "kH"},
    {"Conv3dFwdOp", "kW"},
    /* Larger pages are fewer entries of the table; a wider table is another draw of pages. */
    {"GroupedQueryAttentionPagedFwdOp", "PS"},
    {"GroupedQueryAttentionPagedFwdOp", "W"},
    {"MultiHeadAttentionDecodePagedWithKVCacheFwdOp", "W"},
};

static bool may_fall(const char *op, const char *index) {
  for (size_t i = 0; i < sizeof falling / sizeof *falling; i++)
    if (strcmp(falling[i].op, op) == 0 && strcmp(falling[i].index, index) == 0) return true;
  return false;
}

/* Doubles one index of one row; a call that then no longer fits together (an index tied to another, to a
   parameter or to the metadata) says nothing. */
static bool grow(const roofline_op *op, const roofline_row *row, int32_t index) {
  roofline_binding *base = regrow(op, row, -1), *larger = regrow(op, row, index);
  roofline_error error = {NULL, 0, 0, ""};
  roofline_cost a, b;
  bool judged = false;
  if (roofline_binding_bind(base, &error) != ROOFLINE_OK)
    fail_msg("%s %s does not bind by name: %s", op->name, row->case_id, error.message);
  if (roofline_binding_bind(larger, &error) == ROOFLINE_OK &&
      roofline_eval(roofline_binding_call(base), &a) == ROOFLINE_OK &&
      roofline_eval(roofline_binding_call(larger), &b) == ROOFLINE_OK) {
    judged = true;
    if ((b.flops < a.flops || b.bytes < a.bytes) && !may_fall(op->name, op->indices[index].name))
      fail_msg("%s %s: twice %s gives %" PRId64 " flops for %" PRId64 ", %" PRId64 " bytes for %" PRId64,
               op->name, row->case_id, op->indices[index].name, b.flops, a.flops, b.bytes, a.bytes);
  }
  roofline_binding_free(base);
  roofline_binding_free(larger);
  return judged;
}

static void test_monotone(void **state) {
  (void)state;
  int64_t judged = 0;
  for (const roofline_op *const *op = roofline_ops; *op != NULL; op++)
    for (int32_t row = 0; row < (*op)->row_count; row++)
      for (int32_t index = 0; index < (*op)->index_count; index++)
        if ((*op)->indices[index].kind != ROOFLINE_FIELD_DTYPE) judged += grow(*op, &(*op)->rows[row], index);
  assert_true(judged > 1000);
}

/* ---- roofs ---- */

static void test_roofs(void **state) {
  (void)state;
  static const struct {
    const char *op, *text, *roof;
  } cases[] = {
      {"GemmFwdOp", "M=1 N=1 K=1 T=float16", "tensor_core.fp16"},
      {"GemmFwdOp", "M=1 N=1 K=1 T=bfloat16", "tensor_core.bf16"},
      {"GemmW4A16FwdOp", "M=1 N=1 K=128 T=float16", "tensor_core.fp16"},
      {"GemmW4A8FwdOp", "M=1 N=1 K=128", "tensor_core.fp8"},
      {"GemmInt8W8A8FwdOp", "M=1 N=1 K=1 SA=[1,1] SB=[1,1]", "tensor_core.int8"},
      {"Conv2dFwdOp", "N=1 C_in=1 H=1 W=1 C_out=1 kH=1 kW=1 T=float32", "tensor_core.tf32"},
      {"GroupedQueryAttentionDenseFwdOp",
       "B=1 S_q=1 S_kv=1 H=1 H_kv=1 D=8 T=float8_e4m3fn out_dtype=float16 +q_scale +k_scale +v_scale",
       "tensor_core.fp8"},
      {"ReluFwdOp", "S=[1] T=float16", "cuda_core.fp32"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    roofline_binding *b = open_call(cases[i].op, cases[i].text);
    const roofline_call *call = bind_call(b);
    assert_string_equal(call->op->roof_key(call), cases[i].roof);
    roofline_binding_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_cover_outputs),
      cmocka_unit_test(test_monotone),
      cmocka_unit_test(test_roofs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
