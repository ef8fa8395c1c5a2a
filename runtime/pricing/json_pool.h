/* jansson trees that live until the next one: their memory is carved from blocks that are used again, so
   a file of records costs neither a malloc per value nor a walk to free them. */
#ifndef PRICING_JSON_POOL_H
#define PRICING_JSON_POOL_H

#include <jansson.h>

typedef struct json_pool {
  struct json_block *block; /* newest first */
  size_t held;              /* bytes of all blocks */
} json_pool;

/* Parses one text. The tree belongs to the pool: it must not be changed, nor its references counted, and
   it is gone with the next call. */
json_t *json_pool_load(json_pool *pool, const char *text, size_t n, size_t flags, json_error_t *error);
void json_pool_free(json_pool *pool);

#endif
