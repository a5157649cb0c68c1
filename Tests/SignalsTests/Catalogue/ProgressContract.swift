import Signals
import Testing

/// That every operator does with progress what its row of the table says.
@Suite(.timeLimit(.minutes(2))) struct ProgressContract {
  private static let scripts = ScriptStep.scripts(of: [.next, .progress], upTo: 4).flatMap {
    [$0 + [.complete], $0 + [.fail]]
  }

  /// What came out at each step.
  private static func steps(_ entry: CatalogueEntry, _ script: [ScriptStep]) -> [[String]] {
    let bench = Bench(entry)
    let listening = bench.listen()
    var seen = listening.log.count
    defer { listening.subscription.dispose() }
    return script.map { step in
      bench.perform(step)
      if entry.row.takesTime { bench.perform(.pass) }
      let log = listening.log
      defer { seen = log.count }
      return Array(log[seen...])
    }
  }

  private static func isProgress(_ event: String) -> Bool { event.hasPrefix("progress") }

  @Test(arguments: Catalogue.operators.filter(\.hasRow))
  func `progress comes out as the row says, in its place between the values`(entry: CatalogueEntry) {
    for script in Self.scripts {
      var withoutProgress = Self.steps(entry, script.filter { $0 != .progress })[...]
      var (highest, count) = (0.0, 0)
      var hasEnded = Bench(entry).listen().hasEnded
      var expected: [[String]] = []
      for step in script {
        guard step == .progress else {
          var events = withoutProgress.removeFirst()
          // Completions that are expected are told also when nobody sends progress.
          if entry.row.addsCompletions { events.removeAll(where: Self.isProgress) }
          hasEnded = hasEnded || events.contains(where: Listening.isTerminal)
          expected.append(events)
          continue
        }
        let fraction = Bench.fractions[count % Bench.fractions.count]
        count += 1
        highest = max(highest, fraction)
        expected.append(
          hasEnded ? [] : entry.row.expected(ProgressUpdate(fraction: fraction), highest: highest))
      }
      var found = Self.steps(entry, script)
      if entry.row.addsCompletions, let last = found.popLast() {
        found.append(last.filter { !Self.isProgress($0) })
      }
      if found != expected { Issue.record("\(script): \(found), not \(expected)") }
    }
  }

  @Test(arguments: Catalogue.operators.filter(\.row.addsCompletions))
  func `the progress of several sources never falls and ends in full where all have completed`(
    entry: CatalogueEntry
  ) {
    for script in Self.scripts {
      let bench = Bench(entry)
      let updates = Lock<[ProgressUpdate]>([])
      let subscription = bench.listenToProgress { update in updates.withLock { $0.append(update) } }
      bench.perform(script)
      bench.settle()
      subscription.dispose()
      let fractions = updates.withLock { $0 }.map { $0.fraction ?? 0 }
      if fractions != fractions.sorted() || fractions.contains(where: { $0 > 1 }) {
        Issue.record("\(script): \(fractions)")
      }
    }
  }

  @Test(arguments: Catalogue.operators.filter(\.row.takesTime))
  func `progress that waits gives way to newer progress only, and the last comes before the terminal`(
    entry: CatalogueEntry
  ) {
    for script in Self.scripts {
      let bench = Bench(entry)
      let listening = bench.listen()
      bench.perform(script)
      bench.settle()
      let sent = script.filter { $0 == .progress }.indices.map {
        ProgressRow.text(ProgressUpdate(fraction: Bench.fractions[$0]))
      }
      let found = listening.log.filter(Self.isProgress)
      if found.last != sent.last || !Self.isSubsequence(found, of: sent) {
        Issue.record("\(script): \(found) of \(sent)")
      }
      guard case .queued = entry.row else { continue }
      let expected = Self.conflated(script)
      if listening.log != expected { Issue.record("\(script): \(listening.log), not \(expected)") }
    }
  }

  private static func isSubsequence(_ part: [String], of whole: [String]) -> Bool {
    var rest = whole[...]
    return part.allSatisfy { element in
      guard let index = rest.firstIndex(of: element) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }

  /// The events of a script, without the progress that newer progress follows.
  private static func conflated(_ script: [ScriptStep]) -> [String] {
    var (values, updates) = (0, 0)
    var log: [String] = []
    for step in script {
      switch step {
      case .next:
        values += 1
        log.append("next(\(values))")
      case .progress:
        if log.last.map(isProgress) == true { log.removeLast() }
        log.append(ProgressRow.text(ProgressUpdate(fraction: Bench.fractions[updates])))
        updates += 1
      case .complete: log.append("completed")
      case .fail: log.append("failed(Broken())")
      case .pass: break
      }
    }
    return log
  }
}

extension CatalogueEntry {
  fileprivate var hasRow: Bool { if case .whatever = row { false } else { true } }
}
