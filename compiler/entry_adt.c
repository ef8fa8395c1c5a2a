/* types.yaml: algebraic data types, also as data for the runtime. language.md §1. */
#include "compiler/entry_read.h"
#include "compiler/invariant.h"

enum { MAX_CTORS = 31 }; /* a kind holds the constructors a value may have as bits */

static const char *const language_names[] = {"Dim",    "Int",   "Bool", "Shape", "Seq",
                                             "DType",  "Maybe", "int",  "bool",  "float",
                                             "Number", "str",   "None", "list",  "tuple"};

static bool check_adt_name(const reader *r, const yt_node *key) {
  str name = yt_text(key);
  bool taken = roofline_dtype_find(name.p, name.n) != ROOFLINE_DTYPE_NONE;
  for (size_t i = 0; i < sizeof language_names / sizeof language_names[0]; i++)
    taken = taken || str_is(name, language_names[i]);
  if (!taken) return check_name(r, key, "an algebraic data type");
  diag_add(r->sink, ENTRY_RESERVED, yt_value_span(r->src, key),
           "'%.*s' already names a kind, a type or a dtype", STR_ARG(name));
  return false;
}

/* ---- fields ---- */

/* A kind as text, or {type, python}. */
static bool read_field(const reader *r, adt_field *f, const yt_node *key, const yt_node *node) {
  slot slots[KEY_COUNT];
  owner o = {SECTION_FIELD, yt_text(key)};
  const yt_node *type_node = node;
  f->name = yt_text(key);
  f->kind = &kind_unknown;
  f->node = node;
  bool good = check_name(r, key, "a field");
  if (str_is(f->name, "kind")) {
    diag *d =
        diag_add(r->sink, ENTRY_RESERVED, yt_value_span(r->src, key), "'kind' cannot be the name of a field");
    diag_help(r->sink, d, "value.kind is the constructor of an ADT value");
    good = false;
  }
  if (node->kind == YT_MAPPING) {
    if (!read_section(r, o, key, node, false, slots)) return false;
    f->python = slot_text(&slots[KEY_CTOR_PYTHON]);
    if (slots[KEY_TYPE].state != FACT_VALID) return false;
    type_node = slots[KEY_TYPE].node;
  }
  const expr *type;
  expr_text text;
  const kind *k = read_kind(r, KIND_FIELD, key, type_node, what_of(r->a, "kind", o), &type, &text);
  if (k == NULL) return false;
  f->kind = k;
  return good;
}

/* ---- constructors ---- */

static bool read_ctor(const reader *r, adt_ctor *c, const yt_node *key, const yt_node *node) {
  slot slots[KEY_COUNT];
  owner o = {SECTION_CTOR, yt_text(key)};
  c->name = yt_text(key);
  c->node = key;
  bool good = check_name(r, key, "a constructor");
  if (!read_section(r, o, key, node, false, slots)) return false;
  const slot *fields = &slots[KEY_FIELDS], *invariant = &slots[KEY_INVARIANT];
  c->python = slot_text(&slots[KEY_CTOR_PYTHON]);
  if (fields->state == FACT_MALFORMED) good = false;
  uint32_t n = member_count(fields);
  if (n > ROOFLINE_MAX_FIELDS) {
    diag_add(r->sink, ENTRY_ADT_LIMIT, yt_value_span(r->src, key),
             "constructor '%.*s' has %u fields; the limit is %d", STR_ARG(c->name), n, ROOFLINE_MAX_FIELDS);
    good = false;
    n = ROOFLINE_MAX_FIELDS;
  }
  c->field_count = n;
  c->fields = arena_array(r->a, adt_field, n);
  for (uint32_t i = 0; i < n; i++)
    good = read_field(r, &c->fields[i], member_key(fields, i), member_node(fields, i)) && good;
  if (invariant->state != FACT_VALID) return good;
  c->invariant_text = (expr_text){r->src, invariant->node};
  c->invariant = parse_text(r->a, r->sink, r->limits, PARSE_EXPRESSION, &c->invariant_text,
                            what_of(r->a, "invariant", o));
  return good;
}

/* ---- the same for the runtime ---- */

static const char *const *field_values(arena *a, const kind *k) {
  const char **values = arena_array(a, const char *, k->member_count + 1);
  for (uint32_t i = 0; i < k->member_count; i++) values[i] = arena_cstr(a, k->members[i]);
  return values;
}

