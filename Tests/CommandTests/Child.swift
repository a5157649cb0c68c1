import Foundation
import Peers
import Testing

/// A process under test, alone in a process group.
///
/// Foundation's `Process` would not do: on Linux it hands on the signal mask of the calling thread, and takes
/// a process for running as long as any descendant of it lives.
final class Child {
  let pid: pid_t
  private var status: Int32?

  /// Starts /bin/sh with `script` in `folder`.
  init(
    _ script: String, in folder: URL, environment: [String: String], input: FileHandle, output: FileHandle,
    errors: FileHandle
  ) throws {
    #if os(macOS)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let isolation = POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let isolation: Int32 = 0
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream.fileDescriptor, Int32(number))
    }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGTSTP, SIGUSR1, SIGUSR2] {
      sigaddset(&usual, signal)
    }
    posix_spawnattr_setsigdefault(&attributes, &usual)
    let flags = [POSIX_SPAWN_SETPGROUP, POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSIGDEF].map { Int32($0) }
    posix_spawnattr_setflags(&attributes, Int16(flags.reduce(isolation, |)))

    let script = "cd '\(folder.path)'; \(script)"
    let argv = ["/bin/sh", "-c", script].map { (word: String) in strdup(word) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + variables { free(text) } }
    var pid: pid_t = 0
    try #require(posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, variables) == 0)
    self.pid = pid
  }

  deinit {
    // Only after a failed test is there anything left to end.
    if status == nil {
      Foundation.kill(-pid, SIGKILL)
      while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }
  }

  var isRunning: Bool {
    guard status == nil else { return false }
    var raw: Int32 = 0
    guard waitpid(pid, &raw, WNOHANG) == pid else { return true }
    let signal = raw & 0x7f
    status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
    return false
  }

  func kill(_ signal: Int32) {
    Foundation.kill(pid, signal)
  }

  /// Waits for the end; the exit code, or 128 + n for signal n.
  func end() async throws -> Int32 {
    try await eventually("\(pid) did not end") { !isRunning }
    return try #require(status)
  }
}
