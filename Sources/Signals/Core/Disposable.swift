/// Something that can be ended by hand: a subscription, a timer, a source.
public protocol Disposable: AnyObject, Sendable {
  /// Ends it. Idempotent, never blocks, safe in handlers and from any thread.
  func dispose()

  /// Ends it, and runs `stopped` once it has stopped; at once where there is nothing to wait for, which is what happens
  /// unless a type says otherwise.
  ///
  /// A shared signal waits for it before it starts its source again.
  func dispose(whenStopped stopped: @escaping @Sendable () -> Void)

  /// Runs `action` once it is live; at once where beginning takes no time, which is what happens unless a type says
  /// otherwise. Never, when it ends before that: whoever asks hears of the end as an event.
  ///
  /// For sources that take time to begin, for example until a server has answered: see `Subscription.ready`. Has to be
  /// called in no lock, and may be called on any thread.
  func whenReady(_ action: @escaping @Sendable () -> Void)

  /// Whether it has ended, by `dispose()` or by itself: `false` unless a type says otherwise. A compound lets go of
  /// members that have.
  var isDisposed: Bool { get }

  /// Why it is not live any more and never will be, where it says so by a completion: `nil` unless a type says
  /// otherwise.
  ///
  /// Whoever waits for `Subscription.ready` gets this for the completion. It is asked after the disposal.
  var whyGone: (any Error)? { get }

  /// Whether it has been disposed and takes its time to stop: `false` unless a type says otherwise.
  var isStopping: Bool { get }
}

extension Disposable {
  /// `false`.
  public var isDisposed: Bool { false }

  /// `false`.
  public var isStopping: Bool { false }

  /// `nil`.
  public var whyGone: (any Error)? { nil }

  /// Runs `action` at once.
  public func whenReady(_ action: @escaping @Sendable () -> Void) { action() }

  /// Disposes, and then runs `stopped` at once.
  public func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    stopped()
  }
}
