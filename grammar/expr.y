/* Syntax of expressions, shapes, kinds and types. language.md §3 to §5.

   One grammar; the driver feeds a start token first that says which form is wanted. A chain of one
   precedence is one flat node, so a tree is as deep as its text is nested. What other languages have
   and this one has not is in the grammar too, to be refused with what to write instead (syntax.c). */
%name ExprParse
%token_prefix TOKEN_
%token_type {expr_token}
%default_type {operand}
%extra_context {syntax *s}
%start_symbol root
%stack_size 0
%include {
#include <stdlib.h>

#include "compiler/syntax.h"
#include "grammar/expr.h"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
}

%syntax_error  { (void)yymajor; syntax_unexpected(s, &TOKEN); }
%parse_failure { s->stopped = true; }
%stack_overflow { arena_out_of_memory(); }

/* No rule takes these, so the parser recovers around them: what is no token at all, and the end of a text
   that breaks off. */
%token UNKNOWN END.

root ::= EXPRESSION element(E).                           { s->root = syntax_plain(s, &E); }
root ::= SHAPE shape(A).                                  { s->root = A.e; }
root ::= TYPE type(T).                                    { s->root = syntax_union(s, &T).e; }

shape(A) ::= LBRACKET(O) elements(E) RBRACKET(C).         { A = syntax_shape(s, &O, E, &C); }
shape(A) ::= NAME(N) LBRACKET elements(E) RBRACKET(C).    { A = syntax_family(s, &N, E, &C); }
/* Shapes written as expressions. */
shape(A) ::= NAME(N).
  { A = syntax_no_shape(s, N.begin, N.end, "write [*S] for a shape S, [N] for one axis N"); }
shape(A) ::= NAME(N) LPAREN elements RPAREN(C).
  { A = syntax_no_shape(s, N.begin, C.end, "write [*f(..)] for a computed shape"); }
shape(A) ::= LPAREN(O) elements RPAREN(C).
  { A = syntax_no_shape(s, O.begin, C.end, "write the axes in square brackets"); }

/* ---- expressions, from loose to tight ---- */

%type or         {chain}
%type and        {chain}
%type comparison {chain}
%type bits       {chain}
%type sum        {chain}
%type term       {chain}

condition(A) ::= or(X).                  { A = syntax_close(s, EX_OR, &X); }
condition(A) ::= or(X) IF(O) or(Y) ELSE condition(Z).
  { A = syntax_if(s, syntax_close(s, EX_OR, &X), &O, syntax_close(s, EX_OR, &Y), Z); }
condition(A) ::= or(X) IF(O) or(Y).
  { A = syntax_if_without_else(s, syntax_close(s, EX_OR, &X), &O, syntax_close(s, EX_OR, &Y)); }
condition(A) ::= or(X) QUESTION(O) condition(Y) COLON condition(Z).
  { A = syntax_question(s, syntax_close(s, EX_OR, &X), &O, Y, Z); }
condition(A) ::= LAMBDA(O) parameters COLON condition(X).
  { A = syntax_lambda(s, &O, X); }

or(A) ::= and(X).                        { A = syntax_chain(syntax_close(s, EX_AND, &X)); }
or(A) ::= or(A) OR|BARBAR(O) and(X).     { syntax_link(s, &A, &O, O.end, syntax_close(s, EX_AND, &X)); }

and(A) ::= not(X).                       { A = syntax_chain(X); }
and(A) ::= and(A) AND|AMPAMP(O) not(X).  { syntax_link(s, &A, &O, O.end, X); }

not(A) ::= comparison(X).                { A = syntax_close(s, EX_COMPARE, &X); }
not(A) ::= NOT(O) not(X).                { A = syntax_prefix(s, &O, X); }

comparison(A) ::= bits(X).               { A = syntax_chain(syntax_close(s, EX_ERROR, &X)); }
comparison(A) ::= comparison(A) EQ|NE|LT|LE|GT|GE|LTGT|IN(O) bits(X).
  { syntax_link(s, &A, &O, O.end, syntax_close(s, EX_ERROR, &X)); }
comparison(A) ::= comparison(A) IS(O) bits(X).
  { syntax_link(s, &A, &O, O.end, syntax_close(s, EX_ERROR, &X)); }
comparison(A) ::= comparison(A) NOT(O) IN(P) bits(X).
  { syntax_link(s, &A, &O, P.end, syntax_close(s, EX_ERROR, &X)); }
