#include "CCommand.h"

#include <getopt.h>
#include <string.h>

enum { most_flags = 64 };

void signalbox_reset_options(void) {
#ifdef __GLIBC__
  optind = 0;
#else
  optreset = 1;
  optind = 1;
#endif
  opterr = 0;
}

struct signalbox_option signalbox_next_option(
    int argc, char **argv, const char *letters, const struct signalbox_flag *flags, int count) {
  struct option options[most_flags + 1];
  memset(options, 0, sizeof options);
  for (int i = 0; i < count && i < most_flags; i++) {
    options[i].name = flags[i].name;
    options[i].has_arg = flags[i].takes_argument ? required_argument : no_argument;
    options[i].val = flags[i].value;
  }
  optarg = NULL;
  optopt = 0;
  int value = getopt_long(argc, argv, letters, options, NULL);
  // A long option at fault may leave its value in optopt: only letters name themselves.
  int letter = optopt > 0 && optopt < 128 ? optopt : 0;
  return (struct signalbox_option){value, optarg, optind, letter};
}
