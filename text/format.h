/* printf for the many short texts of a compile. */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* vsnprintf's contract: writes at most `room` bytes with the terminator, returns the length of the whole
   text (SIZE_MAX: the format cannot be printed). Of a text that does not fit, what is written is
   unspecified. Plain conversions (%s %.*s %c %u %d %lld %llu %%) are printed here, a format with any other
   by the C library: emission prints some hundred thousand short texts, whose cost the library's setup
   for each would be. */
size_t format_text(char *p, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
