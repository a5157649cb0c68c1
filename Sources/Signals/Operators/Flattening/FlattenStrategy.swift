/// What becomes of several signals that want to run at once: see `flatMap`.
public struct FlattenStrategy: Sendable, Hashable {
  enum Rule: Hashable {
    case merge(max: Int)
    case latest
    case exhaust
  }

  let rule: Rule

  /// All at once.
  public static let merge = FlattenStrategy(rule: .merge(max: .max))

  /// At most `max` at once; the values of the others wait, in order, in a queue without a bound.
  public static func merge(max: Int) -> FlattenStrategy {
    precondition(max > 0, ".merge(max:) takes 1 or more, not \(max)")
    return FlattenStrategy(rule: .merge(max: max))
  }

  /// One after the other; the values of the others wait, in order, in a queue without a bound.
  public static let concat = FlattenStrategy(rule: .merge(max: 1))

  /// The newest: it disposes the one before it.
  public static let latest = FlattenStrategy(rule: .latest)

  /// The first: values that come while its signal runs are dropped.
  public static let exhaust = FlattenStrategy(rule: .exhaust)

  /// Whether never more than one runs.
  var runsOne: Bool {
    switch rule {
    case .merge(let max): max == 1
    case .latest, .exhaust: true
    }
  }
}

extension FlattenStrategy: CustomStringConvertible {
  /// `merge`, `merge(max: 2)`, `concat`, `latest`, `exhaust`.
  public var description: String {
    switch rule {
    case .merge(max: .max): "merge"
    case .merge(max: 1): "concat"
    case .merge(let max): "merge(max: \(max))"
    case .latest: "latest"
    case .exhaust: "exhaust"
    }
  }
}
