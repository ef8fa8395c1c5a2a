/* Command lines of both programs, from tables: parsing, messages and help. */
#ifndef TEXT_ARGS_H
#define TEXT_ARGS_H

#include "text/arena.h"

typedef VEC(const char *) arg_texts;

/* One option. Exactly one pointer is set; it says what the option takes and where that goes. Written as
   `--name VALUE`, `--name=VALUE`, `-l VALUE` or `-lVALUE`; given again, the last one counts. */
typedef struct arg_option {
  const char *name; /* without its dashes, or NULL */
  char letter;      /* short form, or 0 */
  const char
      *value; /* what help calls the value, "DIR"; the words of a choice, "text|json"; NULL for a flag */
  const char *help; /* what it does, from a lower-case letter, no period; help adds a number's default */
  bool *flag;       /* no value: set to true */
  const char **text;
  arg_texts *list;  /* every one given */
  uint32_t *choice; /* the number of the word */
  uint32_t *number; /* a whole decimal number of [min, max] */
  uint64_t *large_number;
  double *real;      /* a finite number */
  uint64_t min, max; /* max 0: what the pointer's type holds */
} arg_option;

typedef struct arg_command {
  const char *name;     /* "rooflinec check" */
  const char *summary;  /* a sentence or more; "\n" breaks lines */
  const char *operands; /* "PATH...", or NULL when it takes none */
  const arg_option *options;
  uint32_t option_count;
  uint32_t min_operands, max_operands; /* max 0 with operands set: any number */
} arg_command;

typedef enum arg_result { ARGS_OK, ARGS_HELP, ARGS_WRONG } arg_result;
/* argv[0] is skipped; options and operands mix, "--" ends the options, "-" is an operand. `--help` and
   `--version` print to standard output (ARGS_HELP: exit with 0), so does `--complete WORDS...`, first, with
   what may follow the words, a line each: the word, a tab, what it is (for completion in a shell); what is
   wrong is one line on standard error (ARGS_WRONG: exit with 2). */
arg_result args_parse(arena *a, const arg_command *command, int argc, char **argv, arg_texts *operands);

/* A program of several commands, each with its own arg_command. */
typedef struct arg_subcommand {
  const char *name, *summary;        /* the summary is one line, from a lower-case letter, no period */
  int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
} arg_subcommand;
typedef struct arg_program {
  const char *name; /* "rooflinec", or "roofline records" for a command that has commands itself */
  const char *summary;
  const char *version; /* "1.0.0": --version prints it after the name; or NULL */
  const arg_subcommand *commands;
  uint32_t command_count;
} arg_program;
/* Is argv[1] this command? "--complete check ..." then becomes "check --complete ...", for it completes
 * itself. */
bool args_is_command(int argc, char **argv, const char *name);
/* Runs the command that argv[1] names, or prints help, the version, or what is wrong. */
int args_run(const arg_program *program, int argc, char **argv);

#endif
