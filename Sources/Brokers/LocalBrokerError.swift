/// Why a `LocalBroker` could not do what was asked, in one line that names the mend.
public enum LocalBrokerError: Error, Equatable, CustomStringConvertible {
  /// A program of mosquitto is neither in `PATH` nor in one of the usual places.
  case notInstalled(program: String)
  /// The port that was asked for belongs to another process.
  case portInUse(UInt16)
  /// mosquitto ended, or stayed silent, instead of serving; `reason` is what it logged last.
  case didNotStart(reason: String)
  /// The log did not show the expected text in time.
  case notLogged(text: String)
  /// The broker has been stopped, and its folder is gone.
  case stopped
  /// The system refused a folder, a socket or a process.
  case system(String)

  /// The error in one line.
  public var description: String {
    switch self {
    case .notInstalled(let program):
      "\(program) is not installed: apt-get install mosquitto mosquitto-clients, or brew install mosquitto"
    case .portInUse(let port):
      "port \(port) is in use: choose another one, or none to have a free one chosen"
    case .didNotStart(let reason):
      "mosquitto did not start: \(reason)"
    case .notLogged(let text):
      "the broker's log did not show '\(text)' in time: read `log` for what it shows instead"
    case .stopped:
      "the broker has been stopped: start a new one"
    case .system(let what):
      what
    }
  }
}
