/* `roofline diff OLD NEW`: what moved between two files of records. pricing.md §5: a row is compared only
   with itself; a different flops or bytes is a changed workload; p10 and p90 gate the noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/cells.h"
#include "runtime/pricing/commands.h"
#include "runtime/pricing/records.h"
#include "runtime/pricing/report.h"
#include "text/args.h"

/* In the order they are listed. */
typedef enum change {
  REGRESSION,
  IMPROVEMENT,
  CHANGED_WORKLOAD,
  CHANGED_TIMING,
  NO_TIME,
  ADDED,
  REMOVED,
  NOISE, /* moved far enough, but the two spreads overlap */
  SAME,
  CHANGE_COUNT
} change;
static const struct {
  const char *name, *label;
} changes[CHANGE_COUNT] = {{"regression", "slower"},
                           {"improvement", "faster"},
                           {"changed_workload", "other workload"},
                           {"changed_timing", "other timing"},
                           {"no_time", "no time"},
                           {"added", "added"},
                           {"removed", "removed"},
                           {"noise", "within noise"},
                           {"same", "same"}};

typedef struct row {
  roofline_record record;
  uint64_t line;
} row;
typedef VEC(row) row_list;

/* A row of OLD and the one of NEW that is the same; either may be missing. */
typedef struct pair {
  const row *before, *after;
  change change;
  double ratio; /* new time over old; NaN where there is none */
} pair;
typedef VEC(pair) pair_list;

typedef struct settings {
  double threshold;
  uint32_t format, input, width, max_errors;
  bool all;
  arg_texts fail_on, files;
} settings;

enum { FORMAT_TABLE, FORMAT_JSON, FORMAT_MD };

/* ---- reading ---- */

static const char *keep(arena *a, const char *text) {
  return text != NULL ? arena_cstr(a, str_of(text)) : NULL;
}

static bool read_file(arena *a, const settings *s, const char *path, complaints *problems, row_list *rows) {
  str why;
  roofline_record r;
  records *in = records_open(path, (records_format)s->input, false, problems, &why, a);
  while (in != NULL && records_next(in, &r)) {
    r.op = keep(a, r.op), r.case_id = keep(a, r.case_id), r.tag = keep(a, r.tag);
    r.device = keep(a, r.device), r.timing = keep(a, r.timing), r.roof_key = NULL,
    r.data_terms = r.run = NULL;
    vec_push(a, rows, ((row){r, records_line(in)}));
  }
  if (in != NULL && records_close(in, a, &why)) return true;
  fprintf(stderr, "roofline diff: %.*s\n", STR_ARG(why));
  return false;
}

/* ---- pairing ---- */

static int text_order(const char *x, const char *y) { return strcmp(x != NULL ? x : "", y != NULL ? y : ""); }

static int same_row(const row *x, const row *y) {
  const roofline_record *p = &x->record, *q = &y->record;
  int order = text_order(p->op, q->op);
  if (order == 0) order = text_order(p->case_id, q->case_id);
  if (order == 0) order = text_order(p->tag, q->tag);
  return order != 0 ? order : text_order(p->device, q->device);
}

static int by_key(const void *a, const void *b) {
  const row *x = a, *y = b;
  int order = same_row(x, y);
  return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

/* Sorts, and keeps the last of rows with one key: a file that was appended to. */
static uint64_t settle(row_list *rows) {
  uint32_t kept = 0, twice = 0;
  if (rows->n > 0) qsort(rows->v, rows->n, sizeof *rows->v, by_key);
  for (uint32_t i = 0; i < rows->n; i++) {
    bool again = i + 1 < rows->n && same_row(&rows->v[i], &rows->v[i + 1]) == 0;
    if (!again) rows->v[kept++] = rows->v[i];
    twice += again;
  }
  rows->n = kept;
  return twice;
}

static double actual(const roofline_record *r) {
  return r->device_busy_ms + (isnan(r->uncounted_copy_ms) ? 0 : r->uncounted_copy_ms);
}

/* Do the two p10 to p90 ranges stand apart? Without percentiles nothing is known of the noise. */
static bool clear_of_noise(const roofline_record *low, const roofline_record *high) {
  if (!isfinite(low->p90_ms) || !isfinite(high->p10_ms)) return true;
  double low_copy = actual(low) - low->device_busy_ms, high_copy = actual(high) - high->device_busy_ms;
  return high->p10_ms + high_copy > low->p90_ms + low_copy;
}

static void judge(pair *p, double threshold) {
  p->ratio = (double)NAN;
  if (p->before == NULL || p->after == NULL) {
    p->change = p->before == NULL ? ADDED : REMOVED;
    return;
  }
  const roofline_record *x = &p->before->record, *y = &p->after->record;
  double before = actual(x), after = actual(y);
  if (x->flops != y->flops || x->bytes != y->bytes)
    p->change = CHANGED_WORKLOAD;
  else if (text_order(x->timing, y->timing) != 0)
    p->change = CHANGED_TIMING;
  else if (!isfinite(before) || !isfinite(after) || before <= 0 || after <= 0)
    p->change = NO_TIME;
  else {
    p->ratio = after / before;
    if (after >= before * (1 + threshold))
      p->change = clear_of_noise(x, y) ? REGRESSION : NOISE;
    else if (before >= after * (1 + threshold))
      p->change = clear_of_noise(y, x) ? IMPROVEMENT : NOISE;
    else
      p->change = SAME;
  }
}

static pair_list pair_up(arena *a, const row_list *old, const row_list *new, double threshold) {
  pair_list pairs = {0};
  for (uint32_t i = 0, k = 0; i < old->n || k < new->n;) {
    int order = i == old->n ? 1 : k == new->n ? -1 : same_row(&old->v[i], &new->v[k]);
    pair p = {order <= 0 ? &old->v[i] : NULL, order >= 0 ? &new->v[k] : NULL, SAME, 0};
    i += order <= 0, k += order >= 0;
    judge(&p, threshold);
    vec_push(a, &pairs, p);
  }
  return pairs;
}

/* The largest move first within a change; the rest by name. */
static int by_change(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->change != y->change) return x->change < y->change ? -1 : 1;
  double p = fabs(log(x->ratio)), q = fabs(log(y->ratio));
  if (p > q || p < q) return p > q ? -1 : 1;
  return same_row(x->before != NULL ? x->before : x->after, y->before != NULL ? y->before : y->after);
}

