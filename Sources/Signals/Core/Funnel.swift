/// What a funnel does with its inputs, as a value type: no threads, no locks.
package protocol FunnelLogic: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// Handles one input; what it returns ends the stream.
  mutating func receive(_ input: Input, _ downstream: Observer<Output>) -> End?
}

/// Brings what comes from several sides, at any time and from any thread, to one observer in one order.
///
/// The shell around a `FunnelLogic`: a drain loop, the disposables of the sources, and the release of all of it at
/// the terminal or the disposal.
package final class Funnel<Logic: FunnelLogic>: Disposable, @unchecked Sendable {
  // Sound: `logic` is touched only by the one who drains or, when nobody does, by the one who closed; everything
  // else is under the lock.
  private struct State {
    var queue = DrainQueue<Logic.Input>()
    /// `nil` once closed: nothing is accepted any more.
    var downstream: Observer<Logic.Output>?
    var sources: [any Disposable] = []

    mutating func step() -> Step {
      guard let downstream else { return .closed }
      guard let input = queue.next() else { return .idle }
      return .handle(input, downstream)
    }
  }

  private enum Step {
    case handle(Logic.Input, Observer<Logic.Output>)
    case idle
    case closed
  }

  private let state: Lock<State>
  private var logic: Logic?

  package init(_ logic: Logic, _ downstream: Observer<Logic.Output>) {
    self.logic = logic
    state = Lock(State(downstream: downstream))
  }

  /// Makes a funnel whose logic sends into it later on: hold the funnel weakly there.
  package init(_ downstream: Observer<Logic.Output>, _ makeLogic: (Funnel) -> Logic) {
    state = Lock(State(downstream: downstream))
    logic = makeLogic(self)
  }

  package var isDisposed: Bool { state.withLock { $0.downstream }?.isDisposed ?? true }

  /// Adds what ends a source; disposed at once when the funnel is closed already.
  package func add(_ source: (any Disposable)?) {
    guard let source else { return }
    let isLate = state.withLock { state in
      if state.downstream != nil { state.sources.append(source) }
      return state.downstream == nil
    }
    if isLate { source.dispose() }
  }

  package func receive(_ input: Logic.Input) {
    let mine = state.withLock { state in
      state.downstream.flatMap { state.queue.enter(input) ? $0 : nil }
    }
    guard var downstream = mine else { return }
    var input = input
    while true {
      if let end = logic?.receive(input, downstream) {
        // A disposal that came first wins over the terminal.
        let isFirst = close()
        clear()
        if isFirst { downstream.send(end: end) }
        return
      }
      switch state.withLock({ $0.step() }) {
      case .handle(let next, let observer): (input, downstream) = (next, observer)
      case .idle: return
      case .closed: return clear()
      }
    }
  }

  /// Lets go of what is left, outside the lock: for the one who drains a closed funnel.
  private func clear() {
    logic = nil
    let left = state.withLock { state in
      let left = state.queue.waiting
      state.queue.waiting = Ring()
      return left
    }
    _ = consume left
  }

  package func dispose() { close() }

  /// `true` for the first who closes. Ends the sources outside the lock.
  @discardableResult
  private func close() -> Bool {
    let (downstream, sources, isIdle) = state.withLock { state in
      defer { state.sources = [] }
      return (state.downstream.take(), state.sources, !state.queue.isDraining)
    }
    guard downstream != nil else { return false }
    if isIdle { logic = nil }
    for source in sources { source.dispose() }
    return true
  }
}
