/* `roofline price`: records in, a report out. pricing.md §4 and §5. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/pricing/cells.h"
#include "runtime/pricing/commands.h"
#include "runtime/pricing/profiles.h"
#include "runtime/pricing/records.h"
#include "runtime/pricing/report.h"
#include "text/args.h"

static const report_format *const formats[] = {&report_table, &report_json, &report_jsonl,
                                               &report_csv,   &report_md,   &report_html};
#define FORMAT_WORDS "table|json|jsonl|csv|md|html"
enum { FORMAT_UNSET = 0xff, SORT_INPUT = 0xff };

typedef struct settings {
  arg_texts files, profiles, ops, devices, verdicts, fail_on;
  uint32_t format, input, sort, target, color, width, max_errors;
  bool theoretical, no_header;
  roofline_thresholds thresholds;
} settings;

static const char summary[] =
    "Prices each recorded row against the roofs of its device: the speed-of-light time, the efficiency, the\n"
    "bound, and a verdict. Reads FILEs of records (JSON Lines, a JSON array, CSV, Google Benchmark's JSON), "
    "or\n"
    "standard input.\n"
    "\nExamples:\n"
    "  roofline price nightly.jsonl --sort gain       what is left to win, most time first\n"
    "  roofline price nightly.jsonl --op 'Gemm*' --verdict below\n"
    "  roofline price nightly.jsonl --format html > nightly.html\n"
    "  roofline price nightly.jsonl --fail-on anomaly --fail-on below=0.60    gate a build\n"
    "  parallel -k --pipepart -a big.jsonl --block 64M roofline price --format jsonl > priced.jsonl\n"
    "\nVerdicts, in the order they are judged:\n"
    "  formula error   more bytes or flops per second than the device can: the count is wrong\n"
    "  anomaly         efficiency above --anomaly\n"
    "  latency-bound   too short for a roof: below both --latency-sol-us and --latency-actual-us\n"
    "  at ceiling      efficiency from --at-ceiling\n"
    "  below           anything else, with the speedup that --target leaves\n"
    "  blank           cannot be priced, with the reason\n"
    "\nExit status: 0 healthy; 1 a formula error, malformed input, or what --fail-on asks for, which is also "
    "that\n"
    "some row matches; 2 usage or I/O.";

static arg_result read_arguments(arena *a, int argc, char **argv, settings *s) {
  const arg_option options[] = {
      {.name = "profiles",
       .value = "DIR",
       .list = &s->profiles,
       .help =
           "read GPU profiles from DIR (repeatable); else from ROOFLINE_PROFILES, else the installed ones"},
      {.name = "format",
       .letter = 'f',
       .value = FORMAT_WORDS,
       .choice = &s->format,
       .help = "what to write; table on a terminal, else jsonl"},
      {.name = "input",
       .value = "auto|jsonl|array|csv|gbench",
       .choice = &s->input,
       .help = "what the files are; told from their first bytes otherwise"},
      {.name = "sort",
       .value = "efficiency|gain|time|op",
       .choice = &s->sort,
       .help = "order of rows: lowest efficiency, most time to win, longest time, or op name first"},
      {.name = "op", .value = "GLOB", .list = &s->ops, .help = "only ops that match (repeatable)"},
      {.name = "device",
       .value = "GLOB",
       .list = &s->devices,
       .help = "only devices that match (repeatable)"},
      {.name = "verdict",
       .value = "VERDICT",
       .list = &s->verdicts,
       .help = "only rows with this verdict: formula_error, anomaly, latency_bound, at_ceiling, below, blank "
               "(repeatable)"},
      {.name = "theoretical",
       .flag = &s->theoretical,
       .help = "price on theoretical peaks, calibrated or not; every line says so"},
      {.name = "target",
       .value = "ceiling|sol",
       .choice = &s->target,
       .help =
           "what the attainable speedup leads to: the at-ceiling line (the default), or the speed of light"},
      {.name = "at-ceiling",
       .value = "X",
       .real = &s->thresholds.at_ceiling,
       .help = "the efficiency from which a row is at the ceiling, a share"},
      {.name = "anomaly",
       .value = "X",
       .real = &s->thresholds.anomaly,
       .help = "the efficiency above which a row is an anomaly, a share"},
      {.name = "latency-sol-us",
       .value = "US",
       .real = &s->thresholds.latency_sol_us,
       .help = "a latency-bound row has a speed-of-light time below this"},
      {.name = "latency-actual-us",
       .value = "US",
       .real = &s->thresholds.latency_actual_us,
       .help = "and a measured time below this"},
      {.name = "fail-on",
       .value = "anomaly|below[=X]",
       .list = &s->fail_on,
       .help = "exit with 1 on any anomaly, or on any judged row whose efficiency is below the ceiling, or "
               "below X, a share such as 0.60 (repeatable)"},
      {.name = "no-header", .flag = &s->no_header, .help = "csv without its first line, to be appended"},
      {.name = "color", .value = "auto|always|never", .choice = &s->color, .help = "colours in the table"},
      {.name = "width",
       .value = "N",
       .number = &s->width,
       .max = 100000,
       .help = "columns of the table, into which long names are cut; 0: as many as they need"},
      {.name = "max-errors",
       .value = "N",
       .number = &s->max_errors,
       .help = "how many malformed records to name; all are counted"},
  };
  const arg_command command = {.name = "roofline price",
                               .summary = summary,
                               .operands = "[FILE...]",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
  return args_parse(a, &command, argc, argv, &s->files);
}

/* ---- what the options ask of a row ---- */

