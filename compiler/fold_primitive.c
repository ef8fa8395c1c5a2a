/* The runtime's primitives over compile-time values. */
#include <string.h>

#include "compiler/call_args.h"
#include "roofline/primitive.h"

roofline_value value_to_runtime(fold *c, const value *v) {
  switch ((value_tag)v->tag) {
  case V_BOOL: return roofline_bool(v->u.b);
  case V_INT: return roofline_int(v->u.i);
  case V_FLOAT: return roofline_float(v->u.f);
  case V_STRING: return roofline_string(arena_cstr(c->a, v->u.s));
  case V_DTYPE: return roofline_dtype_value(v->u.t);
  case V_SEQ: return roofline_seq_value(v->u.q);
  case V_MIXED: {
    /* Integers and None, the only mixed sequence a primitive takes. */
    int64_t *items = arena_array(c->a, int64_t, v->n + 1);
    bool *absent = arena_array(c->a, bool, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
      absent[i] = v->u.items[i].tag != V_INT;
      items[i] = absent[i] ? 0 : v->u.items[i].u.i;
    }
    roofline_seq s = roofline_seq_of(items, v->n);
    s.absent = absent;
    return roofline_seq_value(s);
  }
  case V_ADT:
  case V_OBJECT: return roofline_opaque();
  default: return roofline_none();
  }
}

static value shape_value(fold *c, const roofline_shape *s) {
  int64_t *dims = arena_array(c->a, int64_t, ROOFLINE_MAX_RANK);
  memcpy(dims, s->dims, sizeof s->dims);
  return value_seq(roofline_seq_of(dims, s->rank));
}

value call_broadcast(fold *c, roofline_status *st, const value *v, uint32_t n) {
  roofline_seq *shapes = arena_array(c->a, roofline_seq, n + 1);
  for (uint32_t i = 0; i < n; i++) shapes[i] = v[i].u.q;
  roofline_shape out = {0};
  roofline_broadcast(st, &out, shapes, (int)n);
  return shape_value(c, &out);
}

static value call_all(const value *v) {
  for (uint32_t i = 0; v->tag == V_MIXED && i < v->n; i++)
    if (!v->u.items[i].u.b) return value_bool(false);
  return value_bool(true);
}

value call_primitive(fold *c, int32_t id, roofline_status *st, const call_args *a) {
  static const char *const modes[] = {"full", "noop", "reject", NULL};
  roofline_shape shape = {0};
  switch ((primitive_id)id) {
  case PRIM_REDUCED:
    roofline_reduced(st, &shape, arg_seq(a, 0), arg_value(a, 1), arg_bool(a, 2),
                     (roofline_reduced_mode)arg_word(a, 3, modes));
    return shape_value(c, &shape);
  case PRIM_VALID_AXES: return value_bool(roofline_valid_axes(st, arg_value(a, 0), arg_int(a, 1)));
  case PRIM_UNIQUE_AXES: return value_bool(roofline_unique_axes(st, arg_value(a, 0), arg_int(a, 1)));
  case PRIM_PER_AXIS:
    return value_int(roofline_per_axis(st, arg_value(a, 0), arg_int(a, 1), arg_int(a, 2), arg_value(a, 3)));
  case PRIM_CEIL_DIV: return value_int(roofline_ceil_div(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_LEN: return value_int(a->v[0].tag == V_MIXED ? a->v[0].n : a->v[0].u.q.len);
  case PRIM_PROD: return value_int(roofline_prod(st, arg_seq(a, 0)));
  case PRIM_SUM: return value_int(roofline_sum(st, arg_seq(a, 0)));
  case PRIM_MAX: return value_int(roofline_max(st, arg_seq(a, 0), arg_value(a, 1)));
  case PRIM_MIN: return value_int(roofline_min(st, arg_seq(a, 0), arg_value(a, 1)));
  case PRIM_ALL: return call_all(&a->v[0]);
  case PRIM_CONV_OUT:
    return value_int(
        roofline_conv_out(st, arg_int(a, 0), arg_int(a, 1), arg_int(a, 2), arg_int(a, 3), arg_int(a, 4)));
  case PRIM_POOL_OUT:
    return value_int(roofline_pool_out(st, arg_int(a, 0), arg_int(a, 1), arg_int(a, 2), arg_int(a, 3),
                                       arg_int(a, 4), arg_bool(a, 5)));
  case PRIM_MOE_CAPACITY:
    return value_int(roofline_moe_capacity(st, a->v[0].u.adt, arg_int(a, 1), arg_int(a, 2)));
  case PRIM_MHC_EXPANSION: return value_int(roofline_mhc_expansion(st, arg_int(a, 0)));
  case PRIM_PROMOTE_INT_TO_FLOAT: return value_dtype(roofline_promote_int_to_float(arg_dtype(a, 0)));
  case PRIM_COALESCE_DTYPE: return value_dtype(roofline_coalesce_dtype(arg_dtype(a, 0), arg_dtype(a, 1)));
  case PRIM_BALANCED_SIZES: return value_seq(roofline_balanced_sizes(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_REPEAT: return value_seq(roofline_repeat(st, arg_int(a, 0), arg_int(a, 1)));
  case PRIM_CATEGORY:
    return value_string(str_of(roofline_category_name(roofline_category_of(st, arg_value(a, 0)))));
  case PRIM_REPRESENTABLE: return value_bool(roofline_representable(st, arg_value(a, 0), arg_dtype(a, 1)));
  default: return (value){.tag = V_UNKNOWN};
  }
}
