import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// A refusal is told to those whom it is for, and to nobody else.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  /// Runs a test with a broker that plays a script, and a bus.
  private func withScript(
    _ version: ProtocolVersion, _ handle: @escaping @Sendable (ScriptedBroker.Link, Packet) throws -> Bool,
    _ body: (ScriptedBroker, Bus) async throws -> Void
  ) async throws {
    let broker = try ScriptedBroker { link in try link.serve { try handle(link, $0) } }
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(broker.port))
    options.version = version
    options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(100))
    let bus = try Bus(options, linger: .zero)
    do {
      try await body(broker, bus)
      await bus.close()
      try await broker.finish(links: broker.linkCount)
    } catch {
      await bus.close()
      await broker.stop()
      throw broker.failure ?? error
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a refused raise fails all who asked for it, and nobody else`(version: ProtocolVersion) async throws {
    let (isRaised, answer) = (Guarded(false), DispatchSemaphore(value: 0))
    try await withScript(version) { link, packet in
      guard case .subscribe(let subscribe) = packet, subscribe.filters[0].qos == 1 else { return false }
      isRaised.withLock { $0 = true }
      answer.wait()
      try link.send(.suback(subscribe.id, [.unspecifiedError]), .publish("s/a", "1"))
      return true
    } _: { broker, bus in
      let early = Recorder(bus.signal("s/+", qos: .atMostOnce))
      try await early.subscription.ready
      let raiser = Recorder(bus.signal("s/+"))
      try await eventually { isRaised.withLock { $0 } }
      // These come while the raise is under way.
      let second = Recorder(bus.signal("s/+"))
      let modest = Recorder(bus.signal("s/+", qos: .atMostOnce))
      try await modest.subscription.ready
      answer.signal()
      try await eventually { early.values.count == 1 && modest.values.count == 1 }
      for one in [raiser, second] {
        #expect(one.log.count == 1)
        #expect(one.log.first?.contains(#"refused the subscription to "s/+""#) == true)
      }
      try await early.subscription.ready
      let sent = broker.received.count { $0.packet.kind == .subscribe }
      #expect(sent == 2 && bus.snapshot().subscriptions.first?.observers == 2)
      try await settled(bus)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a link that ends just when a SUBSCRIBE is to be sent is no refusal`(
    version: ProtocolVersion
  ) async throws {
    for _ in 0..<10 {
      let (isAsked, answer) = (Guarded(false), DispatchSemaphore(value: 0))
      try await withScript(version) { link, packet in
        guard case .subscribe(let subscribe) = packet, link.number == 0 else { return false }
        isAsked.withLock { $0 = true }
        answer.wait()
        try link.send(.suback(subscribe.id, [.granted(0)]))
        try link.close()
        return true
      } _: { broker, bus in
        let early = Recorder(bus.signal("s", qos: .atMostOnce))
        try await eventually { isAsked.withLock { $0 } }
        let raiser = Recorder(bus.signal("s"))
        // The raise is due as soon as the answer is there.
        try await Task.sleep(for: .milliseconds(20))
        answer.signal()
        try await raiser.subscription.ready
        #expect(!early.hasEnded && broker.linkCount == 2)
      }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `who asks for more while the first SUBSCRIBE is under way is a raiser, too`(
    version: ProtocolVersion
  ) async throws {
    let (isAsked, answer) = (Guarded(false), DispatchSemaphore(value: 0))
    try await withScript(version) { link, packet in
      guard case .subscribe(let subscribe) = packet else { return false }
      if subscribe.filters[0].qos == 1 {
        try link.send(.suback(subscribe.id, [.unspecifiedError]), .publish("s", "1"))
        return true
      }
      isAsked.withLock { $0 = true }
      answer.wait()
      return false
    } _: { broker, bus in
      let early = Recorder(bus.signal("s", qos: .atMostOnce))
      try await eventually { isAsked.withLock { $0 } }
      let raiser = Recorder(bus.signal("s"))
      answer.signal()
      try await eventually { early.values.count == 1 }
      #expect(raiser.hasEnded && raiser.values.isEmpty && !early.hasEnded)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `of filters that are asked for together the refused one fails, with its reason`(
    version: ProtocolVersion
  ) async throws {
    try await withScript(version) { link, packet in
      guard case .subscribe(let subscribe) = packet else { return false }
      let reasons: [Packet.Reason] = subscribe.filters.map {
        $0.name.hasPrefix("no") ? .unspecifiedError : .granted($0.qos)
      }
      try link.send(.suback(subscribe.id, reasons))
      for filter in subscribe.filters { try link.send(.publish(filter.name, "1")) }
      return true
    } _: { broker, bus in
      let names = ["yes/1", "no/1", "yes/2", "no/2", "yes/3"]
      let recorders = names.map { Recorder(bus.signal($0)) }
      let another = Recorder(bus.signal("no/1", as: Int.self))
      for (name, recorder) in zip(names, recorders) {
        try await eventually(name) { !recorder.log.isEmpty }
        if name.hasPrefix("yes") {
          #expect(recorder.log.first == "next(\(name) 1)")
          try await recorder.subscription.ready
        } else {
          #expect(recorder.log.first?.contains(#"refused the subscription to "\#(name)""#) == true)
          await #expect(throws: BusError.self) { try await recorder.subscription.ready }
        }
        #expect(recorder.log.count == 1)
      }
      // It may have come after the refusal, and had one of its own.
      try await eventually { another.hasEnded }
      #expect(another.log.count == 1)
      try await eventually {
        bus.snapshot().subscriptions.map(\.filter.name) == ["yes/1", "yes/2", "yes/3"]
      }
    }
  }

  @Test(arguments: [false, true])
  func `in MQTT 3.1.1 a refused wide filter leaves the narrower ones served`(isFirst: Bool) async throws {
    try await withScript(.v311) { link, packet in
      guard case .subscribe(let subscribe) = packet else { return false }
      let reasons: [Packet.Reason] = subscribe.filters.map {
        $0.name == "a/#" ? .unspecifiedError : .granted($0.qos)
      }
      try link.send(.suback(subscribe.id, reasons))
      return true
    } _: { broker, bus in
      let names = isFirst ? ["a/#", "a/b", "a/+/c"] : ["a/b", "a/+/c", "a/#"]
      let recorders = names.map { Recorder(bus.signal($0)) }
      for (name, recorder) in zip(names, recorders) where name != "a/#" {
        try await recorder.subscription.ready
      }
      for (name, recorder) in zip(names, recorders) {
        if name == "a/#" { try await eventually { recorder.hasEnded } }
        #expect(recorder.log.count == (name == "a/#" ? 1 : 0))
      }
      try await settled(bus)
      #expect(
        bus.snapshot().subscriptions.map(\.actual) == [.subscribed(.atLeastOnce), .subscribed(.atLeastOnce)])
      #expect(!broker.received.contains { $0.packet.kind == .unsubscribe })
    }
  }
}
