/* `roofline headroom`: the command line, and the two files it writes. headroom.md. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/pricing/headroom_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/pricing/commands.h"
#include "text/args.h"

static const char summary[] =
    "How much of a profiled run is left to win: each head kernel's share of the hardware's ceiling, what\n"
    "bounds it and what reaching the ceiling would gain end to end. Writes profile_roofline.json and\n"
    "profile_roofline.md into the output directory. It is advice: a broken input is recorded in\n"
    "skill_errors and the rest is written.\n"
    "\n"
    "Examples:\n"
    "  roofline headroom --top-n profile_topN.json --env env_report.json --model config.json -o out\n"
    "  roofline headroom --top-n profile_topN.json --env env_report.json --shapes captured.json -o out\n"
    "  roofline headroom --top-n profile_topN.json --env env_report.json \\\n"
    "      --counters *_counter_collection.csv --target attn=0.60 -o out\n"
    "\n"
    "Exit status: 0 when both files are written, 2 when they cannot be or the command line is wrong.";

/* What args_parse fills before the values have their own types. */
typedef struct raw_options {
  arg_texts counters, targets;
  uint32_t stage, limit;
} raw_options;

static arg_result parse(arena *a, int argc, char **argv, hr_options *o, raw_options *raw) {
  const arg_option options[] = {
      {"top-n", 0, "FILE", "the profiler's Top-N, profile_topN.json", .text = &o->top_n},
      {"env", 0, "FILE", "device and workload, env_report.json", .text = &o->env},
      {"model", 0, "FILE", "the model's config.json", .text = &o->model},
      {"counters", 0, "FILE", "rocprofv3 counter collection, CSV; several may follow (stage C)",
       .list = &raw->counters},
      {"shapes", 0, "FILE", "captured shapes, by kernel (stage B)", .text = &o->shapes},
      {"stage", 0, "auto|A|B|C", "use no better evidence than this; auto is the best that is given",
       .choice = &raw->stage},
      {"profiles", 0, "DIR", "where the GPU profiles are; may be given again", .list = &o->profiles},
      {"output", 'o', "DIR", "where the two files go; made when only its last part is missing",
       .text = &o->out},
      {"head-threshold", 0, "PCT", "smallest share of GPU time looked at", .real = &o->threshold},
      {"head-limit", 0, "N", "most kernels looked at", .number = &raw->limit, .min = 1, .max = 100000},
      {"target", 0, "CLASS=SHARE",
       "utilisation that counts as the ceiling: gemm 0.90, moe 0.90, attn 0.50, "
       "elementwise 0.875",
       .list = &raw->targets},
      {"dispatch-floor", 0, "US", "launches up to this long are bound by dispatch",
       .real = &o->limits.dispatch_floor_us},
  };
  const arg_command command = {.name = "roofline headroom",
                               .summary = summary,
                               .operands = "[COUNTERS.csv...]",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
  arg_texts more = {0};
  arg_result result = args_parse(a, &command, argc, argv, &more);
  for (uint32_t i = 0; i < more.n; i++) vec_push(a, &raw->counters, more.v[i]);
  return result;
}

/* "attn=0.60" */
static bool set_target(hr_options *o, const char *text) {
  size_t n = strcspn(text, "=");
  char *end = NULL;
  double share = text[n] == '=' ? strtod(text + n + 1, &end) : NAN;
  if (end == NULL || end == text + n + 1 || *end != '\0' || !(share > 0 && share <= 1)) return false;
  for (int c = ROOFLINE_CLASS_GEMM; c < ROOFLINE_CLASS_COUNT; c++) {
    const char *name = roofline_op_class_name((roofline_op_class)c);
    if (strlen(name) != n || strncmp(name, text, n) != 0) continue;
    o->targets[c] = share;
    return true;
  }
  return false;
}

static bool check(hr_options *o, const raw_options *raw) {
  for (uint32_t i = 0; i < raw->targets.n; i++) {
    if (set_target(o, raw->targets.v[i])) continue;
    fprintf(
        stderr,
        "roofline headroom: --target %s: not gemm, moe, attn or elementwise, '=', and a share of (0, 1]\n",
        raw->targets.v[i]);
    return false;
  }
  if (o->out != NULL) return true;
  fputs("roofline headroom: -o DIR says where the report goes, and is missing\n", stderr);
  return false;
}

/* ---- output ---- */

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Inputs are never edited, also when a path leads the output onto one. */
static const char *overwritten_input(const hr_options *o, const char *path) {
  const char *const inputs[] = {o->top_n, o->env, o->model, o->shapes};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    if (inputs[i] != NULL && same_file(inputs[i], path)) return inputs[i];
  for (uint32_t i = 0; i < o->counters.n; i++)
    if (same_file(o->counters.v[i], path)) return o->counters.v[i];
  return NULL;
}

static bool write_report(hr_log *log, const hr_options *o, const hr_report *report, str *why) {
  arena *a = log->a;
  if (mkdir(o->out, 0777) != 0 && errno != EEXIST) {
    *why = arena_printf(a, "cannot make %s: %s", o->out, strerror(errno));
    return false;
  }
  output_file files[] = {
      {.path = arena_cstr(a, arena_printf(a, "%s/profile_roofline.json", o->out)),
       .bytes = hr_json_text(log, report)},
      {.path = arena_cstr(a, arena_printf(a, "%s/profile_roofline.md", o->out)),
       .bytes = hr_markdown_text(log, report)},
  };
  for (size_t i = 0; i < 2; i++) {
    const char *input = overwritten_input(o, files[i].path);
    if (input == NULL) continue;
    *why = arena_printf(a, "%s is the input %s: nothing is written", files[i].path, input);
    return false;
  }
  return output_replace_all(a, files, 2, why);
}

static int run(arena *a, const hr_options *options) {
  hr_log log = {.a = a};
  hr_context context;
  hr_context_read(&log, options, &context);
  hr_report report;
  hr_report_build(&log, options, &context, &report);
  if (log.unlisted > 0)
    vec_push(a, &log.errors, arena_printf(a, "and %llu more", (unsigned long long)log.unlisted));
  str why = {0};
  bool written = write_report(&log, options, &report, &why);
  if (!written)
    fprintf(stderr, "roofline headroom: %.*s\n", STR_ARG(why));
  else
    printf("%s: %u kernel%s, %u error%s in the inputs%s\n", options->out, report.entries.n,
           report.entries.n == 1 ? "" : "s", log.errors.n, log.errors.n == 1 ? "" : "s",
           log.errors.n == 0 ? "" : ": see its skill_errors");
  hr_context_free(&context);
  return written ? EXIT_HEALTHY : EXIT_USAGE;
}

int headroom_main(int argc, char **argv) {
  arena *a = arena_new();
  hr_options options = {.threshold = 5, .limits = roofline_headroom_default_limits};
  for (int c = 0; c < ROOFLINE_CLASS_COUNT; c++) options.targets[c] = NAN;
  raw_options raw = {.limit = 8};
  arg_result parsed = parse(a, argc, argv, &options, &raw);
  int status = parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  options.counters = raw.counters;
  options.stage = (int)raw.stage - 1;
  options.limit = raw.limit;
  if (parsed == ARGS_OK && check(&options, &raw)) status = run(a, &options);
  arena_free(a);
  return status;
}
