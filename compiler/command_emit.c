#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/commands.h"
#include "compiler/formulas.h"

typedef struct emit_command {
  common_options common;
  const char *directory, *depfile, *prefix;
  bool rows_main, check;
  uint32_t missing; /* choice: error, unavailable */
} emit_command;

enum { OWN_OPTIONS = 6 };

static void own_table(emit_command *c, arg_option *out) {
  const arg_option table[OWN_OPTIONS] = {
      {.letter = 'o',
       .name = "output",
       .value = "DIR",
       .text = &c->directory,
       .help = "where the files go; made when missing"},
      {.name = "prefix", .value = "NAME", .text = &c->prefix, .help = "symbol prefix instead of 'roofline'"},
      {.name = "rows-main",
       .flag = &c->rows_main,
       .help = "also write rows_main.c, which prints every workload row"},
      {.name = "missing-formulas",
       .value = "error|unavailable",
       .choice = &c->missing,
       .help = "what a func entry without a definition is: a defect, or an evaluator that is not available"},
      {.name = "depfile",
       .value = "FILE",
       .text = &c->depfile,
       .help = "write a Make and Ninja dependency file"},
      {.name = "check",
       .flag = &c->check,
       .help = "write nothing; exit with 1 when DIR is not what would be written, or holds a file that an "
               "earlier emit left there"},
  };
  memcpy(out, table, sizeof table);
}

/* ---- files ---- */

static const char *in_directory(arena *a, const char *directory, const char *name) {
  size_t n = strlen(directory);
  return arena_cstr(a,
                    arena_printf(a, "%s%s%s", directory, n > 0 && directory[n - 1] == '/' ? "" : "/", name));
}

/* Makes a folder and those above it. */
static bool make_directory(arena *a, const char *path, str *why) {
  char *p = arena_cstr(a, str_of(path));
  for (char *at = p + 1;; at++) {
    if (*at != '/' && *at != '\0') continue;
    char end = *at;
    *at = '\0';
    if (mkdir(p, 0777) != 0 && errno != EEXIST) {
      *why = arena_printf(a, "cannot make %s: %s", p, strerror(errno));
      return false;
    }
    *at = end;
    if (end == '\0') return true;
  }
}

/* `target: file file` with blanks, `#` and `$` escaped as both Make and Ninja read them. */
static str depfile_text(arena *a, const output_file *files, uint32_t count, const manifest *m,
                        const emit_command *c) {
  out_text o;
  out_init(&o, a);
  for (uint32_t pass = 0; pass < 3; pass++) {
    uint32_t n = pass == 0 ? count : pass == 1 ? m->file_count : c->common.formulas.n;
    for (uint32_t i = 0; i < n; i++) {
      const char *p = pass == 0 ? files[i].path : pass == 1 ? m->files[i] : c->common.formulas.v[i];
      out_printf(&o, "%s", pass == 0 && i == 0 ? "" : " \\\n  ");
      for (; *p != '\0'; p++) {
        if (*p == ' ' || *p == '#') out_printf(&o, "\\");
        if (*p == '$') out_printf(&o, "$");
        out_put(&o, (str){p, 1});
      }
    }
    if (pass == 0) out_printf(&o, ":");
  }
  out_printf(&o, "\n");
  return out_str(&o);
}

