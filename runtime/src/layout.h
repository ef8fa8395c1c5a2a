/* How the rows of an M-grouped operand are organised by expert: a value of the manifest's
   MGroupedLayout, read by its names. */
#ifndef RUNTIME_LAYOUT_H
#define RUNTIME_LAYOUT_H

#include <roofline/primitive.h>

typedef struct layout_form {
  bool masked;       /* max_m slots an expert; else one contiguous run of rows */
  bool per_row;      /* contiguous: metadata gives every row's expert, else every expert's end */
  int64_t max_m;     /* masked */
  int64_t alignment; /* contiguous: an expert's rows start at a multiple of it; 1 when packed tight */
} layout_form;

/* False and DOMAIN when `layout` is no such value. */
bool layout_read(roofline_status *status, const roofline_adt *layout, layout_form *form);

#endif
