#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* realpath */
#include "text/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/format.h"

void out_init(out_text *o, arena *a) { *o = (out_text){.a = a}; }

static void reserve(out_text *o, size_t more) {
  if (o->p != NULL && o->cap - o->n >= more) return; /* nothing may be added to a null pointer */
  size_t cap = o->cap < 128 ? 128 : o->cap;
  while (cap - o->n < more) {
    if (cap > UINT32_MAX) arena_out_of_memory(); /* a str holds no more */
    cap *= 2;
  }
  o->p = arena_regrow(o->a, o->p, o->cap, cap);
  o->cap = cap;
}

void out_put(out_text *o, str s) {
  if (s.n == 0) return;
  reserve(o, s.n);
  memcpy(o->p + o->n, s.p, s.n);
  o->n += s.n;
}

void out_pad(out_text *o, uint32_t blanks) {
  reserve(o, blanks);
  memset(o->p + o->n, ' ', blanks);
  o->n += blanks;
}

void out_vprintf(out_text *o, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  reserve(o, 1);
  const size_t n = format_text(o->p + o->n, o->cap - o->n, format, args);
  if (n > UINT32_MAX) arena_out_of_memory();
  if (n >= o->cap - o->n) {
    reserve(o, n + 1);
    format_text(o->p + o->n, n + 1, format, again);
  }
  o->n += n;
  va_end(again);
}

void out_printf(out_text *o, const char *format, ...) {
  va_list args;
  va_start(args, format);
  out_vprintf(o, format, args);
  va_end(args);
}

str out_str(const out_text *o) {
  if (o->n > UINT32_MAX) arena_out_of_memory();
  return (str){o->p, (uint32_t)o->n};
}

/* One file on its way: `staged` is written and waits for its rename. */
typedef struct staging {
  const char *target; /* behind symbolic links: they stay links */
  const char *staged; /* NULL: nothing to rename */
} staging;

static bool failed(arena *a, str *why, const char *path) {
  *why = arena_printf(a, "cannot write %s: %s", path, strerror(errno));
  return false;
}

static bool write_all(int fd, str bytes) {
  for (size_t done = 0; done < bytes.n;) {
    ssize_t n = write(fd, bytes.p + done, bytes.n - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += (size_t)n;
  }
  return true;
}

/* Closes and says whether all went well so far, with errno of the first failure. */
static bool close_after(int fd, bool ok) {
  int error = errno;
  bool closed = close(fd) == 0;
  if (!ok) errno = error;
  return ok && closed;
}

static bool same_bytes(const char *path, str bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[16 * 1024];
  size_t at = 0;
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) {
    if ((size_t)n > bytes.n - at || memcmp(buffer, bytes.p + at, (size_t)n) != 0) break;
    at += (size_t)n;
  }
  close(fd);
  return n == 0 && at == bytes.n;
}

/* A new file beside the target, named so that no two runs share it. */
static int create_beside(arena *a, staging *s, mode_t mode) {
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    s->staged = arena_printf(a, "%s.%ld-%u.tmp", s->target, (long)getpid(), attempt).p;
    int fd = open(s->staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static void discard(staging *s) {
  int error = errno;
  if (s->staged != NULL) unlink(s->staged);
  s->staged = NULL;
  errno = error;
}

static bool stage(arena *a, output_file *file, staging *s) {
  struct stat st;
  char *real = realpath(file->path, NULL);
  s->target = real != NULL ? arena_cstr(a, str_of(real)) : file->path;
  free(real);
  bool exists = stat(s->target, &st) == 0;
  file->result = OUTPUT_WRITTEN;
  if (exists && !S_ISREG(st.st_mode)) { /* a device or a pipe cannot be replaced, only written to */
    int fd = open(s->target, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && close_after(fd, write_all(fd, file->bytes));
  }
  if (exists && (uint64_t)st.st_size == file->bytes.n && same_bytes(s->target, file->bytes)) {
    file->result = OUTPUT_SAME;
    return true;
  }
  int fd = create_beside(a, s, 0666);
  if (fd < 0) {
    s->staged = NULL;
    return false;
  }
  bool ok = !exists || fchmod(fd, st.st_mode & 07777) == 0;
  return close_after(fd, ok && write_all(fd, file->bytes) && fsync(fd) == 0);
}

static str directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? STR(".") : slash == path ? STR("/") : (str){path, (uint32_t)(slash - path)};
}

/* A rename is on disk when its directory is. Not every file system can; then there is nothing to do. */
static void sync_directory(arena *a, str directory) {
  int fd = open(arena_cstr(a, directory), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

bool output_replace_all(arena *a, output_file *files, uint32_t count, str *why) {
  staging *stagings = arena_array(a, staging, count);
  bool ok = true;
  for (uint32_t i = 0; ok && i < count; i++)
    ok = stage(a, &files[i], &stagings[i]) || failed(a, why, files[i].path);
  str renamed_in = {NULL, 0};
  for (uint32_t i = 0; ok && i < count; i++) {
    if (stagings[i].staged == NULL) continue;
    const str directory = directory_of(stagings[i].target);
    if (renamed_in.n > 0 && !str_eq(directory, renamed_in)) sync_directory(a, renamed_in);
    renamed_in = directory;
    ok = rename(stagings[i].staged, stagings[i].target) == 0 || failed(a, why, files[i].path);
    if (ok) stagings[i].staged = NULL;
  }
  if (renamed_in.n > 0) sync_directory(a, renamed_in);
  for (uint32_t i = 0; !ok && i < count; i++) {
    if (stagings[i].staged != NULL) files[i].result = OUTPUT_FAILED;
    discard(&stagings[i]);
  }
  return ok;
}

output_result output_replace(arena *a, const char *path, str bytes, str *why) {
  output_file file = {.path = path, .bytes = bytes};
  return output_replace_all(a, &file, 1, why) ? file.result : OUTPUT_FAILED;
}

bool output_close_stdout(str *why) {
  bool earlier = ferror(stdout) != 0;
  errno = 0;
  bool ok = fflush(stdout) == 0 && !earlier;
  /* A program started with no standard output has nothing to lose when it wrote nothing. */
  if (fclose(stdout) != 0 && errno != EBADF) ok = false;
  if (!ok) *why = str_of(errno != 0 ? strerror(errno) : "write error");
  return ok;
}
