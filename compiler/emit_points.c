/* Bodies folded at discriminant points: which discriminants a body switches on, the body at each of their
   combinations, equal bodies once. The others stay C conditionals. codegen.md §2. */
#include <string.h>

#include "compiler/emit_internal.h"
#include "compiler/points.h"

enum {
  MOST_POINTS = 64,     /* more combinations stay C conditionals, all of them */
  MOST_STEPS = 1000000, /* of the folder, for one body: what it cannot decide then is decided at run time */
};

/* ---- what is known at a point ---- */

static value known(const emit_fn *fn, const env *scope, const expr *e) {
  const value unknown = {.tag = V_UNKNOWN};
  e = emit_resolve(e, &scope);
  if (fn->point == NULL || scope != NULL)
    return unknown; /* a family's formals and loop variables are not its */
  fold *c = fn->point;
  c->status = ROOFLINE_OK;
  c->f = &fn->op->e->flops;
  return fold_expr(c, e);
}

/* Reads and operators whose value discriminants alone may give. */
static bool may_be_known(const expr *e) {
  switch ((expr_op)e->op) {
  case EX_NAME:
  case EX_FIELD:
  case EX_COMPARE:
  case EX_AND:
  case EX_OR:
  case EX_NOT:
  case EX_IF:
  case EX_NEG:
  case EX_ARITH:
  case EX_CALL: return true;
  default: return false;
  }
}

int emit_truth(const emit_fn *fn, const expr *e) {
  if (fn->point == NULL || e == NULL) return -1;
  const value v = known(fn, fn->env, e);
  return v.tag == V_BOOL ? v.u.b : -1;
}

bool emit_constant(const emit_fn *fn, const expr *e, cx *out) {
  if (fn->point == NULL || fn->env != NULL || !may_be_known(e)) return false;
  const value v = known(fn, NULL, e);
  *out = (cx){.prec = PREC_PRIMARY};
  if (v.tag == V_BOOL) {
    out->rep = REP_BOOL;
    out->text = v.u.b ? STR("true") : STR("false");
  } else if (v.tag == V_INT) {
    out->rep = REP_INT;
    out->text = emit_int(fn->op->a, v.u.i);
    out->prec = v.u.i < 0 ? PREC_UNARY : PREC_PRIMARY;
    out->literal = v.u.i <= INT32_MAX && v.u.i >= -INT32_MAX;
    out->i = v.u.i;
  }
  return out->text.n > 0;
}

int emit_is_present(const emit_fn *fn, const tensor_decl *t) {
  if (!emit_presence_varies(t)) return 1;
  return fn->point == NULL ? -1 : fold_present(fn->point, fn->op->e->symbols[t->symbol].number);
}

/* Does the pattern look at a field that the point leaves open? */
static bool looks_at_open(const pattern *p, const value *v) {
  bool open = false;
  for (uint32_t i = 0; p->op == PATTERN_CTOR && i < p->field_count; i++)
    open = open || (v->n >> p->fields[i].field & 1) != 0;
  return open && (uint32_t)v->u.adt->ctor == p->ctor;
}

int emit_matches(const emit_fn *fn, const family_decl *f, uint32_t match, const pattern *p, const expr *arg,
                 const env *around) {
  if (fn->point == NULL) return -1;
  const expr *whole = emit_resolve(arg, &around);
  const value v = known(fn, around, whole);
  if (!fold_match_decided(&f->matches[match], whole, &v)) return -1;
  if (v.tag == V_ADT && looks_at_open(p, &v)) return -1;
  return fold_pattern_holds(p, &v, f->formals[f->matches[match].formal].kind);
}

/* ---- the discriminants a body switches on ---- */

/* A discriminant as a digit of the switch: its text in C, and the values the digit takes. */
typedef struct digit {
  uint32_t symbol;
  str text;
  uint32_t count, first; /* the values first, first + 1, ... */
  const value *choices;
  const str *constants; /* NULL: plain numbers */
} digit;

typedef VEC(digit) digit_list;

/* Of an ADT only the constructor is switched on: its finite fields stay C conditionals. All constructors
   count, those that no value can have too: the digit is a constructor's number. */
static void adt_digit(emit_op *op, digit *d) {
  const symbol *s = &op->e->symbols[d->symbol];
  const adt *t = s->kind->adt;
  const bool maybe = kind_may(s->kind, K_NONE);
  const str field = op->fields[d->symbol];
  value *choices = arena_array(op->a, value, t->ctor_count + 1);
  uint32_t n = 0;
  if (maybe) choices[n++] = value_none();
  for (uint32_t i = 0; i < t->ctor_count; i++) {
    roofline_adt *v = arena_new_of(op->a, roofline_adt);
    *v = (roofline_adt){t->type, (int32_t)i, {0}};
    choices[n++] = (value){.tag = V_ADT, .n = UINT32_MAX, .u.adt = v};
  }
  d->choices = choices;
  d->count = n;
  d->text = maybe ? emit_format(op->a, "(call->$.type != NULL ? call->$.ctor + 1 : 0)", field, field)
                  : emit_format(op->a, "call->$.ctor", field);
  if (!maybe) d->constants = emit_adt_tags(op->em, t)->constants;
}

