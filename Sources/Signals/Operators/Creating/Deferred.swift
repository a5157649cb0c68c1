extension Signal {
  /// Makes the signal anew for each subscription, on the thread that subscribes.
  ///
  /// What `make` throws fails the subscription. Everything else is the made signal's own.
  public static func deferred(_ make: @escaping @Sendable () throws -> Signal<Value>) -> Signal<Value> {
    Signal(attaching: { downstream in
      do {
        return try make().attach(downstream)
      } catch {
        downstream.fail(error)
        return nil
      }
    })
  }
}
