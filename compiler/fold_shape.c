/* Shapes: type families applied, axes folded. language.md §5. */
#include "compiler/fold.h"
#include "roofline/primitive.h"

bool fold_pattern_holds(const pattern *p, const value *v, const kind *k) {
  switch (p->op) {
  case PATTERN_ANY: return true;
  case PATTERN_BOOL: return v->tag == V_BOOL && v->u.b == p->b;
  case PATTERN_PRESENT: return (v->tag != V_NONE) == p->b;
  case PATTERN_STRING: return v->tag == V_STRING && str_eq(v->u.s, p->s);
  case PATTERN_CTOR: break;
  }
  if (v->tag != V_ADT || (uint32_t)v->u.adt->ctor != p->ctor) return false;
  const adt_ctor *ctor = &k->adt->ctors[p->ctor];
  for (uint32_t i = 0; i < p->field_count; i++) {
    int64_t raw = v->u.adt->fields[p->fields[i].field];
    const value *want = &p->fields[i].value;
    bool same = want->tag == V_BOOL ? (raw != 0) == want->u.b
                                    : kind_member(ctor->fields[p->fields[i].field].kind, want->u.s) == raw;
    if (!same) return false;
  }
  return true;
}

bool fold_match_decided(const family_match *m, const expr *arg, const value *v) {
  if (m->of_presence && v->tag == V_UNKNOWN) return v->n == 1 || !kind_may(arg->kind, K_NONE);
  return m->of_presence || v->tag == V_BOOL || v->tag == V_STRING || v->tag == V_ADT || v->tag == V_NONE;
}

static shape_fate no_one_case(fold *c, fold_shape *out, const family_decl *family, const value *matched,
                              const family_case *first, const family_case *second) {
  value *kept = arena_array(c->a, value, family->match_count);
  for (uint32_t m = 0; m < family->match_count; m++) kept[m] = matched[m];
  out->family = family;
  out->matched = kept;
  out->first = first;
  out->second = second;
  return second != NULL ? SHAPE_MANY_CASES : SHAPE_NO_CASE;
}

static shape_fate choose_case(fold *c, const family_decl *family, const fold_scope *scope, fold_shape *out,
                              const family_case **chosen) {
  value matched[16];
  if (family->match_count > 16) return SHAPE_UNJUDGED;
  for (uint32_t m = 0; m < family->match_count; m++) {
    expr name = {.op = EX_NAME, .symbol = (int32_t)family->matches[m].formal, .u.s = {"", 0}};
    const fold_scope *outer = c->scope;
    const formula *text = c->f;
    c->scope = scope;
    matched[m] = fold_expr(c, &name);
    c->scope = outer;
    c->f = text;
    const expr *arg = scope->args[family->matches[m].formal];
    if (!fold_match_decided(&family->matches[m], arg, &matched[m])) {
      out->at_text = scope->outer_text;
      out->at = arg;
      return SHAPE_UNDECIDED;
    }
  }
  *chosen = NULL;
  if (family->by_string.slots != NULL && matched[0].tag == V_STRING) {
    int64_t found = name_index_find(&family->by_string, matched[0].u.s);
    if (found < 0) return no_one_case(c, out, family, matched, NULL, NULL);
    *chosen = &family->cases[found];
    return SHAPE_FOUND;
  }
  for (uint32_t i = 0; i < family->case_count; i++) {
    bool holds = family->cases[i].state == FACT_VALID;
    for (uint32_t m = 0; holds && m < family->match_count; m++)
      holds = fold_pattern_holds(&family->cases[i].when[m], &matched[m],
                                 family->formals[family->matches[m].formal].kind);
    if (!holds) continue;
    if (*chosen != NULL) return no_one_case(c, out, family, matched, *chosen, &family->cases[i]);
    *chosen = &family->cases[i];
  }
  if (*chosen != NULL) return SHAPE_FOUND;
  for (uint32_t i = 0; i < family->case_count; i++)
    if (family->cases[i].state != FACT_VALID) return SHAPE_UNJUDGED;
  return no_one_case(c, out, family, matched, NULL, NULL);
}

shape_fate fold_find_shape(fold *c, const formula *f, fold_shape *out) {
  *out = (fold_shape){.f = f};
  for (uint32_t depth = 0; depth < c->max_families; depth++) {
    if (f->root == NULL || !f->judged) return SHAPE_UNJUDGED;
    if (f->root->op != EX_APPLY) {
      out->f = f;
      out->shape = f->root;
      return SHAPE_FOUND;
    }
    if (f->root->symbol < 0) return SHAPE_UNJUDGED;
    const family_decl *family = &c->e->families[f->root->symbol];
    if (family->state != FACT_VALID) return SHAPE_UNJUDGED;
    fold_scope *scope = arena_new_of(c->a, fold_scope);
    *scope = (fold_scope){family, f->root->args, arena_array(c->a, fold_memo, family->formal_count + 1),
                          out->scope, f};
    const family_case *chosen = NULL;
    shape_fate fate = choose_case(c, family, scope, out, &chosen);
    if (fate != SHAPE_FOUND) return fate;
    out->scope = scope;
    f = &chosen->is;
  }
  return SHAPE_TOO_DEEP;
}

bool fold_axes(fold *c, const fold_shape *s, roofline_shape *out) {
  bool known = true;
  c->f = s->f;
  c->scope = s->scope;
  c->vars = NULL;
  out->rank = 0;
  for (uint32_t i = 0; i < s->shape->n; i++) {
    const expr *axis = s->shape->args[i];
    bool splice = axis->op == EX_SPLICE;
    value v = fold_expr(c, splice ? axis->args[0] : axis);
    if (splice ? v.tag != V_SEQ : v.tag != V_INT) {
      known = false;
      continue;
    }
    int64_t n = splice ? v.u.q.len : 1;
    for (int64_t j = 0; j < n; j++) {
      int64_t dim = splice ? roofline_seq_item(&v.u.q, j) : v.u.i;
      if (dim < 0 || out->rank == ROOFLINE_MAX_RANK || (splice && roofline_seq_absent(&v.u.q, j))) {
        if (c->status == ROOFLINE_OK) {
          c->status = ROOFLINE_E_DOMAIN;
          c->failed_in = s->f;
        }
        c->scope = NULL;
        return false;
      }
      out->dims[out->rank++] = dim;
    }
  }
  c->scope = NULL;
  return known;
}
