/* Syntax trees as canonical text. */
#include "compiler/ast.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/parse.h"

/* How tightly a node binds; an operand that binds more loosely than its place wants parentheses. */
typedef enum binding {
  BIND_CONDITION,
  BIND_OR,
  BIND_AND,
  BIND_NOT,
  BIND_COMPARE,
  BIND_SUM,
  BIND_TERM,
  BIND_FACTOR,
  BIND_PRIMARY
} binding;

static const char *const link_texts[] = {
    [OP_ADD] = " + ", [OP_SUB] = " - ", [OP_MUL] = " * ",        [OP_FLOORDIV] = " // ", [OP_MOD] = " % ",
    [OP_EQ] = " == ", [OP_NE] = " != ", [OP_LT] = " < ",         [OP_LE] = " <= ",       [OP_GT] = " > ",
    [OP_GE] = " >= ", [OP_IN] = " in ", [OP_NOT_IN] = " not in "};

static binding binding_of(const expr *e) {
  switch ((expr_op)e->op) {
  case EX_IF: return BIND_CONDITION;
  case EX_OR: return BIND_OR;
  case EX_AND: return BIND_AND;
  case EX_NOT: return BIND_NOT;
  case EX_COMPARE: return BIND_COMPARE;
  case EX_ARITH: return e->links[0].op <= OP_SUB ? BIND_SUM : BIND_TERM;
  case EX_NEG: return BIND_FACTOR;
  case EX_INT: return e->u.i < 0 ? BIND_FACTOR : BIND_PRIMARY;
  case EX_FLOAT: return signbit(e->u.f) ? BIND_FACTOR : BIND_PRIMARY;
  default: return BIND_PRIMARY;
  }
}

typedef struct printer {
  arena *a;
  VEC(char) out;
} printer;

static void put(printer *p, str s) {
  for (uint32_t i = 0; i < s.n; i++) vec_push(p->a, &p->out, s.p[i]);
}
static void put_text(printer *p, const char *text) { put(p, str_of(text)); }

static void print(printer *p, const expr *e, binding least);

static void print_list(printer *p, const expr *e, uint32_t first, binding least, const char *between) {
  for (uint32_t i = first; i < e->n; i++) {
    if (i > first) put_text(p, between);
    print(p, e->args[i], least);
  }
}

static void print_linked(printer *p, const expr *e, binding least) {
  for (uint32_t i = 0; i < e->n; i++) {
    if (i > 0) put_text(p, link_texts[e->links[i - 1].op]);
    print(p, e->args[i], least);
  }
}

static void print_string(printer *p, str s) {
  static const char named[] = "\\'\n\r\t", letters[] = "\\'nrt";
  put_text(p, "'");
  for (uint32_t i = 0; i < s.n; i++) {
    unsigned char c = (unsigned char)s.p[i];
    const char *escape = c == 0 ? NULL : strchr(named, c);
    if (escape != NULL) {
      put(p, (str){(char[]){'\\', letters[escape - named]}, 2});
    } else if (c < ' ' || c == 0x7f) {
      put(p, arena_printf(p->a, "\\x%02x", c));
    } else {
      put(p, (str){&s.p[i], 1});
    }
  }
  put_text(p, "'");
}

/* The shortest text that reads back as the same double, and as a float; without an exponent where Python
   writes none. */
static void print_float(printer *p, double f) {
  bool exponent = fabs(f) >= 1e16 || fabs(f) < 1e-4;
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    (void)snprintf(text, sizeof text, "%.*g", digits, f);
    if (strtod(text, NULL) == f && (exponent || strchr(text, 'e') == NULL)) break;
  }
  put_text(p, text);
  if (isfinite(f) && strpbrk(text, ".e") == NULL) put_text(p, ".0");
}

static void print_call(printer *p, const expr *e) {
  put(p, e->name);
  put_text(p, "(");
  for (uint32_t i = 0; i < e->n; i++) {
    if (i > 0) put_text(p, ", ");
    if (i >= e->positional) {
      put(p, e->keywords[i - e->positional]);
      put_text(p, "=");
    }
    print(p, e->args[i], BIND_CONDITION);
  }
  put_text(p, ")");
}

