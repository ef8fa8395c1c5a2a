/* Which hand-written functions exist: --formulas files are searched for their ROOFLINE_* marks. */
#ifndef COMPILER_FORMULAS_H
#define COMPILER_FORMULAS_H

#include "compiler/emit.h"

/* Reads every path (a directory stands for its *.c, sorted). Returns false, with *why one line, when one
   cannot be read. Marks in comments, strings and macro definitions do not count. */
bool formulas_scan(arena *a, const char *const *paths, uint32_t count, emit_definitions *out, str *why);

/* An operator as marks name it. */
typedef struct formulas_op {
  str symbol; /* gemm_fwd */
  span at;
  str func; /* or empty; when nothing defines it, whether that is a defect */
  span func_at;
  bool func_reported;
  bool derives_bytes; /* so its read half needs no mark */
  bool unknown;       /* which formula it names cannot be told */
} formulas_op;
formulas_op formulas_op_of(arena *a, const entry *e, bool missing_unavailable);

/* A mark of no operator given is as a rule of one in another file. One that is almost the name of an operator
   without such a mark is misspelt: nothing would read it. `ops` are all that the marks could be of. */
void formulas_check_marks(arena *a, diag_sink *sink, const emit_definitions *definitions,
                          const formulas_op *ops, uint32_t count);

/* An implemented func entry has a definition; without --formulas that is unreached. */
void formulas_check(arena *a, diag_sink *sink, const emit_definitions *definitions, const entry *e,
                    bool missing_unavailable);

#endif
