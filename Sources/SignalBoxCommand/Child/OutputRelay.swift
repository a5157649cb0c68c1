import CCommand
import Foundation

/// What stands between an output of the child and ours: a pipe or, where ours is a terminal, a terminal.
///
/// A process of its own copies from it (see `signalbox_relay`), so that nothing this process does or suffers
/// can hold up the output; it tells us by a second pipe what it has passed on.
struct OutputRelay {
  /// What the child writes to; close it once the child has been started.
  let childEnd: Int32
  /// What was passed on; it ends when the relay is done, or has passed on all that was there at the end of
  /// `life`.
  let copy: Int32
  private let process: pid_t

  /// Relays to `output`, one of our standard streams, until its writers are gone.
  init(to output: Int32, life: Int32) throws(LaunchError) {
    var ends: (from: Int32, to: Int32) = (-1, -1)
    if isatty(output) == 1 {
      guard signalbox_terminal(output, &ends.from, &ends.to) == 0 else { throw .system("a terminal") }
    } else {
      ends = try makePipe()
    }
    let copies = try makePipe()
    process = signalbox_relay(ends.from, output, copies.to, life)
    guard process > 0 else { throw .system("a process") }
    close(ends.from)
    close(copies.to)
    childEnd = ends.to
    copy = copies.from
  }

  /// Lets the system forget the relay's process, whose `copy` has ended: an init that reaps nobody else's
  /// children, as in many containers, would keep it as a zombie for ever.
  func reap() {
    // Not for longer: a system that is out of processes makes the relay go on as the same one.
    let deadline = ContinuousClock.now + .seconds(1)
    while waitpid(process, nil, WNOHANG) == 0, ContinuousClock.now < deadline { usleep(500) }
  }
}

/// A new pipe, closed on exec.
func makePipe() throws(LaunchError) -> (from: Int32, to: Int32) {
  var ends: [Int32] = [-1, -1]
  guard signalbox_pipe(&ends) == 0 else { throw .system("a pipe") }
  return (ends[0], ends[1])
}
