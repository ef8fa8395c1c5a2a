/* Type families: formals, what a family matches, patterns. Whether the cases are exhaustive is judged
   where their values are known. language.md §5. */
#include "compiler/entry_read.h"

/* ---- formals ---- */

static bool read_formals(reader *r, family_decl *f, const slot *params) {
  bool good = params->state == FACT_VALID;
  f->formal_count = member_count(params);
  f->formals = arena_array(r->a, family_formal, f->formal_count);
  for (uint32_t i = 0; i < f->formal_count; i++) {
    family_formal *formal = &f->formals[i];
    formal->key = member_key(params, i);
    formal->name = yt_text(formal->key);
    const expr *type;
    expr_text text;
    const char *what = arena_cstr(r->a, arena_printf(r->a, "kind of formal '%.*s'", STR_ARG(formal->name)));
    if (!check_name(r, formal->key, "a formal")) good = false;
    formal->kind = read_kind(r, KIND_FORMAL, formal->key, member_node(params, i), what, &type, &text);
    if (formal->kind == NULL) formal->kind = &kind_unknown;
  }
  return good;
}

/* ---- match ---- */

static void refuse_match(const reader *r, const yt_node *key, const yt_node *node) {
  diag *d = diag_add(r->sink, ENTRY_MATCH, yaml_place(r->src, key, node), "match is %.*s",
                     STR_ARG(yaml_describe(r->a, node)));
  diag_help(r->sink, d, "it takes the name of a formal, present(formal), or a list of them");
}

static bool match_formal(const reader *r, const family_decl *f, const name_index *formals, family_match *m,
                         str name, span at) {
  int64_t found = name_index_find(formals, name);
  if (found < 0) {
    str names[MAX_OFFERED];
    uint32_t n = f->formal_count < MAX_OFFERED ? f->formal_count : MAX_OFFERED;
    for (uint32_t i = 0; i < n; i++) names[i] = f->formals[i].name;
    diag *d =
        diag_add(r->sink, ENTRY_MATCH, at, "match reads '%.*s', which is no formal of type family '%.*s'",
                 STR_ARG(name), STR_ARG(f->name));
    diag_list(r->sink, d, "formals", names, n);
    diag_suggest(r->sink, d, name, names, n);
    return false;
  }
  m->formal = (uint32_t)found;
  const kind *k = f->formals[m->formal].kind;
  if (m->of_presence || kind_is(k, K_BOOL | K_ENUM | K_ADT | K_UNKNOWN)) return true;
  diag *d = diag_add(r->sink, ENTRY_MATCH, at,
                     "match reads formal '%.*s' of kind %.*s, which has no finite set of cases",
                     STR_ARG(name), STR_ARG(kind_text(r->a, k)));
  diag_help(r->sink, d, "a family matches a Bool, an enum, an ADT, or present(formal)");
  return false;
}

static bool read_match(const reader *r, const family_decl *f, const name_index *formals, family_match *m,
                       const yt_node *key, const yt_node *node) {
  m->node = node;
  if (!yaml_is_string(node)) {
    refuse_match(r, key, node);
    return false;
  }
  expr_text text = {r->src, node};
  const expr *e = parse_text(r->a, r->sink, r->limits, PARSE_EXPRESSION, &text,
                             what_of(r->a, "match", (owner){SECTION_FAMILY, f->name}));
  if (e == NULL || e->op == EX_ERROR) return false; /* reported */
  m->of_presence = e->op == EX_CALL && str_is(e->name, "present") && e->n == 1 && e->positional == 1;
  const expr *name = m->of_presence ? e->args[0] : e;
  if (name->op == EX_ERROR) return false;
  if (name->op == EX_NAME) return match_formal(r, f, formals, m, name->u.s, expr_at(&text, name));
  refuse_match(r, key, node);
  return false;
}

static bool read_matches(reader *r, family_decl *f, const slot *s) {
  if (s->state != FACT_VALID) return false;
  bool list = s->node->kind == YT_SEQUENCE, good = !list || s->node->n != 0;
  if (!good) refuse_match(r, s->key, s->node);
  name_index formals = name_index_new(r->a, f->formal_count);
  for (uint32_t i = 0; i < f->formal_count; i++) name_index_add(&formals, f->formals[i].name, i);
  const yt_node **seen =
      arena_array(r->a, const yt_node *, f->formal_count * 2); /* by formal and of_presence */
  f->match_count = list ? s->node->n : 1;
  f->matches = arena_array(r->a, family_match, f->match_count);
  for (uint32_t i = 0; i < f->match_count; i++) {
    family_match *m = &f->matches[i];
    if (!read_match(r, f, &formals, m, s->key, list ? s->node->u.items[i] : s->node)) {
      good = false;
      continue;
    }
    const yt_node **first = &seen[m->formal * 2 + m->of_presence];
    if (*first != NULL) {
      report_twice(r, m->node, *first, "match");
      good = false;
    }
    *first = m->node;
  }
  for (uint32_t i = 0; i < f->match_count; i++) { /* where presence is matched, the argument may be absent */
    family_formal *formal = &f->formals[f->matches[i].formal];
    if (good && f->matches[i].of_presence) formal->kind = kind_union(r->a, formal->kind, &kind_none);
  }
  return good;
}

