/* Facts of a manifest entry: what is written, and whether it can be relied on. language.md §2.
   Every fact is absent, malformed (reported; nothing that rests on it is judged) or valid. */
#ifndef COMPILER_ENTRY_H
#define COMPILER_ENTRY_H

#include "compiler/name_index.h"
#include "compiler/parse.h"
#include "compiler/value.h"
#include "roofline/op.h"

typedef enum fact { FACT_ABSENT = 0, FACT_MALFORMED, FACT_VALID } fact;
/* A required fact that is absent has been reported too: signature, workloads, roofline; a tensor's dtype
   and shape; a parameter's type; a family's formals, match and cases. */

/* An expression, a shape or a dtype as written. root is NULL unless state is FACT_VALID. */
typedef struct formula {
  fact state;
  expr_text text;
  const char *what; /* how messages call it: "roofline.flops", "shape of input 'a'" */
  expr *root;
  bool refused; /* something in the text is no syntax: reported, and the rest is judged */
  bool judged;  /* kinds have been inferred, without a defect */
} formula;

typedef enum symbol_class { SYM_INDEX, SYM_PARAM, SYM_LET, SYM_TENSOR } symbol_class;
typedef struct symbol {
  str name;
  symbol_class cls;
  uint32_t number;  /* in its table: indices, params, lets, tensors */
  fact state;       /* of the declaration; MALFORMED for both of two declarations of one name */
  const kind *kind; /* declared or inferred; kind_unknown when malformed; K_TENSOR for a tensor */
  const yt_node *key;
} symbol;

typedef struct index_decl {
  str name;
  const yt_node *key, *node;
  fact state;
  const kind *kind; /* Dim, Shape, DType[..], Seq[Int] */
  uint32_t symbol;
} index_decl;

typedef struct param_decl {
  str name;
  const yt_node *key, *node;
  fact state;
  const expr *type; /* EX_UNION */
  expr_text type_text;
  const kind *kind;
  fact default_state; /* ABSENT: required */
  const yt_node *default_node;
  value default_value;
  bool kw_only;
  int32_t tensor; /* construction-time tensor: its number in `tensors`; else -1 */
  uint32_t symbol;
} param_decl;

typedef enum tensor_presence { PRESENT_ALWAYS, PRESENT_OPTIONAL, PRESENT_IF } tensor_presence;
typedef enum tensor_mutation { MUTATED_NO, MUTATED_YES, MUTATED_IF } tensor_mutation;

typedef struct tensor_decl {
  str name;
  const yt_node *key, *node;
  roofline_role role;
  fact state;    /* MALFORMED: its mapping could not be read at all */
  formula dtype; /* a DType index, dtype parameter, dtype name (EX_NAME too), call of a dtype primitive */
  formula shape; /* EX_SHAPE or EX_APPLY */
  tensor_presence presence;
  formula condition; /* PRESENT_IF: `optional` or `nullable` text; MALFORMED: when it is present is unknown */
  tensor_mutation mutation;
  formula mutated; /* MUTATED_IF; MALFORMED: whether it is written is unknown */
  bool write_only, contiguous, device_cpu, buffer;
  int32_t alias;             /* output: number of the aliased input, or -1 */
  const yt_node *alias_node; /* not NULL with alias -1: what it aliases is unknown (reported) */
  formula values;            /* a generator call; ABSENT: not a metadata tensor */
  formula *requires;
  uint32_t requires_count;
  uint32_t symbol;
} tensor_decl;

typedef struct let_decl {
  str name;
  const yt_node *key;
  formula formula;
  const kind *kind; /* inferred by `kinds` */
  uint32_t symbol;
} let_decl;

