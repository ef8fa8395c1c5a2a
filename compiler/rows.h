/* What rows.c (reading), row_branch.c (relevance) and row_case.c (instantiation) share. */
#ifndef COMPILER_ROWS_H
#define COMPILER_ROWS_H

#include "compiler/judge.h"

typedef VEC(str) name_list;

typedef struct case_name {
  str id;
  span row, at; /* its row's label, its dtype case */
} case_name;

typedef struct rows {
  judge *j;
  arena *a;       /* where row values live */
  arena *keep;    /* lives as long as the entry's judgement: branches, case ids */
  arena *scratch; /* lives as long as one row's check */
  diag_sink *sink;
  const entry *e;
  VEC(branch *) branches;
  bool lax;                /* relevance cannot be judged: some expression of the entry is malformed */
  bool *covered, *omitted; /* by tensor: some instantiated row passes it, omits it */
  bool malformed_rows;
  uint32_t cases;
  VEC(plan_row) out;
  case_name *names; /* hash set of case ids */
  uint32_t name_count, name_cap;

  /* the row at hand */
  const row_decl *row;
  bool bad, unreached;
  value *params, *indices;
  const yt_node **index_keys, **index_nodes;
  bool *passed;
  name_list misspelt;                      /* keys that an unknown one is near to: given, unreadably */
  const yt_node *dtype_cases, *dtype_case; /* all; the one at hand, or NULL */
  const branch *branch;
  struct fold_metadata **metadata; /* by tensor: generated values, NULL where there are none */
} rows;

span row_span(const rows *r);
/* A fact that this row rests on is malformed: the row is not instantiated, which is a note, not a defect. */
void rows_unreached(rows *r, const char *what, str name);
/* "'M', 'N'": everything that is missing at one place is one defect. */
str rows_quoted(rows *r, const name_list *names);
bool rows_misspelt(const rows *r, str name);
/* Puts the row's parameters, indices and passed tensors into the folder's slots. */
void rows_set_slots(rows *r);

/* row_branch.c */
branch *rows_find_branch(rows *r, const uint32_t *choice);
bool rows_relevance_unreached(rows *r);

/* row_case.c */
void rows_instantiate(rows *r);
/* Reads the dtype cases of a row that is not instantiated, for the defects they carry themselves. */
void rows_dtype_cases(rows *r);

/* row_list.c: a Seq[Int] index's value given as a call over integer literals. */
bool rows_list_call(rows *r, const index_decl *x, const yt_node *node, value *out);

#endif
