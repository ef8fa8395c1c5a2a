#include "text/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "text/yaml_private.h"

const yt_limits yt_default_limits = {
    .file_bytes = 64u << 20, .nodes = 4000000, .depth = 128, .alias_nodes = 10000000};

/* A sequence or mapping whose end has not come. */
typedef struct open_node {
  yt_node *node;
  uint32_t first;  /* its first child among `children` */
  int64_t anchor;  /* among `anchors`, or -1 */
  uint32_t height; /* levels of lists and mappings so far, itself included */
} open_node;

typedef struct anchor {
  str name;
  yt_node *node;
  uint64_t
      size; /* nodes below and with it, aliases written out; until it is closed, `written` at its start */
  uint32_t height;
  bool closed;
} anchor;

/* A pair to be sorted by its key; of equal keys the lowest rank stays. */
typedef struct keyed {
  str key;
  uint32_t pair, rank;
} keyed;

typedef struct reader {
  arena *a, *scratch;
  diag_sink *sink;
  const source *src;
  const yt_limits *limits;
  yaml_parser_t parser;
  VEC(open_node) open;
  VEC(yt_node *) children; /* of all open nodes */
  VEC(anchor) anchors;
  uint32_t *anchor_slots; /* by name: the newest anchor's number plus one; open addressing */
  uint32_t anchor_cap, anchor_names;
  VEC(keyed) sorted; /* one mapping's pairs at a time */
  bool ascii;
  uint32_t characters, bytes; /* one place of the text, counted both ways */
  uint32_t nodes;
  uint64_t written;  /* nodes so far, aliases written out */
  uint32_t last_end; /* of what was placed last, where it stands: of an alias, not of its node */
  yt_node *root;
  bool stop, no_tree;
} reader;

/* libyaml counts characters, we count bytes. Its marks advance with the text, so walking from the last
   one costs one pass over a file. */
static uint32_t byte_of(reader *r, size_t index) {
  if (r->ascii) return index < r->src->text.n ? (uint32_t)index : r->src->text.n;
  const char *text = r->src->text.p;
  /* Eight ASCII bytes are eight characters; libyaml's marks mostly move forward, often by fewer. */
  const uint64_t high = UINT64_C(0x8080808080808080);
  for (uint64_t w; r->characters < index && r->bytes + 8 <= r->src->text.n;) {
    memcpy(&w, text + r->bytes, sizeof w);
    if ((w & high) != 0) break;
    const uint32_t step = index - r->characters < 8 ? (uint32_t)(index - r->characters) : 8;
    r->characters += step;
    r->bytes += step;
  }
  for (; r->characters < index && r->bytes < r->src->text.n; r->characters++) do
      r->bytes++;
    while (r->bytes < r->src->text.n && ((unsigned char)text[r->bytes] & 0xC0) == 0x80);
  for (; r->characters > index; r->characters--) do
      r->bytes--;
    while (r->bytes > 0 && ((unsigned char)text[r->bytes] & 0xC0) == 0x80);
  return r->bytes;
}

static span span_at(const reader *r, uint32_t begin, uint32_t end) { return (span){r->src, begin, end}; }

static diag *fail(reader *r, diag_code code, span at, const char *limit, uint32_t value) {
  r->stop = r->no_tree = true;
  diag *d = diag_add(r->sink, code, at, "%s (limit %u, %s)", diag_code_info(code)->title, value, limit);
  return d;
}

static uint32_t space_length(const reader *r, uint32_t at, uint32_t end) {
  const char *p = r->src->text.p + at;
  return at < end && (*p == ' ' || *p == '\t') ? 1 : yt_break_length(p, end - at);
}

