/* Which files a command line names. */
#ifndef COMPILER_MANIFEST_FILES_H
#define COMPILER_MANIFEST_FILES_H

#include "text/arena.h"

typedef struct manifest_path {
  const char *path;
  bool is_types;  /* a types.yaml, given or found beside a given file */
  bool in_folder; /* found in a folder that was given, whose files are named by a rule */
} manifest_path;

/* Directories stand for their *.yaml files, and for those of their folder `ops` when they have one (so
   that `manifest` stands for manifest/ops). The types.yaml beside a file comes with it, and for a file in
   a folder named `ops` the one beside that folder. A file named twice comes once. Sorted by path. What
   cannot be read is one line on standard error and false. */
bool manifest_find_files(arena *a, const char *const *paths, uint32_t count, manifest_path **files,
                         uint32_t *file_count);

#endif
