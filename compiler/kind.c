/* Kinds as sets of alternatives. language.md §3. */
#include "compiler/kind.h"

#define ALL_DTYPES ((1u << ROOFLINE_DTYPE_COUNT) - 2u) /* every bit but that of NONE */

const kind kind_unknown = {.bits = K_UNKNOWN, .length = -1};
const kind kind_none = {.bits = K_NONE, .length = -1};
const kind kind_bool = {.bits = K_BOOL, .length = -1};
const kind kind_dim = {.bits = K_DIM, .length = -1};
const kind kind_int = {.bits = K_INT, .length = -1};
const kind kind_shape = {.bits = K_SHAPE, .length = -1};
const kind kind_float = {.bits = K_FLOAT, .length = -1};
const kind kind_str = {.bits = K_STR, .length = -1};
const kind kind_object = {.bits = K_OBJECT, .length = -1};
const kind kind_tensor = {.bits = K_TENSOR, .length = -1};
const kind kind_seq_int = {.bits = K_SEQ, .length = -1, .item = &kind_int};
const kind kind_dtype_any = {.bits = K_DTYPE, .length = -1, .dtypes = ALL_DTYPES};

int32_t kind_member(const kind *k, str member) {
  for (uint32_t i = 0; i < k->member_count; i++)
    if (str_eq(k->members[i], member)) return (int32_t)i;
  return -1;
}

bool kind_has_member(const kind *k, str member) {
  return (k->bits & K_ENUM) != 0 && kind_member(k, member) >= 0;
}

static bool covers_members(const kind *big, const kind *small) {
  for (uint32_t i = 0; i < small->member_count; i++)
    if (kind_member(big, small->members[i]) < 0) return false;
  return true;
}

static void join_members(arena *a, kind *out, const kind *x, const kind *y) {
  const kind *kept = covers_members(x, y) ? x : covers_members(y, x) ? y : NULL;
  if (kept != NULL) {
    out->members = kept->members;
    out->member_count = kept->member_count;
    return;
  }
  str *members = arena_array(a, str, x->member_count + y->member_count);
  uint32_t n = 0;
  while (n < x->member_count) members[n] = x->members[n], n++;
  for (uint32_t i = 0; i < y->member_count; i++)
    if (kind_member(x, y->members[i]) < 0) members[n++] = y->members[i];
  out->members = members;
  out->member_count = n;
}

/* What a sequence holds; a Shape beside a sequence is a sequence of integers, as a Dim beside an Int is
   an Int. */
static void join_sequences(arena *a, kind *out, const kind *x, const kind *y) {
  bool shape = kind_may(out, K_SHAPE);
  out->bits &= ~(uint32_t)K_SHAPE;
  const kind *xs = kind_may(x, K_SEQ) ? x : y;
  const kind *ys = kind_may(y, K_SEQ) ? y : x;
  out->item = kind_union(a, xs->item, ys->item);
  if (shape) out->item = kind_union(a, out->item, &kind_dim);
  out->length = !shape && xs->length == ys->length ? xs->length : -1;
}

const kind *kind_union(arena *a, const kind *x, const kind *y) {
  if (x == y) return x;
  kind *out = arena_new_of(a, kind);
  out->bits = x->bits | y->bits;
  out->length = -1;
  if ((out->bits & K_INTEGER) == K_INTEGER) out->bits &= ~(uint32_t)K_DIM;
  if (kind_may(out, K_SEQ)) join_sequences(a, out, x, y);
  if (kind_may(out, K_ENUM)) join_members(a, out, x, y);
  out->dtypes = x->dtypes | y->dtypes;
  if (kind_may(out, K_ADT)) {
    out->adt = x->adt != NULL ? x->adt : y->adt;
    out->ctors = x->ctors | y->ctors;
    /* No kind spells two ADTs; a conditional between them is a defect its stage reports. */
    if (x->adt != NULL && y->adt != NULL && x->adt != y->adt) out->bits |= K_UNKNOWN;
  }
  return out;
}

const kind *kind_without(arena *a, const kind *k, uint32_t bits) {
  if ((k->bits & bits) == 0) return k;
  kind *out = arena_new_of(a, kind);
  *out = *k;
  out->bits &= ~bits;
  if (!kind_may(out, K_ENUM)) out->members = NULL, out->member_count = 0;
  if (!kind_may(out, K_DTYPE)) out->dtypes = 0;
  if (!kind_may(out, K_ADT)) out->adt = NULL, out->ctors = 0;
  if (!kind_may(out, K_SEQ)) out->item = NULL, out->length = -1;
  return out;
}

/* ---- dtypes by other names ---- */

