/* The steps generated binds are made of. Each returns ROOFLINE_OK or fills *error (which may be NULL),
   naming the declaration and both values. Declarations are literals that outlive the error.
   docs/language.md "Inference". */
#ifndef ROOFLINE_BIND_H
#define ROOFLINE_BIND_H

#include <roofline/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How messages name a tensor: "inputs.a", "inputs.a.shape", "inputs.a.dtype", and its shape as written. */
typedef struct roofline_bind_names {
  const char *tensor, *shape, *dtype, *written;
} roofline_bind_names;

/* ---- parameters ---- */

/* What a parameter stored as a roofline_value may hold. */
typedef struct roofline_bind_union {
  uint32_t tags;              /* bit 1 << roofline_tag */
  uint32_t dtypes;            /* bit 1 << roofline_dtype */
  const char *const *strings; /* NULL: any string */
  int32_t string_count;
  const int32_t *lengths; /* of a sequence; NULL: any */
  int32_t length_count;
  bool absent_items; /* items of a sequence may be None */
} roofline_bind_union;

ROOFLINE_API roofline_status roofline_bind_value(roofline_error *error, const char *declaration,
                                                 const roofline_value *value,
                                                 const roofline_bind_union *allowed);
ROOFLINE_API roofline_status roofline_bind_seq(roofline_error *error, const char *declaration,
                                               roofline_seq seq, int64_t length,
                                               bool absent_items); /* length -1: any */
/* `value` in [first, last]. */
ROOFLINE_API roofline_status roofline_bind_range(roofline_error *error, const char *declaration,
                                                 int64_t value, int64_t first, int64_t last);
/* `value` is the position of one of `values`, counted from 1, or 0 where the parameter is optional. */
ROOFLINE_API roofline_status roofline_bind_enum(roofline_error *error, const char *declaration, int64_t value,
                                                bool optional, const char *const *values, int32_t count);
ROOFLINE_API roofline_status roofline_bind_dtype(roofline_error *error, const char *declaration,
                                                 roofline_dtype dtype, uint32_t allowed);
/* Type and constructor of an ADT value; its fields are the generated check's. */
ROOFLINE_API roofline_status roofline_bind_adt(roofline_error *error, const char *declaration,
                                               const roofline_adt *value, const roofline_adt_type *type);

/* ---- tensors ---- */

/* Passed exactly when wanted, and a sound descriptor. */
ROOFLINE_API roofline_status roofline_bind_passed(roofline_error *error, const char *declaration,
                                                  const roofline_tensor *tensor, bool wanted);
ROOFLINE_API roofline_status roofline_bind_contiguous(roofline_error *error, const char *declaration,
                                                      const roofline_tensor *tensor);
ROOFLINE_API roofline_metadata roofline_bind_metadata(const roofline_tensor *tensor);

/* ---- solving indices ---- */

/* Length of a spliced sequence, cut at a length no tensor has, so that sums of it are exact. */
static inline int64_t roofline_bind_len(roofline_seq s) {
  return s.len < 0 ? 0 : s.len > 2 * ROOFLINE_MAX_RANK ? 2 * ROOFLINE_MAX_RANK : s.len;
}
/* An axis by its position; 0 outside the rank, which the check that follows refuses. */
static inline int64_t roofline_bind_axis(const roofline_tensor *tensor, int64_t axis) {
  return axis >= 0 && axis < tensor->rank ? tensor->dims[axis] : 0;
}
/* The rank is `axes`, or with an unknown splice (`at_least`) no less. */
ROOFLINE_API roofline_status roofline_bind_rank(roofline_error *error, const roofline_bind_names *names,
                                                const roofline_tensor *tensor, int64_t axes, bool at_least);
/* *out takes the axes between `left` and the last `right` ones. */
ROOFLINE_API roofline_status roofline_bind_splice(roofline_error *error, const roofline_bind_names *names,
                                                  const roofline_tensor *tensor, int64_t left, int64_t right,
                                                  roofline_shape *out);
/* *out = (size - rest) / factor, when that is exact and not negative. `status` is that of `rest`. */
ROOFLINE_API roofline_status roofline_bind_affine(roofline_error *error, const roofline_bind_names *names,
                                                  roofline_status status, int64_t size, int64_t factor,
                                                  int64_t rest, const char *axis, int64_t *out);

/* ---- checking ---- */

/* Every passed tensor's rank, axes and dtype equal what the declaration gives for the solved indices. */
ROOFLINE_API roofline_status roofline_bind_tensors(roofline_error *error, const roofline_call *call,
                                                   const void *args, const roofline_bind_names *names);
/* A refinement that did not hold, or whose evaluation failed; `text` quotes it. */
ROOFLINE_API roofline_status roofline_bind_rule(roofline_error *error, roofline_status status,
                                                const char *declaration, const char *text);
ROOFLINE_API roofline_status roofline_bind_compared(roofline_error *error, roofline_status status,
                                                    const char *declaration, const char *text, int64_t left,
                                                    int64_t right);
/* `values` equals one of `row_count` rows of `columns` dtypes; NONE values are not compared. */
ROOFLINE_API roofline_status roofline_bind_combo(roofline_error *error, const roofline_dtype *values,
                                                 const roofline_dtype *rows, int32_t columns,
                                                 int32_t row_count);

#ifdef __cplusplus
}
#endif
#endif