/* ---- patterns ---- */

static bool refuse_pattern(const reader *r, const kind *k, const yt_node *key, const yt_node *node) {
  diag *d = diag_add(r->sink, ENTRY_PATTERN, yaml_place(r->src, key, node), "a pattern of %.*s is %.*s",
                     STR_ARG(kind_text(r->a, k)), STR_ARG(yaml_describe(r->a, node)));
  if (kind_is(k, K_BOOL))
    diag_help(r->sink, d, "it takes true, false or _");
  else if (kind_is(k, K_ENUM)) {
    diag_list(r->sink, d, "it takes _ or one of", k->members, k->member_count);
    if (yaml_is_string(node)) diag_suggest(r->sink, d, yt_text(node), k->members, k->member_count);
  } else if (kind_is(k, K_ADT)) {
    str *names = arena_array(r->a, str, k->adt->ctor_count);
    for (uint32_t i = 0; i < k->adt->ctor_count; i++) names[i] = k->adt->ctors[i].name;
    diag_help(r->sink, d, "it takes _, {constructor: _} or {constructor: {field: value}}");
    diag_list(r->sink, d, "constructors", names, k->adt->ctor_count);
  }
  return false;
}

static bool is_any(const kind *k, const yt_node *node) {
  return yaml_is_string(node) && str_is(yt_text(node), "_") && !kind_has_member(k, STR("_"));
}

static bool read_pattern_field(const reader *r, const adt_ctor *ctor, pattern *p, const yt_node *key,
                               const yt_node *node) {
  uint32_t i = 0;
  str *names = arena_array(r->a, str, ctor->field_count);
  for (uint32_t j = 0; j < ctor->field_count; j++) names[j] = ctor->fields[j].name;
  while (i < ctor->field_count && !str_eq(names[i], yt_text(key))) i++;
  if (i == ctor->field_count) {
    diag *d =
        diag_add(r->sink, ENTRY_PATTERN, yt_value_span(r->src, key),
                 "'%.*s' is no field of constructor '%.*s'", STR_ARG(yt_text(key)), STR_ARG(ctor->name));
    diag_list(r->sink, d, "fields", names, ctor->field_count);
    diag_suggest(r->sink, d, yt_text(key), names, ctor->field_count);
    return false;
  }
  const kind *k = ctor->fields[i].kind;
  if (!kind_is(k, K_BOOL | K_ENUM)) {
    diag *d =
        diag_add(r->sink, ENTRY_PATTERN, yt_value_span(r->src, key), "field '%.*s' of kind %.*s in a pattern",
                 STR_ARG(names[i]), STR_ARG(kind_text(r->a, k)));
    diag_help(r->sink, d, "a pattern tells apart only fields of finite kinds: Bool and enums");
    return false;
  }
  if (is_any(k, node)) return true;
  pattern_field *field = &p->fields[p->field_count];
  const char *what = arena_cstr(r->a, arena_printf(r->a, "field '%.*s' of a pattern", STR_ARG(names[i])));
  if (!value_of_node(r->a, r->sink, r->src, node, k, NULL, what, &field->value)) return false;
  field->field = i;
  p->field_count++;
  return true;
}

static bool read_ctor_pattern(const reader *r, const kind *k, pattern *p, const yt_node *key,
                              const yt_node *node) {
  if (node->kind != YT_MAPPING || node->n != 1) return refuse_pattern(r, k, key, node);
  const yt_node *name = node->u.items[0], *fields = node->u.items[1];
  for (p->ctor = 0; p->ctor < k->adt->ctor_count; p->ctor++)
    if (str_eq(k->adt->ctors[p->ctor].name, yt_text(name))) break;
  if (p->ctor == k->adt->ctor_count) {
    str *names = arena_array(r->a, str, k->adt->ctor_count);
    for (uint32_t i = 0; i < k->adt->ctor_count; i++) names[i] = k->adt->ctors[i].name;
    diag *d = diag_add(r->sink, ENTRY_PATTERN, yt_value_span(r->src, name),
                       "'%.*s' is no constructor of '%.*s'", STR_ARG(yt_text(name)), STR_ARG(k->adt->name));
    diag_list(r->sink, d, "constructors", names, k->adt->ctor_count);
    diag_suggest(r->sink, d, yt_text(name), names, k->adt->ctor_count);
    return false;
  }
  p->op = PATTERN_CTOR;
  if (is_any(k, fields) || yt_is_null(fields)) return true;
  if (fields->kind != YT_MAPPING) return refuse_pattern(r, k, name, fields);
  bool good = true;
  p->fields = arena_array(r->a, pattern_field, fields->n);
  for (uint32_t i = 0; i < fields->n; i++)
    good = read_pattern_field(r, &k->adt->ctors[p->ctor], p, fields->u.items[2 * i],
                              fields->u.items[2 * i + 1]) &&
           good;
  return good;
}

