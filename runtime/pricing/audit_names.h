/* A generated op as the names of a condition: its indices, parameters and tensors, their kinds, and their
   values on one of its rows. */
#ifndef PRICING_AUDIT_NAMES_H
#define PRICING_AUDIT_NAMES_H

#include "compiler/fold.h"

/* Only the symbols and tensors are filled. A kind is what the op's description tells, which is less than the
   manifest does: an enum may always be absent, and what a union may hold is what the rows give it. */
entry *audit_names_of(arena *a, const roofline_op *op);
/* Puts the values of a row into a fold over that entry. They view the row. */
void audit_names_set(fold *c, const roofline_op *op, const roofline_row *row);

#endif
