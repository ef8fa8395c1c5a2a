/* What the files of `roofline headroom` share. headroom.md. */
#ifndef PRICING_HEADROOM_RUN_H
#define PRICING_HEADROOM_RUN_H

#include <jansson.h>

#include <roofline/headroom.h>

#include "text/arena.h"
#include "text/args.h"
#include "text/output.h"

typedef VEC(str) hr_lines;

/* The advisory run's memory, and what went wrong in it: nothing that a file holds ends the run. */
typedef struct hr_log {
  arena *a;
  hr_lines errors;
  uint64_t unlisted; /* errors beyond the limit, which are only counted */
} hr_log;
void hr_error(hr_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hr_note(hr_log *log, hr_lines *notes, const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef struct hr_options {
  const char *top_n, *env, *model, *shapes, *out;
  arg_texts profiles, counters;
  int stage;        /* roofline_headroom_stage, or -1: what the inputs allow */
  double threshold; /* percent of GPU time */
  uint32_t limit;
  double targets[ROOFLINE_CLASS_COUNT]; /* NaN: the default */
  roofline_headroom_limits limits;
} hr_options;

/* ---- headroom_input.c: JSON in ------------------------------------------------------------------- */

/* A JSON object, or NULL with the reason in the log. */
json_t *hr_json_read(hr_log *log, const char *path);
json_t *hr_json_parse(hr_log *log, const char *path, str text);
/* Values of an object by key. Absent and null are no value; another type is none too, with an error
   that names `where`. `object` may be NULL. */
double hr_number(hr_log *log, const json_t *object, str where, const char *key);
str hr_string(hr_log *log, const json_t *object, str where, const char *key);
json_t *hr_object(hr_log *log, const json_t *object, str where, const char *key);
json_t *hr_array(hr_log *log, const json_t *object, str where, const char *key);
/* A number above 0 (or NaN, with an error for one that is not). */
double hr_positive(hr_log *log, const json_t *object, str where, const char *key);

typedef struct hr_model_config {
  double hidden, layers, intermediate, experts, top_k, q_heads, kv_heads, head_dim, latent, rope;
} hr_model_config;

typedef enum hr_phase { HR_PREFILL, HR_DECODE } hr_phase;
const char *hr_phase_name(hr_phase p);

/* What the run says about all its kernels. */
enum { HR_INPUTS = 4 }; /* top-n, env, model config, captured shapes */
typedef struct hr_context {
  json_t *inputs[HR_INPUTS]; /* own everything below; NULL: not given or not readable */
  str gfx, product, model_dtype;
  roofline_headroom_device device;
  double isl, osl, conc, tp;
  hr_phase regime;
  str regime_note;       /* empty: the step counts decided */
  double captured_batch; /* serving.decode_batch_*, when the workload has no conc */
  hr_model_config model;
  json_t *kernels;  /* top_kernels, or NULL */
  json_t *captured; /* kernels of --shapes, or NULL */
} hr_context;
void hr_context_read(hr_log *log, const hr_options *options, hr_context *out);
void hr_context_free(hr_context *context);

/* ---- headroom_work.c: the model of one kernel ----------------------------------------------------- */

typedef struct hr_candidate {
  roofline_work work;
  str label;
} hr_candidate;

typedef struct hr_work {
  roofline_op_class op_class;
  str reason;                    /* why there is no model; empty with candidates */
  roofline_headroom_stage stage; /* where the model comes from: A, or B when captured */
  VEC(hr_candidate) candidates;
  bool has_dtype;
  roofline_headroom_dtype compute;
  str compute_name;
  double launches;     /* launches in one unit */
  double t_ms, target; /* captured, or NaN */
  bool collective;
} hr_work;
void hr_work_of(hr_log *log, const hr_context *context, const json_t *kernel, const json_t *captured,
                str where, hr_lines *notes, hr_work *out);

/* ---- headroom_csv.c: counters ----------------------------------------------------------------------- */

typedef struct hr_counters hr_counters;
hr_counters *hr_counters_new(hr_log *log);
void hr_counters_free(hr_counters *counters);
/* Names to look for, before the first read. */
void hr_counters_watch(hr_counters *counters, str name, str short_name);
void hr_counters_read(hr_counters *counters, const char *path);
/* Of one dispatch of the i-th watched kernel; NaN where not measured. *found: rows were there. */
roofline_work hr_counters_of(hr_counters *counters, uint32_t watched, bool *found, hr_lines *notes);

/* ---- headroom_profiles.c ---------------------------------------------------------------------------- */

/* The peaks for the run's device, from the profiles' AMD blocks, derived, or all zero. */
roofline_headroom_peaks hr_peaks(hr_log *log, const hr_options *options, const hr_context *context);

/* ---- headroom_entries.c ----------------------------------------------------------------------------- */

typedef struct hr_entry {
  str name, short_name;
  json_t *pct; /* as it was given; NULL: absent */
  double pct_value;
  json_t *editable;
  hr_phase regime;
  roofline_op_class op_class;
  bool modeled, rankable;
  double t_ms, launches_per_step;
  roofline_work work;
  double target;
  roofline_headroom_result result;
  roofline_confidence confidence;
  hr_lines levers, notes;
  str degraded; /* reason, or empty */
} hr_entry;

typedef struct hr_report {
  str gfx;
  roofline_headroom_peaks peaks;
  roofline_headroom_stage stage;
  hr_phase regime;
  double threshold;
  uint32_t kernel_count;
  VEC(hr_entry) entries; /* by pct */
  VEC(uint32_t) by_gain; /* positions in entries; empty without peaks */
} hr_report;
void hr_report_build(hr_log *log, const hr_options *options, const hr_context *context, hr_report *out);

/* ---- headroom_json.c, headroom_markdown.c: out ------------------------------------------------------- */

str hr_json_text(hr_log *log, const hr_report *report);
str hr_markdown_text(hr_log *log, const hr_report *report);

#endif
