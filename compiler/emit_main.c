/* registry.{h,c}, and rows_main.c: the program that prints every workload row. codegen.md §2. */
#include <stdlib.h>

#include "compiler/emit_internal.h"

static int by_name(const void *x, const void *y) {
  return str_cmp((*(const emit_op *const *)x)->e->name, (*(const emit_op *const *)y)->e->name);
}

static const emit_op **sorted_ops(const emitter *em, uint32_t *count) {
  const emit_op **ops = arena_array(em->a, const emit_op *, em->plans->count + 1);
  *count = 0;
  for (uint32_t i = 0; i < em->plans->count; i++) {
    if (em->ops[i].e != NULL) ops[(*count)++] = &em->ops[i];
  }
  return ops;
}

static void put_includes(const emitter *em, out_text *o) {
  for (uint32_t i = 0; i < em->families.n; i++) emit_putf(o, "#include \"$.h\"\n", em->families.v[i]);
}

void emit_registry(emitter *em) {
  uint32_t count;
  const emit_op **ops = sorted_ops(em, &count);
  if (count > 0) qsort(ops, count, sizeof *ops, by_name);
  out_text header, code;
  out_init(&header, em->a);
  out_init(&code, em->a);
  out_put(&header, emit_file_comment(em, "Every operator."));
  emit_open_header(em, &header, STR("registry"), false);
  put_includes(em, &header);
  emit_linef(&header, 0,
             "\n/* Every op, ordered by name, ended by NULL. */\nextern const roofline_op *const $_ops[];\n",
             em->prefix);
  emit_close_header(&header);
  out_put(&code, emit_file_comment(em, "Every operator."));
  emit_linef(&code, 0, "#include \"registry.h\"\n\nconst roofline_op *const $_ops[] = {", em->prefix);
  for (uint32_t i = 0; i < count; i++) emit_linef(&code, 4, "&$_op,", ops[i]->name);
  out_put(&code, STR("    NULL,\n};\n"));
  emit_add_file(em, STR("registry.h"), out_str(&header));
  emit_add_file(em, STR("registry.c"), out_str(&code));
}

