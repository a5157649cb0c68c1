#include "CCommand.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// What this process was started with, noted before any thread or library can have changed it.

static bool open_at_start[3];
static sigset_t mask_at_start;

__attribute__((constructor)) static void note_start(void) {
  sigprocmask(SIG_SETMASK, NULL, &mask_at_start);
  for (int stream = 0; stream < 3; stream++) {
    open_at_start[stream] = fcntl(stream, F_GETFD) >= 0;
    // Otherwise the next file that is opened would be taken for a standard stream.
    if (!open_at_start[stream]) open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

bool signalbox_is_open(int stream) { return open_at_start[stream]; }

sigset_t signalbox_initial_mask(void) { return mask_at_start; }