typedef struct gate {
  bool anomaly;
  double below; /* judged rows under this efficiency trip it */
} gate;

static bool read_gate(const settings *s, gate *g) {
  *g = (gate){false, 0};
  for (uint32_t i = 0; i < s->fail_on.n; i++) {
    const char *word = s->fail_on.v[i];
    char *end = NULL;
    double line = 0;
    if (strcmp(word, "anomaly") == 0)
      g->anomaly = true;
    else if (strcmp(word, "below") == 0)
      g->below = fmax(g->below, s->thresholds.at_ceiling);
    else if (strncmp(word, "below=", 6) == 0 && (line = strtod(word + 6, &end)) > 0 && line <= 1 &&
             *end == '\0')
      g->below = fmax(g->below, line);
    else {
      fprintf(
          stderr,
          "roofline price: --fail-on is anomaly, below or below=X with a share X such as 0.60, not '%s'\n",
          word);
      return false;
    }
  }
  return true;
}

static bool trips(const gate *g, const roofline_reading *reading) {
  if (reading->verdict == ROOFLINE_FORMULA_ERROR) return true;
  if (reading->verdict == ROOFLINE_ANOMALY) return g->anomaly;
  return (reading->verdict == ROOFLINE_BELOW || reading->verdict == ROOFLINE_AT_CEILING) &&
         reading->efficiency < g->below;
}

/* Bit v: rows of verdict v are reported. 0 after a message. */
static uint32_t read_verdicts(const settings *s) {
  if (s->verdicts.n == 0) return UINT32_MAX;
  uint32_t mask = 0;
  for (uint32_t i = 0; i < s->verdicts.n; i++) {
    int v = 0;
    while (v < ROOFLINE_VERDICT_COUNT &&
           strcmp(roofline_verdict_name((roofline_verdict)v), s->verdicts.v[i]) != 0)
      v++;
    if (v == ROOFLINE_VERDICT_COUNT) {
      fprintf(stderr, "roofline price: no verdict '%s'; they are", s->verdicts.v[i]);
      for (v = 0; v < ROOFLINE_VERDICT_COUNT; v++)
        fprintf(stderr, "%s %s", v > 0 ? "," : "", roofline_verdict_name((roofline_verdict)v));
      fputc('\n', stderr);
      return 0;
    }
    mask |= UINT32_C(1) << v;
  }
  return mask;
}

static bool matches(const arg_texts *globs, const char *text) {
  if (globs->n == 0) return true;
  for (uint32_t i = 0; text != NULL && i < globs->n; i++)
    if (strcmp(globs->v[i], text) == 0 || fnmatch(globs->v[i], text, 0) == 0) return true;
  return false;
}

static bool check_thresholds(const roofline_thresholds *t) {
  if (!(t->at_ceiling > 0 && t->anomaly > 0 && t->latency_sol_us >= 0 && t->latency_actual_us >= 0))
    fputs("roofline price: a threshold is positive\n", stderr);
  else if (t->at_ceiling > t->anomaly)
    fprintf(stderr, "roofline price: --at-ceiling is a share such as 0.80, not above --anomaly: not %g\n",
            t->at_ceiling);
  else
    return true;
  return false;
}

/* ---- the run ---- */

typedef struct run {
  arena *a;
  const settings *s;
  report report;
  const report_format *format;
  gate gate;
  uint32_t verdicts;
  complaints problems;
  priced_row *kept; /* a sorted or whole report's rows */
  size_t kept_count, kept_capacity;
  uint64_t matched;                /* rows of the ops and devices asked for, whatever their verdict */
  const roofline_profile *profile; /* the last one found: files repeat their device */
  bool progress, tripped, io_failed;
  time_t shown_at;
} run;

