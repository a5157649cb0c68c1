import Signals

/// The rows of the module `Signals`, each beside the floor.
struct CoreGroup {
  let duel: Duel
  let report: Report

  func run() throws {
    try send("subject → 1", goal: 1.8)
    try send("subject → map.filter.map → 1", goal: 2.4, Self.chain)
    try send("shared → 10, each", to: 10, goal: 2, Self.shared)
    try twoThreads("2 threads into one subject, a send", goal: 1.2)
    report.growth(
      of: "fan-out",
      [
        ("10", try send("fan-out to 10, each", to: 10)),
        ("1,000", try send("fan-out to 1,000, each", to: 1000, goal: 1.3)),
        ("100,000", try send("fan-out to 100,000, each", to: 100_000, goal: 1.7)),
      ])
    report.growth(
      of: "subscribe + dispose, others",
      [
        ("0", try subscribe("subscribe + dispose, 0 others", others: 0, goal: 300)),
        ("1,000", try subscribe("subscribe + dispose, 1,000 others", others: 1000, goal: 300)),
        ("100,000", try subscribe("subscribe + dispose, 100,000 others", others: 100_000, goal: 300)),
      ])
    report.growth(
      of: "shared: subscribe + dispose, others",
      [
        ("1", try subscribe("shared: subscribe + dispose, 1 other", others: 1, goal: 600, Self.shared)),
        (
          "1,000",
          try subscribe("shared: subscribe + dispose, 1,000 others", others: 1000, goal: 600, Self.shared)
        ),
      ])
    bytes("bytes an observer", goal: 250)
    try allocations("subject → 1: send, allocations")
    try allocations("subject → map.filter.map → 1: send, allocations", Self.chain)
    try allocations("fan-out to 1,000: send, allocations", to: 1000)
    try allocations("shared → 10: send, allocations", to: 10, Self.shared)
  }

  /// Three operators that leave the values as they were and let all of them pass: the handler of the floor has
  /// nothing of them to do.
  private static let chain: @Sendable (Signal<Int>) -> Signal<Int> = { signal in
    signal.map { $0 &+ 7 }.filter { $0 > 0 }.map { $0 &- 7 }
  }

  private static let shared: @Sendable (Signal<Int>) -> Signal<Int> = { $0.shared() }
}