/* ---- printing ---- */

static const roofline_record *record_of(const pair *p) {
  return p->after != NULL ? &p->after->record : &p->before->record;
}

static const char *time_text(const row *r, char *text) {
  return r != NULL ? report_time(actual(&r->record), text) : "-";
}

/* "bytes 100 -> 200" for a changed workload; the factor for a move, unless it rounds to 1. */
static void describe(const pair *p, char *text, size_t size) {
  *text = '\0';
  if (p->change == CHANGED_WORKLOAD) {
    const roofline_record *x = &p->before->record, *y = &p->after->record;
    bool flops = x->flops != y->flops;
    int64_t from = flops ? x->flops : x->bytes, to = flops ? y->flops : y->bytes;
    char absent[] = "-", before[32], after[32];
    snprintf(before, sizeof before, "%lld", (long long)from);
    snprintf(after, sizeof after, "%lld", (long long)to);
    snprintf(text, size, "%s %s -> %s", flops ? "flops" : "bytes", from == ROOFLINE_ABSENT ? absent : before,
             to == ROOFLINE_ABSENT ? absent : after);
  } else if (p->change == CHANGED_TIMING) {
    const char *x = p->before->record.timing, *y = p->after->record.timing;
    snprintf(text, size, "%.20s -> %.20s", x != NULL ? x : "-", y != NULL ? y : "-");
  } else if (!isnan(p->ratio) && fabs(p->ratio - 1) >= 0.005) {
    snprintf(text, size, p->ratio >= 1 ? "%.2fx slower" : "%.2fx faster",
             p->ratio >= 1 ? p->ratio : 1 / p->ratio);
  }
}

/* Columns of the table's names: op with its tag, and case. */
typedef struct layout {
  int name, case_id;
} layout;
enum { LABEL_WIDTH = 14, TIME_WIDTH = 9, NOTE_WIDTH = 15, NARROWEST_NAMES = 12, LONGEST_NAME = 512 };

static const char *name_text(const roofline_record *r, char *text) {
  snprintf(text, LONGEST_NAME, "%s%s%s", r->op, r->tag != NULL ? " " : "", r->tag != NULL ? r->tag : "");
  return text;
}

static bool is_listed(const settings *s, const pair *p) { return s->all || p->change < NOISE; }

static layout lay_out(const settings *s, const pair_list *pairs) {
  layout l = {0, 0};
  char name[LONGEST_NAME];
  for (uint32_t i = 0; i < pairs->n; i++) {
    if (!is_listed(s, &pairs->v[i])) continue;
    const roofline_record *r = record_of(&pairs->v[i]);
    int width = cell_width(name_text(r, name)), case_width = cell_width(r->case_id);
    if (width > l.name) l.name = width;
    if (case_width > l.case_id) l.case_id = case_width;
  }
  int room = (int)s->width - LABEL_WIDTH - 2 * TIME_WIDTH - NOTE_WIDTH - 5; /* and the spaces between */
  if (s->width > 0) cells_share(room > NARROWEST_NAMES ? room : NARROWEST_NAMES, &l.name, &l.case_id);
  return l;
}

