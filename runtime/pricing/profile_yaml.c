/* One profile file: YAML tree to roofline_profile, every defect with its place. pricing.md §2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pricing/profiles.h"
#include "text/yaml_tree.h"

/* A mapping under reading: `name` is how messages call it, `at` its key (or its first line). */
typedef struct block {
  const yt_node *map;
  const char *name;
  span at;
} block;

typedef struct reader {
  arena *a;
  diag_sink *sink;
  const source *src;
  VEC(block) uncalibrated;
} reader;

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static const char *const profile_keys[] = {"gpu",        "aliases", "compute_capability", "arch", "product",
                                           "default",    "timing",  "compute_units",      "hbm",  "cuda_core",
                                           "tensor_core"};
static const char *const hbm_keys[] = {"theoretical", "calibration", "source", "calibration_source", "mixes"};
static const char *const roof_keys[] = {"theoretical", "calibration", "source", "calibration_source"};
static const char *const mix_keys[] = {"copy", "triad", "read", "write"};
static const char *const section_keys[] = {"cuda_core", "tensor_core"};
static const char *const dtype_keys[] = {"fp64", "fp32", "tf32", "bf16",  "fp16",  "fp8",  "fp6",
                                         "fp4",  "int4", "int8", "int16", "int32", "int64"};
static const char *const clocks[] = {"cupti", "rocprofiler", "steady_clock"};

static str *names_of(arena *a, const char *const *names, uint32_t count) {
  str *all = arena_array(a, str, count);
  for (uint32_t i = 0; i < count; i++) all[i] = str_of(names[i]);
  return all;
}

static bool one_of(str text, const char *const *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (str_is(text, names[i])) return true;
  return false;
}

/* Unknown keys are errors; a stored `effective` has a message of its own, because it looks right. */
static void check_keys(reader *r, const block *b, const char *const *known, uint32_t count) {
  for (uint32_t i = 0; i < b->map->n; i++) {
    const yt_node *key = b->map->u.items[2 * i];
    str text = yt_text(key);
    if (one_of(text, known, count)) continue;
    if (str_is(text, "effective")) {
      diag_add(r->sink, PROFILE_STORED_EFFECTIVE, yt_span(r->src, key),
               "%s stores 'effective'; it is theoretical × calibration, computed when used", b->name);
      continue;
    }
    diag *d = diag_add(r->sink, PROFILE_UNKNOWN_KEY, yt_span(r->src, key), "unknown key '%.*s' in %s",
                       STR_ARG(text), b->name);
    const str *names = names_of(r->a, known, count);
    diag_list(r->sink, d, "allowed", names, count);
    diag_suggest(r->sink, d, text, names, count);
  }
}

static const yt_node *required(reader *r, const block *b, const char *key) {
  const yt_node *node = yt_get(b->map, key, NULL);
  if (node == NULL) diag_add(r->sink, PROFILE_MISSING_KEY, b->at, "%s has no '%s'", b->name, key);
  return node;
}

static bool open_block(reader *r, const yt_node *node, const yt_node *key, const char *name, block *b) {
  *b = (block){node, name, yt_span(r->src, key)};
  if (node->kind == YT_MAPPING) return true;
  diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, node), "%s is a mapping", name);
  return false;
}

static const char *read_text(reader *r, const block *b, const char *key) {
  const yt_node *node = yt_get(b->map, key, NULL);
  if (node == NULL) return NULL;
  if (node->kind != YT_SCALAR || node->type != YT_STRING || node->n == 0) {
    diag *d = diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, node), "'%s' in %s is text", key,
                       b->name);
    if (node->kind == YT_SCALAR && node->n > 0)
      diag_help(r->sink, d, "write it in quotes: \"%.*s\"", STR_ARG(yt_text(node)));
    return NULL;
  }
  if (memchr(node->u.text, '\0', node->n) != NULL) {
    diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, node), "'%s' in %s holds a NUL character",
             key, b->name);
    return NULL;
  }
  return arena_cstr(r->a, yt_text(node));
}

/* A finite, positive number, at most `limit`. 0 when it is not, with the defect added. */
static double read_number(reader *r, const yt_node *node, const char *name, double limit) {
  span at = yt_value_span(r->src, node);
  if (node->kind != YT_SCALAR || (node->type != YT_INT && node->type != YT_FLOAT)) {
    diag_add(r->sink, PROFILE_WRONG_VALUE, at, "%s is a number", name);
    return 0;
  }
  str text = yt_text(node);
  int64_t integer;
  double x = node->type == YT_FLOAT   ? yt_float(node)
             : yt_int(node, &integer) ? (double)integer
                                      : strtod(arena_cstr(r->a, text), NULL);
  if (!isfinite(x) || x <= 0) {
    diag_add(r->sink, PROFILE_NOT_POSITIVE, at, "%s is finite and positive, not %.*s", name, STR_ARG(text));
    return 0;
  }
  if (x > limit) {
    diag_add(r->sink, PROFILE_CALIBRATION_RANGE, at,
             "%s is a share of the theoretical rate, at most 1, not %.*s", name, STR_ARG(text));
    return 0;
  }
  return x;
}

