/* The closed set of primitives, generators and predicates: primitive.def as a table. */
#ifndef COMPILER_PRIMITIVE_H
#define COMPILER_PRIMITIVE_H

#include "text/arena.h"

typedef enum primitive_id {
#define P(id, name, cls, min, max, keyword, meaning) PRIM_##id,
#include "compiler/primitive.def"
#undef P
  PRIM_COUNT
} primitive_id;

typedef enum primitive_class { PRIM_VALUE, PRIM_GENERATOR, PRIM_SEEDED, PRIM_PREDICATE } primitive_class;

typedef struct primitive {
  const char *name; /* as the manifest writes it: "conv.out" */
  primitive_class cls;
  int8_t min, max;     /* arguments; max -1: any number. A predicate's implicit tensor is not counted */
  const char *keyword; /* the last argument may be given by this name; NULL: none may */
  const char *meaning;
} primitive;
const primitive *primitive_get(primitive_id id);
int32_t primitive_find(str name); /* -1 when there is none */

#endif
