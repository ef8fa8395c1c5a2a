/* Tokens of expressions, shapes, kinds and types. Lexis is Python's (language.md §4). */
#include <math.h>

#include "compiler/syntax.h"
#include "grammar/expr.h"

/*!re2c
  re2c:define:YYCTYPE  = "unsigned char";
  re2c:define:YYCURSOR = "s->cursor";
  re2c:define:YYLIMIT  = "s->limit";
  re2c:define:YYMARKER = "marker";
  re2c:define:YYPEEK   = "(unsigned char)*s->cursor";
  re2c:api:style       = free-form;
  re2c:yyfill:enable   = 0;
  re2c:eof             = 0;

  blank    = [ \t\r\n\f]+;
  letter   = [A-Za-z_];
  digit    = [0-9];
  beyond   = [\x80-\xff];              // a byte of a character that is not ASCII
  name     = letter (letter | digit)*;

  decimal  = [1-9] ("_"? digit)* | "0" ("_"? "0")*;
  hex      = "0" [xX] ("_"? [0-9a-fA-F])+;
  octal    = "0" [oO] ("_"? [0-7])+;
  binary   = "0" [bB] ("_"? [01])+;
  digits   = digit ("_"? digit)*;
  point    = digits? "." digits | digits ".";
  float    = point | (point | digits) [eE] [+-]? digits;
  nonumber = (digit | "." digit) (letter | digit | beyond | ".")*;

  single   = "'" ([^'\\\r\n] | "\\" [^])*;
  double   = '"' ([^"\\\r\n] | "\\" [^])*;
  string   = single "'" | double '"';
*/

static uint32_t here(const syntax *s) { return (uint32_t)(s->cursor - s->text); }

static expr_token ended(const syntax *s, expr_token t, int code) {
  t.code = code;
  t.end = here(s);
  return t;
}

static expr_token refused_string(syntax *s, expr_token t, const char *why, const char *instead) {
  t = ended(s, t, TOKEN_BAD);
  syntax_refuse(s, SYN_STRING, t.begin, t.end, "%s", why)->help = str_of(instead);
  return t;
}

static expr_token refused_character(syntax *s, expr_token t) {
  t = ended(s, t, TOKEN_UNKNOWN);
  str shown = syntax_shown(s, t.begin, t.end);
  syntax_refuse(s, SYN_CHARACTER, t.begin, t.end, "unsupported '%.*s'", STR_ARG(shown))->help =
      STR("names are ASCII letters, digits and '_'");
  return t;
}

/* The rest of a string in three quotes, so that what it holds is not read as more tokens. */
static expr_token triple_quoted(syntax *s, expr_token t) {
  char quote = s->text[t.begin];
  uint32_t run = 0;
  while (s->cursor < s->limit && run < 3) run = *s->cursor++ == quote ? run + 1 : 0;
  return refused_string(s, t, "a string in three quotes", "write it in single quotes");
}