static const char *dotted(reader *r, const char *a, const char *b) {
  return arena_printf(r->a, "%s.%s", a, b).p;
}

static double read_share(reader *r, const block *b, const char *key) {
  const yt_node *node = yt_get(b->map, key, NULL);
  return node == NULL ? 0 : read_number(r, node, dotted(r, b->name, key), 1);
}

/* The envelope: hbm.calibration is the best bandwidth any mix of accesses reached. */
static void read_mixes(reader *r, const block *hbm, double calibration, roofline_mixes *mixes) {
  yt_node *key;
  const yt_node *node = yt_get(hbm->map, "mixes", &key);
  block b;
  if (node == NULL || !open_block(r, node, key, "hbm.mixes", &b)) return;
  check_keys(r, &b, mix_keys, COUNT(mix_keys));
  double *const slots[COUNT(mix_keys)] = {&mixes->copy, &mixes->triad, &mixes->read, &mixes->write};
  double largest = 0;
  bool all = true;
  for (uint32_t i = 0; i < COUNT(mix_keys); i++) {
    if (yt_get(b.map, mix_keys[i], NULL) == NULL)
      diag_add(r->sink, PROFILE_MIX_MISSING, b.at,
               "hbm.mixes has no '%s'; give all of copy, triad, read, write", mix_keys[i]);
    *slots[i] = read_share(r, &b, mix_keys[i]);
    all = all && *slots[i] > 0;
    if (*slots[i] > largest) largest = *slots[i];
  }
  const yt_node *given = yt_get(hbm->map, "calibration", NULL);
  if (given == NULL)
    diag_add(r->sink, PROFILE_MISSING_KEY, hbm->at,
             "hbm has mixes and no 'calibration', which is their largest");
  else if (all && calibration > 0 && calibration != largest)
    diag_add(r->sink, PROFILE_MIX_NOT_LARGEST, yt_value_span(r->src, given),
             "hbm.calibration %.*s is not the largest mix, %g", STR_ARG(yt_text(given)), largest);
}

static void read_roof(reader *r, const block *b, const char *key, const char *const *known, uint32_t count,
                      roofline_roof *roof) {
  check_keys(r, b, known, count);
  roof->key = key;
  const yt_node *theoretical = required(r, b, "theoretical");
  if (theoretical != NULL)
    roof->theoretical = read_number(r, theoretical, dotted(r, b->name, "theoretical"), (double)INFINITY);
  roof->calibration = read_share(r, b, "calibration");
  roof->source = read_text(r, b, "source");
  roof->calibration_source = read_text(r, b, "calibration_source");
  if (yt_get(b->map, "calibration", NULL) == NULL) vec_push(r->a, &r->uncalibrated, *b);
}

typedef VEC(roofline_roof) roof_list;

static void read_section(reader *r, const block *profile, const char *section, roof_list *roofs) {
  yt_node *key;
  const yt_node *node = yt_get(profile->map, section, &key);
  block b;
  if (node == NULL || !open_block(r, node, key, section, &b)) return;
  check_keys(r, &b, dtype_keys, COUNT(dtype_keys));
  for (uint32_t i = 0; i < node->n; i++) {
    const yt_node *dtype = node->u.items[2 * i];
    if (!one_of(yt_text(dtype), dtype_keys, COUNT(dtype_keys))) continue;
    const char *name = dotted(r, section, arena_cstr(r->a, yt_text(dtype)));
    block roof;
    if (!open_block(r, node->u.items[2 * i + 1], dtype, name, &roof)) continue;
    roofline_roof item = {0};
    read_roof(r, &roof, name, roof_keys, COUNT(roof_keys), &item);
    vec_push(r->a, roofs, item);
  }
}

/* The two run on the same units; different peaks mean one of them is mis-measured. */
static void check_half_peaks(reader *r, const block *b, const roofline_profile *p) {
  const roofline_roof *bf16 = roofline_profile_roof(p, "tensor_core.bf16");
  const roofline_roof *fp16 = roofline_profile_roof(p, "tensor_core.fp16");
  if (bf16 == NULL || fp16 == NULL || bf16->theoretical == fp16->theoretical || bf16->theoretical <= 0 ||
      fp16->theoretical <= 0)
    return;
  const yt_node *section = yt_get(b->map, "tensor_core", NULL);
  const yt_node *first = yt_get(yt_get(section, "bf16", NULL), "theoretical", NULL);
  const yt_node *second = yt_get(yt_get(section, "fp16", NULL), "theoretical", NULL);
  if (first->begin > second->begin) {
    const yt_node *swap = first;
    first = second, second = swap;
  }
  diag *d = diag_add(r->sink, PROFILE_PEAKS_DIFFER, yt_value_span(r->src, second),
                     "the bf16 and fp16 tensor peaks differ: one of them is mis-measured");
  diag_relate(r->sink, d, yt_value_span(r->src, first), "the other peak");
}

