import Signals
import SignalsTesting
import Testing

/// What every operator keeps for several subscriptions, and for a handler that sends.
@Suite(.timeLimit(.minutes(2))) struct IndependenceContract {
  /// What one subscription alone gets of a script; each is played once.
  private struct Expected {
    let entry: CatalogueEntry
    private var logs: [[ScriptStep]: [String]] = [:]

    init(_ entry: CatalogueEntry) { self.entry = entry }

    mutating func log(_ script: [ScriptStep]) -> [String] {
      if let log = logs[script] { return log }
      let log = IndependenceContract.log(of: entry, script)
      logs[script] = log
      return log
    }
  }

  private static func log(
    of entry: CatalogueEntry, _ script: [ScriptStep], start: [ScriptStep] = []
  ) -> [String] {
    let bench = Bench(entry, start: start)
    let listening = bench.listen()
    bench.perform(script)
    bench.settle()
    listening.subscription.dispose()
    return listening.log
  }

  @Test(arguments: Catalogue.operators)
  func `a second subscription of the same signal is like the first`(entry: CatalogueEntry) {
    // A run that stays for who comes later is not repeated.
    if entry.has(.keepsValues) { return }
    for body in ScriptStep.scripts(of: [.next, .progress, .pass], upTo: 2) {
      for start in [[], body] {
        let script = start.isEmpty ? body + [.complete] : [.complete]
        let bench = Bench(entry, start: start)
        var logs: [[String]] = []
        for _ in 0..<2 {
          bench.restartScript()
          let listening = bench.listen()
          bench.perform(script)
          bench.settle()
          listening.subscription.dispose()
          bench.time.advance(by: entry.linger)
          logs.append(listening.log)
        }
        if logs[0] != logs[1] { Issue.record("\(start) \(script): \(logs[0]), then \(logs[1])") }
      }
    }
  }

  @Test(arguments: Catalogue.operators.filter { !$0.has(.startsFirst) })
  func `a source that sends while it starts is heard like one that sends later`(entry: CatalogueEntry) {
    for body in ScriptStep.scripts(of: [.next, .progress], upTo: 3) {
      for script in [body + [.complete], body + [.fail]] {
        let (early, late) = (Self.log(of: entry, [], start: script), Self.log(of: entry, script))
        if early != late { Issue.record("\(script): \(early), later \(late)") }
      }
    }
  }

  @Test(arguments: Catalogue.operators)
  func `two subscriptions at a time share no state, also when one comes later`(entry: CatalogueEntry) {
    var expected = Expected(entry)
    for body in ScriptStep.scripts(of: [.next, .progress, .pass], upTo: 2) {
      for count in 0...(entry.has(.isShared) ? 0 : body.count) {
        let (head, tail) = (Array(body.prefix(count)), body.dropFirst(count) + [.complete])
        let bench = Bench(entry)
        let first = bench.listen()
        bench.perform(head)
        bench.restartScript()
        let second = bench.listen()
        bench.perform(Array(tail))
        bench.settle()
        let log = expected.log(Array(tail))
        if second.log != log { Issue.record("\(tail) after \(head): \(second.log), not \(log)") }
        if head.isEmpty, first.log != log { Issue.record("\(tail): \(first.log), not \(log)") }
      }
    }
  }

  @Test(arguments: Catalogue.operators)
  func `what a handler sends comes after what it handles`(entry: CatalogueEntry) {
    var expected = Expected(entry)
    for body in ScriptStep.scripts(of: [.next, .progress], upTo: 2) {
      let script = body + [.complete]
      for number in expected.log(script).indices {
        for extra in [ScriptStep.next, .progress, .complete] {
          guard let (log, position) = Self.send(extra, inside: number, of: script, entry) else { continue }
          var flat = script
          flat.insert(extra, at: position)
          if log != expected.log(flat) {
            Issue.record("\(body), \(extra) inside event \(number): \(log), not \(expected.log(flat))")
          }
        }
      }
    }
  }

  /// What comes out when a handler sends, and behind which step it did; `nil` when nobody was there to be sent into.
  private static func send(
    _ extra: ScriptStep, inside number: Int, of script: [ScriptStep], _ entry: CatalogueEntry
  ) -> (log: [String], position: Int)? {
    let bench = Bench(entry)
    let position = Lock(0)
    let step = Lock(0)
    let listening = bench.listen {
      guard $0 == number, bench.runs.wanted == 1 else { return }
      let current = step.withLock { $0 }
      position.withLock { $0 = current }
      bench.perform(extra)
    }
    // To several runs at once the source sends one after the other: that is not one event.
    guard bench.runs.wanted == 1 else { return nil }
    for next in script {
      step.withLock { $0 += 1 }
      bench.perform(next)
    }
    bench.settle()
    listening.subscription.dispose()
    let found = position.withLock { $0 }
    return found > 0 ? (listening.log, found) : nil
  }
}
