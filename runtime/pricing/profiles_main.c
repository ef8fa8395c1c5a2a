/* `roofline profiles list|show|check`. pricing.md §2. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/pricing/commands.h"
#include "runtime/pricing/profiles.h"
#include "runtime/pricing/report.h"
#include "text/args.h"

enum { PROFILES_OPTION, FORMAT_OPTION, OPTIONS };

typedef struct run {
  arena *a;
  diag_sink *sink;
  arg_texts dirs, operands;
  uint32_t format;
  profile_set set;
} run;

/* Reads the command line, then the profiles: those named, else those of the directories. False: done,
   with *status. */
static bool start(run *r, const arg_command *shape, bool files, int argc, char **argv, int *status) {
  const arg_option options[] = {
      [PROFILES_OPTION] = {.name = "profiles",
                           .value = "DIR",
                           .list = &r->dirs,
                           .help = "read GPU profiles from DIR (repeatable); else from ROOFLINE_PROFILES, "
                                   "else the installed ones"},
      [FORMAT_OPTION] = {.name = "format",
                         .value = "text|json|sarif|github",
                         .choice = &r->format,
                         .help = "how to print defects"},
  };
  arg_command command = *shape;
  command.options = options;
  command.option_count = files ? OPTIONS : FORMAT_OPTION;
  r->a = arena_new();
  r->sink = diag_sink_new(r->a);
  arg_result parsed = args_parse(r->a, &command, argc, argv, &r->operands);
  *status = parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  if (parsed != ARGS_OK) return false;
  str why = {0};
  const char *const *paths = r->operands.v;
  uint32_t count = files ? r->operands.n : 0;
  if (count == 0) {
    count = r->dirs.n;
    paths = profiles_dirs(r->a, r->dirs.v, &count, &why);
  }
  if (paths != NULL && profiles_load(r->a, r->sink, paths, count, &r->set, &why)) return true;
  fprintf(stderr, "%s: %.*s\n", command.name, STR_ARG(why));
  return false;
}

static int finish(run *r, const char *name, int status) {
  arena_free(r->a);
  return commands_close_stdout(name, status);
}

/* Defects of profiles that are listed or shown all the same. */
static int other_defects(run *r) {
  if (diag_errors(r->sink) == 0) return EXIT_HEALTHY;
  diag_print(r->sink, stderr, &(diag_options){.format = DIAG_TEXT});
  return EXIT_DEFECTS;
}

static int calibrated_roofs(const roofline_profile *p) {
  int n = p->hbm.calibration > 0;
  for (int32_t i = 0; i < p->roof_count; i++) n += p->roofs[i].calibration > 0;
  return n;
}

static int list(int argc, char **argv) {
  static const arg_command command = {
      .name = "roofline profiles list",
      .summary = "Lists the GPU profiles, and how much of each was calibrated: only calibrated roofs price,\n"
                 "unless --theoretical is given.\n\nExample:\n  roofline profiles list --profiles "
                 "manifest/profiles"};
  run r = {0};
  int status;
  if (start(&r, &command, false, argc, argv, &status)) {
    printf("%-30s %-12s %-12s %s\n", "GPU", "FOR", "HBM", "CALIBRATED");
    for (uint32_t i = 0; i < r.set.n; i++) {
      const roofline_profile *p = r.set.v[i];
      char rate[REPORT_UNIT_MAX], calibrated[32];
      int n = calibrated_roofs(p), all = p->roof_count + 1;
      snprintf(calibrated, sizeof calibrated, "%d of %d roofs", n, all);
      printf("%-30s %-12s %-12s %s\n", p->gpu,
             p->compute_capability != NULL ? p->compute_capability
             : p->arch != NULL             ? p->arch
                                           : "-",
             report_rate(p->hbm.theoretical, "B/s", rate),
             n == 0     ? "no"
             : n == all ? "yes"
                        : calibrated);
    }
    status = other_defects(&r);
  }
  return finish(&r, command.name, status);
}

