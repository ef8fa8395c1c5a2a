/* What the files of the stage `emit` share. emit.c drives; emit_names.c spells; emit_expr.c and
   emit_call.c write expressions; emit_tensor.c shapes and sizes; emit_eval.c, emit_bind.c, emit_solve.c,
   emit_rows.c, emit_struct.c the parts of one op; emit_points.c bodies at discriminant points; emit_types.c
   ADTs; emit_main.c the registry and rows_main.c. */
#ifndef COMPILER_EMIT_INTERNAL_H
#define COMPILER_EMIT_INTERNAL_H

#include "compiler/emit.h"
#include "compiler/fold.h"
#include "compiler/primitive.h"

/* ---- spelling (emit_names.c) ---- */

/* GemmFwdOp -> gemm_fwd: the rule of codegen.md "Names". */
str emit_symbol(arena *a, str op_name);
/* The same for any CamelCase name (ADTs keep their whole name). */
str emit_snake(arena *a, str name);
/* A manifest name as a C identifier: a keyword gets a `_`. */
str emit_field(arena *a, str name);
/* Is it what generated functions call something of their own? A local of that name gets a `_`. */
bool emit_is_own_name(str name);
bool emit_is_keyword(str name); /* of C or C++, or a macro or type of what generated code includes */
/* Upper case, with `_` for what an identifier cannot hold. */
str emit_upper(arena *a, str text);
str emit_quote(arena *a, str text);       /* a C string literal */
str emit_quoted_text(arena *a, str text); /* the same, of a text cut where it gets long */
str emit_comment(arena *a, str text);     /* text that may stand in a block comment */
str emit_int(arena *a, int64_t v);

/* Text from a format in which `$` takes a str; also %s, %c, %d, %u, %x as printf's, and %% . Unlike
   printf with STR_ARG it reads an argument once: arguments may render. */
str emit_format(arena *a, const char *format, ...);
void emit_putf(out_text *o, const char *format, ...);
static inline str emit_from(str s, uint32_t begin) { return (str){s.p + begin, s.n - begin}; }
static inline str emit_until(str s, uint32_t end) { return (str){s.p, end}; }

str emit_float(arena *a, double v);

/* Writes `text` at an indent, broken at its outermost commas and operators to stay within the column
   limit; `suffix` (a comment or nothing) follows the last line. */
void emit_line(out_text *o, uint32_t indent, str text);
void emit_linef(out_text *o, uint32_t indent, const char *format, ...);
void emit_block_comment(out_text *o, uint32_t indent, str text);
void emit_check(out_text *o, uint32_t indent,
                str call); /* "if ((status = call) != ROOFLINE_OK) return status;" */

/* Names already taken in one scope; `names_free` gives the wanted one or a variant of it. */
typedef struct name_set {
  arena *a;
  VEC(str) sorted;
} name_set;
bool names_add(name_set *set, str name); /* false: it was there */
str names_free(name_set *set, str wanted);

/* ---- values in C ---- */

/* How a value stands in C. */
typedef enum rep {
  REP_INT,   /* int64_t */
  REP_BOOL,  /* bool */
  REP_ENUM,  /* an integer that `source` explains */
  REP_DTYPE, /* roofline_dtype, NONE when absent */
  REP_FLOAT, /* double */
  REP_SHAPE, /* const roofline_shape * */
  REP_SEQ,   /* roofline_seq */
  REP_ADT,   /* const roofline_adt * */
  REP_VALUE  /* roofline_value */
} rep;
const char *rep_type(rep r); /* "int64_t", ...: as a function returns it */

/* Meaning of an integer that stands for a string. */
typedef struct enum_source {
  const str *members;
  uint32_t count;
  const str *constants;     /* by member */
  const char *open, *close; /* C text around the integer that gives its string */
  bool maybe;               /* 0 stands for absent */
  uint32_t first;           /* the first member's number */
} enum_source;

