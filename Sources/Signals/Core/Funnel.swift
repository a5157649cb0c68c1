internal import Synchronization

/// What a funnel does with its inputs, as a value type: no threads, no locks.
package protocol FunnelLogic: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// Handles one input; what it returns ends the stream.
  ///
  /// It may start and stop sources and timers of the funnel.
  mutating func receive(
    _ input: Input, _ downstream: Observer<Output>, _ funnel: Funnel<Self>
  ) -> End?

  /// While a handler is slow, an input takes the place of a waiting one of the same key, unless one without a key
  /// came between. Progress has a key, by its source; values and terminals have none. Where only one source delivers
  /// there is no need: it conflates by itself.
  static func conflationKey(of input: Input) -> Int?
}

extension FunnelLogic {
  package static func conflationKey(of input: Input) -> Int? { nil }
}

/// Brings what comes from several sides, at any time and from any thread, to one observer in one order.
///
/// The shell around a `FunnelLogic`. Its sources hold it, by their inlets; its subscriber holds only its sources, by
/// `sources`. So handlers are released at the terminal, at the disposal, and when all sources have let go.
package final class Funnel<Logic: FunnelLogic>: FunnelCloser, @unchecked Sendable {
  // Sound: `logic`, `downstream` and `startsSources` are touched only by the one who has the turn.
  private enum Item: Sendable {
    case input(Logic.Input)
    case close
  }

  private let turn = Turn()
  private let waiting = WaitingItems<Item>()
  private var logic: Logic?
  private var downstream: Observer<Logic.Output>?
  private var startsSources = false
  /// The downstream for those who ask whether it is disposed, from any thread.
  private let asked: Lock<Observer<Logic.Output>?>
  /// What the funnel starts and stops; the disposable of the subscriber.
  package let sources = FunnelSources()

  package init(_ logic: Logic, _ downstream: Observer<Logic.Output>) {
    self.logic = logic
    self.downstream = downstream
    asked = Lock(downstream)
    sources.closer.withLock { $0.closer = self }
  }

  package var isDisposed: Bool { asked.withLock { $0 }?.isDisposed ?? true }

  // MARK: Inputs

  package func receive(_ input: Logic.Input) {
    guard turn.tryEnter() else { return enqueue(input) }
    handle(input)
    if startsSources || !turn.leave() { goOn() }
  }

  private func enqueue(_ input: Logic.Input) {
    let key = Logic.conflationKey(of: input)
    let mine = waiting.add(.input(input), turn) { waiting in
      guard let key, case .input(let waiting) = waiting, let other = Logic.conflationKey(of: waiting)
      else { return .stop }
      return key == other ? .replace : .lookFurther
    }
    guard let mine else { return }
    handle(mine)
    goOn()
  }

  /// Handles what came meanwhile, with the turn, and gives it back.
  private func goOn() {
    while true {
      let next: Item?
      if startsSources {
        startsSources = false
        // Without the turn: what a source sends while it starts is delivered at once.
        waiting.pause(turn)
        sources.runStarts()
        next = waiting.resume(turn)
      } else {
        next = waiting.next(turn)
      }
      guard let next else { return }
      handle(next)
    }
  }

  private func handle(_ item: Item) {
    switch item {
    case .input(let input): handle(input)
    case .close: clear()
    }
  }

  private func handle(_ input: Logic.Input) {
    guard let downstream, !sources.isClosed else { return clear() }
    guard let end = logic?.receive(input, downstream, self) else { return }
    // A disposal that came first wins over the terminal.
    let isFirst = sources.close()
    clear()
    if isFirst { downstream.send(end: end) }
  }

  /// Lets go of what user code may have captured; not under a lock.
  private func clear() {
    startsSources = false
    logic = nil
    downstream = nil
    let asked = asked.withLock { $0.take() }
    _ = consume asked
  }

  func sourcesClosed() {
    if turn.tryEnter() {
      clear()
      if !turn.leave() { goOn() }
    } else if let mine = waiting.add(.close, turn) {
      handle(mine)
      goOn()
    }
  }

  // MARK: Sources and timers

  /// For the subscribing thread: subscribes source `key` to `signal` now, unless nobody listens any more.
  package func attach<Value>(
    _ key: Int, to signal: Signal<Value>, _ input: @escaping @Sendable (Event<Value>) -> Logic.Input
  ) {
    if !isDisposed { sources.start(key) { signal.attach(inlet(key, input)) } }
  }

  /// For the logic: starts a source once its input is handled. One after the other, so that sources which end while
  /// they start, however many, never nest.
  package func start(_ key: Int, _ start: @escaping () -> (any Disposable)?) {
    // A source that fails at once could be started for ever, for nobody.
    sources.demand(key) { [self] in isDisposed ? nil : start() }
    startsSources = true
  }

  /// For the logic: ends source or timer `key`, or forgets it when it has ended by itself.
  package func stop(_ key: Int) {
    if sources.stop(key) { startsSources = true }
  }

  /// For the logic: gives `input` to it after `delay`. It takes the place of an earlier source or timer of the same key.
  ///
  /// Whoever waits until the funnel is ready also waits for a timer that `startsSource`.
  package func schedule(
    _ key: Int, after delay: Duration, on scheduler: any Scheduler, startsSource: Bool = false,
    _ input: Logic.Input
  ) {
    let timer = scheduler.schedule(after: delay) { [self] in receive(input) }
    sources.set(key, startsSource ? CompoundDisposable([timer, Readiness()]) : timer)
  }

  /// An observer of source `key` whose events become inputs of the logic.
  package func inlet<Value>(
    _ key: Int, _ input: @escaping @Sendable (Event<Value>) -> Logic.Input
  ) -> Observer<Value> {
    FunnelInlet(self, key, input)
  }
}
