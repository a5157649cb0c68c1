public import Signals

/// What a signal sent and when, on virtual time. `VirtualScheduler.record` makes one.
public final class Recording<Value: Sendable>: Sendable {
  private struct State {
    var received: [(time: Duration, event: Event<Value>)] = []
    var subscription: Subscription?
  }

  private let time: VirtualScheduler
  private let write: @Sendable (Value) -> String
  private let state = Lock(State())

  fileprivate init(_ time: VirtualScheduler, _ write: @escaping @Sendable (Value) -> String) {
    self.time = time
    self.write = write
  }

  /// The events so far.
  public var events: [Event<Value>] { state.withLock { $0.received }.map(\.event) }

  /// The events so far as a diagram, in which the first column is the scheduler's time zero.
  public var marble: Marble {
    var timeline = Timeline<EventMark>()
    for (moment, event) in state.withLock({ $0.received }) {
      let mark: EventMark =
        switch event {
        case .next(let value): .value(write(value))
        case .progress(let update): .progress(update)
        case .failed: .failed
        case .completed: .completed
        }
      timeline.append(mark, at: moment, tick: time.tick)
    }
    return Marble(timeline)
  }

  fileprivate func start(_ signal: Signal<Value>, during line: SubscriptionLine?) {
    perform(line?.begin(time.tick) ?? time.now) { [self] in
      let subscription = signal.subscribe {
        self.receive(.next($0))
      } progress: {
        self.receive(.progress($0))
      } failed: {
        self.receive(.failed($0))
      } completed: {
        self.receive(.completed)
      }
      state.withLock { $0.subscription = subscription }
    }
    if let end = line?.end(time.tick) {
      perform(end) { [self] in
        let subscription = state.withLock { $0.subscription.take() }
        subscription?.dispose()
      }
    }
  }

  private func perform(_ instant: Duration, _ action: @escaping @Sendable () -> Void) {
    let now = time.now
    if instant == now { action() } else { time.schedule(after: instant - now, isEarly: true, action) }
  }

  private func receive(_ event: Event<Value>) {
    let now = time.now
    state.withLock { $0.received.append((now, event)) }
  }
}

extension SubscriptionLine {
  fileprivate func begin(_ tick: Duration) -> Duration { time(of: .subscribed, tick)! }
  fileprivate func end(_ tick: Duration) -> Duration? { time(of: .disposed, tick) }

  private func time(of mark: SubscriptionMark, _ tick: Duration) -> Duration? {
    timeline.moments.first { $0.mark == mark }.map { tick * $0.tick + $0.offset }
  }
}

extension VirtualScheduler {
  /// Records `signal` while the time moves, from now on or as `line` says.
  ///
  /// ```swift
  /// let shared = source.signal.shared()
  /// let (first, second) = (time.record(shared), time.record(shared, during: "--^--!"))
  /// time.run()
  /// #expect(first.marble == "-a-b|")
  /// #expect(second.marble == "---b")
  /// ```
  ///
  /// Values are drawn as `String(describing:)` gives them. A line that begins in the past is a programming error.
  public func record<Value>(
    _ signal: Signal<Value>, during line: SubscriptionLine? = nil
  ) -> Recording<Value> {
    record(signal, line) { String(describing: $0) }
  }

  /// The same, with the values drawn by their names in `values`; those that have none as `String(describing:)`.
  public func record<Value: Equatable>(
    _ signal: Signal<Value>, during line: SubscriptionLine? = nil, values: [String: Value]
  ) -> Recording<Value> {
    // Sorted, so that of two names for one value it is always the same that is drawn.
    let names = values.sorted { $0.key < $1.key }
    return record(signal, line) { value in
      names.first { $0.value == value }?.key ?? String(describing: value)
    }
  }

  /// Records `signal`, moves the time until nothing is pending (see `run`), and gives the diagram.
  public func play<Value>(_ signal: Signal<Value>, during line: SubscriptionLine? = nil) -> Marble {
    let recording = record(signal, during: line)
    run()
    return recording.marble
  }

  /// The same, with the values drawn by their names in `values`; those that have none as `String(describing:)`.
  public func play<Value: Equatable>(
    _ signal: Signal<Value>, during line: SubscriptionLine? = nil, values: [String: Value]
  ) -> Marble {
    let recording = record(signal, during: line, values: values)
    run()
    return recording.marble
  }

  private func record<Value>(
    _ signal: Signal<Value>, _ line: SubscriptionLine?, _ write: @escaping @Sendable (Value) -> String
  ) -> Recording<Value> {
    if let line {
      complain(
        unless: line.begin(tick) >= now,
        "The subscription line \(line) begins before the time, which is \(now): record before the time moves")
    }
    let recording = Recording(self, write)
    recording.start(signal, during: line)
    return recording
  }
}