static void table_row(writer *w, const pair *p, const layout *l) {
  const roofline_record *r = record_of(p);
  char before[REPORT_UNIT_MAX], after[REPORT_UNIT_MAX], note[96], name[LONGEST_NAME];
  describe(p, note, sizeof note);
  cell_put(w, changes[p->change].label, LABEL_WIDTH);
  writer_literal(w, " ");
  cell_put(w, name_text(r, name), l->name);
  writer_literal(w, " ");
  cell_put(w, r->case_id, l->case_id);
  writer_literal(w, " ");
  if (p->change == CHANGED_WORKLOAD || p->change == CHANGED_TIMING) {
    writer_text(w, note);
  } else {
    cell_put_right(w, time_text(p->before, before), TIME_WIDTH);
    writer_literal(w, " ");
    cell_put_right(w, time_text(p->after, after), TIME_WIDTH);
    if (*note != '\0') writer_literal(w, " "), cell_put_right(w, note, NOTE_WIDTH);
  }
  writer_literal(w, "\n");
}

static void md_row(writer *w, const pair *p, const layout *l) {
  (void)l;
  const roofline_record *r = record_of(p);
  const char *const names[] = {r->op, r->case_id, r->tag, r->device};
  char before[REPORT_UNIT_MAX], after[REPORT_UNIT_MAX], note[96];
  describe(p, note, sizeof note);
  writer_printf(w, "| %s ", changes[p->change].label);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    writer_literal(w, "| ");
    if (names[i] != NULL && *names[i] != '\0') report_md_code(w, names[i]);
    writer_literal(w, " ");
  }
  writer_printf(w, "| %s | %s | ", time_text(p->before, before), time_text(p->after, after));
  if (*note != '\0') report_md_code(w, note);
  writer_literal(w, " |\n");
}

static void json_time(writer *w, const char *key, const row *r) {
  writer_text(w, key);
  writer_number(w, r != NULL ? actual(&r->record) : (double)NAN);
}

static void json_count(writer *w, const char *key, const row *r, size_t offset) {
  int64_t x = r != NULL ? *(const int64_t *)((const char *)&r->record + offset) : ROOFLINE_ABSENT;
  writer_text(w, key);
  if (x == ROOFLINE_ABSENT)
    writer_literal(w, "null");
  else
    writer_integer(w, x);
}

static void json_row(writer *w, const pair *p, const layout *l) {
  (void)l;
  const roofline_record *r = record_of(p);
  const struct {
    const char *key, *text;
  } names[] = {{"{\"op\": ", r->op},
               {", \"case\": ", r->case_id},
               {", \"tag\": ", r->tag},
               {", \"device\": ", r->device},
               {", \"change\": ", changes[p->change].name}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    writer_text(w, names[i].key);
    writer_json(w, names[i].text);
  }
  json_time(w, ", \"old_ms\": ", p->before);
  json_time(w, ", \"new_ms\": ", p->after);
  writer_literal(w, ", \"ratio\": ");
  writer_number(w, p->ratio);
  json_count(w, ", \"old_flops\": ", p->before, offsetof(roofline_record, flops));
  json_count(w, ", \"new_flops\": ", p->after, offsetof(roofline_record, flops));
  json_count(w, ", \"old_bytes\": ", p->before, offsetof(roofline_record, bytes));
  json_count(w, ", \"new_bytes\": ", p->after, offsetof(roofline_record, bytes));
  writer_literal(w, "}");
}

static void print_rows(writer *w, const settings *s, const pair_list *pairs) {
  static void (*const row_printers[])(writer *, const pair *, const layout *) = {table_row, json_row, md_row};
  const layout l = lay_out(s, pairs);
  bool any = false;
  for (uint32_t i = 0; i < pairs->n; i++) {
    if (!is_listed(s, &pairs->v[i])) continue;
    if (s->format == FORMAT_JSON) writer_text(w, any ? ",\n" : "\n");
    row_printers[s->format](w, &pairs->v[i], &l);
    any = true;
  }
  if (any && s->format != FORMAT_JSON) writer_literal(w, "\n");
}

static void print_summary(writer *w, const settings *s, const uint64_t *counts, uint64_t repeated) {
  bool json = s->format == FORMAT_JSON;
  const char *indent = s->format == FORMAT_MD ? "- " : "";
  writer_text(w, json ? "],\n\"summary\": {" : indent);
  for (int c = 0, any = 0; c < CHANGE_COUNT; c++) {
    unsigned long long n = counts[c];
    if (!json && n == 0 && c != SAME) continue;
    writer_text(w, any++ == 0 ? "" : ", ");
    if (json)
      writer_printf(w, "\"%s\": %llu", changes[c].name, n);
    else
      writer_printf(w, "%llu %s", n, changes[c].label);
  }
  if (json)
    writer_printf(w, ", \"repeated\": %llu}}\n", (unsigned long long)repeated);
  else
    writer_printf(w, "\n%sa move is %g %% or more, beyond the p10 to p90 spreads\n", indent,
                  s->threshold * 100);
}