static digit digit_of(emit_op *op, const axis *x) {
  const symbol *s = &op->e->symbols[x->symbol];
  const str field = op->fields[x->symbol];
  digit d = {.symbol = x->symbol, .count = x->count, .choices = x->choices};
  if (s->cls == SYM_TENSOR) {
    d.text = emit_format(op->a, "call->present.$", field);
  } else if (op->reps[x->symbol] == REP_ENUM) {
    const enum_source *members = op->sources[x->symbol];
    d.text = emit_format(op->a, "call->$", field);
    d.first = members->maybe ? 0 : members->first;
    if (!members->maybe) d.constants = members->constants;
  } else if (kind_may(s->kind, K_ADT)) {
    adt_digit(op, &d);
  } else if (op->reps[x->symbol] == REP_BOOL) {
    d.text = emit_format(op->a, "call->$", field);
  } else { /* present or not: the choices of a Maybe[Bool] are three, and it is stored as a value */
    d.count = kind_is(s->kind, K_BOOL | K_NONE) ? 0 : x->count;
    d.text = op->reps[x->symbol] == REP_DTYPE
                 ? emit_format(op->a, "(call->$ != ROOFLINE_DTYPE_NONE)", field)
                 : emit_format(op->a, "(call->$.tag != ROOFLINE_TAG_NONE)", field);
  }
  return d;
}

/* `nodes`: what writing one body takes of the op's budget. */
static digit_list find_digits(emit_op *op, const bool *decides, uint32_t nodes) {
  digit_list digits = {0};
  if (memchr(decides, true, op->e->symbol_count) == NULL) return digits;
  points p;
  points_find(op->a, op->e, 0, &p); /* of an ADT constructors are enough */
  uint64_t combinations = 1;
  for (uint32_t i = 0; i < p.axis_count && combinations <= MOST_POINTS; i++) {
    if (!decides[p.axes[i].symbol]) continue;
    const digit d = digit_of(op, &p.axes[i]);
    if (d.count < 2) continue;
    vec_push(op->a, &digits, d);
    combinations *= d.count;
  }
  if (combinations > MOST_POINTS || combinations * nodes > op->budget) digits.n = 0;
  return digits;
}

static bool next_point(const digit_list *digits, uint32_t *choice) {
  for (uint32_t i = digits->n; i-- > 0; choice[i] = 0)
    if (++choice[i] < digits->v[i].count) return true;
  return false;
}

/* ---- bodies ---- */

typedef struct body {
  str text, name;
  str labels, points; /* `case ..:` lines; where it holds, for people */
} body;

static str choice_text(emit_op *op, const digit *d, uint32_t choice) {
  const symbol *s = &op->e->symbols[d->symbol];
  const value *v = &d->choices[choice];
  if (s->cls == SYM_TENSOR) return emit_format(op->a, "$ %s", s->name, v->u.b ? "present" : "absent");
  if (v->tag == V_ADT) return emit_format(op->a, "$ is $", s->name, s->kind->adt->ctors[v->u.adt->ctor].name);
  if (v->tag == V_UNKNOWN) return emit_format(op->a, "$ given", s->name);
  return emit_format(op->a, "$=$", s->name, value_text(op->a, v));
}

static str point_text(emit_op *op, const digit_list *digits, const uint32_t *choice) {
  out_text o;
  out_init(&o, op->a);
  for (uint32_t i = 0; i < digits->n; i++)
    emit_putf(&o, "%s$", i > 0 ? ", " : "", choice_text(op, &digits->v[i], choice[i]));
  return out_str(&o);
}

static str label(emit_op *op, const digit_list *digits, const uint32_t *choice, str point) {
  const digit *only = &digits->v[0];
  if (digits->n == 1 && only->constants != NULL)
    return emit_format(op->a, "  case $:\n", only->constants[choice[0]]);
  uint32_t number = digits->n == 1 ? only->first : 0;
  for (uint32_t i = 0, weight = 1; i < digits->n; i++) {
    const uint32_t at = digits->n - 1 - i;
    number += choice[at] * weight;
    weight *= digits->v[at].count;
  }
  return emit_format(op->a, "  case %u: /* $ */\n", number, emit_comment(op->a, point));
}

/* The digits as one number, the last one counting single. */
static str selector(emit_op *op, const digit_list *digits) {
  str text = digits->v[0].text;
  for (uint32_t i = 0; i < digits->n; i++) {
    const digit *d = &digits->v[i];
    const str own = d->first > 0 && digits->n > 1 ? emit_format(op->a, "$ - %u", d->text, d->first) : d->text;
    if (i == 0)
      text = own;
    else
      text =
          emit_format(op->a, i > 1 || d[-1].first > 0 ? "%u * ($) + $" : "%u * $ + $", d->count, text, own);
  }
  return text;
}

