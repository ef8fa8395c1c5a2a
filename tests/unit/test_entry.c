/* What an entry's form may be: every defect with the legal form beside it. language.md §1, §2, §5, §7, §8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#include "tests/unit/defects.h"

static const char adts[] =
    "adts:\n"
    "  Layout:\n"
    "    sum:\n"
    "      packed: {python: a.P, fields: {how: {type: \"'x' | 'y'\", python: a.H}, flag: Bool, n: Dim}}\n"
    "      plain: {python: a.Q}\n";

#define X "x: {dtype: T, shape: \"[M]\"}"
#define FORALL "forall: {M: Dim, T: \"DType[float16 | float32]\"}"

/* ---- keys ---- */

static void test_entry_keys(void **state) {
  (void)state;
  assert_defects(
      "AFwdOp: {family: f, status: spec-only, ref_api: a.b, signature: {}, workloads: [{label: a}],"
      " roofline: {func: a.b}, composition: {kind: composite, stages: []}}",
      NULL, "");
  assert_defects("AFwdOp: {family: f}", NULL, "RL0203 AFwdOp");
  assert_defects("AFwdOp: nope", NULL, "RL0204 nope");
  assert_defects("AFwdOp:", NULL, "RL0204 AFwdOp");
  /* A key far from every legal one is itself and hides nothing; a near one is one defect. */
  assert_defects(
      "AFwdOp: {zzz: f, status: spec-only, signature: {}, workloads: [{label: a}], roofline: {func: b}}",
      NULL, "RL0203 AFwdOp; RL0202 zzz");
  assert_defects(
      "AFwdOp: {famly: f, status: spec-only, signature: {}, workloads: [{label: a}], roofline: {func: b}}",
      NULL, "RL0202 famly");
  assert_defects("AFwdOp: {family: f, famly: f, status: spec-only, signature: {}, workloads: [{label: a}], "
                 "roofline: {func: b}}",
                 NULL, "RL0202 famly");
}

static void test_missing_keys_are_named(void **state) {
  (void)state;
  manifest m = manifest_read("AFwdOp: {family: f, signature: {}}", NULL);
  uint32_t n;
  diag *const *all = diag_all(m.sink, &n);
  assert_int_equal(n, 1);
  assert_true(str_is(all[0]->message, "operator 'AFwdOp' lacks 'status', 'workloads', 'roofline'"));
  arena_free(m.a);
}

static void test_op_names(void **state) {
  (void)state;
  static const char *const good[] = {"AFwdOp", "GemmBwdOp", "X2FwdFwdOp"};
  static const char *const bad[] = {"FwdOp", "gemmFwdOp", "GemmOp", "Gemm_FwdOp", "GemmFwdop", "2GemmFwdOp"};
  const char *rest =
      ": {family: f, status: spec-only, signature: {}, workloads: [{label: a}], roofline: {func: b}}";
  char text[200], expected[64];
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    snprintf(text, sizeof text, "%s%s", good[i], rest);
    assert_defects(text, NULL, "");
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(text, sizeof text, "%s%s", bad[i], rest);
    snprintf(expected, sizeof expected, "RL0201 %s", bad[i]);
    assert_defects(text, NULL, expected);
  }
}

/* The keys a mapping of each section may have, as language.md §1, §2, §5 and §8 list them. */
static void test_every_section_names_its_keys(void **state) {
  (void)state;
  static const struct {
    section_id section;
    const char *keys;
  } sections[] = {
      {SECTION_ENTRY, "family status ref_api signature workloads roofline composition"},
      {SECTION_SIGNATURE, "forall params inputs outputs types let shape_rules dtype_combos"},
      {SECTION_PARAM, "type default kw_only"},
      {SECTION_CONSTRUCTION, "dtype shape optional contiguous device"},
      {SECTION_INPUT, "dtype shape optional mutated write_only values requires contiguous device"},
      {SECTION_OUTPUT, "dtype shape nullable contiguous buffer alias"},
      {SECTION_FAMILY, "params match cases"},
      {SECTION_CASE, "when is"},
      {SECTION_ROOFLINE, "flops bytes func"},
      {SECTION_COMPOSITION, "kind stages"},
      {SECTION_STAGE, "name op kernel optional"},
      {SECTION_TYPES_FILE, "adts"},
      {SECTION_ADT, "sum"},
      {SECTION_CTOR, "python fields invariant"},
      {SECTION_FIELD, "type python"},
  };
  assert_int_equal(sizeof sections / sizeof sections[0], SECTION_COUNT - 1);
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    str names[KEY_COUNT];
    char all[400] = "";
    uint32_t n = key_names(sections[i].section, names);
    for (uint32_t k = 0; k < n; k++)
      snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", k == 0 ? "" : " ", STR_ARG(names[k]));
    assert_string_equal(all, sections[i].keys);
  }
}

