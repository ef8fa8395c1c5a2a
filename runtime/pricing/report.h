/* Reports of priced rows: what each format gets, and what it says. pricing.md §5. */
#ifndef PRICING_REPORT_H
#define PRICING_REPORT_H

#include <roofline/price.h>

#include "runtime/pricing/profiles.h"
#include "runtime/pricing/writer.h"

/* One priced row. In a streamed report the record's texts live only during the call. */
typedef struct priced_row {
  uint64_t nth; /* in input order */
  roofline_record record;
  const roofline_profile *profile; /* NULL: no profile claims the device */
  roofline_reading reading;
} priced_row;

typedef struct report_summary {
  uint64_t rows, malformed;
  uint64_t verdicts[ROOFLINE_VERDICT_COUNT];
  uint64_t blanks[ROOFLINE_REASON_COUNT]; /* blank rows by reason */
} report_summary;

typedef struct report {
  writer *out;
  profile_set profiles;
  roofline_thresholds thresholds;
  roofline_price_options options;
  bool colour, header;
  int width; /* columns of the table; 0: as many as its rows need */
  report_summary summary;
  uint64_t printed; /* rows written so far */
} report;

/* A format gets its rows one by one as they are priced, or all at once when `whole` is set. */
typedef struct report_format {
  const char *name;
  void (*begin)(report *r);
  void (*row)(report *r, const priced_row *row);
  void (*whole)(report *r, const priced_row *rows, uint64_t count);
  void (*end)(report *r);
} report_format;

extern const report_format report_table, report_json, report_jsonl, report_csv, report_md, report_html;

/* ---- what formats share ---- */

/* "calibrated" or "theoretical": which roofs the report prices on. */
const char *report_basis(const report *r);
/* The efficiency that attainable_speedup leads to. */
double report_target(const report *r);
/* Time of one call that the speedup would save, in ms; 0 when there is none. */
double report_gain_ms(const priced_row *row);
/* "at ceiling": the verdict for people. */
const char *report_verdict_label(roofline_verdict verdict);

/* Four significant digits and a unit: "9.300 µs", "4.502 TB/s". Into `text`, which is returned. */
enum { REPORT_UNIT_MAX = 32 };
const char *report_time(double ms, char *text);
const char *report_rate(double per_second, const char *unit, char *text);
/* A Markdown code span, which also holds in a table. */
void report_md_code(writer *w, const char *text);
/* Counts by verdict, blanks by reason and the thresholds, each a line that starts with `indent`. */
void report_summary_lines(report *r, const char *indent);

/* The profiles, thresholds and summary as JSON values: parts of the json and html reports. */
void report_json_profiles(report *r);
void report_json_thresholds(report *r);
void report_json_summary(report *r);

#endif
