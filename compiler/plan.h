/* What analysis hands to emission: a judged entry and its instantiated rows. Emission decides nothing. */
#ifndef COMPILER_PLAN_H
#define COMPILER_PLAN_H

#include "compiler/entry.h"

/* One workload row and dtype case, instantiated and checked. */
typedef struct plan_row {
  str case_id, label;
  const value *indices; /* by index number; V_UNKNOWN when not relevant on the row's branch */
  const value *params;  /* by parameter number; defaults filled in; V_UNKNOWN for construction-time tensors */
  const bool *present;  /* by tensor number */
} plan_row;

typedef struct plan {
  const entry *entry;
  bool emittable; /* no error in the entry */
  plan_row *rows;
  uint32_t row_count;
} plan;

typedef struct plan_set {
  const plan *plans; /* in manifest order: files sorted by path as given, entries in file order */
  uint32_t count;
  const adt_table *adts;
} plan_set;

#endif
