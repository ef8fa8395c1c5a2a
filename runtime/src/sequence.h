/* What the runtime's own files share about sequences. */
#ifndef RUNTIME_SEQUENCE_H
#define RUNTIME_SEQUENCE_H

#include <roofline/value.h>

/* How many items from position i on are the same one by construction: walks step by it. At least 1. */
int64_t sequence_run(const roofline_seq *s, int64_t i);
bool sequence_any_absent(const roofline_seq *s);
/* Every item is there and at least `least`. */
bool sequence_at_least(const roofline_seq *s, int64_t least);

#endif