/* libyaml reads a byte-order mark at a line's start as a blank. */
static uint32_t skip_spaces(const reader *r, uint32_t at, uint32_t end) {
  const char *text = r->src->text.p;
  for (uint32_t n; (n = space_length(r, at, end)) > 0;) {
    bool new_line = text[at] != ' ' && text[at] != '\t';
    at += n;
    if (new_line && end - at >= 3 && memcmp(text + at, "\xEF\xBB\xBF", 3) == 0) at += 3;
  }
  return at;
}

/* libyaml's marks include a node's anchor and tag; the node itself begins after them. */
static uint32_t skip_properties(const reader *r, uint32_t at, uint32_t end, int count) {
  const char *text = r->src->text.p;
  for (; count > 0 && at < end; count--) {
    bool is_anchor = text[at] == '&', verbatim = at + 1 < end && text[at] == '!' && text[at + 1] == '<';
    at++;
    while (at < end && space_length(r, at, end) == 0 && (verbatim || text[at] != ',') &&
           !(is_anchor && strchr("]}:?", text[at]) != NULL))
      at++;
    at = skip_spaces(r, at, end);
    while (at < end && text[at] == '#') {
      while (at < end && yt_break_length(text + at, end - at) == 0) at++;
      at = skip_spaces(r, at, end);
    }
  }
  return at;
}

static yt_node *new_node(reader *r, yt_kind kind, yt_style style, const yaml_event_t *event, int properties) {
  yt_node *n = arena_new_of(r->a, yt_node);
  n->kind = (uint8_t)kind;
  n->style = (uint8_t)style;
  n->begin = byte_of(r, event->start_mark.index);
  n->end = byte_of(r, event->end_mark.index);
  if (properties > 0)
    n->begin = skip_properties(r, n->begin, kind == YT_SCALAR ? n->end : r->src->text.n, properties);
  r->written++;
  if (++r->nodes > r->limits->nodes)
    fail(r, YAML_TOO_MANY_NODES, span_at(r, n->begin, n->begin), "--max-nodes", r->limits->nodes);
  return n;
}

static void place_node(reader *r, yt_node *n, uint32_t end, uint32_t height) {
  r->last_end = end;
  if (r->open.n == 0) {
    r->root = n;
    return;
  }
  open_node *parent = &r->open.v[r->open.n - 1];
  if (parent->height <= height) parent->height = height + 1;
  vec_push(r->scratch, &r->children, n);
}

/* ---- anchors and aliases ---- */

static uint32_t *anchor_slot(const reader *r, str name) {
  for (uint32_t h = str_hash(name);; h++) {
    uint32_t *slot = &r->anchor_slots[h & (r->anchor_cap - 1)];
    if (*slot == 0 || str_eq(r->anchors.v[*slot - 1].name, name)) return slot;
  }
}

static void grow_anchor_slots(reader *r) {
  uint32_t *old = r->anchor_slots, old_cap = r->anchor_cap;
  r->anchor_cap = old_cap == 0 ? 64 : old_cap * 2;
  r->anchor_slots = arena_array(r->scratch, uint32_t, r->anchor_cap);
  for (uint32_t i = 0; i < old_cap; i++)
    if (old[i] != 0) *anchor_slot(r, r->anchors.v[old[i] - 1].name) = old[i];
}

/* A name may be anchored again; aliases then mean the newest. */
static int64_t add_anchor(reader *r, const unsigned char *name, yt_node *node, uint64_t size, bool closed) {
  if (name == NULL) return -1;
  if (r->anchor_names * 2 >= r->anchor_cap) grow_anchor_slots(r);
  anchor item = {arena_str(r->scratch, str_of((const char *)name)), node, size, 0, closed};
  vec_push(r->scratch, &r->anchors, item);
  uint32_t *slot = anchor_slot(r, item.name);
  r->anchor_names += *slot == 0;
  *slot = r->anchors.n;
  return r->anchors.n - 1;
}