static void test_unknown_keys(void **state) {
  (void)state;
  assert_signature("{inputs: {x: {dtype: float16, shape: \"[1]\", nullable: \"b\"}}}", "RL0202 nullable");
  assert_signature("{outputs: {x: {dtype: float16, shape: \"[1]\", device: cpu}}}", "RL0202 device");
  assert_signature("{params: {x: {type: int, shape: \"[1]\"}}}", "RL0202 shape");
  assert_signature("{params: {x: {dtype: float16, shape: \"[1]\", mutated: true}}}", "RL0202 mutated");
  assert_signature("{params: {x: {}}}", "RL0203 x");
  assert_signature("{params: {x: }}", "RL0204 x");
  assert_signature("{params: {x: int}}", "RL0204 int");
  assert_signature("{params: {x: {dtype: float16}}}", "RL0203 x");
  assert_signature("{input: {x: {dtype: float16, shape: \"[1]\"}}}", "RL0202 input");
  /* A misspelt `default` does not make the parameter required, a misspelt `optional` not the input. */
  assert_signature(
      "{inputs: {a: {dtype: float16, shape: \"[1]\", optionl: true}, b: {dtype: float16, shape: \"[1]\"}}}",
      "RL0202 optionl");
  assert_signature("{params: {x: {type: int, defualt: no}}}", "RL0202 defualt");
}

static void test_null_sections_are_empty(void **state) {
  (void)state;
  assert_signature(
      "{forall: , params: ~, inputs: null, outputs: , types: , let: , shape_rules: , dtype_combos: }", "");
  assert_signature("", "");
  assert_signature("{forall: [], params: 3, inputs: x, outputs: [], types: [], let: [], shape_rules: {}, "
                   "dtype_combos: {}}",
                   "RL0204 []; RL0204 3; RL0204 x; RL0204 []; RL0204 []; RL0204 []; RL0204 {}; RL0204 {}");
  manifest m = manifest_read(WITH_SIGNATURE("{forall: , params: 3}"), NULL);
  assert_int_equal(m.entries[0]->signature, FACT_VALID);
  assert_int_equal(m.entries[0]->forall, FACT_VALID);
  assert_int_equal(m.entries[0]->params, FACT_MALFORMED);
  assert_int_equal(m.entries[0]->inputs, FACT_ABSENT);
  arena_free(m.a);
}

/* ---- value domains ---- */

typedef struct domain_case {
  const char *legal, *wrong, *covered;
} domain_case;

static void check_domains(const char *before, const domain_case *cases, size_t n, const char *after) {
  char text[1000], expected[300];
  for (size_t i = 0; i < n; i++) {
    snprintf(text, sizeof text, "%s%s%s", before, cases[i].legal, after);
    assert_defects(text, NULL, "");
    snprintf(text, sizeof text, "%s%s%s", before, cases[i].wrong, after);
    snprintf(expected, sizeof expected, "%s", cases[i].covered);
    assert_defects(text, NULL, expected);
  }
}
#define CHECK_DOMAINS(before, cases, after)                                                                  \
  check_domains(before, cases, sizeof cases / sizeof cases[0], after)

static void test_entry_domains(void **state) {
  (void)state;
  static const domain_case cases[] = {
      {"family: matrix_product2", "family: Matrix", "RL0204 Matrix"},
      {"family: f", "family: 3", "RL0204 3"},
      {"family: f", "family:", "RL0204 family"},
      {"status: spec-only", "status: done", "RL0204 done"},
      {"status: implemented", "status: \"\"", "RL0204 "},
      {"ref_api: a._b.c2", "ref_api: a..b", "RL0204 a..b"},
      {"ref_api: a", "ref_api: [a]", "RL0204 [a]"},
      {"signature: {}", "signature: nope", "RL0204 nope"},
      {"workloads: [{label: a}]", "workloads: {label: a}", "RL0204 {label: a}"},
      {"roofline: {func: a}", "roofline: flops", "RL0204 flops"},
      {"composition: ", "composition: []", "RL0204 []"},
  };
  static const char *const keys[] = {"family: f",     "status: spec-only",       "ref_api: a",
                                     "signature: {}", "workloads: [{label: a}]", "roofline: {func: a}"};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char rest[400] = "\n  ";
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
      if (strncmp(keys[k], cases[i].legal, strcspn(cases[i].legal, ":") + 1) != 0)
        snprintf(rest + strlen(rest), sizeof rest - strlen(rest), "%s\n  ", keys[k]);
    check_domains("AFwdOp:\n  ", &cases[i], 1, rest);
  }
}

