/* Names in generated code, against the rule of codegen.md "Names" applied by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit_internal.h"

static char *text(arena *a, str s) { return arena_cstr(a, s); }

static void op_symbols(void **state) {
  static const struct {
    const char *op, *symbol;
  } cases[] = {
      {"GemmFwdOp", "gemm_fwd"},
      {"GemmW4A16FwdOp", "gemm_w4_a16_fwd"},
      {"GemmInt8W8A8FwdOp", "gemm_int8_w8_a8_fwd"},
      {"SSDChunkScanFwdOp", "ssd_chunk_scan_fwd"},
      {"FFTC2CFwdOp", "fftc2_c_fwd"},
      {"Conv1dFwdOp", "conv1d_fwd"},
      {"BmmFP8FwdOp", "bmm_fp8_fwd"},
      {"CBProducerFwdOp", "cb_producer_fwd"},
      {"FusedMoEExpertsFwdOp", "fused_mo_e_experts_fwd"},
      {"BatchNormBwdOp", "batch_norm_bwd"},
      {"AFwdOp", "a_fwd"},
      {"RoPEFwdOp", "ro_pe_fwd"},
      {"Mamba2FwdOp", "mamba2_fwd"},
  };
  (void)state;
  arena *a = arena_new();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(text(a, emit_symbol(a, str_of(cases[i].op))), cases[i].symbol);
  assert_string_equal(text(a, emit_snake(a, STR("MGroupedLayout"))), "m_grouped_layout");
  arena_free(a);
}

static void fields(void **state) {
  static const char *const kept[] = {"M", "trans_a", "value", "status", "call",
                                     "i", "D_in",    "x1",    "doo",    "Int"};
  static const char *const marked[] = {"do",      "int",  "class", "new", "and", "xor_eq",        "NULL",
                                       "alignas", "bool", "while", "__x", "_X",  "roofline_call", "int64_t"};
  (void)state;
  arena *a = arena_new();
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    assert_string_equal(text(a, emit_field(a, str_of(kept[i]))), kept[i]);
  for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
    char *name = text(a, emit_field(a, str_of(marked[i])));
    assert_int_equal(strlen(name), strlen(marked[i]) + 1);
    assert_int_equal(name[strlen(marked[i])], '_');
  }
  arena_free(a);
}

static void literals(void **state) {
  (void)state;
  arena *a = arena_new();
  assert_string_equal(text(a, emit_int(a, INT64_MIN)), "INT64_MIN");
  assert_string_equal(text(a, emit_int(a, -5)), "-5");
  assert_string_equal(text(a, emit_int(a, 2147483648)), "INT64_C(2147483648)");
  assert_string_equal(text(a, emit_float(a, 0.1)), "0.1");
  assert_string_equal(text(a, emit_float(a, 3)), "3.0");
  assert_string_equal(text(a, emit_float(a, -1e300)), "-1e+300");
  assert_true(strtod(text(a, emit_float(a, 2.0 / 3)), NULL) == 2.0 / 3);
  /* No trigraph, no quote, no byte that a compiler could read otherwise. */
  assert_string_equal(text(a, emit_quote(a, STR("a\"b\\c?\?/\n\xc3\xa9"))),
                      "\"a\\\"b\\\\c\\?\\?/\\012\\303\\251\"");
  assert_string_equal(text(a, emit_comment(a, STR("a */ b /* c  ?\?/\n d\\"))), "a * / b / * c ? ?/ d");
  arena_free(a);
}

/* Lines stay within 110 columns where they can, lose nothing, and break only at separators. */
static void lines(void **state) {
  (void)state;
  arena *a = arena_new();
  const str line =
      emit_format(a, "x = roofline_add(&status, roofline_mul(&status, $, $), f(\"a, b, c\", $));",
                  STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), STR("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
                  STR("cccccccccccccccccccccccccccccccccc"));
  out_text o;
  out_init(&o, a);
  emit_line(&o, 2, line);
  char *all = text(a, out_str(&o)), *joined = arena_alloc(a, strlen(all) + 1), *to = joined;
  size_t width = 0;
  assert_non_null(strstr(all, "\"a, b, c\""));
  for (const char *p = all; *p != '\0'; p++) {
    if (*p == '\n') {
      assert_true(width <= 110);
      width = 0;
      while (p[1] == ' ') p++;
      if (p[1] != '\0') *to++ = ' ';
    } else {
      *to++ = *p;
      width++;
    }
  }
  assert_string_equal(joined + 2, text(a, line));
  assert_string_equal(text(a, emit_format(a, "%s $ %d %u 0x%x %c %%", "s", STR("t"), -1, 2u, 255u, '!')),
                      "s t -1 2 0xff ! %");
  arena_free(a);
}

static void sets(void **state) {
  (void)state;
  arena *a = arena_new();
  name_set set = {.a = a};
  assert_true(names_add(&set, STR("b")));
  assert_true(names_add(&set, STR("a")));
  assert_false(names_add(&set, STR("b")));
  assert_string_equal(text(a, names_free(&set, STR("a"))), "a_2");
  assert_string_equal(text(a, names_free(&set, STR("a"))), "a_3");
  assert_string_equal(text(a, names_free(&set, STR("c"))), "c");
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(op_symbols), cmocka_unit_test(fields),
                                     cmocka_unit_test(literals), cmocka_unit_test(lines),
                                     cmocka_unit_test(sets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
