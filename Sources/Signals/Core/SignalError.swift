/// Errors that operators send by themselves.
public enum SignalError: Error, Hashable, Sendable {
  /// Nothing came in time: `timeout`, `first(timeout:)`.
  case timedOut(after: Duration)
  /// The signal completed where a value was needed: `first(timeout:)`.
  case completedWithoutValue
}

extension SignalError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .timedOut(let limit): "nothing came within \(limit)"
    case .completedWithoutValue: "the signal completed without a value"
    }
  }
}