/* A piece of C text. */
typedef enum prec { PREC_PRIMARY, PREC_UNARY, PREC_COMPARE, PREC_AND, PREC_OR, PREC_IF } prec;
typedef struct cx {
  str text;
  rep rep;
  prec prec;
  const enum_source *source; /* REP_ENUM */
  bool literal;              /* an integer literal, value in `i` */
  int64_t i;
} cx;

/* What a name means besides the entry's symbols: a family's formal (the argument, read in the scope
   around the application) or a comprehension's variable. */
typedef struct env {
  str name;
  const expr *arg;          /* a formal, or the variable of an unrolled comprehension */
  const struct env *around; /* scope of `arg` */
  cx value;                 /* when arg is NULL: a loop's variable, or an ADT field */
  bool variable;            /* passed on to outlined functions */
  bool closed;              /* names not bound up to here are not the entry's: a family's formals end here */
  const struct env *next;
} env;

/* ---- one op ---- */

typedef struct emitter emitter;

typedef struct emit_op {
  emitter *em;
  arena *a;
  const plan *plan;
  const entry *e;
  str symbol;                       /* gemm_fwd */
  str name;                         /* roofline_gemm_fwd */
  str call_type;                    /* roofline_gemm_fwd_call */
  str *fields;                      /* C name by symbol, as a member of the call */
  str *locals;                      /* the same, as a local of a generated function */
  str base_member, metadata_member; /* "roofline" and "metadata", unless a field is called so */
  rep *reps;                        /* stored as, by symbol */
  const enum_source **sources;      /* by symbol, REP_ENUM */
  out_text helpers;                 /* static functions, callees first */
  name_set statics;                 /* names of static functions and data */
  str *let_functions;               /* by let; empty: not written yet */
  struct {
    str body, name;
  } * outlined;
  uint32_t outlined_count, outlined_cap;
  bool has_present, has_metadata, has_out;
  bool *solvable;    /* by index: some input can give it */
  bool *decides;     /* by symbol, while emit_points.c asks: it chooses among sizes or formulas */
  uint32_t choosing; /* what is rendered is such a choice */
  uint32_t budget;   /* nodes still to be written: bounds what nested expansion can make of a small text */
  bool exhausted;
} emit_op;

/* One of the whole, and a copy for each family: families are written at once, and share only what is
   only read then. */
struct emitter {
  arena *a;
  arena *scratch; /* what writing one op takes, but for its part of the files */
  diag_sink *sink;
  const plan_set *plans;
  const emit_options *options;
  emit_files *files;
  str prefix, upper; /* roofline, ROOFLINE */
  name_set globals;  /* every symbol with external linkage and every enum constant */
  emit_op *ops;
  VEC(str) families; /* in order of their first op */
  VEC(str) includes; /* families whose ops the family's source points to */
  VEC(str) hooks;    /* marks of hand-written functions the family's source calls under another name */
};

/* ---- one function under construction ---- */

typedef struct emit_temp {
  str name, declaration;
} emit_temp;
/* prod(X) read more than once, and at least once whatever the conditions say: computed once. */
typedef struct emit_prod {
  str of;   /* X as written */
  str text; /* the call */
  str name; /* of the local; empty: written in place */
  uint32_t uses;
  bool eager;
} emit_prod;

typedef struct emit_fn {
  emit_op *op;
  const char *status; /* how its status is passed on: "status" or "&status" */
  bool locals;        /* scalars are read through locals, declared where used */
  bool *used;         /* by symbol: a local is needed */
  bool *eager;        /* by let: read wherever the function gets, so a local too */
  VEC(emit_temp) temps;
  uint32_t shape_count, items_count;
  VEC(str) size_names; /* element sizes in use: "T_size", and the dtype's text */
  VEC(str) size_texts;
  bool sharing;         /* products are collected, and shared once named */
  uint32_t depth;       /* how deep in an expression what is being rendered stands */
  uint32_t conditional; /* how many conditions stand around what is being rendered */
  VEC(emit_prod) prods;
  const env *env;
  const char *lists; /* C text of the array of Seq[Int] indices, or NULL */
  fold *point;       /* what is known of every call that gets here; NULL: nothing */
} emit_fn;

