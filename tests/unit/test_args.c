/* Command lines: every way of writing an option, and what is said of a wrong one. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/args.h"

typedef struct options {
  bool strict;
  const char *output;
  arg_texts formulas, operands;
  uint32_t format, errors, depth;
  uint64_t bytes;
  double ratio;
} options;

enum { MOST_WORDS = 12 };

/* Runs f with a stream turned into a file, and returns what was written. */
static char captured[4096];
static int saved_fd;
static FILE *capture_file;

static void capture(FILE *stream) {
  fflush(stream);
  saved_fd = dup(fileno(stream));
  capture_file = tmpfile();
  dup2(fileno(capture_file), fileno(stream));
}

static void release(FILE *stream) {
  fflush(stream);
  dup2(saved_fd, fileno(stream));
  close(saved_fd);
  rewind(capture_file);
  captured[fread(captured, 1, sizeof captured - 1, capture_file)] = '\0';
  fclose(capture_file);
}

/* The words of a line after "check", as argv. */
static arg_result parse(arena *a, options *o, const char *line) {
  const arg_option table[] = {
      {"format", 0, "text|json|sarif", "the form of the diagnostics", .choice = &o->format},
      {"strict", 's', NULL, "warnings count as errors", .flag = &o->strict},
      {"output", 'o', "DIR", "where files go", .text = &o->output},
      {"formulas", 0, "PATH", "repeatable", .list = &o->formulas},
      {"max-errors", 0, "N", "how many", .number = &o->errors},
      {"max-depth", 0, "N", "how deep", .number = &o->depth, .min = 1, .max = 1000},
      {"max-file-bytes", 0, "N", "how large", .large_number = &o->bytes},
      {"ratio", 0, "X", "a number", .real = &o->ratio},
  };
  const arg_command command = {.name = "rooflinec check",
                               .summary = "Checks a manifest.",
                               .operands = "PATH...",
                               .options = table,
                               .option_count = sizeof table / sizeof *table,
                               .min_operands = 1};
  char *argv[MOST_WORDS] = {"check"};
  int argc = 1;
  for (char *word = strtok(arena_cstr(a, str_of(line)), " "); word != NULL; word = strtok(NULL, " "))
    argv[argc++] = word;
  capture(stderr);
  arg_result result = args_parse(a, &command, argc, argv, &o->operands);
  release(stderr);
  return result;
}

static void test_forms(void **state) {
  (void)state;
  arena *a = arena_new();
  options o = {0};
  assert_int_equal(parse(a, &o, "x --format=json -odir y --strict --formulas a --formulas=b"), ARGS_OK);
  assert_int_equal(o.format, 1);
  assert_true(o.strict);
  assert_string_equal(o.output, "dir");
  assert_int_equal(o.formulas.n, 2);
  assert_string_equal(o.formulas.v[1], "b");
  assert_int_equal(o.operands.n, 2);
  assert_string_equal(o.operands.v[1], "y");
  o = (options){0};
  assert_int_equal(parse(a, &o, "-o dir --output=other -s --format sarif - -- --strict"), ARGS_OK);
  assert_string_equal(o.output, "other");
  assert_int_equal(o.format, 2);
  assert_int_equal(o.operands.n, 2);
  assert_string_equal(o.operands.v[0], "-");
  assert_string_equal(o.operands.v[1], "--strict");
  o = (options){.output = "x"};
  assert_int_equal(parse(a, &o, "--output= p"), ARGS_OK);
  assert_string_equal(o.output, "");
  arena_free(a);
}

static void test_numbers(void **state) {
  (void)state;
  arena *a = arena_new();
  options o = {0};
  assert_int_equal(parse(a, &o,
                         "--max-errors 4294967295 --max-file-bytes=18446744073709551615 --ratio -2.5e-1 "
                         "--max-depth 0001000 x"),
                   ARGS_OK);
  assert_int_equal(o.errors, UINT32_MAX);
  assert_true(o.bytes == UINT64_MAX);
  assert_true(o.ratio == -0.25);
  assert_int_equal(o.depth, 1000);
  static const char *const bad[] = {
      "--max-errors 4294967296",
      "--max-errors -1",
      "--max-errors 1.0",
      "--max-errors 0x10",
      "--max-errors=",
      "--max-errors 1k",
      "--max-depth 0",
      "--max-depth 1001",
      "--max-file-bytes 18446744073709551616",
      "--max-errors +1",
      "--ratio nan",
      "--ratio 1e999",
      "--ratio 1x",
      "--ratio=",
      "--max-file-bytes 99999999999999999999999",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    o = (options){0};
    if (parse(a, &o, arena_printf(a, "%s x", bad[i]).p) != ARGS_WRONG) fail_msg("%s", bad[i]);
    assert_true(o.errors == 0 && o.depth == 0 && o.bytes == 0 && o.ratio == 0);
  }
  arena_free(a);
}

