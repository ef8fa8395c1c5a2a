/* Reads and merges the files of a manifest and analyses every entry. */
#include "compiler/manifest.h"

#include <stdio.h>
#include <string.h>

#include "compiler/formulas.h"
#include "compiler/manifest_files.h"
#include "compiler/name_index.h"
#include "text/parallel.h"

typedef struct op_place {
  str name;
  span at;
  stage_decl *stages; /* names and places only */
  uint32_t stage_count;
  const source *src;
  formulas_op marks; /* with --formulas */
} op_place;

/* A file of the batch in work: parsed by one worker, its entries analysed by any. */
typedef struct file_work {
  const manifest_path *path;
  const source *src;
  const yt_node *root; /* NULL: nothing to analyse */
  diag_sink *found;
} file_work;

typedef struct entry_work {
  const file_work *file;
  uint32_t number; /* in its file */
  diag_sink *found;
  op_place place;
  plan plan;
  uint32_t cases;
} entry_work;

/* A worker's memory: of the run, of a batch's trees, of one entry, of one step. */
typedef struct memory {
  arena *run, *trees, *entry, *scratch;
} memory;

typedef struct reading {
  arena *a; /* names, places and sources: as long as the run */
  diag_sink *sink;
  const manifest_options *options;
  manifest *out;
  adt_table adts;
  VEC(op_place) ops;
  VEC(plan) plans;
  memory *workers;
  uint32_t jobs;
  bool lost;        /* a file has no tree, so some of the operators are not known */
  file_work *files; /* of the batch */
  entry_work *entries;
} reading;

/* ---- files ---- */

static const source *load(reading *r, const char *path) {
  str why = {0};
  source *src = source_load(r->a, path, r->options->yaml.file_bytes, &why);
  if (src != NULL) return src;
  r->out->unreadable = true;
  fprintf(stderr, "rooflinec: %.*s\n", STR_ARG(why));
  return NULL;
}

/* A file's root, or NULL when it holds no mapping (reported). */
static const yt_node *parse(const reading *r, arena *tree, diag_sink *sink, const source *src) {
  bool empty = false;
  yt_node *root = yt_parse(tree, sink, src, &r->options->yaml, &empty);
  if (empty || (root != NULL && yt_is_null(root))) {
    diag_add(sink, MANIFEST_EMPTY, (span){src, 0, 0}, "the file holds no operator");
    return NULL;
  }
  if (root == NULL || root->kind == YT_MAPPING) return root;
  diag_add(sink, MANIFEST_NOT_MAPPING, yt_span(src, root),
           "the file is not a mapping of operator names to entries");
  return NULL;
}

/* <family>.yaml, or <family>_<shard>.yaml. */
static void check_file_name(diag_sink *sink, const entry *e) {
  if (e->family_state != FACT_VALID || str_is(e->src->path, "<stdin>")) return;
  str path = e->src->path;
  uint32_t begin = path.n;
  while (begin > 0 && path.p[begin - 1] != '/') begin--;
  str stem = {path.p + begin, path.n - begin};
  if (stem.n > 5) stem.n -= 5; /* ".yaml" */
  bool fits = stem.n >= e->family.n && memcmp(stem.p, e->family.p, e->family.n) == 0 &&
              (stem.n == e->family.n || stem.p[e->family.n] == '_');
  if (fits) return;
  yt_node *node = yt_get(e->node, "family", NULL);
  diag *d = diag_add(sink, FAMILY_FILE, yt_value_span(e->src, node),
                     "operators of family '%.*s' stand in %.*s.yaml", STR_ARG(e->family), STR_ARG(stem));
  diag_help(sink, d, "a family's files are %.*s.yaml and %.*s_<shard>.yaml", STR_ARG(e->family),
            STR_ARG(e->family));
}

/* ---- entries ---- */

/* What the manifest as a whole needs of an entry after its tree is gone. */
static op_place place_of(arena *a, const entry *e, str name) {
  op_place p = {
      .name = name, .at = yt_value_span(e->src, e->key), .stage_count = e->stage_count, .src = e->src};
  p.stages = arena_array(a, stage_decl, e->stage_count + 1);
  for (uint32_t i = 0; i < e->stage_count; i++) {
    p.stages[i].op = arena_str(a, e->stages[i].op);
    if (e->stages[i].op_node == NULL) continue;
    yt_node *node = arena_new_of(a, yt_node);
    *node = *e->stages[i].op_node;
    p.stages[i].op_node = node;
  }
  return p;
}

static bool keeps(const reading *r) { return r->options->analysis.want_rows; }

