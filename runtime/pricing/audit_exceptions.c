/* The exceptions file: per op, on which rows reading less than declared is right, and why. A condition is
   an expression of the manifest's language, read with its grammar and its kinds. docs/audit.md. */
#include "compiler/kinds.h"
#include "compiler/yaml_value.h"
#include "runtime/pricing/audit.h"
#include "runtime/pricing/audit_names.h"

typedef struct exception {
  formula when; /* not judged: defective, it waives nothing */
  const char *reason;
} exception;

typedef struct op_exceptions {
  const roofline_op *op;
  const entry *names;
  VEC(exception) list;
} op_exceptions;

struct audit_exceptions {
  VEC(op_exceptions) ops;
};

typedef struct reader {
  arena *a;
  diag_sink *sink;
  const source *src;
  const roofline_op *const *ops;
  audit_exceptions *out;
} reader;

static const str exception_keys[] = {STR_INIT("when"), STR_INIT("reason")};

static bool is_blank(str s) {
  for (uint32_t i = 0; i < s.n; i++)
    if (s.p[i] != ' ' && s.p[i] != '\n' && s.p[i] != '\t') return false;
  return true;
}

/* The text of a key that must be there; NULL with a defect. */
static const yt_node *required_text(reader *r, const yt_node *node, const yt_node *at, const char *key) {
  const yt_node *found = yt_get(node, key, NULL);
  if (found == NULL) {
    diag_add(r->sink, AUDIT_EXCEPTION_MISSING, yt_span(r->src, at), "an exception has no '%s'", key);
    return NULL;
  }
  if (found->kind == YT_SCALAR && !yt_is_null(found) && !is_blank(yt_text(found))) return found;
  diag_add(r->sink, AUDIT_EXCEPTION_FORM, yt_span(r->src, found), "'%s' is a text, and not empty", key);
  return NULL;
}

static void read_exception(reader *r, op_exceptions *to, const yt_node *node, const yt_node *at) {
  if (node->kind != YT_MAPPING) {
    diag_add(r->sink, AUDIT_EXCEPTION_FORM, yaml_place(r->src, at != NULL ? at : node, node),
             "an exception is a mapping with 'when' and 'reason'");
    return;
  }
  uint32_t before = diag_errors(r->sink);
  for (uint32_t i = 0; i < node->n; i++) {
    const yt_node *key = node->u.items[2 * i];
    str name = yt_text(key);
    if (str_eq(name, exception_keys[0]) || str_eq(name, exception_keys[1])) continue;
    diag *d = diag_add(r->sink, AUDIT_EXCEPTION_KEY, yt_span(r->src, key),
                       "unknown key '%.*s' in an exception", STR_ARG(name));
    diag_list(r->sink, d, "allowed", exception_keys, 2);
    diag_suggest(r->sink, d, name, exception_keys, 2);
  }
  if (at == NULL) at = node->n > 0 ? node->u.items[0] : node;
  const yt_node *when = required_text(r, node, at, "when"), *reason = required_text(r, node, at, "reason");
  exception x = {.when = {.state = FACT_VALID, .what = "'when'"}};
  if (when != NULL) {
    x.when.text = (expr_text){r->src, when};
    x.when.root =
        parse_text(r->a, r->sink, &parse_default_limits, PARSE_EXPRESSION, &x.when.text, x.when.what);
    kinds_check_condition(r->a, r->sink, to->names->symbols, to->names->symbol_count, &x.when);
  }
  if (reason != NULL) x.reason = arena_cstr(r->a, yt_text(reason));
  if (diag_errors(r->sink) == before && x.when.judged) vec_push(r->a, &to->list, x);
}

static const roofline_op *find_op(reader *r, const yt_node *key) {
  str name = yt_text(key);
  const roofline_op *op = roofline_op_find(r->ops, arena_cstr(r->a, name));
  if (op != NULL) return op;
  diag *d = diag_add(r->sink, AUDIT_EXCEPTION_OP, yt_span(r->src, key),
                     "no op '%.*s' in the operator library", STR_ARG(name));
  VEC(str) names = {0};
  for (const roofline_op *const *o = r->ops; *o != NULL; o++) vec_push(r->a, &names, str_of((*o)->name));
  if (names.n > 0) diag_suggest(r->sink, d, name, names.v, names.n);
  return NULL;
}

static void read_op(reader *r, const yt_node *key, const yt_node *node) {
  const roofline_op *op = find_op(r, key);
  if (op == NULL) return;
  diag_set_op(r->sink, str_of(op->name));
  op_exceptions to = {.op = op, .names = audit_names_of(r->a, op)};
  if (node->kind == YT_SEQUENCE)
    for (uint32_t i = 0; i < node->n; i++) read_exception(r, &to, node->u.items[i], NULL);
  else
    read_exception(r, &to, node, key);
  vec_push(r->a, &r->out->ops, to);
  diag_set_op(r->sink, (str){0});
}

bool audit_exceptions_read(arena *a, diag_sink *sink, const roofline_op *const *ops, const char *path,
                           audit_exceptions **out, str *why) {
  source *src = source_load(a, path, yt_default_limits.file_bytes, why);
  if (src == NULL) return false;
  *out = arena_new_of(a, audit_exceptions);
  reader r = {a, sink, src, ops, *out};
  bool empty = false;
  const yt_node *root = yt_parse(a, sink, src, &yt_default_limits, &empty);
  if (root == NULL) return true; /* reported, or nothing in it */
  if (root->kind == YT_MAPPING)
    for (uint32_t i = 0; i < root->n; i++) read_op(&r, root->u.items[2 * i], root->u.items[2 * i + 1]);
  else
    diag_add(sink, AUDIT_EXCEPTION_FORM, yt_span(src, root), "an exceptions file is a mapping of op names");
  return true;
}

/* ---- judging ---- */

enum { MAX_STEPS = 1000000 };

static const char *why_unknown(roofline_status status) {
  switch (status) {
  case ROOFLINE_E_OVERFLOW: return "overflows 64 bits on this row";
  case ROOFLINE_E_DOMAIN: return "is outside its domain on this row";
  case ROOFLINE_E_NOT_AVAILABLE: return "takes too many steps on this row";
  default: return "has no value on this row";
  }
}

/* 1 holds, 0 does not, -1 cannot be evaluated, with *why. */
static int holds(const op_exceptions *of, const exception *x, const roofline_row *row, const char **why) {
  arena *scratch = arena_new();
  fold at = fold_new(scratch, NULL, of->names);
  at.fuel = MAX_STEPS;
  audit_names_set(&at, of->op, row);
  value v = fold_formula(&at, &x->when);
  int result = v.tag == V_BOOL ? v.u.b : -1;
  if (result < 0) *why = why_unknown(at.status);
  arena_free(scratch);
  return result;
}

const char *audit_exceptions_find(const audit_exceptions *x, const char *op, const char *case_id,
                                  const char **unjudged) {
  *unjudged = NULL;
  for (uint32_t i = 0; x != NULL && i < x->ops.n; i++) {
    const op_exceptions *of = &x->ops.v[i];
    if (!str_is(str_of(op), of->op->name) || of->list.n == 0) continue;
    const roofline_row *row = audit_ops_row(of->op, case_id);
    if (row == NULL) {
      *unjudged = "does not know this case: the operator library has no such row";
      continue;
    }
    for (uint32_t k = 0; k < of->list.n; k++)
      if (holds(of, &of->list.v[k], row, unjudged) == 1) return of->list.v[k].reason;
  }
  return NULL;
}
