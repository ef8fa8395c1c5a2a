/* `roofline audit`: the command line and the run. pricing.md §6. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/pricing/audit.h"
#include "runtime/pricing/commands.h"

static const char summary[] =
    "Compares the bytes that rows declare to read with the DRAM reads that Nsight Compute measured. Reads\n"
    "PROFILEs, which `ncu --csv` wrote, and records with read_bytes. `roofline audit plan` says which rows\n"
    "are worth measuring.\n"
    "\nExamples:\n"
    "  ncu --nvtx --csv --metrics dram__bytes_read.sum,dram__bytes_write.sum ./bench > run.csv\n"
    "  roofline audit --records nightly.jsonl run.csv         kernels by NVTX ranges named op/case\n"
    "  roofline audit --records nightly.jsonl --map plan.tsv  kernels by a map, or by a plan\n"
    "  roofline audit --records nightly.jsonl --exceptions audit.yaml run.csv --format md\n"
    "\nVerdicts, in the order they are judged:\n"
    "  NO-VERDICT  no read half is declared\n"
    "  ERROR       declared negative, or no usable measurement\n"
    "  SKIPPED     declared zero, or not run\n"
    "  FAIL        measured less than 0.95 of what is declared\n"
    "  EXEMPT      a FAIL that an exception covers\n"
    "  WARN        measured more than 1.5 of it\n"
    "  PASS        anything else\n"
    "\nExit status: 0 every verdict is green and the input was sound; 1 not so; 2 usage or I/O.";

typedef struct settings {
  arg_texts profiles, records, green;
  const char *map, *exceptions, *ops, *prefix, *tag;
  uint32_t format, color, max_errors;
} settings;

static arg_result read_arguments(arena *a, int argc, char **argv, settings *s) {
  const arg_option options[] = {
      {.name = "records",
       .value = "FILE",
       .list = &s->records,
       .help = "records of the rows (repeatable); required"},
      {.name = "map",
       .value = "FILE",
       .text = &s->map,
       .help = "CSV or TSV that says which kernels are which row's; 'roofline audit plan' writes one"},
      {.name = "tag", .value = "TAG", .text = &s->tag, .help = "only records with this tag"},
      {.name = "exceptions",
       .value = "FILE",
       .text = &s->exceptions,
       .help = "YAML: per op, when a FAIL is right, and the reason"},
      {.name = "ops",
       .value = "LIBRARY",
       .text = &s->ops,
       .help = "shared library of generated operators, for conditions of exceptions; else ROOFLINE_OPS, else "
               "the shipped one"},
      {.name = "prefix",
       .value = "NAME",
       .text = &s->prefix,
       .help = "what its symbols start with, as given to 'rooflinec emit' (default roofline)"},
      {.name = "green",
       .value = "VERDICT,...",
       .list = &s->green,
       .help = "verdicts that do not fail the audit (default PASS,WARN,EXEMPT,SKIPPED)"},
      {.name = "format",
       .letter = 'f',
       .value = "table|json|md",
       .choice = &s->format,
       .help = "what to write (default table)"},
      {.name = "color", .value = "auto|always|never", .choice = &s->color, .help = "colours in the table"},
      {.name = "max-errors",
       .value = "N",
       .number = &s->max_errors,
       .help = "how many defects of the input to name; all are counted"},
  };
  const arg_command command = {.name = "roofline audit",
                               .summary = summary,
                               .operands = "[PROFILE.csv...]",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
  return args_parse(a, &command, argc, argv, &s->profiles);
}

static int fail(str why) {
  fprintf(stderr, "roofline audit: %.*s\n", STR_ARG(why));
  return EXIT_USAGE;
}

/* "PASS,WARN", possibly several times. 0 after a message. */
static uint32_t read_green(arena *a, const arg_texts *lists) {
  if (lists->n == 0) return roofline_audit_default_green();
  str names[ROOFLINE_AUDIT_VERDICT_COUNT];
  for (int v = 0; v < ROOFLINE_AUDIT_VERDICT_COUNT; v++)
    names[v] = str_of(roofline_audit_verdict_name((roofline_audit_verdict)v));
  uint32_t green = 0;
  for (uint32_t i = 0; i < lists->n; i++)
    for (const char *p = lists->v[i];; p++) {
      str word = {p, (uint32_t)strcspn(p, ",")};
      roofline_audit_verdict v = roofline_audit_verdict_find(arena_cstr(a, word));
      if (v == ROOFLINE_AUDIT_VERDICT_COUNT) {
        str near = diag_nearest(word, names, ROOFLINE_AUDIT_VERDICT_COUNT);
        fprintf(stderr, "roofline audit: --green: no verdict '%.*s'", STR_ARG(word));
        if (near.n > 0) fprintf(stderr, "; did you mean %.*s?", STR_ARG(near));
        fputs(" They are", stderr);
        for (int k = 0; k < ROOFLINE_AUDIT_VERDICT_COUNT; k++)
          fprintf(stderr, "%s %.*s", k > 0 ? "," : "", STR_ARG(names[k]));
        fputc('\n', stderr);
        return 0;
      }
      green |= 1u << v;
      p += word.n;
      if (*p == '\0') break;
    }
  return green;
}

