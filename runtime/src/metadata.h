/* Metadata tensors whose values the op's own generators give. */
#ifndef RUNTIME_METADATA_H
#define RUNTIME_METADATA_H

#include <roofline/op.h>

/* Shape and dtype of a metadata tensor and its number of items; MISMATCH when the generator gives another
   shape than the declaration, or the dtype is neither int32 nor int64. */
roofline_status metadata_shape(const roofline_call *call, const roofline_seq *lists, int32_t tensor,
                               roofline_shape *shape, roofline_metadata *metadata);

/* Generates the values into `memory`, room for metadata->count int64 items whatever the dtype, and
   points metadata->data there. OVERFLOW when a value does not fit the dtype. */
roofline_status metadata_generate(const roofline_call *call, const roofline_seq *lists, int32_t tensor,
                                  int64_t *memory, roofline_metadata *metadata);

#endif
