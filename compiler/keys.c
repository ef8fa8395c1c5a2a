#include "compiler/keys.h"

#include <string.h>

#define IN(section) (1u << SECTION_##section)

const domain_spec domain_specs[DOMAIN_COUNT] = {
#define DOMAIN(id, meaning, words) {meaning, words},
#include "compiler/keys.def"
};

const char *const section_names[SECTION_COUNT] = {
#define SECTION(id, name) name,
#include "compiler/keys.def"
};

const key_spec key_specs[KEY_COUNT] = {
#define KEY(id, name, sections, domain, item, member, required, meaning)                                     \
  {{name, sizeof(name) - 1}, sections, DOMAIN_##domain, DOMAIN_##item, SECTION_##member, required, meaning},
#include "compiler/keys.def"
};

key_id key_find(section_id section, str name) {
  for (uint32_t i = 0; i < KEY_COUNT; i++)
    if ((key_specs[i].sections & (1u << section)) != 0 && str_eq(key_specs[i].name, name)) return (key_id)i;
  return KEY_COUNT;
}

uint32_t key_names(section_id section, str *names) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < KEY_COUNT; i++)
    if ((key_specs[i].sections & (1u << section)) != 0) names[n++] = key_specs[i].name;
  return n;
}

bool domain_has_word(domain_id domain, str word) {
  for (const char *w = domain_specs[domain].words; w != NULL;) {
    const char *bar = strchr(w, '|');
    size_t n = bar != NULL ? (size_t)(bar - w) : strlen(w);
    if (n == word.n && memcmp(w, word.p, n) == 0) return true;
    w = bar != NULL ? bar + 1 : NULL;
  }
  return false;
}