/* Does its first line say that a rooflinec wrote it? */
static bool is_generated(const char *path) {
  char line[512] = "";
  struct stat st;
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
  if (f == NULL) return false;
  const bool read = fgets(line, sizeof line, f) != NULL;
  fclose(f);
  return read && strstr(line, " " EMIT_MARK) != NULL;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What earlier runs left in DIR and this one does not write: of families that are gone, say. */
static arg_texts find_stale(arena *a, const char *directory, const output_file *files, uint32_t count) {
  arg_texts stale = {0};
  DIR *d = opendir(directory);
  for (const struct dirent *file; d != NULL && (file = readdir(d)) != NULL;) {
    const size_t n = strlen(file->d_name);
    if (n < 2 || (strcmp(file->d_name + n - 2, ".c") != 0 && strcmp(file->d_name + n - 2, ".h") != 0))
      continue;
    const char *path = in_directory(a, directory, file->d_name);
    bool written = false;
    for (uint32_t i = 0; i < count && !written; i++) written = strcmp(files[i].path, path) == 0;
    if (!written && is_generated(path)) vec_push(a, &stale, path);
  }
  if (d != NULL) closedir(d);
  if (stale.n > 1) qsort(stale.v, stale.n, sizeof *stale.v, by_text);
  return stale;
}

/* Compares instead of writing; 1 when anything differs. */
static int compare(arena *a, const output_file *files, uint32_t count) {
  int status = 0;
  for (uint32_t i = 0; i < count; i++) {
    FILE *f = fopen(files[i].path, "rb");
    size_t n = files[i].bytes.n, got = 0;
    char *old = arena_raw(a, n + 1);
    if (f != NULL) {
      got = fread(old, 1, n + 1, f);
      fclose(f);
    }
    if (f != NULL && got == n && memcmp(old, files[i].bytes.p, n) == 0) continue;
    fprintf(stderr, "rooflinec emit: %s %s\n", files[i].path,
            f == NULL ? "is missing" : "is not what the manifest gives");
    status = 1;
  }
  return status;
}

static int write_files(arena *a, emit_files *files, const manifest *m, const emit_command *c) {
  str why = {0};
  for (uint32_t i = 0; i < files->n; i++) files->v[i].path = in_directory(a, c->directory, files->v[i].path);
  const arg_texts stale = find_stale(a, c->directory, files->v, files->n);
  for (uint32_t i = 0; i < stale.n; i++)
    fprintf(stderr, "rooflinec emit: %s was generated once; nothing in the manifest gives it now%s\n",
            stale.v[i], c->check ? "" : ": remove it");
  if (c->check) return compare(a, files->v, files->n) != 0 || stale.n > 0;
  if (c->depfile != NULL) {
    for (uint32_t i = 0; i < files->n; i++)
      if (strcmp(files->v[i].path, c->depfile) == 0) {
        fprintf(stderr, "rooflinec emit: --depfile %s is a file that emit writes\n", c->depfile);
        return 2;
      }
    output_file dep = {.path = c->depfile, .bytes = depfile_text(a, files->v, files->n, m, c)};
    vec_push(a, files, dep);
  }
  if (make_directory(a, c->directory, &why) && output_replace_all(a, files->v, files->n, &why)) return 0;
  fprintf(stderr, "rooflinec emit: %.*s\n", STR_ARG(why));
  return 2;
}

/* ---- the command ---- */

static int run(arena *a, emit_command *c) {
  manifest_options *options = &c->common.manifest;
  diag_sink *sink = diag_sink_new(a);
  emit_options *emission = arena_new_of(a, emit_options);
  *emission = (emit_options){.prefix = str_of(c->prefix),
                             .rows_main = c->rows_main,
                             .missing_unavailable = c->missing == 1,
                             .jobs = c->common.manifest.jobs};
  str why = {0};
  if (!formulas_scan(a, c->common.formulas.v, c->common.formulas.n, &emission->definitions, &why)) {
    fprintf(stderr, "rooflinec emit: %.*s\n", STR_ARG(why));
    return 2;
  }
  options->definitions = &emission->definitions;
  options->missing_unavailable = emission->missing_unavailable;
  options->analysis.want_rows = true;
  options->analysis.rows = (rows_depth)c->common.rows;
  manifest m;
  manifest_analyse(a, sink, options, &m);
  emit_files files = {0};
  bool sound = !m.unreadable && diag_count(sink, DIAG_ERROR) == 0;
  if (sound) emit_all(a, sink, &m.plans, emission, &files);
  sound =
      sound && diag_count(sink, DIAG_ERROR) == 0 && !(c->common.strict && diag_count(sink, DIAG_WARNING) > 0);
  if (!sound) return common_report(sink, &c->common, &m);
  int written = write_files(a, &files, &m, c);
  if (diag_count(sink, DIAG_WARNING) > 0) common_report(sink, &c->common, &m);
  return written;
}

int emit_main(int argc, char **argv) {
  arena *a = arena_new();
  emit_command c = {.prefix = "roofline"};
  common_defaults(&c.common);
  arg_option options[COMMON_OPTION_COUNT + OWN_OPTIONS];
  own_table(&c, options);
  common_table(&c.common, options + OWN_OPTIONS);
  const arg_command command = {
      .name = "rooflinec emit",
      .summary = "Writes a C header and source for each family of operators, and a registry of all.\n"
                 "Files whose bytes would not change keep their time; on any defect nothing is written.\n\n"
                 "  rooflinec emit -o generated --formulas runtime/formulas manifest\n"
                 "  rooflinec emit -o build --rows-main --missing-formulas=unavailable ops.yaml\n"
                 "  rooflinec emit --check -o generated --formulas runtime/formulas manifest",
      .operands = "PATH...",
      .options = options,
      .option_count = COMMON_OPTION_COUNT + OWN_OPTIONS,
      .min_operands = 1,
  };
  arg_texts paths = {0};
  arg_result parsed = args_parse(a, &command, argc, argv, &paths);
  int status = parsed == ARGS_HELP ? 0 : 2;
  if (parsed == ARGS_OK && c.directory == NULL) {
    fprintf(stderr, "rooflinec emit: where to? give -o DIR\n");
  } else if (parsed == ARGS_OK && !parse_is_identifier(str_of(c.prefix))) {
    fprintf(stderr, "rooflinec emit: --prefix %s is no C identifier\n", c.prefix);
  } else if (parsed == ARGS_OK) {
    c.common.manifest.paths = paths.v;
    c.common.manifest.path_count = paths.n;
    status = run(a, &c);
  }
  arena_free(a);
  return status;
}
