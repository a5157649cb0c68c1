extension Signal {
  /// Writes one line for each event, and for the beginning and the disposal of each subscription; passes everything
  /// on unchanged.
  ///
  /// ```swift
  /// kitchen.named("kitchen").log()  // kitchen: subscribed · kitchen: next(21.5) · kitchen: progress(42%)
  /// ```
  ///
  /// - Parameters:
  ///   - label: what the lines begin with; otherwise the name of the signal, or its description if it has none.
  ///   - sink: takes the lines, on the thread that delivers; `print` unless said otherwise. Line breaks and other
  ///     control characters of a value are escaped, so that no value can forge a line.
  public func log(
    _ label: String? = nil, to sink: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> Signal<Value> {
    let label = label ?? name ?? description
    @Sendable func write(_ what: String) { sink("\(label): \(what)".escapingControls) }
    @Sendable func write(_ event: Event<Value>) { write(event.description) }
    return handleEvents(
      next: { write(.next($0)) }, progress: { write(.progress($0)) },
      failed: { write(.failed($0)) }, completed: { write(.completed) },
      subscribed: { write("subscribed") }, disposed: { write("disposed") })
  }
}

extension String {
  /// The text with everything escaped that could break a line, move a cursor or reorder what is shown.
  var escapingControls: String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: scalar.properties.isBidiControl
      }
    }
    guard unicodeScalars.contains(where: isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if isControl(scalar) {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
