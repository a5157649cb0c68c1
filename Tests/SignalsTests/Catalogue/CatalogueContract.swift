import Signals
import Testing

/// What every operator keeps, whatever happens to it: generated scripts, walked over the whole catalogue.
@Suite(.timeLimit(.minutes(2))) struct CatalogueContract {
  /// When the source does what a script says.
  enum Moment: CaseIterable { case whileItStarts, later }

  /// How scripts end. The source goes on after its end, as careless sources do; nothing means a disposal.
  static let endings: [[ScriptStep]] = [
    [.complete, .next, .progress, .fail], [.fail, .next, .progress, .complete], [],
  ]

  @Test(arguments: Catalogue.operators, Moment.allCases)
  func `the grammar is kept, and after the end nothing comes and nothing is left`(
    entry: CatalogueEntry, moment: Moment
  ) {
    let length = moment == .later ? 3 : 2
    let faults = Self.walk(entry, moment, length) { $0 }
    #expect(faults.isEmpty, "\(faults.prefix(3))")
  }

  @Test(arguments: Catalogue.operators, Moment.allCases)
  func `the same when the end comes from behind, with the first event`(entry: CatalogueEntry, moment: Moment)
  {
    let faults = Self.walk(entry, moment, 2) { $0.materialize().take(1).map { "\($0)" } }
    #expect(faults.isEmpty, "\(faults.prefix(3))")
  }

  @Test(arguments: Catalogue.operators)
  func `a source without an end stops when enough has come`(entry: CatalogueEntry) {
    let bench = Bench(entry, endless: true) { $0.materialize().take(1).map { "\($0)" } }
    let listening = bench.listen()
    #expect((bench.sent < Bench.bound) != entry.has(.isDeaf))
    if !entry.has(.isDeaf), listening.hasEnded { #expect(bench.faults(afterEndOf: listening) == []) }
  }

  @Test(arguments: Catalogue.operators, [ScriptStep.complete, .fail])
  func `the terminal of the source comes out as it is documented`(entry: CatalogueEntry, terminal: ScriptStep)
  {
    var faults: [String] = []
    for body in ScriptStep.scripts(of: [.next, .progress, .pass], upTo: 2) {
      let bench = Bench(entry)
      let listening = bench.listen()
      bench.perform(body)
      if entry.has(.endsEarly), listening.hasEnded { continue }
      bench.perform(terminal)
      bench.settle()
      let expected: [Bool?] =
        switch terminal == .fail ? entry.onFailure : entry.onCompletion {
        case .failed: [true]
        case .completed: [false]
        case .nothing: [nil]
        case .depends: [true, false, nil]
        }
      let log = listening.log
      let end = listening.hasEnded ? log.last?.hasPrefix("failed") : nil
      if !expected.contains(end) { faults.append("\(body): \(log)") }
    }
    #expect(faults.isEmpty, "\(faults.prefix(3))")
  }

  // MARK: The walk

  private static func walk(
    _ entry: CatalogueEntry, _ moment: Moment, _ length: Int, wrap: (Signal<String>) -> Signal<String>
  ) -> [String] {
    var faults: [String] = []
    for body in ScriptStep.scripts(of: [.next, .progress, .pass], upTo: length) {
      for ending in endings {
        let script = body + ending
        for fault in run(entry, moment, script, endsByDisposal: ending.isEmpty, wrap: wrap) {
          faults.append("\(script): \(fault)")
        }
      }
    }
    return faults
  }

  private static func run(
    _ entry: CatalogueEntry, _ moment: Moment, _ script: [ScriptStep], endsByDisposal: Bool,
    wrap: (Signal<String>) -> Signal<String>
  ) -> [String] {
    let bench = Bench(entry, start: moment == .later ? [] : script, wrap)
    let listening = bench.listen()
    if moment == .later {
      for step in script where !listening.hasEnded { bench.perform(step) }
    }
    if !endsByDisposal, !listening.hasEnded { bench.settle() }
    if !listening.hasEnded { listening.subscription.dispose() }
    var faults = bench.faults(afterEndOf: listening)
    let log = listening.log
    bench.perform([.next, .progress, .pass, .fail, .complete])
    bench.settle()
    if listening.log != log { faults.append("after the end came \(listening.log.dropFirst(log.count))") }
    return faults + bench.faults(afterEndOf: listening)
  }
}
