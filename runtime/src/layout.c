/* Reading an MGroupedLayout value by its constructor's and fields' names. */
#include <string.h>

#include "layout.h"

static const roofline_adt_field *find_field(const roofline_adt *v, const char *name, int64_t *value) {
  const roofline_adt_ctor *ctor = &v->type->ctors[v->ctor];
  for (int32_t i = 0; i < ctor->field_count; i++) {
    if (strcmp(ctor->fields[i].name, name) != 0) continue;
    *value = v->fields[i];
    return &ctor->fields[i];
  }
  return NULL;
}

/* Whether the enum field `name` is `text`. */
static bool enum_is(const roofline_adt *v, const char *name, const char *text) {
  int64_t position;
  const roofline_adt_field *field = find_field(v, name, &position);
  return field != NULL && field->values != NULL && position >= 0 && position < field->value_count &&
         strcmp(field->values[position], text) == 0;
}

bool layout_read(roofline_status *status, const roofline_adt *layout, layout_form *form) {
  bool known = layout->type != NULL && layout->ctor >= 0 && layout->ctor < layout->type->ctor_count;
  const char *ctor = known ? layout->type->ctors[layout->ctor].name : "";
  *form = (layout_form){.alignment = 1};
  if (strcmp(ctor, "masked") == 0) {
    form->masked = true;
    if (find_field(layout, "max_m", &form->max_m) != NULL && form->max_m >= 0) return true;
  } else if (strcmp(ctor, "contiguous") == 0) {
    form->per_row = enum_is(layout, "metadata_kind", "per_row");
    bool aligned = enum_is(layout, "packing", "aligned");
    if (!aligned || (find_field(layout, "alignment", &form->alignment) != NULL && form->alignment > 0))
      return true;
  }
  roofline_fail(status, ROOFLINE_E_DOMAIN);
  return false;
}
