/* Which hand-written functions exist: --formulas files are searched for their ROOFLINE_* marks. */
#ifndef COMPILER_FORMULAS_H
#define COMPILER_FORMULAS_H

#include "compiler/emit.h"

/* Reads every path (a directory stands for its *.c, sorted). Returns false, with *why one line, when one
   cannot be read. Marks in comments, strings and macro definitions do not count. */
bool formulas_scan(arena *a, const char *const *paths, uint32_t count, emit_definitions *out, str *why);

/* An implemented func entry has a definition; without --formulas that is unreached. */
void formulas_check(diag_sink *sink, const emit_definitions *definitions, const entry *e,
                    bool missing_unavailable);

#endif
