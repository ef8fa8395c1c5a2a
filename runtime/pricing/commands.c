#include "runtime/pricing/commands.h"

#include <stdio.h>

#include "text/output.h"

int commands_close_stdout(const char *name, int status) {
  str why;
  if (output_close_stdout(&why)) return status;
  fprintf(stderr, "%s: %.*s\n", name, STR_ARG(why));
  return EXIT_USAGE;
}
