/// Something that can be ended by hand: a subscription, a timer, a source.
public protocol Disposable: AnyObject, Sendable {
  /// Ends it. Idempotent, never blocks, safe in handlers and from any thread.
  func dispose()

  /// Ends it, and runs `stopped` once it has stopped; at once where there is nothing to wait for, which is what happens
  /// unless a type says otherwise.
  ///
  /// A shared signal waits for it before it starts its source again.
  func dispose(whenStopped stopped: @escaping @Sendable () -> Void)

  /// Whether it has ended, by `dispose()` or by itself: `false` unless a type says otherwise. A compound lets go of
  /// members that have.
  var isDisposed: Bool { get }

  /// Whether it has been disposed and takes its time to stop: `false` unless a type says otherwise.
  var isStopping: Bool { get }
}

extension Disposable {
  /// `false`.
  public var isDisposed: Bool { false }

  /// `false`.
  public var isStopping: Bool { false }

  /// Disposes, and then runs `stopped` at once.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    stopped()
  }
}
