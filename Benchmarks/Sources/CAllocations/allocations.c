#include "CAllocations.h"

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

// A program's own malloc takes the place of glibc's everywhere in the process; glibc keeps its own under these names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static _Atomic bool is_counting;
static _Atomic uint64_t calls;
static _Atomic int64_t bytes;

static inline bool counts(void) {
  return __builtin_expect(atomic_load_explicit(&is_counting, memory_order_relaxed), false);
}

static void *given(void *memory) {
  if (counts() && memory != NULL) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
  }
  return memory;
}

static void taken(void *memory) {
  if (counts() && memory != NULL)
    atomic_fetch_sub_explicit(&bytes, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
}

void *malloc(size_t size) { return given(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return given(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
  int64_t before = counts() && old != NULL ? (int64_t)malloc_usable_size(old) : 0;
  void *memory = given(__libc_realloc(old, size));
  // One that failed has left the old memory where it was.
  if (memory != NULL || size == 0) atomic_fetch_sub_explicit(&bytes, before, memory_order_relaxed);
  return memory;
}

void *memalign(size_t alignment, size_t size) { return given(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return given(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *result = given(__libc_memalign(alignment, size));
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}

void free(void *memory) {
  taken(memory);
  __libc_free(memory);
}

bool signalbox_can_count_allocations(void) { return true; }

void signalbox_start_counting_allocations(void) {
  atomic_store(&calls, 0);
  atomic_store(&bytes, 0);
  atomic_store(&is_counting, true);
}

struct signalbox_allocations signalbox_stop_counting_allocations(void) {
  atomic_store(&is_counting, false);
  struct signalbox_allocations counted = {atomic_load(&calls), atomic_load(&bytes)};
  return counted;
}

#else

bool signalbox_can_count_allocations(void) { return false; }

void signalbox_start_counting_allocations(void) {}

struct signalbox_allocations signalbox_stop_counting_allocations(void) {
  struct signalbox_allocations none = {0, 0};
  return none;
}

#endif
