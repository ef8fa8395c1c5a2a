/* The primitives of the language (docs/language.md "Primitives"), one C function each, called by the
   compiler's checker and folder, by row instantiation and by generated code. Outside its domain a primitive
   fails with ROOFLINE_E_DOMAIN in *status; an inexact result with ROOFLINE_E_OVERFLOW; the value returned
   beside a failure must not be used. Nothing here allocates. A sequence of runs is never walked item by
   item: repeat(1, 10 ** 12) costs as much as [1]. What follows adds to the page what it leaves open. */
#ifndef ROOFLINE_PRIMITIVE_H
#define ROOFLINE_PRIMITIVE_H

#include <roofline/checked.h>
#include <roofline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums and products of several, from the left. */
static inline int64_t roofline_add3(roofline_status *status, int64_t a, int64_t b, int64_t c) {
  return roofline_add(status, roofline_add(status, a, b), c);
}
static inline int64_t roofline_add4(roofline_status *status, int64_t a, int64_t b, int64_t c, int64_t d) {
  return roofline_add(status, roofline_add3(status, a, b, c), d);
}
static inline int64_t roofline_mul3(roofline_status *status, int64_t a, int64_t b, int64_t c) {
  return roofline_mul(status, roofline_mul(status, a, b), c);
}
static inline int64_t roofline_mul4(roofline_status *status, int64_t a, int64_t b, int64_t c, int64_t d) {
  return roofline_mul(status, roofline_mul3(status, a, b, c), d);
}
static inline int64_t roofline_mul5(roofline_status *status, int64_t a, int64_t b, int64_t c, int64_t d,
                                    int64_t e) {
  return roofline_mul(status, roofline_mul4(status, a, b, c, d), e);
}
static inline int64_t roofline_mul6(roofline_status *status, int64_t a, int64_t b, int64_t c, int64_t d,
                                    int64_t e, int64_t f) {
  return roofline_mul(status, roofline_mul5(status, a, b, c, d, e), f);
}

/* `Axes`: Int | Seq[Int] | None, as a tagged value. A rank outside 0..16 is DOMAIN. */

/* broadcast(S, ...): right-aligned. The result is written to *out, which is returned. */
ROOFLINE_API const roofline_shape *roofline_broadcast(roofline_status *status, roofline_shape *out,
                                                      const roofline_seq *shapes, int count);

/* The same for two shapes. */
static inline const roofline_shape *roofline_broadcast2(roofline_status *status, roofline_shape *out,
                                                        const roofline_shape *a, const roofline_shape *b) {
  const roofline_shape *wide = a->rank >= b->rank ? a : b, *narrow = wide == a ? b : a;
  const int32_t lead = wide->rank - narrow->rank;
  out->rank = wide->rank;
  for (int32_t i = 0; i < lead; i++) out->dims[i] = wide->dims[i];
  for (int32_t i = 0; i < narrow->rank; i++) {
    const int64_t x = wide->dims[lead + i], y = narrow->dims[i];
    if (x != y && x != 1 && y != 1) roofline_fail(status, ROOFLINE_E_DOMAIN);
    out->dims[lead + i] = x == 1 ? y : x;
  }
  return out;
}

typedef enum roofline_reduced_mode {
  ROOFLINE_REDUCED_FULL,
  ROOFLINE_REDUCED_NOOP,
  ROOFLINE_REDUCED_REJECT
} roofline_reduced_mode;
/* An axis named twice is reduced once: unique_axes is how a manifest refuses it. */
ROOFLINE_API const roofline_shape *roofline_reduced(roofline_status *status, roofline_shape *out,
                                                    roofline_seq shape, roofline_value axes, bool keepdim,
                                                    roofline_reduced_mode mode);
ROOFLINE_API bool roofline_valid_axes(roofline_status *status, roofline_value axes, int64_t rank);
/* DOMAIN when an axis does not normalize: ask valid_axes first. */
ROOFLINE_API bool roofline_unique_axes(roofline_status *status, roofline_value axes, int64_t rank);
/* An item that is None gives the fallback too; i may be negative as in seq[i]. */
ROOFLINE_API int64_t roofline_per_axis(roofline_status *status, roofline_value v, int64_t i, int64_t n,
                                       roofline_value fallback);
ROOFLINE_API int64_t roofline_ceil_div(roofline_status *status, int64_t a, int64_t b);

/* Exact: only a result that does not fit 64 bits is OVERFLOW, whatever its partial results are. */
/* Exact whatever the order of the items: a product that leaves 64 bits on its way may still be 0. */
ROOFLINE_API int64_t roofline_prod_of_any(roofline_status *status, roofline_seq s);
static inline int64_t roofline_prod(roofline_status *status, roofline_seq s) {
  bool plain = s.items != NULL && s.absent == NULL;
  int64_t product = 1;
  for (int64_t i = 0; plain && i < s.len; i++) plain = !roofline_mul_overflows(product, s.items[i], &product);
  if (!ROOFLINE_RARELY(!plain)) return product;
  roofline_status why = ROOFLINE_OK; /* the caller's own stays in a register */
  product = roofline_prod_of_any(&why, s);
  if (why != ROOFLINE_OK) roofline_fail(status, why);
  return product;
}
ROOFLINE_API int64_t roofline_sum(roofline_status *status, roofline_seq s);
/* fallback: NONE when no default was given. */
ROOFLINE_API int64_t roofline_max(roofline_status *status, roofline_seq s, roofline_value fallback);
ROOFLINE_API int64_t roofline_min(roofline_status *status, roofline_seq s, roofline_value fallback);

