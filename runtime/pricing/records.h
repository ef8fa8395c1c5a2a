/* Records from files: JSON Lines, a JSON array, CSV, or Google Benchmark's JSON; one at a time, in
   memory that does not grow with their number. pricing.md §3. */
#ifndef PRICING_RECORDS_H
#define PRICING_RECORDS_H

#include <stdio.h>

#include <roofline/record.h>

#include "text/diag.h"

typedef enum records_format {
  RECORDS_AUTO, /* told by the first bytes */
  RECORDS_JSONL,
  RECORDS_ARRAY,
  RECORDS_CSV,
  RECORDS_GBENCH,
  RECORDS_FORMAT_COUNT
} records_format;
extern const char *const records_format_names[RECORDS_FORMAT_COUNT]; /* "auto", "jsonl", ... */

/* Where defects of the input go: one line each on `out`, the first `limit` of them; all are counted. */
typedef struct complaints {
  FILE *out;
  uint64_t count, limit;
} complaints;
void complain(complaints *c, diag_code code, const char *path, uint64_t line, uint64_t column,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
/* After the last one: how many were not printed, if any. */
void complaints_close(const complaints *c);

typedef struct records records;
/* `strict` reports what pricing.md §3 does not allow although a reading could go on (a blank row):
   numbers that are not numbers, missing fields. NULL, with *why, when the file cannot be opened.
   Path "-" is standard input. */
records *records_open(const char *path, records_format format, bool strict, complaints *problems, str *why,
                      arena *a);
/* The next record; false at the end. A malformed one is complained about and passed over. The record's
   texts live until the next call. */
bool records_next(records *in, roofline_record *out);
uint64_t records_line(const records *in); /* where the last record started, from 1 */
/* False, with *why, when reading failed before the end of the file. */
bool records_close(records *in, arena *a, str *why);

#endif
