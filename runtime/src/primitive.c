/* Primitives on shapes, axes, windows, layouts and dtypes. language.md §4. */
#include <math.h>
#include <string.h>

#include <roofline/primitive.h>

#include "layout.h"
#include "sequence.h"

/* ---- shapes and axes ---- */

static const roofline_shape *no_shape(roofline_status *status, roofline_shape *out) {
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  memset(out, 0, sizeof *out);
  return out;
}

const roofline_shape *roofline_shape_of(roofline_status *status, roofline_shape *out, roofline_seq s) {
  if (s.len > ROOFLINE_MAX_RANK || !sequence_at_least(&s, 0)) return no_shape(status, out);
  roofline_shape shape = {(int32_t)s.len, {0}};
  for (int32_t i = 0; i < shape.rank; i++) shape.dims[i] = roofline_seq_item(&s, i);
  *out = shape; /* last: `s` may view *out */
  return out;
}

const roofline_shape *roofline_broadcast(roofline_status *status, roofline_shape *out,
                                         const roofline_seq *shapes, int count) {
  roofline_shape result = {0, {0}};
  for (int k = 0; k < count; k++)
    if (shapes[k].len > ROOFLINE_MAX_RANK || !sequence_at_least(&shapes[k], 0))
      return no_shape(status, out);
    else if (shapes[k].len > result.rank)
      result.rank = (int32_t)shapes[k].len;
  for (int32_t i = 0; i < result.rank; i++) result.dims[i] = 1;
  for (int k = 0; k < count; k++) {
    int64_t *aligned = result.dims + (result.rank - shapes[k].len);
    for (int64_t i = 0; i < shapes[k].len; i++) {
      int64_t dim = roofline_seq_item(&shapes[k], i);
      if (dim == 1 || dim == aligned[i]) continue;
      if (aligned[i] != 1) return no_shape(status, out);
      aligned[i] = dim;
    }
  }
  *out = result;
  return out;
}

/* Marks in *axes_set every axis that `axes` names; *count is how many were named. False when one does
   not normalize: at rank 0 the axes 0 and -1 name the scalar axis (bit 0). */
static bool normalize_axes(const roofline_value *axes, int64_t rank, uint32_t *axes_set, int64_t *count) {
  int64_t bound = rank > 0 ? rank : 1;
  roofline_seq named = axes->tag == ROOFLINE_TAG_INT ? roofline_seq_of(&axes->u.i, 1) : axes->u.q;
  *axes_set = 0;
  *count = named.len;
  for (int64_t i = 0; i < named.len; i += sequence_run(&named, i)) {
    int64_t axis = roofline_seq_item(&named, i);
    if (roofline_seq_absent(&named, i) || axis < -bound || axis >= bound) return false;
    *axes_set |= UINT32_C(1) << (axis < 0 ? axis + bound : axis);
  }
  return true;
}

/* Axes are an integer, a sequence or None, of a rank a shape can have. */
static bool axes_in_domain(roofline_status *status, const roofline_value *axes, int64_t rank) {
  bool known =
      axes->tag == ROOFLINE_TAG_NONE || axes->tag == ROOFLINE_TAG_INT || axes->tag == ROOFLINE_TAG_SEQ;
  if (known && rank >= 0 && rank <= ROOFLINE_MAX_RANK) return true;
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return false;
}

bool roofline_valid_axes(roofline_status *status, roofline_value axes, int64_t rank) {
  uint32_t set;
  int64_t count;
  if (!axes_in_domain(status, &axes, rank)) return false;
  return axes.tag == ROOFLINE_TAG_NONE || normalize_axes(&axes, rank, &set, &count);
}

static int64_t bits_set(uint32_t set) {
  int64_t count = 0;
  for (; set != 0; set &= set - 1) count++;
  return count;
}

/* An axis that does not normalize has no place to be compared by: that is outside the domain. */
bool roofline_unique_axes(roofline_status *status, roofline_value axes, int64_t rank) {
  uint32_t set;
  int64_t count;
  if (!axes_in_domain(status, &axes, rank)) return false;
  if (axes.tag == ROOFLINE_TAG_NONE) return true;
  if (!normalize_axes(&axes, rank, &set, &count)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return false;
  }
  return bits_set(set) == count;
}

/* An axis named twice is reduced once; `unique_axes` is how a manifest refuses it. */
const roofline_shape *roofline_reduced(roofline_status *status, roofline_shape *out, roofline_seq shape,
                                       roofline_value axes, bool keepdim, roofline_reduced_mode mode) {
  roofline_shape from;
  uint32_t set = UINT32_MAX;
  int64_t count = 0;
  if (!axes_in_domain(status, &axes, shape.len) || !sequence_at_least(&shape, 0))
    return no_shape(status, out);
  roofline_shape_of(status, &from, shape);
  if (axes.tag != ROOFLINE_TAG_NONE) {
    if (!normalize_axes(&axes, from.rank, &set, &count)) return no_shape(status, out);
    if (count == 0 && mode == ROOFLINE_REDUCED_REJECT) return no_shape(status, out);
    if (count == 0 && mode == ROOFLINE_REDUCED_FULL) set = UINT32_MAX;
  }
  roofline_shape result = {0, {0}};
  for (int32_t i = 0; i < from.rank; i++) {
    bool is_reduced = (set >> i & 1) != 0;
    if (!is_reduced)
      result.dims[result.rank++] = from.dims[i];
    else if (keepdim)
      result.dims[result.rank++] = 1;
  }
  *out = result;
  return out;
}

