#ifndef SIGNALBOX_CTHREADS_H
#define SIGNALBOX_CTHREADS_H

#include <stdbool.h>

/// Runs `work(context)` on two threads at once and returns when both have returned. They begin together, each on a
/// processor of its own where the system has two and lets one choose. False: there was no thread to be had.
bool signalbox_run_on_two_threads(void (*work)(void *context), void *context);

#endif