static void show_roof(const roofline_roof *roof, const char *unit) {
  char theoretical[REPORT_UNIT_MAX], effective[REPORT_UNIT_MAX], calibration[16] = "-";
  if (roof->calibration > 0) {
    snprintf(calibration, sizeof calibration, "%.4f", roof->calibration);
    report_rate(roof->theoretical * roof->calibration, unit, effective);
  } else {
    strcpy(effective, "not calibrated");
  }
  printf("  %-18s %-14s %-12s %s\n", roof->key, report_rate(roof->theoretical, unit, theoretical),
         calibration, effective);
  if (roof->source != NULL) printf("    theoretical: %s\n", roof->source);
  if (roof->calibration_source != NULL) printf("    calibration: %s\n", roof->calibration_source);
}

static void show_profile(const roofline_profile *p) {
  printf("gpu: %s\n", p->gpu);
  for (int32_t i = 0; i < p->alias_count; i++) printf("alias: %s\n", p->aliases[i]);
  if (p->compute_capability != NULL) printf("compute capability: %s\n", p->compute_capability);
  if (p->arch != NULL)
    printf("arch: %s%s%s%s\n", p->arch, p->product != NULL ? ", product " : "",
           p->product != NULL ? p->product : "", p->arch_default ? ", the arch's default" : "");
  if (p->compute_units > 0) printf("compute units: %d\n", p->compute_units);
  printf("timing: %s\n\n  %-18s %-14s %-12s %s\n", p->timing, "ROOF", "THEORETICAL", "CALIBRATION",
         "EFFECTIVE");
  show_roof(&p->hbm, "B/s");
  if (p->mixes.copy > 0)
    printf("    mixes: copy %.4f, triad %.4f, read %.4f, write %.4f\n", p->mixes.copy, p->mixes.triad,
           p->mixes.read, p->mixes.write);
  for (int32_t i = 0; i < p->roof_count; i++) show_roof(&p->roofs[i], "FLOP/s");
}

static int show(int argc, char **argv) {
  static const arg_command command = {
      .name = "roofline profiles show",
      .summary = "Shows the profile that claims a device name, exactly as records spell it.\n"
                 "\nExample:\n  roofline profiles show 'NVIDIA H200'",
      .operands = "DEVICE",
      .min_operands = 1,
      .max_operands = 1};
  run r = {0};
  int status;
  if (start(&r, &command, false, argc, argv, &status)) {
    const char *device = r.operands.v[0];
    const roofline_profile *p = profiles_find(&r.set, device);
    status = other_defects(&r);
    if (p != NULL) {
      show_profile(p);
    } else {
      str near = profiles_nearest(r.a, &r.set, device);
      fprintf(stderr, "%s: no profile claims '%s'", command.name, device);
      if (near.n > 0) fprintf(stderr, "; did you mean '%.*s'?", STR_ARG(near));
      fputs(" ('roofline profiles list' has them all)\n", stderr);
      status = EXIT_USAGE;
    }
  }
  return finish(&r, command.name, status);
}

static int check(int argc, char **argv) {
  static const arg_command command = {
      .name = "roofline profiles check",
      .summary =
          "Checks profiles: that every number is finite and positive, calibrations are at most 1, the\n"
          "memory calibration is the largest of its mixes, bf16 and fp16 peaks agree, nothing stores an\n"
          "effective rate, and no two claim one device. FILEs, or every profile there is.\n"
          "\nExample:\n  roofline profiles check my_gpu.yaml\n"
          "\nExit status: 0 clean (warnings allowed), 1 defects, 2 usage or I/O.",
      .operands = "[FILE...]"};
  run r = {0};
  int status;
  if (start(&r, &command, true, argc, argv, &status)) {
    const char *no_colour = getenv("NO_COLOR");
    diag_print(r.sink, stdout,
               &(diag_options){.format = (diag_format)r.format,
                               .colour = isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0')});
    status = diag_errors(r.sink) > 0 ? EXIT_DEFECTS : EXIT_HEALTHY;
  }
  return finish(&r, command.name, status);
}

int profiles_main(int argc, char **argv) {
  static const arg_subcommand commands[] = {
      {"list", "list the profiles there are", list},
      {"show", "show the profile of a device: roofs, calibrations, sources", show},
      {"check", "check profiles for defects", check},
  };
  static const arg_program program = {
      .name = "roofline profiles",
      .summary = "GPU profiles: what each device can do at best, and what was measured of it.",
      .commands = commands,
      .command_count = 3};
  return args_run(&program, argc, argv);
}
