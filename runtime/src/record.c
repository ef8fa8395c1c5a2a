/* The record writer: one measured row, one JSON line. pricing.md §3. */
#include <roofline/record.h>

#include <string.h>

#include "json_text.h"

/* `{"op": ` opens the line, `, "case": ` continues it. */
static void key(FILE *out, const char *name, bool *first) {
  fprintf(out, "%s\"%s\": ", *first ? "{" : ", ", name);
  *first = false;
}

static void put_text(FILE *out, const char *name, const char *s, bool *first) {
  if (s == NULL) return;
  key(out, name, first);
  putc('"', out);
  for (size_t n = strlen(s); n > 0;) {
    char escape[JSON_ESCAPE_MAX];
    size_t plain = json_text_plain(s, n);
    fwrite(s, 1, plain, out);
    s += plain, n -= plain;
    if (n == 0) break;
    fwrite(escape, 1, json_text_escape(*s, escape), out);
    s++, n--;
  }
  putc('"', out);
}

static void put_number(FILE *out, const char *name, double x, bool required, bool *first) {
  char text[JSON_NUMBER_MAX];
  if (!required && !isfinite(x)) return;
  key(out, name, first);
  fwrite(text, 1, json_text_number(x, text), out);
}

static void put_integer(FILE *out, const char *name, int64_t x, bool required, bool *first) {
  char text[JSON_NUMBER_MAX];
  if (x == ROOFLINE_ABSENT) {
    if (required) put_number(out, name, (double)NAN, true, first);
    return;
  }
  key(out, name, first);
  fwrite(text, 1, json_text_integer(x, text), out);
}

roofline_status roofline_record_write(FILE *out, const roofline_record *r) {
  const char *const texts[] = {r->op,     r->case_id,  r->tag,        r->device,
                               r->timing, r->roof_key, r->data_terms, r->run};
  if (r->op == NULL || r->case_id == NULL || r->device == NULL) return ROOFLINE_E_UNKNOWN_NAME;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i] != NULL && !text_is_utf8(texts[i], strlen(texts[i]))) return ROOFLINE_E_DOMAIN;
  if (r->run != NULL && (r->run[0] == '\0' || strpbrk(r->run, "\r\n") != NULL)) return ROOFLINE_E_DOMAIN;

  bool first = true;
  put_text(out, "op", r->op, &first);
  put_text(out, "case", r->case_id, &first);
  put_text(out, "tag", r->tag, &first);
  put_text(out, "device", r->device, &first);
  put_text(out, "timing", r->timing, &first);
  put_text(out, "roof_key", r->roof_key, &first);
  put_text(out, "data_terms", r->data_terms, &first);
  put_number(out, "device_busy_ms", r->device_busy_ms, true, &first);
  put_number(out, "uncounted_copy_ms", r->uncounted_copy_ms, false, &first);
  put_number(out, "latency_ms", r->latency_ms, false, &first);
  put_number(out, "p10_ms", r->p10_ms, false, &first);
  put_number(out, "p90_ms", r->p90_ms, false, &first);
  put_integer(out, "n_samples", r->n_samples, false, &first);
  put_integer(out, "flops", r->flops, true, &first);
  put_integer(out, "bytes", r->bytes, true, &first);
  put_integer(out, "read_bytes", r->read_bytes, false, &first);
  if (r->run != NULL) {
    key(out, "run", &first);
    fputs(r->run, out);
  }
  fputs("}\n", out);
  return ferror(out) ? ROOFLINE_E_IO : ROOFLINE_OK;
}
