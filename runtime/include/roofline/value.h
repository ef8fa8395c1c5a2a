/* Values of the manifest language: dtypes, shapes, sequences, tagged values. docs/language.md "Kinds". */
#ifndef ROOFLINE_VALUE_H
#define ROOFLINE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roofline/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum roofline_category {
  ROOFLINE_CATEGORY_BOOL,
  ROOFLINE_CATEGORY_INT,
  ROOFLINE_CATEGORY_FLOAT,
  ROOFLINE_CATEGORY_COMPLEX
} roofline_category;

/* ROOFLINE_DTYPE_NONE (0) is "absent": a zeroed tensor or parameter is one that is not passed. */
typedef enum roofline_dtype {
  ROOFLINE_DTYPE_NONE = 0,
#define DTYPE(name, text, bits, category, dl_code, dl_bits) ROOFLINE_##name,
#include <roofline/dtype.def>
#undef DTYPE
  ROOFLINE_DTYPE_COUNT
} roofline_dtype;

ROOFLINE_API const char *roofline_dtype_name(roofline_dtype t); /* "float16"; "none" for NONE */
ROOFLINE_API roofline_dtype roofline_dtype_find(const char *name, size_t length); /* NONE when unknown */
ROOFLINE_API int roofline_dtype_bits(roofline_dtype t); /* bits of one element; 0 for NONE */
/* Bytes of one element, rounded up; 0 for NONE. */
static inline int64_t roofline_dtype_size(roofline_dtype t) {
  static const uint8_t sizes[ROOFLINE_DTYPE_COUNT] = {
      0,
#define DTYPE(name, text, bits, category, dl_code, dl_bits) (bits + 7) / 8,
#include <roofline/dtype.def>
#undef DTYPE
  };
  return (unsigned)t < ROOFLINE_DTYPE_COUNT ? sizes[t] : 0;
}
ROOFLINE_API roofline_category roofline_dtype_category(roofline_dtype t);
ROOFLINE_API const char *roofline_category_name(roofline_category c); /* "bool" "int" "float" "complex" */

enum { ROOFLINE_MAX_RANK = 16 };

/* A Shape: `rank` dimensions, each >= 0. */
typedef struct roofline_shape {
  int32_t rank;
  int64_t dims[ROOFLINE_MAX_RANK];
} roofline_shape;

/* A Seq[Int] or Seq[Maybe[Int]]: a view that owns nothing. Either `items`, or two runs, `first` copies
   of `a` then `len - first` of `b` (what repeat and balanced_sizes give, of any length, without
   memory). `absent`, when not NULL, marks items that are None. */
typedef struct roofline_seq {
  const int64_t *items;
  const bool *absent;
  int64_t len, first, a, b;
} roofline_seq;

static inline roofline_seq roofline_seq_of(const int64_t *items, int64_t len) {
  roofline_seq s = {items, NULL, len, 0, 0, 0};
  return s;
}
static inline roofline_seq roofline_seq_of_shape(const roofline_shape *shape) {
  return roofline_seq_of(shape->dims, shape->rank);
}
static inline roofline_seq roofline_seq_of_runs(int64_t first, int64_t a, int64_t rest, int64_t b) {
  roofline_seq s = {NULL, NULL, first + rest, first, a, b};
  return s;
}
/* The item at a valid position 0 <= i < len. */
static inline int64_t roofline_seq_item(const roofline_seq *s, int64_t i) {
  return s->items != NULL ? s->items[i] : i < s->first ? s->a : s->b;
}
static inline bool roofline_seq_absent(const roofline_seq *s, int64_t i) {
  return s->absent != NULL && s->absent[i];
}

/* An algebraic data type of types.yaml, as data. Field values are integers: a Dim or Int as it is, a
   Bool 0 or 1, an enum its position in `values`. */
typedef struct roofline_adt_field {
  const char *name;
  const char *const *values; /* enum field: its `value_count` strings; else NULL */
  int32_t value_count;
} roofline_adt_field;
typedef struct roofline_adt_ctor {
  const char *name;
  const roofline_adt_field *fields;
  int32_t field_count;
} roofline_adt_ctor;
typedef struct roofline_adt_type {
  const char *name;
  const roofline_adt_ctor *ctors;
  int32_t ctor_count;
} roofline_adt_type;

enum { ROOFLINE_MAX_FIELDS = 16 };
/* type NULL: absent. */
typedef struct roofline_adt {
  const roofline_adt_type *type;
  int32_t ctor;
  int64_t fields[ROOFLINE_MAX_FIELDS];
} roofline_adt;