static void test_tensor_domains(void **state) {
  (void)state;
  static const domain_case input[] = {
      {"optional: true", "optional: false", "RL0204 false"},
      {"optional: \"b\"", "optional: 1", "RL0204 1"},
      {"optional: \"b\"", "optional: ", "RL0204 optional"},
      {"mutated: false", "mutated: 0", "RL0204 0"},
      {"mutated: \"b\"", "mutated: [true]", "RL0204 [true]"},
      {"mutated: true, write_only: true", "mutated: true, write_only: 'true'", "RL0204 true"},
      {"contiguous: false", "contiguous: 1", "RL0204 1"},
      {"device: cpu", "device: cuda", "RL0204 cuda"},
      {"values: \"full((M,), 0)\"", "values: 3", "RL0204 3"},
      {"values: \"f(M)\", requires: []", "values: \"f(M)\", requires: ", "RL0204 requires"},
      {"values: \"f(M)\", requires: [\"g(1)\"]", "values: \"f(M)\", requires: \"g(1)\"", "RL0204 g(1)"},
      {"values: \"f(M)\", requires: [\"g(1)\"]", "values: \"f(M)\", requires: [1, \"g(1)\", {a: b}]",
       "RL0204 1; RL0204 {a: b}"},
  };
  static const domain_case output[] = {
      {"nullable: \"b\"", "nullable: true", "RL0204 true"},
      {"buffer: out", "buffer: true", "RL0204 true"},
      {"buffer: out", "buffer: ouut", "RL0204 ouut"},
      {"contiguous: true", "contiguous: 'yes'", "RL0204 yes"},
  };
  static const domain_case both[] = {
      {"dtype: \"T\", shape: \"[M]\"", "dtype: 16, shape: \"[M]\"", "RL0204 16"},
      {"dtype: T, shape: '[M, 2]'", "dtype: T, shape: [M, 2]", "RL0204 [M, 2]"},
      {"dtype: T, shape: '[]'", "dtype: T, shape: \"  \"", "RL0204   "},
  };
  CHECK_DOMAINS("AFwdOp: {family: f, status: spec-only, workloads: [{label: a}], roofline: {func: a}, "
                "signature: {inputs: {x: "
                "{dtype: float16, shape: \"[1]\", ",
                input, "}}}}");
  CHECK_DOMAINS("AFwdOp: {family: f, status: spec-only, workloads: [{label: a}], roofline: {func: a}, "
                "signature: {outputs: {x: "
                "{dtype: float16, shape: \"[1]\", ",
                output, "}}}}");
  CHECK_DOMAINS("AFwdOp: {family: f, status: spec-only, workloads: [{label: a}], roofline: {func: a}, "
                "signature: {" FORALL ", params: {x: {",
                both, "}}}}");
  CHECK_DOMAINS("AFwdOp: {family: f, status: spec-only, workloads: [{label: a}], roofline: {func: a}, "
                "signature: {" FORALL ", outputs: {x: {",
                both, "}}}}");
}

static void test_traps_of_yaml11(void **state) {
  (void)state;
  assert_signature("{params: {p: {type: int, kw_only: yes}}}", "RL0113? yes; RL0204 yes");
  assert_signature("{params: {p: {type: int, default: 012}}}", "RL0113? 012");
  assert_signature("{params: {p: {type: int, default: 1_000}}}", "RL0113? 1_000; RL0230 1_000");
  assert_signature("{params: {p: {type: bool, default: no}}}", "RL0113? no; RL0230 no");
  /* A string is wanted: nothing to warn of. */
  assert_signature("{params: {p: {type: \"'yes' | 'no'\", default: no}}}", "");
  assert_signature("{forall: {n: Dim, y: Dim}, inputs: {no: {dtype: float16, shape: \"[n]\"}}}", "");
  manifest m = manifest_read(WITH_SIGNATURE("{params: {p: {type: int, default: 012}}}"), NULL);
  assert_int_equal(m.entries[0]->parameters[0].default_value.u.i, 12);
  arena_free(m.a);
}

/* ---- names ---- */

static void test_names(void **state) {
  (void)state;
  assert_signature("{forall: {M-1: Dim}}", "RL0205 M-1");
  assert_signature("{params: {größe: {type: int}}}", "RL0205 größe");
  assert_signature("{let: {1d: \"1\"}}", "RL0205 1d");
  assert_signature("{forall: {inf: Dim}, params: {None: {type: int}}, inputs: {present: {dtype: float16, "
                   "shape: \"[1]\"}}, "
                   "outputs: {out: {dtype: float16, shape: \"[1]\"}}, let: {bytes: \"1\"}}",
                   "RL0206 inf; RL0206 None; RL0206 present; RL0206 out; RL0206 bytes");
  assert_signature("{forall: {true: Dim, True: Dim, false: Dim, False: Dim}}",
                   "RL0206 true; RL0206 True; RL0206 false; RL0206 False");
  /* Names of primitives are free. */
  assert_signature("{forall: {max: Dim}, inputs: {min: {dtype: float16, shape: \"[max]\"}, topk_ids: {dtype: "
                   "int32, shape: \"[max]\"}}}",
                   "");
  char name[400], text[1000];
  for (uint32_t n = 255; n <= 256; n++) {
    memset(name, 'a', n);
    name[n] = '\0';
    snprintf(text, sizeof text,
             "AFwdOp: {family: f, status: spec-only, workloads: [{label: a}], roofline: {func: a}, "
             "signature: {forall: {%s: Dim}}}",
             name);
    manifest m = manifest_read(text, NULL);
    assert_int_equal(diag_errors(m.sink), n - 255);
    arena_free(m.a);
  }
}

