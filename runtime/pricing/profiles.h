/* GPU profiles from YAML: finding them, reading them, saying what is wrong with them. pricing.md §2. */
#ifndef PRICING_PROFILES_H
#define PRICING_PROFILES_H

#include <roofline/profile.h>

#include "text/diag.h"

typedef struct profile_set {
  const roofline_profile *const *v; /* ordered by gpu name, bytewise */
  uint32_t n;
} profile_set;

/* Where profiles are looked for: `dirs` when there are any (--profiles), else ROOFLINE_PROFILES (a
   colon-separated list), else beside the installed program. NULL, with *why in one line, when the last
   resort is not there either. */
const char *const *profiles_dirs(arena *a, const char *const *dirs, uint32_t *count, str *why);

/* Reads every *.yaml in the directories, in name order; `path` may also be one file. Defects go to the
   sink, and a profile with errors is left out. False, with *why, when a directory cannot be read. */
bool profiles_load(arena *a, diag_sink *sink, const char *const *paths, uint32_t count, profile_set *set,
                   str *why);

/* The profile that claims the device name, exactly; or NULL. */
const roofline_profile *profiles_find(const profile_set *set, const char *device);

/* The device name that was perhaps meant by one that no profile claims: a near spelling, or the shortest
   name that has it as words ("NVIDIA H200" for "H200"). {0}: none. */
str profiles_nearest(arena *a, const profile_set *set, const char *device);
/* The roof key that was perhaps meant by one that the profile lacks. {0}: none. */
str profiles_nearest_roof(arena *a, const roofline_profile *profile, const char *key);

/* One file. NULL when it has errors. */
const roofline_profile *profile_read(arena *a, diag_sink *sink, const source *src);

#endif
