#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCommand.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// Runs in a process forked from one that may have threads: only what a signal handler may call is called.

// Where the relay has its four descriptors. Every other one is closed: the other ends are waiting for that.
enum { in, out, copy, life, first_unused };

enum {
  // More than a pipe of ours or a terminal can hold.
  most_in_flight = 1 << 20,
  patience_ms = 1000,
};

static char buffer[128 << 10];

static void follow_size(int number) {
  (void)number;
  int failure = errno;
  struct winsize size, old;
  if (ioctl(out, TIOCGWINSZ, &size) == 0 && ioctl(in, TIOCGWINSZ, &old) == 0 &&
      (size.ws_row != old.ws_row || size.ws_col != old.ws_col || size.ws_xpixel != old.ws_xpixel ||
       size.ws_ypixel != old.ws_ypixel)) {
    ioctl(in, TIOCSWINSZ, &size);
    // The terminal's own signal may have come to the writers before the new size.
    kill(0, SIGWINCH);
  }
  errno = failure;
}

static void close_others(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first_unused, ~0U, 0) == 0) return;
#endif
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > 65536) limit = 65536;
  for (int descriptor = first_unused; descriptor < limit; descriptor++) close(descriptor);
}

static void settle(int descriptors[first_unused]) {
  for (int i = in; i < first_unused; i++) {
    if ((descriptors[i] = fcntl(descriptors[i], F_DUPFD, 16)) < 0) _exit(1);
  }
  for (int i = in; i < first_unused; i++) {
    if (dup2(descriptors[i], i) < 0) _exit(1);
  }
  close_others();
  if (chdir("/") < 0) {
    // Then that folder's file system stays busy for as long as the writer lives.
  }
#ifdef __linux__
  prctl(PR_SET_NAME, "signalbox-relay");
#endif

  static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                SIGUSR1, SIGUSR2, SIGTSTP, SIGALRM};
  for (unsigned i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  // Not SIGTTOU: with `stty tostop` the relay stops in the background, and the group with it, as the writer
  // would.
  if (isatty(in)) {
    struct sigaction action = {.sa_handler = follow_size, .sa_flags = SA_RESTART};
    sigaction(SIGWINCH, &action, NULL);
  } else {
    signal(SIGWINCH, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Writes everything, whether or not somebody made `out` non-blocking; false when it is gone.
static bool pass_on(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(out, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (written < 0 && errno == EAGAIN) {
      struct pollfd writable = {out, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Writes to `copy` while its reader keeps up; false when it is gone.
static bool offer(const char *bytes, size_t count) {
  static bool is_behind = false;
  if (is_behind && write(copy, "\n", 1) < 0 && errno == EAGAIN) return true;
  is_behind = false;
  while (count > 0) {
    ssize_t written = write(copy, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (written < 0 && errno == EAGAIN) {
      struct pollfd writable = {copy, POLLOUT, 0};
      int ready = poll(&writable, 1, patience_ms);
      if (ready == 0) {
        is_behind = true;
        return true;
      }
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

static void relay(void) {
  bool is_copying = true, is_owned = true;
  size_t in_flight = most_in_flight;
  for (;;) {
    bool is_draining = is_copying && !is_owned;
    struct pollfd events[] = {{in, POLLIN, 0}, {out, 0, 0}, {is_owned ? life : -1, POLLIN, 0}};
    int ready = poll(events, 3, is_draining ? 0 : -1);
    if (ready < 0) continue;
    if (events[1].revents & (POLLERR | POLLHUP)) return;
    if (events[2].revents) is_owned = false;
    if (is_draining && (!events[0].revents || in_flight == 0)) {
      // A new process goes on, so that the owner can reap this one and leaves no zombie.
      if (fork() > 0) _exit(0);
      close(copy);
      is_copying = false;
    }
    if (!events[0].revents) continue;

    ssize_t count = read(in, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    // A pseudo-terminal ends with EIO.
    if (count <= 0) return;
    if (!pass_on(buffer, (size_t)count)) return;
    if (is_copying && !offer(buffer, (size_t)count)) is_copying = false;
    if (is_draining) in_flight -= (size_t)count < in_flight ? (size_t)count : in_flight;
  }
}

pid_t signalbox_relay(int input, int output, int copied, int living) {
  int flags = fcntl(copied, F_GETFL);
  if (flags < 0 || fcntl(copied, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    int descriptors[first_unused] = {input, output, copied, living};
    settle(descriptors);
    relay();
    _exit(0);
  }
  return pid;
}
