/* The statements that solve an op's indices from the tensors of a call. language.md §6.

   A step takes one axis (or dtype) of one tensor and gives one index. Steps are put in dependency order
   when the compiler runs: a step is written once everything it reads is solved. Where what is solved
   differs by branch, so that no one order serves, the steps stand in a loop that repeats while it learns. */
#include <string.h>

#include "compiler/emit_internal.h"

enum { MOST_FACTOR_STEPS = 10000, MOST_LET_NODES = 1000 };

typedef enum known { UNSOLVED, SOMETIMES, SOLVED } known;

typedef struct solver {
  emit_fn *fn;
  emit_op *op;
  arena *a;
  known *known; /* by index */
  bool looping; /* run-time flags instead of an order */
  bool progress;
  shape_cases *cases; /* by tensor */
  bool ***done;       /* by tensor, case, axis */
  bool *dtype_done;
  bool **blocked; /* by tensor and case: an axis was left whose index nothing before it gave */
} solver;

/* ---- what an expression reads ---- */

static void reads(const solver *s, const expr *e, const env *scope, bool *out) {
  if (e == NULL) return;
  if (e->op == EX_NAME) {
    const env *at = scope;
    const expr *meant = emit_resolve(e, &at);
    if (meant != e) {
      reads(s, meant, at, out);
      return;
    }
    for (const env *v = scope; v != NULL && !v->closed; v = v->next) {
      if (v->arg == NULL && str_eq(v->name, e->u.s)) return;
    }
    const symbol *sym = entry_symbol(s->op->e, e->u.s);
    if (sym == NULL) return;
    if (sym->cls == SYM_INDEX) out[sym->number] = true;
    if (sym->cls == SYM_LET) reads(s, s->op->e->lets[sym->number].formula.root, NULL, out);
    return;
  }
  env variable = {.name = e->name, .next = scope};
  for (uint32_t i = 0; i < e->n; i++)
    reads(s, e->args[i], e->op == EX_COMPREHENSION && i == 0 ? &variable : scope, out);
}

static known readiness(const solver *s, const expr *e, const env *scope) {
  bool *needs = arena_array(s->a, bool, s->op->e->index_count + 1);
  reads(s, e, scope, needs);
  known least = SOLVED;
  for (uint32_t i = 0; i < s->op->e->index_count; i++) {
    if (needs[i] && !emit_is_list(&s->op->e->indices[i]) && s->known[i] < least) least = s->known[i];
  }
  return least;
}

/* "known_M && known_N": in a loop, what a step waits for. */
static str waits_for(const solver *s, const expr *e, const env *scope) {
  bool *needs = arena_array(s->a, bool, s->op->e->index_count + 1);
  reads(s, e, scope, needs);
  out_text o;
  out_init(&o, s->a);
  for (uint32_t i = 0; i < s->op->e->index_count; i++) {
    if (needs[i] && !emit_is_list(&s->op->e->indices[i]))
      emit_putf(&o, " && solved.$", s->op->fields[s->op->e->indices[i].symbol]);
  }
  return out_str(&o);
}

static bool reads_name(const expr *e) {
  if (e == NULL) return false;
  if (e->op == EX_NAME) return true;
  for (uint32_t i = 0; i < e->n; i++)
    if (reads_name(e->args[i])) return true;
  return false;
}

/* ---- axes ---- */

/* size = factor * index + rest */
typedef struct affine {
  uint32_t index;
  int64_t factor;
  str rest;   /* C text; empty: 0 */
  bool plain; /* the rest needs no status */
} affine;

static const symbol *index_symbol(const solver *s, const expr *e, const env *scope) {
  e = emit_resolve(e, &scope);
  if (e->op != EX_NAME) return NULL;
  const symbol *sym = entry_symbol(s->op->e, e->u.s);
  return sym != NULL && sym->cls == SYM_INDEX ? sym : NULL;
}

static bool occurs(const solver *s, const expr *e, const env *scope, uint32_t index) {
  bool *needs = arena_array(s->a, bool, s->op->e->index_count + 1);
  reads(s, e, scope, needs);
  return needs[index];
}

