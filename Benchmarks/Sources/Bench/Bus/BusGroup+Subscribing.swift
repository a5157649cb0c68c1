import MQTT

/// What it costs to come, to stay and to go.
extension BusGroup {
  private static let versions: [(ProtocolVersion, String)] = [(.v5, "MQTT 5"), (.v311, "MQTT 3.1.1")]

  private var sizes: [Int] { isQuick ? [10, 100] : [100, 1_000, 10_000] }

  /// Ten observers of each filter.
  func subscribing() throws {
    for (version, name) in Self.versions {
      var coming: [(String, Row)] = []
      var going: [(String, Row)] = []
      for filters in sizes {
        let scene = Scene(.subscribe) {
          ($0.version, $0.filters, $0.count) = (version, filters, filters * 10)
        }
        let costs = try measure(scene).map { $0 * 1e3 / Double(scene.count) }
        let size = "\(scene.count) on \(filters)"
        coming.append(
          (size, Row(name: "\(name): subscribe \(size)", ours: costs[0], goal: nil, unit: "ns CPU")))
        going.append((size, Row(name: "\(name): dispose \(size)", ours: costs[1], goal: nil, unit: "ns CPU")))
      }
      for rows in [coming, going] { rows.forEach { report.add($0.1) } }
      report.growth(of: "\(name): subscribe", coming)
      report.growth(of: "\(name): dispose", going)
    }
  }

  /// From the end of the link to the last SUBACK.
  func reconnecting() throws {
    for (version, name) in Self.versions {
      let rows = try sizes.map { filters in
        let scene = Scene(.reconnect) { ($0.version, $0.filters) = (version, filters) }
        let row = Row(
          name: "\(name): reconnect with \(filters) filters, each",
          ours: try measure(scene)[0] * 1e3 / Double(filters),
          // A second for all.
          goal: filters == 10_000 ? .most(100_000) : nil, unit: "ns CPU")
        report.add(row)
        return ("\(filters)", row)
      }
      report.growth(of: "\(name): reconnect", rows)
    }
  }

  /// What MQTT 3.1.1 needs: the others are no longer subscribed while a wider filter is.
  func covering() throws {
    let rows = try sizes.map { filters in
      let scene = Scene(.cover) { ($0.version, $0.filters) = (.v311, filters) }
      let row = Row(
        name: "MQTT 3.1.1: a wider filter comes and goes, \(filters) below",
        ours: try measure(scene).reduce(0, +) * 1e3 / Double(filters), goal: nil, unit: "ns CPU each")
      report.add(row)
      return ("\(filters)", row)
    }
    report.growth(of: "a wider filter, below", rows)
  }

  /// Observers of a filter that the broker has: no packet may be sent.
  func churn() throws {
    let rows = try [0, 1, 1_000, 100_000].map { others in
      let scene = Scene(.churn) { ($0.count, $0.observers) = (1_000_000 / scale, others) }
      let broker = try Child(Child.own, ["--bus-broker"] + scene.arguments)
      defer { broker.end() }
      guard let port = try Int(broker.line()) else { throw Child.Silent(program: "the broker") }
      let cost = try numbers(scene, port)[0] * 1e3 / Double(scene.count)
      let packets = try broker.lastLine()
      // The one that the first observer needed.
      guard packets == "1 0" else { throw UnexpectedPackets(counts: packets) }
      let row = Row(
        name: "come and go, \(others == 0 ? "lingering" : "\(others) others")", ours: cost, goal: .most(600),
        unit: "ns CPU")
      report.add(row)
      return ("\(others)", row)
    }
    report.growth(of: "come and go, others", rows)
  }

  func memory() throws {
    for filters in sizes {
      let bytes = try measure(Scene(.memory) { $0.filters = filters }, rounds: 1).map { $0 / Double(filters) }
      report.add(
        Row(
          name: "an idle filter of \(filters)", ours: bytes[0] - bytes[1], goal: .most(1_000),
          unit: "bytes"))
      report.add(Row(name: "an observer of \(filters)", ours: bytes[1], goal: .most(500), unit: "bytes"))
    }
  }
}

struct UnexpectedPackets: Error, CustomStringConvertible {
  var counts: String

  var description: String {
    "1,000,000 observers came and went, and the broker got SUBSCRIBEs and UNSUBSCRIBEs: \(counts)"
  }
}
