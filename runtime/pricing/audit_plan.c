/* `roofline audit plan`: which rows to measure. For each op, of every branch and dtype its largest row, and
   of those the six largest. docs/audit.md. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/audit.h"
#include "runtime/pricing/commands.h"
#include "runtime/src/field.h"
#include "text/output.h"

static const char summary[] =
    "Chooses rows to measure from a library of generated operators: of each op at most six, the largest of\n"
    "every branch (which tensors and parameters are given, bools, enums, constructors) and dtype. The plan\n"
    "names a profile for each row; follow it, then give it to `roofline audit --map`.\n"
    "\nExample, with a benchmark that runs one row:\n"
    "  roofline audit plan > plan.tsv\n"
    "  tail -n +2 plan.tsv | while IFS=$'\\t' read -r op case csv rest; do\n"
    "    ncu --csv --metrics dram__bytes_read.sum,dram__bytes_write.sum ./bench \"$op\" \"$case\" > "
    "\"$csv\"\n"
    "  done\n"
    "  roofline audit --records records.jsonl --map plan.tsv";

typedef struct planned {
  const roofline_op *op;
  const roofline_row *row;
  const char *csv;      /* where its profile goes */
  int64_t bytes, reads; /* ROOFLINE_ABSENT: not known, not declared */
  const char *branch, *dtypes;
} planned;
typedef VEC(planned) plan_rows;

/* ---- a row's branch ---- */

static void word(out_text *o, const char *name) { out_printf(o, "%s%s=", out_str(o).n > 0 ? " " : "", name); }

static void put_adt(out_text *o, const roofline_adt *v) {
  if (v->type == NULL) {
    out_put(o, STR("None"));
    return;
  }
  const roofline_adt_ctor *ctor = &v->type->ctors[v->ctor];
  out_printf(o, "%s(", ctor->name);
  for (int32_t i = 0, shown = 0; i < ctor->field_count; i++) {
    const roofline_adt_field *f = &ctor->fields[i];
    bool known = f->values != NULL && v->fields[i] >= 0 && v->fields[i] < f->value_count;
    if (known) out_printf(o, "%s%s='%s'", shown++ > 0 ? ", " : "", f->name, f->values[v->fields[i]]);
  }
  out_put(o, STR(")"));
}

/* What of a field decides a branch, or a dtype. A size decides neither. */
static void put_field(const roofline_field *f, const void *at, out_text *branch, out_text *dtypes) {
  roofline_value v = field_value(f, at);
  bool may_be_absent = f->kind == ROOFLINE_FIELD_VALUE;
  if (f->kind == ROOFLINE_FIELD_ADT) {
    word(branch, f->name);
    put_adt(branch, at);
  } else if (f->kind == ROOFLINE_FIELD_DTYPE || v.tag == ROOFLINE_TAG_DTYPE) {
    word(dtypes, f->name);
    out_put(dtypes, str_of(roofline_dtype_name(v.u.t)));
  } else if (v.tag == ROOFLINE_TAG_BOOL) {
    word(branch, f->name);
    out_put(branch, v.u.b ? STR("True") : STR("False"));
  } else if (v.tag == ROOFLINE_TAG_STRING) {
    word(branch, f->name);
    out_printf(branch, "'%s'", v.u.s);
  } else if (v.tag == ROOFLINE_TAG_NONE || may_be_absent) {
    word(branch, f->name);
    out_put(branch, v.tag == ROOFLINE_TAG_NONE ? STR("None") : STR("given"));
  }
}

static void describe(arena *a, planned *p) {
  const roofline_op *op = p->op;
  out_text branch, dtypes;
  out_init(&branch, a);
  out_init(&dtypes, a);
  for (int32_t i = 0; i < op->index_count; i++)
    if (op->indices[i].kind == ROOFLINE_FIELD_DTYPE)
      put_field(&op->indices[i], at_offset(p->row->call, (ptrdiff_t)op->indices[i].offset), &branch, &dtypes);
  for (int32_t i = 0; i < op->param_count; i++)
    put_field(&op->params[i], at_offset(p->row->call, (ptrdiff_t)op->params[i].offset), &branch, &dtypes);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    if (op->tensors[i].present_offset == ROOFLINE_NOWHERE) continue;
    word(&branch, op->tensors[i].name);
    out_put(&branch, tensor_present(p->row->call, i) ? STR("given") : STR("None"));
  }
  p->branch = arena_cstr(a, out_str(&branch));
  p->dtypes = arena_cstr(a, out_str(&dtypes));
}

