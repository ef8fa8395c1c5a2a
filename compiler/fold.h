/* Evaluates expressions where some names have values and others do not. With every name known it is an
   evaluator (workload rows); with only discriminants known it is the folder of language.md §6 "Folding at
   a point". Both call the runtime's own primitives. */
#ifndef COMPILER_FOLD_H
#define COMPILER_FOLD_H

#include "compiler/entry.h"

/* A set of symbols. */
typedef struct symbol_set {
  uint64_t *bits;
  uint32_t words;
} symbol_set;
static inline void set_add(symbol_set s, uint32_t i) { s.bits[i / 64] |= UINT64_C(1) << (i % 64); }
static inline bool set_has(symbol_set s, uint32_t i) { return (s.bits[i / 64] >> (i % 64) & 1) != 0; }
symbol_set set_new(arena *a, uint32_t symbols);
void set_clear(symbol_set s);
void set_union(symbol_set to, symbol_set from);

/* Inside a type family's case the formals stand for the arguments of its application. */
typedef struct fold_scope {
  const family_decl *family;
  expr *const *args;
  struct fold_memo *memo; /* one per formal */
  const struct fold_scope *outer;
  const formula *outer_text;
} fold_scope;

typedef struct fold_memo {
  enum { MEMO_FRESH, MEMO_BUSY, MEMO_DONE } state;
  value v;
  symbol_set reads;
} fold_memo;

typedef struct fold_variable {
  str name;
  value v;
  const struct fold_variable *outer;
} fold_variable;

typedef VEC(const formula *) formula_list;

/* What the options of depth may be raised to: an evaluation fits a stack of 8 MiB, sanitized too. */
enum { MOST_EVAL_DEPTH = 3072, MOST_LET_DEPTH = 1024, MOST_FAMILY_DEPTH = 256 };

typedef struct fold {
  arena *a;        /* what one evaluation needs; the caller may reset it between two */
  arena *keep;     /* what lives as long as the folder */
  diag_sink *sink; /* NULL: failures are not reported, only noted in `status` */
  const entry *e;
  value *slots;    /* by symbol. V_UNKNOWN with n = 1: present, but not known. A tensor: V_BOOL presence */
  fold_memo *lets; /* by let */
  fold_memo *conditions; /* by tensor with PRESENT_IF */
  symbol_set reads;      /* what the parts that stay unknown read */
  const formula *f;      /* the text being folded */
  const fold_scope *scope;
  const fold_variable *vars;
  roofline_status status;   /* first failure since it was last cleared */
  const formula *failed_in; /* the text of the last failure */
  formula_list *reported;   /* texts whose failure was reported */
  uint64_t fuel;            /* node visits left: --max-steps; running out ends every judgement */
  uint32_t depth;           /* nodes entered and not left */
  uint32_t max_depth;       /* of them: --max-eval-depth */
  uint32_t max_families;    /* that apply one another on the way to a shape: --max-family-depth */
  const formula *exhausted; /* the text in which it ran out, or got too deep */
  bool too_deep;
  bool open_domain; /* a refinement that may reject combinations is malformed: any of them may be no defect's
                     */
} fold;

/* Was a failure in the text of the last one reported before? Then it is no new defect. */
bool fold_failure_known(const fold *c);
/* With as much depth as the limits' options allow. */
fold fold_new(arena *a, diag_sink *sink, const entry *e);
/* Forgets what was derived from the slots; call after changing them. */
void fold_forget(fold *c);

/* The value of a text that was judged, or V_UNKNOWN: something in it is not known (then noted in
   `reads`), or its evaluation failed (then `status` says so and the failure was reported). */
value fold_formula(fold *c, const formula *f);
value fold_expr(fold *c, const expr *e);
/* Takes steps of the budget; false: they ran out, and `exhausted` says where. */
bool fold_spend(fold *c, uint64_t steps);
/* Enters a node: one step, and one of `max_depth` until `depth` is put back. Texts nest through lets and
   the arguments of type families, each as deep as --max-expr-depth: this bounds the stack. */
bool fold_enter(fold *c);
static inline bool value_known(const value *v) { return v->tag != V_UNKNOWN; }
/* Known through and through: no unknown item, no unknown field. */
bool value_closed(const value *v);

/* Is a tensor passed? 1 yes, 0 no, -1 its condition is not decided. */
int fold_present(fold *c, uint32_t tensor);

/* The shape that a shape text stands for after type families were applied. */
typedef enum shape_fate {
  SHAPE_FOUND,
  SHAPE_UNDECIDED,
  SHAPE_NO_CASE,
  SHAPE_MANY_CASES,
  SHAPE_TOO_DEEP,
  SHAPE_UNJUDGED
} shape_fate;
typedef struct fold_shape {
  const formula *f;  /* the text the axes stand in */
  const expr *shape; /* EX_SHAPE */
  const fold_scope *scope;
  const family_decl *family;         /* the family that failed, for SHAPE_NO_CASE and SHAPE_MANY_CASES: */
  const value *matched;              /* by match, what no case or more than one fits */
  const family_case *first, *second; /* SHAPE_MANY_CASES */
  const formula *at_text;            /* SHAPE_UNDECIDED: the argument that is not decided */
  const expr *at;
} fold_shape;
/* Is what the patterns look at decided? An ADT needs its constructor and finite fields only, presence no
   value at all. */
bool fold_match_decided(const family_match *m, const expr *arg, const value *v);
bool fold_pattern_holds(const pattern *p, const value *v, const kind *k);
shape_fate fold_find_shape(fold *c, const formula *f, fold_shape *out);

/* Folds every axis of a found shape (for what it reads and what fails). With every axis known writes the
   dimensions and returns true; a negative axis or a rank over 16 sets status DOMAIN. */
bool fold_axes(fold *c, const fold_shape *s, roofline_shape *out);

/* One call of a generator or predicate with known arguments. */
struct fold_metadata {
  roofline_shape shape;
  int64_t *values; /* NULL: not drawn */
  int64_t count;
  bool fits_int32; /* every value does */
};
bool fold_generate(fold *c, const tensor_decl *t, bool draw, struct fold_metadata *out);
/* `metadata` by tensor number. */
bool fold_requires(fold *c, const formula *f, const struct fold_metadata *own,
                   const struct fold_metadata *const *metadata);

/* For fold_call.c. */
value fold_call(fold *c, const expr *e);
value fold_all(fold *c, const expr *comprehension);
value fold_fail(fold *c, const expr *e, roofline_status status);
value fold_sequence(fold *c, const value *items, uint32_t n);
roofline_value value_to_runtime(fold *c, const value *v);

#endif
