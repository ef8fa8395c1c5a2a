#include "text/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/diag.h"

/* ---- help ---- */

enum { HELP_COLUMN = 28, HELP_WIDTH = 100 };

/* Words from a column on, broken before the width. */
static void put_wrapped(FILE *out, const char *text, int column) {
  for (int at = column; *text != '\0';) {
    int n = (int)strcspn(text, " ");
    if (at > column && at + 1 + n > HELP_WIDTH) {
      fprintf(out, "\n%*s", column, "");
      at = column;
    }
    if (at > column) at += fprintf(out, " ");
    at += fprintf(out, "%.*s", n, text);
    text += n;
    text += strspn(text, " ");
  }
  fputc('\n', out);
}

static void put_help_line(FILE *out, const char *left, const char *help) {
  int n = fprintf(out, "  %s", left);
  if (n > HELP_COLUMN - 2) {
    fputc('\n', out);
    n = 0;
  }
  fprintf(out, "%*s", HELP_COLUMN - n, "");
  put_wrapped(out, help, HELP_COLUMN);
}

/* What a number is when the option is not given, as help says it; "" for other options. */
static str default_text(arena *a, const arg_option *o) {
  if (o->number != NULL) return arena_printf(a, " (default %u)", *o->number);
  if (o->large_number != NULL)
    return arena_printf(a, " (default %llu)", (unsigned long long)*o->large_number);
  if (o->real != NULL) return arena_printf(a, " (default %g)", *o->real);
  return (str){0};
}

static void put_option(FILE *out, arena *a, const arg_option *o, str otherwise) {
  char letter[3] = {o->letter != 0 ? '-' : ' ', o->letter != 0 ? o->letter : ' ', '\0'};
  str left = arena_printf(a, "%s%s%s%s%s%s", letter,
                          o->name == NULL  ? ""
                          : o->letter != 0 ? ", "
                                           : "  ",
                          o->name != NULL ? "--" : "", o->name != NULL ? o->name : "",
                          o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
  put_help_line(out, left.p, arena_printf(a, "%s%.*s", o->help, STR_ARG(otherwise)).p);
}

/* `defaults` is by option. */
static void put_help(FILE *out, arena *a, const arg_command *c, const str *defaults) {
  fprintf(out, "Usage: %s [options]%s%s\n\n%s\n\nOptions:\n", c->name, c->operands != NULL ? " " : "",
          c->operands != NULL ? c->operands : "", c->summary);
  for (uint32_t i = 0; i < c->option_count; i++) put_option(out, a, &c->options[i], defaults[i]);
  put_option(out, a, &(arg_option){.name = "help", .letter = 'h', .help = "print this text"}, (str){0});
  put_option(out, a, &(arg_option){.name = "version", .help = "print the version"}, (str){0});
}

/* ---- completion: candidates, a tab, what they are ---- */

/* After an option that wants a value, its words; else every option. */
static void put_candidates(const arg_command *c, const char *previous) {
  for (uint32_t i = 0; i < c->option_count; i++) {
    const arg_option *o = &c->options[i];
    const bool named =
        o->name != NULL && strncmp(previous, "--", 2) == 0 && strcmp(previous + 2, o->name) == 0;
    const bool lettered =
        o->letter != 0 && previous[0] == '-' && previous[1] == o->letter && previous[2] == '\0';
    if (o->value == NULL || !(named || lettered)) continue;
    for (const char *word = o->choice != NULL ? o->value : ""; *word != '\0';) {
      const int n = (int)strcspn(word, "|");
      printf("%.*s\n", n, word);
      word += n + (word[n] == '|');
    }
    return;
  }
  for (uint32_t i = 0; i < c->option_count; i++)
    if (c->options[i].name != NULL) printf("--%s\t%s\n", c->options[i].name, c->options[i].help);
  printf("--help\tprint help\n--version\tprint the version\n");
}

/* ---- parsing ---- */

static arg_result wrong(const arg_command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static arg_result wrong(const arg_command *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: ", c->name);
  vfprintf(stderr, format, args);
  fprintf(stderr, " (see '%s --help')\n", c->name);
  va_end(args);
  return ARGS_WRONG;
}

/* Number of the word among "a|b|c", or -1. */
static int choice_number(const char *words, const char *word) {
  size_t n = strlen(word);
  for (int i = 0;; i++) {
    size_t length = strcspn(words, "|");
    if (length == n && strncmp(words, word, n) == 0) return i;
    if (words[length] == '\0') return -1;
    words += length + 1;
  }
}

static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  uint64_t v = 0;
  const char *p = text;
  for (; *p >= '0' && *p <= '9'; p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (v > (UINT64_MAX - digit) / 10) return false;
    v = v * 10 + digit;
  }
  if (p == text || *p != '\0' || v < min || v > max) return false;
  *value = v;
  return true;
}

/* `shown` is the option as written, with its dashes. */
static arg_result set_value(arena *a, const arg_command *c, const arg_option *o, const char *shown,
                            const char *value) {
  if (o->text != NULL) *o->text = value;
  if (o->list != NULL) vec_push(a, o->list, value);
  if (o->choice != NULL) {
    int number = choice_number(o->value, value);
    if (number < 0) return wrong(c, "%s is one of %s, not '%s'", shown, o->value, value);
    *o->choice = (uint32_t)number;
  }
  if (o->number != NULL || o->large_number != NULL) {
    uint64_t number, max = o->max > 0 ? o->max : o->number != NULL ? UINT32_MAX : UINT64_MAX;
    if (!read_number(value, o->min, max, &number))
      return wrong(c, "%s is a whole number from %llu to %llu, not '%s'", shown, (unsigned long long)o->min,
                   (unsigned long long)max, value);
    if (o->number != NULL) *o->number = (uint32_t)number;
    if (o->large_number != NULL) *o->large_number = number;
  }
  if (o->real != NULL) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number))
      return wrong(c, "%s is a number, not '%s'", shown, value);
    *o->real = number;
  }
  return ARGS_OK;
}

