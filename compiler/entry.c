/* An entry's facts: its own keys, workload rows, roofline block and composition. language.md §2, §7, §8. */
#include "compiler/entry.h"

#include <string.h>

#include "compiler/entry_read.h"

/* ---- the operator's name: [A-Z][A-Za-z0-9]*(Fwd|Bwd)Op ---- */

static bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_op_name(str s) {
  static const uint32_t suffix = sizeof "FwdOp" - 1;
  if (s.n <= suffix || s.p[0] < 'A' || s.p[0] > 'Z') return false;
  for (uint32_t i = 0; i < s.n; i++)
    if (!is_letter_or_digit(s.p[i])) return false;
  const char *end = s.p + s.n - suffix;
  return memcmp(end, "FwdOp", suffix) == 0 || memcmp(end, "BwdOp", suffix) == 0;
}

static void check_op_name(const reader *r, const yt_node *key) {
  str name = yt_text(key);
  if (!is_op_name(name)) {
    diag *d = diag_add(r->sink, ENTRY_OP_NAME, yt_value_span(r->src, key), "'%.*s' is no name of an operator",
                       STR_ARG(name));
    diag_help(r->sink, d,
              "an operator's name is letters and digits, starts with a capital and ends in FwdOp or BwdOp");
  } else {
    check_name_length(r, key);
  }
}

/* ---- workloads ---- */

enum { LABEL_LENGTH = 64 };

static bool is_label(str s) {
  for (uint32_t i = 0; i < s.n; i++)
    if (!is_letter_or_digit(s.p[i]) && strchr("._-", s.p[i]) == NULL) return false;
  return s.n >= 1 && s.n <= LABEL_LENGTH;
}

/* A key that can only be meant for the label: it names nothing, and is close. */
static const yt_node *misspelt_label(const reader *r, const yt_node *row) {
  if (r->e->signature != FACT_VALID || r->e->forall == FACT_MALFORMED || r->e->params == FACT_MALFORMED)
    return NULL;
  const str label = STR("label");
  for (uint32_t i = 0; i < row->n; i++) {
    const yt_node *key = row->u.items[2 * i];
    if (entry_symbol(r->e, yt_text(key)) == NULL && diag_nearest(yt_text(key), &label, 1).n > 0) return key;
  }
  return NULL;
}

static void read_label(const reader *r, row_decl *row, uint32_t number) {
  yt_node *key = NULL;
  row->label_node = yt_get(row->node, "label", &key);
  if (row->label_node == NULL && (row->label_guess = misspelt_label(r, row->node)) != NULL) {
    const str name = yt_text(row->label_guess), label = STR("label");
    diag *d = diag_add(r->sink, ROW_UNKNOWN_KEY, yt_value_span(r->src, row->label_guess),
                       "unknown key '%.*s' in a workload row, which has no label", STR_ARG(name));
    diag_suggest(r->sink, d, name, &label, 1);
    return;
  }
  if (row->label_node == NULL) {
    diag *d =
        diag_add(r->sink, ENTRY_LABEL, yt_span(r->src, row->node), "workloads[%u] has no label", number);
    diag_help(r->sink, d, "a label names the row: 1 to %d letters, digits, '.', '_' and '-'", LABEL_LENGTH);
    return;
  }
  if (yaml_is_string(row->label_node) && is_label(yt_text(row->label_node))) {
    row->label = yt_text(row->label_node);
    return;
  }
  diag *d = diag_add(r->sink, ENTRY_LABEL, yaml_place(r->src, key, row->label_node),
                     "label of workloads[%u] is %.*s", number, STR_ARG(yaml_describe(r->a, row->label_node)));
  diag_help(r->sink, d, "it takes a string of 1 to %d letters, digits, '.', '_' and '-'", LABEL_LENGTH);
  if (row->label_node->kind == YT_SCALAR && is_label(yt_text(row->label_node)) &&
      !yaml_is_string(row->label_node))
    diag_help(r->sink, d, "one that YAML reads as something else needs quotes: '%.*s'",
              STR_ARG(yt_text(row->label_node)));
}

