/* Random well-kinded expressions over random values, for test_random_expressions.sh.

   random_expressions write SEED COUNT TYPES     prints a manifest of COUNT operators whose flops formulas
                                                 are random, each with a few workload rows
   random_expressions compare MANIFEST TYPES     reads what the generated C says of every row from standard
                                                 input, and compares it with what the folder says

   The folder of the compiler (compiler/fold.c) and generated C are two implementations of the same
   expressions. Where an evaluation fails, both must, and for the same reason when there is but one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/fold.h"
#include "compiler/manifest.h"
#include "text/diag_render.h"

/* ---- random numbers: splitmix64, so that a seed means the same everywhere ---- */

static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)(next_random(state) % n); }

/* ---- the expressions ---- */

/* What each kind of expression may be; `$K` is an expression of kind K. Kinds: I Int, B Bool, Q Seq[Int],
   A axes, D a dtype in a comparison, N a number, S Shape; V and W are I and B where `v` is a loop's
   variable. A leaf ends what is nested deep enough. */
typedef struct rule {
  char kind;
  bool leaf;
  const char *text;
  uint32_t lets; /* how many lets stand before what reads it */
} rule;

static const rule rules[] = {
    {'I', true, "M", 0},
    {'I', true, "N", 0},
    {'I', true, "i", 0},
    {'I', true, "j", 0},
    {'I', true, "#", 0},
    {'I', true, "len(S)", 0},
    {'I', true, "len(q)", 0},
    {'I', true, "p[1]", 0},
    {'I', true, "low", 1},
    {'I', false, "$I + $I", 0},
    {'I', false, "$I - $I", 0},
    {'I', false, "$I * $I", 0},
    {'I', false, "$I // $I", 0},
    {'I', false, "$I % $I", 0},
    {'I', false, "$I + $I * $I - $I", 0},
    {'I', false, "-$I", 0},
    {'I', false, "$I if $B else $I", 0},
    {'I', false, "$I if mode in ('up', 'flat') else $I", 0},
    {'I', false, "maybe if present(maybe) else $I", 0},
    {'I', false, "maybe.value * $I if present(maybe) and $B else $I", 0},
    {'I', false, "$I if not present(maybe) or $B else maybe - $I", 0},
    {'I', false, "maybe + $I if maybe == 3 else $I", 0},
    {'I', false, "layout.max_m if layout.kind == 'masked' else layout.alignment", 0},
    {'I', false, "$Q[$I]", 0},
    {'I', false, "S[$I]", 0},
    {'I', false, "len($Q)", 0},
    {'I', false, "prod($Q)", 0},
    {'I', false, "sum($Q)", 0},
    {'I', false, "max($Q, default=$I)", 0},
    {'I', false, "min($Q, $I)", 0},
    {'I', false, "max($Q)", 0},
    {'I', false, "sum($V for v in $Q)", 0},
    {'I', false, "max(($V for v in $Q), default=$I)", 0},
    {'I', false, "min($V for v in $Q)", 0},
    {'I', false, "sum($V for v in ($I, $I))", 0},
    {'I', false, "ceil_div($I, $I)", 0},
    {'I', false, "per_axis(any, $I, 2, fallback=$I)", 0},
    {'I', false, "per_axis(some_none, $I, len(some_none))", 0},
    {'I', false, "per_axis($I, $I, $I)", 0},
    {'I', false, "conv.out($I, $I, $I, $I, $I)", 0},
    {'I', false, "pool.out($I, $I, $I, $I, $I, $B)", 0},
    {'I', false, "moe.capacity(layout, $I, $I)", 0},
    {'I', false, "mhc.expansion($I)", 0},
    {'B', true, "b", 0},
    {'B', true, "c", 0},
    {'B', true, "present(z)", 0},
    {'B', true, "mode == 'up'", 0},
    {'B', true, "mode != 'flat'", 0},
    {'B', true, "maybe == 7", 0},
    {'B', true, "high", 3},
    {'B', false, "not $B", 0},
    {'B', false, "$B and $B", 0},
    {'B', false, "$B or $B", 0},
    {'B', false, "$B or $B and not $B", 0},
    {'B', false, "$B if $B else $B", 0},
    {'B', false, "$I < $I", 0},
    {'B', false, "$I == $I", 0},
    {'B', false, "0 <= $I < $I", 0},
    {'B', false, "$I != $I >= $I", 0},
    {'B', false, "$I in (1, $I, 7)", 0},
    {'B', false, "$I not in (0, 3)", 0},
    {'B', false, "$N < $N", 0},
    {'B', false, "$N >= f * 2.0", 0},
    {'B', false, "$D == 'float32'", 0},
    {'B', false, "$D in ('float16', 'float32')", 0},
    {'B', false, "$Q == $Q", 0},
    {'B', false, "$Q < $Q", 0},
    {'B', true, "any == 0", 0},
    {'B', true, "any != (1, 1)", 0},
    {'B', false, "valid_axes($A, $I)", 0},
    {'B', false, "unique_axes($A, $I)", 0},
    {'B', false, "all($W for v in $Q)", 0},
    {'B', false, "all(($B, $B, $B))", 0},
    {'B', false, "representable($N, T)", 0},
    {'B', false, "category($N) == 'int'", 0},
    {'B', false, "category(T) != 'float'", 0},
    {'B', false, "layout.kind == 'contiguous' and layout.packing == 'tight'", 0},
    {'Q', true, "q", 0},
    {'Q', true, "p", 0},
    {'Q', true, "S", 0},
    {'Q', true, "pair", 2},
    {'Q', false, "($I, $I, $I)", 0},
    {'Q', false, "$Q[$I:$I]", 0},
    {'Q', false, "$Q[1:]", 0},
    {'Q', false, "$Q[:-1]", 0},
    {'Q', false, "balanced_sizes($I, $I)", 0},
    {'Q', false, "repeat($I, $I)", 0},
    {'Q', false, "$Q if $B else $Q", 0},
    {'Q', false, "$S", 0},
    {'S', true, "S", 0},
    {'S', false, "broadcast(S, $S)", 0},
    {'S', false, "reduced(S, $A, $B, 'full')", 0},
    {'S', false, "reduced($S, $A, $B, 'noop')", 0},
    {'S', false, "reduced(S, $A, $B, 'reject')", 0},
    {'A', true, "axes", 0},
    {'A', true, "any", 0},
    {'A', false, "$I", 0},
    {'A', false, "$Q", 0},
    {'D', true, "T", 0},
    {'D', false, "promote_int_to_float(T)", 0},
    {'D', false, "coalesce_dtype(made, T)", 0},
    {'N', true, "f", 0},
    {'N', true, "g", 0},
    {'N', true, "1.5", 0},
    {'N', false, "$I", 0},
    {'N', false, "f * $N", 0},
    {'N', false, "g - $N", 0},
    {'N', false, "g // $I", 0},
    {'V', true, "v", 0},
    {'V', false, "v * $I", 0},
    {'V', false, "$V + $V", 0},
    {'V', false, "$V if $W else $I", 0},
    {'V', false, "ceil_div($V, $I)", 0},
    {'W', true, "v > 0", 0},
    {'W', false, "$V < $I", 0},
    {'W', false, "$B and $V != 3", 0},
};
enum { RULES = sizeof rules / sizeof *rules, DEEPEST = 4 };