/* "--name", "--name=value", "-l" or "-lvalue": the option, how to show it, and its value or NULL. */
static const arg_option *find_option(arena *a, const arg_command *c, const char *argument, const char **shown,
                                     const char **value) {
  bool is_long = argument[1] == '-';
  size_t n = is_long ? strcspn(argument, "=") : 2;
  *shown = arena_cstr(a, (str){argument, (uint32_t)n});
  *value = argument[n] == '\0' ? NULL : argument + n + is_long;
  for (uint32_t i = 0; i < c->option_count; i++) {
    const arg_option *o = &c->options[i];
    if (is_long ? o->name != NULL && strcmp(o->name, *shown + 2) == 0 : o->letter == argument[1]) return o;
  }
  return NULL;
}

static arg_result unknown_option(arena *a, const arg_command *c, const char *shown) {
  str *names = arena_array(a, str, c->option_count);
  for (uint32_t i = 0; i < c->option_count; i++)
    if (c->options[i].name != NULL) names[i] = arena_printf(a, "--%s", c->options[i].name);
  str near = diag_nearest(str_of(shown), names, c->option_count);
  if (near.n == 0) return wrong(c, "unknown option '%s'", shown);
  return wrong(c, "unknown option '%s'; did you mean '%.*s'?", shown, STR_ARG(near));
}

arg_result args_parse(arena *a, const arg_command *c, int argc, char **argv, arg_texts *operands) {
  bool options = true;
  str *defaults = arena_array(a, str, c->option_count + 1);
  for (uint32_t i = 0; i < c->option_count; i++) defaults[i] = default_text(a, &c->options[i]);
  if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
    put_candidates(c, argv[argc - 1]);
    return ARGS_HELP;
  }
  for (int i = 1; i < argc; i++) {
    const char *argument = argv[i], *shown, *value;
    if (options && strcmp(argument, "--") == 0) {
      options = false;
      continue;
    }
    if (!options || argument[0] != '-' || argument[1] == '\0') {
      vec_push(a, operands, argument);
      continue;
    }
    const arg_option *o = find_option(a, c, argument, &shown, &value);
    if (o == NULL && strcmp(argument, "--version") == 0) {
      printf("%.*s %s\n", (int)strcspn(c->name, " "), c->name,
             ROOFLINE_VERSION); /* the program's, not the command's */
      return ARGS_HELP;
    }
    if (o == NULL && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
      put_help(stdout, a, c, defaults);
      return ARGS_HELP;
    }
    if (o == NULL) return unknown_option(a, c, shown);
    if (o->flag != NULL) {
      if (value != NULL) return wrong(c, "%s takes no value", shown);
      *o->flag = true;
      continue;
    }
    if (value == NULL && i + 1 < argc) value = argv[++i];
    if (value == NULL) return wrong(c, "%s needs a value: %s", shown, o->value);
    arg_result result = set_value(a, c, o, shown, value);
    if (result != ARGS_OK) return result;
  }
  uint32_t most = c->operands == NULL ? 0 : c->max_operands > 0 ? c->max_operands : UINT32_MAX;
  if (operands->n > most) return wrong(c, "'%s' is one argument too many", operands->v[most]);
  if (operands->n < c->min_operands) return wrong(c, "an argument is missing: %s", c->operands);
  return ARGS_OK;
}

bool args_is_command(int argc, char **argv, const char *name) {
  const bool complete = argc > 2 && strcmp(argv[1], "--complete") == 0;
  if (argc < 2 || strcmp(argv[complete ? 2 : 1], name) != 0) return false;
  if (complete) {
    argv[2] = argv[1];
    argv[1] = (char *)name;
  }
  return true;
}

int args_run(const arg_program *p, int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  const bool complete = strcmp(name, "--complete") == 0;
  for (uint32_t i = 0; i < p->command_count; i++)
    if (args_is_command(argc, argv, p->commands[i].name)) return p->commands[i].run(argc - 1, argv + 1);
  if (complete) {
    for (uint32_t i = 0; i < p->command_count && argc == 2; i++)
      printf("%s\t%s\n", p->commands[i].name, p->commands[i].summary);
    return 0;
  }
  if (p->version != NULL && strcmp(name, "--version") == 0) {
    printf("%s %s\n", p->name, p->version);
    return 0;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    printf("Usage: %s COMMAND ...\n\n%s\n\nCommands:\n", p->name, p->summary);
    for (uint32_t i = 0; i < p->command_count; i++)
      put_help_line(stdout, p->commands[i].name, p->commands[i].summary);
    printf("\n'%s COMMAND --help' says more about one.\n", p->name);
    return 0;
  }
  if (argc < 2) {
    fprintf(stderr, "%s: a command is missing (see '%s --help')\n", p->name, p->name);
    return 2;
  }
  arena *a = arena_new();
  str *names = arena_array(a, str, p->command_count);
  for (uint32_t i = 0; i < p->command_count; i++) names[i] = str_of(p->commands[i].name);
  str near = diag_nearest(str_of(name), names, p->command_count);
  fprintf(stderr, "%s: unknown command '%s'", p->name, name);
  if (near.n > 0) fprintf(stderr, "; did you mean '%.*s'?", STR_ARG(near));
  fprintf(stderr, " (see '%s --help')\n", p->name);
  arena_free(a);
  return 2;
}
