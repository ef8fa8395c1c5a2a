/* Looking things up in a profile. pricing.md §2. */
#include <roofline/profile.h>

#include <string.h>

bool roofline_profile_claims(const roofline_profile *profile, const char *device) {
  if (strcmp(profile->gpu, device) == 0) return true;
  for (int32_t i = 0; i < profile->alias_count; i++)
    if (strcmp(profile->aliases[i], device) == 0) return true;
  return false;
}

const roofline_roof *roofline_profile_roof(const roofline_profile *profile, const char *key) {
  for (int32_t i = 0; i < profile->roof_count; i++)
    if (strcmp(profile->roofs[i].key, key) == 0) return &profile->roofs[i];
  return NULL;
}
