/* primitive.def as a table. */
#include "compiler/primitive.h"

static const primitive primitives[PRIM_COUNT] = {
#define P(id, name, cls, min, max, keyword, meaning) [PRIM_##id] = {name, cls, min, max, keyword, meaning},
#include "compiler/primitive.def"
#undef P
};

const primitive *primitive_get(primitive_id id) { return &primitives[id]; }

int32_t primitive_find(str name) {
  for (int32_t i = 0; i < PRIM_COUNT; i++)
    if (str_is(name, primitives[i].name)) return i;
  return -1;
}
