import Foundation

/// A whole bus beside a program in C on the same library, or beside itself with less to do.
///
/// CPU of the whole client process; the broker is a third process.
struct BusGroup {
  let isQuick: Bool
  let report: Report

  var scale: Int { isQuick ? 100 : 1 }

  func run() throws {
    try beside(Scene(.receive) { $0.count = 500_000 / scale }, "QoS 0 → handler", goal: 0.68)
    try beside(Scene(.values) { $0.count = 500_000 / scale }, "QoS 0 → for await", goal: 0.8)
    try beside(.init(.receive) { ($0.count, $0.qos) = (200_000 / scale, 1) }, "QoS 1 → handler", goal: 0.6)
    try beside(.init(.values) { ($0.count, $0.qos) = (200_000 / scale, 1) }, "QoS 1 → for await", goal: nil)
    try beside(.init(.paced) { $0.count = 4_000 / scale }, "2,000 a second → handler", goal: 1.05)
    try beside(.init(.pacedValues) { $0.count = 4_000 / scale }, "2,000 a second → for await", goal: 2)
    try beside(Scene(.publish) { $0.count = 500_000 / scale }, "publish QoS 0 by a subject", goal: 1.1)
    try beside(
      .init(.publish) { ($0.count, $0.qos) = (200_000 / scale, 1) }, "publish QoS 1 by a subject", goal: 0.65)
    try overConnection()
    try allocations()
    try routing()
    try fanOut()
    try subscribing()
    try reconnecting()
    try covering()
    try churn()
    try memory()
  }

  // MARK: Measuring

  /// Beside C.
  private func beside(_ scene: Scene, _ name: String, goal: Double?) throws {
    let kind = scene.work == .publish ? "publish" : "receive"
    let baseline = try withBroker(scene) { port in
      try duel {
        try numbers(scene, port)[0]
      } baseline: {
        try numbers(Child.baseline, [kind, "\(port)", "\(scene.count)", "\(scene.qos)"])[0]
      }
    }
    report.add(
      Row(
        name, baseline.scaled(1e3 / Double(scene.count)), goal.map(Row.Goal.ratio), unit: "ns CPU a message"))
  }

  /// Two scenes in turn, of the same count.
  func compare(
    _ scene: Scene, to other: Scene, _ name: String, goal: Row.Goal?, unit: String,
    number index: Int = 0, factor: Double
  ) throws -> Row {
    let result = try withBroker(scene) { port in
      try withBroker(other) { otherPort in
        try duel {
          try numbers(scene, port)[index]
        } baseline: {
          try numbers(other, otherPort)[index]
        }
      }
    }
    let row = Row(name, result.scaled(factor), goal, unit: unit)
    report.add(row)
    return row
  }

  /// Medians of what a scene costs, each number of it.
  func measure(_ scene: Scene, rounds: Int? = nil) throws -> [Double] {
    try withBroker(scene) { port in
      let rounds = try (0..<(isQuick ? 1 : rounds ?? 3)).map { _ in try numbers(scene, port) }
      return rounds[0].indices.map { index in median(rounds.map { $0[index] }) }
    }
  }

  func withBroker<Result>(_ scene: Scene, _ body: (Int) throws -> Result) throws -> Result {
    let broker = try Child(Child.own, ["--bus-broker"] + scene.arguments)
    defer { broker.end() }
    guard let port = try Int(broker.line()) else { throw Child.Silent(program: "the broker") }
    return try body(port)
  }

  func numbers(_ scene: Scene, _ port: Int) throws -> [Double] {
    try numbers(Child.own, ["--bus-client", "\(port)"] + scene.arguments)
  }

  private func numbers(_ program: URL, _ arguments: [String]) throws -> [Double] {
    let client = try Child(program, arguments)
    defer { client.end() }
    return try client.line().split(separator: " ").compactMap { Double($0) }
  }

  private func duel(
    ours: () throws -> Double, baseline: () throws -> Double
  ) throws -> Duel.Result {
    let pairs = try (0..<(isQuick ? 1 : 5)).map { _ in (try ours(), try baseline()) }
    return Duel.Result(
      ours: median(pairs.map { $0.0 }), baseline: median(pairs.map { $0.1 }),
      ratio: median(pairs.map { $0.0 / $0.1 }))
  }

  private func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}

extension Duel.Result {
  fileprivate func scaled(_ factor: Double) -> Self {
    Self(ours: ours * factor, baseline: baseline * factor, ratio: ratio)
  }
}