static const roofline_adt_type *runtime_type(arena *a, const adt *d) {
  roofline_adt_ctor *ctors = arena_array(a, roofline_adt_ctor, d->ctor_count);
  for (uint32_t c = 0; c < d->ctor_count; c++) {
    const adt_ctor *ctor = &d->ctors[c];
    roofline_adt_field *fields = arena_array(a, roofline_adt_field, ctor->field_count);
    for (uint32_t i = 0; i < ctor->field_count; i++) {
      const kind *k = ctor->fields[i].kind;
      fields[i].name = arena_cstr(a, ctor->fields[i].name);
      fields[i].values = kind_may(k, K_ENUM) ? field_values(a, k) : NULL;
      fields[i].value_count = (int32_t)k->member_count;
    }
    ctors[c] = (roofline_adt_ctor){arena_cstr(a, ctor->name), fields, (int32_t)ctor->field_count};
  }
  roofline_adt_type *type = arena_new_of(a, roofline_adt_type);
  *type = (roofline_adt_type){arena_cstr(a, d->name), ctors, (int32_t)d->ctor_count};
  return type;
}

/* ---- types ---- */

static bool read_ctors(const reader *r, adt *d, const yt_node *key, const yt_node *node) {
  slot slots[KEY_COUNT];
  if (!read_section(r, (owner){SECTION_ADT, d->name}, key, node, false, slots)) return false;
  const slot *sum = &slots[KEY_SUM];
  if (sum->state != FACT_VALID) return false;
  bool good = true;
  uint32_t n = member_count(sum);
  if (n == 0 || n > MAX_CTORS) {
    diag_add(r->sink, ENTRY_ADT_LIMIT, yt_value_span(r->src, key),
             "algebraic data type '%.*s' has %u constructors; it has 1 to %d", STR_ARG(d->name), n,
             MAX_CTORS);
    good = false;
    n = n == 0 ? 0 : MAX_CTORS;
  }
  d->ctor_count = n;
  d->ctors = arena_array(r->a, adt_ctor, n);
  for (uint32_t i = 0; i < n; i++)
    good = read_ctor(r, &d->ctors[i], member_key(sum, i), member_node(sum, i)) && good;
  return good;
}

static void read_adt(const reader *r, adt *d, const yt_node *key, const yt_node *node) {
  d->name = yt_text(key);
  d->src = r->src;
  d->node = key;
  bool named = check_adt_name(r, key);
  d->malformed = !read_ctors(r, d, key, node) || !named;
  d->type = runtime_type(r->a, d);
}

static void read_types_file(const reader *r, const yt_node *root, adt_table *out, name_index *names) {
  slot slots[KEY_COUNT];
  if (!read_section(r, (owner){SECTION_TYPES_FILE, {0}}, root, root, true, slots)) return;
  const slot *adts = &slots[KEY_ADTS];
  for (uint32_t i = 0; i < member_count(adts); i++) {
    const yt_node *key = member_key(adts, i);
    int64_t at = name_index_add(names, yt_text(key), out->count);
    adt repeated = {0};
    read_adt(r, at < 0 ? &out->adts[out->count] : &repeated, key, member_node(adts, i));
    if (at < 0) {
      out->count++;
      continue;
    }
    const adt *first = &out->adts[at];
    diag *twice = diag_add(r->sink, ENTRY_NAME_TWICE, yt_value_span(r->src, key),
                           "algebraic data type '%.*s' is declared twice", STR_ARG(first->name));
    diag_relate(r->sink, twice, yt_value_span(first->src, first->node), "first declared here");
  }
}

void entry_read_adts(arena *a, diag_sink *sink, const parse_limits *limits, const manifest_file *files,
                     uint32_t file_count, adt_table *out) {
  static const adt_table none = {0};
  uint32_t most = 0;
  for (uint32_t i = 0; i < file_count; i++) {
    const yt_node *adts =
        files[i].is_types && files[i].root != NULL ? yt_get(files[i].root, "adts", NULL) : NULL;
    if (adts != NULL && adts->kind == YT_MAPPING) most += adts->n;
  }
  *out = (adt_table){arena_array(a, adt, most), 0};
  name_index names = name_index_new(a, most);
  for (uint32_t i = 0; i < file_count; i++) {
    if (!files[i].is_types || files[i].root == NULL) continue;
    const reader r = {a, sink, limits, &none, files[i].src, NULL};
    read_types_file(&r, files[i].root, out, &names);
  }
  invariant_check_kinds(a, sink, out);
}
