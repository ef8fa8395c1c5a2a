/* A byte stream cut into lines, or into the elements of one JSON array, in bounded memory. */
#ifndef PRICING_TEXT_INPUT_H
#define PRICING_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The longest line or element; a longer one is a defect of its own, and passed over. */
enum { TEXT_INPUT_LONGEST = 16 << 20 };

typedef struct text_input {
  FILE *file;
  char *buffer;
  size_t begin, end, capacity; /* bytes not handed out yet: [begin, end) */
  uint64_t line;               /* of the byte at `begin`, from 1 */
  uint64_t start;              /* of the piece handed out last */
  bool at_end, failed;         /* no more bytes in the file; reading it failed */
  enum { TEXT_FIRST, TEXT_AFTER_ELEMENT, TEXT_AFTER_COMMA, TEXT_CLOSED } state; /* in an array */
} text_input;

typedef enum text_piece {
  TEXT_PIECE,      /* *text is the piece, alive until the next call; text[n] may be overwritten */
  TEXT_TOO_LONG,   /* a piece above TEXT_INPUT_LONGEST was skipped */
  TEXT_NO_COMMA,   /* elements only: an element follows another without one; it is the next piece */
  TEXT_NO_ELEMENT, /* elements only: a comma with no element behind it */
  TEXT_UNCLOSED,   /* elements only: the file ends inside the array */
  TEXT_END
} text_piece;

size_t text_spaces(const char *text, size_t n); /* leading spaces, tabs and line ends */
static inline bool text_is_blank(const char *text, size_t n) { return text_spaces(text, n) == n; }

void text_input_init(text_input *in, FILE *file);
void text_input_free(text_input *in);
/* The unread bytes, at least `want` of them where the file has so many. */
size_t text_input_peek(text_input *in, size_t want, const char **bytes);
/* A line without its end ("\n" or "\r\n"). */
text_piece text_input_line(text_input *in, char **text, size_t *n);
/* An element of the array whose '[' has been consumed (text_input_skip). */
text_piece text_input_element(text_input *in, char **text, size_t *n);
void text_input_skip(text_input *in, size_t n);

#endif
