/* Trees of what the grammar recognizes, and the refusal of what the language has not. */
#include "compiler/syntax.h"
#include "compiler/primitive.h"
#include "grammar/expr.h"

/* What an operator's token means: a link of a chain, or the refusal of an operator of other languages. */
typedef struct operator_info {
  link_op op;
  diag_code refusal;
  const char *help; /* NULL: not refused */
} operator_info;

static const operator_info operators[] = {
    [TOKEN_PLUS] = {.op = OP_ADD},
    [TOKEN_MINUS] = {.op = OP_SUB},
    [TOKEN_STAR] = {.op = OP_MUL},
    [TOKEN_FLOORDIV] = {.op = OP_FLOORDIV},
    [TOKEN_PERCENT] = {.op = OP_MOD},
    [TOKEN_EQ] = {.op = OP_EQ},
    [TOKEN_NE] = {.op = OP_NE},
    [TOKEN_LT] = {.op = OP_LT},
    [TOKEN_LE] = {.op = OP_LE},
    [TOKEN_GT] = {.op = OP_GT},
    [TOKEN_GE] = {.op = OP_GE},
    [TOKEN_IN] = {.op = OP_IN},
    [TOKEN_NOT] = {.op = OP_NOT_IN},
    [TOKEN_AND] = {0}, /* these keep no links */
    [TOKEN_OR] = {0},
    [TOKEN_IS] = {0},
    [TOKEN_SLASH] = {.refusal = SYN_DIVISION, .help = "write '//', floor division, or ceil_div(a, b)"},
    [TOKEN_POWER] = {.refusal = SYN_POWER, .help = "write repeated '*': M * M"},
    [TOKEN_AT] = {.refusal = SYN_OPERATOR, .help = "there are no matrices here; write '*'"},
    [TOKEN_AMPAMP] = {.refusal = SYN_OPERATOR, .help = "write 'and'"},
    [TOKEN_BARBAR] = {.refusal = SYN_OPERATOR, .help = "write 'or'"},
    [TOKEN_BANG] = {.refusal = SYN_OPERATOR, .help = "write 'not'"},
    [TOKEN_AMP] = {.refusal = SYN_OPERATOR, .help = "write 'and' between conditions; bits are not to be had"},
    [TOKEN_BAR] = {.refusal = SYN_OPERATOR, .help = "write 'or' between conditions; bits are not to be had"},
    [TOKEN_CARET] = {.refusal = SYN_OPERATOR,
                     .help = "write '!=' between conditions, repeated '*' for a power"},
    [TOKEN_TILDE] = {.refusal = SYN_OPERATOR, .help = "write 'not'"},
    [TOKEN_SHL] = {.refusal = SYN_OPERATOR, .help = "write '*' with a power of two"},
    [TOKEN_SHR] = {.refusal = SYN_OPERATOR, .help = "write '//' with a power of two"},
    [TOKEN_LTGT] = {.refusal = SYN_OPERATOR, .help = "write '!='"},
    [TOKEN_QUESTION] = {.refusal = SYN_OPERATOR, .help = "write 'a if c else b' for 'c ? a : b'"},
};

static void refuse_operator(syntax *s, const expr_token *sign) {
  const operator_info *info = &operators[sign->code];
  for (uint32_t i = 0; i < s->defects.n; i++) /* `M * / N`: misplaced already */
    if (s->defects.v[i].code == SYN_UNEXPECTED && s->defects.v[i].begin == sign->begin) return;
  str shown = syntax_shown(s, sign->begin, sign->end);
  syntax_refuse(s, info->refusal, sign->begin, sign->end, "unsupported operator '%.*s'", STR_ARG(shown))
      ->help = str_of(info->help);
}

/* ---- nodes ---- */

static expr *node(syntax *s, expr_op op, uint32_t begin, uint32_t end) {
  expr *e = arena_new_of(s->a, expr);
  e->op = (uint8_t)op;
  e->begin = e->at = begin;
  e->end = e->at_end = end;
  return e;
}

static void set_at(expr *e, const expr_token *t) {
  e->at = t->begin;
  e->at_end = t->end;
}

