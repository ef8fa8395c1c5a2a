/* What every formula is made of: reading a call by name and adding up its floating-point operations and
   its bytes read and written, exactly. The first failure is kept in `status` (an overflow, a value the call
   does not carry); afterwards operations do nothing and give 0, so a formula reads straight through and
   only its loops look at the status. Units: flops, and bytes of device memory. */
#ifndef FORMULAS_TALLY_H
#define FORMULAS_TALLY_H

#include <roofline/roofline.h>

typedef struct tally {
  const roofline_call *call;
  roofline_status status;
  int64_t flops, reads, writes;
} tally;

/* A formula adds to a fresh tally; its total is the op's cost, its reads the op's read half. */
typedef void tally_formula(tally *t);
roofline_status tally_cost(const roofline_call *call, tally_formula *formula, roofline_cost *cost);
roofline_status tally_reads(const roofline_call *call, tally_formula *formula, int64_t *bytes);

static inline void tally_fail(tally *t, roofline_status why) { roofline_fail(&t->status, why); }
static inline bool tally_ok(const tally *t) { return t->status == ROOFLINE_OK; }
/* DOMAIN unless `holds`: metadata that its tensor's `requires` should have refused. */
static inline bool tally_require(tally *t, bool holds) {
  if (!holds) tally_fail(t, ROOFLINE_E_DOMAIN);
  return tally_ok(t);
}

/* ---- exact arithmetic ---- */

static inline int64_t add(tally *t, int64_t a, int64_t b) { return roofline_add(&t->status, a, b); }
static inline int64_t sub(tally *t, int64_t a, int64_t b) { return roofline_sub(&t->status, a, b); }
static inline int64_t mul(tally *t, int64_t a, int64_t b) { return roofline_mul(&t->status, a, b); }
/* a b + c */
static inline int64_t mul_add(tally *t, int64_t a, int64_t b, int64_t c) { return add(t, mul(t, a, b), c); }
static inline int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t clamp(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }
/* a / b for b > 0, else DOMAIN; rounded down and up. */
static inline int64_t div_down(tally *t, int64_t a, int64_t b) {
  return tally_require(t, b > 0) ? roofline_floordiv(&t->status, a, b) : 0;
}
static inline int64_t div_up(tally *t, int64_t a, int64_t b) {
  return tally_require(t, b > 0) ? roofline_ceil_div(&t->status, a, b) : 0;
}

int64_t tally_product(tally *t, const int64_t *factors, size_t count);
#define PRODUCT(t, ...)                                                                                      \
  tally_product((t), (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Each adds the product of its factors. */
#define FLOPS(t, ...) ((t)->flops = add((t), (t)->flops, PRODUCT((t), __VA_ARGS__)))
#define READ(t, ...) ((t)->reads = add((t), (t)->reads, PRODUCT((t), __VA_ARGS__)))
#define WRITE(t, ...) ((t)->writes = add((t), (t)->writes, PRODUCT((t), __VA_ARGS__)))

/* ---- the call ---- */

int64_t tally_int(tally *t, const char *name);
bool tally_bool(tally *t, const char *name);
double tally_float(tally *t, const char *name);
roofline_value tally_value(tally *t, const char *name);
bool tally_present(tally *t, const char *name);   /* a tensor passed, a Maybe parameter given */
bool tally_has(const tally *t, const char *name); /* does the op have such a parameter, index or let? */
/* A present tensor: its shape, and the bytes of one element. */
roofline_shape tally_shape(tally *t, const char *tensor);
int64_t tally_size(tally *t, const char *tensor);
int64_t tally_elements(tally *t, const char *tensor);
/* Bytes of `count` items of a tensor, an item spanning all its axes from `axis` on. */
int64_t tally_items(tally *t, const char *tensor, int32_t axis, int64_t count);
/* Reads or writes of that many bytes; of a whole tensor; of each output that is there. */
void tally_read_items(tally *t, const char *tensor, int32_t axis, int64_t count);
void tally_write_items(tally *t, const char *tensor, int32_t axis, int64_t count);
void tally_read(tally *t, const char *tensor);
void tally_read_present(tally *t, const char *tensor);
void tally_write(tally *t, const char *tensor);
void tally_write_outputs(tally *t);

/* Values of a metadata tensor. A call without them is NOT_AVAILABLE; or, where a formula has a lower
   bound to give instead, just false. */
bool tally_values(tally *t, const char *tensor, roofline_metadata *values);
bool tally_has_values(tally *t, const char *tensor, roofline_metadata *values);
/* values[i + 1] - values[i] of a prefix sum; a negative one is DOMAIN. */
int64_t tally_segment(tally *t, const roofline_metadata *values, int64_t i);
/* An item that must lie in [lo, hi), else DOMAIN. */
int64_t tally_item(tally *t, const roofline_metadata *values, int64_t i, int64_t lo, int64_t hi);

/* `count` zeroed items of scratch memory, to be freed; NULL after E_MEMORY. */
void *tally_scratch(tally *t, int64_t count, size_t size);

#endif