static void analyse_entry(void *to, uint32_t worker, uint32_t i) {
  const reading *r = to;
  const memory *m = &r->workers[worker];
  entry_work *w = &r->entries[i];
  const file_work *f = w->file;
  const manifest_options *options = r->options;
  const yt_node *key = f->root->u.items[2 * w->number], *node = f->root->u.items[2 * w->number + 1];
  const str name = arena_str(m->run, yt_text(key)); /* for diagnostics: it outlives the tree */
  arena *a = keeps(r) ? m->run : m->entry;
  w->found = diag_sink_part(m->run, f->found);
  diag_set_op(w->found, name);
  entry *e = entry_read(a, w->found, &options->parse, &r->adts, f->src, key, node);
  if (f->path->in_folder) check_file_name(w->found, e);
  formulas_check(m->scratch, w->found, options->definitions, e, options->missing_unavailable);
  w->plan = analysis_run(a, m->scratch, w->found, &options->analysis, &r->adts, e, &w->cases);
  w->plan.emittable = diag_errors(w->found) == 0;
  w->place = place_of(m->run, e, name);
  if (options->definitions->count > 0)
    w->place.marks = formulas_op_of(m->run, e, options->missing_unavailable);
  if (!keeps(r)) arena_reset(m->entry);
  arena_reset(m->scratch);
}

static void parse_file(void *to, uint32_t worker, uint32_t i) {
  const reading *r = to;
  file_work *f = &r->files[i];
  const memory *m = &r->workers[worker];
  f->found = diag_sink_part(m->run, r->sink);
  f->root = parse(r, keeps(r) ? m->run : m->trees, f->found, f->src);
}

/* ---- files, a batch at a time ---- */

/* A batch's trees are held at once: memory follows its size, or the largest file's, and not all files'. */
enum { BATCH_BYTES = 8 << 20, BYTES_WORTH_A_THREAD = 16 << 10 };

static uint32_t jobs_for(const reading *r, uint64_t bytes) {
  const uint64_t most = bytes / BYTES_WORTH_A_THREAD + 1;
  return most < r->jobs ? (uint32_t)most : r->jobs;
}

/* What was found, in the order of files and entries: the same whoever found it. */
static void join(reading *r, uint32_t files, uint32_t entries) {
  for (uint32_t i = 0, at = 0; i < files; i++) {
    diag_join(r->sink, r->files[i].found);
    for (; at < entries && r->entries[at].file == &r->files[i]; at++) {
      const entry_work *w = &r->entries[at];
      diag_join(r->sink, w->found);
      vec_push(r->a, &r->ops, w->place);
      if (keeps(r)) vec_push(r->a, &r->plans, w->plan);
      r->out->cases += w->cases;
      r->out->ops++;
    }
  }
}

static void analyse_batch(reading *r, uint32_t files, uint64_t bytes) {
  const uint32_t jobs = jobs_for(r, bytes);
  uint64_t count = 0;
  parallel_run(jobs, files, parse_file, r);
  for (uint32_t i = 0; i < files; i++) {
    count += r->files[i].root != NULL ? r->files[i].root->n : 0;
    r->lost = r->lost || r->files[i].root == NULL;
  }
  arena *batch = arena_new();
  r->entries = arena_array(batch, entry_work, count + 1);
  uint32_t entries = 0;
  for (uint32_t i = 0; i < files; i++)
    for (uint32_t j = 0; r->files[i].root != NULL && j < r->files[i].root->n; j++)
      r->entries[entries++] = (entry_work){.file = &r->files[i], .number = j};
  parallel_run(jobs, entries, analyse_entry, r);
  join(r, files, entries);
  arena_free(batch);
  for (uint32_t i = 0; i < r->jobs; i++) arena_reset(r->workers[i].trees);
}

static void analyse_files(reading *r, const manifest_path *paths, uint32_t count) {
  r->jobs = r->options->jobs > 0 ? r->options->jobs : parallel_processors();
  if (r->jobs > PARALLEL_MOST) r->jobs = PARALLEL_MOST;
  r->workers = arena_array(r->a, memory, r->jobs);
  for (uint32_t i = 0; i < r->jobs; i++) {
    r->workers[i] = (memory){arena_new(), arena_new(), arena_new(), arena_new()};
    arena_adopt(r->a, r->workers[i].run);
  }
  r->files = arena_array(r->a, file_work, count + 1);
  uint32_t files = 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) {
    const source *src = paths[i].is_types ? NULL : load(r, paths[i].path);
    if (src != NULL) r->files[files++] = (file_work){.path = &paths[i], .src = src};
    if (src != NULL) bytes += src->text.n;
    if (files == 0 || (bytes < BATCH_BYTES && i + 1 < count)) continue;
    analyse_batch(r, files, bytes);
    files = 0;
    bytes = 0;
  }
  for (uint32_t i = 0; i < r->jobs; i++) {
    arena_free(r->workers[i].trees);
    arena_free(r->workers[i].entry);
    arena_free(r->workers[i].scratch);
  }
}

