/* Generators: every vector of ../shared/expected/generators.tsv, MT19937 against CPython 3.11's own
   output, and each generator's definition and domain worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <roofline/generator.h>

/* ---- MT19937 and CPython's draws: what python3.11's random.Random(seed) gives ---- */

static void test_random_bits(void **state) {
  (void)state;
  static const struct {
    uint64_t seed;
    uint32_t first[3], ten_thousandth;
  } known[] = {
      {0, {3626764237, 1654615998, 3255389356}, 3292398474},
      {1, {577090037, 2444712010, 3639700191}, 586364410},
      {42, {2746317213, 478163327, 107420369}, 3981887252},
      {0xffffffff, {2728839433, 2661025012, 872737089}, 3957488064},
      {0x100000000, {485306839, 1508871100, 1794561286}, 4233817504},
      {0x123456789abcdef0, {3646699384, 2523371432, 4144361526}, 3233105841},
      {UINT64_MAX, {93740670, 1068495656, 1452108352}, 736581691},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    roofline_random r;
    roofline_random_seed(&r, known[i].seed);
    for (int j = 0; j < 3; j++) assert_int_equal(roofline_random_bits(&r, 32), known[i].first[j]);
    for (int j = 3; j < 9999; j++) roofline_random_bits(&r, 32);
    assert_int_equal(roofline_random_bits(&r, 32), known[i].ten_thousandth);
  }
}

static void test_random_widths(void **state) {
  (void)state;
  static const struct {
    int k;
    uint32_t bits;
  } widths[] = {{1, 0}, {5, 30}, {8, 38}, {16, 25875}, {31, 1397871144}, {32, 207388624}};
  static const struct {
    int64_t n, draw;
  } below[] = {{1, 0},
               {2, 0},
               {3, 1},
               {1000, 666},
               {INT64_C(1) << 31, 207388624},
               {INT64_C(1) << 32, 2301595691},
               {(INT64_C(1) << 32) + 1, 2179419893},
               {INT64_C(1) << 40, 189139603672},
               {INT64_C(3) << 40, 1840108496730},
               {INT64_C(1000000000000000000), 277465547730455439},
               {INT64_MAX, 5082513832886728665}};
  roofline_random r;
  roofline_random_seed(&r, 7);
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    assert_int_equal(roofline_random_bits(&r, widths[i].k), widths[i].bits);
  roofline_random_seed(&r, 7);
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    assert_int_equal(roofline_random_below(&r, below[i].n), below[i].draw);
}

/* ---- calling a generator by its text ---- */

enum { MAX_ARGUMENTS = 8, MAX_ITEMS = 64 };

typedef struct generator_call {
  char name[64];
  roofline_seq list; /* the one list argument, if any */
  int64_t items[MAX_ITEMS], n[MAX_ARGUMENTS];
  int count;
} generator_call;

/* "name([1, 2], 3, 4)": a list may stand first, integers follow. */
static void parse_call(const char *text, generator_call *call) {
  memset(call, 0, sizeof *call);
  size_t length = strcspn(text, "(");
  assert_true(length < sizeof call->name);
  memcpy(call->name, text, length);
  const char *p = text + length + 1;
  bool in_list = false;
  while (*p != ')') {
    char *end;
    if (*p == '[' || *p == ']')
      in_list = *p++ == '[';
    else if (*p == ',' || *p == ' ')
      p++;
    else {
      int64_t value = strtoll(p, &end, 10);
      assert_ptr_not_equal(p, end);
      p = end;
      if (in_list)
        call->items[call->list.len++] = value;
      else
        call->n[call->count++] = value;
    }
  }
}

typedef void generate(roofline_status *, roofline_shape *, int64_t *, uint32_t seed, const generator_call *);

#define GENERATE(NAME, ...)                                                                                  \
  static void g_##NAME(roofline_status *s, roofline_shape *shape, int64_t *v, uint32_t seed,                 \
                       const generator_call *c) {                                                            \
    (void)seed, (void)c;                                                                                     \
    roofline_##NAME(s, shape, v, __VA_ARGS__);                                                               \
  }
