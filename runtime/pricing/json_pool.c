#include "runtime/pricing/json_pool.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct json_block {
  struct json_block *older;
  size_t used, size;
  alignas(max_align_t) char bytes[];
} json_block;

enum { FIRST_BLOCK = 1 << 16, ALIGNMENT = alignof(max_align_t) };

/* jansson's allocation hooks take no context, so the pool under use is the one piece of state that is not
   passed. It is set only while json_pool_load runs. */
static json_pool *active;

static void *carve(size_t n) {
  json_block *b = active->block;
  n = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (b == NULL || b->size - b->used < n) {
    size_t size = active->held > FIRST_BLOCK ? active->held : FIRST_BLOCK;
    if (size < n) size = n;
    b = malloc(sizeof *b + size);
    if (b == NULL) return NULL;
    *b = (json_block){active->block, 0, size};
    active->block = b;
    active->held += size;
  }
  b->used += n;
  return b->bytes + b->used - n;
}

static void keep(void *p) { (void)p; }

/* One block is used again. Several are given back: one tree was far larger than the others. */
static void reset(json_pool *pool) {
  if (pool->block == NULL) return;
  if (pool->block->older != NULL)
    json_pool_free(pool);
  else
    pool->block->used = 0;
}

json_t *json_pool_load(json_pool *pool, const char *text, size_t n, size_t flags, json_error_t *error) {
  json_malloc_t usual_malloc;
  json_free_t usual_free;
  reset(pool);
  json_get_alloc_funcs(&usual_malloc, &usual_free);
  json_set_alloc_funcs(carve, keep);
  active = pool;
  json_t *tree = json_loadb(text, n, flags, error);
  active = NULL;
  json_set_alloc_funcs(usual_malloc, usual_free);
  return tree;
}

void json_pool_free(json_pool *pool) {
  while (pool->block != NULL) {
    json_block *older = pool->block->older;
    free(pool->block);
    pool->block = older;
  }
  pool->held = 0;
}
