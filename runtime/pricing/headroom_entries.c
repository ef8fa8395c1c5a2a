/* The report's entries: head, model, counters, verdict, rankings. headroom.md §2. */
#include "runtime/pricing/headroom_run.h"

#include <math.h>
#include <string.h>

typedef struct run {
  hr_log *log;
  const hr_options *options;
  const hr_context *context;
  hr_report *report;
  hr_counters *counters; /* NULL below stage C */
} run;

#define NOTE(r, e, ...) hr_note((r)->log, &(e)->notes, __VA_ARGS__)

static str kernel_place(hr_log *log, uint32_t index) {
  return arena_printf(log->a, "top-n: top_kernels[%u]", index);
}

/* ---- what the profile says of a kernel ---- */

static void read_facts(run *r, const json_t *kernel, uint32_t index, str where, hr_entry *e) {
  hr_log *log = r->log;
  e->name = hr_string(log, kernel, where, "name");
  e->short_name = hr_string(log, kernel, where, "short_name");
  if (e->name.p == NULL) e->name = e->short_name;
  if (e->name.p == NULL) e->name = arena_printf(log->a, "(kernel %u without a name)", index);
  if (e->short_name.p == NULL) e->short_name = e->name;
  e->pct = json_object_get(kernel, "pct_gpu_time");
  e->pct_value = json_is_number(e->pct) ? json_number_value(e->pct) : NAN;
  json_t *editable = json_object_get(kernel, "editable");
  if (json_is_boolean(editable))
    e->editable = editable;
  else if (editable != NULL && !json_is_null(editable))
    hr_error(log, "%.*s: 'editable' is not true or false", STR_ARG(where));
  e->regime = r->context->regime;
  if (r->context->regime_note.n > 0) NOTE(r, e, "%.*s", STR_ARG(r->context->regime_note));
  json_t *calls = hr_object(log, kernel, where, "calls_per_step");
  e->launches_per_step = hr_number(log, calls, where, hr_phase_name(e->regime));
}

/* Milliseconds of one launch. */
static double launch_time(run *r, const json_t *kernel, str where, hr_entry *e) {
  const char *phase = hr_phase_name(e->regime);
  json_t *latency = hr_object(r->log, kernel, where, "base_latency_ms");
  double t = hr_positive(r->log, latency, where, phase);
  if (!isnan(t)) return t;
  t = hr_positive(r->log, kernel, where, "avg_us") / 1000.0;
  if (!isnan(t)) NOTE(r, e, "no base_latency_ms for %s: the time is avg_us, over all phases", phase);
  return t;
}

static const json_t *captured_of(const run *r, const hr_entry *e, const char **wrong) {
  const str names[] = {e->short_name, e->name};
  *wrong = NULL;
  for (size_t i = 0; i < 2; i++) {
    const json_t *v = json_object_getn(r->context->captured, names[i].p, names[i].n);
    if (json_is_object(v)) return v;
    if (v != NULL) *wrong = "its captured shapes are not an object";
  }
  return NULL;
}

/* ---- model and measurement ---- */

static double compute_peak(const run *r, const hr_work *w) {
  return w->has_dtype && w->compute.roof != ROOFLINE_ROOF_NONE ? r->report->peaks.flops[w->compute.roof] : 0;
}

static void take_model(run *r, const hr_work *w, hr_entry *e) {
  roofline_work works[64];
  uint32_t n = w->candidates.n < 64 ? w->candidates.n : 64;
  if (n == 0) return;
  for (uint32_t i = 0; i < n; i++) works[i] = w->candidates.v[i].work;
  bool feasible = false;
  size_t chosen = roofline_headroom_choose(works, n, r->report->peaks.hbm, e->t_ms, &feasible);
  e->work = works[chosen];
  e->modeled = true;
  if (n > 1)
    NOTE(r, e, "%s of %u models: %.*s",
         feasible ? "the largest feasible" : "none is feasible, so the smallest", n,
         STR_ARG(w->candidates.v[chosen].label));
}

/* Measured bytes and flops replace modelled ones; what was not measured keeps the model. */
static bool take_counters(run *r, uint32_t position, const hr_work *w, hr_entry *e) {
  bool found = false;
  roofline_work measured = hr_counters_of(r->counters, position, &found, &e->notes);
  if (isnan(measured.bytes)) {
    NOTE(r, e,
         found ? "counters: traffic not measured, the model stays"
               : "counters: this kernel was not collected, the model stays");
    return false;
  }
  if (w->collective) return false;
  bool has_flops = !isnan(measured.flops);
  if (!e->modeled &&
      (w->op_class == ROOFLINE_CLASS_UNKNOWN || (!has_flops && w->op_class != ROOFLINE_CLASS_ELEMENTWISE)))
    return false;
  if (e->modeled)
    NOTE(r, e, "counters: %.10g bytes a unit measured, %.10g modelled", measured.bytes * w->launches,
         e->work.bytes);
  e->work.bytes = measured.bytes * w->launches;
  if (has_flops)
    e->work.flops = measured.flops * w->launches;
  else if (!e->modeled)
    e->work.flops = 0;
  e->modeled = true;
  return true;
}