static const char *const literals[] = {"0", "1", "2", "3", "7", "64", "1_000", "0x7fffffff"};

static const rule *pick(uint64_t *random, char wanted, uint32_t depth, uint32_t lets) {
  const rule *fit[RULES];
  uint32_t n = 0;
  for (uint32_t i = 0; i < RULES; i++)
    if (rules[i].kind == wanted && (depth < DEEPEST || rules[i].leaf) && rules[i].lets <= lets)
      fit[n++] = &rules[i];
  return fit[below(random, n)];
}

static void put_expression(out_text *o, uint64_t *random, char wanted, uint32_t depth, uint32_t lets) {
  const rule *r = pick(random, wanted, depth, lets);
  out_put(o, r->leaf ? STR("") : STR("("));
  for (const char *p = r->text; *p != '\0'; p++) {
    if (*p == '$')
      put_expression(o, random, *++p, depth + 1, lets);
    else if (*p == '#')
      out_printf(o, "%s", literals[below(random, sizeof literals / sizeof *literals)]);
    else
      out_put(o, (str){p, 1});
  }
  out_put(o, r->leaf ? STR("") : STR(")"));
}

static str expression(arena *a, uint64_t *random, char wanted, uint32_t lets) {
  out_text o;
  out_init(&o, a);
  put_expression(&o, random, wanted, 0, lets);
  return out_str(&o);
}