int64_t roofline_per_axis(roofline_status *status, roofline_value v, int64_t i, int64_t n,
                          roofline_value fallback) {
  if (v.tag == ROOFLINE_TAG_INT) return v.u.i;
  if (v.tag == ROOFLINE_TAG_SEQ && v.u.q.len == n && i >= -n && i < n) {
    int64_t at = i < 0 ? i + n : i;
    if (!roofline_seq_absent(&v.u.q, at)) return roofline_seq_item(&v.u.q, at);
    v.tag = ROOFLINE_TAG_NONE;
  }
  if (v.tag == ROOFLINE_TAG_NONE && fallback.tag == ROOFLINE_TAG_INT) return fallback.u.i;
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return 0;
}

int64_t roofline_tensor_bytes(roofline_status *status, roofline_seq shape, roofline_dtype t) {
  int bits = roofline_dtype_bits(t);
  if (bits == 0 || !sequence_at_least(&shape, 0)) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  int64_t elements = roofline_prod(status, shape);
  int64_t last = (elements % 8 * bits + 7) / 8; /* eight elements fill whole bytes */
  return roofline_add(status, roofline_mul(status, elements / 8, bits), last);
}

/* ---- windows ---- */

int64_t roofline_ceil_div(roofline_status *status, int64_t a, int64_t b) {
  if (b > 0) return a / b + (a % b > 0 ? 1 : 0);
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return 0;
}

/* L + 2p - d(k - 1) - 1: how far a window's first element can move. */
static int64_t window_travel(roofline_status *status, int64_t length, int64_t kernel, int64_t padding,
                             int64_t dilation) {
  int64_t padded = roofline_add(status, length, roofline_mul(status, 2, padding));
  int64_t reach = roofline_mul(status, dilation, roofline_sub(status, kernel, 1));
  return roofline_sub(status, roofline_sub(status, padded, reach), 1);
}

/* A window moves forward: a stride that is not positive is outside the domain. */
int64_t roofline_conv_out(roofline_status *status, int64_t length, int64_t kernel, int64_t stride,
                          int64_t padding, int64_t dilation) {
  if (stride <= 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  int64_t travel = window_travel(status, length, kernel, padding, dilation);
  return roofline_add(status, roofline_floordiv(status, travel, stride), 1);
}

int64_t roofline_pool_out(roofline_status *status, int64_t length, int64_t kernel, int64_t stride,
                          int64_t padding, int64_t dilation, bool ceil_mode) {
  if (!ceil_mode) {
    int64_t n = roofline_conv_out(status, length, kernel, stride, padding, dilation);
    return n > 0 ? n : 0;
  }
  int64_t travel = window_travel(status, length, kernel, padding, dilation);
  int64_t last = roofline_ceil_div(status, travel, stride); /* number of the last window, from 0 */
  if (roofline_mul(status, last, stride) >= roofline_add(status, length, padding)) last--;
  return last >= 0 ? last + 1 : 0;
}

/* ---- ADTs and layouts ---- */

int64_t roofline_adt_get(roofline_status *status, const roofline_adt *v, const char *field) {
  if (v->type == NULL) {
    roofline_fail(status, ROOFLINE_E_NOT_AVAILABLE);
    return 0;
  }
  const roofline_adt_ctor *ctor = &v->type->ctors[v->ctor];
  for (int32_t i = 0; i < ctor->field_count; i++)
    if (strcmp(ctor->fields[i].name, field) == 0) return v->fields[i];
  roofline_fail(status, ROOFLINE_E_UNKNOWN_NAME);
  return 0;
}

int64_t roofline_moe_capacity(roofline_status *status, const roofline_adt *layout, int64_t rows,
                              int64_t experts) {
  layout_form form;
  if (!layout_read(status, layout, &form)) return 0;
  if (rows < 0 || experts < 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return 0;
  }
  if (form.masked) return roofline_mul(status, experts, form.max_m);
  int64_t padding = roofline_mul(status, experts, form.alignment - 1);
  int64_t tiles = roofline_ceil_div(status, roofline_add(status, rows, padding), form.alignment);
  return roofline_mul(status, tiles, form.alignment);
}

int64_t roofline_mhc_expansion(roofline_status *status, int64_t q) {
  if (q >= 3) { /* n * n + 2 * n == q where (n + 1) ^ 2 == q + 1 */
    uint64_t square = (uint64_t)q + 1, root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1)
      if ((root | bit) * (root | bit) <= square) root |= bit;
    if (root * root == square) return (int64_t)root - 1;
  }
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return 0;
}

