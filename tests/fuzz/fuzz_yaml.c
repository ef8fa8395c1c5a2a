/* Any bytes as a YAML file: no crash, and what the tree says of places holds. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/yaml_tree.h"

#define HOLDS(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                        \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Every byte of the text has its place inside the token, in order; where one byte made one byte they are
   the same, or a fold. */
static void check_text(const source *src, const yt_node *n) {
  uint32_t before = n->begin;
  for (uint32_t i = 0; i < n->n && i < 300; i++) {
    span s = yt_text_span(src, n, i, i + 1);
    HOLDS(s.begin >= before && s.end >= s.begin && s.end <= n->end);
    before = s.begin;
    char made = n->u.text[i];
    if (s.end - s.begin == 1) {
      char from = src->text.p[s.begin];
      HOLDS(from == made || (is_space(from) && is_space(made)));
    } else if ((made >= 'a' && made <= 'z') || (made >= '0' && made <= '9')) {
      HOLDS(n->style == YT_DOUBLE &&
            src->text.p[s.begin] == '\\'); /* a letter comes from more only by an escape */
    }
  }
  span all = yt_text_span(src, n, 0, n->n);
  HOLDS(all.begin >= n->begin && all.end <= n->end);
  int64_t value;
  if (n->type == YT_INT) yt_int(n, &value);
  if (n->type == YT_FLOAT) yt_float(n);
  yt_is_yaml11_trap(n);
}

static void check(const source *src, const yt_node *n) {
  HOLDS(n->begin <= n->end && n->end <= src->text.n);
  span value = yt_value_span(src, n);
  HOLDS(value.begin >= n->begin && value.end <= n->end && value.begin <= value.end);
  if (n->kind == YT_SCALAR) {
    check_text(src, n);
    return;
  }
  uint32_t per_item = n->kind == YT_MAPPING ? 2 : 1;
  for (uint32_t i = 0; i < n->n * per_item; i++) check(src, n->u.items[i]);
  for (uint32_t i = 0; n->kind == YT_MAPPING && i < n->n; i++) {
    HOLDS(n->u.items[2 * i]->kind == YT_SCALAR);
    for (uint32_t j = 0; j < i && j < 50; j++)
      HOLDS(!str_eq(yt_text(n->u.items[2 * i]), yt_text(n->u.items[2 * j])));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  const yt_limits limits = {.file_bytes = 1 << 20, .nodes = 20000, .depth = 128, .alias_nodes = 20000};
  char *copy = malloc(size + 1); /* exactly as large, so that the sanitizer sees a read past the end */
  memcpy(copy, data, size);
  source *src = source_from_text(a, "f.yaml", (str){copy, (uint32_t)size});
  bool empty;
  yt_node *root = yt_parse(a, sink, src, &limits, &empty);
  HOLDS(!(root != NULL && empty));
  HOLDS(root != NULL || empty || diag_errors(sink) > 0);
  if (root != NULL) check(src, root);
  for (int format = DIAG_TEXT; format <= DIAG_GITHUB; format++) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    diag_print(sink, out, &(diag_options){.format = (diag_format)format});
    fclose(out);
    free(text);
  }
  arena_free(a);
  free(copy);
  return 0;
}