static void read_workloads(reader *r, const slot *s) {
  entry *e = r->e;
  e->workloads = s->state;
  e->workloads_node = s->node;
  e->row_count = member_count(s);
  e->rows = arena_array(r->a, row_decl, e->row_count);
  if (s->state == FACT_VALID && e->row_count == 0) {
    e->workloads = FACT_MALFORMED;
    diag *d =
        diag_add(r->sink, ENTRY_WORKLOADS_EMPTY, yaml_place(r->src, s->key, s->node), "workloads has no row");
    diag_help(r->sink, d, "an operator has at least one row that it is measured and tested on");
  }
  for (uint32_t i = 0; i < e->row_count; i++) {
    row_decl *row = &e->rows[i];
    row->node = s->node->u.items[i];
    row->state = FACT_MALFORMED;
    const char *what = row->node->kind == YT_MAPPING ? "" : what_item(r->a, "workloads", i);
    if (!check_domain(r, DOMAIN_MAP, s->key, row->node, what) || row->node->kind != YT_MAPPING) continue;
    row->state = FACT_VALID;
    read_label(r, row, i);
  }
}

/* ---- roofline ---- */

/* Inline: flops, and bytes or not. func: a path. language.md §8. */
static void check_modes(const reader *r, const slot *roofline, const slot *slots) {
  const slot *flops = &slots[KEY_FLOPS], *bytes = &slots[KEY_BYTES], *func = &slots[KEY_FUNC];
  const slot *inline_key = flops->key != NULL ? flops : bytes;
  if (flops->guessed || bytes->guessed || func->guessed) return; /* which mode is meant is unknown */
  diag *d = NULL;
  if (func->key != NULL && inline_key->key != NULL) {
    d = diag_add(r->sink, ENTRY_ROOFLINE_MODES, yt_value_span(r->src, func->key),
                 "roofline gives both func and %.*s", STR_ARG(yt_text(inline_key->key)));
    diag_relate(r->sink, d, yt_value_span(r->src, inline_key->key), "inline formula");
  } else if (func->key == NULL && inline_key->key == NULL) {
    d = diag_add(r->sink, ENTRY_ROOFLINE_MODES, yaml_place(r->src, roofline->key, roofline->node),
                 "roofline gives neither flops nor func");
  } else if (func->key == NULL && flops->key == NULL) {
    d = diag_add(r->sink, ENTRY_ROOFLINE_MODES, yt_value_span(r->src, bytes->key),
                 "roofline gives bytes without flops");
  }
  diag_help(r->sink, d, "either flops, with bytes when they are not each tensor once, or func");
}

static void read_roofline(reader *r, const slot *s) {
  entry *e = r->e;
  slot slots[KEY_COUNT];
  owner o = {SECTION_ROOFLINE, {0}};
  e->roofline = s->state;
  e->roofline_node = s->node;
  if (s->state != FACT_VALID || !read_section(r, o, s->key, s->node, true, slots)) return;
  check_modes(r, s, slots);
  read_formula(r, &e->flops, PARSE_EXPRESSION, &slots[KEY_FLOPS], "flops", o);
  read_formula(r, &e->bytes, PARSE_EXPRESSION, &slots[KEY_BYTES], "bytes", o);
  const slot *func = &slots[KEY_FUNC];
  e->func_state = func->state;
  e->func_node = func->node;
  e->func = slot_text(func);
}

/* ---- composition ---- */

