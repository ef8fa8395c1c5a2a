/* What the three files of the YAML reader share; private to text/. */
#ifndef TEXT_YAML_PRIVATE_H
#define TEXT_YAML_PRIVATE_H

#include "text/yaml_tree.h"

/* The type of a scalar by its text alone: YAML 1.2 core schema. */
yt_type yt_resolve(str text);

/* Length of the line break at p, with `left` bytes to come; 0: none. libyaml breaks lines at LF, CR, CRLF
   and YAML 1.1's NEL, LS and PS. */
uint32_t yt_break_length(const char *p, uint32_t left);

#endif
