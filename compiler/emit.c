/* Emission: every file's text from the plans. Judges nothing about the manifest's meaning; what it can
   find are names that C cannot tell apart. codegen.md §2. */
#include "compiler/emit_internal.h"
#include "compiler/formulas.h"
#include "text/parallel.h"

enum { NODE_BUDGET = 1000000 };

str emit_base_name(str path) {
  uint32_t at = path.n;
  while (at > 0 && path.p[at - 1] != '/') at--;
  return (str){path.p + at, path.n - at};
}

str emit_origin(const emit_op *op) {
  return emit_format(op->a, "$:%u", emit_base_name(op->e->src->path), op->e->line);
}

str emit_dtype_name(arena *a, roofline_dtype t) {
  if (t == ROOFLINE_DTYPE_NONE) return STR("ROOFLINE_DTYPE_NONE");
  return emit_format(a, "ROOFLINE_$", emit_upper(a, str_of(roofline_dtype_name(t))));
}

void emit_collision(emitter *em, span at, str name) {
  diag_add(em->sink, EMIT_COLLISION, at, "the C name '%.*s' is already another's", STR_ARG(name));
}

/* ---- names and storage of an op ---- */

static bool is_number_type(const param_decl *p) {
  for (uint32_t i = 0; p->type != NULL && i < p->type->n; i++) {
    if (p->type->args[i]->op == EX_NAME && str_is(p->type->args[i]->u.s, "Number")) return true;
  }
  return false;
}

/* An enum parameter's constants: ROOFLINE_<OP>_<PARAM>_<MEMBER>, counted from 1. */
static const enum_source *param_source(emit_op *op, const param_decl *p) {
  enum_source *s = arena_new_of(op->a, enum_source);
  str *constants = arena_array(op->a, str, p->kind->member_count + 1);
  for (uint32_t i = 0; i < p->kind->member_count; i++) {
    constants[i] = emit_format(op->a, "$_$_$_$", op->em->upper, emit_upper(op->a, op->symbol),
                               emit_upper(op->a, p->name), emit_upper(op->a, p->kind->members[i]));
    if (!names_add(&op->em->globals, constants[i]))
      emit_collision(op->em, yt_span(op->e->src, p->key), constants[i]);
  }
  s->members = p->kind->members;
  s->count = p->kind->member_count;
  s->constants = constants;
  s->maybe = kind_may(p->kind, K_NONE);
  s->first = 1;
  s->open = arena_cstr(op->a, emit_format(op->a, "$_$_values[", op->symbol, op->fields[p->symbol]));
  s->close = "]";
  return s;
}

static void choose_storage(emit_op *op) {
  const entry *e = op->e;
  for (uint32_t i = 0; i < e->symbol_count; i++) op->reps[i] = rep_of_kind(e->symbols[i].kind);
  for (uint32_t i = 0; i < e->param_count; i++) {
    const param_decl *p = &e->parameters[i];
    if (!emit_is_value(p)) continue;
    if (is_number_type(p)) op->reps[p->symbol] = REP_VALUE; /* an int and a float differ: `category` tells */
    if (kind_is(p->kind, K_ENUM | K_NONE) && kind_may(p->kind, K_ENUM)) {
      op->reps[p->symbol] = REP_ENUM;
      op->sources[p->symbol] = param_source(op, p);
    }
  }
}

static void choose_names(emit_op *op) {
  const entry *e = op->e;
  name_set members = {.a = op->a};
  for (uint32_t i = 0; i < e->symbol_count; i++) {
    const symbol *s = &e->symbols[i];
    op->fields[i] = op->locals[i] = emit_field(op->a, s->name);
    if (!names_add(&members, op->fields[i])) emit_collision(op->em, yt_span(e->src, s->key), op->fields[i]);
  }
  for (uint32_t i = 0; i < e->symbol_count; i++) {
    if (emit_is_own_name(op->fields[i]))
      op->locals[i] = names_free(&members, emit_format(op->a, "$_", op->fields[i]));
  }
  op->base_member = emit_local(op, STR("roofline"));
  op->metadata_member = emit_local(op, STR("metadata"));
}

