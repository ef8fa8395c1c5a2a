/* Expressions of the language as C expressions over libroofline's checked helpers. Nothing is decided
   here: kinds (narrowed where a guard stands) were inferred before, and an expression means what the
   fold of the checker means by it. language.md §4. */
#include <string.h>

#include "compiler/emit_internal.h"
#include "compiler/name_index.h"

/* ---- representations ---- */

rep rep_of_kind(const kind *k) {
  static const struct {
    uint32_t bits;
    rep rep;
  } plain[] = {{K_INTEGER, REP_INT},     {K_BOOL, REP_BOOL},   {K_DTYPE | K_NONE, REP_DTYPE},
               {K_FLOAT, REP_FLOAT},     {K_SHAPE, REP_SHAPE}, {K_SEQ | K_SHAPE, REP_SEQ},
               {K_ADT | K_NONE, REP_ADT}};
  if (k == NULL || kind_is(k, K_NONE)) return REP_VALUE;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    if (kind_is(k, plain[i].bits)) return plain[i].rep;
  }
  return REP_VALUE;
}

const char *rep_type(rep r) {
  static const char *const types[] = {[REP_INT] = "int64_t ",         [REP_BOOL] = "bool ",
                                      [REP_ENUM] = "int32_t ",        [REP_DTYPE] = "roofline_dtype ",
                                      [REP_FLOAT] = "double ",        [REP_SHAPE] = "const roofline_shape *",
                                      [REP_SEQ] = "roofline_seq ",    [REP_ADT] = "const roofline_adt *",
                                      [REP_VALUE] = "roofline_value "};
  return types[r];
}

static cx cx_of(rep r, prec p, str text) { return (cx){.text = text, .rep = r, .prec = p}; }

str emit_wrap(emit_fn *fn, cx c, prec most) {
  return c.prec <= most ? c.text : emit_format(fn->op->a, "($)", c.text);
}

static str printed(emit_fn *fn, const char *format, str text) {
  out_text o;
  out_init(&o, fn->op->a);
  for (; *format != '\0'; format++) {
    if (*format == '$')
      out_put(&o, text);
    else
      out_put(&o, (str){format, 1});
  }
  return out_str(&o);
}

/* `$` is the value. An enum of absent 0 becomes None. */
static str enum_to_value(emit_fn *fn, cx c) {
  const enum_source *s = c.source;
  const str text = emit_wrap(fn, c, PREC_UNARY);
  const str index = s->first > 0 ? emit_format(fn->op->a, "$ - 1", text) : text;
  const str string = emit_format(fn->op->a, "roofline_string(%s$%s)", s->open, index, s->close);
  if (!s->maybe) return string;
  return emit_format(fn->op->a, "($ == 0 ? roofline_none() : $)", text, string);
}

/* How one representation is read as another; `$` is the value. NULL: it never is. */
static const char *const conversions[REP_VALUE + 1][REP_VALUE + 1] = {
    [REP_INT] = {[REP_FLOAT] = "(double)$", [REP_VALUE] = "roofline_int($)"},
    [REP_BOOL] = {[REP_VALUE] = "roofline_bool($)"},
    [REP_DTYPE] = {[REP_VALUE] = "roofline_dtype_value($)"},
    [REP_FLOAT] = {[REP_VALUE] = "roofline_float($)"},
    [REP_SHAPE] = {[REP_SEQ] = "roofline_seq_of_shape($)",
                   [REP_VALUE] = "roofline_seq_value(roofline_seq_of_shape($))"},
    [REP_SEQ] = {[REP_VALUE] = "roofline_seq_value($)"},
    [REP_VALUE] = {[REP_INT] = "$.u.i",
                   [REP_BOOL] = "$.u.b",
                   [REP_DTYPE] = "$.u.t",
                   [REP_SEQ] = "$.u.q",
                   [REP_FLOAT] = "roofline_number($)"},
};

str emit_convert(emit_fn *fn, cx c, rep want) {
  if (c.rep == want) return c.text;
  if (c.rep == REP_ENUM && want == REP_VALUE) return enum_to_value(fn, c);
  if (c.rep == REP_ADT && want == REP_VALUE) return STR("roofline_opaque()");
  if (want == REP_FLOAT && c.literal) return emit_format(fn->op->a, "$.0", c.text);
  if (want == REP_SHAPE) {
    const str seq = emit_convert(fn, c, REP_SEQ), shape = emit_new_shape(fn);
    return emit_format(fn->op->a, "roofline_shape_of(%s, &$, $)", fn->status, shape, seq);
  }
  const char *how = conversions[c.rep][want];
  if (how == NULL) return c.text;
  const bool postfix = how[0] == '$' || how[0] == '(';
  return printed(fn, how, postfix ? emit_wrap(fn, c, PREC_PRIMARY) : c.text);
}

