/// What a signal sends: values and progress in any number, then at most one `failed` or `completed`.
///
/// The grammar is `(next | progress)* (failed | completed)?`, for each observer. Progress never ends a stream,
/// and a disposal sends nothing.
public enum Event<Value: Sendable>: Sendable {
  /// A value.
  case next(Value)
  /// How far the work is. Boxed, so that a rare and large update does not make every event large.
  indirect case progress(ProgressUpdate)
  /// The stream ended with an error.
  case failed(any Error)
  /// The stream ended.
  case completed

  /// Whether nothing comes after this event.
  @inlinable
  public var isTerminal: Bool {
    switch self {
    case .next, .progress: false
    case .failed, .completed: true
    }
  }
}

extension Event: CustomStringConvertible {
  /// For logs and test failures: `next(3)`, `progress(42%)`, `failed(…)`, `completed`.
  public var description: String {
    switch self {
    case .next(let value): "next(\(value))"
    case .progress(let update): "progress(\(update))"
    case .failed(let error): "failed(\(error))"
    case .completed: "completed"
    }
  }
}

/// How a stream ended.
@usableFromInline
package enum End: Sendable {
  case failed(any Error)
  case completed
}
