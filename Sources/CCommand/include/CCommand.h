#ifndef SIGNALBOX_CCOMMAND_H
#define SIGNALBOX_CCOMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/// One long option: its name, whether an argument follows, and the value that stands for it.
struct signalbox_flag {
  const char *name;
  bool takes_argument;
  int value;
};

/// What `signalbox_next_option` found.
struct signalbox_option {
  /// The flag's value or the short option's letter; -1 after the last option, '?' for an unknown one,
  /// ':' for one whose argument is missing.
  int value;
  /// The option's argument inside argv, or NULL.
  char *argument;
  /// The index in argv of what comes next; after the last option that of the first operand.
  int next;
  /// With '?' and ':' the letter at fault, or 0 when it is the long option before `next`.
  int letter;
};

/// Starts a new scan; call it before the first `signalbox_next_option` of each argv.
void signalbox_reset_options(void);

/// The next option of argv by getopt_long(3), which moves operands behind the options.
/// `letters` is its option string; a leading '+' ends the options at the first operand. Not for two threads
/// at a time. At most 64 flags.
struct signalbox_option signalbox_next_option(
    int argc, char **argv, const char *letters, const struct signalbox_flag *flags, int count);

/// Whether the standard stream (0, 1 or 2) was open when this process was started. One that was not is
/// /dev/null here, and closed again in a child.
bool signalbox_is_open(int stream);

/// The signals that were blocked when this process was started.
sigset_t signalbox_initial_mask(void);

/// Whether this process ignores the signal.
bool signalbox_is_ignored(int signal);

/// A pipe whose ends are closed on exec and out of the way of the standard streams. 0, or -1 with errno.
int signalbox_pipe(int ends[2]);

/// A pseudo-terminal with the size and the modes of the terminal `like`, save that it changes no byte of the
/// output: that is left to `like`. 0, or -1 with errno.
int signalbox_terminal(int like, int *master, int *slave);

/// Whether what is written to `a` and to `b` ends up in one place, in the order of the writes.
bool signalbox_same_output(int a, int b);

/// Forks a process that copies `in` to `out`, unchanged and at once, and then a second time to `copy`.
///
/// It ends at the end of `in`. When `out` can't be written any more it lets go of `in`, so that the writer
/// learns it as it would without the relay. When `life` ends it first passes on what is already in `in`, then
/// closes `copy`, and from then on another process copies to `out`: it outlives its owner for the sake of the
/// writer. So the one that was forked ends, and can be waited for, once `copy` has.
/// A `copy` whose reader does not keep up for a second misses bytes, with a line end in their place; `out`
/// never waits longer than that. A new size of the terminal `out` is handed on to `in`.
/// Returns the process id, or -1 with errno. The caller closes its own copies of the four.
pid_t signalbox_relay(int in, int out, int copy, int life);

/// Starts `argv` (found in PATH) in our process group with standard input and all else as ours; `out` and
/// `err` replace its standard output and error unless they are negative.
///
/// From then on the signals that a process sends to us are handed on to it, and those of the terminal, which
/// it gets too, do nothing to us. Signals that were ignored stay ignored in both.
/// Returns the process id, or -1 with errno. For one child in the life of a process.
pid_t signalbox_spawn(char *const argv[], int out, int err);

/// Waits for the child `pid` to end; its exit code, or 128 + the number of the signal that ended it.
///
/// When Ctrl-Z stops the child, this process stops too, and goes on with it.
int signalbox_wait(pid_t pid);

#endif
