/* Dtypes, and equality and order of values. language.md §3. */
#include <math.h>
#include <string.h>

#include <roofline/primitive.h>
#include <roofline/value.h>

static const struct {
  const char *name;
  size_t length; /* of the name */
  int bits;
  roofline_category category;
} dtypes[ROOFLINE_DTYPE_COUNT] = {
    {"none", 4, 0, ROOFLINE_CATEGORY_INT},
#define DTYPE(name, text, bits, category, dl_code, dl_bits) {text, sizeof(text) - 1, bits, category},
#include <roofline/dtype.def>
#undef DTYPE
};

/* A value from outside (an args struct) may hold anything. */
static roofline_dtype known(roofline_dtype t) {
  return (unsigned)t < ROOFLINE_DTYPE_COUNT ? t : ROOFLINE_DTYPE_NONE;
}

const char *roofline_dtype_name(roofline_dtype t) { return dtypes[known(t)].name; }
int roofline_dtype_bits(roofline_dtype t) { return dtypes[known(t)].bits; }
roofline_category roofline_dtype_category(roofline_dtype t) { return dtypes[known(t)].category; }

roofline_dtype roofline_dtype_find(const char *name, size_t length) {
  for (int t = 1; t < ROOFLINE_DTYPE_COUNT; t++)
    if (dtypes[t].length == length && memcmp(dtypes[t].name, name, length) == 0) return (roofline_dtype)t;
  return ROOFLINE_DTYPE_NONE;
}

const char *roofline_category_name(roofline_category c) {
  static const char *const names[] = {"bool", "int", "float", "complex"};
  return (unsigned)c < sizeof names / sizeof *names ? names[c] : "none";
}

/* An int64 against a double. A double of magnitude 2^63 or more lies outside every int64; any other one
   has an integral part that fits, and which side of it the double lies decides a tie. */
static int int_cmp_double(int64_t i, double d) {
  const double two63 = 9223372036854775808.0;
  if (isnan(d)) return 2;
  if (d >= two63) return -1;
  if (d < -two63) return 1;
  double whole = trunc(d);
  int64_t w = (int64_t)whole;
  if (i != w) return i < w ? -1 : 1;
  return d == whole ? 0 : d > whole ? -1 : 1;
}

int roofline_number_cmp(const roofline_value *a, const roofline_value *b) {
  bool a_int = a->tag == ROOFLINE_TAG_INT, b_int = b->tag == ROOFLINE_TAG_INT;
  if ((!a_int && a->tag != ROOFLINE_TAG_FLOAT) || (!b_int && b->tag != ROOFLINE_TAG_FLOAT)) return 2;
  if (a_int && b_int) return (a->u.i > b->u.i) - (a->u.i < b->u.i);
  if (a_int) return int_cmp_double(a->u.i, b->u.f);
  if (b_int) {
    int order = int_cmp_double(b->u.i, a->u.f);
    return order == 2 ? 2 : -order;
  }
  if (isnan(a->u.f) || isnan(b->u.f)) return 2;
  return (a->u.f > b->u.f) - (a->u.f < b->u.f);
}

static bool dtype_is_named(roofline_dtype t, const char *name) {
  return t != ROOFLINE_DTYPE_NONE && strcmp(roofline_dtype_name(t), name) == 0;
}

bool roofline_value_eq(const roofline_value *a, const roofline_value *b) {
  if (a->tag == ROOFLINE_TAG_STRING && b->tag == ROOFLINE_TAG_DTYPE) return dtype_is_named(b->u.t, a->u.s);
  if (a->tag == ROOFLINE_TAG_DTYPE && b->tag == ROOFLINE_TAG_STRING) return dtype_is_named(a->u.t, b->u.s);
  if (a->tag == ROOFLINE_TAG_INT || a->tag == ROOFLINE_TAG_FLOAT) return roofline_number_cmp(a, b) == 0;
  if (a->tag != b->tag) return false;
  switch (a->tag) {
  case ROOFLINE_TAG_NONE: return true;
  case ROOFLINE_TAG_BOOL: return a->u.b == b->u.b;
  case ROOFLINE_TAG_STRING: return strcmp(a->u.s, b->u.s) == 0;
  case ROOFLINE_TAG_DTYPE: return a->u.t == b->u.t;
  case ROOFLINE_TAG_SEQ: return roofline_seq_eq(a->u.q, b->u.q);
  case ROOFLINE_TAG_INT:
  case ROOFLINE_TAG_FLOAT: break;  /* compared above */
  case ROOFLINE_TAG_OPAQUE: break; /* the language does not look into it, so nothing proves it equal */
  }
  return false;
}