static void print_tuple(printer *p, const expr *e) {
  put_text(p, "(");
  print_list(p, e, 0, BIND_CONDITION, ", ");
  put_text(p, e->n == 1 ? ",)" : ")");
}

static void print_bracketed(printer *p, str name, const expr *e) {
  put(p, name);
  put_text(p, "[");
  print_list(p, e, 0, BIND_CONDITION, ", ");
  put_text(p, "]");
}

static void print_access(printer *p, const expr *e) {
  const expr *x = e->args[0];
  /* `1.max` would be read as a malformed number. */
  bool number = e->op == EX_FIELD && (x->op == EX_INT || x->op == EX_FLOAT);
  print(p, x, number ? BIND_PRIMARY + 1 : BIND_PRIMARY);
  if (e->op == EX_FIELD) {
    put_text(p, ".");
    put(p, e->name);
    return;
  }
  put_text(p, "[");
  if (e->args[1] != NULL) print(p, e->args[1], BIND_CONDITION);
  if (e->op == EX_SLICE) put_text(p, ":");
  if (e->op == EX_SLICE && e->args[2] != NULL) print(p, e->args[2], BIND_CONDITION);
  put_text(p, "]");
}

static void print_if(printer *p, const expr *e) {
  print(p, e->args[0], BIND_OR);
  put_text(p, " if ");
  print(p, e->args[1], BIND_OR);
  put_text(p, " else ");
  print(p, e->args[2], BIND_CONDITION);
}

static void print_comprehension(printer *p, const expr *e) {
  print(p, e->args[0], BIND_CONDITION);
  put_text(p, " for ");
  put(p, e->name);
  put_text(p, " in ");
  print(p, e->args[1], BIND_OR);
}

static void print_node(printer *p, const expr *e) {
  switch ((expr_op)e->op) {
  case EX_ERROR: put_text(p, "<malformed>"); return;
  case EX_INT: put(p, arena_printf(p->a, "%" PRId64, e->u.i)); return;
  case EX_FLOAT: print_float(p, e->u.f); return;
  case EX_BOOL: put_text(p, e->u.b ? "True" : "False"); return;
  case EX_NONE: put_text(p, "None"); return;
  case EX_STRING: print_string(p, e->u.s); return;
  case EX_NAME: put(p, e->u.s); return;
  case EX_TUPLE: print_tuple(p, e); return;
  case EX_NEG:
    put_text(p, "-");
    print(p, e->args[0], BIND_FACTOR);
    return;
  case EX_NOT:
    put_text(p, "not ");
    print(p, e->args[0], BIND_NOT);
    return;
  case EX_ARITH: print_linked(p, e, binding_of(e) + 1); return;
  case EX_COMPARE: print_linked(p, e, BIND_SUM); return;
  case EX_AND: print_list(p, e, 0, BIND_NOT, " and "); return;
  case EX_OR: print_list(p, e, 0, BIND_AND, " or "); return;
  case EX_IF: print_if(p, e); return;
  case EX_INDEX:
  case EX_SLICE:
  case EX_FIELD: print_access(p, e); return;
  case EX_CALL: print_call(p, e); return;
  case EX_COMPREHENSION: print_comprehension(p, e); return;
  case EX_SPLICE:
    put_text(p, "*");
    print(p, e->args[0], BIND_SUM);
    return;
  case EX_SHAPE: print_bracketed(p, (str){0}, e); return;
  case EX_APPLY:
  case EX_GENERIC: print_bracketed(p, e->name, e); return;
  case EX_UNION: print_list(p, e, 0, BIND_CONDITION, " | "); return;
  case EX_ELLIPSIS: put_text(p, "..."); return;
  }
}

static void print(printer *p, const expr *e, binding least) {
  bool parenthesized = binding_of(e) < least;
  if (parenthesized) put_text(p, "(");
  print_node(p, e);
  if (parenthesized) put_text(p, ")");
}

str expr_print(arena *a, const expr *e) {
  printer p = {.a = a};
  print(&p, e, BIND_CONDITION);
  return (str){p.out.v, p.out.n};
}