static bool read_pattern(const reader *r, const family_decl *f, const family_match *m, pattern *p,
                         const yt_node *key, const yt_node *node) {
  const kind *k = m->of_presence ? &kind_bool : f->formals[m->formal].kind;
  p->node = node;
  if (kind_may(k, K_UNKNOWN)) return false; /* its kind is malformed: reported there */
  if (is_any(k, node)) return true;         /* PATTERN_ANY */
  if (kind_is(k, K_ADT)) return read_ctor_pattern(r, k, p, key, node);
  bool boolean = node->kind == YT_SCALAR && node->type == YT_BOOL;
  if (kind_is(k, K_BOOL)) {
    yaml_warn_trap(r->sink, r->src, node);
    if (!boolean) return refuse_pattern(r, k, key, node);
    p->op = m->of_presence ? PATTERN_PRESENT : PATTERN_BOOL;
    p->b = yt_bool(node);
    return true;
  }
  if (!yaml_is_string(node) || !kind_has_member(k, yt_text(node))) return refuse_pattern(r, k, key, node);
  p->op = PATTERN_STRING;
  p->s = yt_text(node);
  return true;
}

static bool read_when(const reader *r, const family_decl *f, family_case *c, const slot *when) {
  bool good = true, list = when->node->kind == YT_SEQUENCE;
  pattern *patterns = arena_array(r->a, pattern, f->match_count);
  bool any = !list && f->match_count != 1 && yaml_is_string(when->node) && str_is(yt_text(when->node), "_");
  uint32_t given = list ? when->node->n : 1;
  if (given != f->match_count && !any) {
    diag *d = diag_add(r->sink, ENTRY_PATTERN, yaml_place(r->src, when->key, when->node),
                       "%u pattern%s for %u matches", given, given == 1 ? "" : "s", f->match_count);
    diag_help(r->sink, d, "a case has a list with one pattern per match, or _");
    return false;
  }
  for (uint32_t i = 0; i < f->match_count; i++) {
    const yt_node *node = list ? when->node->u.items[i] : when->node;
    if (any)
      patterns[i].node = node;
    else
      good = read_pattern(r, f, &f->matches[i], &patterns[i], when->key, node) && good;
  }
  if (good) c->when = patterns;
  return good;
}

/* ---- families ---- */

static void read_case(const reader *r, const family_decl *f, family_case *c, const yt_node *key,
                      const yt_node *node) {
  slot slots[KEY_COUNT];
  owner o = {SECTION_CASE, f->name};
  c->node = node;
  c->state = FACT_MALFORMED;
  if (!read_section(r, o, node->kind == YT_MAPPING ? node : key, node, false, slots)) return;
  const slot *when = &slots[KEY_WHEN];
  read_formula(r, &c->is, PARSE_SHAPE, &slots[KEY_IS], "is", o);
  if (when->state == FACT_VALID && f->state == FACT_VALID && read_when(r, f, c, when)) c->state = FACT_VALID;
}

static void read_family(reader *r, family_decl *f, const yt_node *key, const yt_node *node) {
  slot slots[KEY_COUNT];
  f->key = key;
  f->name = yt_text(key);
  f->state = FACT_MALFORMED;
  bool good = parse_is_identifier(f->name) ? true : check_name(r, key, "a type family");
  if (!read_section(r, (owner){SECTION_FAMILY, f->name}, key, node, false, slots)) return;
  good = read_formals(r, f, &slots[KEY_FORMALS]) && good;
  good = slots[KEY_FORMALS].state == FACT_VALID && read_matches(r, f, &slots[KEY_MATCH]) && good;
  if (good) f->state = FACT_VALID;
  const slot *cases = &slots[KEY_CASES];
  f->case_count = member_count(cases);
  f->cases = arena_array(r->a, family_case, f->case_count);
  for (uint32_t i = 0; i < f->case_count; i++)
    read_case(r, f, &f->cases[i], cases->key, cases->node->u.items[i]);
  if (cases->state != FACT_VALID) f->state = FACT_MALFORMED;
}

void read_families(reader *r, const slot *types) {
  entry *e = r->e;
  e->types = types->state;
  e->family_count = member_count(types);
  e->families = arena_array(r->a, family_decl, e->family_count);
  for (uint32_t i = 0; i < e->family_count; i++)
    read_family(r, &e->families[i], member_key(types, i), member_node(types, i));
}
