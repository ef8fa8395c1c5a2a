/* keys.def as tables: what may stand in a mapping of the manifest. */
#ifndef COMPILER_KEYS_H
#define COMPILER_KEYS_H

#include "text/arena.h"

typedef enum domain_id {
#define DOMAIN(id, meaning, words) DOMAIN_##id,
#include "compiler/keys.def"
  DOMAIN_COUNT
} domain_id;

typedef enum section_id {
#define SECTION(id, name) SECTION_##id,
#include "compiler/keys.def"
  SECTION_COUNT
} section_id;

typedef enum key_id {
#define KEY(id, name, sections, domain, item, member, required, meaning) KEY_##id,
#include "compiler/keys.def"
  KEY_COUNT
} key_id;

typedef struct domain_spec {
  const char *meaning; /* "true or false": completes "it must be ..." */
  const char *words;   /* "implemented|spec-only", or NULL */
} domain_spec;
typedef struct key_spec {
  str name;
  uint32_t sections; /* bit 1 << section_id */
  domain_id domain;
  domain_id item;    /* of the members of a MAP, LIST or STRICT_LIST */
  section_id member; /* of a SECTION value, or of members that are mappings */
  bool required;
  const char *meaning;
} key_spec;

extern const domain_spec domain_specs[DOMAIN_COUNT];
extern const char *const section_names[SECTION_COUNT];
extern const key_spec key_specs[KEY_COUNT];

/* The key of that name in a section; KEY_COUNT when there is none. */
key_id key_find(section_id section, str name);
/* Names of a section's keys, in table order. Returns how many; `names` has room for KEY_COUNT. */
uint32_t key_names(section_id section, str *names);
bool domain_has_word(domain_id domain, str word);

#endif
