import Foundation

/// What went otherwise than a script or a test of a `ScriptedBroker` wanted, in one line.
public enum ScriptedBrokerError: Error, Equatable, CustomStringConvertible {
  /// A step of the script of a link did not go as it should; links are counted from 0, steps from 1.
  case step(link: Int, step: Int, problem: String)
  /// Fewer clients came than `finish` was told to wait for.
  case fewerLinks(Int, expected: Int, within: Duration)
  /// A script did not end in time; `doing` is its last step.
  case unfinished(link: Int, step: Int, doing: String, within: Duration)
  /// The broker did not receive as many packets of a kind as a test waited for.
  case notReceived(Packet.Kind, Int, expected: Int, within: Duration)
  /// The broker was stopped; the waits of its scripts end with this.
  case stopped
  /// The port that was asked for belongs to another process.
  case portInUse(UInt16)
  /// No socket can be made at this path.
  case unusablePath(String, String)
  /// The system refused a call.
  case system(String)

  /// The error in one line.
  public var description: String {
    switch self {
    case .step(let link, let step, let problem):
      "link \(link), step \(step): \(problem)"
    case .fewerLinks(let count, let expected, let limit):
      "\(count) of \(expected) clients came within \(limit)"
    case .unfinished(let link, let step, let doing, let limit):
      "link \(link), step \(step): \(doing) did not end within \(limit); end the client first, or call stop()"
    case .notReceived(let kind, let count, let expected, let limit):
      "\(count) of \(expected) \(kind) came within \(limit): read `received` for what came instead"
    case .stopped:
      "the broker has been stopped"
    case .portInUse(let port):
      "port \(port) is in use: choose another one, or none to have a free one chosen"
    case .unusablePath(let path, let reason):
      "\(path.quoted) can't be made a socket: \(reason)"
    case .system(let what):
      what
    }
  }

  /// A call that failed with the present `errno`.
  static func system(_ call: String, _ number: Int32) -> ScriptedBrokerError {
    .system("\(call) failed: \(String(cString: strerror(number)))")
  }
}