static void test_names_declared_twice(void **state) {
  (void)state;
  assert_signature("{forall: {a: Dim}, params: {b: {type: int}}, inputs: {a: {dtype: float16, shape: "
                   "\"[1]\"}}, let: {b: \"1\"}}",
                   "RL0207 a; RL0207 b");
  /* The later in the text, whatever the order of sections. */
  manifest m = manifest_read(WITH_SIGNATURE("{let: {q: \"1\"}, forall: {q: Dim, r: Dim}}"), NULL);
  uint32_t n;
  diag *const *all = diag_all(m.sink, &n);
  assert_int_equal(n, 1);
  const char *text = m.src->text.p;
  assert_int_equal(all[0]->at.begin, strstr(text, "q: Dim") - text);
  assert_int_equal(all[0]->related.v[0].at.begin, strstr(text, "q: \"1\"") - text);
  assert_int_equal(entry_symbol(m.entries[0], STR("q"))->state, FACT_MALFORMED);
  assert_int_equal(entry_symbol(m.entries[0], STR("r"))->state, FACT_VALID);
  assert_null(entry_symbol(m.entries[0], STR("s")));
  arena_free(m.a);
}

static void test_symbols_keep_their_order(void **state) {
  (void)state;
  manifest m =
      manifest_read(WITH_SIGNATURE("{let: {l: \"1\"}, outputs: {o: {dtype: T, shape: \"[1]\"}}, inputs: {b: "
                                   "{dtype: T, shape: \"[1]\"}, a: {dtype: T, shape: \"[1]\"}}, "
                                   "params: {w: {dtype: T, shape: \"[1]\"}, p: {type: int}}, forall: {T: "
                                   "\"DType[float16]\", M: Dim}}"),
                    NULL);
  const entry *e = m.entries[0];
  assert_string_equal(defects_of(m.a, m.sink), "");
  static const struct {
    const char *name;
    symbol_class cls;
    uint32_t number;
  } expected[] = {{"T", SYM_INDEX, 0},  {"M", SYM_INDEX, 1},  {"w", SYM_TENSOR, 2}, {"p", SYM_PARAM, 1},
                  {"b", SYM_TENSOR, 0}, {"a", SYM_TENSOR, 1}, {"o", SYM_TENSOR, 3}, {"l", SYM_LET, 0}};
  assert_int_equal(e->symbol_count, 8);
  for (uint32_t i = 0; i < 8; i++) {
    assert_true(str_is(e->symbols[i].name, expected[i].name));
    assert_int_equal(e->symbols[i].cls, expected[i].cls);
    assert_int_equal(e->symbols[i].number, expected[i].number);
    assert_ptr_equal(entry_symbol(e, e->symbols[i].name), &e->symbols[i]);
  }
  assert_int_equal(e->input_count, 2);
  assert_int_equal(e->construction_count, 1);
  assert_int_equal(e->tensors[2].role, ROOFLINE_CONSTRUCTION);
  assert_int_equal(e->parameters[0].tensor, 2);
  assert_int_equal(e->parameters[1].tensor, -1);
  arena_free(m.a);
}

/* ---- between declarations ---- */

#define TENSOR "{dtype: float16, shape: \"[1]\""

static void test_optional_order(void **state) {
  (void)state;
  assert_signature(
      "{inputs: {a: " TENSOR "}, b: " TENSOR ", optional: true}, c: " TENSOR ", optional: \"p\"}}}", "");
  assert_signature("{inputs: {a: " TENSOR ", optional: true}, b: " TENSOR "}, c: " TENSOR "}}}", "RL0208 b");
  assert_signature("{inputs: {a: " TENSOR ", optional: \"p\"}, b: " TENSOR "}, c: " TENSOR
                   ", optional: true}, d: " TENSOR "}}}",
                   "RL0208 b; RL0208 d");
  /* Not judged across what is malformed. */
  assert_signature("{inputs: {a: " TENSOR ", optional: false}, b: " TENSOR "}}}", "RL0204 false");
}

static void test_effects(void **state) {
  (void)state;
  assert_signature("{inputs: {a: " TENSOR ", mutated: true, write_only: true}}}", "");
  assert_signature("{inputs: {a: " TENSOR ", write_only: false}}}", "");
  assert_signature("{inputs: {a: " TENSOR ", write_only: true}}}", "RL0209 true");
  assert_signature("{inputs: {a: " TENSOR ", mutated: \"p\", write_only: true}}}", "RL0209 true");
  assert_signature("{inputs: {a: " TENSOR ", mutated: 3, write_only: true}}}", "RL0204 3");
  assert_signature("{inputs: {a: " TENSOR ", requires: [\"f(1)\"]}}}", "RL0210 requires");
}