static void note_rule(run *r, const hr_work *w, hr_entry *e) {
  switch (e->result.rule) {
  case ROOFLINE_RULE_DISPATCH:
    NOTE(r, e,
         "at or below the dispatch floor of %g us: fusion or graph capture is the lever, not the kernel",
         r->options->limits.dispatch_floor_us);
    break;
  case ROOFLINE_RULE_INFEASIBLE:
    NOTE(r, e,
         "impossible: the modelled work and the time give %.6g of the ceiling; collect counters to settle "
         "which is "
         "wrong",
         e->result.roofline_pct_raw);
    break;
  case ROOFLINE_RULE_NO_COMPUTE_PEAK:
  case ROOFLINE_RULE_JUDGED:
    if (compute_peak(r, w) <= 0)
      NOTE(r, e, "no compute peak for %.*s on this device: compute utilisation is unknown",
           STR_ARG(w->compute_name));
    break;
  case ROOFLINE_RULE_NO_PEAKS: NOTE(r, e, "the device's peaks are unknown"); break;
  case ROOFLINE_RULE_NO_INPUT: break;
  }
}

static const char *const levers[ROOFLINE_CLASS_COUNT][3] = {
    [ROOFLINE_CLASS_GEMM] = {"narrower weights or activations",
                             "fuse the epilogue so the output is written once"},
    [ROOFLINE_CLASS_MOE] = {"narrower expert weights",
                            "fewer experts touched: larger batches per expert, expert parallelism",
                            "fuse the two halves so that activations stay on chip"},
    [ROOFLINE_CLASS_ATTN] = {"a narrower KV cache", "a shorter or sparser context",
                             "share KV reads across the queries of a group"},
    [ROOFLINE_CLASS_ELEMENTWISE] = {"fuse with the neighbouring kernels", "narrower inputs and outputs"},
};

static void judge(run *r, const hr_work *w, roofline_headroom_stage evidence, hr_entry *e) {
  const roofline_headroom_peaks *peaks = &r->report->peaks;
  double target = r->options->targets[w->op_class];
  if (isnan(target)) target = roofline_headroom_target(w->op_class, peaks->product);
  e->target = isnan(w->target) ? target : w->target;
  roofline_headroom_case c = {.t_ms = e->t_ms,
                              .work = e->work,
                              .peak_bw = peaks->hbm,
                              .peak_flops = compute_peak(r, w),
                              .pct_gpu_time = e->pct_value,
                              .target = e->target};
  roofline_headroom_judge(&c, &r->options->limits, &e->result);
  e->confidence = roofline_headroom_confidence(evidence, peaks->derived || peaks->hbm <= 0);
  e->rankable = e->confidence != ROOFLINE_CONFIDENCE_LOW;
  note_rule(r, w, e);
  bool saturated_memory =
      e->result.headroom == ROOFLINE_HEADROOM_SATURATED && e->result.bound == ROOFLINE_HEADROOM_BOUND_MEMORY;
  for (size_t i = 0; saturated_memory && i < 3 && levers[w->op_class][i] != NULL; i++)
    hr_note(r->log, &e->levers, "%s", levers[w->op_class][i]);
}

/* A kernel nothing is said about: every number null, and listed as degraded. */
static void degrade(run *r, hr_entry *e, str reason) {
  roofline_headroom_case nothing = {.t_ms = NAN};
  roofline_headroom_judge(&nothing, NULL, &e->result);
  e->modeled = e->rankable = false;
  e->work = (roofline_work){NAN, NAN};
  e->confidence = ROOFLINE_CONFIDENCE_LOW;
  e->degraded = reason;
  NOTE(r, e, "not modelled: %.*s", STR_ARG(reason));
}

static void build_entry(run *r, uint32_t position, const json_t *kernel, uint32_t index, hr_entry *e) {
  hr_log *log = r->log;
  str where = kernel_place(log, index);
  *e = (hr_entry){.target = NAN, .t_ms = NAN};
  read_facts(r, kernel, index, where, e);
  double launch = launch_time(r, kernel, where, e);
  const char *wrong = NULL;
  const json_t *captured = r->report->stage >= ROOFLINE_STAGE_B ? captured_of(r, e, &wrong) : NULL;
  if (wrong != NULL) hr_error(log, "%.*s: %s", STR_ARG(where), wrong);
  hr_work w;
  hr_work_of(log, r->context, kernel, captured, where, &e->notes, &w);
  e->op_class = w.op_class;
  e->t_ms = isnan(w.t_ms) ? launch * w.launches : w.t_ms;
  if (isnan(e->pct_value)) {
    degrade(r, e, STR("pct_gpu_time is not a number"));
    return;
  }
  if (!isfinite(e->t_ms)) {
    degrade(r, e, STR("no usable time: neither base_latency_ms nor avg_us is above 0"));
    return;
  }
  take_model(r, &w, e);
  roofline_headroom_stage evidence = w.stage;
  if (r->counters != NULL && take_counters(r, position, &w, e)) evidence = ROOFLINE_STAGE_C;
  if (!e->modeled) {
    degrade(r, e, w.reason);
    return;
  }
  judge(r, &w, evidence, e);
  if (e->result.rule == ROOFLINE_RULE_NO_INPUT)
    degrade(r, e, STR("the measured work is too large to compute with"));
}

