/* A GPU's roofs as data: what a device can do at best, and what share of it was ever measured.
   Plain structs, no parser; `roofline` fills them from manifest/profiles/<gpu>.yaml. docs/pricing.md
   "Profiles". */
#ifndef ROOFLINE_PROFILE_H
#define ROOFLINE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One ceiling: device memory ("hbm", bytes/s), or a compute section ("tensor_core.bf16", flops/s).
   The effective rate is theoretical × calibration, computed when used and never stored. */
typedef struct roofline_roof {
  const char *key;
  double theoretical;             /* the vendor's dense peak; finite, > 0 */
  double calibration;             /* measured share of it, in (0, 1]; 0: never measured */
  const char *source;             /* where `theoretical` comes from; NULL: not said */
  const char *calibration_source; /* where `calibration` comes from; NULL: not said */
} roofline_roof;

/* Memory bandwidth by access mix, each a share of hbm.theoretical; 0: not measured. */
typedef struct roofline_mixes {
  double copy, triad, read, write;
} roofline_mixes;

typedef struct roofline_profile {
  const char *gpu;            /* the device name as the driver reports it; matched exactly */
  const char *const *aliases; /* other spellings of it */
  int32_t alias_count;
  const char *timing;             /* the record's `timing` that counts as device-timed here: "cupti",
                                     "rocprofiler", or "steady_clock" for a CPU */
  const char *compute_capability; /* "9.0"; NULL: none */
  const char *arch;               /* "gfx950"; NULL: none */
  const char *product;            /* "mi350x": the block serves this product of its arch; NULL: any */
  bool arch_default;              /* serves every product of its arch that has no block of its own */
  int32_t compute_units;          /* 0: not said */
  roofline_roof hbm;
  roofline_mixes mixes;
  const roofline_roof *roofs; /* the compute sections, in the profile's order */
  int32_t roof_count;
} roofline_profile;

/* Is this the device the profile describes, by its name or an alias? Exact comparison. */
ROOFLINE_API bool roofline_profile_claims(const roofline_profile *profile, const char *device);

/* The compute section a roof key names, or NULL. */
ROOFLINE_API const roofline_roof *roofline_profile_roof(const roofline_profile *profile, const char *key);

/* theoretical × calibration: bytes/s or flops/s; 0 when the roof was never calibrated. */
static inline double roofline_roof_effective(const roofline_roof *roof) {
  return roof->theoretical * roof->calibration;
}

#ifdef __cplusplus
}
#endif
#endif
