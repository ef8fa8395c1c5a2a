/* A source file: its text, and where an offset in it is. */
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include "text/arena.h"

typedef enum source_fault { SOURCE_TEXT, SOURCE_NOT_TEXT, SOURCE_TOO_LARGE } source_fault;

typedef struct source {
  str path;        /* as given on the command line; what diagnostics print */
  str text;        /* the bytes after a UTF-8 BOM, if there was one */
  uint32_t id;     /* position in its source set */
  uint32_t bom;    /* 3 when a BOM was cut, else 0 */
  uint32_t *lines; /* offsets of line starts; LF, CRLF and a lone CR end a line */
  uint32_t line_count;
  source_fault fault;
  uint32_t fault_at;           /* offset */
  str fault_text;              /* "byte 0xE9 is not UTF-8; save the file as UTF-8" */
  struct source_count *counts; /* characters before each stretch of the text: columns of a long line */
} source;

/* A range of bytes in one source, [begin, end). */
typedef struct span {
  const source *src;
  uint32_t begin, end;
} span;

/* Lines from 1; columns from 1, counted in UTF-8 characters (or UTF-16 units, for SARIF). */
typedef struct position {
  uint32_t line, column, column_utf16;
} position;

/* Reads a file ("-" is standard input). Returns NULL with one line in *why when it cannot be read. What
   was read but is no text of at most `limit` bytes (not UTF-8, UTF-16, a NUL byte) is a source with a
   fault, which yt_parse reports. */
source *source_load(arena *a, const char *path, uint64_t limit, str *why);
/* The same for a caller without diagnostics: a fault too is NULL and one line ("x.csv:3:7: byte 0xE9 is not
   UTF-8; ..."). */
source *source_read(arena *a, const char *path, uint64_t limit, str *why);
source *source_from_text(arena *a, const char *path, str text);
position source_position(const source *s, uint32_t offset);
/* The text of a line without its line end. */
str source_line(const source *s, uint32_t line);

/* Length of the well-formed UTF-8 sequence at p < end, or 0. */
uint32_t source_utf8_length(const char *p, const char *end);

#endif