static void test_alias_and_buffer(void **state) {
  (void)state;
#define MUTATED                                                                                              \
  "inputs: {a: " TENSOR ", mutated: true}, abc: " TENSOR ", mutated: \"p\"}, r: " TENSOR "}, f: " TENSOR     \
  ", mutated: false}}"
  assert_signature("{" MUTATED ", outputs: {y: " TENSOR ", alias: a}, z: " TENSOR ", alias: abc}, o: " TENSOR
                   ", buffer: out}}}",
                   "");
  assert_signature("{" MUTATED ", outputs: {y: " TENSOR ", alias: r}, z: " TENSOR ", alias: f}}}",
                   "RL0212 r; RL0212 f");
  assert_signature("{" MUTATED ", outputs: {y: " TENSOR ", alias: abd}, z: " TENSOR ", alias: y}}}",
                   "RL0211 abd; RL0211 y");
  assert_signature("{" MUTATED ", outputs: {y: " TENSOR ", alias: a, buffer: out}}}", "RL0213 buffer");
  assert_signature("{outputs: {y: " TENSOR ", buffer: out}, z: " TENSOR ", buffer: out}}}", "RL0213 buffer");
  assert_signature("{inputs: nope, outputs: {y: " TENSOR ", alias: a}}}", "RL0204 nope; RL0250~ a");
  /* A construction-time tensor is no input. */
  assert_signature("{params: {w: " TENSOR "}}, outputs: {y: " TENSOR ", alias: w}}}", "RL0211 w");
}

/* ---- parameters ---- */

static void test_defaults(void **state) {
  (void)state;
  assert_signature("{params: {p: {type: int, default: 1.5}}}", "RL0230 1.5");
  assert_signature("{params: {p: {type: float, default: 1}}}", "");
  assert_signature("{params: {p: {type: \"int | None\", default: null}}}", "");
  assert_signature("{params: {p: {type: int, default: null}}}", "RL0230 null");
  assert_signature("{params: {p: {type: \"list[str]\", default: 3}}}", "RL0462 str; RL0250~ 3");
  assert_signature("{params: {p: {default: 3}}}", "RL0203 p; RL0250~ 3");
  manifest m = manifest_read(WITH_SIGNATURE("{params: {a: {type: int}, b: {type: int, default: 3, kw_only: "
                                            "true}, c: {type: int, default: x}}}"),
                             NULL);
  const param_decl *p = m.entries[0]->parameters;
  assert_int_equal(p[0].default_state, FACT_ABSENT);
  assert_int_equal(p[1].default_state, FACT_VALID);
  assert_int_equal(p[1].default_value.u.i, 3);
  assert_true(p[1].kw_only);
  assert_int_equal(p[2].default_state, FACT_MALFORMED);
  assert_int_equal(p[2].state, FACT_VALID);
  arena_free(m.a);
}

/* ---- let, rules, combos ---- */

static void test_expressions_are_strings(void **state) {
  (void)state;
  assert_signature("{let: {a: 3, b: \"3\", c: [1]}, shape_rules: [true, \"true\", ]}",
                   "RL0204 3; RL0204 [1]; RL0204 true");
}

static void test_dtype_combos(void **state) {
  (void)state;
#define COMBO_SIGNATURE                                                                                      \
  "forall: {M: Dim, T: \"DType[float16 | float32]\", U: \"DType[int8 | int32]\"}, params: {d: {type: "       \
  "\"float16 | None\"}, n: {type: int}}"
  assert_signature("{" COMBO_SIGNATURE ", dtype_combos: [{T: float16, U: int8}, {U: int32, T: float16}]}",
                   "");
  assert_signature("{" COMBO_SIGNATURE ", dtype_combos: [{T: float16, d: float16}, {T: float16, d: null}]}",
                   "");
  assert_signature("{" COMBO_SIGNATURE ", dtype_combos: [{T: float16, M: int8}, {n: int8}, {t: int8}]}",
                   "RL0220 M; RL0220 n; RL0220 t");
  assert_signature("{" COMBO_SIGNATURE ", dtype_combos: [{T: bfloat16}, {T: 3}, x]}",
                   "RL0230 bfloat16; RL0230 3; RL0204 x");
  assert_signature("{" COMBO_SIGNATURE
                   ", dtype_combos: [{T: float16, U: int8}, {T: float16}, {U: int8, T: float16}]}",
                   "RL0221 {T: float16}; RL0222 {U: int8, T: float16}");
  assert_signature("{forall: {T: \"DType[flot16]\"}, dtype_combos: [{T: float16}]}",
                   "RL0461 flot16; RL0250~ T");
}

/* ---- type families ---- */

#define MAT(rest) "{types: {Mat: " rest "}}"
#define assert_family(rest, expected) assert_defects(WITH_SIGNATURE(MAT(rest)), adts, expected)
#define LAYOUT "params: {l: Layout, b: Bool, e: \"'1d' | 'b'\", n: Dim}"