static str rendered(const solver *s, const expr *e, const env *scope) {
  const env *here = s->fn->env;
  s->fn->env = scope;
  const str text = emit_as(s->fn, e, REP_INT);
  s->fn->env = here;
  return text;
}

static bool read_affine(const solver *s, const expr *e, const env *scope, uint32_t index, affine *out);

static str add_rest(const solver *s, affine *out, const char *how, str other) {
  if (out->rest.n == 0 && how[0] == 'a') return other;
  out->plain = false;
  return emit_format(s->a, "roofline_%s(%s, $, $)", how, s->fn->status,
                     out->rest.n > 0 ? out->rest : STR("0"), other);
}

/* `e + f`, `f + e`, `e - f` */
static bool read_sum(const solver *s, const expr *e, const env *scope, uint32_t index, affine *out) {
  uint32_t at = 0, count = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (!occurs(s, e->args[i], scope, index)) continue;
    at = i;
    count++;
  }
  if (count != 1 || (at > 0 && e->links[at - 1].op != OP_ADD)) return false;
  if (!read_affine(s, e->args[at], scope, index, out)) return false;
  for (uint32_t i = 0; i < e->n; i++) {
    if (i == at) continue;
    const bool minus = i > 0 && e->links[i - 1].op == OP_SUB;
    const str other = rendered(s, e->args[i], scope);
    out->plain = out->plain && memchr(other.p, '(', other.n) == NULL;
    out->rest = add_rest(s, out, minus ? "sub" : "add", other);
  }
  return true;
}

/* The positive number that an expression of no names is, else 0. */
static int64_t literal_factor(const solver *s, const expr *e) {
  if (e->op == EX_INT) return e->u.i;
  fold c = fold_new(s->a, NULL, s->op->e);
  c.f = &s->op->e->flops;
  c.fuel = MOST_FACTOR_STEPS;
  const value v = reads_name(e) ? (value){.tag = V_UNKNOWN} : fold_expr(&c, e);
  return v.tag == V_INT && v.u.i > 0 ? v.u.i : 0;
}

/* `k * e`, `e * k` with positive literals k */
static bool read_product(const solver *s, const expr *e, const env *scope, uint32_t index, affine *out) {
  const expr *inner = NULL;
  roofline_status status = ROOFLINE_OK;
  int64_t factor = 1;
  for (uint32_t i = 0; i < e->n; i++) {
    if (i > 0 && e->links[i - 1].op != OP_MUL) return false;
    if (occurs(s, e->args[i], scope, index)) {
      if (inner != NULL) return false;
      inner = e->args[i];
    } else {
      const int64_t k = literal_factor(s, e->args[i]);
      if (k <= 0) return false;
      factor = roofline_mul(&status, factor, k);
    }
  }
  if (inner == NULL || !read_affine(s, inner, scope, index, out)) return false;
  out->factor = roofline_mul(&status, out->factor, factor);
  if (out->rest.n > 0) {
    out->plain = false;
    out->rest = emit_format(s->a, "roofline_mul(%s, $, $)", s->fn->status, emit_int(s->a, factor), out->rest);
  }
  return status == ROOFLINE_OK;
}

static bool read_affine(const solver *s, const expr *e, const env *scope, uint32_t index, affine *out) {
  const env *at = scope;
  const expr *meant = emit_resolve(e, &at);
  if (meant != e) return read_affine(s, meant, at, index, out);
  const symbol *sym = index_symbol(s, e, scope);
  if (sym != NULL && sym->number == index) {
    *out = (affine){.index = index, .factor = 1, .plain = true};
    return true;
  }
  if (e->op != EX_ARITH) return false;
  const uint8_t link = e->links[0].op;
  if (link == OP_ADD || link == OP_SUB) return read_sum(s, e, scope, index, out);
  return read_product(s, e, scope, index, out);
}

/* ---- steps ---- */

static str index_field(const solver *s, uint32_t index) {
  return s->op->fields[s->op->e->indices[index].symbol];
}

static bool is_wanted(const solver *s, uint32_t index) { return s->looping || s->known[index] != SOLVED; }

static void learn(solver *s, uint32_t index) {
  if (!s->looping) s->known[index] = SOLVED;
  s->progress = true;
}

