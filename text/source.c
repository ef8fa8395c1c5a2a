#define _POSIX_C_SOURCE 200809L
#include "text/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Unicode table 3-7. */
uint32_t source_utf8_length(const char *text, const char *text_end) {
  const unsigned char *p = (const unsigned char *)text, *end = (const unsigned char *)text_end;
  unsigned char c = p[0];
  if (c < 0x80) return 1;
  uint32_t n = c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
  if (n == 0 || end - p < (ptrdiff_t)n) return 0;
  unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
  unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
  if (p[1] < low || p[1] > high) return 0;
  for (uint32_t i = 2; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return n;
}

/* Eight bytes at once: is any of them NUL or above ASCII? */
static bool plain_eight(const char *p) {
  uint64_t w;
  memcpy(&w, p, sizeof w);
  const uint64_t low = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);
  return ((w - low) & high) == 0 && (w & high) == 0;
}

/* Offset of the first byte that is not text, or the length: a NUL or no UTF-8. */
static uint32_t first_bad_byte(str text) {
  const char *p = text.p, *end = p + text.n;
  while (p < end) {
    if (end - p >= 8 && plain_eight(p)) {
      p += 8;
      continue;
    }
    uint32_t n = *p == '\0' ? 0 : source_utf8_length(p, end);
    if (n == 0) break;
    p += n;
  }
  return (uint32_t)(p - text.p);
}

/* Length of the line end at p: LF, CRLF or a lone CR; else 0. */
static uint32_t line_end_length(const char *p, const char *end) {
  if (*p == '\n') return 1;
  if (*p != '\r') return 0;
  return p + 1 < end && p[1] == '\n' ? 2 : 1;
}

/* The next line end at or behind p, or the end. */
static const char *next_line_end(const char *p, const char *end, bool returns) {
  if (!returns) {
    const char *found = memchr(p, '\n', (size_t)(end - p));
    return found == NULL ? end : found;
  }
  while (p < end && line_end_length(p, end) == 0) p++;
  return p;
}

static void find_lines(arena *a, source *s) {
  const char *end = s->text.p + s->text.n;
  bool returns = memchr(s->text.p, '\r', s->text.n) != NULL;
  for (int pass = 0; pass < 2; pass++) { /* count, then keep */
    uint32_t count = 1;
    if (pass == 1) s->lines[0] = 0;
    for (const char *p = s->text.p; (p = next_line_end(p, end, returns)) < end;) {
      p += line_end_length(p, end);
      if (pass == 1) s->lines[count] = (uint32_t)(p - s->text.p);
      count++;
    }
    if (pass == 0) s->lines = arena_array(a, uint32_t, count);
    s->line_count = count;
  }
}

/* Characters, and UTF-16 units, before an offset. */
typedef struct source_count {
  uint32_t characters, utf16;
} source_count;

enum { STRETCH = 1024 };

static source_count count_more(source_count n, const char *p, const char *end) {
  for (; p < end; p++) {
    for (; end - p >= 8 && plain_eight(p); p += 8) {
      n.characters += 8;
      n.utf16 += 8;
    }
    if (p == end) break;
    unsigned char c = (unsigned char)*p;
    if ((c & 0xC0) == 0x80) continue;
    n.characters++;
    n.utf16 += c >= 0xF0 ? 2 : 1;
  }
  return n;
}

/* A line may be as long as the file, and hold a diagnostic at every token. */
static void count_characters(arena *a, source *s) {
  uint32_t stretches = s->text.n / STRETCH + 1;
  s->counts = arena_array(a, source_count, stretches);
  for (uint32_t i = 1; i < stretches; i++) {
    const char *begin = s->text.p + (size_t)(i - 1) * STRETCH;
    s->counts[i] = count_more(s->counts[i - 1], begin, begin + STRETCH);
  }
}

static source_count count_before(const source *s, uint32_t offset) {
  uint32_t stretch = offset / STRETCH;
  return count_more(s->counts[stretch], s->text.p + (size_t)stretch * STRETCH, s->text.p + offset);
}

source *source_from_text(arena *a, const char *path, str text) {
  source *s = arena_new_of(a, source);
  s->path = arena_str(a, str_of(path));
  s->bom = text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  s->text = (str){text.p != NULL ? text.p + s->bom : "", text.n - s->bom};
  find_lines(a, s);
  count_characters(a, s);
  return s;
}

/* Reads all of a descriptor. The buffer has one spare byte, so a file of the expected size needs no
   second read into a larger one to learn that it ended. */
