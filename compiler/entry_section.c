/* The generic part of reading: keys by keys.def, values by their domain, texts by the parser. */
#include <string.h>

#include "compiler/entry_read.h"

/* ---- names of things in messages ---- */

static size_t put(char *to, str s) {
  if (s.n != 0) memcpy(to, s.p, s.n);
  return s.n;
}

static size_t put_owner(char *to, owner o) {
  size_t n = put(to, str_of(section_names[o.section]));
  if (o.name.n == 0) return n;
  n += put(to + n, STR(" '"));
  n += put(to + n, o.name);
  return n + put(to + n, STR("'"));
}

static size_t owner_size(owner o) { return strlen(section_names[o.section]) + o.name.n + 4; }

str owner_text(arena *a, owner o) {
  char *p = arena_alloc(a, owner_size(o));
  return (str){p, (uint32_t)put_owner(p, o)};
}

/* Called for every formula, defect or not: put together without printf. */
const char *what_of(arena *a, const char *key, owner o) {
  char *p = arena_alloc(a, strlen(key) + sizeof " of " + owner_size(o));
  size_t n = o.name.n == 0 ? put_owner(p, o) : put(p, str_of(key));
  n += put(p + n, o.name.n == 0 ? STR(".") : STR(" of "));
  n += o.name.n == 0 ? put(p + n, str_of(key)) : put_owner(p + n, o);
  p[n] = '\0';
  return p;
}

const char *what_item(arena *a, const char *list, uint32_t i) {
  return arena_cstr(a, arena_printf(a, "%s[%u]", list, i));
}

/* ---- domains ---- */

static bool is_blank(str s) {
  for (uint32_t i = 0; i < s.n; i++)
    if (strchr(" \t\r\n", s.p[i]) == NULL) return false;
  return true;
}

static bool is_snake(str s) {
  for (uint32_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    bool letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    if (!letter && (i == 0 || (!digit && c != '_'))) return false;
  }
  return s.n != 0;
}

static bool is_dotted(str s) {
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= s.n; i++)
    if (i == s.n || s.p[i] == '.') {
      if (!parse_is_identifier((str){s.p + begin, i - begin})) return false;
      begin = i + 1;
    }
  return true;
}

static bool in_domain(domain_id domain, const yt_node *node) {
  bool text = yaml_is_string(node) && !is_blank(yt_text(node));
  bool boolean = node->kind == YT_SCALAR && node->type == YT_BOOL;
  switch (domain) {
  case DOMAIN_ANY: return true;
  case DOMAIN_SNAKE: return text && is_snake(yt_text(node));
  case DOMAIN_DOTTED: return text && is_dotted(yt_text(node));
  case DOMAIN_BOOL: return boolean;
  case DOMAIN_BOOL_OR_FORMULA: return boolean || text;
  case DOMAIN_TRUE_OR_FORMULA: return (boolean && yt_bool(node)) || text;
  case DOMAIN_SECTION:
  case DOMAIN_MAP: return node->kind == YT_MAPPING || yt_is_null(node);
  case DOMAIN_LIST: return node->kind == YT_SEQUENCE || yt_is_null(node);
  case DOMAIN_STRICT_LIST: return node->kind == YT_SEQUENCE;
  default: return text && (domain_specs[domain].words == NULL || domain_has_word(domain, yt_text(node)));
  }
}

static void suggest_word(const reader *r, diag *d, domain_id domain, const yt_node *node) {
  const char *words = domain_specs[domain].words;
  str names[4];
  uint32_t n = 0;
  while (words != NULL && n < 4) {
    const char *bar = strchr(words, '|');
    names[n++] = (str){words, (uint32_t)(bar != NULL ? (size_t)(bar - words) : strlen(words))};
    words = bar != NULL ? bar + 1 : NULL;
  }
  if (n != 0 && yaml_is_string(node)) diag_suggest(r->sink, d, yt_text(node), names, n);
}

