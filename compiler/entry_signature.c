/* The signature: indices, parameters, tensors in their order, lets, refinements, dtype combinations.
   language.md §2. */

#include "compiler/entry_read.h"

/* ---- symbols ---- */

static uint32_t add_symbol(reader *r, symbol_class cls, uint32_t number, fact state, const kind *k,
                           const yt_node *key, const char *what) {
  entry *e = r->e;
  uint32_t at = e->symbol_count++;
  symbol *s = &e->symbols[at];
  bool named = check_name(r, key, what);
  *s = (symbol){yt_text(key), cls, number, named ? state : FACT_MALFORMED, k, key};
  int64_t other = name_index_add(&e->names, s->name, at);
  if (other < 0) return at;
  /* Which of the two a use means is unknown: uses of neither are judged. */
  symbol *first = &e->symbols[other];
  first->state = s->state = FACT_MALFORMED;
  first->kind = s->kind = &kind_unknown;
  bool in_order = first->key->begin <= key->begin;
  report_twice(r, in_order ? key : first->key, in_order ? first->key : key, "name");
  return at;
}

/* ---- forall ---- */

static void read_indices(reader *r, const slot *forall) {
  entry *e = r->e;
  e->forall = forall->state;
  e->index_count = member_count(forall);
  e->indices = arena_array(r->a, index_decl, e->index_count);
  for (uint32_t i = 0; i < e->index_count; i++) {
    index_decl *d = &e->indices[i];
    d->key = member_key(forall, i);
    d->node = member_node(forall, i);
    d->name = yt_text(d->key);
    const expr *type;
    expr_text text;
    const char *what = arena_cstr(r->a, arena_printf(r->a, "kind of index '%.*s'", STR_ARG(d->name)));
    d->kind = read_kind(r, KIND_INDEX, d->key, d->node, what, &type, &text);
    d->state = d->kind != NULL ? FACT_VALID : FACT_MALFORMED;
    if (d->kind == NULL) d->kind = &kind_unknown;
    d->symbol = add_symbol(r, SYM_INDEX, i, d->state, d->kind, d->key, "an index");
  }
}

/* ---- params ---- */

/* A construction-time tensor is a `params` entry with `dtype` and `shape`; one of them and no `type`
   is enough to tell which was meant. */
static bool is_construction(const yt_node *node) {
  return node->kind == YT_MAPPING && yt_get(node, "type", NULL) == NULL &&
         (yt_get(node, "dtype", NULL) != NULL || yt_get(node, "shape", NULL) != NULL);
}

static void read_default(reader *r, param_decl *p, const slot *s) {
  p->default_state = s->state;
  if (s->key == NULL) return;
  p->default_node = s->node;
  if (s->guessed) return;
  const char *what = what_of(r->a, "default", (owner){SECTION_PARAM, p->name});
  if (p->state != FACT_VALID || kind_may(p->kind, K_UNKNOWN)) {
    p->default_state = FACT_MALFORMED;
    report_unreached(r, yaml_place(r->src, s->key, s->node), what, "the parameter's type is malformed");
    return;
  }
  bool good = value_of_node(r->a, r->sink, r->src, s->node, p->kind, p->type, what, &p->default_value);
  p->default_state = good ? FACT_VALID : FACT_MALFORMED;
}

static void read_param(reader *r, param_decl *p) {
  slot slots[KEY_COUNT];
  owner o = {SECTION_PARAM, p->name};
  p->state = FACT_MALFORMED;
  p->kind = &kind_unknown;
  p->tensor = -1;
  if (!read_section(r, o, p->key, p->node, false, slots)) return;
  const slot *type = &slots[KEY_TYPE];
  const kind *k = NULL;
  if (type->state == FACT_VALID)
    k = read_kind(r, KIND_PARAM, type->key, type->node, what_of(r->a, "type", o), &p->type, &p->type_text);
  if (k != NULL) {
    p->state = FACT_VALID;
    p->kind = k;
  }
  p->kw_only = slot_true(&slots[KEY_KW_ONLY]);
  read_default(r, p, &slots[KEY_DEFAULT]);
}

static void read_params(reader *r, const slot *params) {
  entry *e = r->e;
  uint32_t construction = e->input_count;
  for (uint32_t i = 0; i < e->param_count; i++) {
    param_decl *p = &e->parameters[i];
    p->key = member_key(params, i);
    p->node = member_node(params, i);
    p->name = yt_text(p->key);
    if (!is_construction(p->node)) {
      read_param(r, p);
      p->symbol = add_symbol(r, SYM_PARAM, i, p->state, p->kind, p->key, "a parameter");
      continue;
    }
    tensor_decl *t = &e->tensors[construction];
    read_tensor(r, t, ROOFLINE_CONSTRUCTION, p->key, p->node);
    p->state = t->state;
    p->kind = &kind_tensor;
    p->tensor = (int32_t)construction;
    p->symbol = t->symbol =
        add_symbol(r, SYM_TENSOR, construction, t->state, &kind_tensor, p->key, "a tensor");
    construction++;
  }
}

