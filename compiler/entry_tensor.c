/* Tensors: presence, effects, metadata, and what they owe one another. language.md §2, §5. */
#include "compiler/entry_read.h"

static const section_id section_of[] = {[ROOFLINE_INPUT] = SECTION_INPUT,
                                        [ROOFLINE_CONSTRUCTION] = SECTION_CONSTRUCTION,
                                        [ROOFLINE_OUTPUT] = SECTION_OUTPUT};

static void read_presence(const reader *r, tensor_decl *t, const slot *slots, owner o) {
  key_id id = t->role == ROOFLINE_OUTPUT ? KEY_NULLABLE : KEY_OPTIONAL;
  const slot *s = &slots[id];
  if (s->state == FACT_VALID && s->node->type == YT_BOOL)
    t->presence = PRESENT_OPTIONAL;
  else if (s->key != NULL) {
    t->presence = PRESENT_IF;
    read_formula(r, &t->condition, PARSE_EXPRESSION, s, key_specs[id].name.p, o);
  }
}

static void read_mutation(const reader *r, tensor_decl *t, const slot *slots, owner o) {
  const slot *s = &slots[KEY_MUTATED], *write_only = &slots[KEY_WRITE_ONLY];
  if (s->state == FACT_VALID && s->node->type == YT_BOOL)
    t->mutation = yt_bool(s->node) ? MUTATED_YES : MUTATED_NO;
  else if (s->key != NULL) {
    t->mutation = MUTATED_IF;
    read_formula(r, &t->mutated, PARSE_EXPRESSION, s, "mutated", o);
  }
  t->write_only = slot_true(write_only);
  bool unknown = t->mutation == MUTATED_IF && t->mutated.state == FACT_MALFORMED;
  if (!t->write_only || t->mutation == MUTATED_YES || unknown) return;
  diag *d = diag_add(r->sink, ENTRY_WRITE_ONLY, yt_value_span(r->src, write_only->node),
                     "input '%.*s' is write_only but not mutated on every call", STR_ARG(t->name));
  diag_help(r->sink, d, "write_only needs mutated: true");
}

static void read_metadata(const reader *r, tensor_decl *t, const slot *slots, owner o) {
  const slot *s = &slots[KEY_REQUIRES];
  read_formula(r, &t->values, PARSE_EXPRESSION, &slots[KEY_VALUES], "values", o);
  t->requires_count = member_count(s);
  t->requires = arena_array(r->a, formula, t->requires_count);
  const char *list = t->requires_count != 0 ? what_of(r->a, "requires", o) : "";
  for (uint32_t i = 0; i < t->requires_count; i++) {
    const yt_node *node = s->node->u.items[i];
    const char *what = what_item(r->a, list, i);
    t->requires[i] = (formula){.state = FACT_MALFORMED, .text = {r->src, node}, .what = what};
    if (check_domain(r, DOMAIN_FORMULA, NULL, node, what))
      parse_formula(r, &t->requires[i], PARSE_EXPRESSION, node, what);
  }
  if (s->state != FACT_VALID || slots[KEY_VALUES].key != NULL) return;
  diag *d = diag_add(r->sink, ENTRY_REQUIRES, yt_value_span(r->src, s->key),
                     "input '%.*s' has requires but no values", STR_ARG(t->name));
  diag_help(r->sink, d, "predicates are about a metadata tensor, whose values a generator gives");
}

void read_tensor(reader *r, tensor_decl *t, roofline_role role, const yt_node *key, const yt_node *node) {
  slot slots[KEY_COUNT];
  *t = (tensor_decl){
      .name = yt_text(key), .key = key, .node = node, .role = role, .state = FACT_MALFORMED, .alias = -1};
  owner o = {section_of[role], t->name};
  if (!read_section(r, o, key, node, false, slots)) return;
  t->state = FACT_VALID;
  read_formula(r, &t->dtype, PARSE_EXPRESSION, &slots[KEY_DTYPE], "dtype", o);
  read_formula(r, &t->shape, PARSE_SHAPE, &slots[KEY_SHAPE], "shape", o);
  read_presence(r, t, slots, o);
  if (role == ROOFLINE_INPUT) {
    read_mutation(r, t, slots, o);
    read_metadata(r, t, slots, o);
  }
  t->contiguous = slot_true(&slots[KEY_CONTIGUOUS]);
  t->device_cpu = slots[KEY_DEVICE].state == FACT_VALID;
  t->buffer = slots[KEY_BUFFER].state == FACT_VALID;
  if (slots[KEY_ALIAS].key != NULL) t->alias_node = slots[KEY_ALIAS].node;
}

