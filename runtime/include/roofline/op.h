/* Generated operators: what a call is, what it costs, and how to read one by name.
   docs/using.md "What is generated". */
#ifndef ROOFLINE_OP_H
#define ROOFLINE_OP_H

#include <roofline/generator.h>
#include <roofline/primitive.h>
#include <roofline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roofline_op roofline_op;

/* What a call must spend at least: floating-point operations, and bytes of device memory traffic. */
typedef struct roofline_cost {
  int64_t flops, bytes;
} roofline_cost;

/* Every generated call struct starts with one. `checked` is ROOFLINE_CALL_CHECKED once bind succeeded. */
enum { ROOFLINE_CALL_CHECKED = 0x524c4f4b };
typedef struct roofline_call {
  const roofline_op *op;
  uint32_t checked;
  const struct roofline_call *const *stages; /* of a composite, by roofline_call_attach; else NULL */
} roofline_call;

/* Why a bind failed: the declaration ("inputs.b.shape", "shape_rules[0]"), and a sentence with both
   values. `expected` and `found` hold the two integers when there are two. */
typedef struct roofline_error {
  const char *declaration;
  int64_t expected, found;
  char message[240];
} roofline_error;
/* Fills *error (which may be NULL) and returns `status`. printf-style. */
ROOFLINE_API roofline_status roofline_error_set(roofline_error *error, roofline_status status,
                                                const char *declaration, int64_t expected, int64_t found,
                                                const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/* ---- description of an op ---- */

/* How a field is stored: in the call struct, and for a parameter in the args struct too. */
typedef enum roofline_field_kind {
  ROOFLINE_FIELD_INT,   /* int64_t: Dim and Int */
  ROOFLINE_FIELD_BOOL,  /* bool */
  ROOFLINE_FIELD_ENUM,  /* int32_t, position in `values` counted from 1; 0 is absent (None) */
  ROOFLINE_FIELD_DTYPE, /* roofline_dtype; NONE is absent */
  ROOFLINE_FIELD_FLOAT, /* double */
  ROOFLINE_FIELD_SHAPE, /* roofline_shape */
  ROOFLINE_FIELD_SEQ,   /* roofline_seq */
  ROOFLINE_FIELD_VALUE, /* roofline_value: unions, Maybe, open strings, opaque objects */
  ROOFLINE_FIELD_ADT    /* roofline_adt */
} roofline_field_kind;

typedef struct roofline_field {
  const char *name;
  roofline_field_kind kind;
  size_t offset;      /* in the call struct */
  size_t args_offset; /* in the args struct; parameters only */
  const char *const *values;
  int32_t value_count;
  const roofline_adt_type *adt;
} roofline_field;

typedef enum roofline_role { ROOFLINE_INPUT, ROOFLINE_CONSTRUCTION, ROOFLINE_OUTPUT } roofline_role;
enum { ROOFLINE_NOWHERE = -1 };

typedef struct roofline_tensor_info {
  const char *name;
  roofline_role role;
  ptrdiff_t present_offset; /* bool in the call struct; ROOFLINE_NOWHERE: always present */
  ptrdiff_t args_offset; /* roofline_tensor in the args struct; ROOFLINE_NOWHERE: not passed (most outputs) */
  ptrdiff_t
      metadata_offset; /* roofline_metadata in the call struct; ROOFLINE_NOWHERE: not a metadata tensor */
} roofline_tensor_info;

/* One workload row and dtype case: a call ready to evaluate, but for its metadata values. */
typedef struct roofline_row {
  const char *case_id, *label;
  const roofline_call *call;
  const roofline_seq *lists; /* values of the op's Seq[Int] indices, in `lists` order */
} roofline_row;

typedef struct roofline_stage {
  const char *name;
  const roofline_op *op; /* NULL: a kernel, or an op that is not in this manifest */
  bool optional;
} roofline_stage;

struct roofline_op {
  const char *name, *family, *origin; /* "GemmFwdOp", "gemm", "gemm.yaml:24" */
  bool implemented;                   /* status: implemented, else spec-only */
  size_t call_size, args_size;
  const roofline_field *indices; /* Dim, Shape, DType */
  const roofline_field *params;
  const roofline_tensor_info *tensors;
  const char *const *lets;
  const char *const *lists; /* names of the Seq[Int] indices */
  const roofline_row *rows;
  const roofline_stage *stages;
  int32_t index_count, param_count, tensor_count, let_count, list_count, row_count, stage_count;

  /* Sets every parameter to its default and every tensor to "not passed". */
  void (*defaults)(void *args);
  roofline_status (*bind)(roofline_call *call, const void *args, roofline_error *error);
  roofline_status (*eval)(const roofline_call *call, roofline_cost *cost);
  /* Shape and dtype of a present tensor, from the call's indices. */
  roofline_status (*tensor)(const roofline_call *call, int32_t tensor, roofline_shape *shape,
                            roofline_dtype *dtype);
  /* A let's value; a Shape or ADT let is written to the matching out parameter, *value then has
     ROOFLINE_TAG_SEQ over *shape, or ROOFLINE_TAG_OPAQUE for an ADT. */
  roofline_status (*let)(const roofline_call *call, int32_t let, roofline_value *value, roofline_shape *shape,
                         roofline_adt *adt);
  /* The generated values of a metadata tensor of a row; with values NULL only the shape. */
  roofline_status (*generate)(const roofline_call *call, const roofline_seq *lists, int32_t tensor,
                              roofline_shape *shape, int64_t *values);
  const char *(*roof_key)(const roofline_call *call); /* "tensor_core.bf16"; default "cuda_core.fp32" */
  roofline_status (*read_bytes)(const roofline_call *call, int64_t *bytes); /* NULL: none declared */
  const char *(*data_terms)(const roofline_call *call); /* NULL: no value decides the numbers */
};

/* Every op linked in, ordered by name, ended by NULL. Defined by the generated registry. */
extern const roofline_op *const roofline_ops[];

/* ---- evaluating and reading a call ---- */

ROOFLINE_API const roofline_op *roofline_op_find(const roofline_op *const *ops, const char *name);
/* (flops, bytes) of a checked call; on failure *cost is untouched. */
ROOFLINE_API roofline_status roofline_eval(const roofline_call *call, roofline_cost *cost);

/* Reads by name: an unknown name is UNKNOWN_NAME, another kind than asked for is KIND, an absent value
   NOT_AVAILABLE. Lets are read like parameters. */
ROOFLINE_API roofline_status roofline_call_int(const roofline_call *call, const char *name, int64_t *value);
ROOFLINE_API roofline_status roofline_call_bool(const roofline_call *call, const char *name, bool *value);
ROOFLINE_API roofline_status roofline_call_float(const roofline_call *call, const char *name, double *value);
ROOFLINE_API roofline_status roofline_call_string(const roofline_call *call, const char *name,
                                                  const char **value);
ROOFLINE_API roofline_status roofline_call_dtype(const roofline_call *call, const char *name,
                                                 roofline_dtype *value);
ROOFLINE_API roofline_status roofline_call_shape(const roofline_call *call, const char *name,
                                                 roofline_shape *value);
ROOFLINE_API roofline_status roofline_call_value(const roofline_call *call, const char *name,
                                                 roofline_value *value);
ROOFLINE_API roofline_status roofline_call_adt(const roofline_call *call, const char *name,
                                               roofline_adt *value);
/* Is a tensor passed, or a Maybe parameter given? */
ROOFLINE_API roofline_status roofline_call_present(const roofline_call *call, const char *name,
                                                   bool *present);
/* A present tensor's shape and dtype (data NULL), its size in bytes, its metadata values. */
ROOFLINE_API roofline_status roofline_call_tensor(const roofline_call *call, const char *name,
                                                  roofline_shape *shape, roofline_dtype *dtype);
ROOFLINE_API roofline_status roofline_call_bytes(const roofline_call *call, const char *name, int64_t *bytes);
ROOFLINE_API roofline_status roofline_call_metadata(const roofline_call *call, const char *name,
                                                    roofline_metadata *metadata);
/* Gives a composite's call the checked call of one of its stages. `slots` is the caller's array of
   op->stage_count pointers, all NULL at first, that lives as long as the call. A stage whose op is not
   the declared one is MISMATCH. Binding the call again forgets its stages. */
ROOFLINE_API roofline_status roofline_call_attach(roofline_call *call, const roofline_call **slots,
                                                  const char *name, const roofline_call *stage);
/* A composite's stage call, when the caller attached one; else NOT_AVAILABLE. */
ROOFLINE_API roofline_status roofline_call_stage(const roofline_call *call, const char *name,
                                                 const roofline_call **stage);

/* ---- calls by name, for languages without the generated structs ---- */

/* An args struct and a call struct of one op. What is set is copied, except a tensor's data. A value of
   another kind than the name's is KIND, one that its kind does not have MISMATCH. Setting anything makes
   the call unbound. */
typedef struct roofline_binding roofline_binding;
ROOFLINE_API roofline_binding *roofline_binding_new(const roofline_op *op); /* NULL: no memory */
ROOFLINE_API void roofline_binding_free(roofline_binding *b);
ROOFLINE_API roofline_status roofline_binding_set(roofline_binding *b, const char *param,
                                                  roofline_value value);
ROOFLINE_API roofline_status roofline_binding_set_adt(roofline_binding *b, const char *param,
                                                      roofline_adt value);
ROOFLINE_API roofline_status roofline_binding_tensor(roofline_binding *b, const char *tensor,
                                                     roofline_tensor value);
/* Instead of tensors: give every index, and which optional tensors are passed; bind then builds each
   tensor that was not given itself, and compares the indices it solves with those given. An index that
   the call's branch does not use may have any value. Metadata values are generated when all the op's
   Seq[Int] indices are given too, else they are not available. */
ROOFLINE_API roofline_status roofline_binding_index(roofline_binding *b, const char *index,
                                                    roofline_value value);
ROOFLINE_API roofline_status roofline_binding_pass(roofline_binding *b, const char *tensor, bool present);
ROOFLINE_API roofline_status roofline_binding_bind(roofline_binding *b, roofline_error *error);
ROOFLINE_API const roofline_call *
roofline_binding_call(const roofline_binding *b); /* after a bind that succeeded */

/* A workload row with its metadata values generated. *call is valid until roofline_row_close. */
typedef struct roofline_row_call {
  const roofline_call *call;
  void *memory;
} roofline_row_call;
ROOFLINE_API roofline_status roofline_row_open(const roofline_op *op, int32_t row, roofline_row_call *out);
ROOFLINE_API void roofline_row_close(roofline_row_call *row);

/* Marks of hand-written code; `rooflinec check --formulas` looks for them. NAME is the last component of the
   dotted path in `roofline.func`; OP is the op's symbol name ("gemm_fwd"). */
#define ROOFLINE_FORMULA(NAME) roofline_status NAME(const roofline_call *call, roofline_cost *cost)
#define ROOFLINE_ROOF_KEY(OP) const char *roofline_##OP##_roof_key(const roofline_call *call)
#define ROOFLINE_READ_BYTES(OP)                                                                              \
  roofline_status roofline_##OP##_read_bytes(const roofline_call *call, int64_t *bytes)
#define ROOFLINE_DATA_TERMS(OP) const char *roofline_##OP##_data_terms(const roofline_call *call)

#ifdef __cplusplus
}
#endif
#endif