static void keep_body(emit_op *op, body *bodies, uint32_t *count, str text, str labels, str point) {
  uint32_t i = 0;
  while (i < *count && !str_eq(bodies[i].text, text)) i++;
  body *b = &bodies[i];
  if (i == *count) *b = (body){.text = text};
  *count += i == *count;
  b->labels = emit_format(op->a, "$$", b->labels, labels);
  b->points = b->points.n == 0 ? point : emit_format(op->a, "$; $", b->points, point);
}

/* Every accepted combination's body. A combination that a refinement excludes has none. */
static uint32_t find_bodies(emit_op *op, const digit_list *digits, emit_part *part, body *bodies) {
  uint32_t choice[MOST_POINTS] = {0}, count = 0;
  do {
    fold c = fold_new(op->a, NULL, op->e);
    c.fuel = MOST_STEPS;
    for (uint32_t i = 0; i < digits->n; i++) c.slots[digits->v[i].symbol] = digits->v[i].choices[choice[i]];
    bool rejected = false;
    for (uint32_t i = 0; i < op->e->rule_count && !rejected; i++) {
      const value v = fold_formula(&c, &op->e->rules[i]);
      rejected = v.tag == V_BOOL && !v.u.b;
    }
    if (rejected) continue;
    const str point = point_text(op, digits, choice);
    keep_body(op, bodies, &count, part(op, &c), label(op, digits, choice, point), point);
  } while (next_point(digits, choice));
  return count;
}

static void put_function(emit_op *op, body *b, const char *base, const char *parameter) {
  out_text *o = &op->helpers;
  b->name = names_free(&op->statics, emit_format(op->a, "$_%s", op->symbol, base));
  emit_block_comment(o, 0, emit_format(op->a, "At $.", b->points));
  emit_linef(o, 0, "static roofline_status $(const $ *call, %s) {", b->name, op->call_type, parameter);
  if (!emit_mentions(b->text, STR("call"))) out_put(o, STR("  (void)call;\n"));
  out_put(o, b->text);
  out_put(o, STR("}\n\n"));
}

/* The only discriminant, when it is a flag: no switch says it better. */
static bool put_flag(out_text *o, const digit_list *digits, const body *bodies, uint32_t count,
                     const char *argument) {
  const digit *d = &digits->v[0];
  if (digits->n != 1 || d->count != 2 || d->first != 0 || d->constants != NULL || count != 2) return false;
  emit_linef(o, 2, "return $ ? $(call, %s) : $(call, %s);", d->text, bodies[1].name, argument, bodies[0].name,
             argument);
  return true;
}

static void put_switch(emit_op *op, out_text *o, const digit_list *digits, const body *bodies, uint32_t count,
                       const char *argument) {
  if (put_flag(o, digits, bodies, count, argument)) return;
  emit_linef(o, 2, "switch ($) {", selector(op, digits));
  for (uint32_t i = 0; i < count; i++) {
    out_put(o, bodies[i].labels);
    emit_linef(o, 4, "return $(call, %s);", bodies[i].name, argument);
  }
  out_put(o, STR("  default: return ROOFLINE_E_UNCHECKED; /* no accepted call is here */\n  }\n"));
}

/* What rendering leaves in an op besides its text, to be put back when the text is not kept. */
typedef struct traces {
  size_t helpers;
  uint32_t outlined, statics;
  str *names, *let_functions;
} traces;

static str *copy_names(arena *a, const str *from, uint32_t n) {
  str *to = arena_array(a, str, n + 1);
  if (n > 0) memcpy(to, from, n * sizeof *to);
  return to;
}

static traces traces_of(emit_op *op) {
  return (traces){op->helpers.n, op->outlined_count, op->statics.sorted.n,
                  copy_names(op->a, op->statics.sorted.v, op->statics.sorted.n),
                  copy_names(op->a, op->let_functions, op->e->let_count)};
}

static void remove_traces(emit_op *op, const traces *t) {
  op->helpers.n = t->helpers;
  op->outlined_count = t->outlined;
  op->statics.sorted.n = t->statics;
  if (t->statics > 0) memcpy(op->statics.sorted.v, t->names, t->statics * sizeof *t->names);
  op->let_functions = t->let_functions;
}

void emit_at_points(emit_op *op, out_text *o, const char *base, const char *parameter, const char *argument,
                    emit_part *part) {
  const traces before = traces_of(op);
  const uint32_t budget = op->budget;
  bool *decides = op->decides = arena_array(op->a, bool, op->e->symbol_count + 1);
  str text = part(op, NULL);
  op->decides = NULL;
  const digit_list digits = find_digits(op, decides, (budget - op->budget + 1));
  body *bodies = arena_array(op->a, body, MOST_POINTS);
  uint32_t count = 0;
  if (digits.n > 0) {
    remove_traces(op, &before);
    count = find_bodies(op, &digits, part, bodies);
    text = bodies[0].text;
  }
  if (count <= 1) {
    out_put(o, text);
    return;
  }
  for (uint32_t i = 0; i < count; i++) put_function(op, &bodies[i], base, parameter);
  put_switch(op, o, &digits, bodies, count, argument);
}
