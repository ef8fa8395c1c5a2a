#include "compiler/name_index.h"

name_index name_index_new(arena *a, uint32_t count) {
  uint32_t size = 4;
  while (size / 2 < count) size *= 2; /* at most half full: a probe ends soon, and always ends */
  return (name_index){arena_array(a, name_slot, size), size - 1};
}

/* FNV-1a */
static uint32_t hash(str name) {
  uint32_t h = 2166136261u;
  for (uint32_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)name.p[i]) * 16777619u;
  return h;
}

static name_slot *slot_of(const name_index *x, str name) {
  uint32_t i = hash(name) & x->mask;
  while (x->slots[i].name.p != NULL && !str_eq(x->slots[i].name, name)) i = (i + 1) & x->mask;
  return &x->slots[i];
}

int64_t name_index_add(name_index *x, str name, uint32_t number) {
  name_slot *s = slot_of(x, name);
  if (s->name.p != NULL) return s->number;
  *s = (name_slot){{name.p != NULL ? name.p : "", name.n}, number};
  return -1;
}

int64_t name_index_find(const name_index *x, str name) {
  if (x->slots == NULL) return -1;
  const name_slot *s = slot_of(x, name);
  return s->name.p != NULL ? (int64_t)s->number : -1;
}
