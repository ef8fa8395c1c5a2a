/* Walks plans and writes C. Judges nothing, looks nothing up in the YAML. codegen.md §2. */
#ifndef COMPILER_EMIT_H
#define COMPILER_EMIT_H

#include "compiler/plan.h"
#include "text/output.h"

/* What hand-written files define, found by their ROOFLINE_* marks. */
typedef struct emit_definitions {
  bool given; /* --formulas was given at all */
  const str *formulas, *roof_keys, *read_bytes, *data_terms;
  uint32_t formula_count, roof_key_count, read_bytes_count, data_terms_count;
} emit_definitions;

typedef struct emit_options {
  str prefix;               /* --prefix, "roofline" */
  bool rows_main;           /* --rows-main */
  bool missing_unavailable; /* --missing-formulas=unavailable */
  emit_definitions definitions;
  uint32_t jobs; /* threads; 0: one a processor */
} emit_options;

/* Makes every output file's text: <family>.h, <family>.c, registry.c, rows_main.c, and one header for
   ADTs when there are any. Paths are relative to the output directory. Symbol collisions and missing
   formulas are reported to the sink; the files are then not to be written. */
typedef VEC(output_file) emit_files;
void emit_all(arena *a, diag_sink *sink, const plan_set *plans, const emit_options *options, emit_files *out);

#endif