/* Takes the nesting of a node's parts, one more when it is nesting itself. */
static void nest(syntax *s, expr *e, uint32_t more) {
  for (uint32_t i = 0; i < e->n; i++)
    if (e->args[i] != NULL && e->args[i]->depth > e->depth) e->depth = e->args[i]->depth;
  e->depth += more;
  if (e->depth > s->limits->depth) syntax_too_deep(s, e->at, e->at_end);
}

static void set_args(syntax *s, expr *e, uint32_t n, expr *const *args) {
  e->n = n;
  e->args = arena_array(s->a, expr *, n);
  for (uint32_t i = 0; i < n; i++) e->args[i] = args[i];
}

static operand whole(expr *e) { return (operand){e, e->begin, e->end}; }

/* A part that is refused; what stood in it is judged on its own. */
static operand refused_part(syntax *s, uint32_t begin, uint32_t end, uint32_t n, expr *const *args) {
  expr *e = node(s, EX_ERROR, begin, end);
  set_args(s, e, n, args);
  nest(s, e, 1);
  return whole(e);
}

/* A rejected form: nothing in it is judged. */
static operand rejected_form(syntax *s, syntax_defect *d, uint32_t begin, uint32_t end) {
  d->form_begin = begin;
  d->form_end = end;
  return whole(node(s, EX_ERROR, begin, end));
}

operand syntax_leaf(syntax *s, expr_op op, const expr_token *t) {
  expr *e = node(s, op, t->begin, t->end);
  switch (op) {
  case EX_INT: e->u.i = t->u.i; break;
  case EX_FLOAT: e->u.f = t->u.f; break;
  case EX_BOOL: e->u.b = t->code == TOKEN_TRUE; break;
  case EX_STRING:
  case EX_NAME: e->u.s = t->u.s; break;
  default: break;
  }
  return whole(e);
}

/* ---- operators ---- */

chain syntax_chain(operand first) { return (chain){first, NULL}; }

void syntax_join(syntax *s, chain *c, operand x) {
  if (c->rest == NULL) {
    c->rest = arena_new_of(s->a, chain_rest);
    vec_push(s->a, &c->rest->args, c->whole.e);
  }
  vec_push(s->a, &c->rest->args, x.e);
  c->whole.end = x.end;
}

void syntax_link(syntax *s, chain *c, const expr_token *sign, uint32_t sign_end, operand x) {
  syntax_join(s, c, x);
  const operator_info *info = &operators[sign->code];
  expr_link link = {(uint8_t)info->op, sign->begin, sign_end};
  vec_push(s->a, &c->rest->links, link);
  if (sign->code == TOKEN_IS && c->rest->identity.code == 0) {
    c->rest->identity = *sign;
    c->rest->identity.end = sign_end;
  }
  if (info->help == NULL) return;
  refuse_operator(s, sign);
  c->rest->refused = true;
}

/* `bias is None` asks for presence. */
static str instead_of_identity(syntax *s, const chain_rest *rest) {
  const expr *asked = rest->args.v[0];
  bool presence = rest->args.n == 2 && asked->op == EX_NAME && rest->args.v[1]->op == EX_NONE;
  if (!presence) return STR("write 'not present(x)' for 'x is None', '==' between values");
  bool negated = rest->identity.end - rest->identity.begin > 2;
  return arena_printf(s->a, "write '%spresent(%.*s)'", negated ? "" : "not ", STR_ARG(asked->u.s));
}

operand syntax_close(syntax *s, expr_op op, const chain *c) {
  chain_rest *rest = c->rest;
  if (rest == NULL) return c->whole;
  if (rest->identity.code != 0) {
    syntax_defect *d =
        syntax_refuse(s, SYN_IDENTITY, rest->identity.begin, rest->identity.end, "unsupported operator 'is'");
    d->help = instead_of_identity(s, rest);
    return rejected_form(s, d, c->whole.begin, c->whole.end);
  }
  if (rest->refused) return refused_part(s, c->whole.begin, c->whole.end, rest->args.n, rest->args.v);
  expr *e = node(s, op, c->whole.begin, c->whole.end);
  e->args = rest->args.v;
  e->n = rest->args.n;
  e->at = rest->links.v[0].begin;
  e->at_end = rest->links.v[0].end;
  if (op == EX_ARITH || op == EX_COMPARE) e->links = rest->links.v;
  nest(s, e, 0);
  return whole(e);
}