bool check_domain(const reader *r, domain_id domain, const yt_node *key, const yt_node *node,
                  const char *what) {
  bool wants_bool =
      domain == DOMAIN_BOOL || domain == DOMAIN_BOOL_OR_FORMULA || domain == DOMAIN_TRUE_OR_FORMULA;
  if (wants_bool) yaml_warn_trap(r->sink, r->src, node);
  if (in_domain(domain, node)) return true;
  diag *d = diag_add(r->sink, ENTRY_VALUE, yaml_place(r->src, key, node), "%s is %.*s", what,
                     STR_ARG(yaml_describe(r->a, node)));
  diag_help(r->sink, d, "it takes %s", domain_specs[domain].meaning);
  suggest_word(r, d, domain, node);
  return false;
}

/* ---- sections ---- */

static void unknown_key(const reader *r, owner o, const yt_node *key, const yt_node *node, slot *slots) {
  str names[KEY_COUNT];
  uint32_t n = key_names(o.section, names);
  str text = yt_text(key);
  diag *d = diag_add(r->sink, ENTRY_UNKNOWN_KEY, yt_value_span(r->src, key), "'%.*s' is no key of %.*s",
                     STR_ARG(text), STR_ARG(owner_text(r->a, o)));
  diag_list(r->sink, d, "allowed", names, n);
  diag_suggest(r->sink, d, text, names, n);
  key_id meant = key_find(o.section, diag_nearest(text, names, n));
  if (meant != KEY_COUNT && slots[meant].key == NULL) slots[meant] = (slot){key, node, FACT_MALFORMED, true};
}

static void missing_keys(const reader *r, owner o, const yt_node *at, const slot *slots) {
  str missing = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < KEY_COUNT; i++) {
    if ((key_specs[i].sections & (1u << o.section)) == 0 || !key_specs[i].required || slots[i].key != NULL)
      continue;
    missing = arena_printf(r->a, "%.*s%s'%.*s'", STR_ARG(missing), n++ == 0 ? "" : ", ",
                           STR_ARG(key_specs[i].name));
  }
  if (n != 0)
    diag_add(r->sink, ENTRY_MISSING_KEY, yt_value_span(r->src, at), "%.*s lacks %.*s",
             STR_ARG(owner_text(r->a, o)), STR_ARG(missing));
}

bool read_section(const reader *r, owner o, const yt_node *key, const yt_node *node, bool null_is_empty,
                  slot *slots) {
  memset(slots, 0, sizeof *slots * KEY_COUNT);
  if (node->kind != YT_MAPPING && !(null_is_empty && yt_is_null(node))) {
    diag *d = diag_add(r->sink, ENTRY_VALUE, yaml_place(r->src, key, node), "%.*s is %.*s",
                       STR_ARG(owner_text(r->a, o)), STR_ARG(yaml_describe(r->a, node)));
    str names[KEY_COUNT];
    diag_help(r->sink, d, "it takes a mapping");
    diag_list(r->sink, d, "keys", names, key_names(o.section, names));
    return false;
  }
  uint32_t pairs = node->kind == YT_MAPPING ? node->n : 0, unknown = 0;
  for (uint32_t i = 0; i < pairs; i++) {
    const yt_node *k = node->u.items[2 * i], *v = node->u.items[2 * i + 1];
    key_id id = key_find(o.section, yt_text(k));
    if (id == KEY_COUNT) {
      unknown++;
      continue;
    }
    domain_id domain = key_specs[id].domain;
    bool good = domain == DOMAIN_ANY || check_domain(r, domain, k, v, what_of(r->a, key_specs[id].name.p, o));
    slots[id] = (slot){k, v, good ? FACT_VALID : FACT_MALFORMED, false};
  }
  for (uint32_t i = 0; unknown != 0 && i < pairs; i++) {
    const yt_node *k = node->u.items[2 * i];
    if (key_find(o.section, yt_text(k)) != KEY_COUNT) continue;
    unknown_key(r, o, k, node->u.items[2 * i + 1], slots);
    unknown--;
  }
  missing_keys(r, o, key, slots);
  return true;
}

/* ---- texts ---- */

