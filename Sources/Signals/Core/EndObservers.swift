/// The subscription of the end of a chain, which it tells when that has gone.
///
/// The last member of an observer, since members go in their order: what the others hold has gone by then.
@usableFromInline
struct EndLink: ~Copyable {
  @usableFromInline let subscription: Subscription

  @inlinable
  init(_ subscription: Subscription) { self.subscription = subscription }

  @inlinable deinit { subscription.observerReleased() }
}

/// The end of a chain that leads into another observer.
final class ForwardingObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; a source sends one event at a time.
  private let target: Observer<Value>
  private let link: EndLink

  init(_ subscription: Subscription, to target: Observer<Value>) {
    self.target = target
    link = EndLink(subscription)
  }

  private var subscription: Subscription { link.subscription }

  override func send(_ value: Value) {
    if !subscription.isDisposed { target.send(value) }
  }

  override func send(progress: ProgressUpdate) {
    if !subscription.isDisposed { target.send(progress: progress) }
  }

  override func fail(_ error: any Error) {
    if subscription.end(by: error) { target.fail(error) }
  }

  override func complete() {
    if subscription.endCompleted() { target.complete() }
  }

  // A source that asks must learn that the target has ended by itself.
  override var isDisposed: Bool { subscription.isDisposed || target.isDisposed }
}

/// The end of a chain: the handlers of one subscription.
///
/// The source holds it, and lets go of what the handlers capture at the terminal and at the disposal.
@usableFromInline
final class HandlerObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; a source sends one event at a time.
  @usableFromInline let next: (@Sendable (Value) -> Void)?
  @usableFromInline let progress: (@Sendable (ProgressUpdate) -> Void)?
  @usableFromInline let failed: (@Sendable (any Error) -> Void)?
  @usableFromInline let completed: (@Sendable () -> Void)?
  @usableFromInline let link: EndLink

  @inlinable
  init(
    _ subscription: Subscription,
    next: (@Sendable (Value) -> Void)?, progress: (@Sendable (ProgressUpdate) -> Void)?,
    failed: (@Sendable (any Error) -> Void)?, completed: (@Sendable () -> Void)?
  ) {
    self.next = next
    self.progress = progress
    self.failed = failed
    self.completed = completed
    link = EndLink(subscription)
  }

  @inlinable var subscription: Subscription { link.subscription }

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

  // The source is disposed before a terminal handler runs: that may subscribe again.
  @inlinable
  override func fail(_ error: any Error) {
    guard subscription.end(by: error) else { return }
    failed?(error)
  }

  @inlinable
  override func complete() {
    guard subscription.endCompleted() else { return }
    completed?()
  }

  @inlinable override var isDisposed: Bool { subscription.isDisposed }
}