static void test_families(void **state) {
  (void)state;
  assert_family("{" LAYOUT ", match: b, cases: [{when: true, is: \"[n]\"}, {when: _, is: \"[]\"}]}", "");
  assert_family("{" LAYOUT ", match: [b, e], cases: [{when: [true, 1d], is: \"[n]\"}, {when: [_, b], is: "
                "\"[]\"}, {when: _, is: \"[]\"}]}",
                "");
  assert_family("{" LAYOUT ", match: l, cases: [{when: {packed: {how: x, flag: false}}, is: \"[n]\"}, {when: "
                "{packed: _}, is: \"[]\"}, {when: {plain: _}, is: \"[]\"}]}",
                "");
  assert_family("{params: {m: \"Dim | None\"}, match: present(m), cases: [{when: true, is: \"[m]\"}, {when: "
                "false, is: \"[]\"}]}",
                "");
  assert_family("{" LAYOUT ", match: bb, cases: [{when: true, is: \"[n]\"}]}", "RL0218 bb");
  assert_family("{" LAYOUT ", match: n, cases: [{when: true, is: \"[n]\"}]}", "RL0218 n");
  assert_family("{" LAYOUT ", match: [], cases: []}", "RL0218 []");
  assert_family("{" LAYOUT ", match: [b, 3], cases: []}", "RL0218 3");
  assert_family("{" LAYOUT ", match: \"b and b\", cases: []}", "RL0218 b and b");
  assert_family("{" LAYOUT ", match: [b, b], cases: []}", "RL0207 b");
  assert_family("{params: {b: Bol}, match: b, cases: [{when: 3, is: \"[]\"}]}", "RL0460 Bol");
  assert_family("{params: {out: Bool}, match: out, cases: [{when: true, is: \"[]\"}]}", "RL0206 out");
  assert_family("{match: b, cases: [{when: true}, {is: \"[]\"}, nope]}",
                "RL0203 Mat; RL0203 {when: true}; RL0203 {is: \"[]\"}; RL0204 nope");
}

