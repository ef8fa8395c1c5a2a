/* Reads the JSON inputs of `roofline headroom`: whatever they hold, the run goes on. headroom.md §1. */
#include "runtime/pricing/headroom_run.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/src/json_text.h"
#include "text/source.h"

enum { MAX_ERRORS = 100 };
static const uint64_t max_json_bytes = UINT64_C(256) << 20;

/* What is quoted from a file or a path may be cut inside a character, or be no text at all. */
static str readable(arena *a, str line) {
  if (text_is_utf8(line.p, line.n)) return line;
  char *copy = arena_cstr(a, line);
  for (uint32_t i = 0; i < line.n; i++)
    if ((unsigned char)copy[i] >= 0x80) copy[i] = '?';
  return (str){copy, line.n};
}

/* Once: a field is looked at by several models, and one mistake is one line. */
static bool add_line(arena *a, hr_lines *lines, uint32_t limit, const char *format, va_list args) {
  str line = readable(a, arena_vprintf(a, format, args));
  for (uint32_t i = 0; i < lines->n; i++)
    if (str_eq(lines->v[i], line)) return true;
  if (lines->n == limit) return false;
  vec_push(a, lines, line);
  return true;
}

void hr_error(hr_log *log, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!add_line(log->a, &log->errors, MAX_ERRORS, format, args)) log->unlisted++;
  va_end(args);
}

void hr_note(hr_log *log, hr_lines *notes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_line(log->a, notes, UINT32_MAX, format, args);
  va_end(args);
}

static bool token_at(str text, uint32_t i, const char *token) {
  size_t n = strlen(token);
  return text.n - i >= n && memcmp(text.p + i, token, n) == 0;
}

static uint32_t string_end(str text, uint32_t i) {
  for (i++; i < text.n && text.p[i] != '"'; i++)
    if (text.p[i] == '\\') i++;
  return i < text.n ? i + 1 : text.n;
}

static uint32_t number_end(str text, uint32_t i) {
  while (i < text.n && text.p[i] != '\0' && strchr("0123456789+-.eE", text.p[i]) != NULL) i++;
  return i;
}

/* A number as JSON can hold it: what no double holds becomes null, an integer beyond 64 bits a real. */
static void put_repaired_number(out_text *out, str number, uint32_t *changed) {
  enum { SAFE_DIGITS = 18 };
  char *copy = arena_cstr(out->a, number), *end = NULL;
  double value = strtod(copy, &end);
  if (*end == '\0' && !isfinite(value)) {
    out_put(out, STR("null"));
    ++*changed;
    return;
  }
  out_put(out, number);
  if (number.n > SAFE_DIGITS && strpbrk(copy, ".eE") == NULL) {
    out_put(out, STR(".0"));
    ++*changed;
  }
}

/* Python writes NaN, Infinity and integers of any length where JSON has no such values. Reading them
   costs one number; refusing them would cost the file (headroom.md "one bad value degrades one entry"). */
static str repair_numbers(arena *a, str text, uint32_t *changed) {
  static const char *const not_numbers[] = {"NaN", "Infinity", "-Infinity"};
  out_text out;
  out_init(&out, a);
  uint32_t done = 0;
  for (uint32_t i = 0; i < text.n;) {
    if (text.p[i] == '"') {
      i = string_end(text, i);
      continue;
    }
    uint32_t end = i;
    for (size_t t = 0; t < sizeof not_numbers / sizeof *not_numbers; t++)
      if (token_at(text, i, not_numbers[t])) end = i + (uint32_t)strlen(not_numbers[t]);
    bool word = end > i;
    if (!word && (isdigit((unsigned char)text.p[i]) || text.p[i] == '-')) end = number_end(text, i);
    if (end == i) {
      i++;
      continue;
    }
    out_put(&out, (str){text.p + done, i - done});
    if (word) {
      out_put(&out, STR("null"));
      ++*changed;
    } else {
      put_repaired_number(&out, (str){text.p + i, end - i}, changed);
    }
    i = done = end;
  }
  out_put(&out, (str){text.p + done, text.n - done});
  return out_str(&out);
}

json_t *hr_json_parse(hr_log *log, const char *path, str text) {
  size_t flags = JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES;
  bool repaired = false;
  json_error_t error;
  json_t *root;
  if (text.p == NULL) text = STR("");
  while ((root = json_loadb(text.p, text.n, flags, &error)) == NULL) {
    if (json_error_code(&error) == json_error_duplicate_key && (flags & JSON_REJECT_DUPLICATES) != 0) {
      hr_error(log, "%s:%d: %s; the last one counts", path, error.line, error.text);
      flags &= ~(size_t)JSON_REJECT_DUPLICATES;
      continue;
    }
    uint32_t changed = 0;
    str fixed = repaired ? text : repair_numbers(log->a, text, &changed);
    repaired = true;
    if (changed == 0) {
      hr_error(log, "%s:%d: not readable as JSON: %s", path, error.line, error.text);
      return NULL;
    }
    hr_error(log,
             "%s: %u numbers that JSON cannot hold (NaN, Infinity, too large) are read as null or rounded",
             path, changed);
    text = fixed;
  }
  if (json_is_object(root)) return root;
  hr_error(log, "%s: the top level is not an object", path);
  json_decref(root);
  return NULL;
}