/* ---- entries ---- */

static const char *choose(uint64_t *random, const char *const *of) {
  uint32_t n = 0;
  while (of[n] != NULL) n++;
  return of[below(random, n)];
}

/* Small values mostly: what overflows at once shows nothing else. */
static void put_row(out_text *o, uint64_t *random, uint32_t number) {
  static const char *const dims[] = {"0", "1", "2", "3", "4", "7", "16", "4096", "46341", NULL};
  static const char *const integers[] = {
      "0", "1", "2", "3", "-1", "5", "-7", "1000", "4294967296", "-9223372036854775807", NULL};
  static const char *const maybes[] = {"null", "3", "7", "-2", NULL}, *const bools[] = {"true", "false",
                                                                                        NULL};
  static const char *const lists[] = {"[]", "[1]", "[0, -1]", "[2, 3, 4]", "[5, 1, 1, 2]", NULL};
  static const char *const pairs[] = {"[1, 2]", "[0, 0]", "[-3, 9]", "[4, 9223372036854775807]", NULL};
  static const char *const any[] = {"null", "0", "-2", "[0, 1]", "[1, 1]", "[6, -6]", NULL};
  static const char *const holes[] = {"[null, 2]", "[1, null]", "[null, null]", "[4, 5]", NULL};
  static const char *const axes[] = {"null", "0", "-1", "[]", "[0, 1]", "[0, -2]", "5", NULL};
  static const char *const floats[] = {"0.0", "1.5", "-2.25", "1.0e+300", "65504.0", "3.0", NULL};
  static const char *const numbers[] = {"0", "2", "-3", "0.5", "1.0e+10", NULL};
  static const char *const modes[] = {"up", "down", "flat", NULL};
  static const char *const made[] = {"null", "float32", "int8", NULL};
  static const char *const layouts[] = {
      "{masked: {max_m: 5}}", "{contiguous: {packing: tight, metadata_kind: per_row, alignment: 1}}",
      "{contiguous: {packing: aligned, metadata_kind: physical_psum, alignment: 16}}", NULL};
  static const char *const shapes[] = {"[]", "[3]", "[2, 1]", "[4, 5, 1]", "[1, 1]", NULL};
  static const char *const dtypes[] = {"float16", "float32", "int32", "uint8", NULL};
  const char *dtype = choose(random, dtypes);
  out_printf(o, "  - {M: %s, N: %s, S: %s, i: %s, j: %s, b: %s, c: %s, mode: %s, maybe: %s,\n",
             choose(random, dims), choose(random, dims), choose(random, shapes), choose(random, integers),
             choose(random, integers), choose(random, bools), choose(random, bools), choose(random, modes),
             choose(random, maybes));
  out_printf(o, "     made: %s, q: %s, p: %s, any: %s, some_none: %s, axes: %s, f: %s, g: %s,\n",
             choose(random, made), choose(random, lists), choose(random, pairs), choose(random, any),
             choose(random, holes), choose(random, axes), choose(random, floats), choose(random, numbers));
  out_printf(o, "     layout: %s%s, dtype_cases: [{T: %s}], label: row-%u}\n", choose(random, layouts),
             number % 2 == 0 ? ", some: [z]" : "", dtype, number);
}