GENERATE(as_tensor, c->list)
GENERATE(prefix_sum, c->list)
GENERATE(exclusive_prefix_sum, c->list)
GENERATE(chunk_indices, c->list, c->n[0])
GENERATE(token_indices, c->list)
GENERATE(packed_positions, c->list)
GENERATE(chunk_offsets, c->list, c->n[0])
GENERATE(key_windows, c->list, c->n[0], c->n[1], (roofline_window_end)c->n[2])
GENERATE(full, c->list, c->n[0])
GENERATE(topk_ids, seed, c->n[0], c->n[1], c->n[2])
GENERATE(random_ids, seed, c->n[0], c->n[1], c->n[2])
GENERATE(sample_indices, seed, c->n[0], c->n[1])
GENERATE(paged_block_table, seed, c->n[0], c->n[1], c->n[2])
GENERATE(nsa_block_indices, seed, c->list, c->n[0], c->n[1], c->n[2])
GENERATE(nsa_block_counts, seed, c->n[0], c->n[1], c->n[2])
GENERATE(causal_topk_indices, seed, c->n[0], c->n[1], c->n[2], c->n[3], c->n[4], c->n[5], c->n[6])
GENERATE(attn_sparse_topk_positions, seed, c->list, c->n[0], c->n[1])

static const struct {
  const char *name;
  generate *run;
} generators[] = {
    {"as_tensor", g_as_tensor},
    {"prefix_sum", g_prefix_sum},
    {"exclusive_prefix_sum", g_exclusive_prefix_sum},
    {"chunk_indices", g_chunk_indices},
    {"token_indices", g_token_indices},
    {"packed_positions", g_packed_positions},
    {"chunk_offsets", g_chunk_offsets},
    {"key_windows", g_key_windows}, /* third integer: 0 'start', 1 'end' */
    {"full", g_full},
    {"topk_ids", g_topk_ids},
    {"random_ids", g_random_ids},
    {"sample_indices", g_sample_indices},
    {"paged_block_table", g_paged_block_table},
    {"nsa_block_indices", g_nsa_block_indices},
    {"nsa_block_counts", g_nsa_block_counts},
    {"causal_topk_indices", g_causal_topk_indices},
    {"attn.sparse_topk_positions", g_attn_sparse_topk_positions},
};

static char *print_nested(char *out, const roofline_shape *shape, int32_t axis, const int64_t **values) {
  if (axis == shape->rank) return out + sprintf(out, "%lld", (long long)*(*values)++);
  *out++ = '[';
  for (int64_t i = 0; i < shape->dims[axis]; i++) {
    if (i > 0) out += sprintf(out, ", ");
    out = print_nested(out, shape, axis + 1, values);
  }
  *out++ = ']';
  *out = '\0';
  return out;
}

static int64_t items_of(const roofline_shape *shape) {
  int64_t items = 1;
  for (int32_t i = 0; i < shape->rank; i++) items *= shape->dims[i];
  return items;
}

/* The call's values as nested lists, or "!STATUS". Both ways of calling must agree on the shape, and
   nothing may be written behind the values. */
