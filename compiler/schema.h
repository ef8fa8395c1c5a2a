/* keys.def as a JSON Schema: what an editor needs to complete and check a manifest's keys. */
#ifndef COMPILER_SCHEMA_H
#define COMPILER_SCHEMA_H

#include "text/output.h"

/* JSON Schema 2020-12 of a manifest file and of types.yaml. It accepts every manifest whose form the
   compiler accepts; what needs names, kinds or values is the compiler's to judge. */
str schema_text(arena *a);

#endif
