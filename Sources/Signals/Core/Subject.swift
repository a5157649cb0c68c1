/// A signal that you send into by hand.
///
/// It is hot: an observer gets what is sent after it subscribed, preceded by what `replay` says: the last values,
/// then the latest progress, then the terminal if there was one. A subject keeps its terminal for late subscribers.
///
/// Send from any thread and from inside handlers: all observers see one order. A send may return before its event
/// is delivered, namely when another thread is delivering, or when the sender is itself inside a handler of this
/// subject. A subscription inside a handler gets its replay when that handler has returned. While a handler is slow,
/// progress that waits is replaced by newer progress; values never are.
///
/// ```swift
/// let temperatures = Subject<Double>(replay: 1)
/// sensor.onReading = temperatures.send
/// temperatures.signal.subscribe { print($0) }
/// ```
public final class Subject<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the core guards itself.
  @usableFromInline let core: SubjectCore<Value>

  /// Makes a subject that gives a newcomer the last `replay` values: 0 none, 1 the latest.
  @inlinable
  public init(replay: Int = 0) {
    precondition(replay >= 0, "Subject(replay:) takes 0 or more, not \(replay)")
    core = SubjectCore(.last(replay))
  }

  /// Makes a subject whose newcomers get what `store` gives them.
  package init(store: any ReplayStore<Value>) {
    core = SubjectCore(.store(store))
  }

  // A subscription that somebody still holds must not keep its handlers alive.
  deinit { core.close() }

  /// The signal of what is sent.
  public var signal: Signal<Value> {
    Signal(attaching: { [self] in core.attach($0) })
  }

  /// How many events were dropped because they came after the terminal.
  public var dropped: Int { core.droppedCount }

  @inlinable
  public override func send(_ value: Value) { core.send(value) }

  public override func send(progress: ProgressUpdate) { core.send(progress: progress) }

  public override func fail(_ error: any Error) { core.send(end: .failed(error)) }

  public override func complete() { core.send(end: .completed) }

  public override var isDisposed: Bool { core.isEnded }
}

extension Subject where Value == Void {
  /// Sends that it happened.
  @inlinable
  public func send() { send(()) }
}
