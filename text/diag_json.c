/* codegen.md §1: `--format json`. */
#include "text/diag_render.h"

void diag_json_string(FILE *out, str s) {
  fputc('"', out);
  for (uint32_t i = 0; i < s.n;) {
    unsigned char c = (unsigned char)s.p[i];
    uint32_t n = source_utf8_length(s.p + i, s.p + s.n);
    if (n == 0)
      fputs("\xEF\xBF\xBD", out);
    else if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fwrite(s.p + i, 1, n, out);
    i += n == 0 ? 1 : n;
  }
  fputc('"', out);
}

/* What is about the whole run has no file, and the place of a file's first character. */
static void put_place(FILE *out, span at) {
  position begin = {1, 1, 1}, end = {1, 1, 1};
  if (at.src != NULL) {
    begin = source_position(at.src, at.begin);
    end = source_position(at.src, at.end);
  }
  fputs("\"file\": ", out);
  diag_json_string(out, at.src != NULL ? at.src->path : STR(""));
  fprintf(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u", begin.line,
          begin.column, end.line, end.column);
}

static void put_diag(FILE *out, const diag *d) {
  fprintf(out, "{\"code\": \"RL%04u\", \"severity\": \"%s\", \"message\": ", diag_code_info(d->code)->number,
          diag_severity_name[d->severity]);
  diag_json_string(out, d->message);
  fputs(", ", out);
  put_place(out, d->at);
  if (d->op.n > 0) {
    fputs(", \"op\": ", out);
    diag_json_string(out, d->op);
  }
  if (d->help.n > 0) {
    for (uint32_t i = 0; i < d->help.n; i++) {
      fputs(i == 0 ? ", \"help\": [" : ", ", out);
      diag_json_string(out, d->help.v[i]);
    }
    fputc(']', out);
  }
  if (d->related.n > 0) {
    for (uint32_t i = 0; i < d->related.n; i++) {
      fputs(i == 0 ? ", \"related\": [{" : ", {", out);
      put_place(out, d->related.v[i].at);
      fputs(", \"message\": ", out);
      diag_json_string(out, d->related.v[i].message);
      fputc('}', out);
    }
    fputc(']', out);
  }
  fputc('}', out);
}

void diag_print_json(const diag_report *report, FILE *out) {
  fputs("{\"version\": 1,\n \"diagnostics\": [", out);
  for (uint32_t i = 0; i < report->n; i++) {
    fputs(i > 0 ? ",\n  " : "\n  ", out);
    put_diag(out, report->v[i]);
  }
  fprintf(out,
          "],\n \"summary\": {\"errors\": %u, \"warnings\": %u, \"advisories\": %u, \"unreached\": %u, "
          "\"ops\": %u, \"cases\": %u}}\n",
          report->counts[DIAG_ERROR], report->counts[DIAG_WARNING], report->counts[DIAG_ADVISORY],
          report->counts[DIAG_UNREACHED], report->options->ops, report->options->cases);
}