static const char *run(const char *text, uint32_t seed) {
  static char out[1 << 16];
  generator_call call;
  parse_call(text, &call);
  generate *generator = NULL;
  for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
    if (strcmp(generators[i].name, call.name) == 0) generator = generators[i].run;
  if (generator == NULL) fail_msg("no generator '%s'", call.name);

  /* The list at its exact size, so that a sanitizer sees a read behind it. */
  int64_t *list = malloc((size_t)call.list.len * sizeof *list + 1);
  assert_non_null(list);
  memcpy(list, call.items, (size_t)call.list.len * sizeof *list);
  call.list.items = list;
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape, again;
  generator(&status, &shape, NULL, seed, &call);
  int64_t items = status == ROOFLINE_OK ? items_of(&shape) : 0;
  int64_t *values = malloc(((size_t)items + 1) * sizeof *values);
  assert_non_null(values);
  values[items] = INT64_C(0x5ca1ab1e);
  roofline_status second = ROOFLINE_OK;
  generator(&second, &again, values, seed, &call);
  assert_int_equal(values[items], INT64_C(0x5ca1ab1e));
  if (status == ROOFLINE_OK) {
    assert_memory_equal(&shape, &again, sizeof shape);
    status = second;
  }
  const int64_t *next = values;
  if (status == ROOFLINE_OK)
    print_nested(out, &shape, 0, &next);
  else
    (void)sprintf(out, "!%s", roofline_status_name(status));
  free(values);
  free(list);
  return out;
}

/* ---- the vectors ---- */

static const char *const vectors_path = SHARED_DIR "/expected/generators.tsv";

static void test_vectors(void **state) {
  (void)state;
  FILE *file = fopen(vectors_path, "r");
  if (file == NULL) skip();
  static char line[1 << 16];
  int checked = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    char *column[5];
    int columns = 0;
    for (char *p = strtok(line, "\t\n"); p != NULL && columns < 5; p = strtok(NULL, "\t\n"))
      column[columns++] = p;
    if (columns != 5) {
      fail_msg("a line of %d columns", columns);
      break;
    }
    if (strcmp(column[0], "op") == 0) continue;
    uint32_t seed = roofline_generator_seed(column[0], column[1]);
    assert_int_equal(seed, strtoul(column[2], NULL, 10));
    assert_string_equal(run(column[3], seed), column[4]);
    checked++;
  }
  assert_int_equal(fclose(file), 0);
  assert_true(checked >= 13);
}

/* ---- definitions and domains ---- */

typedef struct generator_case {
  const char *call, *values;
} generator_case;

static void check(const generator_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *got = run(cases[i].call, 1);
    if (strcmp(got, cases[i].values) != 0)
      fail_msg("%s gives %s, not %s", cases[i].call, got, cases[i].values);
  }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

static void test_unseeded(void **state) {
  (void)state;
  static const generator_case cases[] = {
      {"as_tensor([3, 0, 5])", "[3, 0, 5]"},
      {"as_tensor([])", "[]"},
      {"as_tensor([3, -1])", "!DOMAIN"},
      {"prefix_sum([3, 0, 5])", "[0, 3, 3, 8]"},
      {"prefix_sum([])", "[0]"},
      {"prefix_sum([-1])", "!DOMAIN"},
      {"prefix_sum([9223372036854775807, 1])", "!OVERFLOW"},
      {"exclusive_prefix_sum([3, 0, 5])", "[0, 3, 3]"},
      {"exclusive_prefix_sum([9223372036854775807, 1])", "[0, 9223372036854775807]"},
      {"exclusive_prefix_sum([])", "!DOMAIN"},
      {"chunk_indices([5, 0, 4], 2)", "[[0, 0], [0, 1], [0, 2], [2, 0], [2, 1]]"},
      {"chunk_indices([], 2)", "[]"},
      {"chunk_indices([5], 0)", "!DOMAIN"},
      {"chunk_indices([9223372036854775807], 1)", "!DOMAIN"}, /* too many items */
      {"chunk_indices([9223372036854775807, 9223372036854775807, 2], 1)", "!OVERFLOW"},
      {"token_indices([2, 3])", "[[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]"},
      {"token_indices([])", "!DOMAIN"},
      {"token_indices([2, 0])", "!DOMAIN"},
      {"packed_positions([2, 3])", "[0, 1, 0, 1, 2]"},
      {"packed_positions([])", "!DOMAIN"},
      {"packed_positions([0])", "!DOMAIN"},
      {"chunk_offsets([5, 0, 4], 2)", "[0, 3, 3, 5]"},
      {"chunk_offsets([], 2)", "[0]"},
      {"chunk_offsets([5], -1)", "!DOMAIN"},
      {"key_windows([2, 0, 3], 0, 5, 0)", "[0, 0, 2, 2, 2]"},
      {"key_windows([2, 0, 3], 1, 3, 0)", "[0, 2, 2]"},
      {"key_windows([2, 0, 3], 1, 3, 1)", "[2, 3, 4]"},
      {"key_windows([2, 3], 5, 0, 0)", "[]"},
      {"key_windows([2, 3], 5, 1, 0)", "!DOMAIN"},
      {"key_windows([2, 3], -1, 1, 0)", "!DOMAIN"},
      {"key_windows([2, 3], 9223372036854775807, 9223372036854775807, 0)", "!DOMAIN"},
      {"full([2, 3], -7)", "[[-7, -7, -7], [-7, -7, -7]]"},
      {"full([], 4)", "4"},
      {"full([0, 9223372036854775807], 4)", "[]"},
      {"full([2, -1], 0)", "!DOMAIN"},
      {"full([4097, 4096], 0)", "!DOMAIN"}, /* one row more than ROOFLINE_MAX_SEQUENCE */
  };
  CHECK(cases);
}