/* A profile of datasheet numbers is one thing to say, not one a roof. */
static void say_uncalibrated(reader *r, const block *b, const roofline_profile *p) {
  if ((int32_t)r->uncalibrated.n == p->roof_count + 1) {
    diag_add(r->sink, PROFILE_NOT_CALIBRATED, b->at,
             "no roof has a calibration: the profile prices only under --theoretical");
    return;
  }
  for (uint32_t i = 0; i < r->uncalibrated.n; i++)
    diag_add(r->sink, PROFILE_NOT_CALIBRATED, r->uncalibrated.v[i].at,
             "%s has no calibration: rows that need it stay blank", r->uncalibrated.v[i].name);
}

static void read_aliases(reader *r, const block *b, roofline_profile *p) {
  const yt_node *node = yt_get(b->map, "aliases", NULL);
  if (node == NULL) return;
  if (node->kind != YT_SEQUENCE) {
    diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, node),
             "'aliases' is a list of device names");
    return;
  }
  const char **aliases = arena_array(r->a, const char *, node->n);
  for (uint32_t i = 0; i < node->n; i++) {
    const yt_node *item = node->u.items[i];
    if (item->kind != YT_SCALAR || item->type != YT_STRING || item->n == 0)
      diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, item), "an alias is a device name: text");
    else
      aliases[p->alias_count++] = arena_cstr(r->a, yt_text(item));
  }
  p->aliases = aliases;
}

/* On AMD rocprofiler times kernels, elsewhere CUPTI does; a CPU profile says steady_clock itself. */
static void read_timing(reader *r, const block *b, roofline_profile *p) {
  p->timing = p->arch != NULL && strncmp(p->arch, "gfx", 3) == 0 ? "rocprofiler" : "cupti";
  const yt_node *node = yt_get(b->map, "timing", NULL);
  const char *given = read_text(r, b, "timing");
  if (given == NULL) return;
  p->timing = given;
  if (one_of(str_of(given), clocks, COUNT(clocks))) return;
  diag *d = diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, node),
                     "'%s' is no clock that times a device", given);
  diag_list(r->sink, d, "allowed", names_of(r->a, clocks, COUNT(clocks)), COUNT(clocks));
}

static void read_product(reader *r, const block *b, roofline_profile *p) {
  p->compute_capability = read_text(r, b, "compute_capability");
  p->arch = read_text(r, b, "arch");
  p->product = read_text(r, b, "product");
  const yt_node *units = yt_get(b->map, "compute_units", NULL);
  int64_t count;
  if (units != NULL && (units->kind != YT_SCALAR || units->type != YT_INT || !yt_int(units, &count) ||
                        count <= 0 || count > INT32_MAX))
    diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, units),
             "'compute_units' is a positive integer");
  else if (units != NULL)
    p->compute_units = (int32_t)count;
  yt_node *key;
  const yt_node *def = yt_get(b->map, "default", &key);
  if (def == NULL) return;
  if (def->kind != YT_SCALAR || def->type != YT_BOOL)
    diag_add(r->sink, PROFILE_WRONG_VALUE, yt_value_span(r->src, def), "'default' is true or false");
  else if (p->arch == NULL)
    diag_add(r->sink, PROFILE_MISSING_KEY, yt_span(r->src, key),
             "'default' says which profile serves an 'arch', and there is none");
  else
    p->arch_default = yt_bool(def);
}

const roofline_profile *profile_read(arena *a, diag_sink *sink, const source *src) {
  reader r = {a, sink, src, {0}};
  uint32_t errors = diag_errors(sink);
  bool empty = false;
  const yt_node *root = yt_parse(a, sink, src, &yt_default_limits, &empty);
  if (root == NULL || root->kind != YT_MAPPING) {
    if (root != NULL || empty)
      diag_add(sink, PROFILE_NOT_MAPPING, root != NULL ? yt_span(src, root) : (span){src, 0, 0},
               "a profile is a mapping that starts with 'gpu'");
    return NULL;
  }
  block b = {root, "the profile", root->n > 0 ? yt_span(src, root->u.items[0]) : yt_span(src, root)};
  check_keys(&r, &b, profile_keys, COUNT(profile_keys));
  roofline_profile *p = arena_new_of(a, roofline_profile);
  required(&r, &b, "gpu");
  p->gpu = read_text(&r, &b, "gpu");
  read_aliases(&r, &b, p);
  read_product(&r, &b, p);
  read_timing(&r, &b, p);

  yt_node *key = NULL;
  const yt_node *hbm = required(&r, &b, "hbm");
  if (hbm != NULL) yt_get(root, "hbm", &key);
  block memory;
  if (hbm != NULL && open_block(&r, hbm, key, "hbm", &memory)) {
    read_roof(&r, &memory, "hbm", hbm_keys, COUNT(hbm_keys), &p->hbm);
    read_mixes(&r, &memory, p->hbm.calibration, &p->mixes);
  }
  roof_list roofs = {0};
  for (uint32_t i = 0; i < COUNT(section_keys); i++) read_section(&r, &b, section_keys[i], &roofs);
  p->roofs = roofs.v;
  p->roof_count = (int32_t)roofs.n;
  check_half_peaks(&r, &b, p);
  say_uncalibrated(&r, &b, p);
  return diag_errors(sink) == errors ? p : NULL;
}