/* ---- dtypes ---- */

roofline_dtype roofline_promote_int_to_float(roofline_dtype t) {
  return t != ROOFLINE_DTYPE_NONE && roofline_dtype_category(t) == ROOFLINE_CATEGORY_INT ? ROOFLINE_FLOAT32
                                                                                         : t;
}

roofline_category roofline_category_of(roofline_status *status, roofline_value x) {
  switch (x.tag) {
  case ROOFLINE_TAG_BOOL: return ROOFLINE_CATEGORY_BOOL;
  case ROOFLINE_TAG_INT: return ROOFLINE_CATEGORY_INT;
  case ROOFLINE_TAG_FLOAT: return ROOFLINE_CATEGORY_FLOAT;
  case ROOFLINE_TAG_DTYPE:
    if (roofline_dtype_bits(x.u.t) > 0) return roofline_dtype_category(x.u.t);
    break;
  case ROOFLINE_TAG_NONE:
  case ROOFLINE_TAG_STRING:
  case ROOFLINE_TAG_SEQ:
  case ROOFLINE_TAG_OPAQUE: break;
  }
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return ROOFLINE_CATEGORY_INT;
}

/* What a floating format (of a complex number: of its parts) holds: its largest finite magnitude, and
   whether it has infinities. */
typedef struct float_format {
  double largest;
  bool infinite;
} float_format;

static float_format float_format_of(roofline_dtype t) {
  static const float_format formats[ROOFLINE_DTYPE_COUNT] = {
      [ROOFLINE_FLOAT16] = {65504.0, true},          [ROOFLINE_BFLOAT16] = {0x1.fep127, true},
      [ROOFLINE_FLOAT32] = {0x1.fffffep127, true},   [ROOFLINE_FLOAT64] = {0x1.fffffffffffffp1023, true},
      [ROOFLINE_COMPLEX64] = {0x1.fffffep127, true}, [ROOFLINE_COMPLEX128] = {0x1.fffffffffffffp1023, true},
      [ROOFLINE_FLOAT8_E4M3FN] = {448.0, false},     [ROOFLINE_FLOAT8_E5M2] = {57344.0, true},
      [ROOFLINE_FLOAT8_E4M3FNUZ] = {240.0, false},   [ROOFLINE_FLOAT8_E5M2FNUZ] = {57344.0, false},
      [ROOFLINE_FLOAT8_E8M0FNU] = {0x1p127, false},
  };
  return formats[t];
}

static bool is_unsigned(roofline_dtype t) {
  return t == ROOFLINE_UINT8 || t == ROOFLINE_UINT16 || t == ROOFLINE_UINT32 || t == ROOFLINE_UINT64;
}

/* An integer v in an integer dtype of so many bits. */
static bool int_in_int(int64_t v, roofline_dtype t) {
  int bits = roofline_dtype_bits(t);
  if (bits == 64) return true; /* uint64 takes an integer down to -(2^64 - 1) */
  int64_t limit = INT64_C(1) << (is_unsigned(t) ? bits : bits - 1);
  return v < limit && (is_unsigned(t) ? v > -limit : v >= -limit);
}

/* A double in an integer dtype: by range. The limits are powers of two, exact in a double; limit - 1 is
   too, but at 64 bits, where it rounds to limit. */
static bool float_in_int(double v, roofline_dtype t) {
  int bits = roofline_dtype_bits(t);
  double limit = ldexp(1.0, is_unsigned(t) ? bits : bits - 1);
  return v >= (is_unsigned(t) ? 0.0 : -limit) && v <= limit - 1 && v < limit;
}

bool roofline_representable(roofline_status *status, roofline_value v, roofline_dtype t) {
  bool number = v.tag == ROOFLINE_TAG_BOOL || v.tag == ROOFLINE_TAG_INT || v.tag == ROOFLINE_TAG_FLOAT;
  if (!number || roofline_dtype_bits(t) == 0) {
    roofline_fail(status, ROOFLINE_E_DOMAIN);
    return false;
  }
  if (t == ROOFLINE_BOOL || v.tag == ROOFLINE_TAG_BOOL) return true;
  if (roofline_dtype_category(t) == ROOFLINE_CATEGORY_INT)
    return v.tag == ROOFLINE_TAG_INT ? int_in_int(v.u.i, t) : float_in_int(v.u.f, t);
  float_format format = float_format_of(t);
  if (v.tag == ROOFLINE_TAG_FLOAT) {
    if (isnan(v.u.f)) return true;
    if (isinf(v.u.f)) return format.infinite;
  }
  roofline_value lowest = roofline_float(-format.largest), largest = roofline_float(format.largest);
  return roofline_number_cmp(&v, &lowest) >= 0 && roofline_number_cmp(&v, &largest) <= 0;
}
