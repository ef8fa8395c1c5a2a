/* The stage that infers and checks kinds, with narrowing. language.md §3. Annotates the trees in place:
   expr.kind is the (narrowed) kind at that place, expr.symbol what a name means. */
#ifndef COMPILER_KINDS_H
#define COMPILER_KINDS_H

#include "compiler/entry.h"

/* Judges every expression of an entry: lets in dependency order, shapes, dtypes, conditions, refinements,
   generator and predicate calls, families, the roofline. Reports; each formula's `judged` says whether
   it came out clean. */
void kinds_check_entry(arena *a, diag_sink *sink, const adt_table *adts, uint32_t max_let_depth, entry *e);

/* One condition over a fixed set of names, for files outside a manifest (the audit's exceptions).
   Returns false when it has a defect. */
bool kinds_check_condition(arena *a, diag_sink *sink, const symbol *symbols, uint32_t count, formula *f);

/* The kind of a text that reads no name (a row's list); f->judged says whether it came out clean. */
const kind *kinds_check_value(arena *a, diag_sink *sink, formula *f);

#endif