str emit_as(emit_fn *fn, const expr *e, rep want) { return emit_convert(fn, emit_expr(fn, e), want); }

/* ---- functions under construction ---- */

emit_fn emit_fn_start(emit_op *op, const char *status) {
  emit_fn fn = {.op = op, .status = status, .locals = true};
  fn.used = arena_array(op->a, bool, op->e->symbol_count + 1);
  fn.eager = arena_array(op->a, bool, op->e->let_count + 1);
  return fn;
}

emit_fn emit_fn_inner(emit_fn *outer) {
  emit_fn fn = emit_fn_start(outer->op, "status");
  fn.env = outer->env;
  fn.lists = outer->lists;
  fn.point = outer->point;
  return fn;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does what stands at [begin, end) stand for itself, a whole identifier and no member of something? */
static bool stands_alone(str body, uint32_t begin, uint32_t end) {
  const char *p = body.p + begin;
  if (end < body.n && is_word(body.p[end])) return false;
  if (begin > 0 && (is_word(p[-1]) || p[-1] == '.')) return false;
  return begin < 2 || p[-1] != '>' || p[-2] != '-';
}

bool emit_mentions(str body, str word) {
  const char *end = body.p + body.n;
  for (const char *p = body.p; word.n > 0 && (size_t)(end - p) >= word.n; p++) {
    p = memchr(p, word.p[0], (size_t)(end - p));
    if (p == NULL || (size_t)(end - p) < word.n) return false;
    const uint32_t begin = (uint32_t)(p - body.p);
    if (memcmp(p, word.p, word.n) == 0 && stands_alone(body, begin, begin + word.n)) return true;
  }
  return false;
}

/* Marks which names, by their number, a text mentions: one pass, however many they are. */
static void mark_mentions(str text, const name_index *names, bool *mentioned) {
  for (uint32_t begin = 0, end; begin < text.n; begin = end) {
    for (end = begin; end < text.n && is_word(text.p[end]);) end++;
    if (end == begin) {
      end++;
      continue;
    }
    const int64_t number = name_index_find(names, (str){text.p + begin, end - begin});
    if (number >= 0 && stands_alone(text, begin, end)) mentioned[number] = true;
  }
}

/* What was rendered is not always written (a trial, sizes that turn out equal): only what the body reads
   is declared. */
/* A let read once for the whole function; a Shape needs memory beside. */
static void put_let_local(const emit_fn *fn, out_text *o, uint32_t at) {
  const emit_op *op = fn->op;
  const str name = op->locals[at], function = op->let_functions[op->e->symbols[at].number];
  if (op->reps[at] != REP_SHAPE) {
    emit_putf(o, "  const %s$ = $(%s, call);\n", rep_type(op->reps[at]), name, function, fn->status);
    return;
  }
  const str memory = emit_local(op, emit_format(op->a, "$_shape", name));
  emit_putf(o, "  roofline_shape $;\n", memory);
  emit_putf(o, "  const roofline_shape *$ = $(%s, call, &$);\n", name, function, fn->status, memory);
}

void emit_fn_put(const emit_fn *fn, out_text *o, str body) {
  const emit_op *op = fn->op;
  const uint32_t symbols = op->e->symbol_count, sizes = fn->size_names.n, temps = fn->temps.n;
  name_index names = name_index_new(op->a, symbols + sizes + temps);
  bool *mentioned = arena_array(op->a, bool, symbols + sizes + temps + 1);
  const bool *of_symbol = mentioned, *of_size = of_symbol + symbols, *of_temp = of_size + sizes;
  for (uint32_t i = 0; i < symbols; i++)
    if (fn->used[i]) name_index_add(&names, op->locals[i], i);
  for (uint32_t i = 0; i < sizes; i++) name_index_add(&names, fn->size_names.v[i], symbols + i);
  for (uint32_t i = 0; i < temps; i++) name_index_add(&names, fn->temps.v[i].name, symbols + sizes + i);
  mark_mentions(body, &names, mentioned);
  for (uint32_t i = 0; i < fn->prods.n; i++)
    if (fn->prods.v[i].name.n > 0) mark_mentions(fn->prods.v[i].text, &names, mentioned);
  for (uint32_t i = 0; i < sizes; i++)
    if (of_size[i]) mark_mentions(fn->size_texts.v[i], &names, mentioned);
  for (uint32_t i = 0; i < symbols; i++)
    if (of_symbol[i] && op->e->symbols[i].cls != SYM_LET)
      emit_putf(o, "  const %s$ = call->$;\n", rep_type(op->reps[i]), op->locals[i], op->fields[i]);
  for (uint32_t i = 0; i < temps; i++)
    if (of_temp[i]) emit_putf(o, "  $;\n", fn->temps.v[i].declaration);
  for (uint32_t i = 0; i < symbols; i++)
    if (of_symbol[i] && op->e->symbols[i].cls == SYM_LET) put_let_local(fn, o, i);
  for (uint32_t i = 0; i < sizes; i++)
    if (of_size[i]) emit_putf(o, "  const int64_t $ = $;\n", fn->size_names.v[i], fn->size_texts.v[i]);
  for (uint32_t i = 0; i < fn->prods.n; i++) {
    const emit_prod *p = &fn->prods.v[i];
    if (p->name.n > 0) emit_linef(o, 2, "const int64_t $ = $;", p->name, p->text);
  }
  out_put(o, body);
}

void emit_fn_put_self(const emit_fn *fn, out_text *o, str body) {
  const emit_op *op = fn->op;
  out_text all;
  out_init(&all, op->a);
  emit_fn_put(fn, &all, body);
  if (emit_mentions(out_str(&all), STR("call")))
    emit_linef(o, 2, "const $ *call = (const $ *)self;", op->call_type, op->call_type);
  else
    out_put(o, STR("  (void)self;\n"));
  out_put(o, STR("  roofline_status status = ROOFLINE_OK;\n"));
  out_put(o, out_str(&all));
}

emit_trial emit_fn_mark(const emit_fn *fn) {
  return (emit_trial){fn->temps.n, fn->shape_count, fn->items_count};
}

void emit_fn_forget(emit_fn *fn, emit_trial mark) {
  fn->temps.n = mark.temps;
  fn->shape_count = mark.shapes;
  fn->items_count = mark.items;
}

str emit_local(const emit_op *op, str name) {
  for (uint32_t i = 0; i < op->e->symbol_count; i++) {
    if (!str_eq(op->fields[i], name) && !str_eq(op->locals[i], name)) continue;
    name = emit_format(op->a, "$_", name);
    i = UINT32_MAX; /* look again */
  }
  return name;
}

str emit_new_shape(emit_fn *fn) {
  const str name = emit_local(fn->op, emit_format(fn->op->a, "shape%u", ++fn->shape_count));
  const emit_temp temp = {name, emit_format(fn->op->a, "roofline_shape $", name)};
  vec_push(fn->op->a, &fn->temps, temp);
  return name;
}

static str emit_new_chain(emit_fn *fn) {
  const str name = emit_local(fn->op, emit_format(fn->op->a, "chain%u", ++fn->items_count));
  const emit_temp temp = {name, emit_format(fn->op->a, "int64_t $", name)};
  vec_push(fn->op->a, &fn->temps, temp);
  return name;
}

str emit_new_items(emit_fn *fn, uint32_t n) {
  const str name = emit_local(fn->op, emit_format(fn->op->a, "items%u", ++fn->items_count));
  const emit_temp temp = {name, emit_format(fn->op->a, "int64_t $[%u]", name, n > 0 ? n : 1)};
  vec_push(fn->op->a, &fn->temps, temp);
  return name;
}

/* Loop variables in scope, innermost first and each once: what an outlined function must be given. */
static void each_variable(emit_fn *fn, out_text *o, bool typed) {
  for (const env *v = fn->env; v != NULL; v = v->next) {
    if (!v->variable) continue;
    const env *w = fn->env;
    while (w != v && !(w->variable && str_eq(w->value.text, v->value.text))) w = w->next;
    if (w == v) emit_putf(o, ", %s$", typed ? rep_type(v->value.rep) : "", v->value.text);
  }
}

str emit_variable_parameters(emit_fn *fn) {
  out_text o;
  out_init(&o, fn->op->a);
  each_variable(fn, &o, true);
  return out_str(&o);
}

str emit_arguments(emit_fn *fn, str extra) {
  out_text o;
  out_init(&o, fn->op->a);
  emit_putf(&o, "%s, call", fn->status);
  each_variable(fn, &o, false);
  if (extra.n > 0) emit_putf(&o, ", $", extra);
  return out_str(&o);
}

/* Parameters that the body does not read. */
static void void_unread(out_text *o, str parameters, str body) {
  while (parameters.n > 0) {
    uint32_t end = 1, begin;
    while (end < parameters.n && parameters.p[end] != ',') end++;
    for (begin = end; begin > 0 && parameters.p[begin - 1] != ' ' && parameters.p[begin - 1] != '*';) begin--;
    const str name = {parameters.p + begin, end - begin};
    if (name.n > 0 && !emit_mentions(body, name)) emit_putf(o, "  (void)$;\n", name);
    parameters = (str){parameters.p + end, parameters.n - end};
  }
}

void emit_remember(emit_op *op, str body, str name) {
  if (op->outlined_count == op->outlined_cap)
    op->outlined =
        arena_grow(op->a, op->outlined, op->outlined_count, &op->outlined_cap, sizeof *op->outlined);
  op->outlined[op->outlined_count].body = body;
  op->outlined[op->outlined_count++].name = name;
}

str emit_outline(emit_op *op, const char *base, const char *returns, str parameters, str body) {
  const str key = emit_format(op->a, "%s|$|$", returns, parameters, body);
  for (uint32_t i = 0; i < op->outlined_count; i++) {
    if (str_eq(op->outlined[i].body, key)) return op->outlined[i].name;
  }
  const str name = names_free(&op->statics, emit_format(op->a, "$_%s", op->symbol, base));
  emit_remember(op, key, name);
  out_text *o = &op->helpers;
  emit_linef(o, 0, "static %s$(roofline_status *status, const $ *call$) {", returns, name, op->call_type,
             parameters);
  if (!emit_mentions(body, STR("status"))) emit_putf(o, "  (void)status;\n");
  if (!emit_mentions(body, STR("call"))) emit_putf(o, "  (void)call;\n");
  void_unread(o, parameters, body);
  out_put(o, body);
  out_put(o, STR("}\n\n"));
  return name;
}

/* ---- names ---- */

static const env *find(const env *scope, str name, bool *closed) {
  *closed = false;
  for (; scope != NULL; scope = scope->next) {
    if (scope->closed) {
      *closed = true;
      return NULL;
    }
    if (str_eq(scope->name, name)) return scope;
  }
  return NULL;
}

const expr *emit_resolve(const expr *e, const env **scope) {
  bool closed;
  while (e->op == EX_NAME) {
    const env *bound = find(*scope, e->u.s, &closed);
    if (bound == NULL || bound->arg == NULL) break;
    e = bound->arg;
    *scope = bound->around;
  }
  return e;
}

static cx let_read(emit_fn *fn, uint32_t at);

/* A symbol where its kind is known to be `narrowed`: read from how it is stored. */
cx emit_symbol_read(emit_fn *fn, uint32_t number, const kind *narrowed) {
  emit_op *op = fn->op;
  const symbol *s = &op->e->symbols[number];
  const rep stored = op->reps[number];
  if (op->decides != NULL && (op->choosing > 0 || stored == REP_ENUM || stored == REP_ADT))
    op->decides[number] = true;
  cx c = cx_of(stored, PREC_PRIMARY, op->fields[number]);
  c.source = op->sources[number];
  if (s->cls == SYM_LET) {
    c = let_read(fn, number);
  } else if (s->cls == SYM_INDEX && emit_is_list(&op->e->indices[s->number])) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->number; i++) at += emit_is_list(&op->e->indices[i]);
    c.text = emit_format(op->a, "%s[%u]", fn->lists != NULL ? fn->lists : "lists", at);
  } else if (stored == REP_SHAPE || stored == REP_ADT) {
    c.text = emit_format(op->a, "&call->$", c.text);
    c.prec = PREC_UNARY;
  } else if (stored == REP_SEQ || stored == REP_VALUE || !fn->locals) {
    c.text = emit_format(op->a, "call->$", c.text);
  } else {
    c.text = op->locals[number];
    fn->used[number] = true;
  }
  const rep want = rep_of_kind(narrowed);
  const bool unpack = c.rep == REP_VALUE &&
                      (want == REP_INT || want == REP_BOOL || want == REP_DTYPE || want == REP_SEQ) &&
                      kind_is(narrowed, K_INTEGER | K_BOOL | K_DTYPE | K_SEQ | K_SHAPE);
  if (unpack) {
    c.text = emit_convert(fn, c, want);
    c.rep = want;
  }
  return c;
}