/* Trees take many bytes for one of text; what an entry may make of them is bounded by its text. */
static expr *parse_counted(const reader *r, parse_form form, const expr_text *text, const char *what) {
  uint64_t before = r->e != NULL ? r->e->expr_bytes : 0, bytes = before + text->node->n;
  if (bytes > r->limits->bytes && before <= r->limits->bytes) { /* once: the texts after it are unread */
    diag *d = diag_add(r->sink, SYN_TEXT_LIMIT, yt_value_span(r->src, text->node),
                       "with %s the entry has %llu bytes of expressions, more than %u", what,
                       (unsigned long long)bytes, r->limits->bytes);
    diag_help(r->sink, d, "raise the limit with --max-expr-bytes, or split the entry");
  }
  if (r->e != NULL) r->e->expr_bytes = bytes;
  if (bytes > r->limits->bytes) return NULL;
  return parse_text(r->a, r->sink, r->limits, form, text, what);
}

void parse_formula(const reader *r, formula *f, parse_form form, const yt_node *node, const char *what) {
  f->text = (expr_text){r->src, node};
  f->what = what;
  uint32_t errors = diag_errors(r->sink);
  f->root = parse_counted(r, form, &f->text, what);
  f->refused = diag_errors(r->sink) != errors;
  f->state = f->root != NULL ? FACT_VALID : FACT_MALFORMED;
}

void read_formula(const reader *r, formula *f, parse_form form, const slot *s, const char *key, owner o) {
  f->state = s->state;
  if (s->key == NULL) return;
  const char *what = what_of(r->a, key, o);
  if (s->state == FACT_VALID)
    parse_formula(r, f, form, s->node, what);
  else
    *f = (formula){.state = FACT_MALFORMED, .text = {r->src, s->node}, .what = what};
}

const kind *read_kind(const reader *r, kind_form form, const yt_node *key, const yt_node *node,
                      const char *what, const expr **type, expr_text *text) {
  *text = (expr_text){r->src, node};
  if (!check_domain(r, form == KIND_PARAM ? DOMAIN_TYPE : DOMAIN_KIND, key, node, what)) return NULL;
  *type = parse_counted(r, PARSE_TYPE, text, what);
  return *type != NULL ? kind_of_type(r->a, r->sink, form, r->adts, *type, text) : NULL;
}

/* ---- names ---- */

bool check_name_length(const reader *r, const yt_node *name) {
  if (name->n <= r->limits->identifier) return true;
  diag *d = diag_add(r->sink, ENTRY_NAME, yt_value_span(r->src, name), "a name of %u bytes", name->n);
  diag_help(r->sink, d, "the limit is %u bytes (--max-identifier)", r->limits->identifier);
  return false;
}

bool check_name(const reader *r, const yt_node *key, const char *what) {
  str name = yt_text(key);
  span at = yt_value_span(r->src, key);
  if (!parse_is_identifier(name)) {
    diag *d = diag_add(r->sink, ENTRY_NAME, at, "'%.*s' cannot be the name of %s", STR_ARG(name), what);
    diag_help(r->sink, d, "a name is ASCII letters, digits and '_', and does not start with a digit");
  } else if (parse_is_reserved(name)) {
    diag *d = diag_add(r->sink, ENTRY_RESERVED, at, "'%.*s' is reserved and cannot be the name of %s",
                       STR_ARG(name), what);
    diag_help(r->sink, d,
              "reserved: out, inf, present, bytes, true, True, false, False, None; and, or, not, if, else, "
              "for, in, "
              "is, lambda");
  } else {
    return check_name_length(r, key);
  }
  return false;
}

void report_twice(const reader *r, const yt_node *later, const yt_node *first, const char *what) {
  diag *d = diag_add(r->sink, ENTRY_NAME_TWICE, yt_value_span(r->src, later), "%s '%.*s' is declared twice",
                     what, STR_ARG(yt_text(later)));
  diag_relate(r->sink, d, yt_value_span(r->src, first), "first declared here");
}

void report_unreached(const reader *r, span at, const char *what, const char *why) {
  diag_add(r->sink, ENTRY_UNREACHED, at, "%s: unreached, %s", what, why);
}
