#define _GNU_SOURCE
#include "text/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Expressions nest as deeply as on the main thread, whatever the library's default. */
enum { STACK_BYTES = 16 << 20 };

typedef struct work {
  parallel_task *task;
  void *to;
  uint32_t count;
  atomic_uint next;
} work;

typedef struct worker {
  work *work;
  uint32_t number;
} worker;

static void *take_all(void *of) {
  const worker *w = of;
  for (uint32_t i; (i = atomic_fetch_add(&w->work->next, 1)) < w->work->count;)
    w->work->task(w->work->to, w->number, i);
  return NULL;
}

void parallel_run(uint32_t jobs, uint32_t count, parallel_task *task, void *to) {
  work all = {.task = task, .to = to, .count = count};
  worker workers[PARALLEL_MOST];
  pthread_t threads[PARALLEL_MOST];
  uint32_t started = 0;
  pthread_attr_t attributes;
  if (jobs > count) jobs = count;
  if (jobs > PARALLEL_MOST) jobs = PARALLEL_MOST;
  if (jobs > 1 && pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (; started + 1 < jobs; started++) {
      workers[started] = (worker){&all, started + 1};
      if (pthread_create(&threads[started], &attributes, take_all, &workers[started]) != 0) break;
    }
    pthread_attr_destroy(&attributes);
  }
  take_all(&(worker){&all, 0});
  for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

uint32_t parallel_processors(void) {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return (uint32_t)CPU_COUNT(&allowed);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (uint32_t)online : 1;
}
