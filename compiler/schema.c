#include "compiler/schema.h"

#include "compiler/keys.h"

#define TEXT "{\"type\": \"string\", \"pattern\": \"\\\\S\"}"
#define IDENTIFIER "[A-Za-z_][A-Za-z0-9_]*"

/* What JSON Schema says of a domain; NULL: its words. */
static const char *const domain_json[DOMAIN_COUNT] = {
    [DOMAIN_ANY] = "{}",
    [DOMAIN_TEXT] = TEXT,
    [DOMAIN_SNAKE] = "{\"type\": \"string\", \"pattern\": \"^[a-z][a-z0-9_]*$\"}",
    [DOMAIN_DOTTED] = "{\"type\": \"string\", \"pattern\": \"^" IDENTIFIER "([.]" IDENTIFIER ")*$\"}",
    [DOMAIN_BOOL] = "{\"type\": \"boolean\"}",
    [DOMAIN_TRUE_OR_FORMULA] = "{\"anyOf\": [{\"const\": true}, " TEXT "]}",
    [DOMAIN_BOOL_OR_FORMULA] = "{\"anyOf\": [{\"type\": \"boolean\"}, " TEXT "]}",
    [DOMAIN_FORMULA] = TEXT,
    [DOMAIN_SHAPE] = TEXT,
    [DOMAIN_KIND] = TEXT,
    [DOMAIN_TYPE] = TEXT,
    [DOMAIN_DTYPE] = TEXT,
    [DOMAIN_MAP] = "{\"type\": [\"object\", \"null\"]}",
    [DOMAIN_LIST] = "{\"type\": [\"array\", \"null\"]}",
};

static void put_words(out_text *o, const char *words) {
  out_printf(o, "{\"enum\": [\"");
  for (const char *w = words; *w != '\0'; w++)
    if (*w == '|')
      out_printf(o, "\", \"");
    else
      out_put(o, (str){w, 1});
  out_printf(o, "\"]}");
}

static void put_domain(out_text *o, domain_id domain) {
  if (domain_specs[domain].words != NULL)
    put_words(o, domain_specs[domain].words);
  else
    out_printf(o, "%s", domain_json[domain]);
}

/* A section's name where a URI may hold it. */
static void put_name(out_text *o, section_id section) {
  for (const char *c = section_names[section]; *c != '\0'; c++)
    out_put(o, *c == ' ' ? STR("_") : (str){c, 1});
}

static void put_reference(out_text *o, section_id section) {
  out_printf(o, "{\"$ref\": \"#/$defs/");
  put_name(o, section);
  out_printf(o, "\"}");
}

/* A member of a MAP or LIST. A parameter is a value or a tensor; a field is its kind, or a mapping. */
static void put_member(out_text *o, const key_spec *k) {
  section_id other = k->member == SECTION_PARAM ? SECTION_CONSTRUCTION : SECTION_NONE;
  bool either = other != SECTION_NONE || (k->item != DOMAIN_SECTION && k->member != SECTION_NONE);
  if (either) out_printf(o, "{\"anyOf\": [");
  if (k->item != DOMAIN_SECTION) put_domain(o, k->item);
  if (either && k->item != DOMAIN_SECTION) out_printf(o, ", ");
  if (k->member != SECTION_NONE) put_reference(o, k->member);
  if (other != SECTION_NONE) {
    out_printf(o, ", ");
    put_reference(o, other);
  }
  if (either) out_printf(o, "]}");
}

static void put_value(out_text *o, const key_spec *k) {
  bool list = k->domain == DOMAIN_LIST || k->domain == DOMAIN_STRICT_LIST;
  if (k->domain == DOMAIN_SECTION) {
    out_printf(o, "{\"anyOf\": [{\"type\": \"null\"}, ");
    put_reference(o, k->member);
    out_printf(o, "]}");
  } else if (k->domain == DOMAIN_MAP || list) {
    const char *type = k->domain == DOMAIN_STRICT_LIST ? "\"array\""
                       : list                          ? "[\"array\", \"null\"]"
                                                       : "[\"object\", \"null\"]";
    out_printf(o, "{\"type\": %s, \"%s\": ", type, list ? "items" : "additionalProperties");
    put_member(o, k);
    out_printf(o, "}");
  } else {
    put_domain(o, k->domain);
  }
}

static void put_section(out_text *o, section_id section) {
  const char *between = "";
  out_printf(o, "    \"");
  put_name(o, section);
  out_printf(o, "\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n");
  out_printf(o, "      \"required\": [");
  for (uint32_t i = 0; i < KEY_COUNT; i++) {
    const key_spec *k = &key_specs[i];
    if ((k->sections & (1u << section)) == 0 || !k->required) continue;
    out_printf(o, "%s\"%.*s\"", between, STR_ARG(k->name));
    between = ", ";
  }
  out_printf(o, "],\n      \"properties\": {");
  between = "\n";
  for (uint32_t i = 0; i < KEY_COUNT; i++) {
    const key_spec *k = &key_specs[i];
    if ((k->sections & (1u << section)) == 0) continue;
    out_printf(o, "%s        \"%.*s\": {\"description\": \"%s\", \"allOf\": [", between, STR_ARG(k->name),
               k->meaning);
    put_value(o, k);
    out_printf(o, "]}");
    between = ",\n";
  }
  out_printf(o, "\n      }\n    }");
}

str schema_text(arena *a) {
  out_text o;
  out_init(&o, a);
  out_printf(&o, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                 "  \"title\": \"rooflinec manifest: operators, or types.yaml\",\n"
                 "  \"anyOf\": [\n"
                 "    {\"type\": \"object\", \"additionalProperties\": false, \"patternProperties\": "
                 "{\"^[A-Z][A-Za-z0-9]*(Fwd|Bwd)Op$\": ");
  put_reference(&o, SECTION_ENTRY);
  out_printf(&o, "}},\n    ");
  put_reference(&o, SECTION_TYPES_FILE);
  out_printf(&o, "\n  ],\n  \"$defs\": {\n");
  for (uint32_t s = SECTION_NONE + 1; s < SECTION_COUNT; s++) {
    put_section(&o, (section_id)s);
    out_printf(&o, s + 1 < SECTION_COUNT ? ",\n" : "\n");
  }
  out_printf(&o, "  }\n}\n");
  return out_str(&o);
}
