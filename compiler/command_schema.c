#include <stdio.h>

#include "compiler/commands.h"
#include "compiler/schema.h"

int schema_main(int argc, char **argv) {
  arena *a = arena_new();
  const arg_command command = {
      .name = "rooflinec schema",
      .summary = "Prints a JSON Schema of manifest files and of types.yaml. An editor with a YAML language\n"
                 "server completes and checks keys by it.\n\n"
                 "  rooflinec schema > manifest.schema.json",
  };
  arg_texts none = {0};
  arg_result parsed = args_parse(a, &command, argc, argv, &none);
  int status = parsed == ARGS_WRONG ? 2 : 0;
  if (parsed == ARGS_OK) {
    str text = schema_text(a), why = {0};
    fwrite(text.p, 1, text.n, stdout);
    if (!output_close_stdout(&why)) {
      fprintf(stderr, "rooflinec: %.*s\n", STR_ARG(why));
      status = 2;
    }
  }
  arena_free(a);
  return status;
}
