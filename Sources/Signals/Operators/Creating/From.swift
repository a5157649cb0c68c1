extension Signal {
  /// Sends the elements of `sequence` to each subscriber, at once and one after the other, and completes.
  ///
  /// Each subscription iterates anew, on the thread that subscribes, and stops when the subscriber needs no more: so
  /// an endless sequence is fine where something behind it ends, `take` for example. No progress is made up:
  /// `countingProgress(total:)` does that.
  public static func from<Elements: Sequence & Sendable>(_ sequence: Elements) -> Signal<Value>
  where Elements.Element == Value {
    Signal(attaching: { downstream in
      guard !downstream.isDisposed else { return nil }
      for value in sequence {
        downstream.send(value)
        // Asked after each value, so that no element is made that nobody needs.
        if downstream.isDisposed { return nil }
      }
      downstream.complete()
      return nil
    })
  }
}