static void read_tensors(reader *r, const slot *section, roofline_role role, uint32_t first) {
  for (uint32_t i = 0; i < member_count(section); i++) {
    tensor_decl *t = &r->e->tensors[first + i];
    const yt_node *key = member_key(section, i);
    read_tensor(r, t, role, key, member_node(section, i));
    const kind *k = t->state == FACT_VALID ? &kind_tensor : &kind_unknown;
    t->symbol = add_symbol(r, SYM_TENSOR, first + i, t->state, k, key, "a tensor");
  }
}

/* ---- let and shape_rules ---- */

static void read_lets(reader *r, const slot *let) {
  entry *e = r->e;
  e->let = let->state;
  e->let_count = member_count(let);
  e->lets = arena_array(r->a, let_decl, e->let_count);
  for (uint32_t i = 0; i < e->let_count; i++) {
    let_decl *d = &e->lets[i];
    const yt_node *node = member_node(let, i);
    d->key = member_key(let, i);
    d->name = yt_text(d->key);
    const char *what = arena_cstr(r->a, arena_printf(r->a, "let '%.*s'", STR_ARG(d->name)));
    d->formula = (formula){.state = FACT_MALFORMED, .text = {r->src, node}, .what = what};
    if (check_domain(r, DOMAIN_FORMULA, d->key, node, what))
      parse_formula(r, &d->formula, PARSE_EXPRESSION, node, what);
    d->kind = &kind_unknown;
    d->symbol = add_symbol(r, SYM_LET, i, d->formula.state, d->kind, d->key, "a let");
  }
}

static void read_rules(reader *r, const slot *rules) {
  entry *e = r->e;
  e->shape_rules = rules->state;
  e->rule_count = member_count(rules);
  e->rules = arena_array(r->a, formula, e->rule_count);
  for (uint32_t i = 0; i < e->rule_count; i++) {
    const yt_node *node = rules->node->u.items[i];
    const char *what = what_item(r->a, "shape_rules", i);
    e->rules[i] = (formula){.state = FACT_MALFORMED, .text = {r->src, node}, .what = what};
    if (check_domain(r, DOMAIN_FORMULA, NULL, node, what))
      parse_formula(r, &e->rules[i], PARSE_EXPRESSION, node, what);
  }
}

/* ---- the whole ---- */

static uint32_t count_construction(const slot *params) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < member_count(params); i++) n += is_construction(member_node(params, i));
  return n;
}

void read_signature(reader *r, const slot *signature) {
  entry *e = r->e;
  slot slots[KEY_COUNT] = {{0}};
  e->signature = signature->state;
  if (signature->state == FACT_VALID) {
    e->signature_node = signature->node;
    read_section(r, (owner){SECTION_SIGNATURE, {0}}, signature->key, signature->node, true, slots);
  }
  const slot *forall = &slots[KEY_FORALL], *params = &slots[KEY_PARAMS], *inputs = &slots[KEY_INPUTS],
             *outputs = &slots[KEY_OUTPUTS], *let = &slots[KEY_LET];
  e->params = params->state;
  e->inputs = inputs->state;
  e->outputs = outputs->state;
  e->param_count = member_count(params);
  e->input_count = member_count(inputs);
  e->construction_count = count_construction(params);
  e->tensor_count = e->input_count + e->construction_count + member_count(outputs);
  e->parameters = arena_array(r->a, param_decl, e->param_count);
  e->tensors = arena_array(r->a, tensor_decl, e->tensor_count);
  uint32_t symbols =
      member_count(forall) + e->param_count + e->input_count + member_count(outputs) + member_count(let);
  e->symbols = arena_array(r->a, symbol, symbols);
  e->names = name_index_new(r->a, symbols);
  read_indices(r, forall);
  read_params(r, params);
  read_tensors(r, inputs, ROOFLINE_INPUT, 0);
  read_tensors(r, outputs, ROOFLINE_OUTPUT, e->input_count + e->construction_count);
  read_lets(r, let);
  check_tensors(r);
  read_families(r, &slots[KEY_TYPES]);
  read_rules(r, &slots[KEY_SHAPE_RULES]);
  read_combos(r, &slots[KEY_DTYPE_COMBOS]);
}

symbol *entry_symbol(const entry *e, str name) {
  int64_t at = name_index_find(&e->names, name);
  return at >= 0 ? &e->symbols[at] : NULL;
}
