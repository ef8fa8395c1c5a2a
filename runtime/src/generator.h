/* What the files of generators share. */
#ifndef RUNTIME_GENERATOR_H
#define RUNTIME_GENERATOR_H

#include <roofline/generator.h>

/* Sets a generator's result shape. False when the generator is to write nothing: something failed, the
   result has more than ROOFLINE_MAX_SEQUENCE items (DOMAIN), or the caller asked for the shape only. */
bool generator_begin(roofline_status *status, roofline_shape *shape, const int64_t *values, int32_t rank,
                     const int64_t *dims);

/* Fails with DOMAIN unless `holds`; false when *status is not OK. */
bool generator_domain(roofline_status *status, bool holds);

/* The list may be walked and its items are at least `least`; else DOMAIN. */
bool generator_list(roofline_status *status, const roofline_seq *l, int64_t least);

#endif
