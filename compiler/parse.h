/* Text of a scalar to a syntax tree: re2c lexer, lemon grammar, diagnostics of syntax. */
#ifndef COMPILER_PARSE_H
#define COMPILER_PARSE_H

#include "compiler/ast.h"

typedef enum parse_form {
  PARSE_EXPRESSION, /* a condition, formula, let, argument, generator call, predicate call, dtype field */
  PARSE_SHAPE,      /* "[axis, *S]" or "Family[arg, ...]": EX_SHAPE or EX_APPLY */
  PARSE_TYPE /* a forall kind, a family formal, a parameter type: EX_UNION of EX_NAME (dotted names too),
                EX_STRING, EX_NONE, EX_GENERIC */
} parse_form;

typedef struct parse_limits {
  uint32_t depth;      /* --max-expr-depth, 256: brackets, calls, accesses, unary operators, conditionals; a
                          chain of one precedence is no nesting */
  uint32_t identifier; /* --max-identifier, 255 bytes */
  uint32_t rank;       /* --max-rank, 16: axes written in one shape */
  uint32_t bytes;      /* --max-expr-bytes, 1 MiB: all expression text of one entry, that trees are made of */
} parse_limits;
extern const parse_limits parse_default_limits;

/* Returns NULL only when nothing of the text could be made into a tree (reported). A refused construct
   becomes EX_ERROR in the tree, the root too, and is reported; the rest is judged. `what` is how messages
   call the text ("roofline.flops", "shape of input 'a'"). */
expr *parse_text(arena *a, diag_sink *sink, const parse_limits *limits, parse_form form,
                 const expr_text *text, const char *what);

/* The tree as canonical text, for tests, generated comments and messages: minimal parentheses. */
str expr_print(arena *a, const expr *e);

/* Names that may not be declared: out inf present bytes true True false False None. */
bool parse_is_reserved(str name);
bool parse_is_identifier(str name); /* [A-Za-z_][A-Za-z0-9_]* */

#endif