operand syntax_prefix(syntax *s, const expr_token *sign, operand x) {
  if (sign->code == TOKEN_PLUS) {
    syntax_refuse(s, SYN_OPERATOR, sign->begin, sign->end, "unsupported unary '+'")->help =
        STR("leave it out");
    return (operand){x.e, sign->begin, x.end};
  }
  if (sign->code == TOKEN_BANG || sign->code == TOKEN_TILDE) {
    refuse_operator(s, sign);
    return refused_part(s, sign->begin, x.end, 1, &x.e);
  }
  expr *e = node(s, sign->code == TOKEN_NOT ? EX_NOT : EX_NEG, sign->begin, x.end);
  set_at(e, sign);
  set_args(s, e, 1, &x.e);
  nest(s, e, 1);
  return whole(e);
}

operand syntax_power(syntax *s, operand x, const expr_token *sign, operand y) {
  refuse_operator(s, sign);
  return refused_part(s, x.begin, y.end, 2, (expr *[]){x.e, y.e});
}

operand syntax_if(syntax *s, operand value, const expr_token *sign, operand test, operand otherwise) {
  expr *e = node(s, EX_IF, value.begin, otherwise.end);
  set_at(e, sign);
  set_args(s, e, 3, (expr *[]){value.e, test.e, otherwise.e});
  nest(s, e, 1);
  return whole(e);
}

operand syntax_if_without_else(syntax *s, operand value, const expr_token *sign, operand test) {
  /* After a syntax error the `else` may be what was skipped. */
  if (test.e->op != EX_ERROR)
    syntax_refuse(s, SYN_ELSE, sign->begin, sign->end, "'if' without 'else'")->help =
        STR("write 'a if c else b'");
  s->else_at = test.end;
  operand missing = whole(node(s, EX_ERROR, test.end, test.end));
  return syntax_if(s, value, sign, test, missing); /* its test still guards its value */
}

operand syntax_question(syntax *s, operand test, const expr_token *sign, operand value, operand otherwise) {
  refuse_operator(s, sign);
  return refused_part(s, test.begin, otherwise.end, 3, (expr *[]){test.e, value.e, otherwise.e});
}

operand syntax_lambda(syntax *s, const expr_token *sign, operand body) {
  syntax_defect *d = syntax_refuse(s, SYN_LAMBDA, sign->begin, sign->end, "unsupported 'lambda'");
  d->help = STR("write the expression itself, or a 'let'");
  return rejected_form(s, d, sign->begin, body.end);
}

operand syntax_walrus(syntax *s, operand x, const expr_token *sign, operand y) {
  syntax_defect *d = syntax_refuse(s, SYN_WALRUS, sign->begin, sign->end, "unsupported operator ':='");
  d->help = STR("name the value in 'let'");
  return rejected_form(s, d, x.begin, y.end);
}

/* ---- access ---- */

operand syntax_field(syntax *s, operand x, const expr_token *name) {
  expr *e = node(s, EX_FIELD, x.begin, name->end);
  e->name = name->u.s;
  set_at(e, name);
  set_args(s, e, 1, &x.e);
  nest(s, e, 1);
  return whole(e);
}

/* `conv.out` of EX_FIELD and EX_NAME; {0} when the tree is no dotted name. */
static str dotted_name(syntax *s, const expr *e) {
  if (e->parenthesized) return (str){0};
  if (e->op == EX_NAME) return e->u.s;
  if (e->op != EX_FIELD) return (str){0};
  str head = dotted_name(s, e->args[0]);
  return head.n == 0 ? head : arena_printf(s->a, "%.*s.%.*s", STR_ARG(head), STR_ARG(e->name));
}

