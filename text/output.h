/* Files written whole or not at all: write beside, fsync, rename. */
#ifndef TEXT_OUTPUT_H
#define TEXT_OUTPUT_H

#include <stdio.h>

#include "text/arena.h"

/* Text under construction. */
typedef struct out_text {
  arena *a;
  char *p;
  size_t n, cap;
} out_text;
void out_init(out_text *o, arena *a);
void out_put(out_text *o, str s);
void out_pad(out_text *o, uint32_t blanks);
void out_vprintf(out_text *o, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void out_printf(out_text *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
str out_str(const out_text *o);

typedef enum output_result { OUTPUT_SAME, OUTPUT_WRITTEN, OUTPUT_FAILED } output_result;
/* Replaces `path` atomically when its bytes would change (else leaves it, mtime and all). On failure
 *why is one line; nothing half-written stays. */
output_result output_replace(arena *a, const char *path, str bytes, str *why);
/* A set written together: every file is staged beside its target first; only when all are staged are
   they renamed. On failure the staged ones are removed and the old outputs stay. */
typedef struct output_file {
  const char *path;
  str bytes;
  output_result result;
} output_file;
bool output_replace_all(arena *a, output_file *files, uint32_t count, str *why);
/* Flushes stdout and reports a write error (closed pipe, full disk) as false. */
bool output_close_stdout(str *why);

#endif