static void test_seeded_domains(void **state) {
  (void)state;
  static const generator_case cases[] = {
      {"topk_ids(2, 0, 4)", "!DOMAIN"},
      {"topk_ids(2, 5, 4)", "!DOMAIN"},
      {"topk_ids(-1, 2, 4)", "!DOMAIN"},
      {"topk_ids(0, 2, 4)", "[]"},
      {"topk_ids(1, 1, 1)", "[[0]]"},
      {"topk_ids(16777217, 1, 4)", "!DOMAIN"},
      {"random_ids(0, 1, 1)", "!DOMAIN"},
      {"random_ids(1, 0, 1)", "!DOMAIN"},
      {"random_ids(1, 1, 0)", "!DOMAIN"},
      {"random_ids(1, 3, 1)", "[[0, 0, 0]]"},
      {"sample_indices(0, 0)", "[]"},
      {"sample_indices(-1, 3)", "!DOMAIN"},
      {"sample_indices(4, 3)", "!DOMAIN"},
      {"paged_block_table(2, 0, 3)", "!DOMAIN"},
      {"paged_block_table(2, 4, 3)", "!DOMAIN"},
      {"nsa_block_indices([3], 0, 1, 1)", "!DOMAIN"},
      {"nsa_block_indices([3], 1, 0, 1)", "!DOMAIN"},
      {"nsa_block_indices([3], 1, 1, 0)", "!DOMAIN"},
      {"nsa_block_indices([3, 0], 1, 1, 1)", "!DOMAIN"},
      {"nsa_block_indices([], 1, 1, 1)", "!DOMAIN"},
      {"nsa_block_indices([2], 9223372036854775807, 2, 1)", "[[[0, 2]], [[0, 2]]]"},
      {"nsa_block_counts(0, 1, 1)", "!DOMAIN"},
      {"nsa_block_counts(1, 0, 1)", "!DOMAIN"},
      {"nsa_block_counts(1, 1, 0)", "!DOMAIN"},
      {"nsa_block_counts(2, 1, 1)", "[[1], [1]]"},
      {"causal_topk_indices(1, 1, 1, 1, 1, 0, 1)", "[[[[0]]]]"},
      {"causal_topk_indices(0, 1, 1, 1, 1, 0, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 0, 1, 1, 1, 0, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 1, 0, 1, 1, 0, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 1, 1, 0, 1, 0, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 1, 1, 1, 1, -1, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 1, 1, 1, 0, 0, 1)", "!DOMAIN"},
      {"causal_topk_indices(1, 1, 1, 1, 1, 0, 0)", "!DOMAIN"},
      {"causal_topk_indices(1, 2, 1, 1, 1, 9223372036854775807, 1)", "!OVERFLOW"},
      {"attn.sparse_topk_positions([1], 2, 1)", "!DOMAIN"},
      {"attn.sparse_topk_positions([1], 1, 0)", "!DOMAIN"},
      {"attn.sparse_topk_positions([1], 1, 3)", "[[[0, -1, -1]]]"},
      {"attn.sparse_topk_positions([], 1, 3)", "[]"},
  };
  CHECK(cases);
}