typedef struct family_formal {
  str name;
  const yt_node *key;
  const kind *kind;
} family_formal;
typedef enum pattern_op {
  PATTERN_ANY,
  PATTERN_BOOL,
  PATTERN_STRING,
  PATTERN_CTOR,
  PATTERN_PRESENT
} pattern_op;
typedef struct pattern_field {
  uint32_t field;
  value value; /* V_BOOL or V_STRING */
} pattern_field;
typedef struct pattern {
  pattern_op op;
  bool b;        /* PATTERN_BOOL, PATTERN_PRESENT */
  str s;         /* PATTERN_STRING */
  uint32_t ctor; /* PATTERN_CTOR */
  pattern_field *fields;
  uint32_t field_count;
  const yt_node *node;
} pattern;
typedef struct family_case {
  pattern *when; /* one per match; NULL unless VALID */
  formula is;    /* EX_SHAPE or EX_APPLY; has a state of its own */
  const yt_node *node;
  fact state; /* of the pattern */
} family_case;
typedef struct family_match {
  uint32_t formal;
  bool of_presence; /* `match: present(f)` */
  const yt_node *node;
} family_match;
typedef struct family_decl {
  str name;
  const yt_node *key;
  fact state; /* MALFORMED: formals or match unknown; the cases' shapes may still be read */
  family_formal *formals;
  uint32_t formal_count;
  family_match *matches;
  uint32_t match_count;
  family_case *cases;
  uint32_t case_count;
  name_index by_string; /* kinds: cases by their string, where each is `when: <string>` of one match */
} family_decl;

typedef struct combo_cell {
  uint32_t symbol; /* a DType index or dtype parameter */
  roofline_dtype dtype;
  const yt_node *key, *node;
} combo_cell;
typedef struct combo_row {
  const yt_node *node;
  fact state;
  combo_cell *cells;
  uint32_t cell_count;
} combo_row;

typedef struct row_decl {
  const yt_node *node; /* a mapping; its values are read by the stage `rows` */
  fact state;          /* MALFORMED: not a mapping */
  str label;           /* empty: missing or refused (reported); the row's other keys can be judged */
  const yt_node *label_node;
  const yt_node *label_guess; /* without a label: the key that is a misspelt one (reported), or NULL */
} row_decl;

typedef struct stage_decl {
  str name;
  str op, kernel; /* exactly one is not empty */
  const yt_node *node, *op_node;
  bool optional;
} stage_decl;

typedef struct entry {
  const source *src;
  str name;
  const yt_node *key, *node;
  uint32_t line;       /* of the key */
  uint64_t expr_bytes; /* expression text read so far */
  fact state;          /* MALFORMED: not a mapping, nothing further is known */
  str family, status, ref_api;
  fact family_state, status_state;
  bool implemented;
  /* The sections. VALID says the section is a well-formed mapping or list; its members carry their own. */
  fact signature, forall, params, inputs, outputs, types, let, shape_rules, dtype_combos, workloads, roofline,
      composition;
  const yt_node *signature_node, *workloads_node, *roofline_node;
  symbol *symbols; /* declaration order: forall, params, inputs, outputs, let */
  uint32_t symbol_count;
  name_index names; /* symbol number by name; the first in the text of those declared twice */
  index_decl *indices;
  uint32_t index_count;
  param_decl *parameters; /* construction-time tensors too, in order */
  uint32_t param_count;
  tensor_decl *tensors; /* inputs, then construction-time, then outputs */
  uint32_t tensor_count, input_count, construction_count;
  let_decl *lets;
  uint32_t let_count;
  family_decl *families;
  uint32_t family_count;
  formula *rules;
  uint32_t rule_count;
  combo_row *combos;
  uint32_t combo_count;
  row_decl *rows;
  uint32_t row_count;
  formula flops, bytes; /* inline mode */
  fact func_state;
  str func; /* "dotted.path.name" */
  const yt_node *func_node;
  stage_decl *stages;
  uint32_t stage_count;
} entry;

typedef struct manifest_file {
  const source *src;
  const yt_node *root; /* a mapping, or NULL */
  bool is_types;       /* types.yaml: only `adts` */
} manifest_file;

/* Reads types.yaml's `adts` into a table. */
void entry_read_adts(arena *a, diag_sink *sink, const parse_limits *limits, const manifest_file *files,
                     uint32_t file_count, adt_table *out);

/* Reads one entry. Reports every defect of form (unknown and missing keys, wrong YAML values, syntax of
   every expression, names declared twice, reserved names, unknown dtypes, kinds and ADTs, defaults
   outside their type, patterns) and never stops at one. The sink's op is set by the caller. */
entry *entry_read(arena *a, diag_sink *sink, const parse_limits *limits, const adt_table *adts,
                  const source *src, const yt_node *key, const yt_node *node);

/* Symbol by name, or NULL. */
symbol *entry_symbol(const entry *e, str name);

#endif