/* A plan is about sizes, so it is the one thing here that evaluates. */
static void measure(planned *p, int32_t row) {
  roofline_row_call open;
  roofline_cost cost;
  p->bytes = p->reads = ROOFLINE_ABSENT;
  if (roofline_row_open(p->op, row, &open) != ROOFLINE_OK) return;
  if (roofline_eval(open.call, &cost) == ROOFLINE_OK) p->bytes = cost.bytes;
  int64_t reads;
  if (p->op->read_bytes != NULL && p->op->read_bytes(open.call, &reads) == ROOFLINE_OK) p->reads = reads;
  roofline_row_close(&open);
}

/* ---- the choice ---- */

static int by_size(const void *left, const void *right) {
  const planned *a = left, *b = right;
  if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row; /* in the manifest's order */
}

static void plan_op(arena *a, const roofline_op *op, uint32_t per_op, plan_rows *out) {
  audit_index index = {0};
  plan_rows best = {0};
  for (int32_t i = 0; i < op->row_count; i++) {
    planned p = {.op = op, .row = &op->rows[i]};
    bool added;
    describe(a, &p);
    measure(&p, i);
    str key = arena_printf(a, "%s\n%s", p.branch, p.dtypes);
    uint32_t at = audit_index_add(a, &index, key, &added);
    if (added)
      vec_push(a, &best, p);
    else if (p.bytes > best.v[at].bytes)
      best.v[at] = p;
  }
  if (best.n > 0) qsort(best.v, best.n, sizeof *best.v, by_size);
  for (uint32_t i = 0; i < best.n && i < per_op; i++) vec_push(a, out, best.v[i]);
}

/* "GemmFwdOp.square-float16.csv", of characters that mean nothing to a shell. */
static void name_profiles(arena *a, plan_rows *rows) {
  audit_index index = {0};
  for (uint32_t i = 0; i < rows->n; i++) {
    planned *p = &rows->v[i];
    char *name = arena_cstr(a, arena_printf(a, "%s.%s", p->op->name, p->row->case_id));
    for (char *c = name; *c != '\0'; c++) {
      bool safe = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
      if (!safe && strchr("._-", *c) == NULL) *c = '_';
    }
    bool added;
    audit_index_add(a, &index, str_of(name), &added);
    p->csv = added ? arena_printf(a, "%s.csv", name).p : arena_printf(a, "%s.%u.csv", name, i).p;
  }
}

/* ---- output ---- */

static void tsv_amount(writer *w, int64_t n) {
  writer_literal(w, "\t");
  if (n != ROOFLINE_ABSENT) writer_integer(w, n);
}

static void put_tsv(const plan_rows *rows, writer *w) {
  writer_literal(w, "op\tcase\tcsv\tbytes\tread_bytes\tbranch\tdtypes\n");
  for (uint32_t i = 0; i < rows->n; i++) {
    const planned *p = &rows->v[i];
    const char *names[] = {p->op->name, "\t", p->row->case_id, "\t", p->csv};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) writer_text(w, names[k]);
    tsv_amount(w, p->bytes);
    tsv_amount(w, p->reads);
    writer_literal(w, "\t");
    writer_text(w, p->branch);
    writer_literal(w, "\t");
    writer_text(w, p->dtypes);
    writer_literal(w, "\n");
  }
}

static void json_member(writer *w, const char *key, const char *text) {
  writer_printf(w, "%s\"%s\": ", strcmp(key, "op") == 0 ? "{" : ", ", key);
  writer_json(w, text);
}

static void json_amount(writer *w, const char *key, int64_t n) {
  writer_printf(w, ", \"%s\": ", key);
  if (n == ROOFLINE_ABSENT)
    writer_literal(w, "null");
  else
    writer_integer(w, n);
}

