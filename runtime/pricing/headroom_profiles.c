/* Peaks of the run's device, from the shipped profiles. headroom.md §2.2, §4. */
#include "runtime/pricing/headroom_run.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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
  roofline_headroom_peaks block = {
      .product = profile->product, .arch_default = profile->arch_default, .hbm = profile->hbm.theoretical};
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

/* "gfx950"; of a profile that says its compute capability instead, "sm_90". */
static const char *arch_of(arena *a, const roofline_profile *profile) {
  const char *capability = profile->compute_capability, *dot;
  if (profile->arch != NULL || capability == NULL) return profile->arch;
  dot = strchr(capability, '.');
  int major = dot != NULL ? (int)(dot - capability) : (int)strlen(capability);
  return arena_printf(a, "sm_%.*s%s", major, capability, dot != NULL ? dot + 1 : "0").p;
}

/* Of "sm_90a" the letter says which instructions there are, not another device. */
static bool same_arch(const char *arch, const char *gfx) {
  size_t n = strlen(arch);
  if (strncasecmp(arch, gfx, n) != 0) return false;
  return gfx[n] == '\0' ||
         (strncmp(arch, "sm_", 3) == 0 && isalpha((unsigned char)gfx[n]) && gfx[n + 1] == '\0');
}

/* The whole device name, with or without its vendor, or the product: "NVIDIA H200 NVL" is not "H200". */
static bool is_called(const roofline_profile *profile, const char *product) {
  const char *space = strchr(profile->gpu, ' ');
  if (strcasecmp(profile->gpu, product) == 0) return true;
  if (space != NULL && strcasecmp(space + 1, product) == 0) return true;
  for (int32_t i = 0; i < profile->alias_count; i++)
    if (strcasecmp(profile->aliases[i], product) == 0) return true;
  return profile->product != NULL && strcasecmp(profile->product, product) == 0;
}

static bool find_block(arena *a, const profile_set *set, const char *gfx, const char *product,
                       roofline_headroom_peaks *out) {
  roofline_headroom_peaks *blocks = arena_array(a, roofline_headroom_peaks, set->n + 1);
  size_t count = 0;
  for (uint32_t i = 0; i < set->n; i++) {
    const char *arch = arch_of(a, set->v[i]);
    if (arch == NULL) continue;
    blocks[count] = block_of(set->v[i]);
    blocks[count].arch = arch;
    *out = blocks[count];
    if (is_called(set->v[i], product) && (*gfx == '\0' || same_arch(arch, gfx))) return true;
    count++;
  }
  const roofline_headroom_peaks *found =
      *gfx != '\0' ? roofline_headroom_find_peaks(blocks, count, gfx, product) : NULL;
  *out = found != NULL ? *found : (roofline_headroom_peaks){0};
  return found != NULL;
}

/* " (device_sku can name one of 'NVIDIA H200', 'NVIDIA H200 NVL')"; empty when there is none. */
static str others_of_arch(arena *a, const profile_set *set, const char *gfx) {
  out_text text;
  out_init(&text, a);
  for (uint32_t i = 0; i < set->n; i++) {
    const char *arch = arch_of(a, set->v[i]);
    if (arch == NULL || !same_arch(arch, gfx)) continue;
    out_printf(&text, "%s'%s'", out_str(&text).n == 0 ? " (device_sku can name one of " : ", ",
               set->v[i]->gpu);
  }
  if (out_str(&text).n > 0) out_put(&text, STR(")"));
  return out_str(&text);
}

roofline_headroom_peaks hr_peaks(hr_log *log, const hr_options *options, const hr_context *context) {
  roofline_headroom_peaks peaks = {0};
  const char *gfx = arena_cstr(log->a, context->gfx);
  const char *product = arena_cstr(log->a, context->product);
  if (*gfx == '\0' && *product == '\0') return peaks;
  profile_set set = {0};
  load(log, options, &set);
  if (find_block(log->a, &set, gfx, product, &peaks)) return peaks;
  if (*gfx == '\0') {
    hr_error(log, "env: no 'gfx', and no profile is called '%s': peaks are unknown", product);
    return peaks;
  }
  if (!roofline_headroom_derivable(gfx)) {
    hr_error(log, "%s: its products differ, and no profile serves product '%s': peaks are unknown", gfx,
             product);
    return peaks;
  }
  str others = others_of_arch(log->a, &set, gfx);
  roofline_headroom_peaks derived = {.arch = gfx};
  if (roofline_headroom_derive(&context->device, &derived)) {
    hr_error(log,
             "%s: no profile%.*s; peaks are derived from the device properties in env, with low confidence",
             gfx, STR_ARG(others));
    return derived;
  }
  hr_error(log,
           "%s: no profile%.*s, and env has no device properties to derive peaks from: peaks are unknown",
           gfx, STR_ARG(others));
  return peaks;
}
