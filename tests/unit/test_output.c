/* Files written whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/output.h"

static char directory[] = "/tmp/test_output_XXXXXX";

static int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state) {
  (void)state;
  DIR *d = opendir(directory);
  char path[512];
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    unlink(path);
  }
  closedir(d);
  return rmdir(directory);
}

static const char *path_of(arena *a, const char *name) { return arena_printf(a, "%s/%s", directory, name).p; }

static void assert_holds(const char *path, const char *text) {
  char bytes[256] = "";
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  size_t n = fread(bytes, 1, sizeof bytes - 1, f);
  fclose(f);
  bytes[n] = '\0';
  assert_string_equal(bytes, text);
}

static int entries(void) {
  DIR *d = opendir(directory);
  int n = 0;
  while (readdir(d) != NULL) n++;
  closedir(d);
  return n - 2; /* . and .. */
}

static void test_building_text(void **state) {
  (void)state;
  arena *a = arena_new();
  out_text o;
  out_init(&o, a);
  assert_int_equal(out_str(&o).n, 0);
  for (int i = 0; i < 10000; i++) {
    out_put(&o, STR("ab"));
    out_printf(&o, "%04d", i);
  }
  str s = out_str(&o);
  assert_int_equal(s.n, 60000);
  for (int i = 0; i < 10000; i += 37) {
    char unit[16];
    snprintf(unit, sizeof unit, "ab%04d", i);
    assert_memory_equal(s.p + (size_t)i * 6, unit, 6);
  }
  arena_free(a);
}

static void test_replaces_only_what_differs(void **state) {
  (void)state;
  arena *a = arena_new();
  str why = {0};
  const char *path = path_of(a, "one");
  assert_int_equal(output_replace(a, path, STR("first\n"), &why), OUTPUT_WRITTEN);
  assert_holds(path, "first\n");
  struct stat before, after;
  assert_int_equal(chmod(path, 0640), 0);
  assert_int_equal(stat(path, &before), 0);
  assert_int_equal(output_replace(a, path, STR("first\n"), &why), OUTPUT_SAME);
  assert_int_equal(stat(path, &after), 0);
  assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
  assert_int_equal(output_replace(a, path, STR("firsT\n"), &why), OUTPUT_WRITTEN); /* of the same size */
  assert_holds(path, "firsT\n");
  assert_int_equal(stat(path, &after), 0);
  assert_true(before.st_ino != after.st_ino);
  assert_int_equal(after.st_mode & 07777, 0640);
  assert_int_equal(output_replace(a, path, (str){0}, &why), OUTPUT_WRITTEN);
  assert_holds(path, "");
  assert_int_equal(entries(), 1);
  arena_free(a);
}

static void test_links_stay_links(void **state) {
  (void)state;
  arena *a = arena_new();
  str why = {0};
  const char *path = path_of(a, "target"), *link = path_of(a, "link");
  assert_int_equal(output_replace(a, path, STR("old"), &why), OUTPUT_WRITTEN);
  assert_int_equal(symlink("target", link), 0);
  assert_int_equal(output_replace(a, link, STR("new"), &why), OUTPUT_WRITTEN);
  struct stat st;
  assert_int_equal(lstat(link, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  assert_holds(path, "new");
  arena_free(a);
}

static void test_devices_are_written_to(void **state) {
  (void)state;
  arena *a = arena_new();
  str why = {0};
  assert_int_equal(output_replace(a, "/dev/null", STR("x"), &why), OUTPUT_WRITTEN);
  struct stat st;
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
  assert_int_equal(output_replace(a, "/dev/full", STR("x"), &why), OUTPUT_FAILED);
  assert_string_equal(arena_cstr(a, why), "cannot write /dev/full: No space left on device");
  arena_free(a);
}

/* One of a set cannot be staged: no other is replaced, and nothing is left beside them. */
static void test_set_is_all_or_none(void **state) {
  (void)state;
  arena *a = arena_new();
  str why = {0};
  const char *first = path_of(a, "first"), *second = path_of(a, "second"), *bad = path_of(a, "no/such/place");
  output_file files[3] = {{.path = first, .bytes = STR("1")}, {.path = second, .bytes = STR("2")}};
  assert_true(output_replace_all(a, files, 2, &why));
  assert_int_equal(files[0].result, OUTPUT_WRITTEN);
  int before = entries();
  files[0].bytes = STR("one");
  files[2] = (output_file){.path = bad, .bytes = STR("3")};
  assert_false(output_replace_all(a, files, 3, &why));
  assert_string_equal(arena_cstr(a, why),
                      arena_printf(a, "cannot write %s: No such file or directory", bad).p);
  assert_holds(first, "1");
  assert_holds(second, "2");
  assert_int_equal(entries(), before);
  files[1].bytes = STR("two");
  assert_true(output_replace_all(a, files, 2, &why));
  assert_holds(first, "one");
  assert_holds(second, "two");
  files[1].bytes = STR("2");
  assert_true(output_replace_all(a, files, 2, &why));
  assert_int_equal(files[0].result, OUTPUT_SAME);
  assert_int_equal(files[1].result, OUTPUT_WRITTEN);
  arena_free(a);
}

/* A full disk: the file stays as it was and the part that was written goes. */
static void test_disk_full(void **state) {
  (void)state;
  arena *a = arena_new();
  str why = {0};
  const char *path = path_of(a, "full");
  assert_int_equal(output_replace(a, path, STR("old"), &why), OUTPUT_WRITTEN);
  int before = entries();
  pid_t child = fork();
  if (child == 0) { /* a limit on file size is the disk that fills up */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
    str big = {arena_alloc(a, 100000), 100000};
    bool failed =
        output_replace(a, path, big, &why) == OUTPUT_FAILED && strstr(arena_cstr(a, why), "File too large");
    _exit(failed ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_holds(path, "old");
  assert_int_equal(entries(), before);
  arena_free(a);
}

/* Standard output lives as long as the process: each case in a child. */
static int in_child(const char *stdout_path, bool broken_pipe) {
  pid_t child = fork();
  if (child == 0) {
    int pipe_ends[2];
    signal(SIGPIPE, SIG_IGN);
    if (broken_pipe) {
      if (pipe(pipe_ends) != 0 || close(pipe_ends[0]) != 0 || dup2(pipe_ends[1], STDOUT_FILENO) < 0) _exit(3);
    } else if (freopen(stdout_path, "w", stdout) == NULL) {
      _exit(3);
    }
    printf("text\n");
    str why = {0};
    bool ok = output_close_stdout(&why);
    _exit(ok ? 0 : why.n > 0 ? 1 : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static void test_standard_output(void **state) {
  (void)state;
  assert_int_equal(in_child("/dev/null", false), 0);
  assert_int_equal(in_child("/dev/full", false), 1);
  assert_int_equal(in_child(NULL, true), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_building_text),      cmocka_unit_test(test_replaces_only_what_differs),
      cmocka_unit_test(test_links_stay_links),   cmocka_unit_test(test_devices_are_written_to),
      cmocka_unit_test(test_set_is_all_or_none), cmocka_unit_test(test_disk_full),
      cmocka_unit_test(test_standard_output),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
