/* rooflinec: checks a manifest of operators and emits C evaluators from it. */
#include <stdio.h>
#include <string.h>

#include "compiler/commands.h"

int main(int argc, char **argv) {
  static const arg_subcommand commands[] = {
      {"check", "print every defect that manifest files carry", check_main},
      {"emit", "write C evaluators for every operator", emit_main},
      {"schema", "print a JSON Schema of manifest files, for editors", schema_main},
      {"explain", "print the rule behind a diagnostic code, with examples", explain_main},
  };
  static const arg_program program = {
      .name = "rooflinec",
      .summary =
          "Compiles a YAML manifest of GPU operators, their signatures, workload rows and flops and bytes\n"
          "formulas, to plain C.",
      .version = ROOFLINE_VERSION,
      .commands = commands,
      .command_count = sizeof commands / sizeof commands[0],
  };
  if (argc >= 2 && strcmp(argv[1], "--explain") == 0) return explain_main(argc - 1, argv + 1);
  return args_run(&program, argc, argv);
}
