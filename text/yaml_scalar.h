/* Private to text/: the type of a scalar by its text alone. */
#ifndef TEXT_YAML_SCALAR_H
#define TEXT_YAML_SCALAR_H

#include "text/yaml_tree.h"

yt_type yt_resolve(str text);

#endif
