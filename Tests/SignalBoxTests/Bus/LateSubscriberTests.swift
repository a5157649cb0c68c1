import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Who comes late gets what is known at once, and who came early nothing twice.
@Suite(.timeLimit(.minutes(5))) struct LateSubscriberTests {
  #if TSAN
    private static let rounds = 5
  #else
    private static let rounds = 20
  #endif

  private func origin(_ version: ProtocolVersion) -> MessageOrigin { version == .v5 ? .stored : .unknown }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `late ones get the newest of every topic once and then all that follows, early ones no repeat`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let publisher = try Bus(.toward(broker))
      let topics = ["r/0", "r/1", "r/2"]
      for topic in topics { try await publisher.publish(Publish(Topic(topic), "0", retain: true)) }
      let early = Recorder(bus.signal("r/+"))
      try await eventually { early.values.count == 3 }
      #expect(early.values.allSatisfy { $0.origin == .stored })
      // Some come while messages do.
      var late: [Recorder<Message>] = []
      let last = 10 * Self.rounds
      for number in 1...last {
        async let published: Void = publisher.publish(
          Publish(Topic(topics[number % 3]), "\(number)", retain: true))
        if number % 10 == 0 { late.append(Recorder(bus.signal("r/+"))) }
        try await published
      }
      try await eventually { early.values.last?.text == "\(last)" }
      #expect(early.values.map(\.text) == ["0", "0", "0"] + (1...last).map(String.init))
      for recorder in late {
        try await eventually { recorder.values.last?.text == "\(last)" }
        let values = recorder.values
        #expect(values.prefix(3).map(\.topic) == topics)
        #expect(values.prefix(3).allSatisfy { $0.origin == origin(version) })
        #expect(values.dropFirst(3).allSatisfy { $0.origin == .live })
        // Three topics in turn: all that is newer than the newest of these, and nothing else.
        let newest = values.prefix(3).compactMap { Int($0.text) }.max() ?? 0
        #expect(values.dropFirst(3).map(\.text) == (newest..<last).map { "\($0 + 1)" })
      }
      #expect(broker.packets("SUBSCRIBE") == 1)
      await publisher.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `what is cleared is delivered, and forgotten`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      for topic in ["c/a", "c/b"] { try await Peer.publish(broker, "-t", topic, "-r", "-m", "1", "-q", "1") }
      let early = Recorder(bus.signal("c/#"))
      try await eventually { early.values.count == 2 }
      try await Peer.publish(broker, "-t", "c/a", "-r", "-n", "-q", "1")
      try await eventually { early.values.count == 3 }
      #expect(early.values.last?.topic == "c/a" && early.values.last?.payload == [])
      #expect(early.values.last?.origin == .live)
      // While a message is being delivered, newcomers wait for its end.
      let late = Recorder(bus.signal("c/#"))
      try await eventually { late.values.map(\.topic) == ["c/b"] }
      try await Peer.publish(broker, "-t", "c/a", "-r", "-m", "2", "-q", "1")
      try await eventually { early.values.count == 4 }
      let later = Recorder(bus.signal("c/#"))
      try await eventually { later.values.map(\.description) == ["c/a 2", "c/b 1"] }
      #expect(late.values.map(\.description) == ["c/b 1", "c/a 2"])
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311], [Duration.zero, .seconds(60)])
  func `a reconnect repeats nothing that is as it was, and delivers what has changed once`(
    version: ProtocolVersion, expiry: Duration
  ) async throws {
    let isShut = Guarded(false)
    try await LocalBroker.with { broker in
      let proxy = try CuttingProxy(to: broker.port) { _, header in
        header != 0x10 || !isShut.withLock { $0 }
      }
      var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
      options.version = version
      options.clientID = "late"
      options.sessionExpiry = expiry
      options.connectDeadline = .milliseconds(300)
      options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(50))
      let bus = try Bus(options)
      let topics = ["s/a", "s/b", "s/c"]
      for topic in topics { try await Peer.publish(broker, "-t", topic, "-r", "-q", "1", "-m", "0") }
      let (all, one) = (Recorder(bus.signal("s/+")), Recorder(bus.signal("s/b")))
      try await eventually { all.values.count == 3 && one.values.count == 1 }
      for round in 1...3 {
        isShut.withLock { $0 = true }
        proxy.cut()
        try await Peer.publish(broker, "-t", "s/b", "-r", "-q", "1", "-m", "\(round)")
        isShut.withLock { $0 = false }
        try await eventually { bus.metrics.connection.connects == round + 1 }
        try await settled(bus)
        // Comes behind all that was in store.
        try await Peer.publish(broker, "-t", "s/c", "-q", "1", "-m", "end \(round)")
        try await eventually { all.values.last?.text == "end \(round)" }
      }
      // In MQTT 3.1.1 a copy that the broker had kept is not told from a new one, if it comes behind what was in store.
      func news(_ values: [Message]) -> [String] {
        let texts = values.filter { $0.topic == "s/b" }.map(\.text)
        return version == .v311 && expiry > .zero ? Set(texts).sorted() : texts
      }
      #expect(news(all.values) == ["0", "1", "2", "3"])
      #expect(news(one.values) == ["0", "1", "2", "3"])
      #expect(!all.values.dropFirst(3).contains { $0.topic == "s/a" })
      // Without the flag on live messages, what was in store may be news: the last one said otherwise.
      let kept = all.values.filter { $0.topic == "s/c" && $0.text == "0" }
      #expect(version == .v5 ? kept.count == 1 : kept.count <= 4)
      await bus.close()
      proxy.stop()
    }
  }

  @Test func `what the broker lost while the link was down is not given to newcomers`() async throws {
    try await withBroker { broker, bus in
      for topic in ["l/a", "l/b"] { try await Peer.publish(broker, "-t", topic, "-r", "-m", "1", "-q", "1") }
      let early = Recorder(bus.signal("l/+"))
      try await eventually { early.values.count == 2 }
      // It keeps nothing.
      try await broker.restart()
      try await Peer.publish(broker, "-t", "l/b", "-r", "-m", "1", "-q", "1")
      try await eventually { Recorder(bus.signal("l/+")).values.map(\.topic) == ["l/b"] }
      try await Peer.publish(broker, "-t", "l/c", "-r", "-m", "1", "-q", "1")
      try await eventually { early.values.last?.topic == "l/c" }
      let late = Recorder(bus.signal("l/+"))
      try await eventually { late.values.map(\.topic) == ["l/b", "l/c"] }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `latest has what was not retained, too, and none has nothing but live ones`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      try await Peer.publish(broker, "-t", "p/a", "-r", "-q", "1", "-m", "1")
      let early = Recorder(bus.signal("p/#", late: .latest))
      let fresh = Recorder(bus.signal("p/a", late: .none))
      try await eventually { early.values.count == 1 }
      for topic in ["p/a", "p/b"] { try await Peer.publish(broker, "-t", topic, "-q", "1", "-m", "2") }
      try await eventually { early.values.count == 3 }
      let latest = Recorder(bus.signal("p/#", late: .latest))
      let retained = Recorder(bus.signal("p/#"))
      let nothing = ["p/#", "p/a", "p/+"].map { Recorder(bus.signal($0, late: .none)) }
      try await settled(bus)
      let kept = version == .v5 ? ["p/a 1"] : ["p/a 2", "p/b 2"]
      try await eventually {
        latest.values.map(\.description) == ["p/a 2", "p/b 2"] && retained.values.map(\.description) == kept
      }
      try await Peer.publish(broker, "-t", "p/a", "-q", "1", "-m", "3")
      for recorder in nothing {
        try await eventually { !recorder.values.isEmpty }
        #expect(recorder.values.map(\.description) == ["p/a 3"])
        #expect(recorder.values.first?.origin == .live)
      }
      try await eventually { fresh.values.count == 2 }
      #expect(fresh.values.map(\.text) == ["2", "3"])
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a raise sends one SUBSCRIBE, repeats nothing to those who were there, and what comes then is live`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      for topic in ["q/a", "q/b"] { try await Peer.publish(broker, "-t", topic, "-r", "-m", "1", "-q", "1") }
      let early = Recorder(bus.signal("q/+", qos: .atMostOnce))
      try await eventually { early.values.count == 2 }
      // Longer than stored messages are waited for.
      try await Task.sleep(for: .milliseconds(300))
      let raisers = (0..<3).map { _ in Recorder(bus.signal("q/+")) }
      for raiser in raisers { try await raiser.subscription.ready }
      for topic in ["q/a", "q/c"] { try await Peer.publish(broker, "-t", topic, "-r", "-m", "2", "-q", "1") }
      try await eventually { early.values.count == 4 && raisers.allSatisfy { $0.values.count == 4 } }
      for recorder in raisers + [early] {
        #expect(recorder.values.map(\.description) == ["q/a 1", "q/b 1", "q/a 2", "q/c 2"])
        #expect(recorder.values.last?.qos == .atLeastOnce && recorder.values.last?.origin == .live)
      }
      #expect(broker.packets("SUBSCRIBE") == 2 && broker.held == ["q/+": 1])
    }
  }

  @Test func `in MQTT 3.1.1 a covered newcomer is served by what the wider filter has got`() async throws {
    try await withBroker(version: .v311) { broker, bus in
      for topic in ["a/b", "a/c"] { try await Peer.publish(broker, "-t", topic, "-r", "-m", "1", "-q", "1") }
      let wide = Recorder(bus.signal("a/#"))
      try await eventually { wide.values.count == 2 }
      try await Peer.publish(broker, "-t", "a/d", "-m", "2", "-q", "1")
      try await eventually { wide.values.count == 3 }
      let newcomers = ["a/b", "a/+", "a/b", "a/d"].map { Recorder(bus.signal($0)) }
      for (newcomer, count) in zip(newcomers, [1, 3, 1, 1]) {
        try await newcomer.subscription.ready
        try await eventually { newcomer.values.count == count }
      }
      try await Peer.publish(broker, "-t", "a/b", "-m", "3", "-q", "1")
      try await eventually { newcomers.prefix(3).allSatisfy { $0.values.last?.text == "3" } }
      #expect(
        newcomers[0].values.map(\.text) == ["1", "3"] && newcomers[2].values.map(\.text) == ["1", "3"])
      #expect(newcomers[1].values.map(\.description).sorted() == ["a/b 1", "a/b 3", "a/c 1", "a/d 2"])
      #expect(newcomers[3].values.map(\.text) == ["2"])
      #expect(broker.packets("SUBSCRIBE") == 1)
    }
  }

  @Test func `in MQTT 3.1.1 what a covered newcomer got is newer than what is sent again when it is alone`()
    async throws
  {
    try await withBroker(version: .v311) { broker, bus in
      try await Peer.publish(broker, "-t", "a/b", "-r", "-m", "1", "-q", "1")
      let wide = Recorder(bus.signal("a/#"))
      try await eventually { wide.values.count == 1 }
      try await Peer.publish(broker, "-t", "a/b", "-m", "2", "-q", "1")
      try await eventually { wide.values.count == 2 }
      let narrow = Recorder(bus.signal("a/b"))
      try await eventually { narrow.values.count == 1 }
      wide.subscription.dispose()
      try await settled(bus)
      try await Peer.publish(broker, "-t", "a/b", "-m", "3", "-q", "1")
      try await eventually { narrow.values.last?.text == "3" }
      #expect(narrow.values.map(\.text) == ["2", "3"] && broker.held == ["a/b": 1])
    }
  }

  @Test(arguments: [true, false])
  func `in MQTT 3.1.1 a narrower filter is had before the wider one goes, and nothing is lost or repeated`(
    isLast: Bool
  ) async throws {
    try await withBroker(version: .v311) { broker, bus in
      let publisher = try Bus(.toward(broker))
      let isDone = Guarded(false)
      try await publisher.publish(Publish(Topic("a/b"), "0", retain: true))
      let numbers = Task {
        var number = 0
        while !isDone.withLock({ $0 }) {
          number += 1
          try await publisher.publish(Publish(Topic("a/b"), "\(number)"))
        }
        return number
      }
      // The narrower one is there from the beginning, or comes when the wider one has got what it needs.
      var narrow: Recorder<Message>?
      if !isLast { narrow = Recorder(bus.signal("a/b")) }
      for _ in 0..<Self.rounds {
        let wide = Recorder(bus.signal("a/#"))
        try await wide.subscription.ready
        if isLast { narrow = Recorder(bus.signal("a/b")) }
        try await settled(bus)
        let count = narrow!.values.count
        try await eventually { narrow!.values.count > count }
        let mark = broker.log.count
        wide.subscription.dispose()
        try await settled(bus)
        try await broker.waitForLog("Received UNSUBSCRIBE", after: mark)
        let filters = broker.log.dropFirst(mark).filter { $0.hasPrefix("\t") }.map { $0.prefix(4) }
        #expect(filters == ["\ta/b", "\ta/#"])
        if isLast {
          // What was in store has been sent when a number that came later is there.
          let count = narrow!.values.count
          try await eventually { narrow!.values.count > count + 2 }
          expectInOrder(narrow!.values)
          narrow!.subscription.dispose()
        }
      }
      isDone.withLock { $0 = true }
      let last = try await numbers.value
      if !isLast {
        try await eventually { narrow!.values.last?.text == "\(last)" }
        expectInOrder(narrow!.values)
      }
      await publisher.close()
    }
  }

  /// At most one that was there before, and then live ones without a gap.
  private func expectInOrder(_ messages: [Message]) {
    let live = messages.first?.origin == .live ? messages[...] : messages.dropFirst()
    let numbers = live.compactMap { Int($0.text) }
    #expect(live.allSatisfy { $0.origin == .live })
    #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + live.count))
  }
}
