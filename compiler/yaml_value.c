#include "compiler/yaml_value.h"

enum { TEXT_SHOWN = 60 };

str yaml_describe(arena *a, const yt_node *node) {
  if (node->kind != YT_SCALAR) {
    const char *what = node->kind == YT_SEQUENCE ? "list" : "mapping";
    return arena_printf(a, node->n == 0 ? "an empty %s" : "a %s", what);
  }
  static const char *const types[] = {[YT_STRING] = "the string",
                                      [YT_NULL] = "null",
                                      [YT_BOOL] = "the bool",
                                      [YT_INT] = "the integer",
                                      [YT_FLOAT] = "the number"};
  str text = yt_text(node);
  if (node->type == YT_NULL) return STR("null");
  if (node->type != YT_STRING) return arena_printf(a, "%s %.*s", types[node->type], STR_ARG(text));
  if (text.n == 0) return STR("an empty string");
  bool one_line = true;
  for (uint32_t i = 0; i < text.n; i++) one_line = one_line && text.p[i] != '\n' && text.p[i] != '\r';
  if (text.n > TEXT_SHOWN || !one_line) return STR("a longer string");
  return arena_printf(a, "the string '%.*s'", STR_ARG(text));
}

span yaml_place(const source *src, const yt_node *key, const yt_node *node) {
  return node->begin == node->end && key != NULL ? yt_value_span(src, key) : yt_value_span(src, node);
}

void yaml_warn_trap(diag_sink *sink, const source *src, const yt_node *node) {
  if (node->kind != YT_SCALAR || !yt_is_yaml11_trap(node)) return;
  diag *d = diag_add(sink, YAML_TRAP, yt_value_span(src, node),
                     "'%.*s' is read differently by YAML 1.1 tools; here it is %s", STR_ARG(yt_text(node)),
                     node->type == YT_STRING ? "a string" : "a decimal number");
  diag_help(sink, d, "write true or false, a number in plain decimal digits, or quotes around a string");
}