/* ---- between tensors ---- */

static bool presence_known(const tensor_decl *t) {
  return t->state == FACT_VALID && t->condition.state != FACT_MALFORMED;
}

/* A run of optional inputs before a required one is one defect, at the required one. */
static void check_optional_order(const reader *r) {
  for (uint32_t i = 1; i < r->e->input_count; i++) {
    const tensor_decl *before = &r->e->tensors[i - 1], *t = &r->e->tensors[i];
    if (!presence_known(before) || !presence_known(t)) continue;
    if (before->presence == PRESENT_ALWAYS || t->presence != PRESENT_ALWAYS) continue;
    diag *d = diag_add(r->sink, ENTRY_OPTIONAL_ORDER, yt_value_span(r->src, t->key),
                       "required input '%.*s' stands after optional input '%.*s'", STR_ARG(t->name),
                       STR_ARG(before->name));
    diag_help(r->sink, d, "optional inputs come last");
    diag_relate(r->sink, d, yt_value_span(r->src, before->key), "optional input");
  }
}

static void unknown_alias(const reader *r, const tensor_decl *t) {
  const entry *e = r->e;
  str names[MAX_OFFERED];
  uint32_t n = e->input_count < MAX_OFFERED ? e->input_count : MAX_OFFERED;
  for (uint32_t i = 0; i < n; i++) names[i] = e->tensors[i].name;
  diag *d = diag_add(r->sink, ENTRY_ALIAS, yt_value_span(r->src, t->alias_node),
                     "alias of output '%.*s' is '%.*s', which is no input", STR_ARG(t->name),
                     STR_ARG(yt_text(t->alias_node)));
  diag_list(r->sink, d, "inputs", names, n);
  diag_suggest(r->sink, d, yt_text(t->alias_node), names, n);
}

static void resolve_alias(const reader *r, tensor_decl *t) {
  const entry *e = r->e;
  const yt_node *node = t->alias_node;
  if (yt_get(t->node, "alias", NULL) != node || !yaml_is_string(node)) return; /* reported */
  if (e->inputs == FACT_MALFORMED) {
    report_unreached(r, yt_value_span(r->src, node), what_of(r->a, "alias", (owner){SECTION_OUTPUT, t->name}),
                     "signature.inputs is malformed");
    return;
  }
  const symbol *s = entry_symbol(e, yt_text(node));
  if (s != NULL && s->state == FACT_MALFORMED) return; /* reported where it is declared */
  if (s == NULL || s->cls != SYM_TENSOR || s->number >= e->input_count) {
    unknown_alias(r, t);
    return;
  }
  t->alias = (int32_t)s->number;
  const tensor_decl *input = &e->tensors[s->number];
  if (input->mutation != MUTATED_NO) return;
  diag *d = diag_add(r->sink, ENTRY_ALIAS_UNWRITTEN, yt_value_span(r->src, node),
                     "output '%.*s' is an alias of input '%.*s', which no call writes", STR_ARG(t->name),
                     STR_ARG(input->name));
  diag_help(r->sink, d, "an aliased input has mutated: true, or a condition");
  diag_relate(r->sink, d, yt_value_span(r->src, input->key), "declared here without mutated");
}

static void check_buffer(const reader *r, const tensor_decl *t, const tensor_decl **buffered) {
  const yt_node *key = NULL;
  yt_get(t->node, "buffer", (yt_node **)&key);
  if (t->alias_node != NULL) {
    diag *d = diag_add(r->sink, ENTRY_BUFFER, yt_value_span(r->src, key),
                       "output '%.*s' has both alias and buffer", STR_ARG(t->name));
    diag_help(r->sink, d, "an aliased output is written where its input is");
  }
  if (*buffered != NULL) {
    diag *d = diag_add(r->sink, ENTRY_BUFFER, yt_value_span(r->src, key),
                       "a second output with a buffer, '%.*s'", STR_ARG(t->name));
    diag_help(r->sink, d, "at most one output has buffer: out");
    diag_relate(r->sink, d, yt_value_span(r->src, (*buffered)->key), "the first");
  }
  *buffered = *buffered != NULL ? *buffered : t;
}

void check_tensors(reader *r) {
  entry *e = r->e;
  const tensor_decl *buffered = NULL;
  check_optional_order(r);
  for (uint32_t i = e->input_count + e->construction_count; i < e->tensor_count; i++) {
    tensor_decl *t = &e->tensors[i];
    if (t->alias_node != NULL) resolve_alias(r, t);
    if (t->buffer) check_buffer(r, t, &buffered);
  }
}
