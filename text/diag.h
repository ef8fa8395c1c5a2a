/* Diagnostics: every stage adds to one sink, none stops. codegen.md §1 "A diagnostic". */
#ifndef TEXT_DIAG_H
#define TEXT_DIAG_H

#include <stdio.h>

#include "text/arena.h"
#include "text/source.h"

typedef enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_ADVISORY, DIAG_UNREACHED } diag_severity;

/* One line per code in text/diag.def: D(NAME, number, severity, "title", "rule", "wrong", "right"). */
typedef enum diag_code {
#define D(name, number, severity, title, rule, wrong, right) name,
#include "text/diag.def"
#undef D
  DIAG_CODE_COUNT
} diag_code;

typedef struct diag_info {
  const char *name; /* "RL0412" is printed from `number` */
  uint32_t number;
  diag_severity severity;
  const char *title, *rule, *wrong, *right;
} diag_info;
const diag_info *diag_code_info(diag_code code);

typedef struct diag_related {
  span at;
  str message;
} diag_related;

typedef struct diag {
  diag_code code;
  diag_severity severity;
  span at;     /* src NULL: about the whole run */
  str message; /* one line, in the user's words, no trailing period */
  str op;      /* the op the place belongs to, or empty */
  VEC(str) help;
  VEC(diag_related) related;
} diag;

typedef struct diag_sink diag_sink;
diag_sink *diag_sink_new(arena *a);
/* A sink for a part of the work. What is spoiled in `parent` is spoiled here; the parent is only read, so
   several may fill at once. */
diag_sink *diag_sink_part(arena *a, const diag_sink *parent);
/* Moves what a part has found, but for what is here already. The part's memory must stay. */
void diag_join(diag_sink *sink, const diag_sink *part);

/* The op that diagnostics added from now on belong to ({0} for none). */
void diag_set_op(diag_sink *sink, str op);

/* Says that the value at a place has been reported as unreadable: what a later stage adds for exactly
   that place is the same defect, and is dropped. */
void diag_spoil(diag_sink *sink, span at);

/* Adds one. A second one with the same code at the same place is the same defect (found at another
   combination or dtype case) and returns NULL without adding; the helpers below accept NULL. */
diag *diag_add(diag_sink *sink, diag_code code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_help(diag_sink *sink, diag *d, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_relate(diag_sink *sink, diag *d, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Nearest of `names` to `wrong` by edit distance, when near enough to suggest; else {0}. */
str diag_nearest(str wrong, const str *names, uint32_t count);
/* The same, by at most so many edits. */
str diag_nearest_within(str wrong, uint32_t edits, const str *names, uint32_t count);
/* Adds "did you mean 'x'?" when one is near. */
void diag_suggest(diag_sink *sink, diag *d, str wrong, const str *names, uint32_t count);
/* Adds "<label>: a, b, c" with at most a dozen names, then "...". */
void diag_list(diag_sink *sink, diag *d, const char *label, const str *names, uint32_t count);

uint32_t diag_count(const diag_sink *sink, diag_severity severity);
/* How many errors have been found so far, those dropped as the same defect included: compare before and
   after to learn if a step was clean. */
uint32_t diag_errors(const diag_sink *sink);

typedef enum diag_format { DIAG_TEXT, DIAG_JSON, DIAG_SARIF, DIAG_GITHUB } diag_format;
typedef struct diag_options {
  diag_format format;
  bool colour;         /* decided by the caller: terminal, NO_COLOR, --color */
  bool show_unreached; /* text and github leave unreached notes out unless asked; json and sarif never */
  uint32_t max_errors; /* 0: all */
  uint32_t ops, cases; /* for the summary */
} diag_options;
/* Sorts by file path, line, column, code, and prints. Same bytes whatever the order of addition. */
void diag_print(diag_sink *sink, FILE *out, const diag_options *options);

/* --explain: title, rule, a wrong and a right example of one code ("RL0412", "rl412", "412"). False: no such
   code, and nothing is printed. */
bool diag_explain(FILE *out, const char *code);
/* A Markdown page of every code, from the table. */
void diag_reference(FILE *out);

#endif