static str entry_text(arena *a, uint64_t *random, uint32_t number) {
  enum { ROWS = 12 };
  out_text o;
  out_init(&o, a);
  out_printf(&o, "Random%uFwdOp:\n", number);
  out_put(&o, STR("  family: random\n"
                  "  status: implemented\n"
                  "  signature:\n"
                  "    forall: {M: Dim, N: Dim, S: Shape, T: \"DType[float16 | float32 | int32 | uint8]\"}\n"
                  "    params:\n"
                  "      i: {type: int}\n"
                  "      j: {type: int}\n"
                  "      b: {type: bool}\n"
                  "      c: {type: bool}\n"
                  "      mode: {type: \"'up' | 'down' | 'flat'\"}\n"
                  "      maybe: {type: \"int | None\"}\n"
                  "      made: {type: \"float32 | int8 | None\"}\n"
                  "      q: {type: \"list[int]\"}\n"
                  "      p: {type: \"tuple[int, int]\"}\n"
                  "      any: {type: \"int | tuple[int, int] | None\"}\n"
                  "      some_none: {type: \"tuple[int | None, int | None]\"}\n"
                  "      axes: {type: \"int | list[int] | None\"}\n"
                  "      f: {type: float}\n"
                  "      g: {type: Number}\n"
                  "      layout: {type: Layout}\n"
                  "    inputs:\n"
                  "      x: {dtype: T, shape: \"[M, N]\"}\n"
                  "      y: {dtype: T, shape: \"[*S]\"}\n"
                  "      z: {dtype: T, shape: \"[M]\", optional: true}\n"
                  "    outputs:\n"
                  "      r: {dtype: T, shape: \"[M]\"}\n"));
  const str low = expression(a, random, 'I', 0), pair = expression(a, random, 'Q', 1);
  const str high = expression(a, random, 'B', 2), flops = expression(a, random, 'I', 3);
  out_printf(&o, "    let:\n      low: \"%.*s\"\n      pair: \"%.*s\"\n      high: \"%.*s\"\n", STR_ARG(low),
             STR_ARG(pair), STR_ARG(high));
  out_put(&o, STR("  workloads:\n"));
  for (uint32_t i = 0; i < ROWS; i++) put_row(&o, random, i);
  out_printf(&o, "  roofline:\n    flops: \"%.*s\"\n    bytes: \"0\"\n", STR_ARG(flops));
  return out_str(&o);
}

/* ---- what the checker says of one ---- */

static adt_table read_types(arena *a, const char *path) {
  adt_table adts = {0};
  diag_sink *sink = diag_sink_new(a);
  str why;
  bool empty;
  source *src = source_read(a, path, 1 << 20, &why);
  const yt_node *root = src == NULL ? NULL : yt_parse(a, sink, src, &yt_default_limits, &empty);
  if (root == NULL) exit(2);
  entry_read_adts(a, sink, &parse_default_limits, &(manifest_file){src, root, true}, 1, &adts);
  return adts;
}

/* A rule makes well-kinded expressions, but not sound ones. Refused where they stand: a part of constants
   that fails (7 // 0), an index past a tuple's length, a comparison that can never
   hold with what a guard around it left. */
static bool refused_rightly(diag_code code) {
  return code == EVALUATION_FAILS || code == INDEX_OUT_OF_RANGE || code == NEVER_MATCHES ||
         code == NOT_COMPARABLE;
}

static bool is_sound(arena *a, const adt_table *adts, str text) {
  diag_sink *sink = diag_sink_new(a);
  bool empty;
  uint32_t cases = 0, count;
  const source *src = source_from_text(a, "random.yaml", text);
  const yt_node *root = yt_parse(a, sink, src, &yt_default_limits, &empty);
  entry *e = entry_read(a, sink, &parse_default_limits, adts, src, root->u.items[0], root->u.items[1]);
  arena *scratch = arena_new();
  analysis_run(a, scratch, sink, &analysis_default_options, adts, e, &cases);
  arena_free(scratch);
  diag *const *all = diag_all(sink, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (all[i]->severity != DIAG_ERROR || refused_rightly(all[i]->code)) continue;
    diag_print(sink, stderr, &(diag_options){.max_errors = 5});
    fprintf(stderr, "random_expressions: a well-kinded expression is refused\n");
    exit(1);
  }
  return diag_errors(sink) == 0;
}

static int write_manifest(uint64_t seed, uint32_t wanted, const char *types) {
  arena *keep = arena_new(), *a = arena_new();
  const adt_table adts = read_types(keep, types);
  uint32_t tried = 0;
  for (uint32_t written = 0; written < wanted && tried < 20 * wanted; tried++) {
    const str text = entry_text(a, &seed, written);
    if (is_sound(a, &adts, text)) {
      fwrite(text.p, 1, text.n, stdout);
      written++;
    }
    arena_reset(a);
  }
  arena_free(a);
  arena_free(keep);
  fprintf(stderr, "%u entries of %u are sound\n", wanted, tried);
  return tried < 20 * wanted ? 0 : 1;
}

/* ---- what the folder says of every row ---- */

typedef struct verdict {
  str op, case_id;
  value v;                /* an integer, or unknown: */
  roofline_status status; /* the first failure */
  bool one_reason;        /* no other part fails as well: C evaluates arguments in any order */
  bool too_long;          /* more steps than a judgement may take */
  const entry *e;
} verdict;
typedef VEC(verdict) verdicts;

