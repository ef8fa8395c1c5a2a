/* The set of profiles a run prices with: where they are, and that they agree. pricing.md §2. */
#define _XOPEN_SOURCE 700
#include "runtime/pricing/profiles.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

typedef VEC(const char *) path_list;

/* The program's own path; where /proc is not mounted (a chroot, a build root), the path it was started by. */
static ssize_t own_path(char *path, size_t size) {
  ssize_t n = readlink("/proc/self/exe", path, size);
  if (n > 0) return (size_t)n < size ? n : -1;
  const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  char *full = started != NULL ? realpath(started, NULL) : NULL;
  n = full != NULL && strlen(full) < size ? (ssize_t)strlen(full) : -1;
  if (n > 0) memcpy(path, full, (size_t)n);
  free(full);
  return n;
}

/* "<prefix>/share/rooflinec/profiles" for a program at "<prefix>/bin/roofline". */
static const char *installed_dir(arena *a) {
  char exe[4096];
  ssize_t n = own_path(exe, sizeof exe);
  if (n <= 0) return NULL;
  for (int up = 0; up < 2; up++)
    while (n > 0 && exe[--n] != '/') continue;
  return arena_printf(a, "%.*s/share/rooflinec/profiles", (int)n, exe).p;
}

const char *const *profiles_dirs(arena *a, const char *const *dirs, uint32_t *count, str *why) {
  if (*count > 0) return dirs;
  path_list list = {0};
  const char *env = getenv("ROOFLINE_PROFILES");
  while (env != NULL && *env != '\0') {
    size_t n = strcspn(env, ":");
    if (n > 0) vec_push(a, &list, arena_cstr(a, (str){env, (uint32_t)n}));
    env += n + (env[n] == ':');
  }
  struct stat st;
  const char *installed = list.n == 0 ? installed_dir(a) : NULL;
  if (installed != NULL && stat(installed, &st) == 0) vec_push(a, &list, installed);
  *count = list.n;
  if (list.n == 0)
    *why = arena_printf(a, "no profiles: give --profiles DIR or ROOFLINE_PROFILES (none at %s)",
                        installed != NULL ? installed : "the program's own place");
  return list.n > 0 ? list.v : NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The *.yaml of a directory in name order, or the file itself. */
static bool list_files(arena *a, const char *path, path_list *files, str *why) {
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
    vec_push(a, files, path);
    return true;
  }
  DIR *dir = opendir(path);
  if (dir == NULL) {
    *why = arena_printf(a, "cannot read profiles in %s: %s", path, strerror(errno));
    return false;
  }
  uint32_t first = files->n;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    size_t n = strlen(e->d_name);
    if (n > 5 && e->d_name[0] != '.' && strcmp(e->d_name + n - 5, ".yaml") == 0)
      vec_push(a, files, arena_printf(a, "%s/%s", path, e->d_name).p);
  }
  closedir(dir);
  if (files->n > first) qsort(files->v + first, files->n - first, sizeof *files->v, by_name);
  return true;
}

typedef struct loaded {
  const roofline_profile *profile;
  const source *src;
} loaded;
typedef VEC(loaded) loaded_list;

static const char *name_of(const roofline_profile *p, int32_t i) { return i < 0 ? p->gpu : p->aliases[i]; }

static bool same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Two profiles for one device, or for one product of an arch, would make the answer a matter of order. */
static void check_pair(diag_sink *sink, const loaded *first, const loaded *second) {
  const roofline_profile *p = first->profile, *q = second->profile;
  span at = {second->src, 0, 0}, other = {first->src, 0, 0};
  for (int32_t i = -1; i < q->alias_count; i++) {
    if (!roofline_profile_claims(p, name_of(q, i))) continue;
    diag *d = diag_add(sink, PROFILE_DEVICE_TWICE, at, "two profiles claim the device '%s'", name_of(q, i));
    diag_relate(sink, d, other, "the other one");
    return;
  }
  if (p->arch == NULL || q->arch == NULL || strcmp(p->arch, q->arch) != 0) return;
  if ((p->arch_default && q->arch_default) || same_text(p->product, q->product)) {
    diag *d = diag_add(sink, PROFILE_ARCH_TWICE, at, "two profiles serve the same products of %s", p->arch);
    diag_relate(sink, d, other, "the other one");
  }
}

static int by_gpu(const void *a, const void *b) {
  return strcmp((*(const roofline_profile *const *)a)->gpu, (*(const roofline_profile *const *)b)->gpu);
}

bool profiles_load(arena *a, diag_sink *sink, const char *const *paths, uint32_t count, profile_set *set,
                   str *why) {
  path_list files = {0};
  loaded_list all = {0};
  for (uint32_t i = 0; i < count; i++)
    if (!list_files(a, paths[i], &files, why)) return false;
  for (uint32_t i = 0; i < files.n; i++) {
    str reason = {0};
    source *src = source_read(a, files.v[i], UINT64_C(1) << 20, &reason);
    if (src == NULL) {
      diag_add(sink, PROFILE_UNREADABLE, (span){0}, "%.*s", STR_ARG(reason));
      continue;
    }
    src->id = i;
    const roofline_profile *p = profile_read(a, sink, src);
    loaded one = {p, src};
    if (p == NULL) continue;
    for (uint32_t k = 0; k < all.n; k++) check_pair(sink, &all.v[k], &one);
    vec_push(a, &all, one);
  }
  const roofline_profile **v = arena_array(a, const roofline_profile *, all.n);
  for (uint32_t i = 0; i < all.n; i++) v[i] = all.v[i].profile;
  if (all.n > 0) qsort(v, all.n, sizeof *v, by_gpu);
  *set = (profile_set){v, all.n};
  return true;
}

const roofline_profile *profiles_find(const profile_set *set, const char *device) {
  for (uint32_t i = 0; i < set->n; i++)
    if (roofline_profile_claims(set->v[i], device)) return set->v[i];
  return NULL;
}

static bool has_words(const char *name, const char *words) {
  size_t n = strlen(words);
  for (const char *p = name; n > 0 && *p != '\0'; p++) {
    bool starts = p == name || !isalnum((unsigned char)p[-1]);
    if (starts && strncasecmp(p, words, n) == 0 && !isalnum((unsigned char)p[n])) return true;
  }
  return false;
}

str profiles_nearest(arena *a, const profile_set *set, const char *device) {
  str *names = arena_array(a, str, set->n), longer = {0};
  for (uint32_t i = 0; i < set->n; i++) {
    names[i] = str_of(set->v[i]->gpu);
    if ((longer.n == 0 || names[i].n < longer.n) && has_words(names[i].p, device)) longer = names[i];
  }
  str nearest = diag_nearest(str_of(device), names, set->n);
  return nearest.n > 0 ? nearest : longer;
}

str profiles_nearest_roof(arena *a, const roofline_profile *profile, const char *key) {
  uint32_t n = (uint32_t)profile->roof_count;
  str *keys = arena_array(a, str, n);
  for (uint32_t i = 0; i < n; i++) keys[i] = str_of(profile->roofs[i].key);
  return diag_nearest(str_of(key), keys, n);
}
