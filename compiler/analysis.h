/* Every defect an entry carries, and its plan. codegen.md §1. */
#ifndef COMPILER_ANALYSIS_H
#define COMPILER_ANALYSIS_H

#include "compiler/plan.h"

typedef enum rows_depth { ROWS_FULL, ROWS_SHAPES, ROWS_NONE } rows_depth;

typedef struct analysis_options {
  rows_depth rows;           /* --rows */
  uint32_t advise_points;    /* --advise-combinations, 256 */
  uint32_t max_points;       /* --max-combinations, 65,536 */
  bool want_rows;            /* keep instantiated rows for emission */
  uint32_t max_names;        /* --max-names, 4096 in one entry */
  uint64_t max_steps;        /* --max-steps, 20 million node visits an entry */
  uint32_t max_eval_depth;   /* --max-eval-depth, 2048 node visits within one another */
  uint32_t max_let_depth;    /* --max-let-depth, 256 lets that rest on one another */
  uint32_t max_family_depth; /* --max-family-depth, 64 families on the way to a shape */
} analysis_options;
extern const analysis_options analysis_default_options;

/* Infers kinds of every expression of the entry, plans it, checks its rows. `scratch` is memory the
   caller may reset afterwards; the plan lives in `a`. */
plan analysis_run(arena *a, arena *scratch, diag_sink *sink, const analysis_options *options,
                  const adt_table *adts, entry *e, uint32_t *cases);

#endif
