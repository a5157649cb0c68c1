extension Signal {
  /// Sends nothing, and completes at once.
  public static var empty: Signal<Value> {
    Signal(attaching: { downstream in
      downstream.complete()
      return nil
    })
  }
}