str kind_dtype_called(str name) {
  static const struct {
    const char *called;
    roofline_dtype dtype;
  } others[] = {
      {"bf16", ROOFLINE_BFLOAT16},      {"fp16", ROOFLINE_FLOAT16},
      {"f16", ROOFLINE_FLOAT16},        {"half", ROOFLINE_FLOAT16},
      {"fp32", ROOFLINE_FLOAT32},       {"f32", ROOFLINE_FLOAT32},
      {"float", ROOFLINE_FLOAT32},      {"single", ROOFLINE_FLOAT32},
      {"fp64", ROOFLINE_FLOAT64},       {"f64", ROOFLINE_FLOAT64},
      {"double", ROOFLINE_FLOAT64},     {"fp8", ROOFLINE_FLOAT8_E4M3FN},
      {"e4m3", ROOFLINE_FLOAT8_E4M3FN}, {"e4m3fn", ROOFLINE_FLOAT8_E4M3FN},
      {"e5m2", ROOFLINE_FLOAT8_E5M2},   {"i8", ROOFLINE_INT8},
      {"i32", ROOFLINE_INT32},          {"int", ROOFLINE_INT32},
      {"i64", ROOFLINE_INT64},          {"long", ROOFLINE_INT64},
      {"u8", ROOFLINE_UINT8},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (str_is(name, others[i].called)) return str_of(roofline_dtype_name(others[i].dtype));
  return (str){0};
}

void kind_suggest(diag_sink *sink, diag *d, str wrong, const str *names, uint32_t count) {
  const str dtype = kind_dtype_called(wrong);
  for (uint32_t i = 0; dtype.n > 0 && i < count; i++) {
    if (!str_eq(names[i], dtype)) continue;
    diag_help(sink, d, "did you mean '%.*s'?", STR_ARG(dtype));
    return;
  }
  diag_suggest(sink, d, wrong, names, count);
}

/* ---- as text ---- */

static str joined(arena *a, str left, str right) {
  return left.n == 0 ? right : arena_printf(a, "%.*s | %.*s", STR_ARG(left), STR_ARG(right));
}

static str dtypes_text(arena *a, uint32_t dtypes) {
  if (dtypes == ALL_DTYPES) return STR("DType");
  str inner = {0};
  for (uint32_t t = 1; t < ROOFLINE_DTYPE_COUNT; t++)
    if ((dtypes >> t & 1u) != 0) inner = joined(a, inner, str_of(roofline_dtype_name((roofline_dtype)t)));
  return arena_printf(a, "DType[%.*s]", STR_ARG(inner));
}

static str seq_text(arena *a, const kind *k) {
  str item = kind_text(a, k->item);
  return k->length < 0 ? arena_printf(a, "Seq[%.*s]", STR_ARG(item))
                       : arena_printf(a, "Seq[%.*s] of length %d", STR_ARG(item), k->length);
}

static str alternative_text(arena *a, const kind *k, uint32_t bit) {
  switch (bit) {
  case K_BOOL: return STR("Bool");
  case K_DIM: return STR("Dim");
  case K_INT: return STR("Int");
  case K_DTYPE: return dtypes_text(a, k->dtypes);
  case K_SHAPE: return STR("Shape");
  case K_SEQ: return seq_text(a, k);
  case K_ADT: return k->adt->name;
  case K_FLOAT: return STR("float");
  case K_STR: return STR("str");
  case K_OBJECT: return STR("object");
  case K_TENSOR: return STR("tensor");
  case K_UNKNOWN: return STR("unknown");
  case K_ENUM: break;
  default: return STR("nothing");
  }
  enum { SHOWN = 24 }; /* more is no reading matter */
  str text = {0};
  for (uint32_t i = 0; i < k->member_count && i < SHOWN; i++)
    text = joined(a, text, arena_printf(a, "'%.*s'", STR_ARG(k->members[i])));
  if (k->member_count > SHOWN)
    text = arena_printf(a, "%.*s | .. (%u in all)", STR_ARG(text), k->member_count);
  return text;
}

str kind_text(arena *a, const kind *k) {
  if (k->bits == K_NONE) return STR("None");
  uint32_t alternatives = 0;
  str text = {0};
  for (uint32_t bit = K_BOOL; bit <= K_UNKNOWN; bit <<= 1)
    if ((k->bits & bit) != 0) {
      text = joined(a, text, alternative_text(a, k, bit));
      alternatives++;
    }
  if (alternatives == 0) return STR("nothing");
  if (!kind_may(k, K_NONE)) return text;
  return alternatives == 1 ? arena_printf(a, "Maybe[%.*s]", STR_ARG(text)) : joined(a, text, STR("None"));
}
