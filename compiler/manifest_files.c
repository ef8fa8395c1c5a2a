#define _XOPEN_SOURCE 700
#include "compiler/manifest_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct found {
  manifest_path file;
  dev_t device;
  ino_t inode;
} found;
typedef VEC(found) found_list;

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static bool complain(const char *path, int error) {
  fprintf(stderr, "rooflinec: cannot read %s: %s\n", path, strerror(error));
  return false;
}

static bool is_directory(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool push_file(arena *a, found_list *list, const char *path, bool in_folder) {
  struct stat st = {0};
  if (strcmp(path, "-") != 0 && stat(path, &st) != 0) return complain(path, errno);
  /* One that is named may be a pipe; one that happens to lie in a folder must not be waited for. */
  if (in_folder && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    fprintf(stderr, "rooflinec: %s: not a regular file\n", path);
    return false;
  }
  found f = {{path, strcmp(base_name(path), "types.yaml") == 0, in_folder}, st.st_dev, st.st_ino};
  vec_push(a, list, f);
  return true;
}

/* Is a folder, "" for the current one, itself named `ops`? */
static bool is_ops(const char *folder) {
  char *real = realpath(folder[0] == '\0' ? "." : folder, NULL);
  if (real == NULL && errno == ENOMEM) arena_out_of_memory();
  bool ops = real != NULL && strcmp(base_name(real), "ops") == 0;
  free(real);
  return ops;
}

/* The types.yaml of a file's folder; a folder `ops` shares the one beside it. */
static bool add_types(arena *a, found_list *list, const char *path) {
  str folder = {path, (uint32_t)(base_name(path) - path)};
  const char *beside = arena_cstr(a, arena_printf(a, "%.*stypes.yaml", STR_ARG(folder)));
  if (is_file(beside)) return push_file(a, list, beside, false);
  if (!is_ops(arena_cstr(a, folder))) return true;
  bool named = folder.n >= 4 && memcmp(folder.p + folder.n - 4, "ops/", 4) == 0;
  const char *above = named ? arena_cstr(a, arena_printf(a, "%.*stypes.yaml", (int)folder.n - 4, folder.p))
                            : arena_cstr(a, arena_printf(a, "%.*s../types.yaml", STR_ARG(folder)));
  return is_file(above) ? push_file(a, list, above, false) : true;
}

static bool add_file(arena *a, found_list *list, const char *path, bool in_folder) {
  if (!push_file(a, list, path, in_folder)) return false;
  bool alone = strcmp(path, "-") == 0 || strcmp(base_name(path), "types.yaml") == 0;
  return alone || add_types(a, list, path);
}

static const char *inside(arena *a, const char *folder, const char *name) {
  size_t n = strlen(folder);
  return arena_cstr(a, arena_printf(a, "%s%s%s", folder, n > 0 && folder[n - 1] == '/' ? "" : "/", name));
}

static bool add_directory(arena *a, found_list *list, const char *path, bool *any) {
  DIR *dir = opendir(path);
  if (dir == NULL) return complain(path, errno);
  bool ok = true;
  errno = 0;
  for (struct dirent *file; ok && (file = readdir(dir)) != NULL; errno = 0) {
    if (!ends_with(file->d_name, ".yaml") || file->d_name[0] == '.') continue;
    *any = true;
    ok = add_file(a, list, inside(a, path, file->d_name), true);
  }
  if (ok && errno != 0) ok = complain(path, errno);
  closedir(dir);
  const char *ops = inside(a, path, "ops");
  return ok && (!is_directory(ops) || add_directory(a, list, ops, any));
}

static bool add_path(arena *a, found_list *list, const char *path) {
  if (!is_directory(path)) return add_file(a, list, path, false);
  bool any = false;
  if (!add_directory(a, list, path, &any)) return false;
  if (!any) fprintf(stderr, "rooflinec: no *.yaml file in %s\n", path);
  return any;
}

static int by_path(const void *x, const void *y) {
  return strcmp(((const found *)x)->file.path, ((const found *)y)->file.path);
}

bool manifest_find_files(arena *a, const char *const *paths, uint32_t count, manifest_path **files,
                         uint32_t *file_count) {
  found_list list = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    ok = add_path(a, &list, paths[i]) && ok;
  }
  if (list.n > 0) qsort(list.v, list.n, sizeof *list.v, by_path);
  *files = arena_array(a, manifest_path, list.n + 1);
  *file_count = 0;
  for (uint32_t i = 0; i < list.n; i++) {
    bool again = false;
    for (uint32_t k = 0; k < i && !again; k++)
      again =
          list.v[k].inode != 0 && list.v[k].inode == list.v[i].inode && list.v[k].device == list.v[i].device;
    if (!again) (*files)[(*file_count)++] = list.v[i].file;
  }
  return ok;
}