emit_fn emit_fn_start(emit_op *op, const char *status);
/* Declares what the body reads at the function's top, then writes the body. */
void emit_fn_put(const emit_fn *fn, out_text *o, str body);
/* The same in a function of `self`, any op's call: `call` is it as the op's own. */
void emit_fn_put_self(const emit_fn *fn, out_text *o, str body);
bool emit_mentions(str body, str word);
/* Forgets the temporaries of a rendering that is not kept. */
typedef struct emit_trial {
  uint32_t temps, shapes, items;
} emit_trial;
emit_trial emit_fn_mark(const emit_fn *fn);
void emit_fn_forget(emit_fn *fn, emit_trial mark);
void emit_find_lets(const emit_op *op, const expr *e, bool *read);
void emit_find_eager(const emit_op *op, const expr *e, bool *eager);

/* Renders an expression; as another representation. */
cx emit_expr(emit_fn *fn, const expr *e);
str emit_as(emit_fn *fn, const expr *e, rep want);
str emit_convert(emit_fn *fn, cx c, rep want);
str emit_wrap(emit_fn *fn, cx c, prec most); /* parenthesized when it binds weaker than `most` */
cx emit_call_expr(emit_fn *fn, const expr *e);
str emit_product(emit_fn *fn, const str *factors, uint32_t n);
str emit_prod_of(emit_fn *fn, const expr *seq);
bool emit_share_prods(emit_fn *fn); /* names what the first rendering found worth sharing */
cx emit_symbol_read(emit_fn *fn, uint32_t symbol, const kind *narrowed);
cx emit_compare(emit_fn *fn, const expr *x, link_op op, const expr *y);
cx emit_enum_is(emit_fn *fn, cx value, str member);
cx emit_field_read(emit_fn *fn, cx adt, const kind *k, str field);
str emit_primitive_name(arena *a, primitive_id id);
str emit_primitive_arguments(emit_fn *fn, const expr *call); /* each after ", " */
str emit_present(emit_fn *fn, const expr *name);
rep rep_of_kind(const kind *k);
rep emit_rep(emit_fn *fn, const expr *e);
/* A static function with this body (which may read `parameters` too); equal bodies share one. */
str emit_outline(emit_op *op, const char *base, const char *returns, str parameters, str body);
void emit_remember(emit_op *op, str body, str name);
str emit_arguments(emit_fn *fn, str extra); /* "status, call[, variables][, extra]" */
str emit_variable_parameters(emit_fn *fn);
emit_fn emit_fn_inner(emit_fn *outer);       /* a function that `outer` calls with its variables */
str emit_local(const emit_op *op, str name); /* a name for a local that no other has */
str emit_new_shape(emit_fn *fn);             /* a temporary; its name */
str emit_new_items(emit_fn *fn, uint32_t n);
/* The expression a name stands for, through formals; *scope is where to read on. */
const expr *emit_resolve(const expr *e, const env **scope);
const enum_source *emit_adt_tags(emitter *em, const adt *d);

/* ---- shapes, sizes (emit_tensor.c) ---- */

/* One way a tensor's shape can come out: conditions on its family's matches, all of which hold. */
typedef struct shape_case {
  const expr *shape; /* EX_SHAPE */
  const env *env;
  VEC(const expr *) args; /* what is matched, */
  VEC(const struct env *) arg_envs;
  VEC(const pattern *) patterns; /* against what */
  VEC(bool) of_presence;
} shape_case;
typedef VEC(shape_case) shape_cases;
void emit_shape_cases(emit_fn *fn, const tensor_decl *t, shape_cases *out);
str emit_case_condition(emit_fn *fn, const shape_case *c); /* empty: always */
str emit_shape_text(emit_op *op, const tensor_decl *t);    /* as written in the manifest */
cx emit_tensor_dtype(emit_fn *fn, const tensor_decl *t);
cx emit_tensor_bytes(emit_fn *fn, const tensor_decl *t);
void emit_tensor_function(emit_op *op, out_text *o);

