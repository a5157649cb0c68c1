import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// Brokers that end the link instead of refusing a SUBSCRIBE, as some do in MQTT 3.1.1.
@Suite(.timeLimit(.minutes(5))) struct LinkEndTests {
  enum End: CaseIterable { case close, reset, reason }

  /// A broker that has "secret/#" for nobody.
  private func script(_ end: End) -> ScriptedBroker.Script {
    { link in
      try link.serve { packet in
        guard case .subscribe(let subscribe) = packet, subscribe.names.contains("secret/#") else {
          return false
        }
        switch end {
        case .close: try link.close()
        case .reset: try link.reset()
        case .reason:
          if link.version == .v5 { try link.send(.disconnect(.notAuthorized)) }
          try link.close()
        }
        return true
      }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311], End.allCases)
  func `the filter at which the broker ends the link fails with a reason, and all others are had`(
    version: ProtocolVersion, end: End
  ) async throws {
    try await withScript(version, links: [script(end)]) { broker, bus in
      let others = (0..<20).map { Recorder(bus.signal("open/\($0)")) }
      let secret = Recorder(bus.signal("secret/#"))
      try await eventually("it flaps: \(bus.snapshot())") { secret.hasEnded }
      #expect(
        secret.log == [
          #"failed(the broker ends the connection at the subscription to "secret/#"; check the access rules of this user)"#
        ])
      for other in others { try await other.subscription.ready }
      try await settled(bus)
      #expect(others.allSatisfy { $0.events.isEmpty })
      #expect(bus.metrics.connection.connects <= 6)
      // Who comes later tries again, alone, and then the link holds.
      let (links, again) = (broker.linkCount, Recorder(bus.signal("secret/#")))
      try await eventually { again.hasEnded }
      try await settled(bus)
      #expect(broker.linkCount == links + 2)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `with a session that the broker keeps it is the same`(version: ProtocolVersion) async throws {
    let answer = script(.close)
    try await withScript(
      version,
      links: [
        answer,
        { link in
          try link.accept(sessionPresent: true)
          try answer(link)
        },
      ], options: { $0.sessionExpiry = .seconds(3600) }
    ) { broker, bus in
      let open = Recorder(bus.signal("open"))
      try await open.subscription.ready
      let secret = Recorder(bus.signal("secret/#"))
      try await eventually { secret.hasEnded }
      try await settled(bus)
      #expect(bus.snapshot().subscriptions.map(\.filter.name) == ["open"])
      #expect(!open.hasEnded)
    }
  }

  @Test func `a link that the network breaks at each SUBSCRIBE makes nobody guilty`() async throws {
    let broken = 4
    try await withScript(
      links: [
        { link in
          try link.accept()
          guard link.number < broken else { return try link.serve() }
          try link.expectSubscribe(to: "a")
          // A broker that says it goes is not at odds with the filter.
          try link.send(.disconnect(.serverShuttingDown))
        }
      ]
    ) { broker, bus in
      let recorder = Recorder(bus.signal("a"))
      try await recorder.subscription.ready
      #expect(broker.linkCount == broken + 1 && recorder.events.isEmpty)
    }
  }
}
