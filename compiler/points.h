/* Discriminants: the axes of an entry, their groups, and walking every combination. language.md §6. */
#ifndef COMPILER_POINTS_H
#define COMPILER_POINTS_H

#include "compiler/fold.h"

/* One discriminant: a Bool or enum parameter, a Maybe's presence, an ADT's tag and finite fields, an
   optional tensor's presence. */
typedef struct axis {
  uint32_t symbol;
  uint32_t count;
  const value *choices; /* what the symbol's slot holds; NULL: too many to be walked */
  uint32_t group;
} axis;

typedef struct point_group {
  uint32_t *axes;
  uint32_t axis_count;
  uint64_t combinations; /* saturates */
  uint32_t *first;       /* the first accepted combination, a choice per axis; NULL: none is accepted */
} point_group;

/* Something that reads discriminants: a tensor, a rule, a let, a formula. `axes` is a set over axes. */
typedef enum item_kind { ITEM_TENSOR, ITEM_RULE, ITEM_LET, ITEM_FLOPS, ITEM_BYTES } item_kind;
typedef struct item {
  item_kind kind;
  uint32_t number;
  int32_t group; /* -1: reads no discriminant */
} item;

typedef struct points {
  axis *axes;
  uint32_t axis_count;
  point_group *groups;
  uint32_t group_count;
  item *items;
  uint32_t item_count;
  uint64_t combinations; /* the sum over groups; saturates */
} points;

/* Walking an ADT's values to leave out those that its invariant refuses is bounded: a type of more than
   `most` values is an axis of as many without choices, and the sum is then above `most` too. */
void points_find(arena *a, const entry *e, uint32_t most, points *out);

/* Puts a combination into the slots: choice[k] for axis k. Every other slot becomes unknown. */
void points_set(const points *p, fold *c, const uint32_t *choice);
/* Advances the group's axes within `choice`; false after the last combination. */
bool points_next(const points *p, const point_group *g, uint32_t *choice);
/* Puts the group's axes at its first combination; the others keep theirs. */
void points_first(const point_group *g, uint32_t *choice);
/* The choice of an axis that a concrete slot value makes, or -1. */
int32_t points_choice(const axis *x, const value *v);

#endif
