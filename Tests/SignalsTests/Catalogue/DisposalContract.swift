import Signals
import SignalsTesting
import Testing

/// What every operator keeps when a handler ends the subscription, and when the source is gone.
@Suite(.timeLimit(.minutes(2))) struct DisposalContract {
  @Test(arguments: Catalogue.operators)
  func `a disposal inside a handler, at any event, is the last that is heard`(entry: CatalogueEntry) {
    var faults: [String] = []
    for body in ScriptStep.scripts(of: [.next, .progress, .pass], upTo: 2) {
      for script in [body + [.complete], body + [.fail]] {
        let undisturbed = Self.run(entry, script, disposingAt: nil)
        for number in undisturbed.log.indices {
          let run = Self.run(entry, script, disposingAt: number)
          // What comes while it is subscribed comes before there is a subscription to dispose.
          let count = max(number + 1, run.early)
          if run.log != Array(undisturbed.log.prefix(count)) {
            faults.append("\(script), disposed at event \(number): \(run.log) of \(undisturbed.log)")
          }
          faults += run.faults.map { "\(script), disposed at event \(number): \($0)" }
        }
      }
    }
    #expect(faults.isEmpty, "\(faults.prefix(3))")
  }

  @Test(arguments: Catalogue.operators)
  func `a disposal right behind the subscription leaves nothing`(entry: CatalogueEntry) {
    let bench = Bench(entry)
    let listening = bench.listen(timeStandsStill: true)
    let log = listening.log
    listening.subscription.dispose()
    #expect(bench.faults(afterEndOf: listening) == [])
    bench.settle()
    bench.perform([.next, .progress, .complete])
    #expect(listening.log == log)
    #expect(bench.faults(afterEndOf: listening) == [])
  }

  private static func run(
    _ entry: CatalogueEntry, _ script: [ScriptStep], disposingAt number: Int?
  ) -> (log: [String], early: Int, faults: [String]) {
    let bench = Bench(entry)
    let remote = Remote()
    let listening = bench.listen { if $0 == number { remote.dispose() } }
    let early = listening.log.count
    remote.connect(listening.subscription)
    bench.perform(script)
    bench.settle()
    listening.subscription.dispose()
    return (listening.log, early, bench.faults(afterEndOf: listening))
  }

  enum Ending: CaseIterable { case dispose, complete, fail, loseSource }

  @Test(arguments: Catalogue.operators, Ending.allCases)
  func `handlers, closures, the source and values are gone after the end, while the subscription is held`(
    entry: CatalogueEntry, ending: Ending
  ) {
    // A shared run goes on until somebody stops it, and something else that is still there may send.
    if ending == .loseSource, entry.has(.outlivesSource) { return }
    for body in [[], [.next], [.next, .next, .progress, .next], [.next, .progress, .pass]] as [[ScriptStep]] {
      let bench = Bench(entry)
      let listening = bench.listen()
      bench.letGoOfSignal()
      bench.perform(body)
      switch ending {
      case .dispose: listening.subscription.dispose()
      case .complete: bench.perform(.complete)
      case .fail: bench.perform(.fail)
      case .loseSource: bench.runs.letGo()
      }
      bench.time.advance(by: ending == .loseSource ? .seconds(10) : .seconds(3))
      if ending != .loseSource { listening.subscription.dispose() }
      if entry.linger > .zero { bench.time.advance(by: entry.linger) }
      #expect(listening.listener == nil, "the handlers are kept after \(body)")
      let mayKeepClosure = ending == .loseSource && entry.has(.keepsClosure)
      #expect(bench.areClosuresGone || mayKeepClosure, "what was given to the operator is kept after \(body)")
      #expect(bench.isSourceGone, "the source is kept after \(body)")
      #expect(bench.population.count.withLock { $0 } == 0, "values are kept after \(body)")
      #expect(bench.time.pendingCount == 0)
    }
  }
}