static void print(writer *w, const settings *s, const pair_list *pairs, const uint64_t *counts,
                  uint64_t repeated) {
  if (s->format == FORMAT_MD)
    writer_literal(w, "| change | op | case | tag | device | old | new | |\n"
                      "| --- | --- | --- | --- | --- | ---: | ---: | --- |\n");
  if (s->format == FORMAT_JSON) {
    writer_literal(w, "{\"version\": 1, \"threshold\": ");
    writer_number(w, s->threshold);
    writer_literal(w, ",\n\"rows\": [");
  }
  print_rows(w, s, pairs);
  print_summary(w, s, counts, repeated);
}

/* ---- the command ---- */

static arg_result read_arguments(arena *a, int argc, char **argv, settings *s) {
  const arg_option options[] = {
      {.name = "format",
       .letter = 'f',
       .value = "table|json|md",
       .choice = &s->format,
       .help = "what to write"},
      {.name = "input",
       .value = "auto|jsonl|array|csv|gbench",
       .choice = &s->input,
       .help = "what the files are; told from their first bytes otherwise"},
      {.name = "threshold",
       .value = "X",
       .real = &s->threshold,
       .help = "how much slower or faster counts as a move"},
      {.name = "all", .flag = &s->all, .help = "list rows that did not move, too"},
      {.name = "fail-on",
       .value = "regression",
       .list = &s->fail_on,
       .help = "exit with 1 on any regression"},
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
  const arg_command command = {
      .name = "roofline diff",
      .summary =
          "Shows what moved between two files of records. A row is compared only with itself: same op, "
          "case,\n"
          "tag and device. One whose flops or bytes differ is another workload, and said to be. A time that\n"
          "moved by less than the threshold, or whose p10 to p90 spread overlaps the other's, did not move.\n"
          "Of rows with one key in a file, the last counts.\n"
          "\nExamples:\n"
          "  roofline diff yesterday.jsonl today.jsonl\n"
          "  roofline diff main.jsonl branch.jsonl --format md --fail-on regression\n"
          "\nExit status: 0; 1 malformed input, or a regression under --fail-on; 2 usage or I/O.",
      .operands = "OLD NEW",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .min_operands = 2,
      .max_operands = 2};
  arg_result result = args_parse(a, &command, argc, argv, &s->files);
  for (uint32_t i = 0; result == ARGS_OK && i < s->fail_on.n; i++) {
    if (strcmp(s->fail_on.v[i], "regression") == 0) continue;
    fprintf(stderr, "roofline diff: --fail-on is regression, not '%s'\n", s->fail_on.v[i]);
    return ARGS_WRONG;
  }
  if (result == ARGS_OK && s->threshold < 0) {
    fputs("roofline diff: --threshold is not negative\n", stderr);
    return ARGS_WRONG;
  }
  return result;
}

static int run(arena *a, const settings *s) {
  row_list old = {0}, new = {0};
  complaints problems = {.out = stderr, .limit = s->max_errors};
  if (!read_file(a, s, s->files.v[0], &problems, &old) || !read_file(a, s, s->files.v[1], &problems, &new))
    return EXIT_USAGE;
  complaints_close(&problems);
  uint64_t counts[CHANGE_COUNT] = {0}, repeated = settle(&old);
  repeated += settle(&new);
  if (repeated > 0)
    fprintf(stderr, "roofline diff: %llu rows repeat the key of a later row, which counts\n",
            (unsigned long long)repeated);
  pair_list pairs = pair_up(a, &old, &new, s->threshold);
  for (uint32_t i = 0; i < pairs.n; i++) counts[pairs.v[i].change]++;
  if (pairs.n > 0) qsort(pairs.v, pairs.n, sizeof *pairs.v, by_change);
  writer *w = arena_new_of(a, writer);
  w->file = stdout;
  print(w, s, &pairs, counts, repeated);
  writer_flush(w);
  bool regressed = s->fail_on.n > 0 && counts[REGRESSION] > 0;
  return w->error != 0 ? EXIT_USAGE : problems.count > 0 || regressed ? EXIT_DEFECTS : EXIT_HEALTHY;
}

int diff_main(int argc, char **argv) {
  arena *a = arena_new();
  settings s = {.threshold = 0.10, .width = TABLE_WIDTH, .max_errors = 20};
  arg_result parsed = read_arguments(a, argc, argv, &s);
  int status = parsed == ARGS_OK ? run(a, &s) : parsed == ARGS_HELP ? EXIT_HEALTHY : EXIT_USAGE;
  arena_free(a);
  return commands_close_stdout("roofline diff", status);
}
