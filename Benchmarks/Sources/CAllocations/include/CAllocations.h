#ifndef SIGNALBOX_CALLOCATIONS_H
#define SIGNALBOX_CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// What the process allocated while it was counted.
struct signalbox_allocations {
  /// Calls that gave memory: malloc, calloc, realloc and the aligned ones.
  uint64_t calls;
  /// Usable bytes that were given and not given back.
  int64_t bytes;
};

/// Whether allocations can be counted here: only where the allocator is glibc's.
bool signalbox_can_count_allocations(void);

/// Counts from zero, in all threads.
void signalbox_start_counting_allocations(void);

/// Ends the counting.
struct signalbox_allocations signalbox_stop_counting_allocations(void);

#endif
