extension Signal {
  /// Sends nothing, and completes at once.
  public static var empty: Signal<Value> {
    Signal(attaching: { downstream in
      downstream.complete()
      return nil
    })
  }

  /// Sends nothing, and never ends.
  public static var never: Signal<Value> {
    Signal(attaching: { _ in nil })
  }

  /// Sends nothing, and fails at once with `error`.
  public static func failed(_ error: any Error) -> Signal<Value> {
    Signal(attaching: { downstream in
      downstream.fail(error)
      return nil
    })
  }
}
