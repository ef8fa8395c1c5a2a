/* Random edits of real entries: never a crash, a hang or memory beyond 256 MiB; an edit that malforms an
   entry has an error inside it; entries of other files, and of the same file where it still parses, keep
   their diagnostics byte for byte. ROOFLINE_EDITS=20000 is the whole test; ctest makes fewer. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/manifest.h"
#include "tests/unit/random_shapes.h"
#include "text/diag_render.h"

enum { BATCH = 200, MEMORY = 256 << 20, SECONDS = 120 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

/* Stands beside every edited file; its defects reach every stage. */
static const char bystander[] = "ByOneFwdOp: {family: by, familly: x, status: odd}\n"
                                "ByTwoFwdOp:\n"
                                "  family: by\n"
                                "  status: implemented\n"
                                "  signature:\n"
                                "    forall: {M: Dim, N: Dim}\n"
                                "    inputs: {x: {dtype: float16, shape: \"[M, K]\"}}\n"
                                "    outputs: {y: {dtype: float61, shape: \"[M]\"}}\n"
                                "  workloads: [{M: 1, Q: 2, label: a}, {M: x, label: a}]\n"
                                "  roofline: {flops: \"M ** \", bytes: \"M / 2\"}\n";

/* A file of entries, and the folder its types.yaml stands in. */
typedef struct origin {
  const source *src;
  yt_node *root;
  const char *folder;
} origin;

static arena *memory;
static VEC(origin) origins;
static char folders[2][64];
static uint32_t folder_count;

static void write_text(const char *folder, const char *name, str text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
  fclose(f);
}

/* ---- an entry on one line, so that an edit moves no other ---- */

