/* `roofline records check`: is every record what pricing.md §3 says a record is? */
#include "runtime/pricing/commands.h"
#include "runtime/pricing/records.h"
#include "text/args.h"

static int records_check(int argc, char **argv) {
  arena *a = arena_new();
  arg_texts files = {0};
  uint32_t input = RECORDS_AUTO, max_errors = 20;
  const arg_option options[] = {
      {.name = "input",
       .value = "auto|jsonl|array|csv|gbench",
       .choice = &input,
       .help = "what the files are; told from their first bytes otherwise"},
      {.name = "max-errors",
       .value = "N",
       .number = &max_errors,
       .help = "how many defects to name; all are counted"},
  };
  const arg_command command = {
      .name = "roofline records check",
      .summary =
          "Checks that every record has its fields and that they are of their types, as\n"
          "schemas/record.schema.json describes them. `roofline price` is more forgiving: what it cannot\n"
          "price, it leaves blank.\n"
          "\nExample:\n  roofline records check nightly.jsonl\n"
          "\nExit status: 0 all are records, 1 defects, 2 usage or I/O.",
      .operands = "FILE...",
      .min_operands = 1,
      .options = options,
      .option_count = sizeof options / sizeof *options};
  arg_result parsed = args_parse(a, &command, argc, argv, &files);
  int status = parsed == ARGS_WRONG ? EXIT_USAGE : EXIT_HEALTHY;
  complaints problems = {.out = stdout, .limit = max_errors};
  unsigned long long good = 0;
  for (uint32_t i = 0; parsed == ARGS_OK && i < files.n; i++) {
    str why;
    roofline_record record;
    records *in = records_open(files.v[i], (records_format)input, true, &problems, &why, a);
    while (in != NULL && records_next(in, &record)) good++;
    if (in == NULL || !records_close(in, a, &why)) {
      fprintf(stderr, "roofline records check: %.*s\n", STR_ARG(why));
      status = EXIT_USAGE;
    }
  }
  complaints_close(&problems);
  if (parsed == ARGS_OK)
    printf("%llu record%s, %llu defect%s\n", good, good == 1 ? "" : "s", (unsigned long long)problems.count,
           problems.count == 1 ? "" : "s");
  if (status == EXIT_HEALTHY && problems.count > 0) status = EXIT_DEFECTS;
  arena_free(a);
  return commands_close_stdout("roofline records check", status);
}

int records_main(int argc, char **argv) {
  static const arg_subcommand commands[] = {
      {"check", "check that every record has its fields, of their types", records_check}};
  static const arg_program program = {.name = "roofline records",
                                      .summary = "Files of measured rows.",
                                      .commands = commands,
                                      .command_count = 1};
  return args_run(&program, argc, argv);
}
