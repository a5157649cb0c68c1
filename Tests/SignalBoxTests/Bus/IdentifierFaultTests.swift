import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Whose a message is, when its identifiers are not the one of one filter.
@Suite(.timeLimit(.minutes(5))) struct IdentifierFaultTests {
  /// Serves SUBSCRIBEs of `count` filters, and gives their identifiers.
  private static func serve(_ count: Int, _ link: ScriptedBroker.Link) throws -> [String: UInt32] {
    var identifiers: [String: UInt32] = [:]
    while identifiers.count < count {
      let subscribe = try link.expectSubscribe()
      identifiers[subscribe.names[0]] = subscribe.identifier ?? 0
      try link.send(.suback(subscribe.id, [.granted(1)]))
    }
    return identifiers
  }

  @Test func `a broker that puts several identifiers into one message is soon served without any`()
    async throws
  {
    let isReady = Guarded(false)
    try await withScript(links: [
      { link in
        try link.accept()
        let identifiers = try Self.serve(3, link)
        try link.wait(for: "the observers") { isReady.withLock { $0 } }
        let both = ["a/#", "a/b"].map { Packet.Property.subscriptionIdentifier(identifiers[$0]!) }
        try link.send(.publish("a/b", "1", qos: 1, id: 1, properties: both))
        // A library that reads this does not end the link.
        guard case .puback? = try link.receive() else { return }
        try link.send(.publish("a/b", "2", properties: both))
        try link.serve()
      },
      { link in
        try link.serve { packet in
          guard case .subscribe(let subscribe) = packet, subscribe.identifier == nil else { return false }
          try link.send(.suback(subscribe.id, subscribe.filters.map { .granted($0.qos) }))
          if subscribe.names.contains("a/#") { try link.send(.publish("a/b", "2")) }
          return true
        }
      },
    ]) { broker, bus in
      let recorders = ["a/#", "a/b", "c"].map { Recorder(bus.signal($0)) }
      for recorder in recorders { try await recorder.subscription.ready }
      isReady.withLock { $0 = true }
      for recorder in recorders.prefix(2) {
        try await eventually { recorder.values.last?.text == "2" }
        #expect(recorder.values.filter { $0.text == "2" }.count == 1)
      }
      try await settled(bus)
      #expect(recorders[2].values.isEmpty && broker.linkCount <= 2)
    }
  }

  @Test func `an identifier that was never ours leaves it to the topic, and so does none`() async throws {
    let isReady = Guarded(false)
    try await withScript(links: [
      { link in
        try link.accept()
        _ = try Self.serve(3, link)
        try link.wait(for: "the observers") { isReady.withLock { $0 } }
        try link.send(.publish("a/b", "1", properties: [.subscriptionIdentifier(268_435_455)]))
        try link.send(.publish("a/b", "2"))
        try link.send(.publish("b", "3", properties: [.subscriptionIdentifier(4_711)]))
        try link.send(.publish("c", "end"))
        try link.serve()
      }
    ]) { _, bus in
      let recorders = ["a/#", "a/b", "c"].map { Recorder(bus.signal($0)) }
      for recorder in recorders { try await recorder.subscription.ready }
      isReady.withLock { $0 = true }
      try await eventually { recorders[2].values.count == 1 }
      for recorder in recorders.prefix(2) { #expect(recorder.values.map(\.text) == ["1", "2"]) }
      #expect(bus.metrics.unrouted == 1)
    }
  }

  @Test func `what a broker had in its queue for an ended subscription is no second copy for others`()
    async throws
  {
    try await withScript(links: [
      { link in
        try link.accept()
        let identifiers = try Self.serve(2, link)
        let unsubscribe = try link.expectUnsubscribe(from: "a/#")
        try link.send(.unsuback(unsubscribe.id, [.success]))
        for text in ["1", "2"] {
          for filter in ["a/#", "a/b"] {
            try link.send(
              .publish("a/b", text, properties: [.subscriptionIdentifier(identifiers[filter]!)]))
          }
        }
        try link.send(
          .publish("a/c", "3", properties: [.subscriptionIdentifier(identifiers["a/#"]!)]),
          .publish("a/b", "end", properties: [.subscriptionIdentifier(identifiers["a/b"]!)]))
        try link.serve()
      }
    ]) { _, bus in
      let wide = Recorder(bus.signal("a/#"))
      let narrow = Recorder(bus.signal("a/b"))
      for recorder in [wide, narrow] { try await recorder.subscription.ready }
      wide.subscription.dispose()
      try await eventually { narrow.values.last?.text == "end" }
      #expect(narrow.values.map(\.text) == ["1", "2", "end"])
      #expect(wide.values.isEmpty)
      #expect(bus.metrics.unrouted == 3)
    }
  }

  @Test func `a broker of MQTT 5 without identifiers is served as one of MQTT 3.1.1`() async throws {
    let isReady = Guarded(false)
    try await withScript(links: [
      { link in
        try link.accept(properties: [.subscriptionIdentifiersAvailable(false)])
        try link.serve { packet in
          guard case .unsubscribe(let unsubscribe) = packet else {
            if case .publish = packet {
              try link.send(.publish("a/b", "1"), .publish("a/c", "2"), .publish("end", "3"))
            }
            return false
          }
          try link.send(.unsuback(unsubscribe.id, [.success]))
          return true
        }
      }
    ]) { broker, bus in
      let end = Recorder(bus.signal("end"))
      let narrow = Recorder(bus.signal("a/b"))
      let wide = Recorder(bus.signal("a/#"))
      try await settled(bus)
      let shared = Recorder(bus.signal("$share/g/a/b"))
      try await eventually { shared.hasEnded }
      #expect(shared.log.first?.contains(#""$share/g/a/b" overlaps "#) == true)
      try await bus.publish(Publish(Topic("go"), "", qos: .atMostOnce))
      try await eventually { end.values.count == 1 }
      #expect(narrow.values.map(\.text) == ["1"])
      #expect(wide.values.map(\.text) == ["1", "2"])
      #expect(broker.subscribes().allSatisfy { $0.identifier == nil })
      // The wider one covers the other, and goes only when that has its own again.
      wide.subscription.dispose()
      try await settled(bus)
      #expect(broker.unsubscribed().last == "a/#")
      #expect(Set(bus.snapshot().subscriptions.map(\.filter.name)) == ["a/b", "end"])
      isReady.withLock { $0 = true }
    }
  }
}
