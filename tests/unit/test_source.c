/* Sources: reading, refusing what is no text, lines and columns. */
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

#include "text/source.h"

static char path[] = "/tmp/test_source_XXXXXX";

static int make_file(void **state) {
  (void)state;
  int fd = mkstemp(path);
  return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

static void put_file(const char *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

static void test_reads_text(void **state) {
  (void)state;
  arena *a = arena_new();
  str why;
  put_file("\xEF\xBB\xBF"
           "a: \xC3\xA9\n",
           9);
  source *s = source_read(a, path, 100, &why);
  assert_non_null(s);
  assert_int_equal(why.n, 0);
  assert_int_equal(s->bom, 3);
  assert_true(str_is(s->text, "a: \xC3\xA9\n"));
  assert_true(str_is(s->path, path));
  put_file("", 0);
  s = source_read(a, path, 100, &why);
  assert_non_null(s);
  assert_int_equal(s->text.n, 0);
  assert_int_equal(s->line_count, 1);
  arena_free(a);
}

static void test_refuses_what_is_no_text(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t n;
    const char *why;
  } cases[] = {
      {"ab\n\xE9t\xE9\n", 7, ":2:1: byte 0xE9 is not UTF-8; save the file as UTF-8"},
      {"\xC3\xA9\xC0\x80", 4, ":1:2: byte 0xC0 is not UTF-8; save the file as UTF-8"}, /* overlong */
      {"\xED\xA0\x80", 3, ":1:1: byte 0xED is not UTF-8; save the file as UTF-8"},     /* a surrogate */
      {"\xF4\x90\x80\x80", 4, ":1:1: byte 0xF4 is not UTF-8; save the file as UTF-8"}, /* past U+10FFFF */
      {"\xE0\x9F\xBF", 3, ":1:1: byte 0xE0 is not UTF-8; save the file as UTF-8"},     /* overlong */
      {"a\xE2\x82", 3, ":1:2: byte 0xE2 is not UTF-8; save the file as UTF-8"},        /* cut short */
      {"a: b\0c\n", 7, ":1:5: a NUL byte: this is not text"},
      {"\xFF\xFE"
       "a\0",
       4, ":1:1: UTF-16 text; save the file as UTF-8"},
      {"\xFE\xFF\0a", 4, ":1:1: UTF-16 text; save the file as UTF-8"},
      {"a\0b\0", 4, ":1:1: UTF-16 text; save the file as UTF-8"},
      {"\0a\0b", 4, ":1:1: UTF-16 text; save the file as UTF-8"},
      {"\0\0\0\0", 4, ":1:1: a NUL byte: this is not text"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    arena *a = arena_new();
    str why;
    put_file(cases[i].bytes, cases[i].n);
    assert_null(source_read(a, path, 100, &why));
    assert_string_equal(arena_cstr(a, why), arena_printf(a, "%s%s", path, cases[i].why).p);
    source *s = source_load(a, path, 100, &why);
    assert_non_null(s);
    assert_int_equal(s->fault, SOURCE_NOT_TEXT);
    arena_free(a);
  }
  /* The longest and shortest of every sequence length are text. */
  static const char edges[] = "\x01\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"
                              "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF";
  arena *a = arena_new();
  str why;
  put_file(edges, sizeof edges - 1);
  assert_non_null(source_read(a, path, 100, &why));
  arena_free(a);
}

static void test_size_limit(void **state) {
  (void)state;
  arena *a = arena_new();
  str why;
  static char bytes[10000];
  memset(bytes, 'x', sizeof bytes);
  put_file(bytes, sizeof bytes);
  assert_non_null(source_read(a, path, 10000, &why));
  assert_null(source_read(a, path, 9999, &why));
  assert_non_null(strstr(arena_cstr(a, why), "larger than 9999 bytes (--max-file-bytes)"));
  put_file(bytes, 11);
  assert_null(source_read(a, path, 10, &why));
  assert_non_null(source_read(a, path, 11, &why));
  source *s = source_load(a, path, 10, &why);
  assert_int_equal(s->fault, SOURCE_TOO_LARGE);
  arena_free(a);
}

static void test_unreadable(void **state) {
  (void)state;
  arena *a = arena_new();
  str why;
  assert_null(source_load(a, "/nonexistent/x.yaml", 100, &why));
  assert_string_equal(arena_cstr(a, why), "cannot read /nonexistent/x.yaml: No such file or directory");
  assert_null(source_load(a, "/tmp", 100, &why));
  assert_string_equal(arena_cstr(a, why), "cannot read /tmp: Is a directory");
  arena_free(a);
}

/* A pipe has no size to expect: what it gives is read to its end. */
static void test_standard_input(void **state) {
  (void)state;
  arena *a = arena_new();
  str why;
  static char bytes[30000];
  memset(bytes, 'y', sizeof bytes);
  put_file(bytes, sizeof bytes);
  int saved = dup(STDIN_FILENO);
  FILE *pipe = popen(arena_printf(a, "cat %s", path).p, "r");
  assert_non_null(pipe);
  assert_true(dup2(fileno(pipe), STDIN_FILENO) >= 0);
  source *s = source_read(a, "-", 100000, &why);
  assert_true(dup2(saved, STDIN_FILENO) >= 0);
  close(saved);
  pclose(pipe);
  assert_non_null(s);
  assert_int_equal(s->text.n, 30000);
  assert_true(str_is(s->path, "<stdin>"));
  arena_free(a);
}

static void assert_position(const source *s, uint32_t offset, uint32_t line, uint32_t column,
                            uint32_t utf16) {
  position p = source_position(s, offset);
  assert_int_equal(p.line, line);
  assert_int_equal(p.column, column);
  assert_int_equal(p.column_utf16, utf16);
}

static void test_positions(void **state) {
  (void)state;
  arena *a = arena_new();
  /* offsets: a 0, LF 1, é 2, € 4, 😀 7, z 11, CR 12, LF 13, CR 14, x 15 */
  source *s = source_from_text(a, "t", STR("a\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\r\n\rx"));
  assert_position(s, 0, 1, 1, 1);
  assert_position(s, 1, 1, 2, 2);
  assert_position(s, 2, 2, 1, 1);
  assert_position(s, 4, 2, 2, 2);
  assert_position(s, 7, 2, 3, 3);
  assert_position(s, 11, 2, 4, 5);
  assert_position(s, 12, 2, 5, 6);
  assert_position(s, 14, 3, 1, 1);
  assert_position(s, 15, 4, 1, 1);
  assert_position(s, 16, 4, 2, 2);
  assert_position(s, 1000, 4, 2, 2);
  assert_int_equal(s->line_count, 4);
  assert_true(str_is(source_line(s, 1), "a"));
  assert_true(str_is(source_line(s, 2), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"));
  assert_true(str_is(source_line(s, 3), ""));
  assert_true(str_is(source_line(s, 4), "x"));
  assert_int_equal(source_line(s, 0).n, 0);
  assert_int_equal(source_line(s, 5).n, 0);
  arena_free(a);
}

/* Columns deep in one long line: against a count by hand, across the stretches that are counted ahead. */
static void test_long_line(void **state) {
  (void)state;
  arena *a = arena_new();
  enum { N = 5000 };
  static char text[N * 7];
  for (int i = 0; i < N; i++)
    memcpy(text + (size_t)i * 7, "a\xC3\xA9\xF0\x9F\x98\x80", 7); /* 3 characters, 4 units */
  source *s = source_from_text(a, "t", (str){text, sizeof text});
  for (uint32_t i = 0; i < N; i += 97) {
    assert_position(s, i * 7, 1, i * 3 + 1, i * 4 + 1);
    assert_position(s, i * 7 + 3, 1, i * 3 + 3, i * 4 + 3);
  }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_text),     cmocka_unit_test(test_refuses_what_is_no_text),
      cmocka_unit_test(test_size_limit),     cmocka_unit_test(test_unreadable),
      cmocka_unit_test(test_standard_input), cmocka_unit_test(test_positions),
      cmocka_unit_test(test_long_line),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