static void put_scalar(FILE *out, const yt_node *n) {
  if (n->type != YT_STRING) {
    fwrite(n->u.text, 1, n->n, out);
    return;
  }
  fputc('"', out);
  for (uint32_t i = 0; i < n->n; i++) {
    const unsigned char c = (unsigned char)n->u.text[i];
    if (c < ' ' || c == '"' || c == '\\')
      fprintf(out, "\\x%02x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void put_node(FILE *out, const yt_node *n) {
  if (n->kind == YT_SCALAR) {
    put_scalar(out, n);
    return;
  }
  const bool mapping = n->kind == YT_MAPPING;
  fputc(mapping ? '{' : '[', out);
  for (uint32_t i = 0; i < n->n; i++) {
    if (i > 0) fputs(", ", out);
    if (mapping) put_node(out, n->u.items[2 * i]);
    if (mapping) fputs(": ", out);
    put_node(out, n->u.items[mapping ? 2 * i + 1 : i]);
  }
  fputc(mapping ? '}' : ']', out);
}

static yt_node *copy_node(const yt_node *n) {
  yt_node *copy = arena_new_of(memory, yt_node);
  *copy = *n;
  if (n->kind == YT_SCALAR) return copy;
  const uint32_t items = n->kind == YT_MAPPING ? 2 * n->n : n->n;
  copy->u.items = arena_array(memory, yt_node *, items + 8); /* room for duplicates */
  for (uint32_t i = 0; i < items; i++) copy->u.items[i] = copy_node(n->u.items[i]);
  return copy;
}

static yt_node *scalar(const char *text, yt_type type) {
  yt_node *n = arena_new_of(memory, yt_node);
  *n = (yt_node){.kind = YT_SCALAR, .type = (uint8_t)type, .n = (uint32_t)strlen(text), .u.text = text};
  return n;
}

/* ---- edits of the tree ---- */

typedef VEC(yt_node *) node_list;

static void list_nodes(yt_node *n, bool collections, node_list *list) {
  if (n->kind == YT_SCALAR) {
    if (!collections) vec_push(memory, list, n);
    return;
  }
  if (n->n > 0) vec_push(memory, list, n);
  const uint32_t items = n->kind == YT_MAPPING ? 2 * n->n : n->n;
  for (uint32_t i = 0; i < items; i++) list_nodes(n->u.items[i], collections, list);
}

static yt_node *any_node(yt_node *root, bool collections) {
  node_list list = {0};
  list_nodes(root, collections, &list);
  return list.v[below(list.n)];
}

static void drop(yt_node *n, uint32_t at) {
  const uint32_t width = n->kind == YT_MAPPING ? 2 : 1;
  memmove(n->u.items + width * at, n->u.items + width * (at + 1),
          width * (n->n - at - 1) * sizeof(yt_node *));
  n->n--;
}

static void duplicate(yt_node *n, uint32_t at) {
  const uint32_t width = n->kind == YT_MAPPING ? 2 : 1;
  memcpy(n->u.items + width * n->n, n->u.items + width * at, width * sizeof(yt_node *));
  n->n++;
}

static bool contains(const yt_node *n, const yt_node *part) {
  if (n == part) return true;
  const uint32_t items = n->kind == YT_SCALAR ? 0 : n->kind == YT_MAPPING ? 2 * n->n : n->n;
  for (uint32_t i = 0; i < items; i++)
    if (contains(n->u.items[i], part)) return true;
  return false;
}

/* Of two nodes apart: one in the other would make a circle. */
static void swap_nodes(yt_node *a, yt_node *b) {
  if (contains(a, b) || contains(b, a)) return;
  const yt_node kept = *a;
  *a = *b;
  *b = kept;
}

static void retype(yt_node *n) {
  static const char *const texts[] = {"7", "-1", "1.5", "true", "null", "9223372036854775807"};
  static const char *const strings[] = {
      "", "M", "((", "M +", "[M, N]", "\t", "*", "\xc3\xa9", "sum(i for i in x)"};
  static const yt_type types[] = {YT_INT, YT_INT, YT_FLOAT, YT_BOOL, YT_NULL, YT_INT};
  yt_node *item = copy_node(n);
  const int64_t form = below(4);
  const int64_t pick = below(form == 0 ? 6 : 9);
  switch (form) {
  case 0: *n = *scalar(texts[pick], types[pick]); break;
  case 1: *n = *scalar(strings[pick], YT_STRING); break;
  default:
    *n = (yt_node){.kind = form == 2 ? YT_SEQUENCE : YT_MAPPING, .n = 1};
    n->u.items = arena_array(memory, yt_node *, 8);
    n->u.items[form == 2 ? 0 : 1] = item;
    if (form == 3) n->u.items[0] = scalar("k", YT_STRING);
  }
}

static void edit_tree(yt_node *root) {
  if (root->kind == YT_SCALAR || root->n == 0) return; /* an edit before left nothing */
  yt_node *n = any_node(root, true);
  const uint32_t at = (uint32_t)below(n->n);
  switch (below(4)) {
  case 0: drop(n, at); break;
  case 1: duplicate(n, at); break;
  case 2: swap_nodes(any_node(root, false), any_node(root, false)); break;
  default: retype(any_node(root, false));
  }
}

/* An edit after which the entry cannot be right. */
static void malform(yt_node *root) {
  static const char *const required[] = {"family", "status", "signature", "workloads", "roofline"};
  static const char *const texts[] = {"((", "M +", "if", "1 2", "\xc3\xa9", "a = b"};
  yt_node *n = NULL;
  switch (below(5)) {
  case 0: /* without a key that every entry has */
    for (uint32_t i = 0, gone = (uint32_t)below(5); i < root->n; i++)
      if (str_is(yt_text(root->u.items[2 * i]), required[gone])) {
        drop(root, i);
        break;
      }
    break;
  case 1: /* a key twice */
    do n = any_node(root, true);
    while (n->kind != YT_MAPPING);
    duplicate(n, (uint32_t)below(n->n));
    break;
  case 2: /* a key that no entry has */
    *root->u.items[2 * below(root->n)] = *scalar("unheard_of", YT_STRING);
    break;
  case 3: /* a number for a section */
    *yt_get(root, required[2 + below(3)], NULL) = *scalar("7", YT_INT);
    break;
  default: /* a text that is no expression */
    n = yt_get(yt_get(root, "signature", NULL), "inputs", NULL);
    if (n != NULL && n->kind == YT_MAPPING && n->n > 0)
      n = yt_get(n->u.items[2 * below(n->n) + 1], "shape", NULL);
    if (n == NULL || n->kind != YT_SCALAR) n = yt_get(root, "roofline", NULL);
    *n = *scalar(texts[below(6)], YT_STRING);
  }
}

/* ---- edits of the bytes ---- */

static str edit_bytes(str text) {
  char *out = arena_array(memory, char, text.n + 65);
  uint32_t at = (uint32_t)below(text.n), n = (uint32_t)below(64) + 1, rest;
  switch (below(4)) {
  case 0: /* cut some */
    rest = at + n < text.n ? text.n - at - n : 0;
    memcpy(out, text.p, at);
    memcpy(out + at, text.p + text.n - rest, rest);
    return (str){out, at + rest};
  case 1: /* cut the end */ return (str){text.p, at};
  case 2: /* flip */
    memcpy(out, text.p, text.n);
    out[at] = (char)(out[at] ^ (1 << below(8)));
    return (str){out, text.n};
  default: { /* insert, bytes of the same text mostly */
    static const char odd[] = "\0\x01\t\r\n\x7f\x80\xff\"'[]{},:&*#?|>-!%@`\\()";
    const bool same = below(2) == 0;
    n = same ? n : n % 4 + 1;
    memcpy(out, text.p, at);
    for (uint32_t i = 0; i < n; i++)
      out[at + i] = same ? text.p[(at + 7 * n + i) % text.n] : odd[below(sizeof odd - 1)];
    memcpy(out + at + n, text.p + at, text.n - at);
    return (str){out, text.n + n};
  }
  }
}

/* ---- what the checker says ---- */

typedef struct verdict {
  str bystander, before, after; /* diagnostics of the other file, and of the neighbours */
  uint32_t inside;              /* errors on the line that is the edited entry */
} verdict;

static str render(const diag *const *all, uint32_t n, const char *file, str op) {
  str out = {0};
  for (uint32_t i = 0; i < n; i++) {
    const diag *d = all[i];
    if (d->at.src == NULL || strstr(arena_cstr(memory, d->at.src->path), file) == NULL) continue;
    if (op.n > 0 && !str_eq(d->op, op)) continue;
    const position p = source_position(d->at.src, d->at.begin);
    out = arena_printf(memory, "%.*s%u:%u-%u %u %u %.*s\n", STR_ARG(out), p.line, p.column,
                       d->at.end - d->at.begin, diag_code_info(d->code)->number, d->severity,
                       STR_ARG(d->message));
    for (uint32_t k = 0; k < d->help.n; k++)
      out = arena_printf(memory, "%.*s  %.*s\n", STR_ARG(out), STR_ARG(d->help.v[k]));
  }
  return out;
}

static verdict check(const char *folder, str text, const str names[3]) {
  write_text(folder, "edited.yaml", text);
  char edited[128], other[128];
  snprintf(edited, sizeof edited, "%s/edited.yaml", folder);
  snprintf(other, sizeof other, "%s/other.yaml", folder);
  const char *paths[] = {edited, other};
  const emit_definitions none = {0};
  manifest_options options = {.paths = paths,
                              .path_count = 2,
                              .yaml = yt_default_limits,
                              .parse = parse_default_limits,
                              .analysis = analysis_default_options,
                              .definitions = &none,
                              .missing_unavailable = true};
  options.analysis.rows = ROWS_SHAPES;
  arena *a = arena_new();
  diag_sink *sink = diag_sink_new(a);
  manifest m;
  manifest_analyse(a, sink, &options, &m);
  uint32_t n;
  diag *const *found = diag_all(sink, &n);
  const diag *const *all = (const diag *const *)found;
  verdict v = {.bystander = render(all, n, "/other.yaml", (str){0}),
               .before = render(all, n, "/edited.yaml", names[0]),
               .after = render(all, n, "/edited.yaml", names[2])};
  for (uint32_t i = 0; i < n; i++)
    v.inside += all[i]->severity == DIAG_ERROR && all[i]->at.src != NULL &&
                strstr(arena_cstr(memory, all[i]->at.src->path), "/edited.yaml") != NULL &&
                source_position(all[i]->at.src, all[i]->at.begin).line == 2;
  FILE *nowhere = fopen("/dev/null", "w");
  for (int format = DIAG_TEXT; format <= DIAG_GITHUB; format++)
    diag_print(sink, nowhere, &(diag_options){.format = (diag_format)format, .show_unreached = true});
  fclose(nowhere);
  arena_free(a);
  return v;
}

static str lines_of(const str names[3], yt_node *const nodes[3]) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  for (int i = 0; i < 3; i++) {
    fprintf(out, "%.*s: ", STR_ARG(names[i]));
    put_node(out, nodes[i]);
    fputc('\n', out);
  }
  fclose(out);
  str copy = arena_str(memory, (str){text, (uint32_t)n});
  free(text);
  return copy;
}

/* "" or what is wrong. */
static const char *one_edit(void) {
  const origin *o = &origins.v[below(origins.n)];
  const uint32_t at = (uint32_t)below(o->root->n);
  str names[3];
  yt_node *nodes[3];
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t which = (at + i) % o->root->n;
    names[i] = yt_text(o->root->u.items[2 * which]);
    nodes[i] = copy_node(o->root->u.items[2 * which + 1]);
    if (i > 0 && str_eq(names[i], names[0]))
      names[i] = arena_printf(memory, "Copy%u%.*s", i, STR_ARG(names[i]));
    if (i > 1 && str_eq(names[i], names[1]))
      names[i] = arena_printf(memory, "Copy%u%.*s", i, STR_ARG(names[i]));
  }
  const str plain = lines_of(names, nodes);
  const verdict base = check(o->folder, plain, names);
  if (base.bystander.n == 0) return "the other file has no diagnostic";
  if (base.inside != 0) return "the entry has an error before the edit";
  const int64_t how = below(4);
  if (how < 2) malform(nodes[1]);
  if (how == 2)
    for (int64_t i = below(3); i >= 0; i--) edit_tree(nodes[1]);
  str text = how < 3 ? lines_of(names, nodes) : edit_bytes(below(2) == 0 ? plain : o->src->text);
  const verdict v = check(o->folder, text, names);
  if (!str_eq(v.bystander, base.bystander)) return "the other file's diagnostics changed";
  if (how < 3 && !str_eq(v.before, base.before)) return "the diagnostics of the entry before changed";
  if (how < 3 && !str_eq(v.after, base.after)) return "the diagnostics of the entry behind changed";
  if (how < 2 && v.inside == 0) return "a malformed entry has no error inside it";
  return "";
}

