/* The JSON Schema says what keys.def says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/schema.h"

static void test_schema(void **state) {
  (void)state;
  arena *a = arena_new();
  str text = schema_text(a);
  json_error_t error;
  json_t *schema = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, &error);
  assert_non_null(schema);
  json_t *defs = json_object_get(schema, "$defs");
  json_t *entry = json_object_get(defs, "operator");
  assert_true(json_is_false(json_object_get(entry, "additionalProperties")));
  assert_int_equal(json_object_size(json_object_get(entry, "properties")), 7);
  assert_int_equal(json_array_size(json_object_get(entry, "required")), 5);
  char *status = json_dumps(json_object_get(json_object_get(entry, "properties"), "status"),
                            JSON_COMPACT | JSON_SORT_KEYS);
  assert_string_equal(
      status,
      "{\"allOf\":[{\"enum\":[\"implemented\",\"spec-only\"]}],\"description\":\"whether a kernel exists\"}");
  free(status);
  json_decref(schema);
  arena_free(a);
}

/* Every reference leads to a definition. */
static void follow(const json_t *node, const json_t *defs, uint32_t *references) {
  static const char prefix[] = "#/$defs/";
  const char *key;
  json_t *value;
  size_t i;
  if (json_is_array(node)) {
    json_array_foreach(node, i, value) follow(value, defs, references);
    return;
  }
  if (!json_is_object(node)) return;
  json_object_foreach((json_t *)(uintptr_t)node, key, value) {
    if (strcmp(key, "$ref") == 0) {
      assert_int_equal(strncmp(json_string_value(value), prefix, sizeof prefix - 1), 0);
      assert_non_null(json_object_get(defs, json_string_value(value) + sizeof prefix - 1));
      ++*references;
    }
    follow(value, defs, references);
  }
}

static void test_references(void **state) {
  (void)state;
  arena *a = arena_new();
  str text = schema_text(a);
  json_t *schema = json_loadb(text.p, text.n, 0, NULL);
  uint32_t references = 0;
  follow(schema, json_object_get(schema, "$defs"), &references);
  /* Each of the 15 kinds of mapping stands in one place. */
  assert_int_equal(references, 15);
  json_decref(schema);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_schema), cmocka_unit_test(test_references)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
