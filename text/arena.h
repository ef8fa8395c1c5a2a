/* Memory of one compile: everything is carved from an arena and freed with it. */
#ifndef TEXT_ARENA_H
#define TEXT_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct arena arena;

arena *arena_new(void);
void arena_free(arena *a);
/* Keeps the blocks, forgets what is in them: one entry's scratch memory serves the next entry. */
void arena_reset(arena *a);
/* From now on `child` is freed with `a`; it is used as before. */
void arena_adopt(arena *a, arena *child);
size_t arena_bytes(const arena *a); /* bytes held from the system */

/* The one place that memory comes from. Tests put a failing function here; it must return NULL or what
   free() takes. */
typedef void *arena_system_function(size_t size);
extern arena_system_function *arena_system_alloc;
/* "rooflinec: out of memory" on standard error and exit status 2, as for a library's own failed malloc. */
_Noreturn void arena_out_of_memory(void);

/* Zeroed, aligned for any type. Never NULL: a failed allocation prints one line and exits with
   status 2 (architecture.md, "Rules that keep it small"). */
void *arena_alloc(arena *a, size_t size);
/* The same, not zeroed: for large arrays that are written whole. */
void *arena_raw(arena *a, size_t size);
/* More room for text, in place where nothing was taken since; its new bytes are not zeroed. */
void *arena_regrow(arena *a, void *p, size_t old_size, size_t size);
#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* A slice of text; not terminated. {NULL, 0} is "no text". */
typedef struct str {
  const char *p;
  uint32_t n;
} str;

#define STR_INIT(literal)                                                                                    \
  { (literal), (uint32_t)(sizeof(literal) - 1) }
#define STR(literal) ((str){(literal), (uint32_t)(sizeof(literal) - 1)})
#define STR_ARG(s) (int)(s).n, ((s).p != NULL ? (s).p : "") /* for "%.*s" */

str str_of(const char *c_string);
/* Names of one length, such as case17 and case42, mostly differ in their last byte. */
static inline bool str_eq(str a, str b) {
  return a.n == b.n && (a.n == 0 || (a.p[a.n - 1] == b.p[b.n - 1] && memcmp(a.p, b.p, a.n) == 0));
}
/* Most texts differ in their first byte; the terminator ends a shorter C string. */
static inline bool str_is(str a, const char *c_string) {
  for (uint32_t i = 0; i < a.n; i++)
    if (a.p[i] != c_string[i] || c_string[i] == '\0') return false;
  return c_string[a.n] == '\0';
}
int str_cmp(str a, str b); /* bytewise: the same order in every locale */
uint32_t str_hash(str s);  /* for tables; its value is not part of any format */
str arena_str(arena *a, str s);
char *arena_cstr(arena *a, str s);
str arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
str arena_vprintf(arena *a, const char *format, va_list args);

/* Growable array in an arena: `VEC(int) v = {0}; vec_push(a, &v, 3); v.v[0]; v.n`. */
#define VEC(type)                                                                                            \
  struct {                                                                                                   \
    type *v;                                                                                                 \
    uint32_t n, cap;                                                                                         \
  }
void *arena_grow(arena *a, void *items, uint32_t n, uint32_t *cap, size_t item_size);
#define vec_push(a, vec, item)                                                                               \
  do {                                                                                                       \
    if ((vec)->n == (vec)->cap)                                                                              \
      (vec)->v = arena_grow((a), (vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v);                         \
    (vec)->v[(vec)->n++] = (item);                                                                           \
  } while (0)

#endif
