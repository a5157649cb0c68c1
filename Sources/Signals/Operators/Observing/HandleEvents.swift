extension Signal {
  /// Runs closures at what happens to each subscription, and passes everything on unchanged.
  ///
  /// `next` runs before a value passes; `progress`, `failed` and `completed` in the same way. `subscribed` runs before
  /// the source is subscribed. `disposed` runs when the subscription ends without a terminal: by its `dispose()`, or by
  /// an operator behind this one that needs no more (`take`); once, after the source was told to stop, on the thread
  /// that disposes. A source that lets go of its observers silently does not make it run.
  ///
  /// Each subscription runs `subscribed`, and then exactly one of `failed`, `completed` and `disposed`, if it ends.
  public func handleEvents(
    next: (@Sendable (Value) -> Void)? = nil,
    progress: (@Sendable (ProgressUpdate) -> Void)? = nil,
    failed: (@Sendable (any Error) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil,
    subscribed: (@Sendable () -> Void)? = nil,
    disposed: (@Sendable () -> Void)? = nil
  ) -> Signal<Value> {
    Signal(attaching: { [attach] downstream in
      subscribed?()
      let link = Subscription()
      link.attach(
        attach(
          HandleEventsObserver(
            downstream, link, next: next, progress: progress, failed: failed, completed: completed)))
      return disposed.map { DisposalHandler(link, $0) } ?? link
    })
  }
}

private final class HandleEventsObserver<Value: Sendable>: LinkedObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: immutable.
  private let next: (@Sendable (Value) -> Void)?
  private let progress: (@Sendable (ProgressUpdate) -> Void)?
  private let failed: (@Sendable (any Error) -> Void)?
  private let completed: (@Sendable () -> Void)?

  init(
    _ downstream: Observer<Value>, _ link: Subscription,
    next: (@Sendable (Value) -> Void)?, progress: (@Sendable (ProgressUpdate) -> Void)?,
    failed: (@Sendable (any Error) -> Void)?, completed: (@Sendable () -> Void)?
  ) {
    self.next = next
    self.progress = progress
    self.failed = failed
    self.completed = completed
    super.init(downstream, link)
  }

  override func send(_ value: Value) {
    guard !isDisposed else { return }
    next?(value)
    downstream.send(value)
  }

  override func send(progress update: ProgressUpdate) {
    guard !isDisposed else { return }
    progress?(update)
    downstream.send(progress: update)
  }

  // A downstream that was disposed while the source starts will dispose the link, which is then no completion.
  override func fail(_ error: any Error) {
    guard !downstream.isDisposed, link.end() else { return }
    failed?(error)
    downstream.fail(error)
  }

  override func complete() {
    guard !downstream.isDisposed, link.end() else { return }
    completed?()
    downstream.complete()
  }
}

/// Tells a disposal from a terminal: who ends the link first.
private final class DisposalHandler: Disposable {
  private let link: Subscription
  private let disposed: @Sendable () -> Void

  init(_ link: Subscription, _ disposed: @escaping @Sendable () -> Void) {
    self.link = link
    self.disposed = disposed
  }

  func dispose() {
    if link.end() { disposed() }
  }

  func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    link.dispose(whenStopped: stopped)
  }

  func whenReady(_ action: @escaping @Sendable () -> Void) { link.whenReady(action) }

  var isStopping: Bool { link.isStopping }

  var whyGone: (any Error)? { link.whyGone }
}