static cx name_read(emit_fn *fn, const expr *e) {
  bool closed;
  const env *bound = find(fn->env, e->u.s, &closed);
  if (bound != NULL && bound->arg == NULL) return bound->value;
  if (bound != NULL) {
    const env *here = fn->env;
    fn->env = bound->around;
    const cx c = emit_expr(fn, bound->arg);
    fn->env = here;
    return c;
  }
  const symbol *s = closed ? NULL : entry_symbol(fn->op->e, e->u.s);
  if (s != NULL && s->cls != SYM_TENSOR)
    return emit_symbol_read(fn, (uint32_t)(s - fn->op->e->symbols), e->kind != NULL ? e->kind : s->kind);
  const roofline_dtype t = roofline_dtype_find(e->u.s.p, e->u.s.n);
  const str name = emit_upper(fn->op->a, str_of(roofline_dtype_name(t)));
  return cx_of(REP_DTYPE, PREC_PRIMARY, emit_format(fn->op->a, "ROOFLINE_$", name));
}

/* ---- lets ---- */

/* A let as a static function of the call. A Shape is written to `out`, an ADT points into the call. */
static void write_let(emit_op *op, uint32_t number) {
  const let_decl *let = &op->e->lets[op->e->symbols[number].number];
  emit_fn fn = emit_fn_start(op, "status");
  emit_find_eager(op, let->formula.root, fn.eager);
  const rep r = op->reps[number];
  const cx c = emit_expr(&fn, let->formula.root);
  const str text = emit_convert(&fn, c, r);
  out_text result, body;
  out_init(&result, op->a);
  out_init(&body, op->a);
  if (r == REP_SHAPE) {
    const cx shape = cx_of(r, c.rep == r ? c.prec : PREC_PRIMARY, text);
    emit_linef(&result, 2, "*out = *$;", emit_wrap(&fn, shape, PREC_UNARY));
    out_put(&result, STR("  return out;\n"));
  } else {
    emit_linef(&result, 2, "return $;", text);
  }
  emit_fn_put(&fn, &body, out_str(&result));
  const str parameters = r == REP_SHAPE ? STR(", roofline_shape *out") : (str){NULL, 0};
  emit_block_comment(&op->helpers, 0,
                     emit_format(op->a, "$ = $", let->name, expr_print(op->a, let->formula.root)));
  op->let_functions[op->e->symbols[number].number] =
      emit_outline(op, arena_cstr(op->a, let->name), rep_type(r), parameters, out_str(&body));
}