static void refuse_splice(syntax *s, const element *e) {
  syntax_refuse(s, SYN_SPLICE, e->sign.begin, e->sign.end, "misplaced splice '%s'",
                e->form == ELEMENT_SPLICE ? "*" : "**")
      ->help = STR("'*S' is an axis of a shape: [*S, N]");
}

expr *syntax_plain(syntax *s, const element *e) {
  switch (e->form) {
  case ELEMENT_PLAIN: return e->value.e;
  case ELEMENT_ASSIGNED:
    syntax_refuse(s, SYN_ASSIGNMENT, e->sign.begin, e->sign.end, "misplaced '='")->help =
        STR("write '==' to compare");
    return refused_part(s, e->target.begin, e->value.end, 2, (expr *[]){e->target.e, e->value.e}).e;
  default: refuse_splice(s, e); return refused_part(s, e->sign.begin, e->value.end, 1, &e->value.e).e;
  }
}

/* Gives a node its elements; with `splices`, `*S` among them. */
static void set_elements(syntax *s, expr *e, const element_list *list, bool splices) {
  e->n = list == NULL ? 0 : list->n;
  e->args = arena_array(s->a, expr *, e->n);
  for (uint32_t i = 0; i < e->n; i++) {
    const element *x = &list->v[i];
    if (splices && x->form == ELEMENT_SPLICE) {
      expr *splice = node(s, EX_SPLICE, x->sign.begin, x->value.end);
      set_args(s, splice, 1, &x->value.e);
      nest(s, splice, 0);
      e->args[i] = splice;
    } else {
      e->args[i] = syntax_plain(s, x);
    }
  }
  nest(s, e, 1);
}

element_list *syntax_append(syntax *s, element_list *list, const element *e) {
  if (list == NULL) list = arena_new_of(s->a, element_list);
  vec_push(s->a, list, *e);
  return list;
}

/* language.md §4: a comprehension is the first argument of one of these. A callee that is no function at
   all is for a later stage to refuse, and then nothing inside the call is judged. */
static bool takes_comprehension(str callee) {
  static const primitive_id takers[] = {PRIM_ALL, PRIM_SUM, PRIM_MAX, PRIM_MIN};
  int32_t found = primitive_find(callee);
  for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
    if (found == (int32_t)takers[i]) return true;
  return found < 0 && !parse_is_reserved(callee);
}

/* A comprehension is refused when it is read, and admitted when a call turns out to take it. */
static void admit_comprehension(syntax *s, str callee, expr *first) {
  if (first->op != EX_ERROR || first->name.n == 0 || !takes_comprehension(callee)) return;
  syntax_withdraw(s, SYN_COMPREHENSION_PLACE, first->begin, first->end);
  first->op = EX_COMPREHENSION;
  first->n = 2;
}

operand syntax_comprehension(syntax *s, operand value, const loop *l) {
  uint32_t begin = value.begin, end = l->iterable.end;
  if (l->wrong != NULL) {
    syntax_defect *d =
        syntax_refuse(s, SYN_COMPREHENSION_FORM, begin, end, "a comprehension with %s", l->wrong);
    d->help = STR("write 'f(x) for x in s', with a conditional inside f for a filter");
    return rejected_form(s, d, begin, end);
  }
  syntax_defect *d = syntax_refuse(s, SYN_COMPREHENSION_PLACE, begin, end, "misplaced comprehension");
  d->help = STR("it may be the first argument of all, sum, max or min");
  operand form = rejected_form(s, d, begin, end);
  expr *e = form.e;
  e->name = l->variable;
  e->at = l->begin;
  e->at_end = l->end;
  set_args(s, e, 2, (expr *[]){value.e, l->iterable.e});
  nest(s, e, 1);
  e->n = 0;
  return form;
}

