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
    /// Of those that were disposed when it closed, what takes its time to stop.
    var stopping: [any Disposable] = []
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
        guard !state.isClosed, state.starting?.isStopped == false else { return true }
        // From here on `stop` finds it.
        if let source { state.running[next.key] = source }
        return false
      }
      if isLate, let source { disposeLate(source) }
    }
  }

  // MARK: Stopping

  func stop(_ key: Int) {
    let stopped = state.withLock { state -> (any Disposable)? in
      if state.starting?.key == key { state.starting?.isStopped = true }
      return state.running.removeValue(forKey: key)
    }
    stopped?.dispose()
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
    disposeAll(state.withLock { $0.stopping }, whenStopped: stopped)
  }

  package var isStopping: Bool { state.withLock { $0.stopping }.contains { $0.isStopping } }

  private func sayClosed() {
    let closer = closer.withLock { $0.closer }
    closer?.sourcesClosed()
  }

  /// `true` for the first who closes.
  @discardableResult
  func close() -> Bool {
    guard let running = takeAll() else { return false }
    let slow = disposeAll(running)
    if !slow.isEmpty { state.withLock { $0.stopping += slow } }
    return true
  }

  /// Ends a source that was stopped before its start had returned.
  private func disposeLate(_ source: any Disposable) {
    source.dispose()
    // Whoever waits for the whole waits for this one too.
    if source.isStopping { state.withLock { if $0.isClosed { $0.stopping.append(source) } } }
  }

  private func takeAll() -> [any Disposable]? {
    let (running, starts) = state.withLock { state in
      let taken = state.isClosed ? nil : state.running.sorted { $0.key < $1.key }.map(\.value)
      let starts = state.starts
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
