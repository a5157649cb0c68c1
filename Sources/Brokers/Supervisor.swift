import Foundation
import Synchronization

/// One run of a program that must not outlive this process, whatever ends this process.
///
/// A shell stands between the two. It starts the program, then reads from a socket whose other end only this
/// process holds: when that end closes, by request or because this process was killed, the shell terminates
/// the program, kills it when that does not help, and removes the folder. Nothing here runs in this process,
/// so SIGKILL can't prevent it, and no thread has to live on (as with Linux's parent-death signal).
///
/// The shell does not reap the program before it is told to, so `program` can't come to mean another process.
final class Supervisor: Sendable {
  /// The process id of the supervised program; valid until `end` returns.
  let program: pid_t
  private let shell: pid_t
  /// Our end of the shell's standard input.
  private let channel: Int32
  /// The read end of the program's standard output; at its end the program is gone.
  private let life: Int32
  private let isReaped = Atomic(false)

  /// How long the program may take to end after SIGTERM before it gets SIGKILL, in seconds.
  private static let grace = 5

  private static let script = """
    folder=$1; shift
    "$@" </dev/null >&3 3>&- &
    program=$!
    echo $program >&3
    exec 3>&-
    read -r word
    kill -CONT $program; kill -TERM $program
    ( trap 'kill $sleep; exit' TERM; sleep \(grace) & sleep=$!; wait $sleep; kill -KILL $program ) &
    killer=$!
    wait $program
    kill -TERM $killer; wait $killer
    [ "$word" = keep ] || rm -rf "$folder"
    """

  /// Starts `command` (a path and its arguments) with its standard error appended to the file `log`.
  ///
  /// - Parameter folder: what the shell removes at the end; the program's own, and nothing else's.
  init(command: [String], log: String, folder: String) throws {
    var channels: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, stream, 0, &channels) == 0 else { throw Self.failure("socketpair") }
    let (channel, shellChannel) = (aboveStandardStreams(channels[0]), aboveStandardStreams(channels[1]))
    defer { close(shellChannel) }

    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      defer { close(channel) }
      throw Self.failure("pipe")
    }
    let (life, shellLife) = (aboveStandardStreams(ends[0]), aboveStandardStreams(ends[1]))

    do {
      defer { close(shellLife) }
      shell = try spawn(
        ["/bin/sh", "-c", Self.script, "sh", folder] + command,
        inheriting: [shellChannel: 0, shellLife: 3], log: log, inSession: true)
    } catch {
      close(channel)
      close(life)
      throw error
    }
    self.channel = channel
    self.life = life

    var line = ""
    var byte: UInt8 = 0
    while true {
      let count = read(life, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      line.unicodeScalars.append(Unicode.Scalar(byte))
    }
    program = pid_t(line) ?? -1
    _ = fcntl(life, F_SETFL, O_NONBLOCK)
    // A negative id would make kill(2) mean whole groups; dropping self ends the shell.
    guard program > 0 else { throw LocalBrokerError.system("/bin/sh did not start \(command[0])") }
  }

  deinit {
    close(channel)
    close(life)
    guard !isReaped.load(ordering: .acquiring) else { return }
    let shell = shell
    DispatchQueue.global().async { while waitpid(shell, nil, 0) < 0 && errno == EINTR {} }
  }

  /// Whether the program still runs; a suspended one does.
  var isAlive: Bool {
    var scratch = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(life, &scratch, scratch.count)
      if count == 0 { return false }
      if count < 0 && errno != EINTR { return true }
    }
  }

  /// Sends `signal` to the program.
  func signal(_ signal: Int32) {
    kill(program, signal)
  }

  /// Ends the program, and removes the folder unless it is to be kept; returns when both are done.
  func end(keepingFolder: Bool) async {
    if keepingFolder {
      let word = Array("keep\n".utf8)
      send(channel, word, word.count, noSignal)
    }
    shutdown(channel, Int32(SHUT_WR))
    await poll { waitpid(self.shell, nil, WNOHANG) != 0 }
    isReaped.store(true, ordering: .releasing)
  }

  private static func failure(_ call: String) -> LocalBrokerError {
    .system("\(call) failed: \(String(cString: strerror(errno)))")
  }
}

/// Asks `condition` again and again until it holds or `deadline` has passed; whether it held.
///
/// A cancelled task goes on asking: what is begun here is also finished.
@discardableResult
func poll(
  until deadline: ContinuousClock.Instant? = nil,
  isolation: isolated (any Actor)? = #isolation,
  _ condition: () throws -> Bool
) async rethrows -> Bool {
  while try !condition() {
    if let deadline, ContinuousClock.now > deadline { return false }
    await withCheckedContinuation { done in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { done.resume() }
    }
  }
  return true
}

#if canImport(Darwin)
  private let stream = SOCK_STREAM
  private let noSignal: Int32 = 0
#else
  private let stream = Int32(SOCK_STREAM.rawValue)
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// Moves `descriptor` out of the way of 0…3, closed on exec: a copy in another child would hide our death.
func aboveStandardStreams(_ descriptor: Int32) -> Int32 {
  let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
  close(descriptor)
  #if canImport(Darwin)
    var on: Int32 = 1
    setsockopt(moved, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
  #endif
  return moved
}
