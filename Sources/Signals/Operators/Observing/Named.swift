extension Signal {
  /// The same signal with a name, for logs and descriptions.
  ///
  /// The name is this signal's alone: what an operator makes of it has none.
  public func named(_ name: String) -> Signal<Value> {
    Signal(attaching: attach, name: name)
  }
}

extension Signal: CustomStringConvertible {
  /// `Signal<Int>`, and with a name `Signal<Int>("kitchen")`.
  public var description: String {
    let type = "Signal<\(Value.self)>"
    return name.map { "\(type)(\(String(reflecting: $0)))" } ?? type
  }
}
