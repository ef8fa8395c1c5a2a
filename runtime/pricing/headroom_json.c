/* profile_roofline.json: fields in the order of headroom.md §3, no NaN, no Infinity. */
#include "runtime/pricing/headroom_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/src/json_text.h"

static void put_number(out_text *out, double x) {
  char text[JSON_NUMBER_MAX];
  out_put(out, (str){text, (uint32_t)json_text_number(x, text)}); /* null when not finite */
}

static void put_string(out_text *out, str s) {
  out_put(out, STR("\""));
  for (uint32_t i = 0; i < s.n; i++) {
    uint32_t plain = (uint32_t)json_text_plain(s.p + i, s.n - i);
    out_put(out, (str){s.p + i, plain});
    i += plain;
    char escape[JSON_ESCAPE_MAX];
    if (i < s.n) out_put(out, (str){escape, (uint32_t)json_text_escape(s.p[i], escape)});
  }
  out_put(out, STR("\""));
}

static void put_string_or_null(out_text *out, str s) {
  if (s.p == NULL)
    out_put(out, STR("null"));
  else
    put_string(out, s);
}

/* A value of the input, verbatim but for a number's shortest spelling. */
static void put_verbatim(out_text *out, const json_t *v) {
  if (v == NULL) {
    out_put(out, STR("null"));
  } else if (json_is_real(v)) {
    char text[JSON_NUMBER_MAX + 1] = "";
    json_text_number(json_real_value(v), text);
    out_put(out, str_of(text));
    if (strpbrk(text, ".e") == NULL) out_put(out, STR(".0")); /* a real stays one */
  } else if (json_is_string(v)) {
    put_string(out, (str){json_string_value(v), (uint32_t)json_string_length(v)});
  } else {
    char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
    out_put(out, str_of(text != NULL ? text : "null"));
    free(text);
  }
}

static void put_lines(out_text *out, const hr_lines *lines, const char *indent) {
  out_put(out, STR("["));
  for (uint32_t i = 0; i < lines->n; i++) {
    out_printf(out, "%s\n%s  ", i > 0 ? "," : "", indent);
    put_string(out, lines->v[i]);
  }
  if (lines->n > 0) out_printf(out, "\n%s", indent);
  out_put(out, STR("]"));
}

/* One entry's fields; `first` spares the comma. */
static void put_key(out_text *out, const char *key) {
  bool first = strcmp(key, "name") == 0;
  out_printf(out, "%s\n      \"%s\": ", first ? "" : ",", key);
}

static void put_field(out_text *out, const char *key, double x) {
  put_key(out, key);
  put_number(out, x);
}

static void put_text_field(out_text *out, const char *key, const char *text) {
  put_key(out, key);
  put_string(out, str_of(text));
}

static void put_bool_field(out_text *out, const char *key, bool value) {
  put_key(out, key);
  out_put(out, value ? STR("true") : STR("false"));
}

static void put_entry(out_text *out, const hr_entry *e) {
  const roofline_headroom_result *r = &e->result;
  out_put(out, STR("\n    {"));
  put_key(out, "name");
  put_string(out, e->name);
  put_key(out, "short_name");
  put_string(out, e->short_name);
  put_key(out, "pct_gpu_time");
  put_verbatim(out, e->pct);
  put_text_field(out, "regime", hr_phase_name(e->regime));
  put_text_field(out, "op_class", roofline_op_class_name(e->op_class));
  put_bool_field(out, "modeled", e->modeled);
  put_field(out, "t_ms", e->t_ms);
  put_field(out, "launches_per_step", e->launches_per_step);
  put_field(out, "bytes_est", e->work.bytes);
  put_field(out, "flops_est", e->work.flops);
  put_field(out, "achieved_bw_bytes_s", r->achieved_bw);
  put_field(out, "achieved_flops", r->achieved_flops);
  put_field(out, "hbm_util", r->hbm_util);
  put_field(out, "compute_util", r->compute_util);
  put_field(out, "arithmetic_intensity", r->arithmetic_intensity);
  put_field(out, "ridge_point", r->ridge_point);
  put_text_field(out, "bound_type", roofline_headroom_bound_name(r->bound));
  put_field(out, "roofline_pct", r->roofline_pct);
  put_field(out, "roofline_pct_raw", r->roofline_pct_raw);
  put_field(out, "target_eff", e->target);
  put_field(out, "attainable_speedup", r->attainable_speedup);
  put_field(out, "expected_e2e_gain_pct", r->expected_gain_pct);
  put_text_field(out, "headroom_class", roofline_headroom_class_name(r->headroom));
  put_text_field(out, "confidence", roofline_confidence_name(e->confidence));
  put_bool_field(out, "rankable", e->rankable);
  put_bool_field(out, "suspect", r->suspect);
  if (!isnan(r->bytes_upper_bound)) put_field(out, "bytes_upper_bound", r->bytes_upper_bound);
  if (e->levers.n > 0) {
    put_key(out, "byte_reduction_levers");
    put_lines(out, &e->levers, "      ");
  }
  put_key(out, "editable");
  put_verbatim(out, e->editable);
  put_key(out, "notes");
  put_lines(out, &e->notes, "      ");
  out_put(out, STR("\n    }"));
}