/* What stands where nothing could be read; later stages' complaints about it are dropped. */
static void place_spoiled(reader *r, const yaml_event_t *event) {
  yt_node *n = new_node(r, YT_SCALAR, YT_PLAIN, event, 0);
  n->type = YT_NULL;
  n->u.text = "";
  diag_spoil(r->sink, span_at(r, n->begin, n->end));
  place_node(r, n, n->end, 0);
}

static void read_alias(reader *r, const yaml_event_t *event) {
  str name = str_of((const char *)event->data.alias.anchor);
  uint32_t begin = byte_of(r, event->start_mark.index);
  span at = span_at(r, begin, byte_of(r, event->end_mark.index));
  uint32_t slot = r->anchor_cap == 0 ? 0 : *anchor_slot(r, name);
  const anchor *target = slot == 0 ? NULL : &r->anchors.v[slot - 1];
  if (target == NULL || !target->closed) {
    diag *d = target == NULL
                  ? diag_add(r->sink, YAML_UNDEFINED_ALIAS, at, "no anchor '&%.*s' stands before this alias",
                             STR_ARG(name))
                  : diag_add(r->sink, YAML_RECURSIVE_ALIAS, at,
                             "alias '*%.*s' is inside the node that its anchor marks", STR_ARG(name));
    if (target != NULL)
      diag_relate(r->sink, d, span_at(r, target->node->begin, target->node->begin), "the node begins here");
    if (target == NULL) {
      str *names = arena_array(r->scratch, str, r->anchors.n < 100 ? r->anchors.n : 100);
      uint32_t count = 0;
      for (; count < r->anchors.n && count < 100; count++) names[count] = r->anchors.v[count].name;
      diag_suggest(r->sink, d, name, names, count);
      diag_help(r->sink, d, "a value in which '*' begins no alias is written in double quotes");
    }
    place_spoiled(r, event);
    return;
  }
  r->written += target->size;
  if (r->written > r->limits->alias_nodes) {
    fail(r, YAML_ALIAS_LIMIT, at, "--max-alias-nodes", r->limits->alias_nodes);
    return;
  }
  if (r->open.n + target->height > r->limits->depth) { /* a chain of aliases nests as deeply as brackets do */
    fail(r, YAML_TOO_DEEP, at, "--max-depth", r->limits->depth);
    return;
  }
  place_node(r, target->node, at.end, target->height);
}

/* ---- scalars ---- */

static const struct {
  const char *tag;
  yt_kind kind;
  yt_type type;
} tags[] = {
    {"!", YT_SCALAR, YT_STRING},
    {YAML_STR_TAG, YT_SCALAR, YT_STRING},
    {YAML_INT_TAG, YT_SCALAR, YT_INT},
    {YAML_FLOAT_TAG, YT_SCALAR, YT_FLOAT},
    {YAML_BOOL_TAG, YT_SCALAR, YT_BOOL},
    {YAML_NULL_TAG, YT_SCALAR, YT_NULL},
    {YAML_SEQ_TAG, YT_SEQUENCE, YT_STRING},
    {YAML_MAP_TAG, YT_MAPPING, YT_STRING},
};

/* An event begins with the node's anchor or tag, in either order. */
static span tag_span(const reader *r, uint32_t event_begin) {
  const char *text = r->src->text.p;
  uint32_t at = event_begin, limit = r->src->text.n;
  if (text[at] == '&') at = skip_properties(r, at, limit, 1);
  uint32_t end = at;
  while (end < limit && space_length(r, end, limit) == 0) end++;
  return span_at(r, at, end);
}