static bool read_all(arena *a, int fd, uint64_t expected, uint64_t limit, str *text, bool *too_large) {
  size_t cap = (size_t)(expected < limit ? expected : limit) + 1, n = 0;
  char *p = arena_alloc(a, cap);
  for (;;) {
    if (n == cap) {
      char *larger = arena_alloc(a, cap < 4096 ? 8192 : cap * 2);
      memcpy(larger, p, n);
      cap = cap < 4096 ? 8192 : cap * 2;
      p = larger;
    }
    ssize_t got = read(fd, p + n, cap - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    n += (size_t)got;
    if (n > limit) {
      *too_large = true;
      break;
    }
  }
  *text = (str){p, (uint32_t)n};
  return true;
}

/* Finds what keeps bytes from being text, and drops bytes that would only be shown as noise. */
static void find_fault(arena *a, source *s) {
  const unsigned char *p = (const unsigned char *)s->text.p;
  uint32_t bad = first_bad_byte(s->text);
  if (bad == s->text.n) return;
  s->fault = SOURCE_NOT_TEXT;
  s->fault_at = bad;
  bool mark = s->text.n >= 2 && ((p[0] == 0xFE && p[1] == 0xFF) || (p[0] == 0xFF && p[1] == 0xFE));
  /* ASCII letters in UTF-16 without a mark: every other byte is NUL. */
  bool wide = s->text.n >= 4 && (p[0] == 0) == (p[2] == 0) && (p[1] == 0) == (p[3] == 0) &&
              (p[0] == 0) != (p[1] == 0);
  if (mark || (p[bad] == 0 && bad < 2 && wide)) {
    s->fault_text = STR("UTF-16 text; save the file as UTF-8");
    s->text.n = s->fault_at = 0;
  } else if (p[bad] == 0) {
    s->fault_text = STR("a NUL byte: this is not text");
  } else {
    s->fault_text = arena_printf(a, "byte 0x%02X is not UTF-8; save the file as UTF-8", (unsigned)p[bad]);
  }
}

static const char *shown_path(const char *path) { return strcmp(path, "-") == 0 ? "<stdin>" : path; }

/* Opens and reads; false with errno set. */
static bool load_bytes(arena *a, const char *path, uint64_t limit, str *text, bool *too_large) {
  bool standard_input = strcmp(path, "-") == 0;
  int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0) return false;
  bool ok = fstat(fd, &st) == 0;
  if (ok && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    ok = false;
  }
  uint64_t expected = ok && S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 4096;
  *too_large = ok && S_ISREG(st.st_mode) && expected > limit && expected > 4096;
  ok = ok && (*too_large || read_all(a, fd, expected, limit, text, too_large));
  int error = errno;
  if (!standard_input) close(fd);
  errno = error;
  return ok;
}

source *source_load(arena *a, const char *path, uint64_t limit, str *why) {
  if (limit > UINT32_MAX / 2) limit = UINT32_MAX / 2; /* offsets are 32 bits */
  str text = {0};
  bool too_large = false;
  *why = (str){0};
  if (!load_bytes(a, path, limit, &text, &too_large)) {
    *why = arena_printf(a, "cannot read %s: %s", shown_path(path), strerror(errno));
    return NULL;
  }
  if (too_large) text.n = 0;
  source *s = source_from_text(a, shown_path(path), text);
  if (too_large) {
    s->fault = SOURCE_TOO_LARGE;
    s->fault_text =
        arena_printf(a, "the file is larger than %llu bytes (--max-file-bytes)", (unsigned long long)limit);
  } else {
    find_fault(a, s);
  }
  return s;
}

source *source_read(arena *a, const char *path, uint64_t limit, str *why) {
  source *s = source_load(a, path, limit, why);
  if (s == NULL || s->fault == SOURCE_TEXT) return s;
  position at = source_position(s, s->fault_at);
  *why = arena_printf(a, "%.*s:%u:%u: %.*s", STR_ARG(s->path), at.line, at.column, STR_ARG(s->fault_text));
  return NULL;
}

/* The line that holds an offset, from 0. */
static uint32_t line_of(const source *s, uint32_t offset) {
  uint32_t low = 0, high = s->line_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (s->lines[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

position source_position(const source *s, uint32_t offset) {
  if (offset > s->text.n) offset = s->text.n;
  uint32_t line = line_of(s, offset);
  source_count before = count_before(s, s->lines[line]), upto = count_before(s, offset);
  return (position){line + 1, upto.characters - before.characters + 1, upto.utf16 - before.utf16 + 1};
}

str source_line(const source *s, uint32_t line) {
  if (line == 0 || line > s->line_count) return (str){0};
  uint32_t begin = s->lines[line - 1], end = line < s->line_count ? s->lines[line] : s->text.n;
  while (end > begin && (s->text.p[end - 1] == '\n' || s->text.p[end - 1] == '\r')) end--;
  return (str){s->text.p + begin, end - begin};
}
