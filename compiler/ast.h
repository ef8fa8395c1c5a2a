/* Syntax trees of the manifest's small languages: expressions, shapes, kinds, parameter types.
   grammar/expr.y makes them; every later stage walks them. language.md §4. */
#ifndef COMPILER_AST_H
#define COMPILER_AST_H

#include "text/yaml_tree.h"

typedef enum expr_op {
  EX_ERROR, /* a refused or malformed part, already reported: nothing about it may be judged. Its args, if
               any, stood in it (the operands of `/`) and are judged, each as an expression of its own */
  /* literals */
  EX_INT,   /* u.i */
  EX_FLOAT, /* u.f; also `inf` */
  EX_BOOL,  /* u.b */
  EX_NONE,
  EX_STRING, /* u.s, escapes resolved */
  EX_NAME,   /* u.s */
  EX_TUPLE,  /* args */
  /* operators; chains of one precedence are flat, so depth is nesting and nothing else */
  EX_NEG,
  EX_NOT,     /* args[0] */
  EX_ARITH,   /* args[0] links[0] args[1] ... left to right; links are OP_ADD.. */
  EX_COMPARE, /* args[0] links[0] args[1] ...; a chain: every link holds */
  EX_AND,
  EX_OR, /* args */
  EX_IF, /* args[0] if args[1] else args[2] */
  /* access */
  EX_INDEX,         /* args[0] [ args[1] ] */
  EX_SLICE,         /* args[0] [ args[1] : args[2] ], either bound may be NULL */
  EX_FIELD,         /* args[0] . name */
  EX_CALL,          /* name ( args...; keywords after position `positional` ) */
  EX_COMPREHENSION, /* args[0] for name in args[1] */
  EX_SPLICE,        /* * args[0] */
  /* shapes */
  EX_SHAPE, /* [ args... ] */
  EX_APPLY, /* name [ args... ], a type family application */
  /* kinds and parameter types */
  EX_UNION,   /* args: A | B | ...; always the root of a parsed type, even with one arm */
  EX_GENERIC, /* name [ args... ]: DType[a | b], Seq[Int], list[int], tuple[int, ...];
                 every arg is an EX_UNION or an EX_ELLIPSIS */
  EX_ELLIPSIS
} expr_op;

typedef enum link_op {
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_FLOORDIV,
  OP_MOD,
  OP_EQ,
  OP_NE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_IN,
  OP_NOT_IN
} link_op;

typedef struct expr_link {
  uint8_t op;          /* link_op */
  uint32_t begin, end; /* the operator's own text */
} expr_link;

typedef struct expr expr;
struct expr {
  uint8_t op; /* expr_op */
  bool parenthesized;
  uint32_t n;          /* args */
  uint32_t positional; /* EX_CALL: how many of args are positional */
  uint32_t begin, end; /* offsets in the text: the whole node (parentheses around it excluded) */
  uint32_t at,
      at_end;     /* what a defect about this node covers: callee, field name, (first) operator, literal */
  uint32_t depth; /* nesting in it, as parse_limits.depth counts; a tree is at most six times as high */
  union {
    int64_t i;
    double f;
    bool b;
    str s;
  } u;
  str name; /* EX_CALL: dotted callee; EX_FIELD: field; EX_COMPREHENSION: variable; EX_APPLY; EX_GENERIC */
  expr **args;
  expr_link *links; /* n - 1 of them, EX_ARITH and EX_COMPARE */
  str *keywords;    /* EX_CALL: n - positional names */
  /* Filled by the stage `kinds`: */
  const struct kind *kind;
  int32_t symbol; /* EX_NAME, present(..), bytes(..): symbol number, or -1 for a comprehension variable;
                     EX_CALL: primitive number; EX_APPLY: family number */
};

/* Where an expression's text stands: a scalar of a source. */
typedef struct expr_text {
  const source *src;
  const yt_node *node;
} expr_text;

static inline span expr_span(const expr_text *t, uint32_t begin, uint32_t end) {
  return yt_text_span(t->src, t->node, begin, end);
}
static inline span expr_at(const expr_text *t, const expr *e) { return expr_span(t, e->at, e->at_end); }
static inline span expr_whole(const expr_text *t, const expr *e) { return expr_span(t, e->begin, e->end); }

#endif