static void apply_tag(reader *r, yt_node *n, const unsigned char *tag, uint32_t event_begin) {
  if (tag == NULL || (n->kind != YT_SCALAR && strcmp((const char *)tag, "!") == 0)) return;
  size_t i = 0, count = sizeof tags / sizeof *tags;
  while (i < count && strcmp(tags[i].tag, (const char *)tag) != 0) i++;
  if (i == count) {
    span at = tag_span(r, event_begin);
    diag *d = diag_add(r->sink, YAML_UNKNOWN_TAG, at, "unknown tag '%.*s'", (int)(at.end - at.begin),
                       r->src->text.p + at.begin);
    diag_help(r->sink, d, "allowed: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map");
    return;
  }
  yt_type found = n->kind == YT_SCALAR ? yt_resolve(yt_text(n)) : YT_STRING;
  bool fits = n->kind == tags[i].kind && (tags[i].type == YT_STRING || tags[i].type == found ||
                                          (tags[i].type == YT_FLOAT && found == YT_INT));
  if (fits) {
    n->type = (uint8_t)tags[i].type;
    return;
  }
  diag_add(r->sink, YAML_TAG_MISMATCH, yt_value_span(r->src, n), "this value is no %s",
           strrchr(tags[i].tag, ':') + 1);
  diag_spoil(r->sink, yt_value_span(r->src, n));
}

static yt_style scalar_style(yaml_scalar_style_t style) {
  switch (style) {
  case YAML_SINGLE_QUOTED_SCALAR_STYLE: return YT_SINGLE;
  case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return YT_DOUBLE;
  case YAML_LITERAL_SCALAR_STYLE: return YT_LITERAL;
  case YAML_FOLDED_SCALAR_STYLE: return YT_FOLDED;
  default: return YT_PLAIN;
  }
}

static void read_scalar(reader *r, const yaml_event_t *event) {
  const unsigned char *name = event->data.scalar.anchor, *tag = event->data.scalar.tag;
  str value = {(const char *)event->data.scalar.value, (uint32_t)event->data.scalar.length};
  yt_style style = scalar_style(event->data.scalar.style);
  yt_node *n = new_node(r, YT_SCALAR, style, event, (name != NULL) + (tag != NULL));
  const char *text = r->src->text.p;
  if (style == YT_LITERAL || style == YT_FOLDED) /* libyaml's mark is behind the blank lines that follow */
    while (n->end > n->begin && strchr(" \t\r\n", text[n->end - 1]) != NULL) n->end--;
  uint32_t quote = style == YT_SINGLE || style == YT_DOUBLE;
  str raw = {text + n->begin + quote, n->end - n->begin - 2 * quote};
  n->exact = str_eq(raw, value);
  value = n->exact ? raw : arena_str(r->a, value);
  n->u.text = value.p;
  n->n = value.n;
  n->type = style == YT_PLAIN ? (uint8_t)yt_resolve(value) : YT_STRING;
  apply_tag(r, n, tag, byte_of(r, event->start_mark.index));
  add_anchor(r, name, n, 1, true);
  place_node(r, n, n->end, 0);
}

/* ---- sequences and mappings ---- */

static void open_collection(reader *r, const yaml_event_t *event) {
  bool map = event->type == YAML_MAPPING_START_EVENT;
  const unsigned char *name = map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
  const unsigned char *tag = map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
  bool flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                  : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
  yt_node *n = new_node(r, map ? YT_MAPPING : YT_SEQUENCE, flow ? YT_FLOW : YT_BLOCK, event,
                        (name != NULL) + (tag != NULL));
  if (r->open.n >= r->limits->depth) {
    fail(r, YAML_TOO_DEEP, span_at(r, n->begin, n->begin), "--max-depth", r->limits->depth);
    return;
  }
  apply_tag(r, n, tag, byte_of(r, event->start_mark.index));
  open_node open = {n, r->children.n, add_anchor(r, name, n, r->written - 1, false), 1};
  vec_push(r->scratch, &r->open, open);
}

/* Moves the pairs whose key is not NULL to `to`, and says how many they are. */
static uint32_t keep_pairs(yt_node **to, yt_node **from, uint32_t pairs) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < pairs; i++) {
    if (from[2 * i] == NULL) continue;
    to[2 * kept] = from[2 * i];
    to[2 * kept++ + 1] = from[2 * i + 1];
  }
  return kept;
}