/* All but the table of ops. */
static const char *const main_lines[] = {
    "/* One row's columns behind op and case. A status that is not OK prints as !STATUS. */",
    "static void print_row(const listed *l, const roofline_row *row, const roofline_call *call,",
    "                      roofline_status status) {",
    "  const roofline_op *op = l->op;",
    "  roofline_cost cost = {0, 0};",
    "  if (status == ROOFLINE_OK) status = op->eval(call, &cost);",
    "  printf(\"%s\\t%s\\t\", op->name, row->case_id);",
    "  if (status == ROOFLINE_OK) printf(\"%\" PRId64 \"\\t%\" PRId64, cost.flops, cost.bytes);",
    "  else printf(\"!%s\\t!%s\", roofline_status_name(status), roofline_status_name(status));",
    "  printf(\"\\t%s\\t\", op->roof_key(call));",
    "  int64_t bytes = 0;",
    "  if (op->read_bytes == NULL) {",
    "    printf(\"-\\n\");",
    "    return;",
    "  }",
    "  status = op->read_bytes(call, &bytes);",
    "  if (status == ROOFLINE_OK) printf(\"%\" PRId64 \"\\n\", bytes);",
    "  else printf(\"!%s\\n\", roofline_status_name(status));",
    "}",
    "",
    "/* Evaluates a row again and again, for timing; the sum keeps the work from being left out. */",
    "static int64_t repeat_row(const listed *l, const roofline_call *call, long repeat) {",
    "  int64_t sum = 0;",
    "  for (long i = 1; i < repeat; i++) {",
    "    roofline_cost cost = {0, 0};",
    "    if (l->op->eval(call, &cost) == ROOFLINE_OK) sum ^= cost.flops ^ cost.bytes;",
    "  }",
    "  return sum;",
    "}",
    "",
    "static void run_op(const listed *l, long repeat, int64_t *sum) {",
    "  for (int32_t r = 0; r < l->op->row_count; r++) {",
    "    const roofline_row *row = &l->op->rows[r];",
    "    roofline_row_call opened = {row->call, NULL};",
    "    roofline_status status = ROOFLINE_OK;",
    "    if (l->reads_metadata) {",
    "      status = roofline_row_open(l->op, r, &opened);",
    "      if (status != ROOFLINE_OK) opened.call = row->call;",
    "    }",
    "    print_row(l, row, opened.call, status);",
    "    *sum ^= repeat_row(l, opened.call, repeat);",
    "    if (l->reads_metadata && status == ROOFLINE_OK) roofline_row_close(&opened);",
    "  }",
    "}",
    "",
    "/* How many letters differ, whatever their case. */",
    "static size_t distance(const char *a, const char *b) {",
    "  size_t row[256];",
    "  const size_t n = strlen(b);",
    "  if (n >= sizeof row / sizeof *row) return n;",
    "  for (size_t j = 0; j <= n; j++) row[j] = j;",
    "  for (size_t i = 1; *a != '\\0'; a++, i++) {",
    "    size_t least = i, before = row[0];",
    "    row[0] = i;",
    "    for (size_t j = 1; j <= n; j++) {",
    "      const size_t changed = before + (tolower((unsigned char)*a) != tolower((unsigned char)b[j - 1]));",
    "      least = (row[j] < least ? row[j] : least) + 1;",
    "      if (changed < least) least = changed;",
    "      before = row[j];",
    "      row[j] = least;",
    "    }",
    "  }",
    "  return row[n];",
    "}",
    "",
    "/* Is there such a name? If not, says so, with the nearest one when at most a third of its letters "
    "differ. */",
    "static bool is_known(const char *program, const char *what, const char *name, bool of_op) {",
    "  const char *nearest = NULL;",
    "  size_t best = strlen(name) / 3 + 1;",
    "  for (const listed *l = ops; l->op != NULL; l++) {",
    "    const char *known = of_op ? l->op->name : l->op->family;",
    "    if (strcmp(known, name) == 0) return true;",
    "    const size_t far = distance(name, known);",
    "    if (far < best) {",
    "      best = far;",
    "      nearest = known;",
    "    }",
    "  }",
    "  fprintf(stderr, \"%s: no %s '%s'\", program, what, name);",
    "  if (nearest != NULL) fprintf(stderr, \"; did you mean '%s'?\", nearest);",
    "  fputc('\\n', stderr);",
    "  return false;",
    "}",
    "",
    "static int usage(const char *program) {",
    "  fprintf(stderr, \"usage: %s [--op NAME] [--family NAME] [--repeat N]\\n\", program);",
    "  return 2;",
    "}",
    "",
    "int main(int argc, char **argv) {",
    "  const char *op = NULL, *family = NULL;",
    "  long repeat = 1;",
    "  for (int i = 1; i < argc; i += 2) {",
    "    char *end = NULL;",
    "    if (i + 1 >= argc) return usage(argv[0]);",
    "    if (strcmp(argv[i], \"--op\") == 0) op = argv[i + 1];",
    "    else if (strcmp(argv[i], \"--family\") == 0) family = argv[i + 1];",
    "    else if (strcmp(argv[i], \"--repeat\") == 0) {",
    "      repeat = strtol(argv[i + 1], &end, 10);",
    "      if (end == argv[i + 1] || *end != '\\0' || repeat < 1) return usage(argv[0]);",
    "    } else return usage(argv[0]);",
    "  }",
    "  int64_t sum = 0;",
    "  bool any = false;",
    "  for (const listed *l = ops; l->op != NULL; l++) {",
    "    if ((op != NULL && strcmp(op, l->op->name) != 0) || (family != NULL && strcmp(family, "
    "l->op->family) != 0)) continue;",
    "    run_op(l, repeat, &sum);",
    "    any = true;",
    "  }",
    "  if (!any && (op != NULL || family != NULL)) {",
    "    if ((op == NULL || is_known(argv[0], \"op\", op, true)) &&",
    "        (family == NULL || is_known(argv[0], \"family\", family, false)))",
    "      fprintf(stderr, \"%s: the op '%s' is not of the family '%s'\\n\", argv[0], op, family);",
    "    return 2;",
    "  }",
    "  if (repeat > 1) fprintf(stderr, \"repeated %ld times, xor of all numbers %\" PRId64 \"\\n\", repeat, "
    "sum);",
    "  if (fflush(stdout) != 0 || ferror(stdout)) {",
    "    fprintf(stderr, \"%s: cannot write standard output\\n\", argv[0]);",
    "    return 2;",
    "  }",
    "  return 0;",
    "}",
};

void emit_rows_main(emitter *em) {
  uint32_t count;
  const emit_op **ops = sorted_ops(em, &count);
  out_text o;
  out_init(&o, em->a);
  out_put(&o,
          emit_file_comment(em, "Prints every workload row: op, case, flops, bytes, roof key, bytes read."));
  out_put(&o, STR("#include <ctype.h>\n#include <inttypes.h>\n#include <stdio.h>\n#include "
                  "<stdlib.h>\n#include <string.h>\n\n"));
  put_includes(em, &o);
  out_put(&o,
          STR("\n/* In manifest order. A formula written by hand may read metadata: its rows are opened. */\n"
              "typedef struct listed {\n  const roofline_op *op;\n  bool reads_metadata;\n} listed;\n"
              "static const listed ops[] = {\n"));
  for (uint32_t i = 0; i < count; i++) {
    const bool reads = ops[i]->has_metadata && (emit_calls_formula(ops[i]) || emit_is_overridden(ops[i]));
    emit_linef(&o, 4, "{&$_op, %s},", ops[i]->name, reads ? "true" : "false");
  }
  out_put(&o, STR("    {NULL, false},\n};\n\n"));
  for (size_t i = 0; i < sizeof main_lines / sizeof *main_lines; i++) emit_putf(&o, "%s\n", main_lines[i]);
  emit_add_file(em, STR("rows_main.c"), out_str(&o));
}
