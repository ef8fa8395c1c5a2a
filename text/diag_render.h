/* What the four forms of a diagnostic share; private to text/. */
#ifndef TEXT_DIAG_RENDER_H
#define TEXT_DIAG_RENDER_H

#include "text/diag.h"

/* What is to be printed, in order. */
typedef struct diag_report {
  const diag *const *v;
  uint32_t n;
  uint32_t hidden_errors; /* beyond max_errors, or not kept */
  uint32_t counts[4];     /* of everything found, by severity */
  const diag_options *options;
} diag_report;

extern const char *const diag_severity_name[4];

diag *const *diag_all(const diag_sink *sink, uint32_t *count);

void diag_print_text(const diag_report *report, FILE *out);
void diag_print_github(const diag_report *report, FILE *out);
void diag_print_json(const diag_report *report, FILE *out);
void diag_print_sarif(const diag_report *report, FILE *out);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void diag_json_string(FILE *out, str s);

#endif