static void drop_nameless(reader *r, yt_node **items, uint32_t *pairs) {
  for (uint32_t i = 0; i < *pairs; i++) {
    const yt_node *key = items[2 * i];
    if (key->kind == YT_SCALAR) continue;
    diag_add(r->sink, YAML_KEY_NOT_SCALAR, yt_span(r->src, key), "a key is a name, not a %s",
             key->kind == YT_MAPPING ? "mapping" : "list");
    items[2 * i] = NULL;
  }
  *pairs = keep_pairs(items, items, *pairs);
}

static void drop_duplicate(reader *r, yt_node **items, uint32_t first, uint32_t again) {
  const yt_node *key = items[2 * again];
  diag *d = diag_add(r->sink, YAML_DUPLICATE_KEY, yt_value_span(r->src, key), "key '%.*s' is given twice",
                     STR_ARG(yt_text(key)));
  diag_relate(r->sink, d, yt_value_span(r->src, items[2 * first]), "first given here");
  items[2 * again] = NULL;
}

static int compare_keyed(const void *left, const void *right) {
  const keyed *a = left, *b = right;
  int c = str_cmp(a->key, b->key);
  return c != 0 ? c : (a->rank > b->rank) - (a->rank < b->rank);
}

static void sort_keys(reader *r) {
  if (r->sorted.n > 1) qsort(r->sorted.v, r->sorted.n, sizeof *r->sorted.v, compare_keyed);
}

/* Sorting keeps a mapping of many keys from costing their square, whatever the keys. */
static void drop_duplicates_sorted(reader *r, yt_node **items, uint32_t pairs) {
  r->sorted.n = 0;
  for (uint32_t i = 0; i < pairs; i++) {
    keyed item = {yt_text(items[2 * i]), i, i};
    vec_push(r->scratch, &r->sorted, item);
  }
  sort_keys(r);
  const keyed *v = r->sorted.v;
  for (uint32_t i = 1, first = 0; i < pairs; i++) {
    if (str_eq(v[i].key, v[first].key))
      drop_duplicate(r, items, v[first].pair, v[i].pair);
    else
      first = i;
  }
}

static void drop_duplicates(reader *r, yt_node **items, uint32_t *pairs) {
  enum { FEW = 16 };
  if (*pairs > FEW) {
    drop_duplicates_sorted(r, items, *pairs);
  } else {
    for (uint32_t i = 1; i < *pairs; i++)
      for (uint32_t j = 0; j < i; j++)
        if (items[2 * j] != NULL && str_eq(yt_text(items[2 * i]), yt_text(items[2 * j]))) {
          drop_duplicate(r, items, j, i);
          break;
        }
  }
  *pairs = keep_pairs(items, items, *pairs);
}

static bool is_merge_key(const yt_node *key) { return key->style == YT_PLAIN && str_is(yt_text(key), "<<"); }

/* Appends a pair to those that will stay; an own one wins over a merged one, an earlier over a later. */
static void rank_pair(reader *r, yt_node *key, yt_node *value, bool merged) {
  keyed item = {yt_text(key), r->sorted.n, r->sorted.n + (merged ? UINT32_MAX / 2 : 0)};
  vec_push(r->scratch, &r->sorted, item);
  vec_push(r->scratch, &r->children, key);
  vec_push(r->scratch, &r->children, value);
}

static void merge_value(reader *r, const yt_node *value) {
  bool list = value->kind == YT_SEQUENCE;
  for (uint32_t i = 0; i < (list ? value->n : 1); i++) {
    const yt_node *from = list ? value->u.items[i] : value;
    if (from->kind != YT_MAPPING) {
      diag *d = diag_add(r->sink, YAML_BAD_MERGE, yt_span(r->src, from),
                         "'<<' merges a mapping or a list of mappings");
      diag_help(r->sink, d, "write '<<: *name' where '&name' marks a mapping");
      continue;
    }
    for (uint32_t j = 0; j < from->n; j++) rank_pair(r, from->u.items[2 * j], from->u.items[2 * j + 1], true);
  }
}

