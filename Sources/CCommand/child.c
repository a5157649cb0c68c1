#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCommand.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int forwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH,
#ifdef SIGINFO
                                SIGINFO,
#endif
};

// A process id once the child runs; 0 before, and again before its id can come to mean another process.
// Handlers run on any thread, so these are atomic, and free of locks wherever this is compiled.
static atomic_int child;
// A signal that came before the child did; whoever takes it sends it on.
static atomic_int early;

static bool is_from_terminal(const siginfo_t *info) {
#ifdef SI_KERNEL
  return info->si_code == SI_KERNEL;
#else
  return info->si_pid == 0;
#endif
}

static void forward_early(void) {
  pid_t pid = child;
  if (pid == 0) return;
  int number = atomic_exchange(&early, 0);
  if (number) kill(pid, number);
}

static void forward(int number, siginfo_t *info, void *context) {
  (void)context;
  // The terminal signals the whole group: the child has it already.
  if (is_from_terminal(info)) return;
  int failure = errno;
  pid_t pid = child;
  if (pid > 0) {
    kill(pid, number);
  } else {
    early = number;
    forward_early();
  }
  errno = failure;
}

bool signalbox_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void handle_signals(sigset_t *ours) {
  sigemptyset(ours);
  struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    if (!signalbox_is_ignored(forwarded[i])) sigaction(forwarded[i], &action, NULL);
  }
  // Ignored, as some daemons leave it, it would cost us the child's exit status.
  if (signalbox_is_ignored(SIGCHLD)) signal(SIGCHLD, SIG_DFL);
  if (!signalbox_is_ignored(SIGPIPE)) {
    signal(SIGPIPE, SIG_IGN);
    sigaddset(ours, SIGPIPE);
  }
}

pid_t signalbox_spawn(char *const argv[], int out, int err) {
  sigset_t ours;
  handle_signals(&ours);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  // Not the mask of this thread: those of libdispatch block nearly everything.
  sigset_t mask = signalbox_initial_mask();
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (out >= 0) posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (err >= 0) posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);

  pid_t pid = -1;
  int failure = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure) {
    errno = failure;
    return -1;
  }
  child = pid;
  forward_early();
  return pid;
}

static void stop(void) {
  struct sigaction ours, usual = {.sa_handler = SIG_DFL};
  sigset_t only, mask;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  sigaction(SIGTSTP, &usual, &ours);
  pthread_sigmask(SIG_UNBLOCK, &only, &mask);
  // To this thread, so that it stops here and not when our handler is back.
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGTSTP, &ours, NULL);
}

int signalbox_wait(pid_t pid) {
  for (;;) {
    siginfo_t info;
    // The child stays a zombie until `child` is forgotten, so that no signal can go astray.
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) < 0) {
      if (errno == EINTR) continue;
      return 1;
    }
    if (info.si_code == CLD_STOPPED) {
      int number = info.si_status;
      waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
      // SIGTTIN and SIGTTOU go to the whole group: they have stopped us. One that is stopped by SIGSTOP may be
      // continued alone, and we would not learn of it.
      if (number == SIGTSTP) stop();
      continue;
    }
    child = 0;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
}