/* Length of the axes before (or behind) position `axis` of a case: "2", "1 + roofline_bind_len(..)".
   False when a splice among them is not solved yet. *waits collects what they read. */
static bool count_axes(const solver *s, const shape_case *c, uint32_t from, uint32_t to, str *text,
                       str *waits) {
  uint32_t fixed = 0;
  out_text o;
  out_init(&o, s->a);
  for (uint32_t i = from; i < to; i++) {
    const expr *axis = c->shape->args[i];
    if (axis->op != EX_SPLICE) {
      fixed++;
      continue;
    }
    if (!s->looping && readiness(s, axis->args[0], c->env) != SOLVED) return false;
    if (s->looping) {
      const str w = waits_for(s, axis->args[0], c->env);
      *waits = emit_format(s->a, "$$", *waits, w);
    }
    const env *here = s->fn->env;
    s->fn->env = c->env;
    const str seq = emit_as(s->fn, axis->args[0], REP_SEQ);
    s->fn->env = here;
    emit_putf(&o, "roofline_bind_len($) + ", seq);
  }
  emit_putf(&o, "%u", fixed);
  str all = out_str(&o);
  if (fixed == 0 && o.n > 4) all.n -= 4; /* no " + 0" */
  *text = all;
  return true;
}

/* Is a splice's length not known where its tensor's steps stand? */
static bool is_open(const solver *s, const expr *splice, const env *scope) {
  return s->looping ? waits_for(s, splice->args[0], scope).n > 0
                    : readiness(s, splice->args[0], scope) != SOLVED;
}

static bool has_open_splice(const solver *s, const shape_case *c) {
  for (uint32_t i = 0; i < c->shape->n; i++)
    if (c->shape->args[i]->op == EX_SPLICE && is_open(s, c->shape->args[i], c->env)) return true;
  return false;
}

static str tensor_arg(const solver *s, uint32_t tensor) {
  return emit_format(s->a, "args->$", s->op->fields[s->op->e->tensors[tensor].symbol]);
}

/* An unsolved `*S` takes the axes that what stands around it leaves. */
static bool splice_step(solver *s, uint32_t tensor, const shape_case *c, uint32_t axis, uint32_t indent,
                        out_text *o) {
  const symbol *sym = index_symbol(s, c->shape->args[axis]->args[0], c->env);
  if (sym == NULL || !kind_is(sym->kind, K_SHAPE) || !is_wanted(s, sym->number)) return false;
  str left, right, waits = {NULL, 0};
  if (!count_axes(s, c, 0, axis, &left, &waits) || !count_axes(s, c, axis + 1, c->shape->n, &right, &waits))
    return false;
  const str field = index_field(s, sym->number);
  if (s->looping) {
    emit_linef(o, indent, "if (!solved.$$) {", field, waits);
    indent += 2;
  }
  emit_check(o, indent,
             emit_format(s->a, "roofline_bind_splice(error, &names[%u], &$, $, $, &call->$)", tensor,
                         tensor_arg(s, tensor), left, right, field));
  if (s->looping) {
    emit_linef(o, indent, "solved.$ = progress = true;", field);
    emit_linef(o, indent - 2, "}");
  }
  learn(s, sym->number);
  return true;
}

/* Where an axis stands: from the left, or behind an open splice from the right. */
static bool axis_position(const solver *s, uint32_t tensor, const shape_case *c, uint32_t axis, str *text,
                          str *waits) {
  const str arg = tensor_arg(s, tensor);
  str count;
  *waits = (str){NULL, 0};
  bool open_before = false;
  for (uint32_t i = 0; i < axis; i++) {
    const expr *e = c->shape->args[i];
    if (e->op == EX_SPLICE && is_open(s, e, c->env)) open_before = true;
  }
  if (!open_before && count_axes(s, c, 0, axis, &count, waits)) {
    const bool literal = memchr(count.p, '(', count.n) == NULL;
    *text = literal ? emit_format(s->a, "$.dims[$]", arg, count)
                    : emit_format(s->a, "roofline_bind_axis(&$, $)", arg, count);
    return true;
  }
  *waits = (str){NULL, 0};
  if (!count_axes(s, c, axis, c->shape->n, &count, waits)) return false;
  *text = emit_format(s->a, "roofline_bind_axis(&$, $.rank - ($))", arg, arg, count);
  return true;
}

