/* A manifest as a whole: its files found, read, merged; every entry analysed. language.md §1. */
#ifndef COMPILER_MANIFEST_H
#define COMPILER_MANIFEST_H

#include "compiler/analysis.h"
#include "compiler/emit.h"

typedef struct manifest_options {
  const char *const *paths; /* files and directories as given; "-" is standard input */
  uint32_t path_count;
  yt_limits yaml;
  parse_limits parse;
  analysis_options analysis;           /* want_rows: keep plans for emission */
  const emit_definitions *definitions; /* what --formulas defines */
  bool missing_unavailable;            /* a func without a definition is no defect */
  uint32_t jobs;                       /* threads; 0: one a processor */
} manifest_options;

typedef struct manifest {
  plan_set plans;     /* with want_rows */
  const char **files; /* every file read, sorted; for a depfile */
  uint32_t file_count;
  uint32_t ops, cases;
  bool unreadable; /* some path could not be read: said on standard error */
} manifest;

/* Analyses everything the paths name, with the same result whatever the number of threads. Without
   want_rows files' trees are freed some megabytes at a time, so memory follows the largest file and not
   their sum. */
void manifest_analyse(arena *a, diag_sink *sink, const manifest_options *options, manifest *out);

#endif
