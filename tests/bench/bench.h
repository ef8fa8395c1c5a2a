/* Timing for benches: the best of several runs, as ratios within one process. Processor time, so that what
   else the machine does counts little. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of the fastest of `runs` calls. */
static inline double bench_best(int runs, void (*work)(void *), void *to) {
  double best = 1e30;
  for (int i = 0; i < runs; i++) {
    double begin = bench_now();
    work(to);
    double took = bench_now() - begin;
    if (took < best) best = took;
  }
  return best;
}

#endif
