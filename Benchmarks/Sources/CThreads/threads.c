#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CThreads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct start {
  void (*work)(void *context);
  void *context;
  /// How many have yet to come before both begin; below zero when they never will.
  _Atomic int missing;
};

struct runner {
  struct start *start;
  bool is_last;
};

// Some schedulers keep two busy threads on one processor: they would take turns and never meet.
static void settle(bool on_last) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  // The first and the last: neighbours may be one core.
  int chosen = -1;
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    chosen = processor;
    if (!on_last) break;
  }
  if (chosen < 0) return;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(chosen, &mine);
  sched_setaffinity(0, sizeof mine, &mine);
#else
  (void)on_last;
#endif
}

static void *run(void *argument) {
  struct runner *runner = argument;
  struct start *start = runner->start;
  settle(runner->is_last);
  atomic_fetch_sub(&start->missing, 1);
  int missing;
  while ((missing = atomic_load(&start->missing)) > 0) sched_yield();
  if (missing == 0) start->work(start->context);
  return NULL;
}

bool signalbox_run_on_two_threads(void (*work)(void *context), void *context) {
  struct start start = {work, context, 2};
  struct runner first = {&start, false}, last = {&start, true};
  pthread_t first_thread, last_thread;
  if (pthread_create(&first_thread, NULL, run, &first) != 0) return false;
  bool is_complete = pthread_create(&last_thread, NULL, run, &last) == 0;
  if (is_complete)
    pthread_join(last_thread, NULL);
  else
    atomic_fetch_sub(&start.missing, 2);
  pthread_join(first_thread, NULL);
  return is_complete;
}
