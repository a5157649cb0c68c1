public import Signals

/// Subscribes to a signal and remembers all that it sends, from any thread.
///
/// ```swift
/// let recorder = Recorder(signal)
/// #expect(recorder.log == ["next(1)", "progress(50%)", "completed"])
/// ```
public final class Recorder<Value: Sendable>: Sendable {
  private let sink: Sink<Value>
  /// The subscription: dispose it to stop recording.
  public let subscription: Subscription

  /// Subscribes and records from now on.
  public init(_ signal: Signal<Value>) {
    let sink = Sink<Value>()
    self.sink = sink
    subscription = signal.subscribe {
      sink.receive(.next($0))
    } progress: {
      sink.receive(.progress($0))
    } failed: {
      sink.receive(.failed($0))
    } completed: {
      sink.receive(.completed)
    }
  }

  /// All events so far.
  public var events: [Event<Value>] { sink.events.withLock { $0 } }
  /// All events so far, as text.
  public var log: [String] { events.map(\.description) }
  /// The values so far.
  public var values: [Value] {
    events.compactMap { if case .next(let value) = $0 { value } else { nil } }
  }
  /// The progress so far.
  public var progress: [ProgressUpdate] {
    events.compactMap { if case .progress(let update) = $0 { update } else { nil } }
  }
  /// Whether a terminal has come.
  public var hasEnded: Bool { events.last?.isTerminal ?? false }
}

private final class Sink<Value: Sendable>: Sendable {
  let events = Lock<[Event<Value>]>([])

  func receive(_ event: Event<Value>) {
    events.withLock { $0.append(event) }
  }
}
