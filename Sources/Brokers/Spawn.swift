import Foundation

/// Runs `command` (a path and its arguments) with no signal blocked or ignored; what it inherits is named.
///
/// Foundation's `Process` hands the signal mask of the calling thread on, and in Dispatch's threads that blocks
/// everything: a child would not even hear SIGTERM.
///
/// - Parameter inSession: in a session of its own a terminal's Ctrl-C and hang-up reach only this process.
func spawn(
  _ command: [String], inheriting descriptors: [Int32: Int32], log: String = "/dev/null", inSession: Bool
) throws -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let ordinaryFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
    let flags = inSession ? ordinaryFlags | POSIX_SPAWN_SETSID : ordinaryFlags
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    // POSIX_SPAWN_SETSID of <spawn.h>, which hides it without _GNU_SOURCE.
    let flags = (inSession ? 0x80 : 0) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }

  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  var ordinary = sigset_t()
  sigemptyset(&ordinary)
  for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD] { sigaddset(&ordinary, signal) }
  posix_spawnattr_setsigdefault(&attributes, &ordinary)
  posix_spawnattr_setflags(&attributes, Int16(flags))

  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  for (ours, theirs) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }

  let arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var pid: pid_t = 0
  let failure = posix_spawn(&pid, command[0], &actions, &attributes, arguments, environ)
  guard failure == 0 else {
    throw LocalBrokerError.system("\(command[0]) can't be run: \(String(cString: strerror(failure)))")
  }
  return pid
}
