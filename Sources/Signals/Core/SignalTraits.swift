/// What `named(_:)` and `weighted(by:)` say of a signal.
@usableFromInline
final class SignalTraits: Sendable {
  let name: String?
  let weight: Double?

  init(name: String? = nil, weight: Double? = nil) {
    self.name = name
    self.weight = weight
  }
}

extension Signal {
  /// How much it counts beside others, where that was said in advance.
  var weight: Double? { traits?.weight }
}
