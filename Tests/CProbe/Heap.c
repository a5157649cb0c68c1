#include "CProbe.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>

long probe_heap_bytes(void) {
  malloc_statistics_t statistics;
  malloc_zone_statistics(0, &statistics);
  return (long)statistics.size_in_use;
}
#else
#include <malloc.h>
#include <stddef.h>

// Only the address sanitizer has this; its malloc is unknown to mallinfo2.
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

long probe_heap_bytes(void) {
  if (__sanitizer_get_current_allocated_bytes) return (long)__sanitizer_get_current_allocated_bytes();
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#endif