/* An axis as affine in one index, the others being solved; in a loop, *waits says which. */
static bool find_affine(const solver *s, const expr *axis, const env *scope, uint32_t index, affine *out,
                        str *waits) {
  *waits = (str){NULL, 0};
  if (!is_wanted(s, index) || !kind_is(s->op->e->indices[index].kind, K_DIM) ||
      !occurs(s, axis, scope, index))
    return false;
  const known before = s->known[index];
  s->known[index] = SOLVED;
  const bool alone = s->looping || readiness(s, axis, scope) == SOLVED;
  s->known[index] = before;
  if (!alone || !read_affine(s, axis, scope, index, out)) return false;
  bool *needs = arena_array(s->a, bool, s->op->e->index_count + 1);
  reads(s, axis, scope, needs);
  for (uint32_t j = 0; s->looping && j < s->op->e->index_count; j++) {
    if (needs[j] && j != index) *waits = emit_format(s->a, "$ && solved.$", *waits, index_field(s, j));
  }
  return true;
}

static void put_axis(solver *s, uint32_t tensor, const expr *axis, const affine *f, str place,
                     uint32_t indent, out_text *o) {
  const str field = index_field(s, f->index);
  if (f->factor == 1 && f->rest.n == 0) {
    emit_linef(o, indent, "call->$ = $;", field, place);
    return;
  }
  const bool braces = !f->plain && !s->looping; /* a loop's step has its own */
  str rest = f->rest.n > 0 ? f->rest : STR("0");
  if (braces) {
    emit_linef(o, indent, "{");
    indent += 2;
  }
  if (!f->plain) {
    emit_linef(o, indent, "const int64_t rest = $;", rest);
    rest = STR("rest");
  }
  emit_check(o, indent,
             emit_format(s->a, "roofline_bind_affine(error, &names[%u], status, $, $, $, $, &call->$)",
                         tensor, place, emit_int(s->a, f->factor), rest,
                         emit_quoted_text(s->a, expr_print(s->a, axis)), field));
  if (braces) emit_linef(o, indent - 2, "}");
}

/* In a loop an axis of several unsolved indices may give any of them, once it has the others. */
static bool axis_step(solver *s, uint32_t tensor, const shape_case *c, uint32_t axis, uint32_t indent,
                      out_text *o) {
  const expr *e = c->shape->args[axis];
  bool any = false;
  for (uint32_t i = 0; i < s->op->e->index_count; i++) {
    affine f;
    str place, waits, place_waits;
    if (!find_affine(s, e, c->env, i, &f, &waits) || !axis_position(s, tensor, c, axis, &place, &place_waits))
      continue;
    const str field = index_field(s, i);
    if (s->looping) emit_linef(o, indent, "if (!solved.$$$) {", field, waits, place_waits);
    put_axis(s, tensor, e, &f, place, s->looping ? indent + 2 : indent, o);
    if (s->looping) {
      emit_linef(o, indent + 2, "solved.$ = progress = true;", field);
      emit_linef(o, indent, "}");
    }
    learn(s, i);
    any = true;
    if (!s->looping) break;
  }
  return any;
}

/* ---- blocks ---- */

/* Could an axis that is left give an index that is not solved here? */
static bool is_blocked(const solver *s, const shape_case *c, const bool *done) {
  for (uint32_t axis = 0; axis < c->shape->n; axis++) {
    const expr *e = c->shape->args[axis];
    if (done[axis]) continue;
    if (e->op == EX_SPLICE) {
      const symbol *sym = index_symbol(s, e->args[0], c->env);
      if (sym != NULL && kind_is(sym->kind, K_SHAPE) && s->known[sym->number] != SOLVED) return true;
      continue;
    }
    for (uint32_t i = 0; i < s->op->e->index_count; i++) {
      affine f;
      if (s->known[i] != SOLVED && occurs(s, e, c->env, i) && read_affine(s, e, c->env, i, &f)) return true;
    }
  }
  return false;
}