static void test_messages(void **state) {
  (void)state;
  static const struct {
    const char *line, *said;
  } cases[] = {
      {"--formt=json x", "unknown option '--formt'; did you mean '--format'?"},
      {"--entirely-else x", "unknown option '--entirely-else'"},
      {"-x y", "unknown option '-x'"},
      {"--strict=yes x", "--strict takes no value"},
      {"x -o", "-o needs a value: DIR"},
      {"x --format", "--format needs a value: text|json|sarif"},
      {"--format yaml x", "--format is one of text|json|sarif, not 'yaml'"},
      {"--format tex x", "--format is one of text|json|sarif, not 'tex'"},
      {"--max-depth 0 x", "--max-depth is a whole number from 1 to 1000, not '0'"},
      {"--ratio x y", "--ratio is a number, not 'x'"},
      {"", "an argument is missing: PATH..."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    arena *a = arena_new();
    options o = {0};
    assert_int_equal(parse(a, &o, cases[i].line), ARGS_WRONG);
    assert_string_equal(
        captured, arena_printf(a, "rooflinec check: %s (see 'rooflinec check --help')\n", cases[i].said).p);
    arena_free(a);
  }
}

static void test_operand_limit(void **state) {
  (void)state;
  arena *a = arena_new();
  arg_texts operands = {0};
  const arg_command one = {
      .name = "p", .summary = "", .operands = "FILE", .min_operands = 1, .max_operands = 1};
  const arg_command none = {.name = "p", .summary = ""};
  char *argv[] = {"p", "a", "b"};
  capture(stderr);
  assert_int_equal(args_parse(a, &one, 2, argv, &operands), ARGS_OK);
  operands.n = 0;
  assert_int_equal(args_parse(a, &one, 3, argv, &operands), ARGS_WRONG);
  operands.n = 0;
  assert_int_equal(args_parse(a, &none, 2, argv, &operands), ARGS_WRONG);
  release(stderr);
  assert_string_equal(captured, "p: 'b' is one argument too many (see 'p --help')\n"
                                "p: 'a' is one argument too many (see 'p --help')\n");
  arena_free(a);
}

static void test_help(void **state) {
  (void)state;
  arena *a = arena_new();
  options o = {0};
  capture(stdout);
  FILE *out = capture_file; /* parse() captures standard error meanwhile */
  int out_fd = saved_fd;
  assert_int_equal(parse(a, &o, "--help"), ARGS_HELP);
  capture_file = out;
  saved_fd = out_fd;
  release(stdout);
  assert_non_null(
      strstr(captured, "Usage: rooflinec check [options] PATH...\n\nChecks a manifest.\n\nOptions:\n"));
  assert_non_null(strstr(captured, "\n  -o, --output DIR          where files go\n"));
  assert_non_null(
      strstr(captured, "\n      --format text|json|sarif\n                            the form of the "));
  assert_non_null(strstr(captured, "\n  -h, --help                print this text\n"));
  arena_free(a);
}

/* Help says what numbers are when they are not given, even after some were. */
static void test_defaults(void **state) {
  (void)state;
  arena *a = arena_new();
  options o = {.errors = 20, .bytes = UINT64_C(1) << 40, .ratio = 0.25};
  capture(stdout);
  FILE *out = capture_file;
  int out_fd = saved_fd;
  assert_int_equal(parse(a, &o, "--max-errors 7 --ratio 3 --max-file-bytes=1 --help"), ARGS_HELP);
  capture_file = out;
  saved_fd = out_fd;
  release(stdout);
  assert_non_null(strstr(captured, "  how many (default 20)\n"));
  assert_non_null(strstr(captured, "  how deep (default 0)\n"));
  assert_non_null(strstr(captured, "  how large (default 1099511627776)\n"));
  assert_non_null(strstr(captured, "  a number (default 0.25)\n"));
  assert_null(strstr(captured, "where files go (default"));
  arena_free(a);
}

static int seen_argc;
static int run_check(int argc, char **argv) {
  assert_string_equal(argv[0], "check");
  seen_argc = argc;
  return 7;
}

static void test_commands(void **state) {
  (void)state;
  const arg_subcommand commands[] = {{"check", "report every defect", run_check},
                                     {"emit", "write C", run_check}};
  const arg_program p = {"rooflinec", "Compiles manifests.", "1.0", commands, 2};
  assert_int_equal(args_run(&p, 4, (char *[]){"rooflinec", "check", "a", "b", NULL}), 7);
  assert_int_equal(seen_argc, 3);
  capture(stderr);
  assert_int_equal(args_run(&p, 2, (char *[]){"rooflinec", "chekc", NULL}), 2);
  assert_int_equal(args_run(&p, 1, (char *[]){"rooflinec", NULL}), 2);
  release(stderr);
  assert_string_equal(captured,
                      "rooflinec: unknown command 'chekc'; did you mean 'check'? (see 'rooflinec --help')\n"
                      "rooflinec: a command is missing (see 'rooflinec --help')\n");
  capture(stdout);
  assert_int_equal(args_run(&p, 2, (char *[]){"rooflinec", "--version", NULL}), 0);
  assert_int_equal(args_run(&p, 2, (char *[]){"rooflinec", "--help", NULL}), 0);
  release(stdout);
  assert_string_equal(captured, "rooflinec 1.0\n"
                                "Usage: rooflinec COMMAND ...\n\nCompiles manifests.\n\nCommands:\n"
                                "  check                     report every defect\n"
                                "  emit                      write C\n\n"
                                "'rooflinec COMMAND --help' says more about one.\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),         cmocka_unit_test(test_numbers), cmocka_unit_test(test_messages),
      cmocka_unit_test(test_operand_limit), cmocka_unit_test(test_help),    cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_commands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
