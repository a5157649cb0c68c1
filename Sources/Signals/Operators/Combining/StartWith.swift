extension Signal {
  /// Sends `values` first, and then what the source sends; the source is subscribed after the last of them.
  ///
  /// Progress passes unchanged. When nobody listens any more after the values, the source is not started.
  public func startWith(_ values: Value...) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      for value in values where !downstream.isDisposed { downstream.send(value) }
      return downstream.isDisposed ? nil : attach(downstream)
    })
  }
}
