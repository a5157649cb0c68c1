import MQTT

/// What a message costs on its way through the bus.
extension BusGroup {
  /// What the bus adds to its connection.
  func overConnection() throws {
    for qos in [UInt8(0), 1] {
      let scene = Scene(.receive) { ($0.count, $0.qos) = (500_000 / scale, qos) }
      var alone = scene
      alone.work = .connection
      _ = try compare(
        scene, to: alone, "QoS \(qos) → handler, beside the connection alone", goal: .ratio(1.25),
        unit: "ns CPU a message", factor: 1e3 / Double(scene.count))
    }
  }

  /// A topic and a payload that the connection copies are all that is allocated.
  func allocations() throws {
    let scene = Scene(.receive) { ($0.count, $0.countsAllocations) = (200_000 / scale, true) }
    var alone = scene
    alone.work = .connection
    _ = try compare(
      scene, to: alone, "allocations a message, beside the connection alone", goal: .ratio(1.01),
      unit: "a message", number: 2, factor: 1 / Double(scene.count))
  }

  /// One observer, and more and more other filters that are wanted.
  func routing() throws {
    let ways: [(String, (inout Scene) -> Void)] = [
      ("MQTT 5", { _ in }),
      ("MQTT 3.1.1, topics seen", { $0.version = .v311 }),
      // More than are remembered, in turn: none is known when it comes again.
      ("MQTT 3.1.1, new topics", { ($0.version, $0.topics) = (.v311, 10_000) }),
    ]
    for (name, change) in ways {
      let few = Scene(.receive) { scene in
        (scene.count, scene.filters) = (isQuick ? 10_000 : 500_000, 10)
        change(&scene)
      }
      for filters in isQuick ? [100] : [1_000, 10_000] {
        var many = few
        many.filters = filters
        _ = try compare(
          many, to: few, "\(name), \(filters) filters beside 10", goal: .ratio(1.15),
          unit: "ns CPU a message", factor: 1e3 / Double(few.count))
      }
    }
  }

  /// One topic, many observers.
  func fanOut() throws {
    let rows = try [10, 1_000, 10_000].map { observers in
      let scene = Scene(.receive) {
        ($0.count, $0.observers) = (20_000_000 / observers / scale, observers)
      }
      let cost = try measure(scene)[0] * 1e3 / Double(scene.count * observers)
      let row = Row(
        name: "1 topic → \(observers) observers, each", ours: cost,
        goal: observers == 1_000 ? .most(20) : nil, unit: "ns CPU")
      report.add(row)
      return ("\(observers)", row)
    }
    report.growth(of: "1 topic → observers", rows)
  }
}