/* On either side of where CPython's sample changes its algorithm: python3.11, random.Random(99). */
static void test_sample_algorithms(void **state) {
  (void)state;
  static const generator_case cases[] = {
      {"sample_indices(5, 21)", "[12, 20, 6, 5, 7]"},
      {"sample_indices(5, 22)", "[12, 6, 19, 5, 7]"},
      {"sample_indices(6, 85)", "[51, 48, 25, 76, 22, 29]"},
      {"sample_indices(6, 86)", "[51, 48, 25, 76, 22, 29]"},
      {"sample_indices(6, 1000000000000)",
       "[418346900329, 657989313790, 249876053309, 147095892462, 97752929272, 799942602415]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(run(cases[i].call, 99), cases[i].values);
}

/* Properties at sizes no vector has: distinct, ascending, in range, padded, and in time. */
static void test_nsa_at_scale(void **state) {
  (void)state;
  enum { TOKENS = 131072, BLOCK = 64, K = 16 };
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  int64_t *values = malloc(sizeof *values * TOKENS * K);
  assert_non_null(values);
  int64_t lengths[] = {TOKENS - 1000, 1000};
  roofline_nsa_block_indices(&status, &shape, values, 5, roofline_seq_of(lengths, 2), BLOCK, K, 1);
  assert_int_equal(status, ROOFLINE_OK);
  for (int64_t t = 0; t < TOKENS; t++) {
    int64_t j = t < lengths[0] ? t : t - lengths[0], visible = j == 0 ? 1 : (j + BLOCK - 1) / BLOCK;
    const int64_t *row = values + t * K;
    for (int i = 0; i < K; i++) {
      if (i < visible)
        assert_in_range(row[i], 0, visible - 1);
      else
        assert_int_equal(row[i], TOKENS);
      if (i > 0 && i < visible) assert_true(row[i - 1] < row[i]);
    }
  }
  free(values);
}

static void test_sample_is_a_permutation(void **state) {
  (void)state;
  enum { N = 100000 };
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  static int64_t values[N];
  static bool seen[N];
  roofline_sample_indices(&status, &shape, values, 5, N, N);
  assert_int_equal(status, ROOFLINE_OK);
  for (int i = 0; i < N; i++) {
    assert_in_range(values[i], 0, N - 1);
    assert_false(seen[values[i]]);
    seen[values[i]] = true;
  }
}

static void test_largest_result(void **state) {
  (void)state;
  const int64_t dims[] = {4096, ROOFLINE_MAX_SEQUENCE / 4096};
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  roofline_full(&status, &shape, NULL, roofline_seq_of(dims, 2), 0);
  assert_int_equal(status, ROOFLINE_OK);
  assert_int_equal(items_of(&shape), ROOFLINE_MAX_SEQUENCE);
}

static void test_lists_of_runs(void **state) {
  (void)state;
  roofline_status status = ROOFLINE_OK;
  roofline_shape shape;
  int64_t values[5];
  roofline_prefix_sum(&status, &shape, values, roofline_balanced_sizes(&status, 10, 4));
  assert_int_equal(status, ROOFLINE_OK);
  assert_memory_equal(values, ((int64_t[]){0, 3, 6, 8, 10}), sizeof values);
  roofline_prefix_sum(&status, &shape, NULL, roofline_repeat(&status, 1, INT64_C(1000000000000)));
  assert_int_equal(status, ROOFLINE_E_DOMAIN);
}

/* ---- expert layouts ---- */

static const char *const packings[] = {"tight", "aligned"};
static const char *const metadata_kinds[] = {"physical_psum", "per_row"};
static const roofline_adt_field contiguous_fields[] = {
    {"packing", packings, 2}, {"metadata_kind", metadata_kinds, 2}, {"alignment", NULL, 0}};
static const roofline_adt_field masked_fields[] = {{"max_m", NULL, 0}};
static const roofline_adt_ctor layout_ctors[] = {{"contiguous", contiguous_fields, 3},
                                                 {"masked", masked_fields, 1}};
static const roofline_adt_type layout_type = {"MGroupedLayout", layout_ctors, 2};

enum { TIGHT, ALIGNED };
enum { PSUM, PER_ROW };
static roofline_adt contiguous(int64_t packing, int64_t kind, int64_t alignment) {
  return (roofline_adt){&layout_type, 0, {packing, kind, alignment}};
}
static roofline_adt masked(int64_t max_m) { return (roofline_adt){&layout_type, 1, {max_m}}; }

static void test_layout_metadata(void **state) {
  (void)state;
  static const roofline_adt_ctor other_ctors[] = {{"other", NULL, 0}};
  static const roofline_adt_type other_type = {"Other", other_ctors, 1};
  const struct {
    roofline_adt layout;
    int64_t rows, experts;
    const char *values;
  } cases[] = {
      {contiguous(TIGHT, PSUM, 1), 10, 4, "[3, 6, 8, 10]"},
      {contiguous(TIGHT, PSUM, 1), 2, 4, "[1, 2, 2, 2]"},
      {contiguous(TIGHT, PER_ROW, 1), 5, 3, "[0, 0, 1, 1, 2]"},
      {contiguous(ALIGNED, PSUM, 4), 20, 3, "[6, 14, 18]"}, /* tiles 2, 2, 1; starts 0, 8, 16 */
      {contiguous(ALIGNED, PSUM, 4), 4, 3, "[2, 4, 4]"},    /* tiles 1, 0, 0 */
      {contiguous(ALIGNED, PER_ROW, 2), 6, 2, "[0, 0, 0, 0, 1, 1]"},
      {contiguous(ALIGNED, PSUM, 4), 18, 3, "!DOMAIN"},
      {contiguous(ALIGNED, PSUM, 0), 0, 3, "!DOMAIN"},
      {masked(5), 15, 3, "[5, 2, 5]"},
      {masked(5), 14, 3, "!DOMAIN"},
      {masked(5), 0, 0, "!DOMAIN"},
      {masked(INT64_MAX), 0, 3, "!OVERFLOW"},
      {{&other_type, 0, {0}}, 0, 1, "!DOMAIN"},
      {{NULL, 0, {0}}, 0, 1, "!DOMAIN"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    roofline_status status = ROOFLINE_OK;
    roofline_shape shape;
    int64_t values[32];
    const int64_t *next = values;
    char out[256];
    roofline_moe_layout_metadata(&status, &shape, values, &cases[i].layout, cases[i].rows, cases[i].experts);
    if (status == ROOFLINE_OK)
      print_nested(out, &shape, 0, &next);
    else
      (void)sprintf(out, "!%s", roofline_status_name(status));
    assert_string_equal(out, cases[i].values);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_bits),     cmocka_unit_test(test_random_widths),
      cmocka_unit_test(test_vectors),         cmocka_unit_test(test_unseeded),
      cmocka_unit_test(test_seeded_domains),  cmocka_unit_test(test_sample_algorithms),
      cmocka_unit_test(test_nsa_at_scale),    cmocka_unit_test(test_sample_is_a_permutation),
      cmocka_unit_test(test_largest_result),  cmocka_unit_test(test_lists_of_runs),
      cmocka_unit_test(test_layout_metadata),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  FILE *vectors = fopen(vectors_path, "r");
  if (vectors == NULL)
    printf("skipped: %s is absent, no vector was compared\n", vectors_path);
  else
    (void)fclose(vectors);
  return failed != 0 ? 1 : vectors == NULL ? 77 : 0;
}
