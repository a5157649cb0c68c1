internal import Synchronization

/// A funnel, to its sources.
protocol FunnelCloser: AnyObject, Sendable {
  /// The subscriber has disposed the sources: let go of it.
  func sourcesClosed()
}

/// The sources and timers of a funnel, and what starts them: the funnel's disposable.
///
/// Sources that the logic demands are started one after the other by whoever is at it: one that ends while it starts,
/// and so demands the next, returns first. So a chain of sources that end at once needs no stack.
package final class FunnelSources: Disposable {
  struct Closer: Sendable {
    weak var closer: (any FunnelCloser)?
  }

  private typealias Start = (key: Int, start: () -> (any Disposable)?)

  private struct State: @unchecked Sendable {
    // Sound: only under the lock; a start closure leaves it once, to the one who runs the starts.
    var isClosed = false
    /// Of those that are being disposed or were, what may not have stopped yet.
    var stopping = StoppingDisposables()
    /// What runs or is being started.
    var running: [Int: any Disposable] = [:]
    var demanded = Ring<Start>()
    var isRunningStarts = false
    /// Who wants to know when it is ready.
    var waiters = ReadyWaiters()
    /// What the sources said when they were stopped, unless others took their place.
    var whyGone: (any Error)?

    /// From here on `key` can be stopped: the link waits for the start to return. `nil`: it is too late.
    mutating func begin(_ key: Int) -> Subscription? {
      guard !isClosed else { return nil }
      let link = Subscription()
      running[key] = link
      whyGone = nil
      return link
    }
  }

  /// What a closed funnel lets go of.
  private struct Left {
    let demanded: Ring<Start>
    let waiters: ReadyWaiters
  }

  let closer = Lock(Closer())
  private let state = Lock(State())
  private let closed = Atomic(false)

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: Starting

  /// Starts a source now.
  func start(_ key: Int, _ start: () -> (any Disposable)?) {
    if let link = state.withLock({ $0.begin(key) }) { link.attach(start()) }
  }

  /// Leaves a source for `runStarts`.
  func demand(_ key: Int, _ start: @escaping () -> (any Disposable)?) {
    state.withLock { if !$0.isClosed { $0.demanded.append((key, start)) } }
  }

  /// Starts what was demanded, unless somebody is at it. Who wants to know when all is ready asks after that.
  func runStarts() {
    var isMine = false
    while true {
      let (next, link, asking) = state.withLock { state -> (Start?, Subscription?, [ReadyWaiters.Action]) in
        guard isMine || !state.isRunningStarts else { return (nil, nil, []) }
        let next = state.demanded.popFirst()
        isMine = next != nil
        state.isRunningStarts = isMine
        return (next, next.flatMap { state.begin($0.key) }, isMine ? [] : state.waiters.takeAside())
      }
      guard let next else {
        for action in asking { whenReady(action) }
        return
      }
      if let link { link.attach(next.start()) }
    }
  }

  /// Whether source `key` was started and not stopped.
  func isWanted(_ key: Int) -> Bool {
    state.withLock { $0.running[key] != nil }
  }

  /// Runs `action` when all sources that run or were demanded are live.
  package func whenReady(_ action: @escaping @Sendable () -> Void) {
    let (sources, number) = state.withLock { state -> ([any Disposable], Int?) in
      if state.isClosed { return ([], nil) }
      guard state.demanded.isEmpty, !state.isRunningStarts else {
        state.waiters.putAside(action)
        return ([], nil)
      }
      let sources = Array(state.running.values)
      return (sources, sources.isEmpty ? 0 : state.waiters.wait(for: sources, action))
    }
    guard let number else { return }
    if sources.isEmpty { return action() }
    for source in sources {
      source.whenReady { [self] in
        let last = state.withLock { $0.waiters.isReady(source, for: number) }
        last?()
      }
    }
  }

  // MARK: Stopping

  /// `true`: somebody waited for this source to be live; `runStarts` has to be called.
  func stop(_ key: Int) -> Bool {
    let (stopped, demanded, isAwaited) = state.withLock { state -> ((any Disposable)?, Start?, Bool) in
      if let running = state.running.removeValue(forKey: key) {
        state.stopping.add(running)
        state.waiters.stopped(running)
        return (running, nil, state.waiters.hasAside)
      }
      return (nil, state.demanded.removeFirst { $0.key == key }, state.waiters.hasAside)
    }
    if let stopped { dispose(stopped) }
    _ = consume demanded
    return isAwaited
  }

  /// Takes a timer in the place of an earlier one of the same key.
  func set(_ key: Int, _ timer: any Disposable) {
    let old = state.withLock { state in
      state.isClosed ? timer : state.running.updateValue(timer, forKey: key)
    }
    old?.dispose()
  }

  package func dispose() {
    close()
    let closer = closer.withLock { $0.closer }
    closer?.sourcesClosed()
  }

  package func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    disposeAll(state.withLock { $0.stopping.all }, whenStopped: stopped)
  }

  package var whyGone: (any Error)? { state.withLock { $0.whyGone } }

  package var isStopping: Bool { state.withLock { $0.stopping.all }.contains { $0.isStopping } }

  /// Disposes one of those in `stopping`.
  private func dispose(_ source: any Disposable) {
    source.dispose { [self] in state.withLock { $0.stopping.remove(source) } }
    if let reason = source.whyGone { state.withLock { $0.whyGone = reason } }
  }

  /// `true` for the first who closes.
  @discardableResult
  func close() -> Bool {
    let (isFirst, running, left) = state.withLock { state -> (Bool, [any Disposable], Left?) in
      guard !state.isClosed else { return (false, [], nil) }
      let running = state.running.sorted { $0.key < $1.key }.map(\.value)
      let left = Left(demanded: state.demanded, waiters: state.waiters)
      for source in running { state.stopping.add(source) }
      state.isClosed = true
      state.running = [:]
      state.demanded = Ring()
      state.waiters = ReadyWaiters()
      return (true, running, left)
    }
    closed.store(true, ordering: .releasing)
    _ = consume left
    for source in running { dispose(source) }
    return isFirst
  }
}
