/* Values at compile time: defaults, row values, folded constants. */
#ifndef COMPILER_VALUE_H
#define COMPILER_VALUE_H

#include "compiler/kind.h"

typedef enum value_tag {
  V_UNKNOWN = 0, /* not known here: a free name of a folded expression */
  V_NONE,
  V_BOOL,
  V_INT,
  V_FLOAT,
  V_STRING, /* an enum member or an open string */
  V_DTYPE,
  V_SEQ, /* a Shape or a Seq */
  V_ADT,
  V_OBJECT, /* an opaque value that is present; `node` keeps what was written */
  V_MIXED   /* a sequence whose items are not all integers: tuple literals of strings, floats.. */
} value_tag;

typedef struct value value;
struct value {
  uint8_t tag;
  uint32_t n; /* V_MIXED */
  union {
    bool b;
    int64_t i;
    double f;
    str s;
    roofline_dtype t;
    roofline_seq q;
    const roofline_adt *adt;
    const value *items; /* V_MIXED */
  } u;
};

static inline value value_none(void) { return (value){.tag = V_NONE}; }
static inline value value_bool(bool b) { return (value){.tag = V_BOOL, .u.b = b}; }
static inline value value_int(int64_t i) { return (value){.tag = V_INT, .u.i = i}; }
static inline value value_float(double f) { return (value){.tag = V_FLOAT, .u.f = f}; }
static inline value value_string(str s) { return (value){.tag = V_STRING, .u.s = s}; }
static inline value value_dtype(roofline_dtype t) { return (value){.tag = V_DTYPE, .u.t = t}; }
static inline value value_seq(roofline_seq q) { return (value){.tag = V_SEQ, .u.q = q}; }
static inline value value_adt(const roofline_adt *v) { return (value){.tag = V_ADT, .u.adt = v}; }

bool value_eq(const value *a, const value *b);
str value_text(arena *a, const value *v); /* as the language writes it */

/* A YAML node read as a value of a kind (a default, a row's parameter, an ADT value with exactly its
   fields, fulfilling its invariant). Reports a defect at its place and returns false. `type` is the
   parameter's declared type when there is one (it distinguishes tuple lengths), else NULL. */
bool value_of_node(arena *a, diag_sink *sink, const source *src, const yt_node *node, const kind *k,
                   const expr *type, const char *what, value *out);

#endif
