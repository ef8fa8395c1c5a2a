/* Read halves of quantizing ops that write only part of a tensor. */
#include "tally.h"

static void cache_append(tally *t) {
  tally_read(t, "k");
  tally_read(t, "v");
  tally_read(t, "slots");
  tally_read(t, "k_scale");
  tally_read(t, "v_scale");
}
/* Of the caches nothing is read. */
ROOFLINE_READ_BYTES(fp8_cache_append_fwd) { return tally_reads(call, cache_append, bytes); }