static void put_peaks(out_text *out, const roofline_headroom_peaks *peaks) {
  bool known = peaks->hbm > 0, first = true;
  out_put(out, STR("  \"peaks\": {\n    \"hbm_bw_bytes_s\": "));
  put_number(out, known ? peaks->hbm : NAN);
  out_put(out, STR(",\n    \"flops\": {"));
  for (int i = 0; i < ROOFLINE_ROOF_COUNT; i++) {
    if (!(peaks->flops[i] > 0)) continue;
    out_printf(out, "%s\"%s\": ", first ? "" : ", ", roofline_headroom_roof_name((roofline_headroom_roof)i));
    put_number(out, peaks->flops[i]);
    first = false;
  }
  out_printf(out, "},\n    \"source\": %s,\n    \"confidence\": \"%s\"\n  },\n",
             !known           ? "null"
             : peaks->derived ? "\"derived\""
                              : "\"table\"",
             known && !peaks->derived ? "high" : "low");
}

static void put_ranking(out_text *out, const char *key, const hr_report *report, const uint32_t *order,
                        uint32_t n) {
  out_printf(out, "  \"%s\": [", key);
  for (uint32_t i = 0; i < n; i++) {
    out_put(out, i > 0 ? STR(", ") : STR(""));
    put_string(out, report->entries.v[order != NULL ? order[i] : i].name);
  }
  out_put(out, STR("],\n"));
}

static void put_degraded(out_text *out, const hr_report *report) {
  bool first = true;
  out_put(out, STR("  \"degraded\": ["));
  for (uint32_t i = 0; i < report->entries.n; i++) {
    const hr_entry *e = &report->entries.v[i];
    if (e->degraded.n == 0) continue;
    out_put(out, first ? STR("\n    {\"name\": ") : STR(",\n    {\"name\": "));
    put_string(out, e->name);
    out_put(out, STR(", \"reason\": "));
    put_string(out, e->degraded);
    out_put(out, STR("}"));
    first = false;
  }
  out_put(out, first ? STR("],\n") : STR("\n  ],\n"));
}

str hr_json_text(hr_log *log, const hr_report *report) {
  out_text out;
  out_init(&out, log->a);
  out_put(&out, STR("{\n  \"skill\": \"roofline\",\n  \"skill_version\": \"1\",\n  \"gfx\": "));
  put_string_or_null(&out, report->gfx);
  out_put(&out, STR(",\n"));
  put_peaks(&out, &report->peaks);
  out_printf(&out, "  \"stage\": \"%c\",\n  \"entries\": [", "ABC"[report->stage]);
  for (uint32_t i = 0; i < report->entries.n; i++) {
    out_put(&out, i > 0 ? STR(",") : STR(""));
    put_entry(&out, &report->entries.v[i]);
  }
  out_put(&out, report->entries.n > 0 ? STR("\n  ],\n") : STR("],\n"));
  put_ranking(&out, "ranking_by_pct", report, NULL, report->entries.n);
  put_ranking(&out, "ranking_by_expected_gain", report, report->by_gain.v, report->by_gain.n);
  put_degraded(&out, report);
  out_put(&out, STR("  \"skill_errors\": "));
  put_lines(&out, &log->errors, "  ");
  out_put(&out, STR("\n}\n"));
  return out_str(&out);
}