expr_token expr_lex(syntax *s) {
  const char *marker;
  expr_token t;

#define TOKEN(name) return ended(s, t, TOKEN_##name)
#define LITERAL(name, read)                                                                                            \
  t = ended(s, t, TOKEN_##name);                                                                                       \
  if (!(read)) t.code = TOKEN_BAD;                                                                                     \
  return t

next:
  t = (expr_token){.begin = here(s)};
  /*!re2c
    $        { return ended(s, t, 0); }
    blank    { goto next; }

    "and"    { TOKEN(AND); }
    "or"     { TOKEN(OR); }
    "not"    { TOKEN(NOT); }
    "if"     { TOKEN(IF); }
    "else"   { TOKEN(ELSE); }
    "for"    { TOKEN(FOR); }
    "in"     { TOKEN(IN); }
    "is"     { TOKEN(IS); }
    "lambda" { TOKEN(LAMBDA); }
    "inf"    { t.u.f = INFINITY; TOKEN(INF); }
    "None"   { TOKEN(NONE); }
    "true"  | "True"  { TOKEN(TRUE); }
    "false" | "False" { TOKEN(FALSE); }
    name {
      t = ended(s, t, TOKEN_NAME);
      t.u.s = (str){s->text + t.begin, t.end - t.begin};
      if (t.u.s.n <= s->limits->identifier) return t;
      syntax_refuse(s, SYN_IDENTIFIER, t.begin, t.end, "a name of %u bytes is longer than --max-identifier, %u",
                    t.u.s.n, s->limits->identifier);
      TOKEN(BAD);
    }

    decimal { LITERAL(INTEGER, literal_integer(s, &t, 10)); }
    hex     { LITERAL(INTEGER, literal_integer(s, &t, 16)); }
    octal   { LITERAL(INTEGER, literal_integer(s, &t, 8)); }
    binary  { LITERAL(INTEGER, literal_integer(s, &t, 2)); }
    float   { LITERAL(FLOAT, literal_float(s, &t)); }
    string  { LITERAL(STRING, literal_string(s, &t)); }

    "("   { TOKEN(LPAREN); }
    ")"   { TOKEN(RPAREN); }
    "["   { TOKEN(LBRACKET); }
    "]"   { TOKEN(RBRACKET); }
    "{"   { TOKEN(LBRACE); }
    "}"   { TOKEN(RBRACE); }
    ","   { TOKEN(COMMA); }
    ":"   { TOKEN(COLON); }
    "."   { TOKEN(DOT); }
    "..." { TOKEN(ELLIPSIS); }
    "+"   { TOKEN(PLUS); }
    "-"   { TOKEN(MINUS); }
    "*"   { TOKEN(STAR); }
    "//"  { TOKEN(FLOORDIV); }
    "%"   { TOKEN(PERCENT); }
    "=="  { TOKEN(EQ); }
    "!="  { TOKEN(NE); }
    "<"   { TOKEN(LT); }
    "<="  { TOKEN(LE); }
    ">"   { TOKEN(GT); }
    ">="  { TOKEN(GE); }
    "="   { TOKEN(ASSIGN); }
    "|"   { TOKEN(BAR); }

    // Of other languages: the grammar takes them where they would stand, to say what to write instead.
    "/"   { TOKEN(SLASH); }
    "**"  { TOKEN(POWER); }
    "@"   { TOKEN(AT); }
    "&&"  { TOKEN(AMPAMP); }
    "||"  { TOKEN(BARBAR); }
    "!"   { TOKEN(BANG); }
    "&"   { TOKEN(AMP); }
    "^"   { TOKEN(CARET); }
    "~"   { TOKEN(TILDE); }
    "<<"  { TOKEN(SHL); }
    ">>"  { TOKEN(SHR); }
    "<>"  { TOKEN(LTGT); }
    ":="  { TOKEN(WALRUS); }
    "?"   { TOKEN(QUESTION); }

    nonumber {
      t = ended(s, t, TOKEN_BAD);
      str shown = syntax_shown(s, t.begin, t.end);
      syntax_refuse(s, SYN_NUMBER, t.begin, t.end, "'%.*s' is not a number", STR_ARG(shown))->help =
          STR("integers are written 42, 1_000, 0x10, 0o17, 0b1, without leading zeros; floats 1.5, 1e-5");
      return t;
    }
    single | double {
      // Quotes that do not pair shift what is string and what is not: the token between them is no defect.
      syntax_withdraw(s, SYN_UNEXPECTED, s->last.begin, s->last.end);
      return refused_string(s, t, "a string without a closing quote on its line", "close it with the quote that opens it");
    }
    [A-Za-z]{1,2} string {
      return refused_string(s, t, "a string with a prefix", "write a plain string");
    }
    "'''" | '"""' { return triple_quoted(s, t); }
    "#" [^\r\n]* {
      t = ended(s, t, TOKEN_UNKNOWN);
      syntax_refuse(s, SYN_COMMENT, t.begin, t.end, "a comment")->help =
          STR("write a YAML comment beside it");
      goto next;
    }
    (letter | digit | beyond)+ { return refused_character(s, t); }
    *                          { return refused_character(s, t); }
  */
}
