// What a Swift program can't ask the system itself: how much memory it holds, and another wall clock.
#ifndef SIGNALBOX_CPROBE_H
#define SIGNALBOX_CPROBE_H

// The bytes of all blocks that malloc has given out and not got back, in all threads.
long probe_heap_bytes(void);

// Moves the wall clock of this process, as its own code and all its libraries read it, by so many seconds. Linux only.
void probe_set_wall_clock(long seconds);

// How often anything in this process has read the wall clock. Linux only: 0 elsewhere.
long probe_wall_clock_reads(void);

// How often anything in this process has read any clock. Linux only: 0 elsewhere.
long probe_clock_reads(void);

#endif
