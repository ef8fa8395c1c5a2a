/* Kinds of the language: what a value can be. language.md §3. */
#ifndef COMPILER_KIND_H
#define COMPILER_KIND_H

#include "compiler/ast.h"
#include "roofline/value.h"

/* A kind is a set of alternatives. One bit: a plain kind; NONE and others: a Maybe; several: a union. */
enum {
  K_NONE = 1u << 0, /* absent */
  K_BOOL = 1u << 1,
  K_DIM = 1u << 2, /* integer >= 0; never together with K_INT */
  K_INT = 1u << 3,
  K_ENUM = 1u << 4,  /* one of `members` */
  K_DTYPE = 1u << 5, /* one of `dtypes` */
  K_SHAPE = 1u << 6,
  K_SEQ = 1u << 7,     /* sequence of `item`, `length` items when not -1 */
  K_ADT = 1u << 8,     /* a constructor of `adt` out of `ctors` */
  K_FLOAT = 1u << 9,   /* opaque number: float, Number */
  K_STR = 1u << 10,    /* open string */
  K_OBJECT = 1u << 11, /* any other opaque object */
  K_TENSOR = 1u << 12, /* a tensor's name: only present(t), bytes(t) and metadata arguments take it */
  K_UNKNOWN = 1u << 13 /* not to be judged: something it rests on is malformed, reported elsewhere */
};
#define K_INTEGER (K_DIM | K_INT)
#define K_NUMBER (K_DIM | K_INT | K_FLOAT)

typedef struct adt_field {
  str name;
  str python;              /* or empty */
  const struct kind *kind; /* Dim, Int, Bool or an enum */
  const yt_node *node;
} adt_field;
typedef struct adt_ctor {
  str name, python;
  adt_field *fields;
  uint32_t field_count;
  expr *invariant; /* NULL: none, or one that is malformed (reported) */
  expr_text invariant_text;
  bool invariant_judged; /* a Bool over the fields: values are held against it */
  const yt_node *node;
} adt_ctor;
typedef struct adt {
  str name;
  adt_ctor *ctors;
  uint32_t ctor_count;
  const source *src;
  const yt_node *node;           /* the name's node */
  const roofline_adt_type *type; /* the same as data for the runtime */
  bool malformed;                /* nothing about its fields can be judged */
} adt;

typedef struct kind {
  uint32_t bits;
  uint32_t dtypes; /* K_DTYPE: bit 1 << roofline_dtype */
  uint32_t ctors;  /* K_ADT: bit per constructor */
  int32_t length;  /* K_SEQ: -1 when not fixed */
  uint32_t member_count;
  const str *members;      /* K_ENUM, in declaration order */
  const struct kind *item; /* K_SEQ */
  const adt *adt;          /* K_ADT */
} kind;

extern const kind kind_unknown, kind_none, kind_bool, kind_dim, kind_int, kind_shape, kind_float, kind_str,
    kind_object, kind_tensor, kind_seq_int, kind_dtype_any;

static inline bool kind_is(const kind *k, uint32_t bits) { return k->bits != 0 && (k->bits & ~bits) == 0; }
static inline bool kind_may(const kind *k, uint32_t bits) { return (k->bits & bits) != 0; }
const kind *kind_union(arena *a, const kind *x, const kind *y);
const kind *kind_without(arena *a, const kind *k, uint32_t bits);
bool kind_has_member(const kind *k, str member);
int32_t kind_member(const kind *k, str member); /* position or -1 */
/* "Dim", "Maybe[Int]", "'a' | 'b'", "DType[float16 | bfloat16]": for messages. */
str kind_text(arena *a, const kind *k);

/* The dtype that another library calls so (bf16, half), or {0}. */
str kind_dtype_called(str name);
/* Adds "did you mean 'x'?" with the one of `names` that is near, or a dtype among them called otherwise. */
void kind_suggest(diag_sink *sink, diag *d, str wrong, const str *names, uint32_t count);
/* A parameter's type with its plain lower-case names, opaque as they stand, in quotes; {0}: it has none. */
str kind_type_quoted(arena *a, const expr *type);

/* A parsed `type`, `forall` kind or family formal as a kind. Reports what is wrong in it; NULL then.
   `adts` resolves ADT names. form: which spellings are legal. */
typedef enum kind_form { KIND_INDEX, KIND_FORMAL, KIND_PARAM, KIND_FIELD } kind_form;
typedef struct adt_table {
  adt *adts;
  uint32_t count;
} adt_table;
const kind *kind_of_type(arena *a, diag_sink *sink, kind_form form, const adt_table *adts, const expr *type,
                         const expr_text *text);

#endif
