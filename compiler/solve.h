/* Which index an axis can solve, and for what value. language.md §6 "Affine axes". */
#ifndef COMPILER_SOLVE_H
#define COMPILER_SOLVE_H

#include "compiler/fold.h"

/* What an axis says about indices that are not in `known`. */
typedef enum axis_form {
  AXIS_KNOWN,  /* reads nothing unknown */
  AXIS_LINEAR, /* factor * index + known terms, the index unknown */
  AXIS_OTHER   /* only checked */
} axis_form;
typedef struct axis_reading {
  axis_form form;
  uint32_t symbol;
  int64_t factor;
} axis_reading;
/* Everything but indices: what a bind knows before it looks at a shape. */
symbol_set solve_start(arena *a, const entry *e);
axis_reading solve_read_axis(fold *c, const expr *axis, symbol_set known);

/* Adds to `known` every index that the tensor's declared shape and dtype solve, given those known
   already. Returns whether any was added. `except` (may be NULL) are indices that this tensor may not
   solve: what its own generator reads. With `actual` the solved values are written to the slots: a
   shape that does not fit is then status DOMAIN. */
bool solve_tensor(fold *c, uint32_t tensor, symbol_set known, const symbol_set *except,
                  const roofline_shape *actual);

#endif
