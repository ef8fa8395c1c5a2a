/* Opening a file of records, and the two JSON forms that are read one object at a time. */
#include "runtime/pricing/records.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/records_read.h"

const char *const records_format_names[RECORDS_FORMAT_COUNT] = {"auto", "jsonl", "array", "csv", "gbench"};

void complain(complaints *c, diag_code code, const char *path, uint64_t line, uint64_t column,
              const char *format, ...) {
  char message[512];
  va_list args;
  if (c->count++ >= c->limit) return;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  /* What the message quotes is the file's: nothing of it may steer the terminal. */
  for (char *p = message; *p != '\0'; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
  fprintf(c->out, "%s:%llu:", path, (unsigned long long)line);
  if (column > 0) fprintf(c->out, "%llu:", (unsigned long long)column);
  fprintf(c->out, " error[RL%04u]: %s\n", (unsigned)diag_code_info(code)->number, message);
}

void complaints_close(const complaints *c) {
  if (c->count > c->limit) fprintf(c->out, "... and %llu more\n", (unsigned long long)(c->count - c->limit));
}

void record_defect(records *in, diag_code code, uint64_t column, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  in->defective = true;
  complain(in->problems, code, in->path, in->line, column, "%s%s%s", message, in->name != NULL ? " in " : "",
           in->name != NULL ? in->name : "");
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* Does the first line have a cell "op"? */
static bool is_csv_header(const char *p, size_t n) {
  const char *end = memchr(p, '\n', n);
  if (end == NULL) end = p + n;
  for (const char *cell = p; cell < end;) {
    size_t length = 0;
    if (*cell == '"') cell++;
    while (cell + length < end && strchr(",\"\r", cell[length]) == NULL) length++;
    if (length == 2 && memcmp(cell, "op", 2) == 0) return true;
    cell += length;
    while (cell < end && *cell != ',') cell++;
    cell++;
  }
  return false;
}

static bool starts(const char *p, size_t n, const char *word) {
  return n >= strlen(word) && memcmp(p, word, strlen(word)) == 0;
}

static records_format tell_format(const records *in, const char *p, size_t n) {
  size_t i = text_spaces(p, n);
  if (i < n && p[i] == '[') return RECORDS_ARRAY;
  if (i < n && p[i] == '{') {
    i += 1 + text_spaces(p + i + 1, n - i - 1);
    bool gbench = starts(p + i, n - i, "\"context\"") || starts(p + i, n - i, "\"benchmarks\"");
    return gbench ? RECORDS_GBENCH : RECORDS_JSONL;
  }
  return ends_with(in->path, ".csv") || is_csv_header(p, n) ? RECORDS_CSV : RECORDS_JSONL;
}

static void start(records *in) {
  const char *p;
  size_t n = text_input_peek(&in->input, 1 << 16, &p);
  if (starts(p, n, "\xef\xbb\xbf")) {
    text_input_skip(&in->input, 3);
    n = text_input_peek(&in->input, 1, &p);
  }
  if (in->format == RECORDS_AUTO) in->format = tell_format(in, p, n);
  in->line = 1;
  if (in->format == RECORDS_ARRAY) {
    size_t i = text_spaces(p, n);
    bool bracket = i < n && p[i] == '[';
    text_input_skip(&in->input, i + bracket);
    in->line = in->input.line;
    if (!bracket) {
      record_defect(in, RECORD_SYNTAX, 0, "a JSON array starts with '['");
      in->input.state = TEXT_CLOSED;
    }
  } else if (in->format == RECORDS_CSV) {
    records_csv_open(in);
  } else if (in->format == RECORDS_GBENCH) {
    records_gbench_open(in);
  }
}

records *records_open(const char *path, records_format format, bool strict, complaints *problems, str *why,
                      arena *a) {
  bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdin : fopen(path, "rb");
  if (file == NULL) {
    *why = arena_printf(a, "cannot read %s: %s", path, strerror(errno));
    return NULL;
  }
  records *in = arena_new_of(a, records);
  in->path = standard ? "<stdin>" : path;
  in->file = file;
  in->format = format;
  in->strict = strict;
  in->problems = problems;
  text_input_init(&in->input, file);
  start(in);
  return in;
}

static bool read_object(records *in, char *text, size_t n, roofline_record *out) {
  json_error_t error;
  in->root = json_pool_load(&in->pool, text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
  *out = roofline_record_empty();
  in->found = 0;
  in->defective = false;
  if (in->root == NULL) {
    /* An element may span lines; jansson counts them from 1. */
    if (error.line > 1) in->line += (uint64_t)error.line - 1;
    record_defect(in, RECORD_SYNTAX, error.column > 0 ? (uint64_t)error.column : 0, "not JSON: %s",
                  error.text);
    return false;
  }
  if (!json_is_object(in->root)) {
    record_defect(in, RECORD_SYNTAX, 0, "a record is a JSON object");
    return false;
  }
  int nth = 0;
  for (void *at = json_object_iter(in->root); at != NULL; at = json_object_iter_next(in->root, at), nth++) {
    const char *key = json_object_iter_key(at);
    int field = nth < RECORD_FIELDS ? in->guess[nth] : -1;
    if (field < 0 || strcmp(record_fields[field].name, key) != 0) {
      field = record_field_find(key);
      if (nth < RECORD_FIELDS) in->guess[nth] = field;
    }
    if (field >= 0) record_set_json(in, field, json_object_iter_value(at), out);
  }
  return record_complete(in, out);
}

static bool next_line(records *in, roofline_record *out) {
  char *text;
  size_t n;
  for (text_piece piece; (piece = text_input_line(&in->input, &text, &n)) != TEXT_END;) {
    in->line = in->input.start;
    if (piece == TEXT_TOO_LONG)
      record_defect(in, RECORD_TOO_LONG, 0, "a line longer than %d MiB", TEXT_INPUT_LONGEST >> 20);
    else if (!text_is_blank(text, n) && read_object(in, text, n, out))
      return true;
  }
  return false;
}

static bool next_element(records *in, roofline_record *out) {
  char *text;
  size_t n;
  for (text_piece piece; (piece = text_input_element(&in->input, &text, &n)) != TEXT_END;) {
    in->line = in->input.start;
    switch (piece) {
    case TEXT_PIECE:
      if (read_object(in, text, n, out)) return true;
      break;
    case TEXT_TOO_LONG:
      record_defect(in, RECORD_TOO_LONG, 0, "an element longer than %d MiB; what follows is not read",
                    TEXT_INPUT_LONGEST >> 20);
      return false;
    case TEXT_NO_COMMA:
      record_defect(in, RECORD_SYNTAX, 0, "no ',' between two elements of the array");
      break;
    case TEXT_NO_ELEMENT: record_defect(in, RECORD_SYNTAX, 0, "a ',' and no element of the array"); break;
    default: record_defect(in, RECORD_SYNTAX, 0, "the file ends inside the array"); return false;
    }
  }
  const char *rest;
  for (size_t left; (left = text_input_peek(&in->input, 1, &rest)) > 0; text_input_skip(&in->input, left)) {
    if (text_is_blank(rest, left)) continue;
    in->line = in->input.line;
    record_defect(in, RECORD_SYNTAX, 0, "text after the array");
    break;
  }
  return false;
}

bool records_next(records *in, roofline_record *out) {
  switch (in->format) {
  case RECORDS_ARRAY: return next_element(in, out);
  case RECORDS_CSV: return records_csv_next(in, out);
  case RECORDS_GBENCH: return records_gbench_next(in, out);
  default: return next_line(in, out);
  }
}

uint64_t records_line(const records *in) { return in->line; }

bool records_close(records *in, arena *a, str *why) {
  bool failed = in->input.failed;
  if (failed) *why = arena_printf(a, "cannot read %s: %s", in->path, strerror(errno));
  if (in->format == RECORDS_CSV) records_csv_close(in);
  if (in->format == RECORDS_GBENCH) records_gbench_close(in);
  json_pool_free(&in->pool);
  text_input_free(&in->input);
  free(in->run.p);
  if (in->file != stdin) fclose(in->file);
  return !failed;
}