static void start_op(emitter *em, emit_op *op, const plan *p) {
  const entry *e = p->entry;
  *op = (emit_op){.em = em, .a = em->a, .plan = p, .e = e, .budget = NODE_BUDGET};
  op->symbol = emit_symbol(em->a, e->name);
  op->name = emit_format(em->a, "$_$", em->prefix, op->symbol);
  op->call_type = emit_format(em->a, "$_call", op->name);
  op->fields = arena_array(em->a, str, e->symbol_count + 1);
  op->locals = arena_array(em->a, str, e->symbol_count + 1);
  op->reps = arena_array(em->a, rep, e->symbol_count + 1);
  op->sources = arena_array(em->a, const enum_source *, e->symbol_count + 1);
  op->let_functions = arena_array(em->a, str, e->let_count + 1);
  if (!names_add(&em->globals, op->name)) emit_collision(em, yt_span(e->src, e->key), op->name);
  for (uint32_t i = 0; i < e->tensor_count; i++) {
    op->has_out = op->has_out || (e->tensors[i].role == ROOFLINE_OUTPUT && e->tensors[i].buffer);
    op->has_present = op->has_present || emit_presence_varies(&e->tensors[i]);
    op->has_metadata = op->has_metadata || emit_is_metadata(&e->tensors[i]);
  }
  op->has_present = op->has_present || op->has_out;
  op->statics.a = em->a;
  static const char *const parts[] = {"tensor", "let",     "generate", "set_defaults", "bind_any", "eval_any",
                                      "names",  "combos",  "calls",    "lists",        "rows",     "indices",
                                      "params", "tensors", "lets",     "list_names",   "stages",   "op",
                                      "args",   "call",    "bind"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    names_add(&op->statics, emit_format(em->a, "$_%s", op->symbol, parts[i]));
  choose_names(op);
  choose_storage(op);
}

/* ---- files ---- */

void emit_add_file(emitter *em, str path, str bytes) {
  vec_push(em->a, em->files,
           ((output_file){.path = arena_cstr(em->a, path), .bytes = bytes, .result = OUTPUT_SAME}));
}

str emit_file_comment(emitter *em, const char *what) {
  return emit_format(em->a, "/* %s " EMIT_MARK "\n", what);
}

void emit_open_header(emitter *em, out_text *o, str name, bool with_types) {
  const str guard = emit_format(em->a, "$_$_H", em->upper, emit_upper(em->a, name));
  emit_putf(o,
            "#ifndef $\n#define $\n\n#include <math.h>\n#include <string.h>\n\n#include "
            "<roofline/roofline.h>\n",
            guard, guard);
  if (with_types) out_put(o, STR("\n#include \"types.h\"\n"));
  out_put(o, STR("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"));
}

void emit_close_header(out_text *o) { out_put(o, STR("#ifdef __cplusplus\n}\n#endif\n#endif\n")); }

/* Strings of the enum parameters, by number. */
static void put_enum_values(emit_op *op, out_text *o) {
  for (uint32_t i = 0; i < op->e->param_count; i++) {
    const param_decl *p = &op->e->parameters[i];
    if (!emit_is_value(p) || op->reps[p->symbol] != REP_ENUM) continue;
    out_text list;
    out_init(&list, op->a);
    for (uint32_t m = 0; m < p->kind->member_count; m++)
      emit_putf(&list, "%s$", m > 0 ? ", " : "", emit_quote(op->a, p->kind->members[m]));
    emit_linef(o, 0, "static const char *const $_$_values[] = {$};", op->symbol, op->fields[p->symbol],
               out_str(&list));
  }
}

static void put_op(emit_op *op, out_text *header, out_text *code) {
  op->a = op->em->scratch;
  if (!emit_lets_are_cheap(op)) {
    diag_add(op->em->sink, EMIT_TOO_LARGE, yt_span(op->e->src, op->e->key),
             "a let of '%.*s' would be evaluated more than %d times", STR_ARG(op->e->name),
             EMIT_MOST_EVALUATIONS);
    op->a = op->em->a;
    return;
  }
  out_text tables, functions;
  out_init(&op->helpers, op->a);
  out_init(&tables, op->a);
  out_init(&functions, op->a);
  put_enum_values(op, &tables);
  emit_tensor_function(op, &functions);
  emit_eval(op, &functions);
  emit_let_function(op, &functions);
  emit_bind(op, &functions);
  emit_rows(op, &functions);
  emit_op_table(op, &functions);
  emit_struct(op, header);
  emit_linef(code, 0, "/* ---- $, $ ---- */\n", op->e->name, emit_origin(op));
  out_put(code, out_str(&tables));
  out_put(code, STR("\n"));
  out_put(code, out_str(&op->helpers));
  out_put(code, out_str(&functions));
  if (op->exhausted)
    diag_add(op->em->sink, EMIT_TOO_LARGE, yt_span(op->e->src, op->e->key),
             "'%.*s' expands to more than %d expressions", STR_ARG(op->e->name), NODE_BUDGET);
  arena_reset(op->a);
  op->a = op->em->a;
}

/* Prototypes of hand-written functions the family calls. */
static void put_formulas(emitter *em, str family, out_text *o) {
  name_set names = {.a = em->a};
  out_text list;
  out_init(&list, em->a);
  for (uint32_t i = 0; i < em->plans->count; i++) {
    const emit_op *op = &em->ops[i];
    if (op->e == NULL || !str_eq(op->e->family, family) || !emit_calls_formula(op)) continue;
    const str name = emit_func_name(op->e);
    if (names_add(&names, name)) emit_putf(&list, "ROOFLINE_FORMULA($);\n", name);
  }
  for (uint32_t i = 0; i < em->hooks.n; i++) emit_putf(&list, "$\n", em->hooks.v[i]);
  if (list.n == 0) return;
  out_put(o, STR("/* Written by hand. */\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"));
  out_put(o, out_str(&list));
  out_put(o, STR("#ifdef __cplusplus\n}\n#endif\n\n"));
}

static void emit_family(emitter *em, str family, bool with_types) {
  out_text header, code, body;
  out_init(&header, em->a);
  out_init(&code, em->a);
  out_init(&body, em->a);
  const str what = emit_format(em->a, "Operators of the family '$'.", family);
  const str comment = emit_file_comment(em, arena_cstr(em->a, what));
  out_put(&header, comment);
  emit_open_header(em, &header, family, with_types);
  for (uint32_t i = 0; i < em->plans->count; i++) {
    emit_op *op = &em->ops[i];
    if (op->e == NULL || !str_eq(op->e->family, family)) continue;
    op->em = em;
    op->statics.a = em->a;
    put_op(op, &header, &body);
  }
  emit_close_header(&header);
  out_put(&code, comment);
  emit_putf(&code, "#include <stddef.h>\n\n#include \"$.h\"\n", family);
  for (uint32_t i = 0; i < em->includes.n; i++) emit_putf(&code, "#include \"$.h\"\n", em->includes.v[i]);
  out_put(&code, STR("\n"));
  put_formulas(em, family, &code);
  out_put(&code, out_str(&body));
  while (code.n > 1 && code.p[code.n - 1] == '\n' && code.p[code.n - 2] == '\n') code.n--;
  emit_add_file(em, emit_format(em->a, "$.h", family), out_str(&header));
  emit_add_file(em, emit_format(em->a, "$.c", family), out_str(&code));
}

typedef struct family_work {
  emitter em;
  emit_files files;
} family_work;

typedef struct families_work {
  family_work *each;
  bool with_types;
} families_work;

static void emit_family_apart(void *to, uint32_t worker, uint32_t i) {
  const families_work *all = to;
  emitter *em = &all->each[i].em;
  (void)worker;
  em->scratch = arena_new();
  emit_family(em, em->families.v[i], all->with_types);
  arena_free(em->scratch);
}

static void emit_families(emitter *em, bool with_types) {
  const uint32_t count = em->families.n, jobs = em->options->jobs;
  families_work all = {arena_array(em->a, family_work, count + 1), with_types};
  for (uint32_t i = 0; i < count; i++) {
    family_work *w = &all.each[i];
    w->em = *em;
    w->em.a = arena_new();
    w->em.sink = diag_sink_part(w->em.a, em->sink);
    w->em.files = &w->files;
    arena_adopt(em->a, w->em.a);
  }
  parallel_run(jobs > 0 ? jobs : parallel_processors(), count, emit_family_apart, &all);
  for (uint32_t i = 0; i < count; i++) {
    const family_work *w = &all.each[i];
    diag_join(em->sink, w->em.sink);
    for (uint32_t k = 0; k < w->files.n; k++) vec_push(em->a, em->files, w->files.v[k]);
  }
}

static void find_families(emitter *em) {
  static const char *const taken[] = {"registry", "types", "rows_main"};
  name_set seen = {.a = em->a};
  for (uint32_t i = 0; i < em->plans->count; i++) {
    const entry *e = em->ops[i].e;
    if (e == NULL || !names_add(&seen, e->family)) continue;
    vec_push(em->a, &em->families, e->family);
    for (size_t j = 0; j < sizeof taken / sizeof *taken; j++) {
      if (str_is(e->family, taken[j]))
        diag_add(em->sink, EMIT_FILE_NAME, yt_span(e->src, e->key),
                 "the family '%s' would be written to %s.c, which is another file", taken[j], taken[j]);
    }
  }
}

void emit_all(arena *a, diag_sink *sink, const plan_set *plans, const emit_options *options,
              emit_files *files) {
  emitter em = {
      .a = a, .sink = sink, .plans = plans, .options = options, .files = files, .prefix = options->prefix};
  em.upper = emit_upper(a, options->prefix);
  em.globals.a = a;
  em.ops = arena_array(a, emit_op, plans->count + 1);
  for (uint32_t i = 0; i < plans->count; i++) {
    if (!plans->plans[i].emittable) continue;
    diag_set_op(sink, plans->plans[i].entry->name);
    start_op(&em, &em.ops[i], &plans->plans[i]);
    formulas_check(a, sink, &options->definitions, plans->plans[i].entry, options->missing_unavailable);
  }
  diag_set_op(sink, (str){NULL, 0});
  find_families(&em);
  const bool with_types = emit_types(&em);
  emit_families(&em, with_types);
  emit_registry(&em);
  if (options->rows_main) emit_rows_main(&em);
}
