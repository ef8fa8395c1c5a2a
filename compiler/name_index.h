/* Names to numbers, for tables that one entry may fill with hundreds of names. */
#ifndef COMPILER_NAME_INDEX_H
#define COMPILER_NAME_INDEX_H

#include "text/arena.h"

typedef struct name_slot {
  str name; /* {NULL, 0}: free */
  uint32_t number;
} name_slot;
typedef struct name_index {
  name_slot *slots;
  uint32_t mask;
} name_index;

/* Room for `count` names, and no more. */
name_index name_index_new(arena *a, uint32_t count);
/* The number the name already has, or -1 after giving it `number`. */
int64_t name_index_add(name_index *x, str name, uint32_t number);
/* Its number, or -1. */
int64_t name_index_find(const name_index *x, str name);

#endif