static bool put_steps(solver *s, uint32_t tensor, uint32_t number, uint32_t indent, out_text *o) {
  const shape_case *c = &s->cases[tensor].v[number];
  bool any = false, again = true;
  while (again) {
    again = false;
    for (uint32_t axis = 0; axis < c->shape->n; axis++) {
      bool *done = &s->done[tensor][number][axis];
      if (*done) continue;
      const bool splice = c->shape->args[axis]->op == EX_SPLICE;
      if (!(splice ? splice_step : axis_step)(s, tensor, c, axis, indent, o)) continue;
      *done = any = true;
      again = !s->looping;
    }
  }
  const emit_trial mark = emit_fn_mark(s->fn);
  s->blocked[tensor][number] = !s->looping && is_blocked(s, c, s->done[tensor][number]);
  emit_fn_forget(s->fn, mark);
  return any;
}

/* The rank an exact or least one: checked before axes are read. */
static void put_rank(solver *s, uint32_t tensor, const shape_case *c, uint32_t indent, out_text *o) {
  uint32_t fixed = 0;
  const bool open = has_open_splice(s, c);
  out_text sum;
  out_init(&sum, s->a);
  for (uint32_t i = 0; i < c->shape->n; i++) {
    const expr *axis = c->shape->args[i];
    if (axis->op != EX_SPLICE)
      fixed++;
    else if (!is_open(s, axis, c->env)) {
      const env *here = s->fn->env;
      s->fn->env = c->env;
      emit_putf(&sum, "roofline_bind_len($) + ", emit_as(s->fn, axis->args[0], REP_SEQ));
      s->fn->env = here;
    }
  }
  emit_putf(&sum, "%u", fixed);
  emit_check(o, indent,
             emit_format(s->a, "roofline_bind_rank(error, &names[%u], &$, $, %s)", tensor,
                         tensor_arg(s, tensor), out_str(&sum), open ? "true" : "false"));
}

static bool only_splices(const shape_case *c) {
  for (uint32_t i = 0; i < c->shape->n; i++) {
    if (c->shape->args[i]->op != EX_SPLICE) return false;
  }
  return true;
}

static void dtype_step(solver *s, uint32_t tensor, uint32_t indent, out_text *o) {
  const expr *e = s->op->e->tensors[tensor].dtype.root;
  const symbol *sym = e->op == EX_NAME ? entry_symbol(s->op->e, e->u.s) : NULL;
  if (sym == NULL || sym->cls != SYM_INDEX || s->dtype_done[tensor] || !is_wanted(s, sym->number)) return;
  const str field = index_field(s, sym->number);
  if (s->looping) {
    emit_linef(o, indent, "if (!solved.$) {", field);
    emit_linef(o, indent + 2, "call->$ = $.dtype;", field, tensor_arg(s, tensor));
    emit_linef(o, indent + 2, "solved.$ = progress = true;", field);
    emit_linef(o, indent, "}");
  } else {
    emit_linef(o, indent, "call->$ = $.dtype;", field, tensor_arg(s, tensor));
  }
  s->dtype_done[tensor] = true;
  learn(s, sym->number);
}

