/* What the files of `roofline audit` share. pricing.md §6, docs/audit.md. */
#ifndef PRICING_AUDIT_H
#define PRICING_AUDIT_H

#include <roofline/audit.h>
#include <roofline/op.h>

#include "compiler/name_index.h"
#include "runtime/pricing/records.h"
#include "runtime/pricing/writer.h"
#include "text/args.h"

/* A name_index that grows. */
typedef struct audit_index {
  name_index slots;
  uint32_t room;
  VEC(str) names; /* by number */
} audit_index;
/* The number of a name; *added says whether it is new. Numbers count from 0. */
uint32_t audit_index_add(arena *a, audit_index *x, str name, bool *added);
int64_t audit_index_find(const audit_index *x, str name); /* -1: no such name */

/* ---- audit_profile.c: what Nsight Compute measured -------------------------------------------------- */

typedef enum audit_metric { AUDIT_READ, AUDIT_WRITE, AUDIT_METRICS } audit_metric;
extern const char *const audit_metric_names[AUDIT_METRICS]; /* as ncu calls them */

typedef struct audit_kernel {
  const char *file, *id, *name; /* an id is unique in one table of one file */
  uint64_t line;                /* where it is first */
  arg_texts ranges;             /* cells that name its NVTX ranges */
  int64_t bytes[AUDIT_METRICS]; /* ROOFLINE_ABSENT: not measured, or not usable */
  const char *why;              /* why one is not usable; NULL */
  bool seen[AUDIT_METRICS];
  int64_t row;       /* whose measurement it is, or -1 */
  const char *stray; /* why it is nobody's, when there is more to say than that nothing names it */
} audit_kernel;

typedef struct audit_profile {
  arena *a;
  complaints *problems;
  audit_index by_key; /* of `kernels` */
  VEC(audit_kernel) kernels;
  arg_texts files; /* read so far */
} audit_profile;
/* Reads one CSV file, once under whatever paths. Returns the path its kernels carry, or NULL, with *why, when
   it cannot be opened or read. */
const char *audit_profile_read(audit_profile *p, const char *path, str *why);

/* ---- audit_map.c: which measurement belongs to which row --------------------------------------------- */

typedef struct audit_map_line {
  uint64_t line;
  const char *op, *case_id, *tag;   /* tag NULL: whichever the row has */
  const char *csv, *kernel, *range; /* NULL: any. csv is a path as this process opens it */
  bool has_id;                      /* ids [first, last] */
  uint64_t first_id, last_id;
  const char *skip;   /* NULL: it was to run */
  const char *unread; /* why csv could not be read; NULL */
  int64_t row;
} audit_map_line;
typedef struct audit_map {
  const char *path;
  VEC(audit_map_line) lines;
} audit_map;
/* False, with *why, when the file cannot be read; defects in it go to `problems`. */
bool audit_map_read(arena *a, complaints *problems, const char *path, audit_map *map, str *why);

/* ---- audit_ops.c: the operators of a shared library --------------------------------------------------- */

/* The array `<prefix>_ops` of a library of generated operators; `path` NULL: of ROOFLINE_OPS, else of the
   shipped one. It stays loaded. NULL with *why. */
const roofline_op *const *audit_ops_open(arena *a, const char *path, const char *prefix, str *why);
const roofline_row *audit_ops_row(const roofline_op *op, const char *case_id); /* or NULL */

/* ---- audit_exceptions.c ---------------------------------------------------------------------------------
 */

typedef struct audit_exceptions audit_exceptions;
/* Reads the file against the operators. Defects go to the sink; a defective exception waives nothing.
   False, with *why, when the file cannot be read. */
bool audit_exceptions_read(arena *a, diag_sink *sink, const roofline_op *const *ops, const char *path,
                           audit_exceptions **out, str *why);
/* The reason of the first exception of `op` that holds for a row, or NULL. *unjudged then says why an
   exception could not be judged, or is NULL. */
const char *audit_exceptions_find(const audit_exceptions *x, const char *op, const char *case_id,
                                  const char **unjudged);

/* ---- audit_rows.c: rows, their kernels, their verdicts ----------------------------------------------------
 */

typedef struct audit_row {
  const char *op, *case_id, *tag; /* tag NULL: none */
  int64_t declared;               /* read_bytes, ROOFLINE_ABSENT when none is declared */
  const char *path;               /* of the record, NULL when only the map has the row */
  uint64_t line;
  uint32_t kernels, unusable;
  const char *why;  /* of the first unusable kernel, or why there is none */
  const char *skip; /* the map's reason why it was not run; NULL */
  bool mapped;
  roofline_audit_traffic traffic;
  roofline_audit_verdict verdict;
  const char *reason; /* NULL for a PASS */
} audit_row;
typedef VEC(audit_row) audit_rows;

typedef struct audit {
  arena *a;
  complaints problems;
  audit_rows rows;
  audit_index by_key; /* of `rows`: op, case and tag */
  audit_profile profile;
  audit_map *map; /* NULL: none */
  const audit_exceptions *exceptions;
  uint64_t verdicts[ROOFLINE_AUDIT_VERDICT_COUNT];
  uint64_t stray; /* kernels that are no row's */
} audit;
/* Takes the records of a file. `tag` NULL: of every tag. False, with *why, when it cannot be read. */
bool audit_take_records(audit *x, const char *path, const char *tag, str *why);
/* Gives every kernel to its row and judges all rows. */
void audit_judge(audit *x);

/* ---- audit_report.c ---------------------------------------------------------------------------------------
 */

typedef enum audit_format { AUDIT_TABLE, AUDIT_JSON, AUDIT_MD } audit_format;
void audit_report(const audit *x, audit_format format, uint32_t green, bool colour, writer *w);

/* ---- audit_plan.c -----------------------------------------------------------------------------------------
 */

int audit_plan_main(int argc, char **argv);

#endif
