/* dtype_combos: rows of the same keys, all distinct. language.md §7. */
#include <stdlib.h>

#include "compiler/entry_read.h"

/* An index or parameter whose value is a dtype; NULL when the name is none (reported), or unknown. */
static const symbol *combo_symbol(const reader *r, const yt_node *key, bool *unknown) {
  const entry *e = r->e;
  const symbol *s = entry_symbol(e, yt_text(key));
  *unknown = s != NULL && (s->state != FACT_VALID || kind_may(s->kind, K_UNKNOWN));
  if (*unknown) return NULL;
  if (s != NULL && (s->cls == SYM_INDEX || s->cls == SYM_PARAM) && kind_is(s->kind, K_DTYPE | K_NONE))
    return s;
  if (s == NULL && (e->forall == FACT_MALFORMED || e->params == FACT_MALFORMED)) {
    *unknown = true;
    return NULL;
  }
  diag *d = diag_add(r->sink, ENTRY_COMBO_NAME, yt_value_span(r->src, key),
                     "'%.*s' in dtype_combos is neither a DType index nor a dtype parameter",
                     STR_ARG(yt_text(key)));
  str names[MAX_OFFERED];
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->symbol_count && n < MAX_OFFERED; i++) {
    const symbol *other = &e->symbols[i];
    if (other->state == FACT_VALID && kind_may(other->kind, K_DTYPE)) names[n++] = other->name;
  }
  diag_list(r->sink, d, "allowed", names, n);
  diag_suggest(r->sink, d, yt_text(key), names, n);
  return NULL;
}

static bool read_cell(const reader *r, combo_cell *cell, const yt_node *key, const yt_node *node) {
  bool unknown;
  const symbol *s = combo_symbol(r, key, &unknown);
  const char *what = arena_cstr(r->a, arena_printf(r->a, "'%.*s' in dtype_combos", STR_ARG(yt_text(key))));
  if (unknown) report_unreached(r, yt_value_span(r->src, key), what, "its declaration is malformed");
  if (s == NULL) return false;
  value v;
  if (!value_of_node(r->a, r->sink, r->src, node, s->kind, NULL, what, &v)) return false;
  *cell =
      (combo_cell){(uint32_t)(s - r->e->symbols), v.tag == V_DTYPE ? v.u.t : ROOFLINE_DTYPE_NONE, key, node};
  return true;
}

static int by_symbol(const void *a, const void *b) {
  uint32_t x = ((const combo_cell *)a)->symbol, y = ((const combo_cell *)b)->symbol;
  return (x > y) - (x < y);
}

static void read_row(const reader *r, combo_row *row, const yt_node *node, const char *what) {
  row->node = node;
  row->state = FACT_MALFORMED;
  if (!check_domain(r, DOMAIN_MAP, NULL, node, what) || node->kind != YT_MAPPING) return;
  row->state = FACT_VALID;
  row->cells = arena_array(r->a, combo_cell, node->n);
  for (uint32_t i = 0; i < node->n; i++) {
    if (read_cell(r, &row->cells[row->cell_count], node->u.items[2 * i], node->u.items[2 * i + 1]))
      row->cell_count++;
    else
      row->state = FACT_MALFORMED;
  }
  if (row->cell_count != 0) qsort(row->cells, row->cell_count, sizeof row->cells[0], by_symbol);
}

static bool same_keys(const combo_row *a, const combo_row *b) {
  bool same = a->cell_count == b->cell_count;
  for (uint32_t i = 0; same && i < a->cell_count; i++) same = a->cells[i].symbol == b->cells[i].symbol;
  return same;
}

/* The row's dtypes, in symbol order, as a name to find equal rows by. */
static str row_text(arena *a, const combo_row *row) {
  char *p = arena_alloc(a, row->cell_count + 1);
  for (uint32_t i = 0; i < row->cell_count; i++) p[i] = (char)('A' + (int)row->cells[i].dtype);
  return (str){p, row->cell_count};
}

static void check_rows(const reader *r) {
  const entry *e = r->e;
  const combo_row *first = NULL;
  name_index seen = name_index_new(r->a, e->combo_count);
  for (uint32_t i = 0; i < e->combo_count; i++) {
    combo_row *row = &e->combos[i];
    if (row->state != FACT_VALID) continue;
    if (first == NULL) first = row;
    if (!same_keys(first, row)) {
      diag *d = diag_add(r->sink, ENTRY_COMBO_KEYS, yt_span(r->src, row->node),
                         "dtype_combos[%u] has other keys than the rows before it", i);
      diag_relate(r->sink, d, yt_span(r->src, first->node), "the first row");
      row->state = FACT_MALFORMED;
      continue;
    }
    int64_t other = name_index_add(&seen, row_text(r->a, row), i);
    if (other < 0) continue;
    diag *d =
        diag_add(r->sink, ENTRY_COMBO_TWICE, yt_span(r->src, row->node), "dtype_combos[%u] repeats a row", i);
    diag_relate(r->sink, d, yt_span(r->src, e->combos[other].node), "first given here");
  }
}

void read_combos(reader *r, const slot *combos) {
  entry *e = r->e;
  e->dtype_combos = combos->state;
  e->combo_count = member_count(combos);
  e->combos = arena_array(r->a, combo_row, e->combo_count);
  for (uint32_t i = 0; i < e->combo_count; i++)
    read_row(r, &e->combos[i], combos->node->u.items[i], what_item(r->a, "dtype_combos", i));
  check_rows(r);
}
