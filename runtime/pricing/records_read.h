/* What the record readers share. Private to records*.c. */
#ifndef PRICING_RECORDS_READ_H
#define PRICING_RECORDS_READ_H

#include <csv.h>
#include <jansson.h>

#include "runtime/pricing/json_pool.h"
#include "runtime/pricing/records.h"
#include "runtime/pricing/text_input.h"

typedef enum field_kind { FIELD_TEXT, FIELD_MS, FIELD_COUNT, FIELD_JSON } field_kind;

typedef struct record_field {
  const char *name;
  field_kind kind;
  size_t offset; /* in roofline_record */
  bool identity; /* without it there is no row at all */
  bool expected; /* without it there is a row, and its reading is blank */
} record_field;
enum { RECORD_FIELDS = 19 };
extern const record_field record_fields[RECORD_FIELDS];
/* Position in record_fields, or -1: other keys are a benchmark's own business. */
int record_field_find(const char *name);

/* Text kept for one record. */
typedef struct row_buffer {
  char *p;
  size_t n, capacity;
} row_buffer;
void row_keep(row_buffer *b, const char *p, size_t n);

struct records {
  const char *path;
  FILE *file;
  complaints *problems;
  text_input input;
  records_format format;
  bool strict, defective; /* defective: the record under reading has a complaint */
  uint64_t line;
  const char *name; /* of the record under reading, where there is no line to tell it by; or NULL */
  uint32_t found;   /* bit i: the record under reading has record_fields[i] */

  json_pool pool;
  json_t *root;             /* the record, in the pool; or Google Benchmark's whole document */
  int guess[RECORD_FIELDS]; /* the field at each position of the last object: files repeat themselves */
  row_buffer run;           /* the record's `run`, as JSON text */

  struct csv_parser csv;
  struct csv_columns *columns;

  struct gbench *gbench;
};

/* A defect of the record under reading. */
void record_defect(records *in, diag_code code, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets one field from a JSON value, complaining where it does not fit. */
void record_set_json(records *in, int field, json_t *value, roofline_record *out);
void record_set_double(records *in, int field, double x, roofline_record *out);
/* A CSV cell; empty is absent. */
void record_set_text(records *in, int field, const char *text, roofline_record *out);
/* Complains about what is missing. True: there is a row. */
bool record_complete(records *in, const roofline_record *out);

void records_csv_open(records *in);
bool records_csv_next(records *in, roofline_record *out);
void records_csv_close(records *in);

void records_gbench_open(records *in);
bool records_gbench_next(records *in, roofline_record *out);
void records_gbench_close(records *in);

#endif