static cx let_read(emit_fn *fn, uint32_t at) {
  emit_op *op = fn->op;
  const uint32_t number = op->e->symbols[at].number;
  const let_decl *let = &op->e->lets[number];
  if (op->reps[at] == REP_SEQ) { /* a view needs the reader's memory, so the let is read in place */
    const env *here = fn->env;
    fn->env = NULL;
    const cx c = emit_expr(fn, let->formula.root);
    fn->env = here;
    return cx_of(REP_SEQ, c.rep == REP_SEQ ? c.prec : PREC_PRIMARY, emit_convert(fn, c, REP_SEQ));
  }
  if (op->let_functions[number].n == 0) write_let(op, at);
  cx c = cx_of(op->reps[at], PREC_PRIMARY, op->locals[at]);
  if (fn->locals && fn->eager[number] && c.rep != REP_ADT) {
    fn->used[at] = true;
  } else if (c.rep == REP_SHAPE) {
    c.text = emit_format(op->a, "$(%s, call, &$)", op->let_functions[number], fn->status, emit_new_shape(fn));
  } else {
    c.text = emit_format(op->a, "$(%s, call)", op->let_functions[number], fn->status);
  }
  return c;
}

void emit_find_lets(const emit_op *op, const expr *e, bool *read) {
  if (e == NULL) return;
  const symbol *s = e->op == EX_NAME ? entry_symbol(op->e, e->u.s) : NULL;
  if (s != NULL && s->cls == SYM_LET) read[s->number] = true;
  for (uint32_t i = 0; i < e->n; i++) emit_find_lets(op, e->args[i], read);
}