/* One tensor: its dtype, and the steps of each of its cases. What every case solves is solved after it. */
static void put_tensor(solver *s, uint32_t tensor, out_text *o) {
  emit_op *op = s->op;
  const tensor_decl *t = &op->e->tensors[tensor];
  const uint32_t n = op->e->index_count, outer = s->looping ? 4 : 2;
  const uint32_t indent = emit_presence_varies(t) ? outer + 2 : outer;
  known *at_first = arena_array(s->a, known, n + 1), *before = arena_array(s->a, known, n + 1);
  known *after = arena_array(s->a, known, n + 1);
  out_text body;
  out_init(&body, s->a);
  memcpy(at_first, s->known, n * sizeof *at_first);
  dtype_step(s, tensor, indent, &body);
  memcpy(before, s->known, n * sizeof *before);
  for (uint32_t i = 0; i < n; i++) after[i] = SOLVED;
  bool opened = false;
  uint32_t chained = 0; /* cases written so far: after all but one, the last needs no test */
  const shape_cases *cases = &s->cases[tensor];
  for (uint32_t i = 0; i < cases->n; i++) {
    const str condition = emit_case_condition(s->fn, &cases->v[i]);
    out_text steps, block;
    out_init(&steps, s->a);
    out_init(&block, s->a);
    const uint32_t inner = condition.n > 0 ? indent + 2 : indent;
    memcpy(s->known, before, n * sizeof *before);
    if (!only_splices(&cases->v[i])) put_rank(s, tensor, &cases->v[i], inner, &block);
    const bool any = put_steps(s, tensor, i, inner, &steps);
    for (uint32_t j = 0; j < n; j++) {
      if (s->known[j] != after[j]) after[j] = i == 0 ? s->known[j] : SOMETIMES;
    }
    if (!any) continue;
    if (condition.n > 0 && opened && i + 1 == cases->n && chained == i)
      emit_linef(&body, indent, "} else {");
    else if (condition.n > 0)
      emit_linef(&body, indent, "%sif ($) {", opened ? "} else " : "", condition);
    chained++;
    opened = opened || condition.n > 0;
    out_put(&body, out_str(&block));
    out_put(&body, out_str(&steps));
  }
  if (opened) emit_linef(&body, indent, "}");
  for (uint32_t j = 0; cases->n > 0 && !s->looping && j < n; j++) {
    const bool gained = after[j] != at_first[j];
    s->known[j] = gained && emit_presence_varies(t) ? SOMETIMES : after[j];
  }
  if (body.n == 0) return;
  emit_linef(o, outer, "/* $: $ */", t->name, emit_comment(s->a, emit_shape_text(op, t)));
  if (emit_presence_varies(t)) emit_linef(o, outer, "if (call->present.$) {", op->fields[t->symbol]);
  out_put(o, out_str(&body));
  if (emit_presence_varies(t)) emit_linef(o, outer, "}");
}

/* ---- conditionals ---- */

static bool holds_parts(const expr *e) {
  return e->op == EX_ARITH || e->op == EX_NEG || e->op == EX_CALL || e->op == EX_TUPLE || e->op == EX_SPLICE;
}

/* The first conditional that an axis may hold: `2 * N if gated else N`, alone or within a sum. */
static const expr *find_conditional(const expr *e) {
  if (e->op == EX_IF) return e;
  for (uint32_t i = 0; holds_parts(e) && i < e->n; i++) {
    const expr *found = find_conditional(e->args[i]);
    if (found != NULL) return found;
  }
  return NULL;
}

static expr *with_arm(arena *a, const expr *e, const expr *conditional, uint32_t arm) {
  if (e == conditional) return e->args[arm];
  if (!holds_parts(e)) return (expr *)e;
  expr *copy = arena_new_of(a, expr);
  *copy = *e;
  copy->args = arena_array(a, expr *, e->n + 1);
  for (uint32_t i = 0; i < e->n; i++) copy->args[i] = with_arm(a, e->args[i], conditional, arm);
  return copy;
}

/* The formal of the case whose argument holds a conditional, for an axis that names it. */
static const env *find_conditional_formal(const expr *axis, const env *scope) {
  if (axis->op == EX_NAME) {
    for (const env *b = scope; b != NULL && !b->closed; b = b->next) {
      if (str_eq(b->name, axis->u.s)) return b->arg != NULL && find_conditional(b->arg) != NULL ? b : NULL;
    }
  }
  for (uint32_t i = 0; holds_parts(axis) && i < axis->n; i++) {
    const env *found = find_conditional_formal(axis->args[i], scope);
    if (found != NULL) return found;
  }
  return NULL;
}

static const env *with_formal(arena *a, const env *scope, const env *formal, const expr *arg) {
  env *copy = arena_new_of(a, env);
  *copy = *scope;
  if (scope == formal)
    copy->arg = arg;
  else
    copy->next = with_formal(a, scope->next, formal, arg);
  return copy;
}

static bool reads_index(const solver *s, const expr *e, const env *scope) {
  bool *needs = arena_array(s->a, bool, s->op->e->index_count + 1);
  reads(s, e, scope, needs);
  for (uint32_t i = 0; i < s->op->e->index_count; i++)
    if (needs[i] && !emit_is_list(&s->op->e->indices[i])) return true;
  return false;
}