static inline bool roofline_adt_eq(const roofline_adt *a, const roofline_adt *b) {
  bool equal = a->type == b->type && a->ctor == b->ctor;
  for (int32_t i = 0; equal && a->type != NULL && i < a->type->ctors[a->ctor].field_count; i++)
    equal = a->fields[i] == b->fields[i];
  return equal;
}

/* A value whose kind is a union, or may be absent. A zeroed one is absent (None). */
typedef enum roofline_tag {
  ROOFLINE_TAG_NONE = 0,
  ROOFLINE_TAG_BOOL,
  ROOFLINE_TAG_INT,
  ROOFLINE_TAG_FLOAT,
  ROOFLINE_TAG_STRING, /* an enum member, or an open str */
  ROOFLINE_TAG_DTYPE,
  ROOFLINE_TAG_SEQ,
  ROOFLINE_TAG_OPAQUE /* present, of a type the language does not look into */
} roofline_tag;

/* Only the member that `tag` names is meant; the others are zero. Not a union: C++17 could not
   initialize any but its first member, and generated workload rows are constant initializers. */
typedef struct roofline_value {
  roofline_tag tag;
  struct {
    bool b;
    roofline_dtype t;
    int64_t i;
    double f;
    const char *s; /* terminated */
    roofline_seq q;
  } u;
} roofline_value;

static inline roofline_value roofline_none(void) {
  roofline_value v = {ROOFLINE_TAG_NONE,
                      {false, ROOFLINE_DTYPE_NONE, 0, 0.0, NULL, {NULL, NULL, 0, 0, 0, 0}}};
  return v;
}
static inline roofline_value roofline_bool(bool b) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_BOOL;
  v.u.b = b;
  return v;
}
static inline roofline_value roofline_int(int64_t i) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_INT;
  v.u.i = i;
  return v;
}
static inline roofline_value roofline_float(double f) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_FLOAT;
  v.u.f = f;
  return v;
}
static inline roofline_value roofline_string(const char *s) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_STRING;
  v.u.s = s;
  return v;
}
static inline roofline_value roofline_dtype_value(roofline_dtype t) {
  roofline_value v = roofline_none();
  v.tag = t == ROOFLINE_DTYPE_NONE ? ROOFLINE_TAG_NONE : ROOFLINE_TAG_DTYPE;
  v.u.t = t;
  return v;
}
static inline roofline_value roofline_seq_value(roofline_seq q) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_SEQ;
  v.u.q = q;
  return v;
}
static inline roofline_value roofline_opaque(void) {
  roofline_value v = roofline_none();
  v.tag = ROOFLINE_TAG_OPAQUE;
  return v;
}

/* Python's `==` on the language's values: numbers by value across int and float (exactly), sequences
   elementwise, a string against a dtype by the dtype's name; different kinds are unequal. */
ROOFLINE_API bool roofline_value_eq(const roofline_value *a, const roofline_value *b);

/* Numbers by value, exactly: an int64 against a double too (no rounding). a < b, a == b, a > b give
   -1, 0, 1; a nan gives 2 (every ordering with it is false). */
ROOFLINE_API int roofline_number_cmp(const roofline_value *a, const roofline_value *b);

/* The same by value, as generated expressions write them. */
static inline bool roofline_eq(roofline_value a, roofline_value b) { return roofline_value_eq(&a, &b); }
/* A value against an integer: most parameters that are compared with one hold one. */
static inline bool roofline_is_int(const roofline_value *v, int64_t i) {
  if (v->tag == ROOFLINE_TAG_INT) return v->u.i == i;
  return v->tag == ROOFLINE_TAG_FLOAT && roofline_eq(*v, roofline_int(i));
}
static inline bool roofline_lt(roofline_value a, roofline_value b) {
  return roofline_number_cmp(&a, &b) == -1;
}
static inline bool roofline_le(roofline_value a, roofline_value b) {
  const int order = roofline_number_cmp(&a, &b);
  return order == -1 || order == 0;
}

/* A tensor as a caller describes it. `dtype` NONE (a zeroed descriptor): not passed. `strides` in
   elements, NULL for compact row-major. `data` is read only for metadata tensors whose values decide
   traffic, must be host memory, and may be NULL: the values are then not available. */
typedef struct roofline_tensor {
  roofline_dtype dtype;
  int32_t rank;
  const int64_t *dims;
  const int64_t *strides;
  const void *data;
} roofline_tensor;

#ifdef __cplusplus
}
#endif
#endif
