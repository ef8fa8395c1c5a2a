/* Peaks of the run's device, from the shipped profiles. headroom.md §2.2, §4. */
#include "runtime/pricing/headroom_run.h"

#include <string.h>

#include "runtime/pricing/profiles.h"

/* The matrix units' rate where a dtype has one, else the vector units'. */
static double peak_of(const roofline_profile *profile, const char *dtype) {
  static const char *const sections[] = {"tensor_core", "cuda_core"};
  for (size_t i = 0; i < 2; i++)
    for (int32_t r = 0; r < profile->roof_count; r++) {
      const char *key = profile->roofs[r].key;
      size_t n = strlen(sections[i]);
      if (strncmp(key, sections[i], n) == 0 && key[n] == '.' && strcmp(key + n + 1, dtype) == 0)
        return profile->roofs[r].theoretical;
    }
  return 0;
}

static roofline_headroom_peaks block_of(const roofline_profile *profile) {
  roofline_headroom_peaks block = {.arch = profile->arch,
                                   .product = profile->product,
                                   .arch_default = profile->arch_default,
                                   .hbm = profile->hbm.theoretical};
  for (int i = 0; i < ROOFLINE_ROOF_COUNT; i++)
    block.flops[i] = peak_of(profile, roofline_headroom_roof_name((roofline_headroom_roof)i));
  return block;
}

static void load(hr_log *log, const hr_options *options, profile_set *set) {
  uint32_t count = options->profiles.n;
  str why = {0};
  const char *const *dirs = profiles_dirs(log->a, options->profiles.v, &count, &why);
  diag_sink *sink = diag_sink_new(log->a);
  if (dirs == NULL || !profiles_load(log->a, sink, dirs, count, set, &why)) {
    hr_error(log, "%.*s", STR_ARG(why));
    *set = (profile_set){0};
  }
  if (diag_errors(sink) > 0)
    hr_error(log, "%u errors in the profiles, whose blocks are left out: see 'roofline profiles check'",
             diag_errors(sink));
}

roofline_headroom_peaks hr_peaks(hr_log *log, const hr_options *options, const hr_context *context) {
  roofline_headroom_peaks unknown = {0};
  if (context->gfx.n == 0) return unknown;
  profile_set set = {0};
  load(log, options, &set);
  roofline_headroom_peaks *blocks = arena_array(log->a, roofline_headroom_peaks, set.n + 1);
  size_t count = 0;
  for (uint32_t i = 0; i < set.n; i++)
    if (set.v[i]->arch != NULL) blocks[count++] = block_of(set.v[i]);
  const char *gfx = arena_cstr(log->a, context->gfx);
  const char *product = arena_cstr(log->a, context->product);
  const roofline_headroom_peaks *found = roofline_headroom_find_peaks(blocks, count, gfx, product);
  if (found != NULL) return *found;
  roofline_headroom_peaks derived = {.arch = gfx};
  if (!roofline_headroom_derivable(gfx)) {
    hr_error(log, "%s: its products differ, and no profile serves product '%s': peaks are unknown", gfx,
             product);
  } else if (roofline_headroom_derive(&context->device, &derived)) {
    hr_error(log, "%s: no profile; peaks are derived from the device properties in env, with low confidence",
             gfx);
    return derived;
  } else {
    hr_error(log, "%s: no profile, and env has no device properties to derive peaks from: peaks are unknown",
             gfx);
  }
  return unknown;
}
