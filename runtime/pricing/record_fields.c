/* The fields of a record, and how a value found in a file becomes one. pricing.md §3. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/records_read.h"
#include "runtime/src/json_text.h"

#define AT(member) offsetof(roofline_record, member)
/* In the order the writer writes them. */
const record_field record_fields[RECORD_FIELDS] = {
    {"op", FIELD_TEXT, AT(op), true, true},
    {"case", FIELD_TEXT, AT(case_id), true, true},
    {"tag", FIELD_TEXT, AT(tag), false, false},
    {"device", FIELD_TEXT, AT(device), false, true},
    {"timing", FIELD_TEXT, AT(timing), false, true},
    {"roof_key", FIELD_TEXT, AT(roof_key), false, true},
    {"data_terms", FIELD_TEXT, AT(data_terms), false, false},
    {"device_busy_ms", FIELD_MS, AT(device_busy_ms), false, true},
    {"uncounted_copy_ms", FIELD_MS, AT(uncounted_copy_ms), false, false},
    {"latency_ms", FIELD_MS, AT(latency_ms), false, false},
    {"p10_ms", FIELD_MS, AT(p10_ms), false, false},
    {"p90_ms", FIELD_MS, AT(p90_ms), false, false},
    {"p10", FIELD_MS, AT(p10_ms), false, false},
    {"p90", FIELD_MS, AT(p90_ms), false, false},
    {"n_samples", FIELD_COUNT, AT(n_samples), false, false},
    {"flops", FIELD_COUNT, AT(flops), false, true},
    {"bytes", FIELD_COUNT, AT(bytes), false, true},
    {"read_bytes", FIELD_COUNT, AT(read_bytes), false, false},
    {"run", FIELD_JSON, AT(run), false, false},
};

int record_field_find(const char *name) {
  for (int i = 0; i < RECORD_FIELDS; i++)
    if (strcmp(record_fields[i].name, name) == 0) return i;
  return -1;
}

static void *slot(int field, roofline_record *out) { return (char *)out + record_fields[field].offset; }

static void not_fitting(records *in, int field) {
  static const char *const wanted[] = {"text", "a number of milliseconds", "a whole number of 64 bits",
                                       "JSON"};
  const record_field *f = &record_fields[field];
  /* A number that is none leaves the row blank; only a check calls it a defect. */
  if (f->kind == FIELD_TEXT || in->strict)
    record_defect(in, RECORD_WRONG_TYPE, 0, "'%s' is %s", f->name, wanted[f->kind]);
}

void record_set_double(records *in, int field, double x, roofline_record *out) {
  const record_field *f = &record_fields[field];
  if (f->kind == FIELD_MS) {
    *(double *)slot(field, out) = x;
    if (!isfinite(x)) not_fitting(in, field);
  } else if (f->kind == FIELD_COUNT && x == floor(x) && fabs(x) < 0x1p63) {
    *(int64_t *)slot(field, out) = (int64_t)x;
  } else {
    not_fitting(in, field);
  }
}

/* Infinite, not NaN, which is "absent": a copy time that is given and unreadable is not a copy of 0 ms. */
static void unreadable(records *in, int field, roofline_record *out) {
  if (record_fields[field].kind == FIELD_MS) *(double *)slot(field, out) = (double)INFINITY;
  not_fitting(in, field);
}

void row_keep(row_buffer *b, const char *p, size_t n) {
  if (b->n + n > b->capacity) {
    size_t capacity = (b->n + n) * 2;
    char *grown = realloc(b->p, capacity);
    if (grown == NULL) arena_out_of_memory();
    b->p = grown, b->capacity = capacity;
  }
  if (n > 0) memcpy(b->p + b->n, p, n);
  b->n += n;
}

static int keep_json(const char *p, size_t n, void *buffer) {
  row_keep(buffer, p, n);
  return 0;
}

void record_set_json(records *in, int field, json_t *value, roofline_record *out) {
  const record_field *f = &record_fields[field];
  in->found |= UINT32_C(1) << field;
  if (json_is_null(value)) {
    if (f->kind == FIELD_TEXT && f->expected) not_fitting(in, field);
  } else if (f->kind == FIELD_JSON) {
    in->run.n = 0;
    json_dump_callback(value, keep_json, &in->run, JSON_COMPACT | JSON_ENCODE_ANY);
    row_keep(&in->run, "", 1);
    *(const char **)slot(field, out) = in->run.p;
  } else if (f->kind == FIELD_TEXT && json_is_string(value)) {
    *(const char **)slot(field, out) = json_string_value(value);
  } else if (f->kind == FIELD_COUNT && json_is_integer(value)) {
    *(int64_t *)slot(field, out) = json_integer_value(value);
  } else if (f->kind != FIELD_TEXT && json_is_number(value)) {
    record_set_double(in, field, json_number_value(value), out);
  } else {
    unreadable(in, field, out);
  }
}

static bool decimal(const char *text) {
  bool digit = false;
  for (; *text != '\0'; text++) {
    digit = digit || isdigit((unsigned char)*text);
    if (!isdigit((unsigned char)*text) && strchr("+-.eE", *text) == NULL) return false;
  }
  return digit;
}

void record_set_text(records *in, int field, const char *text, roofline_record *out) {
  const record_field *f = &record_fields[field];
  if (*text == '\0') return;
  if (f->kind == FIELD_TEXT) {
    in->found |= UINT32_C(1) << field;
    if (text_is_utf8(text, strlen(text)))
      *(const char **)slot(field, out) = text;
    else
      record_defect(in, RECORD_SYNTAX, 0, "'%s' is not UTF-8", f->name);
    return;
  }
  if (f->kind == FIELD_JSON) {
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value == NULL) value = json_string(text); /* a plain word: a commit, a date */
    if (value != NULL) record_set_json(in, field, value, out);
    json_decref(value);
    return;
  }
  in->found |= UINT32_C(1) << field;
  char *end = NULL;
  long long whole = 0;
  if (f->kind == FIELD_COUNT && strlen(text) < 19) {
    whole = strtoll(text, &end, 10);
    if (*end == '\0' && decimal(text)) {
      *(int64_t *)slot(field, out) = whole;
      return;
    }
  }
  double x = decimal(text) ? strtod(text, &end) : (double)NAN;
  if (end == NULL || *end != '\0' || !isfinite(x))
    unreadable(in, field, out);
  else
    record_set_double(in, field, x, out);
}

bool record_complete(records *in, const roofline_record *out) {
  for (int i = 0; i < RECORD_FIELDS; i++) {
    const record_field *f = &record_fields[i];
    if (!f->identity && !(in->strict && f->expected)) continue;
    if ((in->found >> i & 1) == 0) record_defect(in, RECORD_MISSING_FIELD, 0, "no '%s'", f->name);
  }
  return out->op != NULL && out->case_id != NULL && !in->defective;
}