static void test_patterns(void **state) {
  (void)state;
  static const struct {
    const char *match, *when, *expected;
  } cases[] = {
      {"b", "1", "RL0219 1"},
      {"b", "'true'", "RL0219 true"},
      {"b", "yes", "RL0113? yes; RL0219 yes"},
      {"b", "[true, false]", "RL0219 [true, false]"},
      {"e", "2d", "RL0219 2d"},
      {"e", "true", "RL0219 true"},
      {"e", "'1d'", ""},
      {"l", "packed", "RL0219 packed"},
      {"l", "{packd: _}", "RL0219 packd"},
      {"l", "{packed: {n: 3}}", "RL0219 n"},
      {"l", "{packed: {hwo: x}}", "RL0219 hwo"},
      {"l", "{packed: {how: z}}", "RL0230 z"},
      {"l", "{packed: {how: _, flag: 1}}", "RL0230 1"},
      {"l", "{packed: _, plain: _}", "RL0219 {packed: _, plain: _}"},
      {"l", "{packed: 3}", "RL0219 3"},
      {"[b, e]", "[true]", "RL0219 [true]"},
      {"[b, e]", "true", "RL0219 true"},
      {"present(l)", "true", ""},
      {"present(l)", "x", "RL0219 x"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[600];
    snprintf(text, sizeof text,
             WITH_SIGNATURE(MAT("{" LAYOUT ", match: %s, cases: [{when: %s, is: \"[]\"}]}")), cases[i].match,
             cases[i].when);
    assert_defects(text, adts, cases[i].expected);
  }
}

/* ---- workloads, roofline, composition ---- */

#define ENTRY_START "AFwdOp:\n  family: f\n  status: implemented\n  signature: {}\n"

static void test_workloads(void **state) {
  (void)state;
#define WORKLOADS(w) ENTRY_START "  roofline: {func: a}\n  workloads: " w "\n"
  assert_defects(WORKLOADS("[{label: a-1.B_2}, {label: \"4096\"}]"), NULL, "");
  assert_defects(WORKLOADS("[]"), NULL, "RL0214 []");
  assert_defects(WORKLOADS(""), NULL, "RL0214 workloads");
  assert_defects(WORKLOADS("[a, {label: b}, ]"), NULL, "RL0204 a");
  assert_defects(WORKLOADS("[{M: 3}, {label: }, {label: 3}, {label: a b}, {label: ''}, {label: [a]}]"), NULL,
                 "RL0215 {M: 3}; RL0215 label; RL0215 3; RL0215 a b; RL0215 ; RL0215 [a]");
#define TEN "abcdefghij"
  assert_defects(WORKLOADS("[{label: " TEN TEN TEN TEN TEN TEN "abcd}]"), NULL, "");
  assert_defects(WORKLOADS("[{label: " TEN TEN TEN TEN TEN TEN "abcde}]"), NULL,
                 "RL0215 " TEN TEN TEN TEN TEN TEN "abcde");
}

static void test_roofline_modes(void **state) {
  (void)state;
#define ROOFLINE(r) ENTRY_START "  workloads: [{label: a}]\n  roofline: " r "\n"
  assert_defects(ROOFLINE("{flops: \"1\", bytes: \"2\"}"), NULL, "");
  assert_defects(ROOFLINE("{func: a.b}"), NULL, "");
  assert_defects(ROOFLINE("{}"), NULL, "RL0216 {}");
  assert_defects(ROOFLINE(""), NULL, "RL0216 roofline");
  assert_defects(ROOFLINE("{bytes: \"1\"}"), NULL, "RL0216 bytes");
  assert_defects(ROOFLINE("{flops: \"1\", func: a.b}"), NULL, "RL0216 func");
  assert_defects(ROOFLINE("{bytes: \"1\", func: a.b}"), NULL, "RL0216 func");
  assert_defects(ROOFLINE("{flops: 3}"), NULL, "RL0204 3");
  assert_defects(ROOFLINE("{flops: \"\", bytes: \" \"}"), NULL, "RL0204 ; RL0204  ");
  assert_defects(ROOFLINE("{func: 3}"), NULL, "RL0204 3");
  assert_defects(ROOFLINE("{func: a-b}"), NULL, "RL0204 a-b");
  assert_defects(ROOFLINE("{flop: \"1\"}"), NULL, "RL0202 flop");
  manifest m = manifest_read(ROOFLINE("{flops: \"1\", func: a.b}"), NULL);
  assert_int_equal(m.entries[0]->flops.state, FACT_VALID);
  assert_int_equal(m.entries[0]->func_state, FACT_VALID);
  assert_int_equal(m.entries[0]->bytes.state, FACT_ABSENT);
  assert_string_equal(m.entries[0]->flops.what, "roofline.flops");
  arena_free(m.a);
}

static void test_composition(void **state) {
  (void)state;
#define COMPOSITION(c) ENTRY_START "  workloads: [{label: a}]\n  roofline: {func: a}\n  composition: " c "\n"
  assert_defects(
      COMPOSITION("{kind: composite, stages: [{name: a, op: BFwdOp}, {name: b, kernel: k, optional: true}]}"),
      NULL, "");
  assert_defects(COMPOSITION("{kind: chain, stages: []}"), NULL, "RL0204 chain");
  assert_defects(COMPOSITION("{kind: composite}"), NULL, "RL0203 composition");
  assert_defects(COMPOSITION("{kind: composite, stages: [{name: a, op: B, kernel: k}]}"), NULL,
                 "RL0217 kernel");
  assert_defects(COMPOSITION("{kind: composite, stages: [{name: a}]}"), NULL, "RL0217 {name: a}");
  assert_defects(COMPOSITION("{kind: composite, stages: [{op: B}]}"), NULL, "RL0203 {op: B}");
  assert_defects(COMPOSITION("{kind: composite, stages: [a]}"), NULL, "RL0204 a");
  assert_defects(COMPOSITION("{kind: composite, stages: [{name: a, op: B}, {name: a, op: B, optional: 1}]}"),
                 NULL, "RL0207 a; RL0204 1");
}

/* ---- types.yaml ---- */

static void test_adts(void **state) {
  (void)state;
  static const struct {
    const char *types, *expected;
  } cases[] = {
      {"adts: {A: {sum: {c: {python: a.C, fields: {n: Dim, i: Int, b: Bool, e: \"'x' | 'y'\"}, invariant: "
       "\"n > 0\"}}}}",
       ""},
      {"adts: ", ""},
      {"adts: {A: {sum: {c: {python: a.C, fields: }}}}", ""},
      {"types: {}", "RL0202 types"},
      {"adts: [A]", "RL0204 [A]"},
      {"adts: {A: }", "RL0204 A"},
      {"adts: {A: {}}", "RL0203 A"},
      {"adts: {A: {sum: {}}}", "RL0223 A"},
      {"adts: {A: {sum: {c: {}}}}", "RL0203 c"},
      {"adts: {A: {sum: {c: {python: a, fields: {f: Shape}}}}}", "RL0460 Shape"},
      {"adts: {A: {sum: {c: {python: a, fields: {f: {type: Dim}}}}}}", "RL0203 f"},
      {"adts: {A: {sum: {c: {python: a, fields: {f: 3}}}}}", "RL0204 3"},
      {"adts: {A: {sum: {c: {python: a, fields: {kind: Dim}}}}}", "RL0206 kind"},
      {"adts: {A: {sum: {c: {python: a, fields: {inf: Dim}}}}}", "RL0206 inf"},
      {"adts: {A: {sum: {c: {python: 3, invariant: true}}}}", "RL0204 3; RL0204 true"},
      {"adts: {float16: {sum: {c: {python: a}}}}", "RL0206 float16"},
      {"adts: {Dim: {sum: {c: {python: a}}}}", "RL0206 Dim"},
      {"adts: {A-B: {sum: {c-d: {python: a}}}}", "RL0205 A-B; RL0205 c-d"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_defects("{}", cases[i].types, cases[i].expected);
}

static void test_adt_given_twice(void **state) {
  (void)state;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  manifest_file files[2];
  for (int i = 0; i < 2; i++) {
    bool empty;
    const source *src = source_from_text(a, i == 0 ? "a/types.yaml" : "b/types.yaml",
                                         STR("adts: {A: {sum: {c: {python: a}}}}"));
    files[i] = (manifest_file){src, yt_parse(a, sink, src, &yt_default_limits, &empty), true};
  }
  adt_table table;
  entry_read_adts(a, sink, &parse_default_limits, files, 2, &table);
  assert_int_equal(table.count, 1);
  uint32_t n;
  diag *const *all = diag_all(sink, &n);
  assert_int_equal(n, 1);
  assert_ptr_equal(all[0]->at.src, files[1].src);
  assert_ptr_equal(all[0]->related.v[0].at.src, files[0].src);
  arena_free(a);
}

/* ---- many names ---- */

static void test_many_parameters(void **state) {
  (void)state;
  enum { N = 20000 };
  char *text = malloc(N * 40 + 1000), *end = text;
  end += sprintf(end, "AFwdOp:\n  family: f\n  status: spec-only\n  workloads: [{label: a}]\n  roofline: "
                      "{func: a}\n  signature:\n    params:\n");
  for (int i = 0; i < N; i++) end += sprintf(end, "      p%d: {type: int}\n", i);
  manifest m = manifest_read(text, NULL);
  assert_int_equal(diag_errors(m.sink), 0);
  assert_int_equal(m.entries[0]->param_count, N);
  assert_int_equal(entry_symbol(m.entries[0], STR("p19999"))->number, 19999);
  arena_free(m.a);
  free(text);
}

/* ---- the corpus ---- */

/* NULL when there is no such file; the caller frees it. */
static char *read_file(const char *path) {
  enum { MOST = 1 << 20 };
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  char *text = malloc(MOST);
  text[fread(text, 1, MOST - 1, f)] = '\0';
  fclose(f);
  return text;
}

static void test_corpus_is_clean(void **state) {
  (void)state;
  DIR *dir = opendir(SHARED_DIR "/corpus");
  if (dir == NULL) {
    print_message("skipped: no " SHARED_DIR "/corpus\n");
    skip();
  }
  char *types = read_file(SHARED_DIR "/corpus/types.yaml");
  assert_non_null(types);
  uint32_t ops = 0;
  for (struct dirent *f; (f = readdir(dir)) != NULL;) {
    char path[1000];
    size_t n = strlen(f->d_name);
    if (n < 5 || strcmp(f->d_name + n - 5, ".yaml") != 0 || strcmp(f->d_name, "types.yaml") == 0) continue;
    snprintf(path, sizeof path, SHARED_DIR "/corpus/%s", f->d_name);
    char *text = read_file(path);
    assert_non_null(text);
    manifest m = manifest_read(text, types);
    if (diag_errors(m.sink) != 0) diag_print(m.sink, stderr, &(diag_options){.format = DIAG_TEXT});
    assert_string_equal(defects_of(m.a, m.sink), "");
    ops += m.count;
    arena_free(m.a);
    free(text);
  }
  closedir(dir);
  free(types);
  assert_int_equal(ops, 109);
}

/* What of the shared defects is form; the others are clean at this stage. */
static void test_shared_defects(void **state) {
  (void)state;
  static const struct {
    const char *file, *expected;
  } defects[] = {
      {"alias-of-unwritten", "RL0212 b"},
      {"base", ""},
      {"duplicate-key", "RL0102 trans_a"},
      {"formula-is-number", "RL0204 3"},
      {"name-declared-twice", "RL0207 a"},
      {"optional-false", "RL0204 false"},
      {"required-after-optional", "RL0208 b"},
      {"roofline-both-modes-and-name", "RL0216 func"},
      {"roofline-empty", "RL0216 {}"},
      {"row-label-missing", "RL0215 {M: 4, N: 16, K: 8, dtype_cases: [{T: float16}]}"},
      {"row-label-too-long", "RL0215 abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123"},
      {"row-missing-index", ""},
      {"signature-malformed-only", "RL0204 nope; RL0202 old"},
      {"unknown-dtype", "RL0461 banana"},
      {"unknown-entry-key", "RL0202 famly"},
      {"workloads-empty", "RL0214 []"},
  };
  for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
    char path[1000];
    snprintf(path, sizeof path, SHARED_DIR "/expected/defects/%s.yaml", defects[i].file);
    char *text = read_file(path);
    if (text == NULL) {
      print_message("skipped: no %s\n", path);
      skip();
    }
    assert_defects(text, NULL, defects[i].expected);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_entry_keys),
      cmocka_unit_test(test_missing_keys_are_named),
      cmocka_unit_test(test_op_names),
      cmocka_unit_test(test_every_section_names_its_keys),
      cmocka_unit_test(test_unknown_keys),
      cmocka_unit_test(test_null_sections_are_empty),
      cmocka_unit_test(test_entry_domains),
      cmocka_unit_test(test_tensor_domains),
      cmocka_unit_test(test_traps_of_yaml11),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_names_declared_twice),
      cmocka_unit_test(test_symbols_keep_their_order),
      cmocka_unit_test(test_optional_order),
      cmocka_unit_test(test_effects),
      cmocka_unit_test(test_alias_and_buffer),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_expressions_are_strings),
      cmocka_unit_test(test_dtype_combos),
      cmocka_unit_test(test_families),
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_workloads),
      cmocka_unit_test(test_roofline_modes),
      cmocka_unit_test(test_composition),
      cmocka_unit_test(test_adts),
      cmocka_unit_test(test_adt_given_twice),
      cmocka_unit_test(test_many_parameters),
      cmocka_unit_test(test_corpus_is_clean),
      cmocka_unit_test(test_shared_defects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
