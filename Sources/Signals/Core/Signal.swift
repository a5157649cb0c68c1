/// A stream of events that begins when somebody subscribes.
///
/// A signal is cold: each subscription runs the start closure, and its disposal runs what the closure returned.
/// `shared` makes many observers use one run; a `Subject` is sent into by hand.
///
/// ```swift
/// let ticks = Signal<Int> { observer in
///   observer.send(progress: 0.5)
///   observer.send(1)
///   observer.complete()
///   return nil
/// }
/// ticks.subscribe { print($0) } completed: { print("done") }
/// ```
///
/// No operator changes threads by itself: an event is delivered by a thread that sends into its source.
public struct Signal<Value: Sendable>: Sendable {
  /// Attaches an observer that ends by itself at a terminal. The source sends one event at a time.
  @usableFromInline package let attach: @Sendable (Observer<Value>) -> (any Disposable)?

  /// For sources and operators of this module, which keep the grammar and the order themselves.
  @usableFromInline
  init(attaching attach: @escaping @Sendable (Observer<Value>) -> (any Disposable)?) {
    self.attach = attach
  }

  /// The same for sources in other modules of this package.
  package static func attaching(
    _ attach: @escaping @Sendable (Observer<Value>) -> (any Disposable)?
  ) -> Signal {
    Signal(attaching: attach)
  }

  /// Makes a signal from what a subscription starts.
  ///
  /// `start` runs once for each subscription, on the thread that subscribes, and may send at once, later, and from
  /// any thread. What it returns is disposed once: at the disposal of the subscription or at the terminal.
  public init(_ start: @escaping @Sendable (Observer<Value>) -> (any Disposable)?) {
    attach = { downstream in
      let serializer = Serializer(downstream)
      serializer.add(start(serializer))
      return serializer
    }
  }

  /// Attaches handlers; those that are left out ignore their events.
  ///
  /// They run one at a time, in the order of the events, on the thread that sends. Nothing is delivered after
  /// `failed` or `completed`.
  @discardableResult @inlinable
  public func subscribe(
    _ next: (@Sendable (Value) -> Void)? = nil,
    progress: (@Sendable (ProgressUpdate) -> Void)? = nil,
    failed: (@Sendable (any Error) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil
  ) -> Subscription {
    let subscription = Subscription()
    let observer = HandlerObserver(
      subscription, next: next, progress: progress, failed: failed, completed: completed)
    subscription.attach(attach(observer))
    return subscription
  }

  /// Sends everything into an observer, for example a `Subject`: values, progress and the terminal.
  @discardableResult
  public func subscribe(_ observer: Observer<Value>) -> Subscription {
    let subscription = Subscription()
    subscription.attach(attach(ForwardingObserver(subscription, to: observer)))
    return subscription
  }
}

/// The end of a chain that leads into another observer.
private final class ForwardingObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; a source sends one event at a time.
  private let subscription: Subscription
  private let target: Observer<Value>

  init(_ subscription: Subscription, to target: Observer<Value>) {
    self.subscription = subscription
    self.target = target
  }

  override func send(_ value: Value) {
    if !subscription.isDisposed { target.send(value) }
  }

  override func send(progress: ProgressUpdate) {
    if !subscription.isDisposed { target.send(progress: progress) }
  }

  override func fail(_ error: any Error) {
    if subscription.end() { target.fail(error) }
  }

  override func complete() {
    if subscription.end() { target.complete() }
  }

  // A source that asks must learn that the target has ended by itself.
  override var isDisposed: Bool { subscription.isDisposed || target.isDisposed }
}

/// The end of every chain: the handlers of one subscription.
///
/// The source holds it, and lets go of what the handlers capture at the terminal and at the disposal.
@usableFromInline
final class HandlerObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; a source sends one event at a time.
  @usableFromInline let subscription: Subscription
  @usableFromInline let next: (@Sendable (Value) -> Void)?
  @usableFromInline let progress: (@Sendable (ProgressUpdate) -> Void)?
  @usableFromInline let failed: (@Sendable (any Error) -> Void)?
  @usableFromInline let completed: (@Sendable () -> Void)?

  @inlinable
  init(
    _ subscription: Subscription,
    next: (@Sendable (Value) -> Void)?, progress: (@Sendable (ProgressUpdate) -> Void)?,
    failed: (@Sendable (any Error) -> Void)?, completed: (@Sendable () -> Void)?
  ) {
    self.subscription = subscription
    self.next = next
    self.progress = progress
    self.failed = failed
    self.completed = completed
  }

  @inlinable
  override func send(_ value: Value) {
    guard let next, !subscription.isDisposed else { return }
    next(value)
  }

  @inlinable
  override func send(progress update: ProgressUpdate) {
    guard let progress, !subscription.isDisposed else { return }
    progress(update)
  }

  // RAC released the subscription before it ran the terminal handler; a handler that subscribes again relies on it.
  @inlinable
  override func fail(_ error: any Error) {
    guard subscription.end() else { return }
    failed?(error)
  }

  @inlinable
  override func complete() {
    guard subscription.end() else { return }
    completed?()
  }

  @inlinable override var isDisposed: Bool { subscription.isDisposed }
}