static void read_types(reading *r, const manifest_path *paths, uint32_t count) {
  manifest_file *files = arena_array(r->a, manifest_file, count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!paths[i].is_types) continue;
    const source *src = load(r, paths[i].path);
    const yt_node *root = src == NULL ? NULL : parse(r, r->a, r->sink, src);
    if (root != NULL) files[n++] = (manifest_file){src, root, true};
  }
  entry_read_adts(r->a, r->sink, &r->options->parse, files, n, &r->adts);
}

/* ---- the whole ---- */

/* A name given twice in one file is a duplicate key of YAML; across files it is found here. */
static name_index index_ops(reading *r) {
  name_index names = name_index_new(r->a, r->ops.n);
  for (uint32_t i = 0; i < r->ops.n; i++) {
    op_place *p = &r->ops.v[i];
    int64_t first = name_index_add(&names, p->name, i);
    if (first < 0) continue;
    diag_set_op(r->sink, p->name);
    diag *d =
        diag_add(r->sink, MANIFEST_DUPLICATE_OP, p->at, "operator '%.*s' is given twice", STR_ARG(p->name));
    diag_relate(r->sink, d, r->ops.v[first].at, "first given here");
    if (r->plans.n > 0) r->plans.v[i].emittable = false;
  }
  return names;
}

/* Walks stages depth-first; a stage that leads back to an operator on the way is a circle. */
typedef enum visit { VISIT_FRESH, VISIT_OPEN, VISIT_DONE } visit;

static void check_stages(reading *r, const name_index *names) {
  uint8_t *state = arena_array(r->a, uint8_t, r->ops.n + 1);
  uint32_t *stack = arena_array(r->a, uint32_t, r->ops.n + 1),
           *next = arena_array(r->a, uint32_t, r->ops.n + 1);
  for (uint32_t root = 0; root < r->ops.n; root++) {
    if (state[root] != VISIT_FRESH) continue;
    uint32_t depth = 0;
    stack[depth++] = root;
    state[root] = VISIT_OPEN;
    while (depth > 0) {
      uint32_t at = stack[depth - 1];
      const op_place *p = &r->ops.v[at];
      if (next[at] == p->stage_count) {
        state[at] = VISIT_DONE;
        depth--;
        continue;
      }
      const stage_decl *stage = &p->stages[next[at]++];
      if (stage->op.n == 0 || stage->op_node == NULL) continue;
      span where = yt_value_span(p->src, stage->op_node);
      int64_t to = name_index_find(names, stage->op);
      diag_set_op(r->sink, p->name);
      if (to < 0) {
        diag_add(r->sink, STAGE_UNREACHED, where, "stage operator '%.*s': unreached, no file given has it",
                 STR_ARG(stage->op));
      } else if (state[to] == VISIT_OPEN) {
        diag *d =
            diag_add(r->sink, STAGE_CYCLE, where, "the stages of '%.*s' lead back to it", STR_ARG(stage->op));
        diag_relate(r->sink, d, r->ops.v[to].at, "'%.*s' stands here", STR_ARG(stage->op));
      } else if (state[to] == VISIT_FRESH) {
        state[to] = VISIT_OPEN;
        stack[depth++] = (uint32_t)to;
      }
    }
  }
  diag_set_op(r->sink, (str){0});
}

static void check_marks(reading *r) {
  if (r->options->definitions->count == 0 || r->lost || r->out->unreadable) return;
  formulas_op *ops = arena_array(r->a, formulas_op, r->ops.n + 1);
  for (uint32_t i = 0; i < r->ops.n; i++) ops[i] = r->ops.v[i].marks;
  formulas_check_marks(r->a, r->sink, r->options->definitions, ops, r->ops.n);
}

void manifest_analyse(arena *a, diag_sink *sink, const manifest_options *options, manifest *out) {
  reading r = {.a = a, .sink = sink, .options = options, .out = out};
  *out = (manifest){0};
  manifest_path *paths = NULL;
  uint32_t count = 0;
  out->unreadable = !manifest_find_files(a, options->paths, options->path_count, &paths, &count);
  out->files = arena_array(a, const char *, count + 1);
  for (uint32_t i = 0; i < count; i++) out->files[out->file_count++] = paths[i].path;
  read_types(&r, paths, count);
  analyse_files(&r, paths, count);
  name_index names = index_ops(&r);
  check_stages(&r, &names);
  check_marks(&r);
  adt_table *adts = arena_new_of(a, adt_table);
  *adts = r.adts;
  out->plans = (plan_set){r.plans.v, r.plans.n, adts};
}
