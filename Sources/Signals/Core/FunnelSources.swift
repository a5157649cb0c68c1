internal import Synchronization

/// A funnel, to its sources.
protocol FunnelCloser: AnyObject, Sendable {
  /// The subscriber has disposed the sources: let go of it.
  func sourcesClosed()
}

/// The sources and timers of a funnel, and what starts them: the funnel's disposable.
///
/// Sources are started one after the other by whoever is at it: a source that demands another one while it starts
/// finds that somebody is, and returns first. So a chain of sources that end at once needs no stack.
package final class FunnelSources: Disposable, @unchecked Sendable {
  // Sound: all under the lock; start closures are called by the one who runs the starts.
  struct Closer: Sendable {
    weak var closer: (any FunnelCloser)?
  }

  private struct State: @unchecked Sendable {
    // Sound: the closures leave the lock one at a time.
    var isClosed = false
    /// Of those that are being disposed or were, what may not have stopped yet.
    var stopping = StoppingDisposables()
    var running: [Int: any Disposable] = [:]
    var starts = Ring<(key: Int, start: () -> (any Disposable)?)>()
    /// The key of the source that is being started; `isStopped` once it was stopped or ended meanwhile.
    var starting: (key: Int, isStopped: Bool)?
  }

  let closer = Lock(Closer())
  private let state = Lock(State())
  private let closed = Atomic(false)

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: Starting

  func addStart(_ key: Int, _ start: @escaping () -> (any Disposable)?) {
    state.withLock { if !$0.isClosed { $0.starts.append((key, start)) } }
  }

  func runStarts() {
    var isRunning = false
    while true {
      let next = state.withLock { state -> (key: Int, start: () -> (any Disposable)?)? in
        guard isRunning || state.starting == nil else { return nil }
        guard let next = state.starts.popFirst() else {
          state.starting = nil
          return nil
        }
        state.starting = (next.key, false)
        return next
      }
      guard let next else { return }
      isRunning = true
      let source = next.start()
      let isLate = state.withLock { state in
        guard let source else { return false }
        if state.isClosed || state.starting?.isStopped != false {
          state.stopping.add(source)
          return true
        }
        // From here on `stop` finds it.
        state.running[next.key] = source
        return false
      }
      if isLate, let source { dispose(source) }
    }
  }

  // MARK: Stopping

  func stop(_ key: Int) {
    let stopped = state.withLock { state -> (any Disposable)? in
      if state.starting?.key == key { state.starting?.isStopped = true }
      let stopped = state.running.removeValue(forKey: key)
      if let stopped { state.stopping.add(stopped) }
      return stopped
    }
    if let stopped { dispose(stopped) }
  }

  /// Disposes one of those in `stopping`.
  private func dispose(_ source: any Disposable) {
    source.dispose { [self] in state.withLock { $0.stopping.remove(source) } }
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
    sayClosed()
  }

  package func dispose(whenStopped stopped: @escaping @Sendable () -> Void) {
    dispose()
    disposeAll(state.withLock { $0.stopping.all }, whenStopped: stopped)
  }

  package var isStopping: Bool { state.withLock { $0.stopping.all }.contains { $0.isStopping } }

  private func sayClosed() {
    let closer = closer.withLock { $0.closer }
    closer?.sourcesClosed()
  }

  /// `true` for the first who closes.
  @discardableResult
  func close() -> Bool {
    guard let running = takeAll() else { return false }
    for source in running { dispose(source) }
    return true
  }

  private func takeAll() -> [any Disposable]? {
    let (running, starts) = state.withLock { state in
      let taken = state.isClosed ? nil : state.running.sorted { $0.key < $1.key }.map(\.value)
      let starts = state.starts
      for source in taken ?? [] { state.stopping.add(source) }
      state.isClosed = true
      state.running = [:]
      state.starts = Ring()
      return (taken, starts)
    }
    closed.store(true, ordering: .releasing)
    _ = consume starts
    return running
  }
}
