import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// A session that the broker keeps while the link is down, or says it has kept.
@Suite(.timeLimit(.minutes(5))) struct KeptSessionTests {
  private static let hour = Duration.seconds(3600)

  /// A broker behind a proxy that can be shut.
  private func withGate(
    _ version: ProtocolVersion,
    _ body: (LocalBroker, Bus, _ shut: () -> Void, _ open: () -> Void) async throws -> Void
  ) async throws {
    let configuration = ["max_queued_messages 0"]
    try await LocalBroker.with(.init(configuration: configuration)) { broker in
      let isOpen = Guarded(true)
      let proxy = try CuttingProxy(to: broker.port) { _, _ in isOpen.withLock { $0 } }
      defer { proxy.stop() }
      var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
      options.version = version
      options.sessionExpiry = Self.hour
      options.backoff = .init(initial: .milliseconds(5), maximum: .milliseconds(20))
      // Behind the gate nobody answers.
      options.connectDeadline = .milliseconds(300)
      let bus = try Bus(options, linger: .zero)
      try await bus.connect()
      // In MQTT 3.1.1 only the second link has a session that is kept.
      proxy.cut()
      try await eventually { bus.metrics.connection.connects == 2 }
      try await body(
        broker, bus,
        {
          isOpen.withLock { $0 = false }
          proxy.cut()
        }, { isOpen.withLock { $0 = true } })
      await bus.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func
    `what is published while the link is down is not missed, and what nobody wants any more is unsubscribed`(
      version: ProtocolVersion
    ) async throws
  {
    try await withGate(version) { broker, bus, shut, open in
      let numbers = Recorder(bus.signal("n/+", as: Int.self))
      let gone = Recorder(bus.signal("gone/#"))
      let back = Recorder(bus.signal("back"))
      for subscription in [numbers.subscription, gone.subscription, back.subscription] {
        try await subscription.ready
      }
      try await settled(bus)
      shut()
      try await eventually { bus.snapshot().subscriptions.allSatisfy { $0.actual == .unknown } }
      gone.subscription.dispose()
      back.subscription.dispose()
      let again = Recorder(bus.signal("back"))
      let new = Recorder(bus.signal("new"))
      let publisher = try Bus(.toward(broker))
      for number in 0..<300 {
        try await publisher.publish(Publish(Topic("n/\(number % 3)"), "\(number)"))
        if number % 10 == 0 {
          for topic in ["gone/a", "back", "new"] { try await publisher.publish(Publish(Topic(topic), "x")) }
        }
      }
      open()
      try await eventually("missed: \(numbers.values.count)") { Set(numbers.values).count == 300 }
      // A broker that sent some in vain sends them again, in order.
      var seen: Set<Int> = []
      #expect(numbers.values.filter { seen.insert($0).inserted } == Array(0..<300))
      // It was published under an identifier that nobody has any more, to a filter that somebody wants again.
      try await eventually { again.values.count >= 30 }
      #expect(gone.values.isEmpty && back.values.isEmpty)
      try await settled(bus)
      #expect(Set(broker.held.keys) == ["n/+", "back", "new"])
      try await publisher.publish(Publish(Topic("new"), "y"))
      try await eventually { new.values.map(\.text) == ["y"] }
      for subscription in [numbers.subscription, again.subscription, new.subscription] {
        subscription.dispose()
      }
      try await settled(bus)
      #expect(broker.held.isEmpty && bus.snapshot().subscriptions.isEmpty)
      #expect(bus.metrics.connection.connects == 3)
      await publisher.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a broker that is stopped and started again with its sessions has nothing that nobody wants`(
    version: ProtocolVersion
  ) async throws {
    try await LocalBroker.with(.init(storage: .temporary)) { broker in
      var options = ConnectionOptions.toward(broker, version: version)
      options.sessionExpiry = Self.hour
      let bus = try Bus(options, linger: .zero)
      let states = Recorder(bus.state)
      let stays = Recorder(bus.signal("stays"))
      let goes = Recorder(bus.signal("goes"))
      for _ in 0..<2 {
        try await settled(bus)
        await broker.terminate()
        goes.subscription.dispose()
        try await broker.restart()
        try await settled(bus)
      }
      let present = states.values.compactMap { state in
        if case .connected(let session) = state { session.isPresent } else { nil }
      }
      // After a clean start not every broker stores a session.
      #expect(present.count == 3 && present.last == true)
      for topic in ["goes", "stays"] { try await Peer.publish(broker, "-t", topic, "-m", "x") }
      try await eventually { stays.values.count == 1 }
      #expect(bus.snapshot().subscriptions.map(\.filter.name) == ["stays"])
      #expect(bus.metrics.unrouted == 0)
      await bus.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `messages under identifiers of an older generation reach who wants the filter again`(
    version: ProtocolVersion
  ) async throws {
    let (isCut, isBack) = (Guarded(false), Guarded(false))
    try await withScript(
      version,
      links: [
        { link in
          try link.accept()
          for _ in 0..<2 {
            let subscribe = try link.expectSubscribe()
            try link.send(.suback(subscribe.id, subscribe.filters.map { _ in .granted(1) }))
            if subscribe.filters.count == 2 { break }
          }
          try link.wait(for: "the observers") { isCut.withLock { $0 } }
        },
        { link in
          func send(_ text: String) throws {
            let properties: [Packet.Property] = version == .v5 ? [.subscriptionIdentifier(1)] : []
            try link.send(.publish("a", text, properties: properties))
          }
          try link.wait(for: "another generation") { isBack.withLock { $0 } }
          try link.accept(sessionPresent: true)
          try send("early")
          try link.serve { packet in
            guard case .subscribe(let subscribe) = packet else { return false }
            try link.send(.suback(subscribe.id, subscribe.filters.map { .granted($0.qos) }))
            try send("late")
            return true
          }
        },
      ], options: { $0.sessionExpiry = Self.hour }
    ) { broker, bus in
      let first = Recorder(bus.signal("a"))
      let other = Recorder(bus.signal("b"))
      for recorder in [first, other] { try await recorder.subscription.ready }
      isCut.withLock { $0 = true }
      try await eventually { bus.snapshot().subscriptions.allSatisfy { $0.actual == .unknown } }
      first.subscription.dispose()
      let second = Recorder(bus.signal("a"))
      other.subscription.dispose()
      isBack.withLock { $0 = true }
      try await eventually { second.values.count >= 2 }
      #expect(second.values.prefix(2).map(\.text) == ["early", "late"])
      try await settled(bus)
      #expect(first.values.isEmpty && other.values.isEmpty)
      #expect(broker.unsubscribed() == ["b"])
      second.subscription.dispose()
      try await settled(bus)
      #expect(broker.unsubscribed() == ["b", "a"])
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a broker that claims a session which it does not have is asked for all that is wanted`(
    version: ProtocolVersion
  ) async throws {
    let filters = ["a", "b/#", "c/+"]
    try await withScript(
      version,
      links: [
        { link in
          try link.accept()
          var count = 0
          while count < filters.count {
            let subscribe = try link.expectSubscribe()
            count += subscribe.filters.count
            try link.send(.suback(subscribe.id, subscribe.filters.map { _ in .granted(1) }))
          }
          try link.reset()
        },
        { link in
          try link.accept(sessionPresent: true)
          try link.serve()
        },
      ], options: { $0.sessionExpiry = Self.hour }
    ) { broker, bus in
      let recorders = filters.map { Recorder(bus.signal($0)) }
      try await eventually { Set(broker.subscribes(on: 1).flatMap(\.names)) == Set(filters) }
      try await settled(bus)
      // What it has in store it is to send, too: the session may have been another one.
      #expect(broker.subscribes(on: 1).allSatisfy { $0.filters.allSatisfy { $0.retainHandling == 0 } })
      #expect(recorders.allSatisfy { $0.events.isEmpty })
    }
  }
}
