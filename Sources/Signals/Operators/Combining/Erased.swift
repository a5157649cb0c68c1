// Sources of different types become sources of one type, so that the operators with several sources exist once.

extension Signal {
  /// The same signal, of values whose type only the caller remembers.
  var erased: Signal<any Sendable> {
    Signal<any Sendable>(attaching: (map { $0 } as Signal<any Sendable>).attach, traits: traits)
  }

  /// This signal and `others`, erased.
  func erased<each Other>(with others: repeat Signal<each Other>) -> [Signal<any Sendable>] {
    var signals = [erased]
    for other in repeat each others { signals.append(other.erased) }
    return signals
  }
}

/// Gives the values of a row their types back: those of the signals that were erased, in the same order.
func typed<each Value: Sendable>(_ row: [any Sendable]) -> (repeat each Value) {
  var index = row.startIndex
  func next<Next>(_ type: Next.Type) -> Next {
    defer { index += 1 }
    return row[index] as! Next
  }
  return (repeat next((each Value).self))
}