/* seq[i] and seq[a:b] with Python's negative indices; an index out of range or an absent item is
   DOMAIN, slices are clamped. */
ROOFLINE_API int64_t roofline_seq_at(roofline_status *status, roofline_seq s, int64_t i);
ROOFLINE_API roofline_seq roofline_seq_slice(roofline_seq s, int64_t from,
                                             int64_t to); /* to: INT64_MAX for open */
ROOFLINE_API bool roofline_seq_eq(roofline_seq a, roofline_seq b);
ROOFLINE_API int roofline_seq_cmp(roofline_seq a, roofline_seq b); /* lexicographic: -1, 0, 1 */
ROOFLINE_API bool roofline_seq_contains(roofline_seq s, int64_t x);
/* Length check before a comprehension walks a sequence: more than ROOFLINE_MAX_SEQUENCE items is DOMAIN. */
enum { ROOFLINE_MAX_SEQUENCE = 1 << 24 };
ROOFLINE_API int64_t roofline_seq_len_walkable(roofline_status *status, roofline_seq s);
/* A Shape from a sequence: rank at most 16 and no negative item, else DOMAIN. */
ROOFLINE_API const roofline_shape *roofline_shape_of(roofline_status *status, roofline_shape *out,
                                                     roofline_seq s);

/* Appends one axis, or every item of a sequence, to a shape under construction; a negative one, an
   absent one or a 17th is DOMAIN. */
static inline void roofline_shape_push(roofline_status *status, roofline_shape *shape, int64_t dim) {
  if (dim < 0 || shape->rank >= ROOFLINE_MAX_RANK) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return;
  }
  shape->dims[shape->rank++] = dim;
}
static inline void roofline_shape_append(roofline_status *status, roofline_shape *shape, roofline_seq s) {
  if (s.len > ROOFLINE_MAX_RANK) roofline_fail(status, ROOFLINE_E_DOMAIN);
  for (int64_t i = 0; i < s.len && *status == ROOFLINE_OK; i++) {
    if (roofline_seq_absent(&s, i))
      roofline_fail(status, ROOFLINE_E_DOMAIN);
    else
      roofline_shape_push(status, shape, roofline_seq_item(&s, i));
  }
}

/* Lengths in elements. A stride that is not positive is DOMAIN. */
ROOFLINE_API int64_t roofline_conv_out(roofline_status *status, int64_t length, int64_t kernel,
                                       int64_t stride, int64_t padding, int64_t dilation);
ROOFLINE_API int64_t roofline_pool_out(roofline_status *status, int64_t length, int64_t kernel,
                                       int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode);
/* `layout` is a value of an ADT with the constructors and fields of MGroupedLayout, read by name. */
ROOFLINE_API int64_t roofline_moe_capacity(roofline_status *status, const roofline_adt *layout, int64_t rows,
                                           int64_t experts);
ROOFLINE_API int64_t roofline_mhc_expansion(roofline_status *status, int64_t q);
ROOFLINE_API roofline_dtype roofline_promote_int_to_float(roofline_dtype t);
static inline roofline_dtype roofline_coalesce_dtype(roofline_dtype maybe, roofline_dtype t) {
  return maybe != ROOFLINE_DTYPE_NONE ? maybe : t;
}
ROOFLINE_API roofline_seq roofline_balanced_sizes(roofline_status *status, int64_t total, int64_t count);
ROOFLINE_API roofline_seq roofline_repeat(roofline_status *status, int64_t value, int64_t count);
/* Of a number, bool or dtype value. */
ROOFLINE_API roofline_category roofline_category_of(roofline_status *status, roofline_value x);
/* An int, float or bool v in dtype t, compared exactly. A float in an integer dtype: by range, so no inf
   and no nan; float8_e8m0fnu: magnitude at most 2^127, no inf. */
ROOFLINE_API bool roofline_representable(roofline_status *status, roofline_value v, roofline_dtype t);

/* Opaque numbers (float, Number): an int reads as the nearest double; `//` and `%` as Python's. */
static inline double roofline_number(roofline_value v) {
  return v.tag == ROOFLINE_TAG_INT ? (double)v.u.i : v.u.f;
}
ROOFLINE_API double roofline_float_floordiv(roofline_status *status, double a, double b);
ROOFLINE_API double roofline_float_mod(roofline_status *status, double a, double b);

/* bytes of one tensor: prod(shape) x bits / 8, rounded up; rank 0 is one element. */
ROOFLINE_API int64_t roofline_tensor_bytes(roofline_status *status, roofline_seq shape, roofline_dtype t);

/* A field of an ADT value by name; UNKNOWN_NAME when its constructor has none. */
ROOFLINE_API int64_t roofline_adt_get(roofline_status *status, const roofline_adt *v, const char *field);

#ifdef __cplusplus
}
#endif
#endif
