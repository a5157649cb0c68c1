extension Signal {
  /// Sends a signal for each `count` values: a window, which sends those values and then completes.
  ///
  /// A window opens with its first value. It is hot and keeps nothing: subscribe to it inside the handler that gets it, and
  /// you miss nothing; a later subscriber gets the rest of its values. A failure of the source fails the open window
  /// and then the signal; the completion completes both. After the disposal of the subscription the open window is
  /// silent. Progress passes at once, beside the windows and not in them.
  public func window(count: Int) -> Signal<Signal<Value>> {
    precondition(count > 0, "window(count:) takes 1 or more, not \(count)")
    return Batches.signal(of: self, count: count) { WindowSink<Value>() }
  }

  /// Sends windows that close after `count` values, or `duration` after they opened with their first value.
  ///
  /// The windows are those of `window(count:)`. One whose time is up completes on `scheduler`.
  public func window(
    count: Int = .max, every duration: Duration, on scheduler: any Scheduler = .background
  ) -> Signal<Signal<Value>> {
    precondition(count > 0, "window(count:every:on:) takes 1 or more values, not \(count)")
    precondition(duration > .zero, "window(count:every:on:) takes a time above zero, not \(duration)")
    let limit = Batches<WindowSink<Value>>.Limit(duration: duration, scheduler: scheduler)
    return Batches.signal(of: self, count: count, limit) { WindowSink<Value>() }
  }
}

/// Passes a batch on through a subject of its own.
private struct WindowSink<Value: Sendable>: BatchSink {
  private var window: Subject<Value>?

  mutating func begin(_ downstream: Observer<Signal<Value>>) {
    let window = Subject<Value>()
    self.window = window
    downstream.send(window.signal)
  }

  mutating func add(_ value: Value) { window?.send(value) }

  mutating func end(_ downstream: Observer<Signal<Value>>, _ end: End) {
    window.take()?.send(end: end)
  }
}