/* Order and names of keyword arguments. False: refused, and the call is not judged as one. */
static bool set_keywords(syntax *s, expr *call, const element_list *list) {
  bool good = true;
  for (uint32_t i = 0; i < call->n; i++) {
    const element *e = &list->v[i];
    if (e->form != ELEMENT_ASSIGNED) {
      if (call->positional == i) {
        call->positional++;
        continue;
      }
      syntax_refuse(s, SYN_ARGUMENT_ORDER, e->value.begin, e->value.end,
                    "a positional argument follows a named one")
          ->help = STR("write the positional arguments first");
      good = false;
      continue;
    }
    if (call->keywords == NULL) call->keywords = arena_array(s->a, str, call->n - i);
    if (e->target.e->op != EX_NAME || e->target.e->parenthesized) {
      syntax_refuse(s, SYN_ASSIGNMENT, e->sign.begin, e->sign.end, "misplaced '='")->help =
          STR("write '==' to compare");
      good = false;
      continue;
    }
    call->keywords[i - call->positional] = e->target.e->u.s;
    /* Only two keywords exist, so a call that has more than a few is refused for its first ones. */
    for (uint32_t j = call->positional; j < i && j < call->positional + 8; j++) {
      const element *before = &list->v[j];
      if (before->form != ELEMENT_ASSIGNED || !str_eq(call->keywords[j - call->positional], e->target.e->u.s))
        continue;
      syntax_defect *d = syntax_refuse(s, SYN_ARGUMENT_TWICE, e->target.begin, e->target.end,
                                       "argument '%.*s' is given twice", STR_ARG(e->target.e->u.s));
      d->related_begin = before->target.begin;
      d->related_end = before->target.end;
      d->related = STR("first given here");
      good = false;
      break;
    }
  }
  return good;
}

operand syntax_call(syntax *s, operand callee, elements es, const expr_token *close) {
  str name = dotted_name(s, callee.e);
  if (name.n != 0 && str_is(name, "isinstance")) {
    syntax_defect *d = syntax_refuse(s, SYN_ISINSTANCE, callee.begin, callee.end, "unsupported 'isinstance'");
    d->help = STR("write per_axis(v, i, n) for a value that is a scalar or a sequence");
    return rejected_form(s, d, callee.begin, close->end);
  }
  expr *e = node(s, EX_CALL, callee.begin, close->end);
  e->name = name;
  e->at = callee.begin;
  e->at_end = callee.end;
  e->n = es.list == NULL ? 0 : es.list->n;
  e->args = arena_array(s->a, expr *, e->n);
  for (uint32_t i = 0; i < e->n; i++) {
    const element *x = &es.list->v[i];
    e->args[i] = x->form == ELEMENT_ASSIGNED ? x->value.e : syntax_plain(s, x);
  }
  bool good = set_keywords(s, e, es.list);
  if (name.n == 0) {
    const expr *base = callee.e;
    while (base->op == EX_FIELD) base = base->args[0];
    if (base->op != EX_ERROR)
      syntax_refuse(s, SYN_CALLEE, callee.begin, callee.end, "only a primitive can be called")->help =
          STR("a call is name(..)");
    good = false;
  } else if (e->positional > 0) {
    admit_comprehension(s, name, e->args[0]);
  }
  nest(s, e, 1);
  if (!good) {
    e->op = EX_ERROR;
    e->name = (str){0};
  }
  return whole(e);
}

operand syntax_index(syntax *s, operand x, const expr_token *open, elements es, const expr_token *close) {
  uint32_t n = es.list == NULL ? 0 : es.list->n;
  expr *e = node(s, n == 1 && !es.comma ? EX_INDEX : EX_ERROR, x.begin, close->end);
  if (e->op == EX_ERROR)
    syntax_refuse(s, SYN_INDEX, open->begin, close->end,
                  n == 0 ? "an index is missing" : "one index, not several")
        ->help = STR("write s[i] or s[a:b]");
  set_elements(s, e, es.list, false);
  expr **args = arena_array(s->a, expr *, e->n + 1);
  args[0] = x.e;
  for (uint32_t i = 0; i < e->n; i++) args[i + 1] = e->args[i];
  e->args = args;
  e->n++;
  e->depth = 0;
  nest(s, e, 1);
  return whole(e);
}