comparison(A) ::= comparison(A) IS(O) NOT(P) bits(X).
  { syntax_link(s, &A, &O, P.end, syntax_close(s, EX_ERROR, &X)); }

bits(A) ::= sum(X).                      { A = syntax_chain(syntax_close(s, EX_ARITH, &X)); }
bits(A) ::= bits(A) BAR|CARET|AMP|SHL|SHR(O) sum(X).
  { syntax_link(s, &A, &O, O.end, syntax_close(s, EX_ARITH, &X)); }

sum(A) ::= term(X).                      { A = syntax_chain(syntax_close(s, EX_ARITH, &X)); }
sum(A) ::= sum(A) PLUS|MINUS(O) term(X). { syntax_link(s, &A, &O, O.end, syntax_close(s, EX_ARITH, &X)); }

term(A) ::= factor(X).                   { A = syntax_chain(X); }
term(A) ::= term(A) STAR|FLOORDIV|PERCENT|SLASH|AT(O) factor(X).
  { syntax_link(s, &A, &O, O.end, X); }

factor(A) ::= power(A).
factor(A) ::= MINUS|PLUS|TILDE|BANG(O) factor(X).  { A = syntax_prefix(s, &O, X); }

power(A) ::= primary(A).
power(A) ::= primary(X) POWER(O) factor(Y).        { A = syntax_power(s, X, &O, Y); }

primary(A) ::= atom(A).
primary(A) ::= primary(X) DOT NAME(N).             { A = syntax_field(s, X, &N); }
primary(A) ::= primary(X) LPAREN elements(E) RPAREN(C).
  { A = syntax_call(s, X, E, &C); }
primary(A) ::= primary(X) LBRACKET(O) elements(E) RBRACKET(C).
  { A = syntax_index(s, X, &O, E, &C); }
primary(A) ::= primary(X) LBRACKET bound(F) COLON bound(T) RBRACKET(C).
  { A = syntax_slice(s, X, (const operand[3]){F, T, {0}}, NULL, &C); }
primary(A) ::= primary(X) LBRACKET bound(F) COLON bound(T) COLON(O) bound(P) RBRACKET(C).
  { A = syntax_slice(s, X, (const operand[3]){F, T, P}, &O, &C); }

bound(A) ::= .                           { A = (operand){0}; }
bound(A) ::= condition(A).

atom(A) ::= INTEGER(T).                  { A = syntax_leaf(s, EX_INT, &T); }
atom(A) ::= FLOAT|INF(T).                { A = syntax_leaf(s, EX_FLOAT, &T); }
atom(A) ::= TRUE|FALSE(T).               { A = syntax_leaf(s, EX_BOOL, &T); }
atom(A) ::= NONE(T).                     { A = syntax_leaf(s, EX_NONE, &T); }
atom(A) ::= STRING(T).                   { A = syntax_leaf(s, EX_STRING, &T); }
atom(A) ::= NAME(T).                     { A = syntax_leaf(s, EX_NAME, &T); }
atom(A) ::= LPAREN(O) elements(E) RPAREN(C).
  { A = syntax_parenthesized(s, &O, E, &C); }
atom(A) ::= LBRACKET(O) elements RBRACKET(C).
  { A = syntax_list(s, &O, &C); }
atom(A) ::= LBRACE(O) elements RBRACE(C). { A = syntax_set(s, &O, &C); }
atom(A) ::= LBRACE(O) pairs RBRACE(C).   { A = syntax_set(s, &O, &C); }
atom(A) ::= BAD(T).                      { A = syntax_leaf(s, EX_ERROR, &T); }
atom(A) ::= error.                       { A = syntax_leaf(s, EX_ERROR, &s->next); }

/* ---- what stands inside brackets ---- */

%type elements {elements}
%type list     {element_list *}
%type element  {element}

elements(A) ::= .                        { A = (elements){NULL, false}; }
elements(A) ::= list(L).                 { A = (elements){L, false}; }
elements(A) ::= list(L) COMMA.           { A = (elements){L, true}; }
list(A) ::= element(E).                  { A = syntax_append(s, NULL, &E); }
list(A) ::= list(L) COMMA element(E).    { A = syntax_append(s, L, &E); }

element(A) ::= condition(X).
  { A = (element){.form = ELEMENT_PLAIN, .value = X}; }
element(A) ::= condition(X) ASSIGN(O) condition(Y).
  { A = (element){.form = ELEMENT_ASSIGNED, .target = X, .value = Y, .sign = O}; }
element(A) ::= condition(X) WALRUS(O) condition(Y).
  { A = (element){.form = ELEMENT_PLAIN, .value = syntax_walrus(s, X, &O, Y)}; }
