#define _DEFAULT_SOURCE
#include "text/arena.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text/format.h"

enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024 };

typedef struct block block;
struct block {
  block *next;
  size_t size, used; /* of the bytes behind this header */
  alignas(max_align_t) char bytes[];
};

struct arena {
  block *current; /* takes small allocations */
  block *spare;   /* emptied by arena_reset */
  block *large;   /* one allocation each */
  arena *adopted, *sibling;
  size_t held, next_size;
};

arena_system_function *arena_system_alloc = malloc;

void arena_out_of_memory(void) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&said)) pause(); /* another thread is ending the process */
  fputs("out of memory\n", stderr);
  exit(2);
}

static void *system_alloc(size_t size) {
  void *p = arena_system_alloc(size);
  if (p == NULL) arena_out_of_memory();
  return p;
}

/* Memory this large is written whole: in huge pages it takes the system a page fault in five hundred. */
static void ask_for_huge_pages(void *p, size_t size) {
#ifdef MADV_HUGEPAGE
  enum { LARGE = 4 << 20 };
  if (size < LARGE) return;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)p + page - 1) / page * page;
  madvise((char *)p + (begin - (uintptr_t)p), size - (begin - (uintptr_t)p), MADV_HUGEPAGE);
#else
  (void)p;
  (void)size;
#endif
}

static block *new_block(arena *a, size_t size) {
  if (size > SIZE_MAX - sizeof(block)) arena_out_of_memory();
  block *b = system_alloc(sizeof(block) + size);
  ask_for_huge_pages(b, sizeof(block) + size);
  a->held += sizeof(block) + size;
  *b = (block){.size = size};
  return b;
}

arena *arena_new(void) {
  arena *a = system_alloc(sizeof *a);
  *a = (arena){.held = sizeof *a, .next_size = FIRST_BLOCK};
  return a;
}

static void free_blocks(block *b) {
  while (b != NULL) {
    block *next = b->next;
    free(b);
    b = next;
  }
}

void arena_free(arena *a) {
  if (a == NULL) return;
  free_blocks(a->current);
  free_blocks(a->spare);
  free_blocks(a->large);
  for (arena *child = a->adopted, *next; child != NULL; child = next) {
    next = child->sibling;
    arena_free(child);
  }
  free(a);
}

void arena_adopt(arena *a, arena *child) {
  child->sibling = a->adopted;
  a->adopted = child;
}

void arena_reset(arena *a) {
  for (block *b = a->large; b != NULL; b = b->next) a->held -= sizeof(block) + b->size;
  free_blocks(a->large);
  a->large = NULL;
  while (a->current != NULL) {
    block *b = a->current;
    a->current = b->next;
    b->next = a->spare;
    a->spare = b;
  }
}

size_t arena_bytes(const arena *a) { return a->held; }

/* Blocks double up to a bound, so a small compile holds little and a large one few blocks. */
static void next_block(arena *a) {
  block *b = a->spare;
  if (b != NULL) {
    a->spare = b->next;
  } else {
    b = new_block(a, a->next_size);
    if (a->next_size < LARGEST_BLOCK) a->next_size *= 2;
  }
  b->used = 0;
  b->next = a->current;
  a->current = b;
}

static void *carve(arena *a, size_t size, size_t align) {
  if (size > FIRST_BLOCK / 4) {
    block *b = new_block(a, size);
    b->next = a->large;
    a->large = b;
    return b->bytes;
  }
  if (a->current == NULL) next_block(a);
  size_t at = (a->current->used + align - 1) & ~(align - 1);
  if (at + size > a->current->size) {
    next_block(a);
    at = 0;
  }
  a->current->used = at + size;
  return a->current->bytes + at;
}

void *arena_raw(arena *a, size_t size) {
  /* A type's size is a multiple of its alignment, so the size's lowest bit bounds what it can need. */
  size_t align = size & (~size + 1);
  if (align < alignof(void *)) align = alignof(void *);
  if (align > alignof(max_align_t)) align = alignof(max_align_t);
  return carve(a, size, align);
}

void *arena_alloc(arena *a, size_t size) { return memset(arena_raw(a, size), 0, size); }

/* The last thing that the current block gave grows in place. */
static bool extend(arena *a, const void *p, size_t old_size, size_t size) {
  block *b = a->current;
  const size_t begin = b == NULL ? 0 : b->used - old_size;
  if (b == NULL || old_size == 0 || old_size > b->used || p != b->bytes + begin) return false;
  if (size > b->size - begin) return false;
  b->used = begin + size;
  return true;
}

void *arena_regrow(arena *a, void *p, size_t old_size, size_t size) {
  if (extend(a, p, old_size, size)) return p;
  block *outgrown = a->large != NULL && p == a->large->bytes ? a->large : NULL; /* a block of its own */
  void *moved = carve(a, size, 1);
  if (old_size > 0) memcpy(moved, p, old_size);
  if (outgrown != NULL && a->large->next == outgrown) {
    a->large->next = outgrown->next;
    a->held -= sizeof(block) + outgrown->size;
    free(outgrown);
  }
  return moved;
}

void *arena_grow(arena *a, void *items, uint32_t n, uint32_t *cap, size_t item_size) {
  if (*cap > UINT32_MAX / 2) arena_out_of_memory();
  *cap = *cap < 4 ? 4 : *cap * 2;
  if (*cap > SIZE_MAX / item_size) arena_out_of_memory();
  void *grown = arena_alloc(a, *cap * item_size);
  if (n > 0) memcpy(grown, items, n * item_size);
  return grown;
}

str str_of(const char *c_string) {
  return (str){c_string, c_string != NULL ? (uint32_t)strlen(c_string) : 0};
}

int str_cmp(str a, str b) {
  uint32_t n = a.n < b.n ? a.n : b.n;
  int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
  return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

uint32_t str_hash(str s) {
  uint32_t h = 0x811C9DC5u;
  for (uint32_t i = 0; i < s.n; i++) h = (h ^ (unsigned char)s.p[i]) * 0x01000193u; /* FNV-1a */
  return h ^ h >> 15;
}

char *arena_cstr(arena *a, str s) {
  char *p = carve(a, (size_t)s.n + 1, 1);
  if (s.n > 0) memcpy(p, s.p, s.n);
  p[s.n] = '\0';
  return p;
}

str arena_str(arena *a, str s) {
  if (s.n == 0) return (str){s.p != NULL ? "" : NULL, 0};
  return (str){memcpy(carve(a, s.n, 1), s.p, s.n), s.n};
}

/* Into what the block has left, and again into a piece of the right size when that was too small. */
str arena_vprintf(arena *a, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  block *b = a->current;
  const size_t room = b == NULL ? 0 : b->size - b->used;
  char *p = b == NULL ? NULL : b->bytes + b->used;
  const size_t n = format_text(p, room, format, args);
  if (n >= UINT32_MAX) arena_out_of_memory(); /* a str holds no more */
  if (n < room) {
    b->used += n + 1;
  } else {
    p = carve(a, n + 1, 1);
    format_text(p, n + 1, format, again);
  }
  va_end(again);
  return (str){p, (uint32_t)n};
}

str arena_printf(arena *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str s = arena_vprintf(a, format, args);
  va_end(args);
  return s;
}
