/* `--format sarif`: SARIF 2.1.0, one run. */
#include <stdlib.h>
#include <string.h>

#include "text/diag_render.h"

static uint64_t hash_more(uint64_t h, str s) {
  for (uint32_t i = 0; i < s.n; i++) h = (h ^ (unsigned char)s.p[i]) * 0x100000001B3u; /* FNV-1a */
  return (h ^ 0xFF) * 0x100000001B3u;                                                  /* a separator */
}

/* What stays when other lines of the file change: the op, the token's line without its indentation, the
   message; not the line number. */
static uint64_t fingerprint(const diag *d) {
  uint64_t h = hash_more(0xCBF29CE484222325u, str_of(diag_code_info(d->code)->name));
  h = hash_more(h, d->op);
  h = hash_more(h, d->message);
  if (d->at.src == NULL) return h;
  if (d->op.n == 0) h = hash_more(h, d->at.src->path);
  str line = source_line(d->at.src, source_position(d->at.src, d->at.begin).line);
  while (line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t')) line = (str){line.p + 1, line.n - 1};
  if (line.n > 200) line.n = 200; /* a line may be as long as the file */
  return hash_more(h, line);
}

typedef struct counted_hash {
  uint64_t hash;
  uint32_t result, occurrence;
} counted_hash;

/* A path as a URI reference (RFC 3986): absolute ones get the file scheme. */
static void put_uri(FILE *out, str path) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  fputs(path.n > 0 && path.p[0] == '/' ? "\"file://" : "\"", out);
  for (uint32_t i = 0; i < path.n; i++) {
    if (path.p[i] != '\0' && strchr(plain, path.p[i]) != NULL)
      fputc(path.p[i], out);
    else
      fprintf(out, "%%%02X", (unsigned char)path.p[i]);
  }
  fputc('"', out);
}

static void put_physical(FILE *out, span at) {
  position begin = source_position(at.src, at.begin), end = source_position(at.src, at.end);
  fputs("\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
  put_uri(out, at.src->path);
  fprintf(out, "}, \"region\": {\"startLine\": %u, \"startColumn\": %u, \"endLine\": %u, \"endColumn\": %u}}",
          begin.line, begin.column_utf16, end.line, end.column_utf16);
}

static void put_message(FILE *out, const char *key, str text) {
  fprintf(out, "\"%s\": {\"text\": ", key);
  diag_json_string(out, text);
  fputc('}', out);
}

/* SARIF's own word for a judgement that could not be reached is kind "open", which has no level. */
static const char *const level[4] = {"error", "warning", "note", "none"};

static void put_rule(FILE *out, diag_code code) {
  const diag_info *info = diag_code_info(code);
  fprintf(out, "{\"id\": \"RL%04u\", \"name\": \"%s\", ", info->number, info->name);
  put_message(out, "shortDescription", str_of(info->title));
  fputs(", ", out);
  put_message(out, "fullDescription", str_of(info->rule));
  fprintf(out, ", \"defaultConfiguration\": {\"level\": \"%s\"}}", level[info->severity]);
}

/* The help lines belong to the message: viewers show nothing else. */
static void put_text(FILE *out, arena *a, const diag *d) {
  str text = d->message;
  for (uint32_t i = 0; i < d->help.n; i++)
    text = arena_printf(a, "%.*s\n%.*s", STR_ARG(text), STR_ARG(d->help.v[i]));
  put_message(out, "message", text);
}

static void put_result(FILE *out, arena *a, const diag *d, uint32_t rule, const counted_hash *print) {
  fprintf(out, "{\"ruleId\": \"RL%04u\", \"ruleIndex\": %u, %s\"level\": \"%s\", ",
          diag_code_info(d->code)->number, rule, d->severity == DIAG_UNREACHED ? "\"kind\": \"open\", " : "",
          level[d->severity]);
  put_text(out, a, d);
  if (d->at.src != NULL) {
    fputs(", \"locations\": [{", out);
    put_physical(out, d->at);
    if (d->op.n > 0) {
      fputs(", \"logicalLocations\": [{\"name\": ", out);
      diag_json_string(out, d->op);
      fputs(", \"kind\": \"object\"}]", out);
    }
    fputs("}]", out);
  }
  bool first = true;
  for (uint32_t i = 0; i < d->related.n; i++) {
    if (d->related.v[i].at.src == NULL) continue;
    fputs(first ? ", \"relatedLocations\": [{" : ", {", out);
    first = false;
    put_physical(out, d->related.v[i].at);
    fputs(", ", out);
    put_message(out, "message", d->related.v[i].message);
    fputc('}', out);
  }
  fprintf(out, "%s, \"partialFingerprints\": {\"rooflinec/v1\": \"%016llx:%u\"}}", first ? "" : "]",
          (unsigned long long)print->hash, print->occurrence);
}

static int compare_hashes(const void *left, const void *right) {
  const counted_hash *a = left, *b = right;
  int c = (a->hash > b->hash) - (a->hash < b->hash);
  return c != 0 ? c : (a->result > b->result) - (a->result < b->result);
}

static int compare_results(const void *left, const void *right) {
  const counted_hash *a = left, *b = right;
  return (a->result > b->result) - (a->result < b->result);
}

/* Defects that look the same are told apart by their order. */
static counted_hash *fingerprints(arena *a, const diag_report *report) {
  counted_hash *v = arena_array(a, counted_hash, report->n);
  for (uint32_t i = 0; i < report->n; i++) v[i] = (counted_hash){fingerprint(report->v[i]), i, 1};
  if (report->n > 1) qsort(v, report->n, sizeof *v, compare_hashes);
  for (uint32_t i = 1; i < report->n; i++)
    if (v[i].hash == v[i - 1].hash) v[i].occurrence = v[i - 1].occurrence + 1;
  if (report->n > 1) qsort(v, report->n, sizeof *v, compare_results);
  return v;
}

void diag_print_sarif(const diag_report *report, FILE *out) {
  arena *a = arena_new(), *scratch = arena_new();
  const counted_hash *prints = fingerprints(a, report);
  uint32_t rules[DIAG_CODE_COUNT + 1] = {0}, rule_count = 0; /* number of the rule, plus one */
  fputs("{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\": \"2.1.0\",\n"
        " \"runs\": [{\n  \"tool\": {\"driver\": {\"name\": \"rooflinec\", \"version\": \"" ROOFLINE_VERSION
        "\", \"rules\": [",
        out);
  for (uint32_t i = 0; i < report->n; i++) {
    diag_code code = report->v[i]->code;
    if (rules[code] != 0) continue;
    fputs(rule_count > 0 ? ",\n    " : "\n    ", out);
    rules[code] = ++rule_count;
    put_rule(out, code);
  }
  fputs("]}},\n  \"columnKind\": \"utf16CodeUnits\",\n  \"results\": [", out);
  for (uint32_t i = 0; i < report->n; i++) {
    const diag *d = report->v[i];
    fputs(i > 0 ? ",\n    " : "\n    ", out);
    put_result(out, scratch, d, rules[d->code] - 1, &prints[i]);
    arena_reset(scratch);
  }
  fputs("]\n }]}\n", out);
  arena_free(scratch);
  arena_free(a);
}