static int run_batch(unsigned batch) {
#ifndef SANITIZED
  setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY, MEMORY});
#endif
  setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
  random_state = 0x9e3779b97f4a7c15u * (batch + 1);
  for (int i = 0; i < BATCH; i++) {
    memory = arena_new();
    const char *wrong = one_edit();
    arena_free(memory);
    if (wrong[0] == '\0') continue;
    fprintf(stderr, "batch %u, edit %d: %s\n", batch, i, wrong);
    return 1;
  }
  return 0;
}

/* ---- the run ---- */

static void add_origins(const char *path, const char *types) {
  DIR *dir = opendir(path);
  if (dir == NULL) return;
  char *folder = folders[folder_count++];
  strcpy(folder, "/tmp/test_mutation_XXXXXX");
  assert_non_null(mkdtemp(folder));
  write_text(folder, "other.yaml", STR(bystander));
  str why;
  char name[512];
  snprintf(name, sizeof name, "%s/types.yaml", types);
  const source *adts = source_read(memory, name, 1 << 26, &why);
  if (adts != NULL) write_text(folder, "types.yaml", adts->text);
  for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
    if (strstr(d->d_name, ".yaml") == NULL || strcmp(d->d_name, "types.yaml") == 0) continue;
    snprintf(name, sizeof name, "%s/%s", path, d->d_name);
    bool empty;
    const source *src = source_read(memory, arena_cstr(memory, str_of(name)), 1 << 26, &why);
    assert_non_null(src);
    yt_node *root = yt_parse(memory, diag_sink_new(memory), src, &yt_default_limits, &empty);
    if (root != NULL) vec_push(memory, &origins, ((origin){src, root, folder}));
  }
  closedir(dir);
}

