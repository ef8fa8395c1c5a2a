/* The commands of `rooflinec`. Each returns the process's exit status: 0 clean, 1 defects, 2 usage or I/O. */
#ifndef COMPILER_COMMANDS_H
#define COMPILER_COMMANDS_H

#include "compiler/manifest.h"
#include "text/args.h"

int check_main(int argc, char **argv);
int emit_main(int argc, char **argv);
int schema_main(int argc, char **argv);
int explain_main(int argc, char **argv);

/* The options that check and emit share: limits, rows, how diagnostics are printed. */
typedef struct common_options {
  manifest_options manifest;
  uint32_t format, colour, rows; /* choices */
  bool strict, notes;
  uint32_t max_errors;
  arg_texts formulas;
} common_options;
enum { COMMON_OPTION_COUNT = 23 };
void common_defaults(common_options *c);
/* Writes COMMON_OPTION_COUNT options. */
void common_table(common_options *c, arg_option *out);
/* Prints diagnostics; returns the exit status they call for. */
int common_report(diag_sink *sink, const common_options *c, const manifest *m);

#endif
