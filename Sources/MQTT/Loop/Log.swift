/// Makes log lines for the hook of the options, for those levels that it wants.
struct Log: Sendable {
  private let hook: (@Sendable (LogLevel, String) -> Void)?
  private let level: LogLevel

  init(_ options: ConnectionOptions) {
    hook = options.log
    level = options.logLevel
  }

  /// Whether lines of this level are wanted: making them may cost more than dropping them.
  func wants(_ level: LogLevel) -> Bool {
    hook != nil && level >= self.level
  }

  /// Gives `report` the call of the hook, for it is the user's code.
  func callAsFunction(_ level: LogLevel, _ line: @autoclosure () -> String, _ report: (Report) -> Void) {
    guard let hook, wants(level) else { return }
    let line = line()
    report(.call { hook(level, line) })
  }
}

extension ConnectionState {
  var logLevel: LogLevel {
    switch self {
    case .idle, .connecting, .connected, .closed(nil): .info
    case .waiting: .warning
    case .closed: .error
    }
  }
}
