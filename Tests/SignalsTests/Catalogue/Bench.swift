import Signals
import SignalsTesting

/// One pipeline under test: a source that does what a script says, an operator, and the time.
final class Bench: Sendable {
  /// What the start closure of the source captures.
  private final class Probe: Sendable {}

  /// What the user holds, until `letGoOfSignal`.
  private struct Held {
    var signal: Signal<String>?
    weak var probe: Probe?
    weak var kit: Kit?
    /// How much of each was sent.
    var values = 0
    var updates = 0
    /// What the source does when a subscription starts it: only the first time, or a retry would go on for ever.
    var start: [ScriptStep] = []
  }

  let entry: CatalogueEntry
  let time = VirtualScheduler()
  let runs = Runs()
  let population = Population()
  /// What `GrammarSpy` has to say.
  private let spied = History()
  private let silent = Subject<Item>()
  private let start: [ScriptStep]
  private let held = Lock(Held())

  /// `start` is what the source does while it starts.
  init(
    _ entry: CatalogueEntry, start: [ScriptStep] = [], endless: Bool = false,
    _ wrap: (Signal<String>) -> Signal<String> = { $0 }
  ) {
    self.entry = entry
    self.start = start
    let (probe, kit) = (Probe(), Kit(time, silent: silent))
    let source = Signal<Item> { [weak self, runs, probe] observer in
      let run = withExtendedLifetime(probe) { runs.start(observer) }
      for step in self?.takeStart() ?? [] { self?.perform(step, [observer]) }
      while endless, !observer.isDisposed, self?.sent ?? .max < Self.bound {
        self?.perform(.progress, [observer])
        self?.perform(.next, [observer])
      }
      return run
    }
    let applied = entry.apply(source, kit)
    let signal = wrap(
      .attaching { [runs, spied] in applied.attach(GrammarSpy($0, runs, spied)) })
    held.withLock { held in
      held.signal = signal
      held.probe = probe
      held.kit = kit
    }
  }

  /// What a source without an end sends at most, if nobody ends it.
  static let bound = 100
  var sent: Int { held.withLock { $0.values } }

  // MARK: Events

  func perform(_ step: ScriptStep) { perform(step, runs.observers) }

  func perform(_ script: [ScriptStep]) { for step in script { perform(step) } }

  private func perform(_ step: ScriptStep, _ observers: [Observer<Item>]) {
    switch step {
    case .next:
      let value = Item(nextNumber(), population)
      for observer in observers { observer.send(value) }
    case .progress:
      let update = nextUpdate()
      for observer in observers { observer.send(progress: update) }
    case .fail: for observer in observers { observer.fail(Broken()) }
    case .complete: for observer in observers { observer.complete() }
    case .pass: time.advance(by: .seconds(1))
    }
  }

  /// Fractions that rise and fall, all of which a `Double` can hold exactly.
  static let fractions = [0.5, 0.25, 0.75, 0.875, 0.125]

  private func nextNumber() -> Int {
    held.withLock {
      $0.values += 1
      return $0.values
    }
  }

  private func nextUpdate() -> ProgressUpdate {
    held.withLock {
      $0.updates += 1
      return ProgressUpdate(fraction: Self.fractions[($0.updates - 1) % Self.fractions.count])
    }
  }

  /// The numbers begin anew: for another subscription.
  func restartScript() {
    held.withLock { held in
      held.values = 0
      held.updates = 0
    }
  }

  /// Whatever waits for its time comes out.
  func settle() { time.advance(by: .seconds(3)) }

  private func takeStart() -> [ScriptStep] {
    held.withLock { held in
      defer { held.start = [] }
      return held.start
    }
  }

  // MARK: Listening

  /// Subscribes; `handling` is run inside each handler, with the number of the event from 0 on.
  ///
  /// Work that is due at once is done, unless time stands still: the start of a source, for example.
  func listen(timeStandsStill: Bool = false, _ handling: @escaping @Sendable (Int) -> Void = { _ in })
    -> Listening
  {
    let listener = Listener(handling)
    let signal = held.withLock {
      $0.start = start
      return $0.signal
    }
    let subscription = signal?.subscribe {
      listener.receive("next(\($0))")
    } progress: {
      listener.receive(ProgressRow.text($0))
    } failed: {
      listener.receive("failed(\($0))")
    } completed: {
      listener.receive("completed")
    }
    if !timeStandsStill { time.advance(by: .zero) }
    return Listening(subscription ?? Subscription.ended, listener)
  }

  /// Subscribes to progress alone.
  func listenToProgress(_ handler: @escaping @Sendable (ProgressUpdate) -> Void) -> Subscription {
    let signal = held.withLock { $0.signal }
    return signal?.subscribe(progress: handler) ?? Subscription.ended
  }

  // MARK: What is left

  func letGoOfSignal() {
    let signal = held.withLock { $0.signal.take() }
    _ = consume signal
  }

  var isSourceGone: Bool { held.withLock { $0.probe == nil } }
  var areClosuresGone: Bool { held.withLock { $0.kit == nil } }

  /// What is wrong after the end of a subscription that the user still holds, like the signal.
  func faults(afterEndOf listening: Listening) -> [String] {
    var faults = listening.grammarFaults + spied.log
    if entry.linger > .zero { time.advance(by: entry.linger) }
    if listening.listener != nil { faults.append("the handlers are kept") }
    if time.pendingCount > 0 { faults.append("\(time.pendingCount) timers are pending") }
    let stops = runs.stops
    if !stops.allSatisfy({ $0 == 1 }) { faults.append("the runs of the source were stopped \(stops) times") }
    if runs.wanted > 0 { faults.append("the source is not told that nobody listens") }
    let kept = population.count.withLock { $0 }
    if kept > 0, !entry.has(.keepsValues) { faults.append("\(kept) values are kept") }
    return faults
  }
}

extension Subscription {
  fileprivate static var ended: Subscription { Signal<Int>.empty.subscribe() }
}