json_t *hr_json_read(hr_log *log, const char *path) {
  str why = {0};
  source *src = source_read(log->a, path, max_json_bytes, &why);
  if (src == NULL) {
    hr_error(log, "%.*s", STR_ARG(why));
    return NULL;
  }
  return hr_json_parse(log, path, src->text);
}

static const char *type_name(const json_t *v) {
  static const char *const names[] = {"an object", "an array", "a string", "a number",
                                      "a number",  "true",     "false",    "null"};
  return names[json_typeof(v)];
}

/* The value when it has the wanted type; `wanted` is for the message. */
static json_t *typed(hr_log *log, const json_t *object, str where, const char *key,
                     bool (*is)(const json_t *), const char *wanted) {
  json_t *v = json_object_get(object, key);
  if (v == NULL || json_is_null(v)) return NULL;
  if (is(v)) return v;
  hr_error(log, "%.*s: '%s' is %s, not %s", STR_ARG(where), key, type_name(v), wanted);
  return NULL;
}

static bool is_number(const json_t *v) { return json_is_number(v); }
static bool is_string(const json_t *v) { return json_is_string(v); }
static bool is_object(const json_t *v) { return json_is_object(v); }
static bool is_array(const json_t *v) { return json_is_array(v); }

double hr_number(hr_log *log, const json_t *object, str where, const char *key) {
  json_t *v = typed(log, object, where, key, is_number, "a number");
  return v != NULL ? json_number_value(v) : NAN;
}

double hr_positive(hr_log *log, const json_t *object, str where, const char *key) {
  double x = hr_number(log, object, where, key);
  if (isnan(x) || x > 0) return x;
  hr_error(log, "%.*s: '%s' is %g, not above 0", STR_ARG(where), key, x);
  return NAN;
}

str hr_string(hr_log *log, const json_t *object, str where, const char *key) {
  json_t *v = typed(log, object, where, key, is_string, "a string");
  return v != NULL ? (str){json_string_value(v), (uint32_t)json_string_length(v)} : (str){0};
}

json_t *hr_object(hr_log *log, const json_t *object, str where, const char *key) {
  return typed(log, object, where, key, is_object, "an object");
}

json_t *hr_array(hr_log *log, const json_t *object, str where, const char *key) {
  return typed(log, object, where, key, is_array, "an array");
}

/* ---- the run's context ---- */

const char *hr_phase_name(hr_phase p) { return p == HR_PREFILL ? "prefill" : "decode"; }

static str lower(arena *a, str s) {
  char *copy = arena_cstr(a, s);
  for (uint32_t i = 0; i < s.n; i++) copy[i] = (char)tolower((unsigned char)copy[i]);
  return (str){copy, s.n};
}

static void read_device(hr_log *log, const json_t *env, hr_context *out) {
  static const struct {
    const char *hip, *torch;
    size_t field;
  } names[] = {
      {"multiProcessorCount", "multi_processor_count", offsetof(roofline_headroom_device, compute_units)},
      {"clockRate", "clock_rate", offsetof(roofline_headroom_device, clock_khz)},
      {"memoryClockRate", "memory_clock_rate", offsetof(roofline_headroom_device, memory_clock_khz)},
      {"memoryBusWidth", "memory_bus_width", offsetof(roofline_headroom_device, memory_bus_bits)},
  };
  str where = STR("env: device_properties");
  json_t *properties = hr_object(log, env, STR("env"), "device_properties");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double x = hr_positive(log, properties, where, names[i].hip);
    if (isnan(x)) x = hr_positive(log, properties, where, names[i].torch);
    if (!isnan(x)) *(double *)((char *)&out->device + names[i].field) = x;
  }
}

/* "gfx950" and "sm_90" name an arch, which is no product of one. */
static bool is_arch(str name) {
  return name.n > 3 && (strncasecmp(name.p, "gfx", 3) == 0 || strncasecmp(name.p, "sm_", 3) == 0) &&
         isdigit((unsigned char)name.p[3]);
}

