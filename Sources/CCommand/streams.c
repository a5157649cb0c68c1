#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCommand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// Moves a descriptor to 10 or above; a standard stream may be closed, and its number must stay so.
static int moved(int descriptor) {
  int result = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  int failure = errno;
  close(descriptor);
  errno = failure;
  return result;
}

int signalbox_pipe(int ends[2]) {
  int narrow[2];
  if (pipe(narrow) < 0) return -1;
  ends[0] = moved(narrow[0]);
  ends[1] = moved(narrow[1]);
  if (ends[0] < 0 || ends[1] < 0) return -1;
#ifdef F_SETPIPE_SZ
  // Refused to users who have many large pipes; the usual 64 KiB do too.
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
#endif
  return 0;
}

int signalbox_terminal(int like, int *master, int *slave) {
  int opened = posix_openpt(O_RDWR | O_NOCTTY);
  if (opened < 0) return -1;
  *master = moved(opened);
  if (*master < 0) return -1;
  const char *name;
  if (grantpt(*master) < 0 || unlockpt(*master) < 0 || !(name = ptsname(*master))) goto failed;
  opened = open(name, O_RDWR | O_NOCTTY);
  if (opened < 0) goto failed;
  *slave = moved(opened);
  if (*slave < 0) goto failed;

  struct termios modes;
  if (tcgetattr(like, &modes) == 0) {
    modes.c_oflag &= ~(tcflag_t)OPOST;
    tcsetattr(*slave, TCSANOW, &modes);
  }
  struct winsize size;
  if (ioctl(like, TIOCGWINSZ, &size) == 0) ioctl(*master, TIOCSWINSZ, &size);
  return 0;

failed:;
  int failure = errno;
  close(*master);
  errno = failure;
  return -1;
}

bool signalbox_same_output(int a, int b) {
  struct stat first, second;
  if (fstat(a, &first) < 0 || fstat(b, &second) < 0) return false;
  if (first.st_dev != second.st_dev || first.st_ino != second.st_ino) return false;
  if (!S_ISREG(first.st_mode)) return true;
  // Opened twice, a file has two positions, and the writers overwrite each other. The flags belong to the
  // opening, and this one means nothing to a regular file.
  int flags = fcntl(a, F_GETFL), others = fcntl(b, F_GETFL);
  if (flags < 0 || flags != others || fcntl(a, F_SETFL, flags ^ O_NONBLOCK) < 0) return false;
  bool same = fcntl(b, F_GETFL) != others;
  fcntl(a, F_SETFL, flags);
  return same;
}
