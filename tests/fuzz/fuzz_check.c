/* Any bytes as a manifest file, through the whole checker and, where it is clean, through emission. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis.h"
#include "compiler/emit.h"
#include "compiler/entry.h"

static const char types[] =
    "adts:\n"
    "  Layout:\n"
    "    sum:\n"
    "      contiguous:\n"
    "        python: x.Contiguous\n"
    "        fields: {packing: \"'tight' | 'aligned'\", alignment: Dim}\n"
    "        invariant: \"(packing == 'tight') == (alignment == 1) and alignment >= 1\"\n"
    "      masked: {python: x.Masked, fields: {max_m: Dim}}\n";

static void read_types(arena *a, diag_sink *sink, adt_table *adts) {
  bool empty;
  source *src = source_from_text(a, "types.yaml", STR(types));
  manifest_file file = {src, yt_parse(a, sink, src, &yt_default_limits, &empty), true};
  entry_read_adts(a, sink, &parse_default_limits, &file, 1, adts);
  if (diag_errors(sink) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena *a = arena_new(), *scratch = arena_new();
  diag_sink *sink = diag_sink_new(a);
  adt_table adts = {0};
  read_types(a, sink, &adts);
  source *src = source_from_text(a, "fuzz.yaml", (str){(const char *)data, (uint32_t)size});
  bool empty = false;
  yt_node *root = yt_parse(a, sink, src, &yt_default_limits, &empty);
  analysis_options options = analysis_default_options;
  options.want_rows = true;
  options.max_steps = 100000;
  options.max_points = 2048;
  plan *plans = arena_array(a, plan, root != NULL && root->kind == YT_MAPPING ? root->n + 1 : 1);
  uint32_t count = 0, cases = 0;
  if (root != NULL && root->kind == YT_MAPPING)
    for (uint32_t i = 0; i < root->n; i++) {
      uint32_t errors = diag_errors(sink);
      entry *e = entry_read(a, sink, &parse_default_limits, &adts, src, root->u.items[2 * i],
                            root->u.items[2 * i + 1]);
      plan p = analysis_run(a, scratch, sink, &options, &adts, e, &cases);
      p.emittable = diag_errors(sink) == errors;
      plans[count++] = p;
      arena_reset(scratch);
    }
  if (root != NULL && diag_errors(sink) == 0) {
    plan_set set = {plans, count, &adts};
    emit_options emission = {.prefix = STR("roofline"), .rows_main = true, .missing_unavailable = true};
    emit_files files = {0};
    emit_all(a, sink, &set, &emission, &files);
  }
  static FILE *nowhere;
  if (nowhere == NULL) nowhere = fopen("/dev/null", "w");
  for (int format = DIAG_TEXT; format <= DIAG_GITHUB; format++) {
    diag_options shown = {.format = (diag_format)format, .show_unreached = true};
    diag_print(sink, nowhere, &shown);
  }
  arena_free(scratch);
  arena_free(a);
  return 0;
}
