import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// `$share/group/filter`: the broker shares a stream out over those who ask for it.
@Suite(.timeLimit(.minutes(5))) struct SharedFilterTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `two buses that share a stream get each message once over both, and nothing stored`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let other = try Bus(.toward(broker, version: version), linger: .zero)
      try await Peer.publish(broker, "-t", "s/old", "-r", "-q", "1", "-m", "stored")
      let recorders = [bus, other].map { Recorder($0.signal("$share/g/s/#", as: Int.self)) }
      for recorder in recorders { try await recorder.subscription.ready }
      for number in 0..<200 { try await bus.publish(Publish(Topic("s/\(number % 7)"), "\(number)")) }
      try await eventually { recorders.map(\.values.count).reduce(0, +) >= 200 }
      #expect(recorders.flatMap(\.values).sorted() == Array(0..<200))
      #expect(recorders.allSatisfy { !$0.values.isEmpty })
      // A second observer has what comes from now on.
      let late = Recorder(bus.signal("$share/g/s/#"))
      #expect(late.values.isEmpty)
      #expect([bus, other].map(\.metrics.undecodable) == [0, 0], "something stored came")
      await other.close()
    }
  }

  @Test func `in MQTT 5 a shared filter stands beside one that overlaps it, and each has its copies`()
    async throws
  {
    try await withBroker { broker, bus in
      let shared = Recorder(bus.signal("$share/g/s/#"))
      let plain = Recorder(bus.signal("s/+"))
      for recorder in [shared, plain] { try await recorder.subscription.ready }
      for number in 0..<20 { try await Peer.publish(broker, "-t", "s/a", "-m", "\(number)", "-q", "1") }
      for recorder in [shared, plain] {
        try await eventually { recorder.values.map(\.text) == (0..<20).map(String.init) }
      }
    }
  }

  @Test(arguments: [true, false], [true, false])
  func
    `in MQTT 3.1.1 the later one of two that overlap is refused, before and after the broker has the first`(
      sharedFirst: Bool, isSettled: Bool
    ) async throws
  {
    try await withBroker(version: .v311) { broker, bus in
      let filters = sharedFirst ? ["$share/g/s/#", "s/a"] : ["s/a", "$share/g/s/#"]
      let first = Recorder(bus.signal(filters[0]))
      if isSettled { try await settled(bus) }
      let second = Recorder(bus.signal(filters[1]))
      try await eventually { second.hasEnded }
      let error = try #require(
        second.events.last.flatMap { if case .failed(let error) = $0 { error } else { nil } })
      guard case BusError.overlapsShared(let filter, let with)? = error as? BusError else {
        throw Surprise("\(error)")
      }
      #expect([filter, with].map(\.name) == [filters[1], filters[0]])
      try await settled(bus)
      #expect(broker.held.keys.sorted() == [filters[0]] && first.events.isEmpty)
      // The first one still lives, and another group or topic is no overlap.
      let apart = Recorder(bus.signal("t/#"))
      try await apart.subscription.ready
      for topic in ["s/a", "t/a"] { try await Peer.publish(broker, "-t", topic, "-m", "x") }
      for recorder in [first, apart] { try await eventually { recorder.values.count == 1 } }
      // When the first is gone, the second may come.
      first.subscription.dispose()
      let again = Recorder(bus.signal(filters[1]))
      try await again.subscription.ready
      try await Peer.publish(broker, "-t", "s/a", "-m", "y")
      try await eventually { again.values.map(\.text) == ["y"] }
    }
  }
}

/// What a test did not expect.
struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
