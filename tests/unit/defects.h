/* For tests of the compiler's stages: manifests inline, diagnostics as "RL0202 famly; RL0204 3". */
#ifndef TESTS_UNIT_DEFECTS_H
#define TESTS_UNIT_DEFECTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/entry.h"
#include "compiler/keys.h"
#include "text/diag_render.h"

typedef struct manifest {
  arena *a;
  diag_sink *sink;
  const source *src;
  yt_node *root;
  adt_table adts;
  entry **entries;
  uint32_t count;
} manifest;

static inline int defect_order(const void *x, const void *y) {
  const diag *a = *(const diag *const *)x, *b = *(const diag *const *)y;
  if (a->at.begin != b->at.begin) return a->at.begin < b->at.begin ? -1 : 1;
  return a->code < b->code ? -1 : a->code > b->code;
}

/* Every diagnostic in the order of the text: code, "?" after a warning's and "~" after an unreached
   note's, and the text it covers. */
static inline const char *defects_of(arena *a, const diag_sink *sink) {
  uint32_t n;
  diag *const *all = diag_all(sink, &n);
  const diag **sorted = arena_array(a, const diag *, n + 1);
  for (uint32_t i = 0; i < n; i++) sorted[i] = all[i];
  if (n != 0) qsort(sorted, n, sizeof sorted[0], defect_order);
  str out = {0};
  for (uint32_t i = 0; i < n; i++) {
    const diag *d = sorted[i];
    static const char *const marks[] = {"", "?", "!", "~"};
    str text = {d->at.src->text.p + d->at.begin, d->at.end - d->at.begin};
    out = arena_printf(a, "%.*s%sRL%04u%s %.*s", STR_ARG(out), i == 0 ? "" : "; ",
                       diag_code_info(d->code)->number, marks[d->severity], STR_ARG(text));
  }
  return arena_cstr(a, out);
}

static inline yt_node *manifest_tree(manifest *m, const char *path, const char *text, const source **src) {
  bool empty;
  *src = source_from_text(m->a, path, str_of(text));
  return yt_parse(m->a, m->sink, *src, &yt_default_limits, &empty);
}

/* types: the text of types.yaml, or NULL. */
static inline manifest manifest_read(const char *text, const char *types) {
  manifest m = {.a = arena_new()};
  m.sink = diag_sink_new(m.a);
  if (types != NULL) {
    const source *src;
    yt_node *root = manifest_tree(&m, "types.yaml", types, &src);
    const manifest_file file = {src, root, true};
    entry_read_adts(m.a, m.sink, &parse_default_limits, &file, 1, &m.adts);
  }
  m.root = manifest_tree(&m, "t.yaml", text, &m.src);
  if (m.root == NULL || m.root->kind != YT_MAPPING) return m;
  m.entries = arena_array(m.a, entry *, m.root->n);
  for (; m.count < m.root->n; m.count++) {
    const yt_node *key = m.root->u.items[2 * m.count], *node = m.root->u.items[2 * m.count + 1];
    diag_set_op(m.sink, yt_text(key));
    m.entries[m.count] = entry_read(m.a, m.sink, &parse_default_limits, &m.adts, m.src, key, node);
  }
  return m;
}

static inline void assert_defects_at(const char *text, const char *types, const char *expected,
                                     const char *file, int line) {
  manifest m = manifest_read(text, types);
  const char *found = defects_of(m.a, m.sink);
  if (strcmp(found, expected) != 0) {
    diag_print(m.sink, stderr, &(diag_options){.format = DIAG_TEXT, .show_unreached = true});
    fprintf(stderr, "%s:%d: of:\n%s", file, line, text);
  }
  _assert_string_equal(found, expected, file, line);
  arena_free(m.a);
}

/* A whole manifest, and what is wrong with it. */
#define assert_defects(text, types, expected)                                                                \
  assert_defects_at((text), (types), (expected), __FILE__, __LINE__)

/* An entry whose signature is the given flow mapping. */
#define WITH_SIGNATURE(signature)                                                                            \
  "AFwdOp:\n  family: f\n  status: implemented\n  signature: " signature                                     \
  "\n  workloads: [{label: a}]\n  roofline: {flops: \"1\"}\n"
#define assert_signature(signature, expected) assert_defects(WITH_SIGNATURE(signature), NULL, expected)

#endif