/* ---- discriminant points (emit_points.c) ---- */

/* A function's statements, for calls at a point or (NULL) for any. */
typedef str emit_part(emit_op *op, fold *point);
/* Writes them, where discriminants decide them as a switch over functions of `call` and `parameter`. */
void emit_at_points(emit_op *op, out_text *o, const char *base, const char *parameter, const char *argument,
                    emit_part *part);
/* 1 true, 0 false, -1 not decided at the function's point. */
int emit_truth(const emit_fn *fn, const expr *e);
int emit_is_present(const emit_fn *fn, const tensor_decl *t);
int emit_matches(const emit_fn *fn, const family_decl *f, uint32_t match, const pattern *p, const expr *arg,
                 const env *around);
/* The literal an expression is at the function's point. */
bool emit_constant(const emit_fn *fn, const expr *e, cx *out);

/* ---- parts ---- */

void emit_struct(emit_op *op, out_text *header);
void emit_eval(emit_op *op, out_text *o);
void emit_let_function(emit_op *op, out_text *o);
enum { EMIT_MOST_EVALUATIONS = 1000000 }; /* of lets, by one reading of a let */
bool emit_lets_are_cheap(const emit_op *op);
void emit_bind(emit_op *op, out_text *o);
void emit_solve(emit_fn *fn, out_text *o);
void emit_rows(emit_op *op, out_text *o);
void emit_op_table(emit_op *op, out_text *o);
bool emit_types(emitter *em);
void emit_registry(emitter *em);
void emit_rows_main(emitter *em);
void emit_add_file(emitter *em, str path, str bytes);
str emit_file_comment(emitter *em, const char *what);
/* Guard, includes, extern "C" of a generated header, and their end. */
void emit_open_header(emitter *em, out_text *o, str name, bool with_types);
void emit_close_header(out_text *o);
void emit_collision(emitter *em, span at, str name);

/* ---- facts about an op ---- */

str emit_origin(const emit_op *op);              /* gemm.yaml:24 */
str emit_dtype_name(arena *a, roofline_dtype t); /* ROOFLINE_FLOAT16 */
str emit_adt_type(emitter *em, const adt *d);    /* roofline_m_grouped_layout_type */
bool emit_has_read_bytes(const emit_op *op);
bool emit_has_data_terms(const emit_op *op);
bool emit_calls_formula(const emit_op *op);
bool emit_is_overridden(const emit_op *op); /* by a hand-written roof key, read half or data terms */
str emit_base_name(str path);
str emit_adt_name(emitter *em, const adt *d); /* roofline_m_grouped_layout */

bool emit_is_func(const entry *e);
str emit_func_name(const entry *e); /* last component of the dotted path */
bool emit_defines(const emit_definitions *d, emit_mark_kind what, str name);
static inline bool emit_derives_bytes(const entry *e) {
  return !emit_is_func(e) && e->bytes.state == FACT_ABSENT;
}
/* Is a tensor's presence a field of the call? */
static inline bool emit_presence_varies(const tensor_decl *t) { return t->presence != PRESENT_ALWAYS; }
static inline bool emit_is_metadata(const tensor_decl *t) { return t->values.state == FACT_VALID; }
static inline bool emit_is_passed(const tensor_decl *t) { return t->role != ROOFLINE_OUTPUT || t->buffer; }
/* A parameter that holds a value (not a construction-time tensor). */
static inline bool emit_is_value(const param_decl *p) { return p->tensor < 0; }
static inline bool emit_is_list(const index_decl *i) { return kind_is(i->kind, K_SEQ); }
str emit_declaration(emit_op *op, const tensor_decl *t, const char *part); /* "inputs.a" part */

#endif
