import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// What a broker answers to the SUBSCRIBEs of a bus: nothing, too late, no.
@Suite(.timeLimit(.minutes(5))) struct AnswerFaultTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a SUBSCRIBE without an answer is sent again, and the broker need not send again what it has in store`(
    version: ProtocolVersion
  ) async throws {
    try await withScript(
      version,
      links: [
        { link in
          try link.accept()
          let first = try link.expectSubscribe(to: "a")
          let second = try link.expectSubscribe(to: "a")
          // The first answer comes when nobody waits for it any more.
          try link.send(.suback(first.id, [.granted(1)]), .suback(second.id, [.granted(1)]))
          let properties = second.identifier.map { [Packet.Property.subscriptionIdentifier($0)] } ?? []
          try link.send(.publish("a", "x", properties: properties))
          try link.serve()
        }
      ], options: { $0.acknowledgementDeadline = .milliseconds(200) }
    ) { broker, bus in
      let recorder = Recorder(bus.signal("a"))
      try await recorder.subscription.ready
      try await eventually { recorder.values.map(\.text) == ["x"] }
      let subscribes = broker.subscribes()
      #expect(Set(subscribes.map(\.identifier)).count == 1)
      if version == .v5 { #expect(subscribes.map { $0.filters[0].retainHandling } == [0, 1]) }
      try await settled(bus)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `an UNSUBSCRIBE without an answer is sent again, and who comes meanwhile is served`(
    version: ProtocolVersion
  ) async throws {
    let isLeft = Guarded(false)
    try await withScript(
      version,
      links: [
        { link in
          try link.accept()
          let subscribe = try link.expectSubscribe(to: "a")
          try link.send(.suback(subscribe.id, [.granted(1)]))
          try link.expectUnsubscribe(from: "a")
          isLeft.withLock { $0 = true }
          // Nobody knows whether the broker has it now.
          let again = try link.expectSubscribe(to: "a")
          try link.send(.suback(again.id, [.granted(1)]), .publish("a", "x"))
          try link.serve()
        }
      ], options: { $0.acknowledgementDeadline = .milliseconds(200) }
    ) { _, bus in
      let first = Recorder(bus.signal("a"))
      try await first.subscription.ready
      first.subscription.dispose()
      try await eventually { isLeft.withLock { $0 } }
      let second = Recorder(bus.signal("a"))
      try await second.subscription.ready
      try await eventually { second.values.map(\.text) == ["x"] }
      #expect(first.values.isEmpty)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `one of several filters that is refused fails alone`(version: ProtocolVersion) async throws {
    try await withScript(
      version,
      links: [
        { link in
          try link.serve { packet in
            guard case .subscribe(let subscribe) = packet else { return false }
            let reasons = subscribe.names.map { $0 == "b" ? Packet.Reason.unspecifiedError : .granted(1) }
            try link.send(.suback(subscribe.id, reasons), .publish("a", "1"), .publish("c", "1"))
            return true
          }
        }
      ]
    ) { broker, bus in
      let recorders = ["a", "b", "c"].map { Recorder(bus.signal($0)) }
      try await eventually { recorders[1].hasEnded }
      #expect(recorders[1].log.first?.contains(#"refused the subscription to "b""#) == true)
      #expect(recorders[1].log.count == 1)
      for recorder in [recorders[0], recorders[2]] {
        try await recorder.subscription.ready
        try await eventually { !recorder.values.isEmpty }
      }
      try await settled(bus)
      // In MQTT 3.1.1 they travel together.
      if version == .v311 { #expect(broker.subscribes().map { Set($0.names) } == [["a", "b", "c"]]) }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `messages that come before the SUBACK are delivered, the stored ones as such`(
    version: ProtocolVersion
  ) async throws {
    try await withScript(
      version,
      links: [
        { link in
          try link.accept()
          let subscribe = try link.expectSubscribe(to: "a/+")
          let properties = subscribe.identifier.map { [Packet.Property.subscriptionIdentifier($0)] } ?? []
          try link.send(
            .publish("a/1", "old", retain: true, properties: properties),
            .publish("a/2", "new", properties: properties), .suback(subscribe.id, [.granted(1)]),
            .publish("a/1", "end", properties: properties))
          try link.serve()
        }
      ]
    ) { _, bus in
      let recorder = Recorder(bus.signal("a/+"))
      try await eventually { recorder.values.count == 3 }
      #expect(recorder.values.map(\.text) == ["old", "new", "end"])
      #expect(recorder.values.map(\.origin) == [.stored, .live, .live])
    }
  }
}