static const roofline_profile *find_profile(run *r, const char *device) {
  if (device == NULL) return NULL;
  if (r->profile != NULL && roofline_profile_claims(r->profile, device)) return r->profile;
  const roofline_profile *found = profiles_find(&r->report.profiles, device);
  if (found != NULL) r->profile = found;
  return found;
}

static void show_progress(run *r) {
  time_t now = time(NULL);
  if (now == r->shown_at) return;
  r->shown_at = now;
  fprintf(stderr, "\r%llu rows", (unsigned long long)r->report.summary.rows);
}

/* Names repeat from row to row: the last row's copy serves again. */
static const char *keep_text(arena *a, const char *text, const char *last) {
  if (text == NULL || (last != NULL && strcmp(text, last) == 0)) return text == NULL ? NULL : last;
  return arena_cstr(a, str_of(text));
}

static void keep_row(run *r, const priced_row *row) {
  if (r->kept_count == r->kept_capacity) {
    r->kept_capacity = r->kept_capacity == 0 ? 1024 : r->kept_capacity + r->kept_capacity / 2;
    r->kept = realloc(r->kept, r->kept_capacity * sizeof *r->kept);
    if (r->kept == NULL) arena_out_of_memory();
  }
  static const roofline_record none;
  const roofline_record *last = r->kept_count > 0 ? &r->kept[r->kept_count - 1].record : &none;
  priced_row *copy = &r->kept[r->kept_count++];
  *copy = *row;
  roofline_record *c = &copy->record;
  c->op = keep_text(r->a, c->op, last->op);
  c->case_id = keep_text(r->a, c->case_id, last->case_id);
  c->tag = keep_text(r->a, c->tag, last->tag);
  c->device = keep_text(r->a, c->device, last->device);
  c->roof_key = keep_text(r->a, c->roof_key, last->roof_key);
  c->run = keep_text(r->a, c->run, last->run);
  c->timing = c->data_terms = NULL; /* no report shows them */
}

static void price_row(run *r, const roofline_record *record) {
  if (!matches(&r->s->ops, record->op) || !matches(&r->s->devices, record->device)) return;
  r->matched++;
  report_summary *s = &r->report.summary;
  priced_row row = {s->rows, *record, find_profile(r, record->device), {0}};
  row.reading = roofline_price(row.profile, record, &r->report.thresholds, &r->report.options);
  if ((r->verdicts >> row.reading.verdict & 1) == 0) return;
  s->rows++;
  s->verdicts[row.reading.verdict]++;
  if (row.reading.verdict == ROOFLINE_BLANK) s->blanks[row.reading.reason]++;
  r->tripped = r->tripped || trips(&r->gate, &row.reading);
  if (r->format->whole != NULL || r->s->sort != SORT_INPUT)
    keep_row(r, &row);
  else
    r->format->row(&r->report, &row);
  if (r->progress && s->rows % 4096 == 0) show_progress(r);
}

static void price_file(run *r, const char *path) {
  str why;
  records *in = records_open(path, (records_format)r->s->input, false, &r->problems, &why, r->a);
  if (in == NULL) {
    fprintf(stderr, "roofline price: %.*s\n", STR_ARG(why));
    r->io_failed = true;
    return;
  }
  roofline_record record;
  while (r->report.out->error == 0 && records_next(in, &record)) price_row(r, &record);
  if (!records_close(in, r->a, &why)) {
    fprintf(stderr, "roofline price: %.*s\n", STR_ARG(why));
    r->io_failed = true;
  }
}

/* ---- sorting: every order is total, because equal rows keep their input order ---- */

/* Numbers a reading lacks come last. */
static int descending(double x, double y) {
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x < y) - (x > y);
}
static int in_order(int order, const priced_row *x, const priced_row *y) {
  return order != 0 ? order : (x->nth > y->nth) - (x->nth < y->nth);
}
static int by_efficiency(const void *a, const void *b) {
  const priced_row *x = a, *y = b;
  return in_order(descending(-x->reading.efficiency, -y->reading.efficiency), x, y);
}
static int by_gain(const void *a, const void *b) {
  const priced_row *x = a, *y = b;
  return in_order(descending(report_gain_ms(x), report_gain_ms(y)), x, y);
}
static int by_time(const void *a, const void *b) {
  const priced_row *x = a, *y = b;
  return in_order(descending(x->reading.actual_time_ms, y->reading.actual_time_ms), x, y);
}
static int by_op(const void *a, const void *b) {
  const priced_row *x = a, *y = b;
  int order = strcmp(x->record.op, y->record.op);
  return in_order(order != 0 ? order : strcmp(x->record.case_id, y->record.case_id), x, y);
}
static int (*const orders[])(const void *, const void *) = {by_efficiency, by_gain, by_time, by_op};

