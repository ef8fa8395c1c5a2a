/* Arguments of calls at compile time. What recurses, fold_call.c, and what applies a primitive to values,
   fold_primitive.c, are files of their own: primitives want much stack, and it must not be held once for
   every call that stands in an argument. */
#ifndef COMPILER_CALL_ARGS_H
#define COMPILER_CALL_ARGS_H

#include "compiler/fold.h"
#include "compiler/primitive.h"

enum { MAX_ARGS = 8 };

/* The arguments of one call in the forms the runtime takes them. */
typedef struct call_args {
  fold *c;
  value v[MAX_ARGS];
  uint32_t n;
} call_args;

static inline int64_t arg_int(const call_args *a, uint32_t i) { return i < a->n ? a->v[i].u.i : 0; }
static inline bool arg_bool(const call_args *a, uint32_t i) { return a->v[i].u.b; }
static inline roofline_value arg_value(const call_args *a, uint32_t i) {
  return i < a->n ? value_to_runtime(a->c, &a->v[i]) : roofline_none();
}
static inline roofline_seq arg_seq(const call_args *a, uint32_t i) {
  return a->v[i].tag == V_SEQ ? a->v[i].u.q : value_to_runtime(a->c, &a->v[i]).u.q;
}
static inline roofline_dtype arg_dtype(const call_args *a, uint32_t i) {
  return a->v[i].tag == V_DTYPE ? a->v[i].u.t : ROOFLINE_DTYPE_NONE;
}
static inline int arg_word(const call_args *a, uint32_t i, const char *const *words) {
  for (int w = 0; words[w] != NULL; w++)
    if (a->v[i].tag == V_STRING && str_is(a->v[i].u.s, words[w])) return w;
  return 0;
}

value call_broadcast(fold *c, roofline_status *st, const value *v, uint32_t n);
value call_primitive(fold *c, int32_t id, roofline_status *st, const call_args *a);

#endif
