// libmosquitto and the few inline helpers that Swift cannot import or must not separate.
#ifndef SIGNALBOX_CMOSQUITTO_SHIM_H
#define SIGNALBOX_CMOSQUITTO_SHIM_H

#include <errno.h>
#include <signal.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>

#if defined(__linux__)
#include <sys/eventfd.h>
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

// Handles one packet, and says in `drained` whether the socket had nothing more to read. The library clears
// errno before each read, so EAGAIN after a success is that of its last read or of its own wake-up byte.
static inline int signalbox_loop_read(struct mosquitto *mosq, int *drained) {
  errno = 0;
  int result = mosquitto_loop_read(mosq, 1);
  *drained = result == MOSQ_ERR_SUCCESS && (errno == EAGAIN || errno == EWOULDBLOCK);
  return result;
}

// A callback must end with this: the library takes an EAGAIN left behind by one for its own.
static inline void signalbox_clear_errno(void) {
  errno = 0;
}

// OpenSSL writes to sockets in a way that ends the process when the link is broken. Versions of the library up to 2.0.14
// had that signal ignored for all; later ones leave it to the program, which may have a handler of its own.
static inline void signalbox_ignore_broken_pipes(void) {
  struct sigaction now;
  if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

// Names the calling thread for debuggers.
static inline void signalbox_set_thread_name(const char *name) {
#if defined(__linux__)
  prctl(PR_SET_NAME, name);
#else
  pthread_setname_np(name);
#endif
}

#if defined(__linux__)
// An eventfd that never blocks and is not inherited; its flags are an enum that Swift does not see as numbers.
static inline int signalbox_eventfd(void) {
  return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}
#endif

#endif
