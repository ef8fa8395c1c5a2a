#include <stdio.h>

#include "compiler/commands.h"
#include "compiler/formulas.h"

int check_main(int argc, char **argv) {
  arena *a = arena_new();
  common_options common;
  common_defaults(&common);
  arg_option options[COMMON_OPTION_COUNT];
  common_table(&common, options);
  const arg_command command = {
      .name = "rooflinec check",
      .summary = "Checks manifest files and prints every defect they carry.\n"
                 "A directory stands for its *.yaml files, - for standard input; the types.yaml beside a\n"
                 "file is read with it. Exit status: 0 clean, 1 defects, 2 usage or input/output.\n\n"
                 "  rooflinec check manifest/ops\n"
                 "  rooflinec check --strict --formulas runtime/formulas manifest/ops\n"
                 "  rooflinec check --format sarif manifest/ops > rooflinec.sarif",
      .operands = "PATH...",
      .options = options,
      .option_count = COMMON_OPTION_COUNT,
      .min_operands = 1,
  };
  arg_texts paths = {0};
  arg_result parsed = args_parse(a, &command, argc, argv, &paths);
  int status = parsed == ARGS_HELP ? 0 : 2;
  if (parsed == ARGS_OK) {
    diag_sink *sink = diag_sink_new(a);
    manifest m;
    common.manifest.paths = paths.v;
    common.manifest.path_count = paths.n;
    common.manifest.analysis.rows = (rows_depth)common.rows;
    emit_definitions definitions;
    str why = {0};
    if (formulas_scan(a, common.formulas.v, common.formulas.n, &definitions, &why)) {
      common.manifest.definitions = &definitions;
      manifest_analyse(a, sink, &common.manifest, &m);
      status = common_report(sink, &common, &m);
    } else {
      fprintf(stderr, "rooflinec check: %.*s\n", STR_ARG(why));
    }
  }
  arena_free(a);
  return status;
}