static int by_path(const void *a, const void *b) {
  const origin *x = a, *y = b;
  return strcmp(arena_cstr(memory, x->src->path), arena_cstr(memory, y->src->path));
}

static void test_edits(void **state) {
  (void)state;
  memory = arena_new();
  add_origins(SOURCE_DIR "/manifest/ops", SOURCE_DIR "/manifest");
  add_origins(SHARED_DIR "/corpus", SHARED_DIR "/corpus");
  assert_true(origins.n > 10);
  qsort(origins.v, origins.n, sizeof origins.v[0], by_path);
  const char *asked = getenv("ROOFLINE_EDITS");
  const unsigned batches = (unsigned)(asked != NULL ? atol(asked) : 2000) / BATCH;
  assert_true(batches > 0);
  unsigned failures = 0;
  for (unsigned batch = 0; batch < batches && failures < 5; batch++) {
    const pid_t child = fork();
    if (child == 0) _exit(run_batch(batch));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status == 0) continue;
    failures++;
    print_error("batch %u: status %#x\n", batch, (unsigned)status);
    for (uint32_t f = 0; f < folder_count; f++) { /* what was being checked stays for who looks */
      char from[128], to[128];
      snprintf(from, sizeof from, "%s/edited.yaml", folders[f]);
      snprintf(to, sizeof to, "/tmp/test_mutation_%u_%u.yaml", batch, f);
      if (rename(from, to) == 0) print_error("  %s\n", to);
    }
  }
  for (uint32_t f = 0; f < folder_count; f++) {
    static const char *const names[] = {"edited.yaml", "other.yaml", "types.yaml"};
    char path[128];
    for (int i = 0; i < 3; i++) {
      snprintf(path, sizeof path, "%s/%s", folders[f], names[i]);
      unlink(path);
    }
    rmdir(folders[f]);
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
