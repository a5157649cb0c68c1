import Foundation

/// Why a command could not be started; its `exitCode` is what a shell would say.
enum LaunchError: Error, Equatable, CustomStringConvertible {
  /// There is no program of this name.
  case notFound(String)
  /// The program exists but can't be run, for `reason`.
  case notRunnable(String, reason: String)
  /// The system refused what it takes, for `reason`.
  case refused(String, reason: String)

  /// The refusal of `what` that `errno` speaks of.
  static func system(_ what: String) -> LaunchError {
    .refused(what, reason: String(cString: strerror(errno)))
  }

  var exitCode: Int32 {
    switch self {
    case .notFound: 127
    case .notRunnable: 126
    case .refused: 125
    }
  }

  var description: String {
    switch self {
    case .notFound(let name):
      "\(name): command not found: check the name, or give the path"
    case .notRunnable(let name, let reason):
      "\(name): can't be run: \(reason)"
    case .refused(let what, let reason):
      "the system refuses \(what) for the command: \(reason)"
    }
  }
}
