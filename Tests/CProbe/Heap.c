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

long probe_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#endif
