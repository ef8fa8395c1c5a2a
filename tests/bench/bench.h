/* Timing for benches: the best of several runs, as ratios within one process. Processor time, so that what
   else the machine does counts little; elapsed time where threads are what is measured. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of the fastest of `runs` calls. */
static inline double bench_best_on(clockid_t clock, int runs, void (*work)(void *), void *to) {
  double best = 1e30;
  for (int i = 0; i < runs; i++) {
    double begin = bench_now(clock);
    work(to);
    double took = bench_now(clock) - begin;
    if (took < best) best = took;
  }
  return best;
}

static inline double bench_best(int runs, void (*work)(void *), void *to) {
  return bench_best_on(CLOCK_PROCESS_CPUTIME_ID, runs, work, to);
}

static inline double bench_best_elapsed(int runs, void (*work)(void *), void *to) {
  return bench_best_on(CLOCK_MONOTONIC, runs, work, to);
}

#endif
