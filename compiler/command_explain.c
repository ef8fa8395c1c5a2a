#include <stdio.h>

#include "compiler/commands.h"
#include "text/diag.h"
#include "text/output.h"

int explain_main(int argc, char **argv) {
  arena *a = arena_new();
  bool reference = false;
  const arg_option options[] = {
      {.name = "reference", .flag = &reference, .help = "print a Markdown page of every code instead"},
  };
  const arg_command command = {
      .name = "rooflinec explain",
      .summary = "Prints the rule behind a diagnostic code, with a wrong and a right example.\n\n"
                 "  rooflinec explain RL0412",
      .operands = "[CODE]",
      .options = options,
      .option_count = 1,
      .max_operands = 1,
  };
  arg_texts codes = {0};
  arg_result parsed = args_parse(a, &command, argc, argv, &codes);
  int status = parsed == ARGS_HELP ? 0 : 2;
  if (parsed == ARGS_OK && reference) {
    diag_reference(stdout);
    status = 0;
  } else if (parsed == ARGS_OK && codes.n == 0) {
    fprintf(stderr, "rooflinec explain: a code is wanted, such as RL0412\n");
  } else if (parsed == ARGS_OK) {
    status = diag_explain(stdout, codes.v[0]) ? 0 : 2;
    if (status != 0)
      fprintf(stderr, "rooflinec explain: there is no code '%s'; 'rooflinec explain --reference' lists all\n",
              codes.v[0]);
  }
  str why = {0};
  if (!output_close_stdout(&why)) {
    fprintf(stderr, "rooflinec: %.*s\n", STR_ARG(why));
    status = 2;
  }
  arena_free(a);
  return status;
}
