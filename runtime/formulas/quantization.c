/* Read halves of quantizing ops that write only part of a tensor. */
#include "tally.h"

static void cache_append(tally *t) {
  read_whole(t, "k");
  read_whole(t, "v");
  read_whole(t, "slots");
  read_whole(t, "k_scale");
  read_whole(t, "v_scale");
}
/* Of the caches nothing is read. */
ROOFLINE_READ_BYTES(fp8_cache_append_fwd) { return tally_reads(call, cache_append, bytes); }
