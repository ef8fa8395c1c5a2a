/* Reads and merges the files of a manifest and analyses every entry. */
#include "compiler/manifest.h"

#include <stdio.h>
#include <string.h>

#include "compiler/formulas.h"
#include "compiler/manifest_files.h"
#include "compiler/name_index.h"

typedef struct op_place {
  str name;
  span at;
  stage_decl *stages; /* names and places only */
  uint32_t stage_count;
  const source *src;
} op_place;

typedef struct reading {
  arena *a; /* names, places and sources: as long as the run */
  diag_sink *sink;
  const manifest_options *options;
  manifest *out;
  adt_table adts;
  VEC(op_place) ops;
  VEC(plan) plans;
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
static const yt_node *parse(reading *r, arena *tree, const source *src) {
  bool empty = false;
  yt_node *root = yt_parse(tree, r->sink, src, &r->options->yaml, &empty);
  if (empty || (root != NULL && yt_is_null(root))) {
    diag_add(r->sink, MANIFEST_EMPTY, (span){src, 0, 0}, "the file holds no operator");
    return NULL;
  }
  if (root == NULL || root->kind == YT_MAPPING) return root;
  diag_add(r->sink, MANIFEST_NOT_MAPPING, yt_span(src, root),
           "the file is not a mapping of operator names to entries");
  return NULL;
}

/* <family>.yaml, or <family>_<shard>.yaml. */
static void check_file_name(reading *r, const entry *e) {
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
  diag *d = diag_add(r->sink, FAMILY_FILE, yt_value_span(e->src, node),
                     "operators of family '%.*s' stand in %.*s.yaml", STR_ARG(e->family), STR_ARG(stem));
  diag_help(r->sink, d, "a family's files are %.*s.yaml and %.*s_<shard>.yaml", STR_ARG(e->family),
            STR_ARG(e->family));
}

/* ---- entries ---- */

/* What the manifest as a whole needs of an entry after its tree is gone. */
static void keep_place(reading *r, const entry *e, str name) {
  op_place p = {name, yt_value_span(e->src, e->key), NULL, e->stage_count, e->src};
  p.stages = arena_array(r->a, stage_decl, e->stage_count + 1);
  for (uint32_t i = 0; i < e->stage_count; i++) {
    p.stages[i].op = arena_str(r->a, e->stages[i].op);
    if (e->stages[i].op_node == NULL) continue;
    yt_node *node = arena_new_of(r->a, yt_node);
    *node = *e->stages[i].op_node;
    p.stages[i].op_node = node;
  }
  vec_push(r->a, &r->ops, p);
}

/* Memory of the run (`keep`: plans are wanted), or of one file, one entry, one step at a time. */
typedef struct working {
  arena *tree, *entry, *scratch;
  bool keep;
} working;

static void analyse_file(reading *r, const manifest_path *path, const source *src, const working *w,
                         const yt_node *root) {
  for (uint32_t i = 0; i < root->n; i++) {
    const yt_node *key = root->u.items[2 * i], *node = root->u.items[2 * i + 1];
    const str name = arena_str(r->a, yt_text(key)); /* for diagnostics: it outlives the tree */
    diag_set_op(r->sink, name);
    uint32_t errors = diag_errors(r->sink);
    entry *e = entry_read(w->entry, r->sink, &r->options->parse, &r->adts, src, key, node);
    if (path->in_folder) check_file_name(r, e);
    formulas_check(r->sink, r->options->definitions, e, r->options->missing_unavailable);
    plan p = analysis_run(w->entry, w->scratch, r->sink, &r->options->analysis, &r->adts, e, &r->out->cases);
    p.emittable = diag_errors(r->sink) == errors;
    keep_place(r, e, name);
    if (w->keep) vec_push(r->a, &r->plans, p);
    if (!w->keep) arena_reset(w->entry);
    arena_reset(w->scratch);
  }
  diag_set_op(r->sink, (str){0});
  r->out->ops += root->n;
}

static void analyse_files(reading *r, const manifest_path *paths, uint32_t count) {
  working w = {.tree = r->a, .entry = r->a, .scratch = arena_new(), .keep = r->options->analysis.want_rows};
  if (!w.keep) w.tree = arena_new();
  if (!w.keep) w.entry = arena_new();
  for (uint32_t i = 0; i < count; i++) {
    if (paths[i].is_types) continue;
    const source *src = load(r, paths[i].path);
    const yt_node *root = src == NULL ? NULL : parse(r, w.tree, src);
    if (root != NULL) analyse_file(r, &paths[i], src, &w, root);
    if (!w.keep) arena_reset(w.tree);
  }
  if (!w.keep) arena_free(w.tree);
  if (!w.keep) arena_free(w.entry);
  arena_free(w.scratch);
}

static void read_types(reading *r, const manifest_path *paths, uint32_t count) {
  manifest_file *files = arena_array(r->a, manifest_file, count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!paths[i].is_types) continue;
    const source *src = load(r, paths[i].path);
    const yt_node *root = src == NULL ? NULL : parse(r, r->a, src);
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
  adt_table *adts = arena_new_of(a, adt_table);
  *adts = r.adts;
  out->plans = (plan_set){r.plans.v, r.plans.n, adts};
}
