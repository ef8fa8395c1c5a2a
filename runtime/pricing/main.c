/* `roofline`: prices recorded measurements against GPU profiles. architecture.md. */
#include <locale.h>

#include "runtime/pricing/commands.h"
#include "text/args.h"

static const arg_subcommand commands[] = {
    {"price", "price recorded rows: efficiency, bound and verdict of each", price_main},
    {"diff", "show what moved between two files of records", diff_main},
    {"records", "check files of records against the record format", records_main},
    {"audit", "do rows read the bytes they declare? Nsight Compute against records", audit_main},
    {"headroom", "how much of a profiled run is left to win, kernel by kernel", headroom_main},
    {"profiles", "list, show and check GPU profiles", profiles_main},
};

int main(int argc, char **argv) {
  static const arg_program program = {
      .name = "roofline",
      .summary = "Prices what a benchmark recorded against the roofs of the GPU it ran on. Start with\n"
                 "  roofline price records.jsonl\n"
                 "\nExit status: 0 healthy, 1 defects in the input or in a row's formula, 2 usage or I/O.",
      .version = ROOFLINE_VERSION,
      .commands = commands,
      .command_count = sizeof commands / sizeof *commands,
  };
  setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters in tables; numbers stay in the C locale */
  return args_run(&program, argc, argv);
}
