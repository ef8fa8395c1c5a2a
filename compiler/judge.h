/* What analysis.c (combinations) and rows.c (workload rows) share. */
#ifndef COMPILER_JUDGE_H
#define COMPILER_JUDGE_H

#include "compiler/analysis.h"
#include "compiler/points.h"
#include "compiler/solve.h"

/* What one combination of discriminants makes of the entry. */
typedef struct branch {
  const uint32_t *choice; /* per axis */
  bool accepted;
  const formula *rejected_by;
  symbol_set relevant;  /* read by shapes, dtypes, refinements, generators, requires, inline roofline */
  symbol_set generated; /* of these, what a generator's shape determines */
  bool open; /* a tensor's presence or shape cannot be told, which is reported: it may read any index */
} branch;

typedef struct judge {
  arena *a;       /* lives as long as the plan */
  arena *scratch; /* lives as long as the entry's judgement */
  diag_sink *sink;
  const analysis_options *options;
  const entry *e;
  points p;
  fold c;
  uint32_t *base;        /* the first accepted choice of every axis */
  bool solvable;         /* can it be judged whether indices are solved? */
  diag **case_defects;   /* by family: that its cases do not fit, which further values are added to */
  symbol_set unsolvable; /* indices reported as such: no row is asked for them */
} judge;

/* Folds what an item reads at the combination in the slots, adds it to `reads`, generator arguments to
   `generator_reads`. Defects go to the folder's sink. */
void judge_item(judge *j, const item *it, symbol_set reads, symbol_set generator_reads);
/* The refinement that rejects the combination in the slots, reading only `group`'s axes (-1: those that
   read none; -2: all), or NULL. */
const formula *judge_rejects(judge *j, int32_t group);

/* Reports those of the indices `reads` that the inputs do not solve at the combination in the slots. */
void judge_solved(judge *j, symbol_set reads);

/* Reads, instantiates and checks every workload row; fills plan->rows when asked. Returns the number of
   cases. */
uint32_t rows_check(judge *j, plan *out);

#endif