static void report_kept(run *r) {
  if (r->s->sort != SORT_INPUT && r->kept_count > 0)
    qsort(r->kept, r->kept_count, sizeof *r->kept, orders[r->s->sort]);
  if (r->format->whole != NULL)
    r->format->whole(&r->report, r->kept, r->kept_count);
  else
    for (size_t i = 0; i < r->kept_count; i++) r->format->row(&r->report, &r->kept[i]);
}

/* Profiles with defects would price wrongly, so nothing is priced. */
static int load_profiles(run *r) {
  str why = {0};
  uint32_t count = r->s->profiles.n;
  diag_sink *sink = diag_sink_new(r->a);
  const char *const *dirs = profiles_dirs(r->a, r->s->profiles.v, &count, &why);
  if (dirs == NULL || !profiles_load(r->a, sink, dirs, count, &r->report.profiles, &why)) {
    fprintf(stderr, "roofline price: %.*s\n", STR_ARG(why));
    return EXIT_USAGE;
  }
  if (diag_errors(sink) == 0) return EXIT_HEALTHY;
  diag_print(sink, stderr, &(diag_options){.format = DIAG_TEXT});
  return EXIT_DEFECTS;
}

/* A gate that saw no row has found nothing healthy: a mistyped --op would pass it for ever. */
static bool nothing_matched(const run *r) {
  bool filtered = r->s->ops.n > 0 || r->s->devices.n > 0, gated = r->s->fail_on.n > 0;
  if (r->matched > 0 || (!filtered && !gated)) return false;
  fprintf(stderr, "roofline price: no row %s%s\n",
          filtered ? "is of the --op and --device asked for" : "was read",
          gated ? ", so --fail-on has nothing to judge" : "");
  return gated;
}

static int finish(run *r) {
  writer *out = r->report.out;
  r->report.summary.malformed = r->problems.count;
  if (r->progress) fputs("\r\x1b[K", stderr);
  report_kept(r);
  r->format->end(&r->report);
  writer_flush(out);
  if (fflush(stdout) != 0 && out->error == 0) out->error = errno;
  complaints_close(&r->problems);
  r->tripped = nothing_matched(r) || r->tripped;
  /* A reader that has seen enough (`| head`) is no news. */
  if (out->error != 0 && out->error != EPIPE)
    fprintf(stderr, "roofline price: cannot write the report: %s\n", strerror(out->error));
  if (out->error != 0 || r->io_failed) return EXIT_USAGE;
  return r->problems.count > 0 || r->tripped ? EXIT_DEFECTS : EXIT_HEALTHY;
}

int price_main(int argc, char **argv) {
  arena *a = arena_new();
  settings s = {.format = FORMAT_UNSET,
                .sort = SORT_INPUT,
                .width = TABLE_WIDTH,
                .max_errors = 20,
                .thresholds = roofline_default_thresholds()};
  run r = {.a = a, .s = &s};
  arg_result parsed = read_arguments(a, argc, argv, &s);
  int status = parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  if (parsed != ARGS_OK || !read_gate(&s, &r.gate) || !check_thresholds(&s.thresholds) ||
      (r.verdicts = read_verdicts(&s)) == 0)
    goto done;
  if (s.files.n == 0 && isatty(STDIN_FILENO)) {
    fputs("roofline price: no file of records (see 'roofline price --help')\n", stderr);
    goto done;
  }
  if (s.files.n == 0) vec_push(a, &s.files, "-");
  const char *no_colour = getenv("NO_COLOR");
  bool terminal = isatty(STDOUT_FILENO) != 0;
  if (s.format == FORMAT_UNSET) s.format = terminal ? 0 : 2;
  r.format = formats[s.format];
  writer *out = arena_new_of(a, writer);
  out->file = stdout;
  r.report = (report){.out = out, .thresholds = s.thresholds, .header = !s.no_header, .width = (int)s.width};
  r.report.options = (roofline_price_options){s.theoretical, s.target == 1 ? 1 : 0};
  r.report.colour = s.color == 1 || (s.color == 0 && terminal && (no_colour == NULL || *no_colour == '\0'));
  r.problems = (complaints){.out = stderr, .limit = s.max_errors};
  /* Rows that scroll by are progress enough. */
  r.progress = isatty(STDERR_FILENO) && !(terminal && r.format->whole == NULL && s.sort == SORT_INPUT);
  r.shown_at = time(NULL);
  status = load_profiles(&r);
  if (status != EXIT_HEALTHY) goto done;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, with its exit status */
  r.format->begin(&r.report);
  for (uint32_t i = 0; i < s.files.n; i++) price_file(&r, s.files.v[i]);
  status = finish(&r);
done:
  free(r.kept);
  arena_free(a);
  return status;
}
