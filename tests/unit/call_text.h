/* Calls of shipped operators written as text, for tests of their formulas:

     open_call("ConvFwdOp", "N=1 stride=[2,1] padding=same T=float16 +bias")

   A name is an index or a parameter; numbers, true, false, [lists], dtypes, `layout=masked:4`, else a string;
   +t passes the optional tensor t. An index that is not named is 0, or the empty shape. */
#ifndef CALL_TEXT_H
#define CALL_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <roofline/roofline.h>

static inline roofline_value value_of_text(const char *text, int64_t *items) {
  char *end;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return roofline_bool(text[0] == 't');
  if (text[0] == '[') {
    int64_t n = 0;
    for (const char *p = text + 1; *p != ']' && *p != '\0'; p = *end == ',' ? end + 1 : end)
      items[n++] = strtoll(p, &end, 10);
    return roofline_seq_value(roofline_seq_of(items, n));
  }
  const int64_t number = strtoll(text, &end, 10);
  if (end != text && *end == '\0') return roofline_int(number);
  const double real = strtod(text, &end);
  if (end != text && *end == '\0') return roofline_float(real);
  const roofline_dtype dtype = roofline_dtype_find(text, strlen(text));
  return dtype != ROOFLINE_DTYPE_NONE ? roofline_dtype_value(dtype) : roofline_string(text);
}

/* masked:M, tight, aligned:A (every expert's end) and per_row:A (every row's expert). */
static inline roofline_status set_layout(roofline_binding *b, const roofline_op *op, const char *name,
                                         const char *text) {
  const roofline_adt_type *type = NULL;
  for (int32_t i = 0; i < op->param_count; i++)
    if (strcmp(op->params[i].name, name) == 0) type = op->params[i].adt;
  if (type == NULL) return ROOFLINE_E_UNKNOWN_NAME;
  const char *colon = strchr(text, ':');
  const int64_t number = colon != NULL ? strtoll(colon + 1, NULL, 10) : 1;
  const bool masked = strncmp(text, "masked", 6) == 0, per_row = strncmp(text, "per_row", 7) == 0;
  roofline_adt layout = {type, 0, {0}};
  for (int32_t c = 0; c < type->ctor_count; c++)
    if (strcmp(type->ctors[c].name, masked ? "masked" : "contiguous") == 0) layout.ctor = c;
  const roofline_adt_ctor *ctor = &type->ctors[layout.ctor];
  for (int32_t f = 0; f < ctor->field_count; f++) {
    const roofline_adt_field *field = &ctor->fields[f];
    layout.fields[f] = number;
    const char *wanted = strcmp(field->name, "packing") == 0 ? (number == 1 ? "tight" : "aligned")
                         : per_row                           ? "per_row"
                                                             : "physical_psum";
    for (int32_t v = 0; v < field->value_count; v++)
      if (strcmp(field->values[v], wanted) == 0) layout.fields[f] = v;
  }
  return roofline_binding_set_adt(b, name, layout);
}

static inline bool is_param(const roofline_op *op, const char *name) {
  for (int32_t i = 0; i < op->param_count; i++)
    if (strcmp(op->params[i].name, name) == 0) return true;
  return false;
}

static inline void set_text(roofline_binding *b, const roofline_op *op, char *word) {
  roofline_status status;
  if (word[0] == '+') {
    status = roofline_binding_pass(b, word + 1, true);
  } else {
    char *equals = strchr(word, '=');
    assert_non_null(equals);
    *equals = '\0';
    int64_t items[256];
    const roofline_value value = value_of_text(equals + 1, items);
    if (!is_param(op, word))
      status = roofline_binding_index(b, word, value);
    else if (strcmp(word, "layout") == 0)
      status = set_layout(b, op, word, equals + 1);
    else
      status = roofline_binding_set(b, word, value);
  }
  if (status != ROOFLINE_OK) fail_msg("%s: %s: %s", op->name, word, roofline_status_name(status));
}

/* Not bound yet: metadata may still be given by set_values. */
static inline roofline_binding *open_call(const char *name, const char *text) {
  const roofline_op *op = roofline_op_find(roofline_ops, name);
  if (op == NULL) fail_msg("no operator %s", name);
  roofline_binding *b = roofline_binding_new(op);
  assert_non_null(b);
  for (int32_t i = 0; i < op->index_count; i++) {
    const roofline_value empty = roofline_seq_value(roofline_seq_of(NULL, 0));
    if (op->indices[i].kind == ROOFLINE_FIELD_INT)
      roofline_binding_index(b, op->indices[i].name, roofline_int(0));
    if (op->indices[i].kind == ROOFLINE_FIELD_SHAPE) roofline_binding_index(b, op->indices[i].name, empty);
  }
  char words[1024];
  snprintf(words, sizeof words, "%s", text);
  for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) set_text(b, op, word);
  return b;
}

/* Gives a metadata tensor its values; `values` must outlive the binding. */
static inline void set_values(roofline_binding *b, const char *tensor, roofline_dtype dtype, int32_t rank,
                              const int64_t *dims, const void *values) {
  const roofline_tensor t = {dtype, rank, dims, NULL, values};
  assert_int_equal(roofline_binding_tensor(b, tensor, t), ROOFLINE_OK);
}

static inline const roofline_call *bind_call(roofline_binding *b) {
  roofline_error error = {NULL, 0, 0, ""};
  if (roofline_binding_bind(b, &error) != ROOFLINE_OK) fail_msg("bind: %s", error.message);
  return roofline_binding_call(b);
}

typedef struct price {
  int64_t flops, bytes, reads;
} price;

static inline price price_of(const roofline_call *call) {
  roofline_cost cost = {-1, -1};
  price p = {0, 0, -1};
  const roofline_status status = roofline_eval(call, &cost);
  if (status != ROOFLINE_OK) fail_msg("%s: %s", call->op->name, roofline_status_name(status));
  if (call->op->read_bytes != NULL) assert_int_equal(call->op->read_bytes(call, &p.reads), ROOFLINE_OK);
  p.flops = cost.flops;
  p.bytes = cost.bytes;
  return p;
}

static inline price price_text(const char *op, const char *text) {
  roofline_binding *b = open_call(op, text);
  const price p = price_of(bind_call(b));
  roofline_binding_free(b);
  return p;
}

#endif
