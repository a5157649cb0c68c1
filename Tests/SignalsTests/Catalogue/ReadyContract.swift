import Signals
import SignalsTesting
import Testing

/// That readiness comes through every operator: generated scripts, walked over the whole catalogue.
@Suite(.timeLimit(.minutes(2))) struct ReadyContract {
  enum Step: CaseIterable { case next, pass, begin, fail, complete }

  @Test(arguments: Catalogue.operators)
  func `a subscription is ready when the sources that it has begun are`(entry: CatalogueEntry) {
    var faults: [String] = []
    for script in ScriptStep.sequences(of: Step.allCases, upTo: 3) {
      faults += Self.faults(entry, script).map { "\(script): \($0)" }
    }
    #expect(faults.isEmpty, "\(faults.prefix(3))")
  }

  private static func faults(_ entry: CatalogueEntry, _ script: [Step]) -> [String] {
    let (time, source) = (VirtualScheduler(), SlowBeginnings())
    let kit = Kit(time, silent: Subject())
    let subscription = entry.apply(source.signal, kit).subscribe()
    time.advance(by: .zero)
    defer { subscription.dispose() }
    var faults: [String] = []
    let early = Answer(subscription)
    if early.hasCome != (source.pending == 0), !subscription.isDisposed {
      faults.append("at once: \(early.hasCome)")
    }
    for (number, step) in script.enumerated() where !subscription.isDisposed {
      let waited = !early.hasCome
      source.perform(step, number)
      if step == .pass { time.advance(by: .seconds(1)) }
      time.advance(by: .zero)
      if subscription.isDisposed { break }
      // A retry that is due is what it waits for.
      let mayWait = source.pending > 0 || entry.declaration.hasPrefix("retry") && time.pendingCount > 0
      let late = Answer(subscription)
      if late.hasCome, source.pending > 0 { faults.append("step \(number): ready too early") }
      if !late.hasCome, !mayWait { faults.append("step \(number): never ready") }
      if waited, early.hasCome, !late.hasCome { faults.append("step \(number): told too early") }
      if !early.hasCome, late.hasCome { faults.append("step \(number): who asked early was not told") }
    }
    return faults
  }
}

/// Whether a subscription has said that it is ready.
private struct Answer {
  private let answers = CallCounter()

  init(_ subscription: Subscription) {
    subscription.whenReady { [answers] in answers.next() }
  }

  var hasCome: Bool { answers.count == 1 }
}

/// A source that takes time to begin: until it is told that it has.
final class SlowBeginnings: Sendable {
  private struct Run {
    let observer: Observer<Item>
    let readiness: Readiness
    var isReady = false
  }

  private let runs = Lock<[Run]>([])

  var signal: Signal<Item> {
    Signal { [self] observer in
      let readiness = Readiness()
      runs.withLock { $0.append(Run(observer: observer, readiness: readiness)) }
      return readiness
    }
  }

  /// How many runs are wanted and not ready.
  var pending: Int {
    runs.withLock { $0 }.count { !$0.isReady && !$0.observer.isDisposed }
  }

  func perform(_ step: ReadyContract.Step, _ number: Int) {
    if step == .begin { return begin() }
    for run in runs.withLock({ $0 }) {
      switch step {
      case .next: run.observer.send(Item(number))
      case .fail: run.observer.fail(Broken())
      case .complete: run.observer.complete()
      case .begin, .pass: break
      }
    }
  }

  /// All have begun.
  func begin() {
    let runs = runs.withLock { runs in
      for index in runs.indices { runs[index].isReady = true }
      return runs
    }
    for run in runs { run.readiness.succeed() }
  }
}
