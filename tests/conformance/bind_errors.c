/* What a bind refuses, and how it says so: the declaration, and both values. Over layout/layout.yaml. */
#include <stdio.h>
#include <string.h>

#include "layout.h"

static int failures;

typedef struct call_args {
  roofline_gather_fwd_args args;
  int64_t x[4], y[2], m[1];
} call_args;

/* M = 4, N = 5, a tight layout: a call that binds. */
static void start(call_args *c) {
  static const int32_t ids[] = {0, 4, 2, 1};
  memset(c, 0, sizeof *c);
  c->args = roofline_gather_fwd_defaults();
  c->args.layout = roofline_layout_packed(ROOFLINE_LAYOUT_PACKED_KIND_OF_TIGHT, 1, 0);
  c->x[0] = c->m[0] = 4;
  c->x[1] = c->y[0] = 5;
  c->y[1] = 2;
  c->args.x = (roofline_tensor){ROOFLINE_FLOAT16, 2, c->x, NULL, NULL};
  c->args.y = (roofline_tensor){ROOFLINE_FLOAT16, 2, c->y, NULL, NULL};
  c->args.ids = (roofline_tensor){ROOFLINE_INT32, 1, c->m, NULL, ids};
}

static void expect(const call_args *c, roofline_status wanted, const char *declaration, const char *words) {
  roofline_gather_fwd_call call;
  roofline_error error = {"nothing", -9, -9, "nothing"};
  roofline_cost cost = {-1, -1};
  const roofline_status status = roofline_gather_fwd_bind(&call, &c->args, &error);
  if (roofline_gather_fwd_bind(&call, &c->args, NULL) != status) failures++;
  const roofline_status evaluated = roofline_gather_fwd_eval_roofline(&call, &cost);
  const bool untouched = cost.flops == -1 && cost.bytes == -1;
  if (status == wanted &&
      (wanted == ROOFLINE_OK ? evaluated == ROOFLINE_OK : evaluated == ROOFLINE_E_UNCHECKED && untouched) &&
      (wanted == ROOFLINE_OK ||
       (strcmp(error.declaration, declaration) == 0 && strstr(error.message, words) != NULL)))
    return;
  printf("expected %s %s '%s'\n   found %s %s '%s'\n", roofline_status_name(wanted), declaration, words,
         roofline_status_name(status), error.declaration, error.message);
  failures++;
}

#define TRY(declaration, words, change)                                                                      \
  do {                                                                                                       \
    call_args c;                                                                                             \
    start(&c);                                                                                               \
    change;                                                                                                  \
    expect(&c, ROOFLINE_E_MISMATCH, declaration, words);                                                     \
  } while (0)

/* None where it may be; and of more values than a message holds, the first. */
static void enums(void) {
  const char *values[60];
  for (int i = 0; i < 60; i++) values[i] = "bshd";
  roofline_error error;
  if (roofline_bind_enum(&error, "params.p", 0, true, values, 2) != ROOFLINE_OK ||
      roofline_bind_enum(&error, "params.p", 2, false, values, 2) != ROOFLINE_OK ||
      roofline_bind_enum(&error, "params.p", 0, false, values, 2) != ROOFLINE_E_MISMATCH ||
      roofline_bind_enum(&error, "params.p", 3, true, values, 2) != ROOFLINE_E_MISMATCH ||
      strcmp(error.message, "params.p: 3 is none of None (0), 'bshd' (1), 'bshd' (2)") != 0 ||
      roofline_bind_enum(&error, "params.p", INT64_MIN, false, values, 60) != ROOFLINE_E_MISMATCH ||
      strstr(error.message, "'bshd' (1), ") == NULL ||
      strcmp(error.message + strlen(error.message) - 5, ", ...") != 0) {
    printf("an enum's values: %s\n", error.message);
    failures++;
  }
}

int main(void) {
  enums();
  static const int32_t outside[] = {0, 5, 2, 1};
  static const int64_t strides[] = {1, 4}, pair[] = {1, 2, 3};
  call_args fine;
  start(&fine);
  expect(&fine, ROOFLINE_OK, "", "");

  /* parameters */
  TRY("params.mode", "3 is none of 'fast' (1), 'exact' (2)", c.args.mode = 3);
  TRY("params.mode", "0 is none of 'fast' (1), 'exact' (2)", c.args.mode = 0);
  TRY("params.pair", "3 items, expected 2", c.args.pair = roofline_seq_value(roofline_seq_of(pair, 3)));
  TRY("params.pair", "'other' is none of 'same'", c.args.pair = roofline_string("other"));
  TRY("params.pair", "a float is none of an int, a string, a sequence", c.args.pair = roofline_float(1));
  TRY("params.out_dtype", "int8 is not one of", c.args.out_dtype = ROOFLINE_INT8);
  TRY("params.layout", "None, expected a value of Layout", c.args.layout.type = NULL);
  TRY("params.layout", "no constructor 7", c.args.layout.ctor = 7);
  TRY("params.layout", "2 is not in 0..1", c.args.layout.fields[0] = 2);
  TRY("params.layout", "does not hold", c.args.layout.fields[1] = 3);
  TRY("params.other", "-1 is not in 0..", c.args.other = roofline_layout_slabs(-1));
  TRY("params.sizes", "lengths are negative", c.args.sizes.len = -1);

  /* presence */
  TRY("inputs.y", "not passed", c.args.y.dtype = ROOFLINE_DTYPE_NONE);
  TRY("inputs.shift", "passed, and this call takes none", c.args.shift = c.args.ids);
  TRY("inputs.x", "rank 17", c.args.x.rank = 17);
  TRY("inputs.x", "its dims are missing", c.args.x.dims = NULL);
  TRY("inputs.x", "axis 1 is -5", c.x[1] = -5);
  TRY("inputs.x", "the stride of axis 1 is 4, expected 1", c.args.x.strides = strides);

  /* domain restrictions come before solving: y's rank is wrong too */
  TRY("shape_rules[0]", "mode == 'fast' or present(scale)",
      (c.args.mode = ROOFLINE_GATHER_FWD_MODE_EXACT, c.args.y.rank = 1));

  /* unification */
  TRY("inputs.x.shape", "rank 1, and Rows[layout, M, N] has 2", c.args.x.rank = 1);
  TRY("inputs.y.shape", "axis 0 is 6, and [N, len(sizes)] gives 5", c.y[0] = 6);
  TRY("inputs.y.shape", "axis 1 is 3, and [N, len(sizes)] gives 2", c.y[1] = 3);
  TRY("inputs.ids.dtype", "float32, expected int32",
      (c.args.ids.dtype = ROOFLINE_FLOAT32, c.args.ids.data = NULL));
  TRY("forall.A", "int8 is not one of float16, float32", c.args.x.dtype = ROOFLINE_INT8);
  TRY("dtype_combos", "(float32, float16) is none of the 2", c.args.x.dtype = ROOFLINE_FLOAT32);

  /* refinements, one conjunct at a time, and predicates */
  TRY("shape_rules[1]", "N > 2 does not hold, its sides are 2 and 2", c.x[1] = c.y[0] = 2);
  TRY("shape_rules[1]", "M % 2 == 0 does not hold, its sides are 1 and 0", c.x[0] = c.m[0] = 3);
  TRY("inputs.ids.requires[0]", "in_range(0, N)", c.args.ids.data = outside);

  /* an output whose axis comes out negative */
  call_args empty;
  start(&empty);
  empty.x[0] = empty.m[0] = 0;
  expect(&empty, ROOFLINE_E_DOMAIN, "outputs.out_x.shape", "[M - 1] cannot be computed");

  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
