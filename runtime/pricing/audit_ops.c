/* The operators of a shared library: their rows are data, and say what parameters a case has. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/pricing/audit.h"

#define LIBRARY "libroofline_ops.so"

/* The shipped library for a program at "<prefix>/bin/roofline": installed, or in the build's folder. */
static const char *shipped(arena *a) {
  static const char *const folders[] = {"/" ROOFLINE_LIBDIR "/", "/lib/", "/"};
  char exe[4096];
  struct stat st;
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
  if (n <= 0 || (size_t)n == sizeof exe) return NULL;
  for (int up = 0; up < 2; up++)
    while (n > 0 && exe[--n] != '/') continue;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *path = arena_printf(a, "%.*s%s" LIBRARY, (int)n, exe, folders[i]).p;
    if (stat(path, &st) == 0) return path;
  }
  return NULL;
}

const roofline_op *const *audit_ops_open(arena *a, const char *path, const char *prefix, str *why) {
  const char *library = path != NULL ? path : getenv("ROOFLINE_OPS");
  if (library == NULL || *library == '\0') library = shipped(a);
  if (library == NULL) {
    *why =
        STR("no operators: give --ops LIBRARY or ROOFLINE_OPS (there is no " LIBRARY " beside the program)");
    return NULL;
  }
  /* Without a slash dlopen searches the system's folders; a file in this one is meant first. */
  struct stat st;
  if (strchr(library, '/') == NULL && stat(library, &st) == 0) library = arena_printf(a, "./%s", library).p;
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    *why = arena_printf(a, "cannot load operators: %s", dlerror());
    return NULL;
  }
  const char *symbol = arena_printf(a, "%s_ops", prefix).p;
  const roofline_op *const *ops = (const roofline_op *const *)dlsym(handle, symbol);
  if (ops == NULL)
    *why = arena_printf(a, "%s has no '%s': operators emitted with a prefix of their own need --prefix",
                        library, symbol);
  return ops;
}

const roofline_row *audit_ops_row(const roofline_op *op, const char *case_id) {
  for (int32_t i = 0; i < op->row_count; i++)
    if (strcmp(op->rows[i].case_id, case_id) == 0) return &op->rows[i];
  return NULL;
}
