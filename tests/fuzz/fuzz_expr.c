/* Any bytes as an expression, a shape or a type: no crash, no leak, nothing lost without a report, and a
   tree without a defect prints to text that reads back. */
#include <stdlib.h>
#include <string.h>

#include "compiler/parse.h"

static expr *read_text(arena *a, diag_sink *sink, parse_form form, str text) {
  yt_node *node = arena_new_of(a, yt_node);
  *node = (yt_node){.kind = YT_SCALAR, .style = YT_PLAIN, .exact = 1, .n = text.n, .end = text.n};
  node->u.text = text.p;
  expr_text where = {source_from_text(a, "fuzz", text), node};
  return parse_text(a, sink, &(parse_limits){.depth = 20, .identifier = 16, .rank = 4}, form, &where, "fuzz");
}

static void require(bool held) {
  if (!held) abort();
}

/* A node lies in the text, its parts inside it, and it counts its nesting. */
static uint32_t check_tree(const expr *e, uint32_t begin, uint32_t end) {
  require(begin <= e->begin && e->begin <= e->end && e->end <= end);
  require(e->at >= e->begin && e->at <= e->at_end && e->at_end <= e->end);
  uint32_t height = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->args[i] == NULL) continue;
    uint32_t below = check_tree(e->args[i], e->begin, e->end);
    require(e->args[i]->depth <= e->depth);
    if (below > height) height = below;
  }
  require(height <= 6 * (e->depth + 1));
  return height + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  parse_form form = (parse_form)(data[0] % 3);
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  char *copy = malloc(size); /* of its exact size, so that a read past its end is caught */
  memcpy(copy, data + 1, size - 1);
  str text = {copy, (uint32_t)(size - 1)};
  expr *e = read_text(a, sink, form, text);
  uint32_t errors = diag_errors(sink);
  require(e != NULL || errors > 0);
  if (e != NULL) check_tree(e, 0, text.n);
  if (errors == 0) {
    str printed = expr_print(a, e);
    expr *again = read_text(a, sink, form, printed);
    require(again != NULL && diag_errors(sink) == 0);
    require(str_eq(expr_print(a, again), printed));
  }
  free(copy);
  arena_free(a);
  return 0;
}
