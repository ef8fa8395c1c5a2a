/* YAML nodes in messages: what was found, and where a node without text stands. */
#ifndef COMPILER_YAML_VALUE_H
#define COMPILER_YAML_VALUE_H

#include "text/yaml_tree.h"

/* "a list", "null", "the integer 3", "the string 'no'". */
str yaml_describe(arena *a, const yt_node *node);
/* Where a defect of a value is shown; one without text (`key:`) is shown at its key. */
span yaml_place(const source *src, const yt_node *key, const yt_node *node);
/* Warns when YAML 1.1 tools read this scalar differently. language.md §1: where a number or bool was wanted.
 */
void yaml_warn_trap(diag_sink *sink, const source *src, const yt_node *node);
static inline bool yaml_is_string(const yt_node *n) { return n->kind == YT_SCALAR && n->type == YT_STRING; }

#endif
