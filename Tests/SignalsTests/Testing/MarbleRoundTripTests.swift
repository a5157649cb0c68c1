import Signals
import SignalsTesting
import Testing

/// A diagram in pieces: the marks of each tick.
private struct Diagram {
  var ticks: [[String]] = []
  var end: String?

  /// All with up to `length` ticks, with and without an end.
  static func all(upTo length: Int) -> [Diagram] {
    var all = [Diagram()]
    var newest = all
    for _ in 0..<length {
      newest = newest.flatMap { diagram in
        [[], ["a"], ["(25)"], ["(3/7)", "'b c'"]].map { Diagram(ticks: diagram.ticks + [$0]) }
      }
      all += newest
    }
    return all
      + all.filter { $0.ticks.count < length }.flatMap { diagram in
        [["|"], ["#"], ["a", "|"], ["(?)", "#"]].map { Diagram(ticks: diagram.ticks + [$0], end: $0.last) }
      }
  }

  var text: String { Diagram.text(ticks) }

  static func text(_ ticks: [[String]]) -> String {
    ticks.map { $0.count > 1 ? "[\($0.joined())]" : $0.first ?? "-" }.joined()
  }

  /// Without the empty ticks at the end.
  static func canonicalText(_ ticks: [[String]]) -> String {
    let text = text(ticks.reversed().drop { $0.isEmpty }.reversed())
    return text.isEmpty ? "-" : text
  }

  static func line(_ begin: Int, _ end: Int) -> String {
    let margin = String(repeating: "-", count: begin)
    return begin == end
      ? margin + "[^!]" : margin + "^" + String(repeating: "-", count: end - begin - 1) + "!"
  }

  /// What a subscription from `begin` to `end` sees of a cold one, and when it is over.
  func cold(from begin: Int, to end: Int) -> (text: String, line: String) {
    Diagram(ticks: Array(repeating: [], count: begin) + ticks, end: self.end).part(from: begin, to: end)
  }

  /// The same of a hot one, which has the latest progress and the end for who comes late.
  func hot(from begin: Int, to end: Int) -> (text: String, line: String) {
    let progress = ticks.prefix(begin).joined().last { $0.hasPrefix("(") }.map { [$0] } ?? []
    if let mark = self.end, begin >= ticks.count {
      let past = Array(repeating: [String](), count: begin)
      return (Diagram.canonicalText(past + [progress + [mark]]), Diagram.line(begin, begin))
    }
    return part(from: begin, to: end, after: progress)
  }

  private func part(from begin: Int, to end: Int, after first: [String] = []) -> (text: String, line: String)
  {
    var seen = ticks.prefix(end).enumerated().map { $0.offset < begin ? [] : $0.element }
    while seen.count <= begin { seen.append([]) }
    seen[begin] = first + seen[begin]
    return (
      Diagram.canonicalText(seen), Diagram.line(begin, self.end == nil ? end : min(end, ticks.count - 1))
    )
  }
}

@Suite(.timeLimit(.minutes(2))) struct MarbleRoundTripTests {
  @Test func `every short diagram that is read, played and recorded is the same text`() throws {
    let diagrams = Diagram.all(upTo: 6)
    #expect(diagrams.count > 10_000)
    for diagram in diagrams {
      let time = VirtualScheduler()
      let marble = try Marble(parsing: diagram.text)
      let cold = time.record(time.cold(marble).signal)
      let hot = time.record(time.hot(marble).signal)
      time.run()
      let texts = [marble.text, cold.marble.text, hot.marble.text]
      if texts.contains(where: { $0 != Diagram.canonicalText(diagram.ticks) }) {
        Issue.record("\(diagram.text) gave \(texts)")
      }
    }
  }

  @Test func `every subscription to every short diagram sees its part, and leaves its line`() throws {
    for diagram in Diagram.all(upTo: 3) {
      for begin in 0...4 {
        for end in begin...5 {
          let time = VirtualScheduler()
          let marble = try Marble(parsing: diagram.text)
          let line = try SubscriptionLine(parsing: Diagram.line(begin, end))
          let (cold, hot) = (time.cold(marble), time.hot(marble))
          let recordings = [time.record(cold.signal, during: line), time.record(hot.signal, during: line)]
          time.run()
          let played = zip(recordings, [cold, hot]).map { ($0.marble.text, $1.subscriptions.map(\.text)) }
          let expected = [diagram.cold(from: begin, to: end), diagram.hot(from: begin, to: end)]
          for (played, expected) in zip(played, expected) where played != (expected.text, [expected.line]) {
            Issue.record("\(diagram.text) during \(line) gave \(played) and not \(expected)")
          }
          if time.pendingCount > 0 { Issue.record("\(diagram.text) during \(line) left something scheduled") }
        }
      }
    }
  }
}