operand syntax_slice(syntax *s, operand x, const operand bounds[3], const expr_token *second_colon,
                     const expr_token *close) {
  expr *e = node(s, EX_SLICE, x.begin, close->end);
  set_args(s, e, 3, (expr *[]){x.e, bounds[0].e, bounds[1].e});
  nest(s, e, 1);
  if (second_colon == NULL) return whole(e);
  syntax_refuse(s, SYN_INDEX, second_colon->begin, second_colon->end, "a slice has no step")->help =
      STR("write s[a:b]");
  expr *args[4];
  uint32_t n = 0;
  args[n++] = x.e;
  for (uint32_t i = 0; i < 3; i++)
    if (bounds[i].e != NULL) args[n++] = bounds[i].e;
  return refused_part(s, e->begin, e->end, n, args);
}

/* ---- displays ---- */

operand syntax_parenthesized(syntax *s, const expr_token *open, elements es, const expr_token *close) {
  if (es.list == NULL || es.list->n > 1 || es.comma) {
    expr *e = node(s, EX_TUPLE, open->begin, close->end);
    set_elements(s, e, es.list, false);
    return whole(e);
  }
  expr *e = syntax_plain(s, &es.list->v[0]);
  e->parenthesized = true;
  nest(s, e, 1);
  return (operand){e, open->begin, close->end};
}

operand syntax_list(syntax *s, const expr_token *open, const expr_token *close) {
  syntax_defect *d = syntax_refuse(s, SYN_LIST, open->begin, close->end, "unsupported list");
  d->help = STR("write a tuple, (a, b)");
  return rejected_form(s, d, open->begin, close->end);
}

operand syntax_set(syntax *s, const expr_token *open, const expr_token *close) {
  syntax_defect *d = syntax_refuse(s, SYN_SET, open->begin, close->end, "unsupported set or mapping");
  d->help = STR("write unique_axes(axes, rank) to require distinct axes, a tuple (a, b) for 'in'");
  return rejected_form(s, d, open->begin, close->end);
}

/* ---- shapes ---- */

operand syntax_shape(syntax *s, const expr_token *open, elements es, const expr_token *close) {
  expr *e = node(s, EX_SHAPE, open->begin, close->end);
  set_elements(s, e, es.list, true);
  uint32_t axes = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->args[i]->op == EX_SPLICE || ++axes <= s->limits->rank) continue;
    syntax_refuse(s, SYN_RANK, e->args[i]->begin, e->args[i]->end,
                  "a shape of more than %u axes (--max-rank)", s->limits->rank);
    e->op = EX_ERROR;
    break;
  }
  return whole(e);
}

operand syntax_family(syntax *s, const expr_token *name, elements es, const expr_token *close) {
  expr *e = node(s, EX_APPLY, name->begin, close->end);
  e->name = name->u.s;
  set_at(e, name);
  set_elements(s, e, es.list, false);
  return whole(e);
}

operand syntax_no_shape(syntax *s, uint32_t begin, uint32_t end, const char *instead) {
  syntax_defect *d = syntax_refuse(s, SYN_SHAPE, begin, end, "something other than a shape");
  d->help = str_of(instead);
  return rejected_form(s, d, begin, end);
}

/* ---- kinds and types ---- */

static void set_chain(syntax *s, expr *e, const chain *c) {
  if (c->rest != NULL) {
    e->n = c->rest->args.n;
    e->args = c->rest->args.v;
  } else {
    set_args(s, e, 1, &c->whole.e);
  }
}

operand syntax_union(syntax *s, const chain *arms) {
  expr *e = node(s, EX_UNION, arms->whole.begin, arms->whole.end);
  set_chain(s, e, arms);
  nest(s, e, 0);
  return whole(e);
}

operand syntax_generic(syntax *s, operand name, const chain *args, const expr_token *close) {
  expr *e = node(s, EX_GENERIC, name.begin, close->end);
  e->name = name.e->u.s;
  e->at = name.begin;
  e->at_end = name.end;
  set_chain(s, e, args);
  nest(s, e, 1);
  return whole(e);
}

operand syntax_dotted(syntax *s, operand name, const expr_token *part) {
  expr *e = name.e;
  e->u.s = arena_printf(s->a, "%.*s.%.*s", STR_ARG(e->u.s), STR_ARG(part->u.s));
  e->end = e->at_end = part->end;
  return whole(e);
}
