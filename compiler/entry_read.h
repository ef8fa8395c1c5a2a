/* Shared by the files that read an entry: a mapping's keys into slots, texts into formulas. */
#ifndef COMPILER_ENTRY_READ_H
#define COMPILER_ENTRY_READ_H

#include "compiler/entry.h"
#include "compiler/keys.h"
#include "compiler/yaml_value.h"

typedef struct reader {
  arena *a;
  diag_sink *sink;
  const parse_limits *limits;
  const adt_table *adts;
  const source *src;
  entry *e; /* NULL while types.yaml is read */
} reader;

/* Names offered in a message, at most: an entry of thousands of names must not pay for them at every defect.
 */
enum { MAX_OFFERED = 256 };

/* What a mapping has at a key: nothing, something refused, or a value of the key's domain. An unknown
   key that is near a legal one the mapping lacks is taken as that one, malformed: a misspelt `optional`
   is one defect, and not also a tensor that is always passed. */
typedef struct slot {
  const yt_node *key, *node;
  fact state;
  bool guessed;
} slot;

/* A mapping as messages call it: "input 'a'", "signature". */
typedef struct owner {
  section_id section;
  str name; /* or empty */
} owner;
str owner_text(arena *a, owner o);

/* Fills slots[KEY_COUNT] from a mapping; reports unknown keys, values outside their domain and, in one
   diagnostic at `key`, the required keys that are missing. null is an empty mapping when `null_is_empty`.
   False when there is no mapping (reported). */
bool read_section(const reader *r, owner o, const yt_node *key, const yt_node *node, bool null_is_empty,
                  slot *slots);

/* Whether a value is of a domain; reports it as "<what> is ...". */
bool check_domain(const reader *r, domain_id domain, const yt_node *key, const yt_node *node,
                  const char *what);

/* Pairs of a MAP or items of a LIST slot; none when it is absent, malformed or null. */
static inline uint32_t member_count(const slot *s) {
  return s->state == FACT_VALID && s->node->kind != YT_SCALAR ? s->node->n : 0;
}
static inline const yt_node *member_key(const slot *s, uint32_t i) { return s->node->u.items[2 * i]; }
static inline const yt_node *member_node(const slot *s, uint32_t i) { return s->node->u.items[2 * i + 1]; }

/* "<key> of <owner>", or "<section>.<key>" of an owner without a name; "<text>[<i>]" */
const char *what_of(arena *a, const char *key, owner o);
const char *what_item(arena *a, const char *list, uint32_t i);

/* A value already known to be of a text domain, parsed. */
void parse_formula(const reader *r, formula *f, parse_form form, const yt_node *node, const char *what);
/* The same from a slot: absent and malformed ones too. */
void read_formula(const reader *r, formula *f, parse_form form, const slot *s, const char *key, owner o);
/* A kind or type as written; NULL when it is malformed (reported). */
const kind *read_kind(const reader *r, kind_form form, const yt_node *key, const yt_node *node,
                      const char *what, const expr **type, expr_text *text);

static inline bool slot_true(const slot *s) { return s->state == FACT_VALID && yt_bool(s->node); }
static inline str slot_text(const slot *s) { return s->state == FACT_VALID ? yt_text(s->node) : (str){0}; }

/* A name being declared: a distinct ASCII identifier that is not reserved. language.md §2. */
bool check_name(const reader *r, const yt_node *key, const char *what);
/* Is a name, which may be a value, at most --max-identifier long? */
bool check_name_length(const reader *r, const yt_node *name);
void report_twice(const reader *r, const yt_node *later, const yt_node *first, const char *what);
/* "<what>: unreached, <why>" */
void report_unreached(const reader *r, span at, const char *what, const char *why);

/* ---- parts of an entry ---- */
void read_signature(reader *r, const slot *signature);
void read_tensor(reader *r, tensor_decl *t, roofline_role role, const yt_node *key, const yt_node *node);
void check_tensors(reader *r);
void read_families(reader *r, const slot *types);
void read_combos(reader *r, const slot *combos);

#endif