element(A) ::= STAR(O) bits(X).
  { A = (element){.form = ELEMENT_SPLICE, .value = syntax_close(s, EX_ERROR, &X), .sign = O}; }
element(A) ::= POWER(O) bits(X).
  { A = (element){.form = ELEMENT_MAPPING, .value = syntax_close(s, EX_ERROR, &X), .sign = O}; }
element(A) ::= condition(X) loops(L).
  { A = (element){.form = ELEMENT_PLAIN, .value = syntax_comprehension(s, X, &L)}; }

%type loops  {loop}
%type loop   {loop}
%type target {loop}

loops(A) ::= loop(A).
loops(A) ::= loops(A) loop(L).           { A.wrong = "a second 'for'"; A.iterable.end = L.iterable.end; }
loops(A) ::= loops(A) IF or(X).          { A.wrong = "'if'"; A.iterable.end = X.whole.end; }
loop(A) ::= FOR target(T) IN or(X).      { A = T; A.iterable = syntax_close(s, EX_OR, &X); }
target(A) ::= NAME(N).                   { A = (loop){.variable = N.u.s, .begin = N.begin, .end = N.end}; }
target(A) ::= target(A) COMMA NAME(N).   { A.wrong = "several names after 'for'"; A.end = N.end; }
target(A) ::= LPAREN target(T) RPAREN.   { A = T; A.wrong = "parentheses after 'for'"; }

pairs ::= pair.
pairs ::= pairs COMMA pair.
pairs ::= pairs COMMA.
pair ::= condition COLON condition.
pair ::= condition COLON condition loops.

parameters ::= .
parameters ::= parameters NAME|COMMA|STAR|POWER|ASSIGN|INTEGER|FLOAT|STRING|TRUE|FALSE|NONE.

/* ---- kinds and types ---- */

%type type      {chain}
%type arguments {chain}

type(A) ::= arm(X).                      { A = syntax_chain(X); }
type(A) ::= type(A) BAR arm(X).          { syntax_join(s, &A, X); }

arm(A) ::= dotted(A).
arm(A) ::= dotted(N) LBRACKET arguments(L) RBRACKET(C).  { A = syntax_generic(s, N, &L, &C); }
arm(A) ::= STRING(T).                    { A = syntax_leaf(s, EX_STRING, &T); }
arm(A) ::= NONE(T).                      { A = syntax_leaf(s, EX_NONE, &T); }
arm(A) ::= BAD(T).                       { A = syntax_leaf(s, EX_ERROR, &T); }
arm(A) ::= error.                        { A = syntax_leaf(s, EX_ERROR, &s->next); }

dotted(A) ::= NAME(T).                   { A = syntax_leaf(s, EX_NAME, &T); }
dotted(A) ::= dotted(X) DOT NAME(N).     { A = syntax_dotted(s, X, &N); }

arguments(A) ::= argument(X).            { A = syntax_chain(X); }
arguments(A) ::= arguments(A) COMMA argument(X).  { syntax_join(s, &A, X); }
argument(A) ::= type(T).                 { A = syntax_union(s, &T); }
argument(A) ::= ELLIPSIS(T).             { A = syntax_leaf(s, EX_ELLIPSIS, &T); }

%code {
/* One level of nesting holds at most two dozen symbols on the parser's stack: an operand and an operator
   of each precedence, a bracket, a list. A higher stack is nested deeper than allowed. */
enum { SYMBOLS_PER_LEVEL = 24, SYMBOLS_AT_TOP = 64 };

void expr_run(syntax *s) {
  static const int starts[] = {[PARSE_EXPRESSION] = TOKEN_EXPRESSION, [PARSE_SHAPE] = TOKEN_SHAPE,
                               [PARSE_TYPE] = TOKEN_TYPE};
  yyParser parser;
  expr_token t = {.code = starts[s->form]};
  ExprParseInit(&parser, s);
  ExprParse(&parser, t.code, t);
  while (!s->stopped && syntax_next(s, &t)) {
    s->next = t;
    ExprParse(&parser, t.code, t);
    s->last = t;
    uint64_t height = (uint64_t)(parser.yytos - parser.yystack);
    if (height > (uint64_t)s->limits->depth * SYMBOLS_PER_LEVEL + SYMBOLS_AT_TOP)
      syntax_too_deep(s, t.begin, t.end);
  }
  if (!s->stopped) ExprParse(&parser, 0, t);
  ExprParseFinalize(&parser);
}
}
