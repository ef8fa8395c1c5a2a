/* Any bytes as a profile: one that is accepted holds only finite, positive numbers. */
#include <math.h>
#include <stdlib.h>

#include "runtime/pricing/profiles.h"

static void check_roof(const roofline_roof *roof) {
  if (!isfinite(roof->theoretical) || roof->theoretical <= 0) abort();
  if (!(roof->calibration >= 0 && roof->calibration <= 1) || roof->key == NULL) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  if (n > 1 << 16) return 0;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  str text = {(const char *)bytes, (uint32_t)n};
  if (n == 0) text.p = "";
  const roofline_profile *p = profile_read(a, sink, source_from_text(a, "p.yaml", text));
  if ((p == NULL) != (diag_errors(sink) > 0)) abort();
  if (p != NULL) {
    check_roof(&p->hbm);
    for (int32_t i = 0; i < p->roof_count; i++) check_roof(&p->roofs[i]);
    if (p->gpu == NULL || p->timing == NULL || !roofline_profile_claims(p, p->gpu)) abort();
  }
  arena_free(a);
  return 0;
}
