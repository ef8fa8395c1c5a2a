/* Invariants: the condition that every value of a constructor fulfils. language.md §1. */
#ifndef COMPILER_INVARIANT_H
#define COMPILER_INVARIANT_H

#include "compiler/value.h"

/* Judges each invariant as a Bool over its constructor's fields. */
void invariant_check_kinds(arena *a, diag_sink *sink, const adt_table *adts);

/* Does a value, whose fields in the bits of v->n are unknown, fulfil its constructor's invariant? V_BOOL,
   or V_UNKNOWN while what it reads is unknown, when its evaluation fails, or when it was not judged. */
value invariant_holds(arena *a, const adt *type, const value *v);

/* Whether a value with all its fields fulfils its constructor's invariant; reports at `key` when not.
   True where there is none, or none that could be judged. */
bool invariant_check_value(arena *a, diag_sink *sink, const source *src, const yt_node *key, const adt *type,
                           const roofline_adt *v);

#endif
