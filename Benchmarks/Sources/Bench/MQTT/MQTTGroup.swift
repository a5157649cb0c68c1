import Foundation

/// A connection beside a program in C on the same library: what people write, with `loop_forever` and `loop_start`.
///
/// CPU of the whole client process from the first message to the last; the broker is a third process.
struct MQTTGroup {
  let isQuick: Bool
  let report: Report

  func run() throws {
    let scale = isQuick ? 100 : 1
    try row("receive, QoS 0, 100 bytes", Traffic(.receive, qos: 0, count: 500_000 / scale), goal: 0.68)
    try row("receive, QoS 1", Traffic(.receive, qos: 1, count: 200_000 / scale), goal: 0.6)
    try row("receive, 2,000 a second", Traffic(.paced, qos: 0, count: 4_000 / scale), goal: 1.05)
    try row("publish, QoS 0", Traffic(.publish, qos: 0, count: 500_000 / scale), goal: 1.1)
    try row("publish, QoS 1", Traffic(.publish, qos: 1, count: 200_000 / scale), goal: 0.65)
  }

  private func row(_ name: String, _ traffic: Traffic, goal: Double) throws {
    let broker = try Child(Child.own, ["--broker"] + traffic.arguments)
    defer { broker.end() }
    guard let port = try Int(broker.line()) else { throw Child.Silent(program: "the broker") }
    var ours: [Double] = []
    var baseline: [Double] = []
    for _ in 0..<(isQuick ? 1 : 5) {
      ours.append(try cost(Child.own, ["--client", "\(port)"] + traffic.arguments, traffic))
      baseline.append(
        try cost(
          Child.baseline,
          [
            traffic.kind == .publish ? "publish" : "receive", "\(port)", "\(traffic.count)", "\(traffic.qos)",
          ], traffic))
    }
    report.add(
      Row(
        name: name, ours: median(ours), baseline: median(baseline), goal: .ratio(goal),
        unit: "ns CPU a message"))
  }

  /// Nanoseconds of CPU a message.
  private func cost(_ program: URL, _ arguments: [String], _ traffic: Traffic) throws -> Double {
    let client = try Child(program, arguments)
    defer { client.end() }
    guard let cpu = try client.line().split(separator: " ").first.flatMap({ Double($0) }) else {
      throw Child.Silent(program: program.lastPathComponent)
    }
    return cpu * 1_000 / Double(traffic.count)
  }

  private func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}
