/* Google Benchmark's --benchmark_format=json. The numbers are user counters named like the record's
   fields. The texts come from the entry itself, else from its label as "key=value; key=value", else from
   the context (benchmark::AddCustomContext). op and case, when nothing names them, are the benchmark's
   name: what stands before its first '/', and what follows. Times that Google Benchmark took itself are
   host times, so they never stand in for device_busy_ms. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/records_read.h"

typedef struct gbench {
  const json_t *context, *entries;
  json_t *medians; /* run names that have a median: their repetitions are not rows */
  size_t next;
  row_buffer text[RECORD_FIELDS]; /* texts cut from a label or a name */
} gbench;

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static bool is_aggregate(const json_t *entry) {
  const char *type = text_of(entry, "run_type");
  return type != NULL && strcmp(type, "aggregate") == 0;
}

static bool is_median(const json_t *entry) {
  const char *name = text_of(entry, "aggregate_name");
  return is_aggregate(entry) && name != NULL && strcmp(name, "median") == 0;
}

static const char *run_name(const json_t *entry) {
  const char *name = text_of(entry, "run_name");
  return name != NULL ? name : text_of(entry, "name");
}

static void find_medians(gbench *g) {
  size_t i;
  json_t *entry;
  json_array_foreach(g->entries, i, entry) {
    if (!is_median(entry) || run_name(entry) == NULL) continue;
    if (json_object_set_new(g->medians, run_name(entry), json_true()) != 0) arena_out_of_memory();
  }
}

void records_gbench_open(records *in) {
  const char *text;
  json_error_t error;
  gbench *g = in->gbench = calloc(1, sizeof *g);
  if (g == NULL || (g->medians = json_object()) == NULL) arena_out_of_memory();
  size_t n = text_input_peek(&in->input, TEXT_INPUT_LONGEST, &text);
  if (n >= TEXT_INPUT_LONGEST) {
    record_defect(in, RECORD_TOO_LONG, 0, "a Google Benchmark file of %d MiB or more",
                  TEXT_INPUT_LONGEST >> 20);
    return;
  }
  in->root = json_loadb(text, n, 0, &error);
  if (in->root == NULL) {
    in->line = error.line > 0 ? (uint64_t)error.line : 1;
    record_defect(in, RECORD_SYNTAX, error.column > 0 ? (uint64_t)error.column : 0, "not JSON: %s",
                  error.text);
    return;
  }
  g->context = json_object_get(in->root, "context");
  g->entries = json_object_get(in->root, "benchmarks");
  if (json_is_array(g->entries))
    find_medians(g);
  else
    record_defect(in, RECORD_SYNTAX, 0, "a Google Benchmark file has an array 'benchmarks'");
}

void records_gbench_close(records *in) {
  json_decref(in->root);
  json_decref(in->gbench->medians);
  for (int i = 0; i < RECORD_FIELDS; i++) free(in->gbench->text[i].p);
  free(in->gbench);
}

static const char *keep_text(gbench *g, int field, const char *p, size_t n) {
  row_buffer *b = &g->text[field];
  b->n = 0;
  row_keep(b, p, n);
  row_keep(b, "", 1);
  return b->p;
}

/* The value of `key` in "device=NVIDIA H200; timing=cupti", or NULL. */
static const char *from_label(gbench *g, int field, const char *label) {
  const char *key = record_fields[field].name;
  size_t length = strlen(key);
  while (label != NULL && *label != '\0') {
    label += strspn(label, "; ");
    size_t n = strcspn(label, ";");
    if (n > length && strncmp(label, key, length) == 0 && label[length] == '=')
      return keep_text(g, field, label + length + 1, n - length - 1);
    label += n;
  }
  return NULL;
}

static const char *from_name(gbench *g, int field, const json_t *entry) {
  const char *name = run_name(entry), *key = record_fields[field].name;
  if (name == NULL) return NULL;
  size_t head = strcspn(name, "/");
  if (strcmp(key, "op") == 0) return keep_text(g, field, name, head);
  if (strcmp(key, "case") == 0) return name[head] == '/' ? name + head + 1 : "default";
  return NULL;
}

static void read_entry(records *in, const json_t *entry, roofline_record *out) {
  gbench *g = in->gbench;
  const char *label = text_of(entry, "label");
  for (int i = 0; i < RECORD_FIELDS; i++) {
    json_t *value = json_object_get(entry, record_fields[i].name);
    const char *text = NULL;
    if (value == NULL) text = from_label(g, i, label);
    if (value == NULL && text == NULL) value = json_object_get(g->context, record_fields[i].name);
    if (value == NULL && text == NULL) text = from_name(g, i, entry);
    if (text != NULL)
      record_set_text(in, i, text, out);
    else if (value != NULL && !json_is_string(value))
      record_set_json(in, i, value, out);
    else if (value != NULL && record_fields[i].kind == FIELD_TEXT)
      record_set_json(in, i, value, out);
    else if (value != NULL)
      record_set_text(in, i, json_string_value(value), out);
  }
}

bool records_gbench_next(records *in, roofline_record *out) {
  gbench *g = in->gbench;
  while (g->next < json_array_size(g->entries)) {
    const json_t *entry = json_array_get(g->entries, g->next++);
    const char *name = run_name(entry);
    if (is_aggregate(entry) ? !is_median(entry) : name != NULL && json_object_get(g->medians, name) != NULL)
      continue;
    in->name = name; /* jansson keeps no places */
    *out = roofline_record_empty();
    in->found = 0;
    in->defective = false;
    if (json_is_true(json_object_get(entry, "error_occurred")) ||
        json_is_true(json_object_get(entry, "skipped"))) {
      const char *why = text_of(entry, "error_message");
      if (why == NULL) why = text_of(entry, "skip_message");
      record_defect(in, RECORD_FAILED_RUN, 0, "the benchmark failed: %s",
                    why != NULL ? why : "it does not say why");
      continue;
    }
    read_entry(in, entry, out);
    if (record_complete(in, out)) return true;
  }
  return false;
}
