/// What receives the events of one subscription.
///
/// An emitter (the closure of `Signal.init`, a callback API that was handed `observer.send`) calls these methods
/// from any thread, in any number; what comes after a terminal is dropped. `Subject` is the observer to make by
/// hand. A subclass outside this module receives events one at a time, from a thread that sends.
open class Observer<Value: Sendable>: @unchecked Sendable {
  // Sound: the base has no state; each subclass says how it guards its own.

  /// For subclasses.
  @inlinable
  public init() {}

  /// Sends a value.
  open func send(_ value: Value) {}

  /// Sends how far the work is. Never ends the stream.
  open func send(progress: ProgressUpdate) {}

  /// Ends the stream with an error.
  open func fail(_ error: any Error) {}

  /// Ends the stream.
  open func complete() {}

  /// Whether nothing that is sent arrives any more: a synchronous source looks at it to stop early.
  open var isDisposed: Bool { false }
}

extension Observer {
  /// Sends an event of any kind.
  @inlinable
  public final func send(event: Event<Value>) {
    switch event {
    case .next(let value): send(value)
    case .progress(let update): send(progress: update)
    case .failed(let error): fail(error)
    case .completed: complete()
    }
  }

  @inlinable
  final func send(end: End) {
    switch end {
    case .failed(let error): fail(error)
    case .completed: complete()
    }
  }
}