/* ---- head and rankings ---- */

/* Positions in top_kernels of the kernels the report is about: the head by pct_gpu_time, then those
   whose share cannot be read, of which nobody can say that they are small. */
static uint32_t choose_head(run *r, uint32_t *head) {
  json_t *kernels = r->context->kernels;
  uint32_t n = (uint32_t)json_array_size(kernels), unreadable = 0;
  uint32_t limit = r->options->limit;
  roofline_headroom_ranked *items = arena_array(r->log->a, roofline_headroom_ranked, n + 1);
  uint32_t *bad = arena_array(r->log->a, uint32_t, limit + 1);
  size_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    json_t *kernel = json_array_get(kernels, i);
    json_t *pct = json_object_get(kernel, "pct_gpu_time");
    if (!json_is_object(kernel))
      hr_error(r->log, "top-n: top_kernels[%u] is not an object", i);
    else if (json_is_number(pct))
      items[count++] = (roofline_headroom_ranked){json_number_value(pct), NAN, i};
    else {
      hr_error(r->log, "top-n: top_kernels[%u]: 'pct_gpu_time' is not a number", i);
      if (unreadable < limit) bad[unreadable++] = i;
    }
  }
  uint32_t kept = (uint32_t)roofline_headroom_head(items, count, r->options->threshold, limit);
  for (uint32_t i = 0; i < kept; i++) head[i] = items[i].index;
  for (uint32_t i = 0; i < unreadable; i++) head[kept + i] = bad[i];
  return kept + unreadable;
}

static void rank_by_gain(run *r) {
  hr_report *report = r->report;
  if (report->peaks.hbm <= 0) return; /* without peaks there is no gain to rank by */
  roofline_headroom_ranked *items = arena_array(r->log->a, roofline_headroom_ranked, report->entries.n + 1);
  for (uint32_t i = 0; i < report->entries.n; i++) {
    const hr_entry *e = &report->entries.v[i];
    items[i] = (roofline_headroom_ranked){e->pct_value, e->modeled ? e->result.expected_gain_pct : NAN, i};
  }
  roofline_headroom_rank_by_gain(items, report->entries.n);
  for (uint32_t i = 0; i < report->entries.n; i++) vec_push(r->log->a, &report->by_gain, items[i].index);
}

static roofline_headroom_stage stage_of(hr_log *log, const hr_options *options) {
  bool shapes = options->shapes != NULL, counters = options->counters.n > 0;
  roofline_headroom_stage best = counters ? ROOFLINE_STAGE_C : shapes ? ROOFLINE_STAGE_B : ROOFLINE_STAGE_A;
  if (options->stage < 0) return best;
  if (options->stage == ROOFLINE_STAGE_C && !counters)
    hr_error(log, "stage C without --counters: the models stay");
  if (options->stage == ROOFLINE_STAGE_B && !shapes)
    hr_error(log, "stage B without --shapes: shapes come from the profile");
  return (roofline_headroom_stage)options->stage;
}

static hr_counters *read_counters(run *r, const uint32_t *head, uint32_t n) {
  if (r->report->stage != ROOFLINE_STAGE_C || r->options->counters.n == 0) return NULL;
  hr_counters *counters = hr_counters_new(r->log);
  for (uint32_t i = 0; i < n; i++) {
    const json_t *kernel = json_array_get(r->context->kernels, head[i]);
    hr_log quiet = {.a = r->log->a}; /* read_facts reports a wrong type */
    hr_counters_watch(counters, hr_string(&quiet, kernel, STR(""), "name"),
                      hr_string(&quiet, kernel, STR(""), "short_name"));
  }
  for (uint32_t i = 0; i < r->options->counters.n; i++) hr_counters_read(counters, r->options->counters.v[i]);
  return counters;
}

void hr_report_build(hr_log *log, const hr_options *options, const hr_context *context, hr_report *out) {
  *out = (hr_report){.gfx = context->gfx,
                     .regime = context->regime,
                     .threshold = options->threshold,
                     .kernel_count = (uint32_t)json_array_size(context->kernels)};
  out->stage = stage_of(log, options);
  out->peaks = hr_peaks(log, options, context);
  if (out->gfx.n == 0 && out->peaks.arch != NULL) out->gfx = str_of(out->peaks.arch);
  run r = {log, options, context, out, NULL};
  uint32_t *head = arena_array(log->a, uint32_t, out->kernel_count + 1);
  uint32_t n = choose_head(&r, head);
  r.counters = read_counters(&r, head, n);
  for (uint32_t i = 0; i < n; i++) {
    hr_entry e;
    build_entry(&r, i, json_array_get(context->kernels, head[i]), head[i], &e);
    vec_push(log->a, &out->entries, e);
  }
  rank_by_gain(&r);
  if (r.counters != NULL) hr_counters_free(r.counters);
}
