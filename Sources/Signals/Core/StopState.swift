/// How far a disposable has stopped, and who waits for that.
enum StopState<Stop: Sendable>: Sendable {
  /// Nobody has disposed it.
  case live(Stop)
  /// The stop runs.
  case stopping(waiting: [@Sendable () -> Void])
  case stopped

  var isDisposed: Bool { if case .live = self { false } else { true } }

  var isStopping: Bool { if case .stopping = self { true } else { false } }

  /// What stops it, for the first who asks.
  mutating func begin() -> Stop? {
    guard case .live(let stop) = self else { return nil }
    self = .stopping(waiting: [])
    return stop
  }

  /// After `begin`: takes in one who waits. `false`: the stop is over.
  mutating func wait(_ stopped: @escaping @Sendable () -> Void) -> Bool {
    guard case .stopping(let waiting) = self else { return false }
    self = .stopping(waiting: waiting + [stopped])
    return true
  }

  /// The stop has returned: gives those who waited, to be told.
  mutating func finish() -> [@Sendable () -> Void] {
    guard case .stopping(let waiting) = self else { return [] }
    self = .stopped
    return waiting
  }
}