static bool is_product(const expr *e) {
  for (uint32_t i = 0; holds_parts(e) && i < e->n; i++)
    if ((e->op == EX_ARITH && i > 0 && e->links[i - 1].op == OP_MUL) || is_product(e->args[i])) return true;
  return false;
}

/* Which arm is taken decides what the axis waits for, or the factor of an index. */
static bool decides(const solver *s, const expr *axis, const env *axis_scope, const expr *conditional,
                    const env *scope) {
  if (reads_index(s, conditional->args[1], scope))
    return false; /* which arm is not known before the index is */
  return reads_index(s, conditional, scope) || (is_product(axis) && reads_index(s, axis, axis_scope));
}

/* Names of lets in an axis written out where the let is a conditional or no index is in it: what is affine
   after folding at a branch may be written through lets. NULL: there is none, or they are too large. */
static expr *with_lets(const solver *s, const expr *e, uint32_t *nodes, bool *any) {
  if (*nodes == 0) return (expr *)e;
  --*nodes;
  const symbol *sym = e->op == EX_NAME ? entry_symbol(s->op->e, e->u.s) : NULL;
  if (sym != NULL && sym->cls == SYM_LET) {
    const expr *let = s->op->e->lets[sym->number].formula.root;
    expr *meant = with_lets(s, let, nodes, any);
    if (find_conditional(meant) == NULL && reads_index(s, let, NULL)) return (expr *)e;
    *any = true;
    return meant;
  }
  if (!holds_parts(e)) return (expr *)e;
  expr *copy = arena_new_of(s->a, expr);
  *copy = *e;
  copy->args = arena_array(s->a, expr *, e->n + 1);
  for (uint32_t i = 0; i < e->n; i++) copy->args[i] = with_lets(s, e->args[i], nodes, any);
  return copy;
}

static expr *copy_shape(arena *a, const expr *shape) {
  expr *copy = arena_new_of(a, expr);
  *copy = *shape;
  copy->args = arena_array(a, expr *, shape->n + 1);
  memcpy(copy->args, shape->args, shape->n * sizeof *shape->args);
  return copy;
}

static bool divides(const expr *e) {
  for (uint32_t i = 1; e->op == EX_ARITH && i < e->n; i++)
    if (e->links[i - 1].op == OP_FLOORDIV || e->links[i - 1].op == OP_MOD) return true;
  return false;
}

/* The same case with the lets of its axes written out, where that may let them be solved. */
static void expand_lets(solver *s, shape_case *c) {
  if (c->env != NULL) return; /* a family's case reads formals alone */
  for (uint32_t axis = 0; axis < c->shape->n; axis++) {
    const expr *e = c->shape->args[axis];
    uint32_t nodes = MOST_LET_NODES;
    bool any = false;
    expr *expanded = with_lets(s, e, &nodes, &any);
    if (!any || nodes == 0 || divides(e) || !reads_index(s, e, NULL)) continue;
    c->shape = copy_shape(s->a, c->shape);
    c->shape->args[axis] = expanded;
  }
}

/* One case into two, one for each arm of a conditional among its axes, the test being a condition like a
   family's match: an axis is affine after folding at the branch (language.md §6). */