static void read_env(hr_log *log, const json_t *env, hr_context *out) {
  str where = STR("env");
  str gfx = hr_string(log, env, where, "gfx"), target = hr_string(log, env, where, "device_target");
  char name[64];
  if (gfx.n == 0 && is_arch(target)) gfx = target;
  bool is_product = target.n > 0 && !is_arch(target) && !str_is(lower(log->a, target), "unknown");
  out->product = is_product ? target : hr_string(log, env, where, "device_sku");
  if (gfx.n == 0) {
    if (env != NULL && out->product.n == 0)
      hr_error(log, "env: no 'gfx', and no 'device_target' or 'device_sku' instead, so there are no peaks");
  } else if (roofline_headroom_gfx(gfx.p, gfx.n, name, sizeof name)) {
    out->gfx = arena_str(log->a, str_of(name));
  } else {
    hr_error(log, "env: 'gfx' is no device name: %u characters", gfx.n);
  }
  out->model_dtype = hr_string(log, env, where, "model_dtype");
  read_device(log, env, out);
  json_t *workload = hr_object(log, env, where, "workload");
  where = STR("env: workload");
  out->isl = hr_positive(log, workload, where, "isl");
  out->osl = hr_number(log, workload, where, "osl");
  out->conc = hr_positive(log, workload, where, "conc");
  out->tp = hr_positive(log, workload, where, "tp");
  if (isnan(out->tp)) out->tp = hr_positive(log, env, STR("env"), "tp");
}

static void read_serving(hr_log *log, const json_t *top_n, hr_context *out) {
  str where = STR("top-n: serving");
  json_t *serving = hr_object(log, top_n, STR("top-n"), "serving");
  double prefill = hr_number(log, serving, where, "n_prefill_steps");
  double decode = hr_number(log, serving, where, "n_decode_steps");
  out->captured_batch = hr_positive(log, serving, where, "decode_batch_steady");
  if (isnan(out->captured_batch))
    out->captured_batch = hr_positive(log, serving, where, "decode_batch_captured");
  out->regime = HR_DECODE;
  if (isnan(prefill) && isnan(decode))
    out->regime_note = STR("serving's step counts are missing: the regime is taken to be decode");
  else if (prefill == decode)
    out->regime_note = STR("as many prefill as decode steps: the regime is taken to be decode");
  else if (isnan(decode) || prefill > decode)
    out->regime = HR_PREFILL;
}

/* Several families name a field differently, and some keep the text model's fields one level down. */
static double config_number(hr_log *log, const json_t *config, const json_t *text, const char *const *keys) {
  const json_t *levels[] = {config, text};
  for (const char *const *key = keys; *key != NULL; key++)
    for (size_t l = 0; l < 2; l++) {
      double x = hr_number(log, levels[l], STR("model config"), *key);
      if (x > 0) return x;
    }
  return NAN;
}

static void read_config(hr_log *log, const json_t *config, hr_model_config *out) {
  static const struct {
    size_t field;
    const char *keys[4];
  } fields[] = {
      {offsetof(hr_model_config, hidden), {"hidden_size"}},
      {offsetof(hr_model_config, layers), {"num_hidden_layers"}},
      {offsetof(hr_model_config, intermediate), {"moe_intermediate_size", "intermediate_size"}},
      {offsetof(hr_model_config, experts), {"num_experts", "n_routed_experts", "num_local_experts"}},
      {offsetof(hr_model_config, top_k), {"num_experts_per_tok"}},
      {offsetof(hr_model_config, q_heads), {"num_attention_heads"}},
      {offsetof(hr_model_config, kv_heads), {"num_key_value_heads"}},
      {offsetof(hr_model_config, head_dim), {"head_dim"}},
      {offsetof(hr_model_config, latent), {"kv_lora_rank"}},
      {offsetof(hr_model_config, rope), {"qk_rope_head_dim"}},
  };
  const json_t *text = hr_object(log, config, STR("model config"), "text_config");
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    *(double *)((char *)out + fields[i].field) = config_number(log, config, text, fields[i].keys);
}

void hr_context_read(hr_log *log, const hr_options *options, hr_context *out) {
  *out = (hr_context){0};
  const char *paths[HR_INPUTS] = {options->top_n, options->env, options->model, options->shapes};
  for (size_t i = 0; i < HR_INPUTS; i++)
    out->inputs[i] = paths[i] != NULL ? hr_json_read(log, paths[i]) : NULL;
  json_t *top_n = out->inputs[0], *shapes = out->inputs[3];
  if (options->top_n == NULL) hr_error(log, "--top-n was not given: there are no kernels");
  if (options->env == NULL) hr_error(log, "--env was not given: there are no peaks");
  read_env(log, out->inputs[1], out);
  read_serving(log, top_n, out);
  read_config(log, out->inputs[2], &out->model);
  out->kernels = hr_array(log, top_n, STR("top-n"), "top_kernels");
  if (top_n != NULL && out->kernels == NULL) hr_error(log, "top-n: no 'top_kernels'");
  out->captured = hr_object(log, shapes, STR("shapes"), "kernels");
  if (shapes != NULL && out->captured == NULL) hr_error(log, "shapes: no 'kernels'");
}

void hr_context_free(hr_context *context) {
  for (size_t i = 0; i < HR_INPUTS; i++) json_decref(context->inputs[i]);
}