static void fold_rows(arena *a, const plan *p, verdicts *out) {
  for (uint32_t k = 0; k < p->row_count; k++) {
    const entry *e = p->entry;
    diag_sink *sink = diag_sink_new(a);
    fold c = fold_new(a, sink, e);
    for (uint32_t i = 0; i < e->index_count; i++) c.slots[e->indices[i].symbol] = p->rows[k].indices[i];
    for (uint32_t i = 0; i < e->param_count; i++) c.slots[e->parameters[i].symbol] = p->rows[k].params[i];
    for (uint32_t i = 0; i < e->tensor_count; i++)
      c.slots[e->tensors[i].symbol] = value_bool(p->rows[k].present[i]);
    verdict x = {.op = e->name, .case_id = p->rows[k].case_id, .e = e};
    x.v = fold_formula(&c, &e->flops);
    x.status = c.status;
    x.one_reason = diag_count(sink, DIAG_ERROR) <= 1;
    x.too_long = c.exhausted != NULL;
    vec_push(a, out, x);
  }
}

static bool agrees(const verdict *x, const char *printed) {
  char wanted[40];
  if (x->v.tag == V_INT && x->status == ROOFLINE_OK) {
    snprintf(wanted, sizeof wanted, "%" PRId64, x->v.u.i);
  } else {
    if (x->status == ROOFLINE_OK) return false; /* neither a value nor a reason */
    if (!x->one_reason) return strcmp(printed, "!DOMAIN") == 0 || strcmp(printed, "!OVERFLOW") == 0;
    snprintf(wanted, sizeof wanted, "!%s", roofline_status_name(x->status));
  }
  return strcmp(printed, wanted) == 0;
}

static void show(const verdict *x, const char *printed) {
  printf("%.*s %.*s: generated C says %s, the folder ", STR_ARG(x->op), STR_ARG(x->case_id), printed);
  if (x->v.tag == V_INT)
    printf("%" PRId64 "\n", x->v.u.i);
  else
    printf("!%s\n", roofline_status_name(x->status));
  for (uint32_t i = 0; i < x->e->let_count; i++)
    printf("  %.*s = %.*s\n", STR_ARG(x->e->lets[i].name), STR_ARG(yt_text(x->e->lets[i].formula.text.node)));
  printf("  flops = %.*s\n", STR_ARG(yt_text(x->e->flops.text.node)));
}

/* Lines of rows_main: op, case, flops, ... in the order of the manifest. */
static int compare(const char *const *paths) {
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  const emit_definitions none = {0};
  manifest_options options = {.paths = paths,
                              .path_count = 2,
                              .yaml = yt_default_limits,
                              .parse = parse_default_limits,
                              .analysis = analysis_default_options,
                              .definitions = &none};
  options.analysis.want_rows = true;
  manifest m;
  manifest_analyse(a, sink, &options, &m);
  verdicts all = {0};
  for (uint32_t i = 0; i < m.plans.count; i++) fold_rows(a, &m.plans.plans[i], &all);
  uint32_t line = 0, different = 0, failing = 0, skipped = 0;
  char text[512];
  for (; fgets(text, sizeof text, stdin) != NULL && line < all.n; line++) {
    const char *op = strtok(text, "\t"), *case_id = strtok(NULL, "\t"), *flops = strtok(NULL, "\t");
    const verdict *x = &all.v[line];
    if (flops == NULL || !str_is(x->op, op) || !str_is(x->case_id, case_id)) break;
    failing += *flops == '!';
    skipped += x->too_long;
    if (x->too_long || agrees(x, flops)) continue;
    if (different++ < 10) show(x, flops);
  }
  printf("%u rows, %u of them fail; %u take the folder too many steps; %u differ\n", line, failing, skipped,
         different);
  const bool whole = line == all.n && line > 0 && feof(stdin) != 0;
  if (!whole) printf("the rows of the program are not those of the manifest\n");
  /* Values and failures must both be there to compare. */
  const bool telling = failing * 20 > line && (line - failing) * 5 > line && skipped * 20 < line;
  if (!telling) printf("too few rows tell anything\n");
  arena_free(a);
  return whole && telling && different == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "write") == 0)
    return write_manifest(strtoull(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10), argv[4]);
  if (argc == 4 && strcmp(argv[1], "compare") == 0) return compare((const char *const *)(argv + 2));
  fprintf(stderr, "usage: random_expressions write SEED COUNT TYPES | compare MANIFEST TYPES\n");
  return 2;
}
