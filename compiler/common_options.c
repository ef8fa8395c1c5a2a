#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/commands.h"
#include "compiler/fold.h"
#include "text/output.h"

enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

void common_defaults(common_options *c) {
  *c = (common_options){0};
  c->manifest.yaml = yt_default_limits;
  c->manifest.parse = parse_default_limits;
  c->manifest.analysis = analysis_default_options;
}

void common_table(common_options *c, arg_option *out) {
  manifest_options *m = &c->manifest;
  const arg_option table[COMMON_OPTION_COUNT] = {
      {.name = "rows",
       .value = "full|shapes|none",
       .choice = &c->rows,
       .help = "how far workload rows are instantiated: with metadata values, shapes only, not at all"},
      {.name = "formulas",
       .value = "PATH",
       .list = &c->formulas,
       .help = "C files, or directories of them, that define func formulas; may be repeated"},
      {.name = "format",
       .value = "text|json|sarif|github",
       .choice = &c->format,
       .help = "how diagnostics are printed"},
      {.name = "color",
       .value = "auto|always|never",
       .choice = &c->colour,
       .help = "colour in text; auto: on a terminal, unless NO_COLOR is set"},
      {.name = "strict", .flag = &c->strict, .help = "refuse warnings too"},
      {.name = "notes", .flag = &c->notes, .help = "print in text what was not judged, and why"},
      {.name = "jobs",
       .value = "N",
       .number = &m->jobs,
       .help = "threads that work at once; 0 is one a processor"},
      {.name = "max-errors",
       .value = "N",
       .number = &c->max_errors,
       .help = "print at most N errors; 0 is all"},
      {.name = "max-file-bytes",
       .value = "N",
       .large_number = &m->yaml.file_bytes,
       .help = "limit of a file's size",
       .min = 1,
       .max = UINT32_MAX},
      {.name = "max-nodes",
       .value = "N",
       .number = &m->yaml.nodes,
       .help = "limit of a file's YAML nodes",
       .min = 1},
      {.name = "max-depth",
       .value = "N",
       .number = &m->yaml.depth,
       .help = "limit of YAML nesting",
       .min = 1,
       .max = 1024},
      {.name = "max-alias-nodes",
       .value = "N",
       .number = &m->yaml.alias_nodes,
       .help = "limit of nodes that aliases stand for"},
      {.name = "max-expr-depth",
       .value = "N",
       .number = &m->parse.depth,
       .help = "limit of nesting in an expression",
       .min = 1,
       .max = 1024},
      {.name = "max-expr-bytes",
       .value = "N",
       .number = &m->parse.bytes,
       .help = "limit of expression text in one entry",
       .min = 1},
      {.name = "max-identifier",
       .value = "N",
       .number = &m->parse.identifier,
       .help = "limit of a name's length in bytes",
       .min = 1},
      {.name = "max-rank",
       .value = "N",
       .number = &m->parse.rank,
       .help = "limit of a shape's axes",
       .min = 1,
       .max = 16},
      {.name = "max-names",
       .value = "N",
       .number = &m->analysis.max_names,
       .help = "limit of names that an entry declares",
       .min = 1},
      {.name = "max-steps",
       .value = "N",
       .large_number = &m->analysis.max_steps,
       .help = "limit of steps that evaluating an entry takes",
       .min = 1},
      {.name = "max-eval-depth",
       .value = "N",
       .number = &m->analysis.max_eval_depth,
       .help = "limit of operations within one another, through lets and families, in evaluating an entry",
       .min = 1,
       .max = MOST_EVAL_DEPTH},
      {.name = "max-let-depth",
       .value = "N",
       .number = &m->analysis.max_let_depth,
       .help = "limit of lets that rest on one another",
       .min = 1,
       .max = MOST_LET_DEPTH},
      {.name = "max-family-depth",
       .value = "N",
       .number = &m->analysis.max_family_depth,
       .help = "limit of type families that apply one another",
       .min = 1,
       .max = MOST_FAMILY_DEPTH},
      {.name = "max-combinations",
       .value = "N",
       .number = &m->analysis.max_points,
       .help = "limit of discriminant combinations of an entry",
       .min = 1},
      {.name = "advise-combinations",
       .value = "N",
       .number = &m->analysis.advise_points,
       .help = "combinations above which an advisory is given",
       .min = 1},
  };
  memcpy(out, table, sizeof table);
}

int common_report(diag_sink *sink, const common_options *c, const manifest *m) {
  const char *no_colour = getenv("NO_COLOR");
  bool automatic = isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0');
  diag_options options = {.format = (diag_format)c->format,
                          .colour = c->colour == COLOUR_ALWAYS || (c->colour == COLOUR_AUTO && automatic),
                          .show_unreached = c->notes,
                          .max_errors = c->max_errors,
                          .ops = m->ops,
                          .cases = m->cases};
  diag_print(sink, stdout, &options);
  str why = {0};
  if (!output_close_stdout(&why)) {
    fprintf(stderr, "rooflinec: %.*s\n", STR_ARG(why));
    return 2;
  }
  if (m->unreadable) return 2;
  bool refused = diag_count(sink, DIAG_ERROR) > 0 || (c->strict && diag_count(sink, DIAG_WARNING) > 0);
  return refused ? 1 : 0;
}
