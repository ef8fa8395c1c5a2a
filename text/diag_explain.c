/* What a code means: `rooflinec explain RL0412` and the reference page, both from diag.def. */
#include <stdlib.h>
#include <string.h>

#include "text/diag_render.h"

static void put_indented(FILE *out, const char *text) {
  fputs("    ", out);
  for (; *text != '\0'; text++) {
    fputc(*text, out);
    if (*text == '\n') fputs("    ", out);
  }
  fputc('\n', out);
}

static void put_code(FILE *out, const diag_info *info) {
  fprintf(out, "%s\n\nWrong:\n\n", info->rule);
  put_indented(out, info->wrong);
  fputs("\nRight:\n\n", out);
  put_indented(out, info->right);
}

bool diag_explain(FILE *out, const char *code) {
  if ((code[0] == 'R' || code[0] == 'r') && (code[1] == 'L' || code[1] == 'l')) code += 2;
  const size_t digits = strspn(code, "0123456789");
  if (digits == 0 || digits > 4 || code[digits] != '\0') return false;
  const unsigned long number = strtoul(code, NULL, 10);
  for (uint32_t i = 0; i < DIAG_CODE_COUNT; i++) {
    const diag_info *info = diag_code_info((diag_code)i);
    if (info->number != number) continue;
    fprintf(out, "RL%04u (%s): %s\n\n", info->number, diag_severity_name[info->severity], info->title);
    put_code(out, info);
    return true;
  }
  return false;
}

void diag_reference(FILE *out) {
  fputs("# Diagnostics\n\n"
        "What each code says, with a wrong and a right example. `rooflinec explain RL0102` prints one.\n",
        out);
  for (uint32_t i = 0; i < DIAG_CODE_COUNT; i++) {
    const diag_info *info = diag_code_info((diag_code)i);
    fprintf(out, "\n## RL%04u: %s\n\nSeverity: %s. ", info->number, info->title,
            diag_severity_name[info->severity]);
    put_code(out, info);
  }
}