static bool split_case(solver *s, const shape_case *c, shape_cases *out) {
  static const pattern arms[] = {{.op = PATTERN_BOOL, .b = true}, {.op = PATTERN_BOOL, .b = false}};
  for (uint32_t axis = 0; axis < c->shape->n; axis++) {
    const expr *e = c->shape->args[axis];
    const expr *conditional = find_conditional(e);
    const env *formal = conditional == NULL ? find_conditional_formal(e, c->env) : NULL;
    if (formal != NULL) conditional = find_conditional(formal->arg);
    const env *scope = formal != NULL ? formal->around : c->env;
    if (conditional == NULL || !decides(s, e, c->env, conditional, scope) ||
        s->op->budget < 2 * c->shape->n + 2)
      continue;
    s->op->budget -= 2 * c->shape->n + 2;
    for (uint32_t arm = 0; arm < 2; arm++) {
      shape_case part = {.env = c->env};
      for (uint32_t i = 0; i < c->args.n; i++) {
        vec_push(s->a, &part.args, c->args.v[i]);
        vec_push(s->a, &part.arg_envs, c->arg_envs.v[i]);
        vec_push(s->a, &part.patterns, c->patterns.v[i]);
        vec_push(s->a, &part.of_presence, c->of_presence.v[i]);
      }
      vec_push(s->a, &part.args, conditional->args[1]);
      vec_push(s->a, &part.arg_envs, scope);
      vec_push(s->a, &part.patterns, &arms[arm]);
      vec_push(s->a, &part.of_presence, false);
      expr *shape = copy_shape(s->a, c->shape);
      if (formal == NULL)
        shape->args[axis] = with_arm(s->a, e, conditional, arm == 0 ? 0 : 2);
      else
        part.env =
            with_formal(s->a, c->env, formal, with_arm(s->a, formal->arg, conditional, arm == 0 ? 0 : 2));
      part.shape = shape;
      if (!split_case(s, &part, out)) vec_push(s->a, out, part);
    }
    return true;
  }
  return false;
}

static void find_cases(solver *s, uint32_t tensor) {
  shape_cases whole = {0};
  emit_shape_cases(s->fn, &s->op->e->tensors[tensor], &whole);
  for (uint32_t i = 0; i < whole.n; i++) {
    expand_lets(s, &whole.v[i]);
    if (!split_case(s, &whole.v[i], &s->cases[tensor])) vec_push(s->a, &s->cases[tensor], whole.v[i]);
  }
}

static void reset(solver *s) {
  const entry *e = s->op->e;
  s->known = arena_array(s->a, known, e->index_count + 1);
  s->done = arena_array(s->a, bool **, e->tensor_count + 1);
  s->dtype_done = arena_array(s->a, bool, e->tensor_count + 1);
  s->blocked = arena_array(s->a, bool *, e->tensor_count + 1);
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    s->done[t] = arena_array(s->a, bool *, s->cases[t].n + 1);
    s->blocked[t] = arena_array(s->a, bool, s->cases[t].n + 1);
    for (uint32_t c = 0; c < s->cases[t].n; c++)
      s->done[t][c] = arena_array(s->a, bool, s->cases[t].v[c].shape->n + 1);
  }
}

static bool any_blocked(const solver *s) {
  for (uint32_t t = 0; t < s->op->e->tensor_count; t++) {
    for (uint32_t c = 0; c < s->cases[t].n; c++) {
      if (s->blocked[t][c]) return true;
    }
  }
  return false;
}

static void put_loop(solver *s, out_text *o) {
  const entry *e = s->op->e;
  reset(s);
  s->looping = true;
  out_put(
      o,
      STR("  /* What is solved differs by branch, so the order is found here: the steps repeat while they\n"
          "     learn. */\n  struct {\n"));
  for (uint32_t i = 0; i < e->index_count; i++) {
    if (!emit_is_list(&e->indices[i])) emit_putf(o, "    bool $;\n", index_field(s, i));
  }
  out_put(o,
          STR("  } solved;\n  memset(&solved, 0, sizeof solved);\n  for (bool progress = true; progress;) {\n"
              "    progress = false;\n"));
  for (uint32_t t = 0; t < e->tensor_count; t++) {
    if (e->tensors[t].role != ROOFLINE_OUTPUT) put_tensor(s, t, o);
  }
  out_put(o, STR("  }\n"));
}

void emit_solve(emit_fn *fn, out_text *o) {
  emit_op *op = fn->op;
  const entry *e = op->e;
  solver s = {.fn = fn, .op = op, .a = op->a};
  s.cases = arena_array(op->a, shape_cases, e->tensor_count + 1);
  for (uint32_t t = 0; t < e->tensor_count; t++) find_cases(&s, t);
  reset(&s);
  out_text ordered;
  out_init(&ordered, op->a);
  do {
    s.progress = false;
    for (uint32_t t = 0; t < e->tensor_count; t++) {
      if (e->tensors[t].role != ROOFLINE_OUTPUT) put_tensor(&s, t, &ordered);
    }
  } while (s.progress);
  if (any_blocked(&s))
    put_loop(&s, o);
  else
    out_put(o, out_str(&ordered));
}
