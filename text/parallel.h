/* Independent work on several threads. */
#ifndef TEXT_PARALLEL_H
#define TEXT_PARALLEL_H

#include <stdint.h>

enum { PARALLEL_MOST = 64 }; /* threads at once, whatever is asked for */

/* One piece of work: the `i`th, done by worker `worker` (below `jobs`; it does one at a time). */
typedef void parallel_task(void *to, uint32_t worker, uint32_t i);

/* Does every i below `count` once, in any order, by at most `jobs` threads (PARALLEL_MOST), this one among
   them, and returns when all are done. Where the system gives fewer threads, fewer do the same. */
void parallel_run(uint32_t jobs, uint32_t count, parallel_task *task, void *to);

/* How many processors this process may use, at least 1. */
uint32_t parallel_processors(void);

#endif