/* Lets that an expression reads whatever its conditions say: evaluating them first changes nothing. */
void emit_find_eager(const emit_op *op, const expr *e, bool *eager) {
  if (e == NULL) return;
  switch ((expr_op)e->op) {
  case EX_NAME: {
    const symbol *s = entry_symbol(op->e, e->u.s);
    if (s != NULL && s->cls == SYM_LET) eager[s->number] = true;
    return;
  }
  case EX_IF: emit_find_eager(op, e->args[1], eager); return;
  case EX_AND:
  case EX_OR: emit_find_eager(op, e->args[0], eager); return;
  case EX_COMPARE:
    emit_find_eager(op, e->args[0], eager);
    emit_find_eager(op, e->args[1], eager);
    return;
  case EX_COMPREHENSION: emit_find_eager(op, e->args[1], eager); return;
  default:
    for (uint32_t i = 0; i < e->n; i++) emit_find_eager(op, e->args[i], eager);
  }
}

/* ---- operators ---- */

static bool is_float(cx c) { return c.rep == REP_FLOAT || c.rep == REP_VALUE; }

/* `x op y op z ..` from the left, one call for as many as libroofline has a function for. A long chain
   goes through a temporary: nested calls would be deeper than compilers read. */
static str exact_run(emit_fn *fn, uint8_t link, const str *operands, uint32_t n) {
  static const struct {
    const char *name;
    uint32_t most;
  } exact[] = {[OP_ADD] = {"add", 4},
               [OP_SUB] = {"sub", 2},
               [OP_MUL] = {"mul", 6},
               [OP_FLOORDIV] = {"floordiv", 2},
               [OP_MOD] = {"mod", 2}};
  enum { DEEPEST = 16 };
  const bool is_long = n > DEEPEST * (exact[link].most - 1);
  const str chain = is_long ? emit_new_chain(fn) : (str){NULL, 0};
  str left = operands[0];
  out_text steps;
  out_init(&steps, fn->op->a);
  for (uint32_t at = 1; at < n;) {
    const uint32_t take = n - at < exact[link].most - 1 ? n - at : exact[link].most - 1;
    out_text o;
    out_init(&o, fn->op->a);
    emit_putf(&o, "roofline_%s", exact[link].name);
    if (take > 1) emit_putf(&o, "%u", take + 1);
    emit_putf(&o, "(%s, $", fn->status, left);
    for (uint32_t i = 0; i < take; i++) emit_putf(&o, ", $", operands[at + i]);
    out_put(&o, STR(")"));
    left = out_str(&o);
    at += take;
    if (!is_long) continue;
    emit_putf(&steps, "$ = $, ", chain, left);
    left = chain;
  }
  return is_long ? emit_format(fn->op->a, "($$)", out_str(&steps), chain) : left;
}

