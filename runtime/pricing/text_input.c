#include "runtime/pricing/text_input.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 18 };

static bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

size_t text_spaces(const char *text, size_t n) {
  size_t i = 0;
  while (i < n && space(text[i])) i++;
  return i;
}

void text_input_init(text_input *in, FILE *file) {
  *in = (text_input){.file = file, .line = 1, .start = 1, .capacity = FIRST_CAPACITY};
  in->buffer = malloc(in->capacity + 1);
  in->failed = in->at_end = in->buffer == NULL;
}

void text_input_free(text_input *in) { free(in->buffer); }

/* Reads on behind the unread bytes; false when there is nothing more, or no room below the limit. */
static bool more(text_input *in) {
  if (in->at_end) return false;
  if (in->begin > 0) {
    memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
  }
  if (in->end == in->capacity) {
    if (in->capacity >= TEXT_INPUT_LONGEST) return false;
    char *grown = realloc(in->buffer, in->capacity * 2 + 1);
    if (grown == NULL) {
      in->failed = in->at_end = true;
      return false;
    }
    in->buffer = grown;
    in->capacity *= 2;
  }
  size_t n = fread(in->buffer + in->end, 1, in->capacity - in->end, in->file);
  in->end += n;
  if (n == 0) {
    in->at_end = true;
    in->failed = ferror(in->file) != 0;
  }
  return n > 0;
}

size_t text_input_peek(text_input *in, size_t want, const char **bytes) {
  while (in->end - in->begin < want && more(in)) continue;
  *bytes = in->buffer + in->begin;
  return in->end - in->begin;
}

void text_input_skip(text_input *in, size_t n) {
  for (size_t i = 0; i < n; i++) in->line += in->buffer[in->begin + i] == '\n';
  in->begin += n;
}

static text_piece skip_line(text_input *in) {
  for (;;) {
    const char *newline = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
    if (newline != NULL) {
      in->begin = (size_t)(newline + 1 - in->buffer);
      in->line++;
      return TEXT_TOO_LONG;
    }
    in->begin = in->end;
    if (!more(in)) return TEXT_TOO_LONG;
  }
}

text_piece text_input_line(text_input *in, char **text, size_t *n) {
  size_t seen = 0;
  in->start = in->line;
  for (;;) {
    char *from = in->buffer + in->begin;
    size_t unread = in->end - in->begin;
    char *newline = unread > seen ? memchr(from + seen, '\n', unread - seen) : NULL;
    if (newline == NULL) {
      seen = unread;
      if (more(in)) continue;
      if (!in->at_end) return skip_line(in);
      if (unread == 0 || in->failed) return TEXT_END;
    }
    *text = in->buffer + in->begin;
    *n = newline != NULL ? (size_t)(newline - from) : unread;
    in->begin += *n + (newline != NULL);
    in->line++;
    if (*n > 0 && (*text)[*n - 1] == '\r') --*n;
    return TEXT_PIECE;
  }
}

/* Bytes of the element at `begin`: to its closing bracket, or, when it has none, to the next comma or
   end of the array. Only strings are looked into: what is between is the parser's to judge. */
static text_piece measure(text_input *in, size_t *n) {
  size_t i = 0, depth = 0;
  bool quoted = false, escaped = false;
  for (;; i++) {
    if (in->begin + i == in->end && !more(in)) {
      *n = i;
      return in->at_end ? TEXT_UNCLOSED : TEXT_TOO_LONG;
    }
    char c = in->buffer[in->begin + i];
    if (quoted) {
      quoted = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (depth == 0 && (c == ',' || c == ']' || space(c))) {
      break;
    } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
      i++;
      break;
    }
  }
  *n = i;
  return TEXT_PIECE;
}

text_piece text_input_element(text_input *in, char **text, size_t *n) {
  const char *bytes;
  if (in->state == TEXT_CLOSED) return TEXT_END;
  for (;;) {
    if (text_input_peek(in, 1, &bytes) == 0) {
      in->state = TEXT_CLOSED;
      return in->failed ? TEXT_END : TEXT_UNCLOSED;
    }
    in->start = in->line;
    if (*bytes == ']' || *bytes == ',') {
      bool wanted = in->state == TEXT_AFTER_ELEMENT || (in->state == TEXT_FIRST && *bytes == ']');
      in->state = *bytes == ']' ? TEXT_CLOSED : TEXT_AFTER_COMMA;
      text_input_skip(in, 1);
      if (!wanted) return TEXT_NO_ELEMENT;
      if (in->state == TEXT_CLOSED) return TEXT_END;
    } else if (space(*bytes)) {
      text_input_skip(in, 1);
    } else {
      break;
    }
  }
  if (in->state == TEXT_AFTER_ELEMENT) {
    in->state = TEXT_AFTER_COMMA;
    return TEXT_NO_COMMA;
  }
  text_piece piece = measure(in, n);
  in->state = piece == TEXT_PIECE ? TEXT_AFTER_ELEMENT : TEXT_CLOSED;
  *text = in->buffer + in->begin;
  text_input_skip(in, *n);
  return piece;
}