static void read_stage(const reader *r, stage_decl *stage, const yt_node *key, const yt_node *node,
                       uint32_t number) {
  slot slots[KEY_COUNT];
  const yt_node *name = node->kind == YT_MAPPING ? yt_get(node, "name", NULL) : NULL;
  owner o = {SECTION_STAGE,
             name != NULL && yaml_is_string(name) ? yt_text(name) : arena_printf(r->a, "%u", number)};
  stage->node = node;
  if (!read_section(r, o, node->kind == YT_MAPPING ? node : key, node, false, slots)) return;
  const slot *op = &slots[KEY_STAGE_OP], *kernel = &slots[KEY_STAGE_KERNEL];
  stage->name = slot_text(&slots[KEY_STAGE_NAME]);
  stage->optional = slot_true(&slots[KEY_STAGE_OPTIONAL]);
  if ((op->key != NULL) == (kernel->key != NULL)) {
    span at = op->key != NULL
                  ? yt_value_span(r->src, op->key->begin > kernel->key->begin ? op->key : kernel->key)
                  : yt_span(r->src, node);
    diag *d = diag_add(r->sink, ENTRY_STAGE, at, "%.*s has %s op %s kernel", STR_ARG(owner_text(r->a, o)),
                       op->key != NULL ? "both" : "neither", op->key != NULL ? "and" : "nor");
    diag_help(r->sink, d, "a stage is exactly one of op, another entry, and kernel, which has none");
    return;
  }
  stage->op = slot_text(op);
  stage->op_node = op->node;
  stage->kernel = slot_text(kernel);
}

static void read_composition(reader *r, const slot *s) {
  entry *e = r->e;
  slot slots[KEY_COUNT];
  e->composition = s->state;
  if (s->state != FACT_VALID || yt_is_null(s->node)) return;
  if (!read_section(r, (owner){SECTION_COMPOSITION, {0}}, s->key, s->node, false, slots)) return;
  const slot *stages = &slots[KEY_STAGES];
  e->stage_count = member_count(stages);
  e->stages = arena_array(r->a, stage_decl, e->stage_count);
  name_index names = name_index_new(r->a, e->stage_count);
  for (uint32_t i = 0; i < e->stage_count; i++) {
    stage_decl *stage = &e->stages[i];
    read_stage(r, stage, stages->key, stages->node->u.items[i], i);
    if (stage->name.n == 0) continue;
    int64_t other = name_index_add(&names, stage->name, i);
    if (other >= 0)
      report_twice(r, yt_get(stage->node, "name", NULL), yt_get(e->stages[other].node, "name", NULL),
                   "stage");
  }
}

/* ---- the whole ---- */

entry *entry_read(arena *a, diag_sink *sink, const parse_limits *limits, const adt_table *adts,
                  const source *src, const yt_node *key, const yt_node *node) {
  entry *e = arena_new_of(a, entry);
  reader r = {a, sink, limits, adts, src, e};
  slot slots[KEY_COUNT];
  *e = (entry){.src = src, .name = yt_text(key), .key = key, .node = node, .state = FACT_MALFORMED};
  e->line = source_position(src, key->begin).line;
  check_op_name(&r, key);
  if (!read_section(&r, (owner){SECTION_ENTRY, e->name}, key, node, false, slots)) return e;
  e->state = FACT_VALID;
  e->family = slot_text(&slots[KEY_FAMILY]);
  e->family_state = slots[KEY_FAMILY].state;
  if (e->family_state == FACT_VALID && !check_name_length(&r, slots[KEY_FAMILY].node))
    e->family_state = FACT_MALFORMED;
  e->status = slot_text(&slots[KEY_STATUS]);
  e->status_state = slots[KEY_STATUS].state;
  e->implemented = str_is(e->status, "implemented");
  e->ref_api = slot_text(&slots[KEY_REF_API]);
  read_signature(&r, &slots[KEY_SIGNATURE]);
  read_workloads(&r, &slots[KEY_WORKLOADS]);
  read_roofline(&r, &slots[KEY_ROOFLINE]);
  read_composition(&r, &slots[KEY_COMPOSITION]);
  return e;
}
