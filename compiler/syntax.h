/* What the lexer, the grammar and the driver of the stage `parse` share. Nobody else includes this. */
#ifndef COMPILER_SYNTAX_H
#define COMPILER_SYNTAX_H

#include "compiler/parse.h"

typedef struct expr_token {
  int code; /* TOKEN_.., 0 at the end of the text */
  uint32_t begin, end;
  union {
    int64_t i;
    double f;
    str s; /* TOKEN_NAME, TOKEN_STRING */
  } u;
} expr_token;

/* A defect waits until the whole text is read: a rejected form swallows what was found inside it. */
typedef struct syntax_defect {
  diag_code code;
  uint32_t begin, end;
  uint32_t form_begin, form_end; /* the rejected form in which nothing is judged; equal: none */
  str message, help;
  uint32_t related_begin, related_end; /* equal: none */
  str related;
} syntax_defect;

typedef struct syntax {
  arena *a;
  const parse_limits *limits;
  parse_form form;
  const char *text; /* NUL-terminated copy of the scalar's text */
  const char *cursor, *limit;
  expr_token next;      /* is being fed to the grammar */
  expr_token last;      /* was fed before; code 0: none */
  VEC(expr_token) open; /* brackets not closed yet */
  expr_token held;      /* a closing bracket that waits until those inside it are closed; code 0: none */
  VEC(syntax_defect) defects;
  bool padding;     /* tokens are made up to complete a part that breaks off; it is reported already */
  bool stopped;     /* nothing more can be learned */
  uint32_t else_at; /* where the last `else` that is missing should stand; 0: none */
  expr *root;
} syntax;

/* The next token (grammar/expr.re). Reports what is no token; such a one is TOKEN_BAD where an operand
   was meant and TOKEN_UNKNOWN otherwise. */
expr_token expr_lex(syntax *s);
/* Reads all tokens into s->root (grammar/expr.y). */
void expr_run(syntax *s);
/* The next token the grammar is to see: brackets are balanced, a text that breaks off is completed. */
bool syntax_next(syntax *s, expr_token *t);

/* --- defects --- */

/* The pointer is good until the next defect. */
syntax_defect *syntax_refuse(syntax *s, diag_code code, uint32_t begin, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Takes back the last defect of this code at this place. */
void syntax_withdraw(syntax *s, diag_code code, uint32_t begin, uint32_t end);
void syntax_unexpected(syntax *s, const expr_token *t);
void syntax_too_deep(syntax *s, uint32_t begin, uint32_t end);
/* A piece of the text as a message shows it. */
str syntax_shown(syntax *s, uint32_t begin, uint32_t end);

/* --- trees --- */

typedef struct operand {
  expr *e;
  uint32_t begin, end; /* with the parentheses around it */
} operand;

/* A chain of one precedence while it grows: one operand, and the others once there are any. */
typedef struct chain_rest {
  VEC(expr *) args;
  VEC(expr_link) links;
  expr_token identity; /* the first `is`, code 0: none */
  bool refused;        /* some operator is not in the language */
} chain_rest;
typedef struct chain {
  operand whole; /* e: the first operand */
  chain_rest *rest;
} chain;

typedef enum element_form { ELEMENT_PLAIN, ELEMENT_ASSIGNED, ELEMENT_SPLICE, ELEMENT_MAPPING } element_form;
/* One of `a, b, ..` inside brackets. Every bracket takes every form, and then refuses what is not its own. */
typedef struct element {
  element_form form;
  operand value;
  operand target;  /* ELEMENT_ASSIGNED: `target = value` */
  expr_token sign; /* the `=`, `*` or `**` */
} element;
typedef VEC(element) element_list;
typedef struct elements {
  element_list *list; /* NULL: none */
  bool comma;         /* the last is followed by one */
} elements;

/* `for variable in iterable` */
typedef struct loop {
  str variable;
  uint32_t begin, end; /* of the variable */
  operand iterable;
  const char *wrong; /* what of its form is not in the language, or NULL */
} loop;

operand syntax_leaf(syntax *s, expr_op op, const expr_token *t);
operand syntax_prefix(syntax *s, const expr_token *sign, operand x);
chain syntax_chain(operand first);
void syntax_join(syntax *s, chain *c, operand x);
void syntax_link(syntax *s, chain *c, const expr_token *sign, uint32_t sign_end, operand x);
operand syntax_close(syntax *s, expr_op op, const chain *c);
operand syntax_power(syntax *s, operand x, const expr_token *sign, operand y);
operand syntax_if(syntax *s, operand value, const expr_token *sign, operand test, operand otherwise);
operand syntax_if_without_else(syntax *s, operand value, const expr_token *sign, operand test);
operand syntax_question(syntax *s, operand test, const expr_token *sign, operand value, operand otherwise);
operand syntax_lambda(syntax *s, const expr_token *sign, operand body);
operand syntax_walrus(syntax *s, operand x, const expr_token *sign, operand y);
operand syntax_field(syntax *s, operand x, const expr_token *name);
operand syntax_call(syntax *s, operand callee, elements es, const expr_token *close);
operand syntax_index(syntax *s, operand x, const expr_token *open, elements es, const expr_token *close);
/* bounds: from, to, step; a missing one has no tree */
operand syntax_slice(syntax *s, operand x, const operand bounds[3], const expr_token *second_colon,
                     const expr_token *close);
operand syntax_parenthesized(syntax *s, const expr_token *open, elements es, const expr_token *close);
operand syntax_list(syntax *s, const expr_token *open, const expr_token *close);
operand syntax_set(syntax *s, const expr_token *open, const expr_token *close);
operand syntax_comprehension(syntax *s, operand value, const loop *l);
element_list *syntax_append(syntax *s, element_list *list, const element *e);

/* An element where none but plain ones may stand. */
expr *syntax_plain(syntax *s, const element *e);
operand syntax_shape(syntax *s, const expr_token *open, elements es, const expr_token *close);
operand syntax_family(syntax *s, const expr_token *name, elements es, const expr_token *close);
operand syntax_no_shape(syntax *s, uint32_t begin, uint32_t end, const char *instead);

operand syntax_union(syntax *s, const chain *arms);
operand syntax_generic(syntax *s, operand name, const chain *args, const expr_token *close);
operand syntax_dotted(syntax *s, operand name, const expr_token *part);

/* --- literals: report what is wrong and return false --- */
bool literal_integer(syntax *s, expr_token *t, uint32_t base);
bool literal_float(syntax *s, expr_token *t);
bool literal_string(syntax *s, expr_token *t);

#endif