str emit_product(emit_fn *fn, const str *factors, uint32_t n) { return exact_run(fn, OP_MUL, factors, n); }

static cx opaque_step(emit_fn *fn, uint8_t link, cx left, cx right) {
  static const char symbols[] = {[OP_ADD] = '+', [OP_SUB] = '-', [OP_MUL] = '*'};
  const str x = emit_convert(fn, left, REP_FLOAT), y = emit_convert(fn, right, REP_FLOAT);
  if (link == OP_FLOORDIV || link == OP_MOD)
    return cx_of(REP_FLOAT, PREC_PRIMARY,
                 emit_format(fn->op->a, "roofline_float_%s(%s, $, $)", link == OP_MOD ? "mod" : "floordiv",
                             fn->status, x, y));
  const str a = emit_wrap(fn, cx_of(REP_FLOAT, left.prec, x), PREC_UNARY);
  const str b = emit_wrap(fn, cx_of(REP_FLOAT, right.prec, y), PREC_UNARY);
  return cx_of(REP_FLOAT, PREC_PRIMARY, emit_format(fn->op->a, "($ %c $)", a, symbols[link], b));
}

static cx arith(emit_fn *fn, const expr *e) {
  cx left = emit_expr(fn, e->args[0]);
  str *run = arena_array(fn->op->a, str, e->n);
  for (uint32_t i = 1; i < e->n;) {
    const uint8_t link = e->links[i - 1].op;
    uint32_t n = 0;
    cx right = emit_expr(fn, e->args[i]);
    if (is_float(left) || is_float(right)) {
      left = opaque_step(fn, link, left, right);
      i++;
      continue;
    }
    run[n++] = left.text;
    run[n++] = right.text;
    for (i++; i < e->n && e->links[i - 1].op == link; i++) {
      right = emit_expr(fn, e->args[i]);
      if (is_float(right)) break;
      run[n++] = right.text;
    }
    left = cx_of(REP_INT, PREC_PRIMARY, exact_run(fn, link, run, n));
  }
  return left;
}

static cx negation(emit_fn *fn, const expr *e) {
  const cx c = emit_expr(fn, e->args[0]);
  if (c.literal) { /* it has 32 bits */
    cx r = cx_of(REP_INT, c.i > 0 ? PREC_UNARY : PREC_PRIMARY, emit_int(fn->op->a, -c.i));
    r.literal = true;
    r.i = -c.i;
    return r;
  }
  if (is_float(c))
    return cx_of(
        REP_FLOAT, PREC_UNARY,
        emit_format(fn->op->a, "-$",
                    emit_wrap(fn, cx_of(REP_FLOAT, PREC_IF, emit_convert(fn, c, REP_FLOAT)), PREC_PRIMARY)));
  return cx_of(REP_INT, PREC_PRIMARY, emit_format(fn->op->a, "roofline_neg(%s, $)", fn->status, c.text));
}