/* Merged pairs stand where `<<` stands. The result is made behind the mapping's own pairs, which it then
   replaces. */
static void resolve_merges(reader *r, uint32_t first, uint32_t *pairs) {
  uint32_t out = first + 2 * *pairs;
  r->children.n = out;
  r->sorted.n = 0;
  for (uint32_t at = first; at < out; at += 2) {
    yt_node *key = r->children.v[at], *value = r->children.v[at + 1];
    if (is_merge_key(key))
      merge_value(r, value);
    else
      rank_pair(r, key, value, false);
  }
  sort_keys(r);
  const keyed *v = r->sorted.v;
  for (uint32_t i = 1; i < r->sorted.n; i++)
    if (str_eq(v[i].key, v[i - 1].key)) r->children.v[out + 2 * v[i].pair] = NULL;
  *pairs = keep_pairs(r->children.v + first, r->children.v + out, r->sorted.n);
}

static void close_mapping(reader *r, yt_node *n, uint32_t first) {
  yt_node **items = r->children.v + first;
  uint32_t pairs = (r->children.n - first) / 2;
  drop_nameless(r, items, &pairs);
  drop_duplicates(r, items, &pairs);
  for (uint32_t i = 0; i < pairs; i++)
    if (is_merge_key(items[2 * i])) {
      resolve_merges(r, first, &pairs);
      break;
    }
  n->n = pairs;
}

static void close_collection(reader *r, const yaml_event_t *event) {
  open_node open = r->open.v[--r->open.n];
  yt_node *n = open.node;
  /* A block ends with its last child, and so does the mapping of `[key: value]`: libyaml's mark is at
     whatever comes next. */
  char opener = n->kind == YT_MAPPING ? '{' : '[';
  if (n->style == YT_FLOW && r->src->text.p[n->begin] == opener)
    n->end = byte_of(r, event->end_mark.index);
  else if (r->children.n > open.first)
    n->end = r->last_end;
  if (n->kind == YT_MAPPING)
    close_mapping(r, n, open.first);
  else
    n->n = r->children.n - open.first;
  uint32_t count = n->kind == YT_MAPPING ? 2 * n->n : n->n;
  n->u.items = arena_array(r->a, yt_node *, count);
  if (count > 0) memcpy(n->u.items, r->children.v + open.first, count * sizeof *n->u.items);
  r->children.n = open.first;
  if (open.anchor >= 0) {
    anchor *mark = &r->anchors.v[open.anchor];
    mark->size = r->written - mark->size;
    mark->height = open.height;
    mark->closed = true;
  }
  place_node(r, n, n->end, open.height);
}

/* ---- the document ---- */

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does what stands at `at` go on with the value before it, as an expression does: Fam[a, b], 'a' | 'b',
   'a' if b else c? YAML ends a value there, unless all of it is quoted. */
