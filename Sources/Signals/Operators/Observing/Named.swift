extension Signal {
  /// The same signal with a name, for logs and descriptions.
  ///
  /// The name is this signal's alone: what an operator makes of it has none.
  public func named(_ name: String) -> Signal<Value> {
    Signal(attaching: attach, traits: SignalTraits(name: name, weight: weight))
  }

  /// What `named(_:)` called it. What an operator makes of a named signal has no name.
  public var name: String? { traits?.name }
}

extension Signal: CustomStringConvertible {
  /// `Signal<Int>`, and with a name `Signal<Int>("kitchen")`.
  public var description: String {
    let type = "Signal<\(Value.self)>"
    return name.map { "\(type)(\(String(reflecting: $0)))" } ?? type
  }
}