static cx logic(emit_fn *fn, const expr *e) {
  const char *between = e->op == EX_AND ? " && " : " || ";
  out_text o;
  out_init(&o, fn->op->a);
  for (uint32_t i = 0; i < e->n; i++) {
    const int truth = emit_truth(fn, e->args[i]);
    if (truth >= 0 && truth == (e->op == EX_AND)) continue; /* it decides nothing */
    fn->conditional += o.n > 0;
    const cx c = emit_expr(fn, e->args[i]);
    fn->conditional -= o.n > 0;
    const cx b = cx_of(REP_BOOL, c.prec, emit_convert(fn, c, REP_BOOL));
    emit_putf(&o, "%s$", o.n > 0 ? between : "", emit_wrap(fn, b, PREC_COMPARE));
  }
  return cx_of(REP_BOOL, e->op == EX_AND ? PREC_AND : PREC_OR, out_str(&o));
}

/* A conditional's arms in one representation: enums as strings unless both read the same enum. */
static cx conditional(emit_fn *fn, const expr *e) {
  const int truth = emit_truth(fn, e->args[1]);
  if (truth >= 0) return emit_expr(fn, e->args[truth ? 0 : 2]);
  const cx test = emit_expr(fn, e->args[1]);
  fn->conditional++;
  const cx yes = emit_expr(fn, e->args[0]), no = emit_expr(fn, e->args[2]);
  fn->conditional--;
  rep r = rep_of_kind(e->kind);
  if (yes.rep == no.rep && yes.rep != REP_ENUM) r = yes.rep;
  const cx y = cx_of(r, yes.prec, emit_convert(fn, yes, r)), n = cx_of(r, no.prec, emit_convert(fn, no, r));
  return cx_of(r, PREC_IF,
               emit_format(fn->op->a, "$ ? $ : $", emit_wrap(fn, test, PREC_COMPARE),
                           emit_wrap(fn, y, PREC_UNARY), emit_wrap(fn, n, PREC_UNARY)));
}

/* ---- access ---- */

static cx index_of(emit_fn *fn, const expr *e) {
  const str seq = emit_as(fn, e->args[0], REP_SEQ), at = emit_as(fn, e->args[1], REP_INT);
  return cx_of(REP_INT, PREC_PRIMARY,
               emit_format(fn->op->a, "roofline_seq_at(%s, $, $)", fn->status, seq, at));
}

static cx slice_of(emit_fn *fn, const expr *e) {
  const str seq = emit_as(fn, e->args[0], REP_SEQ);
  const str from = e->args[1] == NULL ? STR("0") : emit_as(fn, e->args[1], REP_INT);
  const str to = e->args[2] == NULL ? STR("INT64_MAX") : emit_as(fn, e->args[2], REP_INT);
  return cx_of(REP_SEQ, PREC_PRIMARY, emit_format(fn->op->a, "roofline_seq_slice($, $, $)", seq, from, to));
}

static cx field_of(emit_fn *fn, const expr *e) {
  const expr *base = e->args[0];
  if (base->kind != NULL && kind_may(base->kind, K_ADT))
    return emit_field_read(fn, emit_expr(fn, base), base->kind, e->name);
  const env *scope = fn->env;
  const expr *name = emit_resolve(base, &scope);
  const symbol *s = name->op == EX_NAME ? entry_symbol(fn->op->e, name->u.s) : NULL;
  if (s == NULL || s->cls == SYM_TENSOR) return emit_expr(fn, base);
  return emit_symbol_read(fn, (uint32_t)(s - fn->op->e->symbols), e->kind); /* v.value */
}

/* ---- tuples ---- */

/* A tuple of integers lives in the reader's memory; a function fills it. */
static cx tuple(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  emit_fn inner = emit_fn_inner(fn);
  emit_find_eager(op, e, inner.eager);
  out_text body, fill, absent, all;
  out_init(&body, op->a);
  out_init(&all, op->a);
  out_init(&fill, op->a);
  out_init(&absent, op->a);
  bool any_absent = false;
  for (uint32_t i = 0; i < e->n; i++) {
    const bool none = e->args[i]->op == EX_NONE;
    const str item = none ? STR("0") : emit_as(&inner, e->args[i], REP_INT);
    emit_linef(&fill, 2, "values[%u] = $;", i, item);
    emit_putf(&absent, "%s%s", i > 0 ? ", " : "", none ? "true" : "false");
    any_absent = any_absent || none;
  }
  if (any_absent) emit_linef(&body, 2, "static const bool absent[] = {$};", out_str(&absent));
  out_put(&body, out_str(&fill));
  if (any_absent) {
    emit_putf(&body, "  roofline_seq result = roofline_seq_of(values, %u);\n", e->n);
    out_put(&body, STR("  result.absent = absent;\n  return result;\n"));
  } else {
    emit_putf(&body, "  return roofline_seq_of(values, %u);\n", e->n);
  }
  emit_fn_put(&inner, &all, out_str(&body));
  const str parameters = emit_format(op->a, "$, int64_t *values", emit_variable_parameters(fn));
  const str name = emit_outline(op, "tuple", "roofline_seq ", parameters, out_str(&all));
  const str items = emit_new_items(fn, e->n);
  return cx_of(REP_SEQ, PREC_PRIMARY, emit_format(op->a, "$($)", name, emit_arguments(fn, items)));
}

