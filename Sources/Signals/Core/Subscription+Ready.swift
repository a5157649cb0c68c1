internal import Synchronization

extension Subscription {
  /// Waits until the sources that the subscription has begun so far are live: until a server has confirmed it, for
  /// example. Those whose beginning takes no time are live at once, and so is most of this module.
  ///
  /// What is sent to a source from then on arrives: subscribe, wait for this, publish. It waits for a start that is due
  /// on a scheduler, through `shared` for the run that this subscription joined, and through `retry` and `catch` for
  /// what takes the place of a failed source. Any number of tasks may wait; one that gives up leaves the subscription as
  /// it is.
  ///
  /// ```swift
  /// let subscription = lamp.states.subscribe { print($0) }
  /// try await subscription.ready
  /// lamp.switchOn()
  /// ```
  ///
  /// Returns at once when the signal has completed, and when it completes meanwhile, unless that means that its source
  /// is gone: a bus that was closed, for example.
  ///
  /// - Throws: what the signal failed with, before it was ready or after; why the source is gone, where it says so by a
  ///   completion (``Disposable/whyGone``); `CancellationError` when the subscription was disposed, or the waiting task
  ///   cancelled.
  public final var ready: Void {
    get async throws {
      let task = Outcome<Void>()
      defer { change { $0.readiness.leave(task) } }
      try await withTaskCancellationHandler {
        try Task.checkCancellation()
        join(task)
        try await task.wait(isolation: nil)
      } onCancel: {
        task.settle(.failure(CancellationError()))
      }
    }
  }

  /// Runs `action` when the sources that it has begun by then are live.
  public final func whenReady(_ action: @escaping @Sendable () -> Void) {
    let (isLinked, source) = change { [self] extras -> (Bool, (any Disposable)?) in
      let old = flags.bitwiseOr(Self.watched, ordering: .acquiringAndReleasing).oldValue
      if old & Self.ended != 0 { return (false, nil) }
      if old & Self.linked != 0 { return (true, upstream) }
      extras.readiness.early.append(action)
      return (false, nil)
    }
    guard isLinked else { return }
    if let source { source.whenReady(action) } else { action() }
  }

  // What begins and ends without questions does not pay for them: hence the rare ways are not inlined.

  /// The start of the source has returned: for those who asked before.
  @inline(never)
  final func askForWaiting() {
    let early = change { extras in
      defer { extras.readiness.early = [] }
      return extras.readiness.early
    }
    for action in early { whenReady(action) }
  }

  @inline(never)
  final func takeWatchedUpstream() -> (any Disposable)? {
    extras.withLock { _ in upstream.take() }
  }

  // MARK: Tasks

  private final func join(_ task: Outcome<Void>) {
    let hasEnded = change { [self] extras in
      let old = flags.bitwiseOr(Self.watched, ordering: .acquiringAndReleasing).oldValue
      if old & Self.ended == 0 { extras.readiness.join(task) }
      return old & Self.ended != 0
    }
    guard hasEnded else { return askForTasks() }
    guard flags.load(ordering: .acquiring) & Self.completed != 0 else { return task.settle(ending) }
    // Whoever ends it may still ask the source why.
    dispose { [self] in task.settle(ending) }
  }

  private final func askForTasks() {
    guard change({ $0.readiness.ask() }) else { return }
    // Weakly: a source that is never live and never ends must not keep who waits for it.
    whenReady { [weak self] in
      guard let self else { return }
      for task in change({ $0.readiness.answered() }) { task.settle(.success(())) }
      askForTasks()
    }
  }

  // MARK: The end

  /// Ends it with a failure. `true` for the first who ends it.
  @usableFromInline
  final func end(by error: any Error) -> Bool {
    guard !isDisposed else { return false }
    // Before it has ended: who finds that it has, finds why.
    change { $0.failure = error }
    return end()
  }

  /// Ends it with a completion. `true` for the first who ends it.
  @usableFromInline
  final func endCompleted() -> Bool {
    guard !isDisposed else { return false }
    flags.bitwiseOr(Self.completed, ordering: .relaxed)
    return end()
  }

  /// For those who wait when it ends.
  @inline(never)
  final func answerEnd() {
    let (tasks, early) = change { $0.readiness.end() }
    for task in tasks { task.settle(ending) }
    withExtendedLifetime(early) {}
  }

  /// What it has ended with, to those who wait.
  private final var ending: Result<Void, any Error> {
    let (failure, whyGone) = extras.withLock { ($0?.value.failure, $0?.value.whyGone) }
    if let failure { return .failure(failure) }
    let isCompleted = flags.load(ordering: .acquiring) & Self.completed != 0
    guard isCompleted else { return .failure(CancellationError()) }
    return whyGone.map { .failure($0) } ?? .success(())
  }

  /// As a source of another: what its own source said.
  public final var whyGone: (any Error)? { extras.withLock { $0?.value.whyGone } }
}
