// A program's own definitions take the place of libc's for the libraries that it is linked with, too: libmosquitto,
// Dispatch and the runtime of Swift read the clocks here.
#define _GNU_SOURCE
#include "CProbe.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static atomic_long shift;
static atomic_long wall_reads;
static atomic_long reads;

typedef int (*clock_function)(clockid_t, struct timespec *);

static int read_clock(clockid_t clock, struct timespec *time) {
  static _Atomic(clock_function) real;
  clock_function function = atomic_load(&real);
  if (!function) {
    function = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
    atomic_store(&real, function);
  }
  return function(clock, time);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = read_clock(clock, time);
  atomic_fetch_add(&reads, 1);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    atomic_fetch_add(&wall_reads, 1);
    if (result == 0) time->tv_sec += atomic_load(&shift);
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

void probe_set_wall_clock(long seconds) { atomic_store(&shift, seconds); }
long probe_wall_clock_reads(void) { return atomic_load(&wall_reads); }
long probe_clock_reads(void) { return atomic_load(&reads); }
#else
void probe_set_wall_clock(long seconds) { (void)seconds; }
long probe_wall_clock_reads(void) { return 0; }
long probe_clock_reads(void) { return 0; }
#endif