static bool is_rest_of_value(const reader *r, uint32_t at) {
  static const char *const words[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
  const str text = r->src->text;
  uint32_t before = at, end = at;
  if (at == text.n) return false;
  while (before > 0 && text.p[before - 1] == ' ') before--;
  while (end < text.n && is_word(text.p[end])) end++;
  const char last = before > 0 ? text.p[before - 1] : '\n', first = text.p[at];
  if (strchr("%@`", first) != NULL) return true; /* no value starts so without quotes */
  if (!is_word(last) && strchr("'\")]}", last) == NULL) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (str_is((str){text.p + at, end - at}, words[i])) return true;
  return strchr("[{|&*+-/<>=!", first) != NULL;
}

static void report_syntax(reader *r) {
  const yaml_parser_t *p = &r->parser;
  r->no_tree = r->stop = true;
  if (p->error == YAML_MEMORY_ERROR) arena_out_of_memory();
  if (p->error == YAML_READER_ERROR) { /* it has no mark, but an offset in bytes */
    uint32_t at = p->problem_offset < r->src->text.n ? (uint32_t)p->problem_offset : r->src->text.n;
    diag_add(r->sink, YAML_SYNTAX, span_at(r, at, at), "not YAML: %s (0x%02X)", p->problem,
             (unsigned)p->problem_value);
    return;
  }
  uint32_t context = byte_of(r, p->context_mark.index), at = byte_of(r, p->problem_mark.index);
  diag *d = diag_add(r->sink, YAML_SYNTAX, span_at(r, at, at), "not YAML: %s",
                     p->problem != NULL ? p->problem : "it cannot be read");
  if (p->context != NULL && context != at)
    diag_relate(r->sink, d, span_at(r, context, context), "%s", p->context);
  if (at < r->src->text.n && r->src->text.p[at] == '\t')
    diag_help(r->sink, d, "indent with blanks, not tabs");
  /* The scanner says where it stopped within a token, and as context where that begins. */
  else if (is_rest_of_value(r, p->error == YAML_SCANNER_ERROR && p->context != NULL ? context : at))
    diag_help(r->sink, d, "write the whole value in double quotes");
}

static void read_event(reader *r, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (r->root != NULL) {
      diag_add(r->sink, YAML_SECOND_DOCUMENT,
               span_at(r, byte_of(r, event->start_mark.index), byte_of(r, event->end_mark.index)),
               "a second document begins here; a file holds one");
      r->stop = true;
    }
    break;
  case YAML_ALIAS_EVENT: read_alias(r, event); break;
  case YAML_SCALAR_EVENT: read_scalar(r, event); break;
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: open_collection(r, event); break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: close_collection(r, event); break;
  case YAML_STREAM_END_EVENT: r->stop = true; break;
  default: break;
  }
}

static bool is_ascii(str s) {
  unsigned char seen = 0;
  for (uint32_t i = 0; i < s.n; i++) seen |= (unsigned char)s.p[i];
  return seen < 0x80;
}

yt_node *yt_parse(arena *a, diag_sink *sink, const source *src, const yt_limits *limits, bool *empty) {
  *empty = false;
  if (src->fault != SOURCE_TEXT) {
    diag_add(sink, src->fault == SOURCE_TOO_LARGE ? INPUT_TOO_LARGE : INPUT_NOT_TEXT,
             (span){src, src->fault_at, src->fault_at}, "%.*s", STR_ARG(src->fault_text));
    return NULL;
  }
  reader r = {.a = a, .scratch = arena_new(), .sink = sink, .src = src, .limits = limits};
  r.ascii = is_ascii(src->text);
  r.children.v =
      arena_grow(r.scratch, NULL, 0, &r.children.cap, sizeof *r.children.v); /* offsets want a base */
  if (!yaml_parser_initialize(&r.parser)) arena_out_of_memory();
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)src->text.p, src->text.n);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING); /* else a second BOM would be skipped, uncounted */
  while (!r.stop) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r.parser, &event)) {
      report_syntax(&r);
      break;
    }
    read_event(&r, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&r.parser);
  arena_free(r.scratch);
  bool nothing = r.root == NULL || (yt_is_null(r.root) && r.root->n == 0);
  *empty = nothing && !r.no_tree;
  return nothing || r.no_tree ? NULL : r.root;
}

yt_node *yt_get(const yt_node *mapping, const char *key, yt_node **key_node) {
  str wanted = str_of(key);
  for (uint32_t i = 0; mapping->kind == YT_MAPPING && i < mapping->n; i++) {
    if (!str_eq(yt_text(mapping->u.items[2 * i]), wanted)) continue;
    if (key_node != NULL) *key_node = mapping->u.items[2 * i];
    return mapping->u.items[2 * i + 1];
  }
  return NULL;
}
