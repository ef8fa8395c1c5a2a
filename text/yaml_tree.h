/* libyaml's events as a tree whose every node knows its place and style. language.md §1. */
#ifndef TEXT_YAML_TREE_H
#define TEXT_YAML_TREE_H

#include "text/diag.h"

typedef enum yt_kind { YT_SCALAR, YT_SEQUENCE, YT_MAPPING } yt_kind;
typedef enum yt_style { YT_PLAIN, YT_SINGLE, YT_DOUBLE, YT_LITERAL, YT_FOLDED, YT_BLOCK, YT_FLOW } yt_style;
/* What a scalar is under the YAML 1.2 core schema (quoted and block scalars are strings). */
typedef enum yt_type { YT_STRING, YT_NULL, YT_BOOL, YT_INT, YT_FLOAT } yt_type;

typedef struct yt_node yt_node;
struct yt_node {
  uint8_t kind;        /* yt_kind */
  uint8_t style;       /* yt_style */
  uint8_t type;        /* yt_type, scalars only */
  uint8_t exact;       /* scalars: text equals the source bytes between begin and end (quotes aside) */
  uint32_t n;          /* scalar: bytes of text; sequence: items; mapping: pairs */
  uint32_t begin, end; /* source offsets; a scalar's quotes are included, a block's header too */
  union {
    const char *text; /* scalar value, not terminated */
    yt_node **items;  /* sequence: n nodes; mapping: 2n nodes, key then value (keys are scalars) */
  } u;
};

typedef struct yt_limits {
  uint64_t file_bytes;  /* --max-file-bytes, 64 MiB */
  uint32_t nodes;       /* --max-nodes, 4 million */
  uint32_t depth;       /* --max-depth, 128 */
  uint32_t alias_nodes; /* --max-alias-nodes, 10 million nodes after expansion */
} yt_limits;
extern const yt_limits yt_default_limits;

/* Parses one document. Defects (syntax, duplicate keys with the first as a related place, a key that
   is not a scalar, limits, a second document, unknown tags, undefined aliases) go to the sink. Returns
   NULL when there is no tree at all: a syntax error, or an empty document (`*empty` then says so).
   A duplicate key's later pair is dropped from the tree. `<<` merge keys are resolved: merged pairs
   stand where `<<` stands, a key the mapping gives itself wins, then the earlier of merged mappings. An
   alias is its anchor's node, so the tree shares nodes; limits hold for it written out. Scalar text may
   point into the source. */
yt_node *yt_parse(arena *a, diag_sink *sink, const source *src, const yt_limits *limits, bool *empty);

static inline str yt_text(const yt_node *n) { return (str){n->u.text, n->n}; }
/* Value for a key, or NULL; *key gets the key's node when not NULL. */
yt_node *yt_get(const yt_node *mapping, const char *key, yt_node **key_node);
static inline bool yt_is_null(const yt_node *n) { return n->kind == YT_SCALAR && n->type == YT_NULL; }
/* Value of a YT_INT (false: out of 64-bit range), YT_FLOAT, YT_BOOL scalar. */
bool yt_int(const yt_node *n, int64_t *value);
double yt_float(const yt_node *n);
bool yt_bool(const yt_node *n);
/* A plain scalar that YAML 1.1 tools read as another type (yes, no, on, off, y, n, 012, 1:30, 1_000). */
bool yt_is_yaml11_trap(const yt_node *n);

/* Whole node as written; for a scalar without its quotes (codegen.md: "the scalar without its quotes"). */
span yt_span(const source *src, const yt_node *n);
span yt_value_span(const source *src, const yt_node *n);
/* Source range of bytes [begin, end) of a scalar's text, through quotes, escapes and folding. */
span yt_text_span(const source *src, const yt_node *n, uint32_t begin, uint32_t end);

#endif