/* EXIT_DEFECTS when the file has some: the sound exceptions apply. */
static int read_exceptions(audit *x, const settings *s) {
  if (s->exceptions == NULL) return EXIT_HEALTHY;
  str why = {0};
  const roofline_op *const *ops = audit_ops_open(x->a, s->ops, s->prefix, &why);
  diag_sink *sink = diag_sink_new(x->a);
  audit_exceptions *read = NULL;
  if (ops == NULL || !audit_exceptions_read(x->a, sink, ops, s->exceptions, &read, &why)) return fail(why);
  x->exceptions = read;
  if (diag_errors(sink) == 0) return EXIT_HEALTHY;
  diag_print(sink, stderr, &(diag_options){.format = DIAG_TEXT, .max_errors = s->max_errors});
  return EXIT_DEFECTS;
}

/* A profile that the map names and that is not there is its rows' error, not the run's end. */
static void read_mapped_profiles(audit *x) {
  for (uint32_t i = 0; i < x->map->lines.n; i++) {
    audit_map_line *m = &x->map->lines.v[i];
    str why = {0};
    if (m->csv == NULL || m->skip != NULL) continue;
    const char *path = audit_profile_read(&x->profile, m->csv, &why);
    if (path != NULL)
      m->csv = path;
    else
      m->unread = arena_cstr(x->a, why);
  }
}

static int read_inputs(audit *x, const settings *s) {
  str why = {0};
  for (uint32_t i = 0; i < s->records.n; i++)
    if (!audit_take_records(x, s->records.v[i], s->tag, &why)) return fail(why);
  if (s->map != NULL) {
    x->map = arena_new_of(x->a, audit_map);
    if (!audit_map_read(x->a, &x->problems, s->map, x->map, &why)) return fail(why);
    read_mapped_profiles(x);
  }
  for (uint32_t i = 0; i < s->profiles.n; i++)
    if (audit_profile_read(&x->profile, s->profiles.v[i], &why) == NULL) return fail(why);
  return read_exceptions(x, s);
}

static int report(audit *x, const settings *s, uint32_t green) {
  const char *no_colour = getenv("NO_COLOR");
  bool automatic = isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0');
  writer *w = arena_new_of(x->a, writer);
  w->file = stdout;
  audit_report(x, (audit_format)s->format, green, s->color == 1 || (s->color == 0 && automatic), w);
  if (fflush(stdout) != 0 && w->error == 0) w->error = errno;
  if (w->error == 0) return EXIT_HEALTHY;
  if (w->error != EPIPE) fprintf(stderr, "roofline audit: cannot write the report: %s\n", strerror(w->error));
  return EXIT_USAGE;
}

static int run(arena *a, const settings *s, uint32_t green) {
  audit x = {.a = a, .problems = {.out = stderr, .limit = s->max_errors}};
  x.profile = (audit_profile){.a = a, .problems = &x.problems};
  int status = read_inputs(&x, s);
  if (status == EXIT_USAGE) return status;
  audit_judge(&x);
  complaints_close(&x.problems);
  if (report(&x, s, green) != EXIT_HEALTHY) return EXIT_USAGE;
  if (x.rows.n == 0) {
    fputs("roofline audit: no row to audit\n", stderr);
    return EXIT_DEFECTS;
  }
  bool red = x.problems.count > 0;
  for (uint32_t i = 0; i < x.rows.n; i++) red = red || !roofline_audit_is_green(green, x.rows.v[i].verdict);
  return red ? EXIT_DEFECTS : status;
}

int audit_main(int argc, char **argv) {
  if (args_is_command(argc, argv, "plan")) return audit_plan_main(argc - 1, argv + 1);
  arena *a = arena_new();
  settings s = {.prefix = "roofline", .max_errors = 20};
  arg_result parsed = read_arguments(a, argc, argv, &s);
  int status = parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  if (parsed == ARGS_OK) {
    uint32_t green = read_green(a, &s.green);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, with its exit status */
    if (s.records.n == 0)
      fputs("roofline audit: --records FILE is missing (see 'roofline audit --help')\n", stderr);
    else if (s.profiles.n == 0 && s.map == NULL)
      fputs("roofline audit: no PROFILE.csv and no --map that names one\n", stderr);
    else if (green != 0)
      status = run(a, &s, green);
  }
  arena_free(a);
  return status;
}
