/// The errors that operators make by themselves.
public enum SignalError: Error, Hashable {
  /// No sign of life came for this long: see `Signal.timeout`.
  case timedOut(after: Duration)
}

extension SignalError: CustomStringConvertible {
  /// One line for logs.
  public var description: String {
    switch self {
    case .timedOut(let duration): "timed out after \(duration)"
    }
  }
}