static void put_json(const plan_rows *rows, writer *w) {
  writer_printf(w, "{\"version\": 1, \"metrics\": [\"%s\", \"%s\"],\n\"rows\": [",
                audit_metric_names[AUDIT_READ], audit_metric_names[AUDIT_WRITE]);
  for (uint32_t i = 0; i < rows->n; i++) {
    const planned *p = &rows->v[i];
    writer_text(w, i > 0 ? ",\n" : "\n");
    json_member(w, "op", p->op->name);
    json_member(w, "case", p->row->case_id);
    json_member(w, "csv", p->csv);
    json_amount(w, "bytes", p->bytes);
    json_amount(w, "read_bytes", p->reads);
    json_member(w, "branch", p->branch);
    json_member(w, "dtypes", p->dtypes);
    writer_literal(w, "}");
  }
  writer_literal(w, "]}\n");
}

/* ---- the command ---- */

static bool plan_all(arena *a, const roofline_op *const *ops, const arg_texts *wanted, uint32_t per_op,
                     plan_rows *rows) {
  for (uint32_t i = 0; i < wanted->n; i++) {
    const roofline_op *op = roofline_op_find(ops, wanted->v[i]);
    if (op == NULL) {
      VEC(str) names = {0};
      for (const roofline_op *const *o = ops; *o != NULL; o++) vec_push(a, &names, str_of((*o)->name));
      str near = diag_nearest(str_of(wanted->v[i]), names.v, names.n);
      fprintf(stderr, "roofline audit plan: no op '%s'", wanted->v[i]);
      if (near.n > 0) fprintf(stderr, "; did you mean '%.*s'?", STR_ARG(near));
      fputc('\n', stderr);
      return false;
    }
    plan_op(a, op, per_op, rows);
  }
  for (; wanted->n == 0 && *ops != NULL; ops++) plan_op(a, *ops, per_op, rows);
  name_profiles(a, rows);
  return true;
}

static int run(arena *a, const char *library, const char *prefix, const arg_texts *wanted, uint32_t per_op,
               uint32_t format) {
  str why = {0};
  plan_rows rows = {0};
  const roofline_op *const *ops = audit_ops_open(a, library, prefix, &why);
  if (ops == NULL) {
    fprintf(stderr, "roofline audit plan: %.*s\n", STR_ARG(why));
    return EXIT_USAGE;
  }
  if (!plan_all(a, ops, wanted, per_op, &rows)) return EXIT_USAGE;
  writer *w = arena_new_of(a, writer);
  w->file = stdout;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, with its exit status */
  if (format == 0)
    put_tsv(&rows, w);
  else
    put_json(&rows, w);
  writer_flush(w);
  if (fflush(stdout) != 0 && w->error == 0) w->error = errno;
  if (w->error != 0 && w->error != EPIPE)
    fprintf(stderr, "roofline audit plan: cannot write the plan: %s\n", strerror(w->error));
  return w->error == 0 ? EXIT_HEALTHY : EXIT_USAGE;
}

int audit_plan_main(int argc, char **argv) {
  arena *a = arena_new();
  arg_texts wanted = {0};
  const char *library = NULL, *prefix = "roofline";
  uint32_t per_op = 6, format = 0;
  const arg_option options[] = {
      {.name = "ops",
       .value = "LIBRARY",
       .text = &library,
       .help = "shared library of generated operators; else ROOFLINE_OPS, else the shipped one"},
      {.name = "prefix",
       .value = "NAME",
       .text = &prefix,
       .help = "what its symbols start with, as given to 'rooflinec emit' (default roofline)"},
      {.name = "per-op",
       .value = "N",
       .number = &per_op,
       .min = 1,
       .max = UINT32_MAX,
       .help = "at most N rows of an op"},
      {.name = "format",
       .letter = 'f',
       .value = "tsv|json",
       .choice = &format,
       .help = "how to write the plan (default tsv)"},
  };
  const arg_command command = {.name = "roofline audit plan",
                               .summary = summary,
                               .operands = "[OP...]",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
  arg_result parsed = args_parse(a, &command, argc, argv, &wanted);
  int status = parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  if (parsed == ARGS_OK) status = run(a, library, prefix, &wanted, per_op, format);
  arena_free(a);
  return status;
}
