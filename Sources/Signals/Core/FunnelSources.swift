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

    /// From here on `key` can be stopped: the link waits for the start to return. `nil`: it is too late.
    mutating func begin(_ key: Int) -> Subscription? {
      guard !isClosed else { return nil }
      let link = Subscription()
      running[key] = link
      return link
    }
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

  /// Starts what was demanded, unless somebody is at it.
  func runStarts() {
    var isMine = false
    while true {
      let (next, link) = state.withLock { state -> (Start?, Subscription?) in
        guard isMine || !state.isRunningStarts else { return (nil, nil) }
        let next = state.demanded.popFirst()
        isMine = next != nil
        state.isRunningStarts = isMine
        return (next, next.flatMap { state.begin($0.key) })
      }
      guard let next else { return }
      if let link { link.attach(next.start()) }
    }
  }

  /// Whether source `key` was started and not stopped.
  func isWanted(_ key: Int) -> Bool {
    state.withLock { $0.running[key] != nil }
  }

  // MARK: Stopping

  func stop(_ key: Int) {
    let (stopped, demanded) = state.withLock { state -> ((any Disposable)?, Start?) in
      if let running = state.running.removeValue(forKey: key) {
        state.stopping.add(running)
        return (running, nil)
      }
      return (nil, state.demanded.removeFirst { $0.key == key })
    }
    if let stopped { dispose(stopped) }
    _ = consume demanded
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

  package var isStopping: Bool { state.withLock { $0.stopping.all }.contains { $0.isStopping } }

  /// Disposes one of those in `stopping`.
  private func dispose(_ source: any Disposable) {
    source.dispose { [self] in state.withLock { $0.stopping.remove(source) } }
  }

  /// `true` for the first who closes.
  @discardableResult
  func close() -> Bool {
    let (isFirst, running, demanded) = state.withLock { state -> (Bool, [any Disposable], Ring<Start>) in
      guard !state.isClosed else { return (false, [], Ring()) }
      let running = state.running.sorted { $0.key < $1.key }.map(\.value)
      let demanded = state.demanded
      for source in running { state.stopping.add(source) }
      state.isClosed = true
      state.running = [:]
      state.demanded = Ring()
      return (true, running, demanded)
    }
    closed.store(true, ordering: .releasing)
    _ = consume demanded
    for source in running { dispose(source) }
    return isFirst
  }
}
