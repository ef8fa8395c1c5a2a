/* What the files of the stage `kinds` share: kinds.c (entries), infer.c (expressions), infer_call.c
   (calls), narrow.c (guards). */
#ifndef COMPILER_KINDS_INTERNAL_H
#define COMPILER_KINDS_INTERNAL_H

#include "compiler/kinds.h"
#include "compiler/primitive.h"

/* What a guard has proven about a name: an immutable list, the newest fact first. */
typedef struct fact_list {
  int32_t symbol;
  const kind *kind;
  const struct fact_list *next;
} fact_list;

/* A comprehension's variable. */
typedef struct variable {
  str name;
  const kind *kind;
  const struct variable *outer;
} variable;

typedef enum place {
  PLACE_EXPRESSION, /* a refinement, axis, let, condition, family argument */
  PLACE_VALUES,     /* a generator call: Seq[Int] indices may be read */
  PLACE_REQUIRES,   /* a predicate call: Seq[Int] indices and metadata tensors may be read */
  PLACE_ROOFLINE,   /* bytes(t) may be called */
  PLACE_DTYPE       /* a bare dtype name stands for itself */
} place;

typedef struct infer {
  arena *a;
  diag_sink *sink;
  const entry *e; /* NULL: a condition over `symbols` alone */
  const symbol *symbols;
  uint32_t symbol_count;
  const family_decl *family; /* its formals are the only names, when set */
  const formula *f;          /* the text being judged */
  place place;
  const variable *vars;
  VEC(str) unknown; /* names already reported in this text */
} infer;

/* The kind of e where the facts hold; annotates e. K_UNKNOWN when a defect was reported within. */
const kind *infer_expr(infer *c, expr *e, const fact_list *facts);
const kind *infer_call(infer *c, expr *e, const fact_list *facts);
/* The kind of e, which must lie within `wanted` bits; else a defect at e saying what was wanted. */
const kind *infer_wanted(infer *c, expr *e, const fact_list *facts, uint32_t wanted, const char *what);
/* Facts after e turned out `truth`. */
const fact_list *narrow(infer *c, const expr *e, bool truth, const fact_list *facts);
const kind *fact_kind(const infer *c, int32_t symbol, const fact_list *facts);
/* The symbol whose name e reads (`v` or `v.value`), or -1. */
int32_t expr_symbol_read(const expr *e);

/* Adds one defect about e of the text being judged. */
diag *infer_defect(infer *c, diag_code code, const expr *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
diag *infer_defect_at(infer *c, diag_code code, uint32_t begin, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* "expected Int, found Maybe[Int]"; a kind that may be absent says how to guard it. */
const kind *infer_wrong_kind(infer *c, const expr *e, const kind *found, const char *wanted);
/* Resolves a name to a symbol (or formal) number; reports and returns -1 otherwise. */
int32_t infer_name(infer *c, const expr *e, const kind **k);

/* Is k a sequence of integers (a Shape too)? `maybe`: items may be absent. */
bool kind_is_integers(const kind *k, bool maybe);

#endif