/* ---- all of them ---- */

static cx render(emit_fn *fn, const expr *e);

/* A part that stands deep becomes a function of its own: compilers read some 256 levels of brackets. */
static cx outlined_part(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  if (e->kind == NULL || kind_may(e->kind, K_SHAPE | K_SEQ))
    return render(fn, e); /* those need the reader's memory */
  emit_fn inner = emit_fn_inner(fn);
  emit_find_eager(op, e, inner.eager);
  const cx c = emit_expr(&inner, e);
  const rep r = c.rep == REP_ENUM ? REP_VALUE : c.rep;
  if (r == REP_SHAPE || r == REP_SEQ) return render(fn, e);
  out_text body, result;
  out_init(&body, op->a);
  out_init(&result, op->a);
  emit_linef(&result, 2, "return $;", emit_convert(&inner, c, r));
  emit_fn_put(&inner, &body, out_str(&result));
  const str name = emit_outline(op, "part", rep_type(r), emit_variable_parameters(fn), out_str(&body));
  return cx_of(r, PREC_PRIMARY, emit_format(op->a, "$($)", name, emit_arguments(fn, (str){NULL, 0})));
}

cx emit_expr(emit_fn *fn, const expr *e) {
  enum { DEEPEST = 40 };
  if (fn->depth >= DEEPEST && e->n > 0 && e->op != EX_TUPLE) return outlined_part(fn, e);
  fn->depth++;
  const cx c = render(fn, e);
  fn->depth--;
  return c;
}

static cx render(emit_fn *fn, const expr *e) {
  emit_op *op = fn->op;
  if (op->budget == 0) {
    op->exhausted = true;
    return cx_of(REP_INT, PREC_PRIMARY, STR("0"));
  }
  op->budget--;
  cx constant;
  if (emit_constant(fn, e, &constant)) return constant;
  switch ((expr_op)e->op) {
  case EX_INT: {
    cx c = cx_of(REP_INT, PREC_PRIMARY, emit_int(op->a, e->u.i));
    c.literal = e->u.i <= INT32_MAX;
    c.i = e->u.i;
    return c;
  }
  case EX_FLOAT: return cx_of(REP_FLOAT, e->u.f < 0 ? PREC_UNARY : PREC_PRIMARY, emit_float(op->a, e->u.f));
  case EX_BOOL: return cx_of(REP_BOOL, PREC_PRIMARY, e->u.b ? STR("true") : STR("false"));
  case EX_NONE: return cx_of(REP_VALUE, PREC_PRIMARY, STR("roofline_none()"));
  case EX_STRING:
    return cx_of(REP_VALUE, PREC_PRIMARY,
                 emit_format(op->a, "roofline_string($)", emit_quote(op->a, e->u.s)));
  case EX_NAME: return name_read(fn, e);
  case EX_TUPLE: return tuple(fn, e);
  case EX_NEG: return negation(fn, e);
  case EX_NOT: {
    const cx c = emit_expr(fn, e->args[0]);
    const cx b = cx_of(REP_BOOL, c.prec, emit_convert(fn, c, REP_BOOL));
    return cx_of(REP_BOOL, PREC_UNARY, emit_format(op->a, "!$", emit_wrap(fn, b, PREC_UNARY)));
  }
  case EX_ARITH: return arith(fn, e);
  case EX_COMPARE: {
    cx chain = emit_compare(fn, e->args[0], (link_op)e->links[0].op, e->args[1]);
    fn->conditional++;
    for (uint32_t i = 1; i + 1 < e->n; i++) {
      const cx next = emit_compare(fn, e->args[i], (link_op)e->links[i].op, e->args[i + 1]);
      chain = cx_of(
          REP_BOOL, PREC_AND,
          emit_format(op->a, "$ && $", emit_wrap(fn, chain, PREC_AND), emit_wrap(fn, next, PREC_COMPARE)));
    }
    fn->conditional--;
    return chain;
  }
  case EX_AND:
  case EX_OR: return logic(fn, e);
  case EX_IF: return conditional(fn, e);
  case EX_INDEX: return index_of(fn, e);
  case EX_SLICE: return slice_of(fn, e);
  case EX_FIELD: return field_of(fn, e);
  case EX_CALL: return emit_call_expr(fn, e);
  case EX_SPLICE: return emit_expr(fn, e->args[0]);
  default: return cx_of(REP_INT, PREC_PRIMARY, STR("0"));
  }
}
