import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Runs a test with a broker and a bus that are both gone afterwards.
func withBroker(
  _ options: LocalBroker.Options = .init(), version: ProtocolVersion = .v5, linger: Duration = .zero,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (LocalBroker, Bus) async throws -> Void
) async throws {
  try await LocalBroker.with(options) { broker in
    let bus = try Bus(.toward(broker, version: version), linger: linger)
    do {
      try await body(broker, bus)
      await bus.close()
    } catch {
      await bus.close()
      throw error
    }
  }
}

/// Waits until the broker has what the bus wants, and nothing else.
func settled(_ bus: Bus, isolation: isolated (any Actor)? = #isolation) async throws {
  try await eventually("not settled: \(bus.snapshot())") { bus.snapshot().isSettled }
}

extension ConnectionOptions {
  static func toward(_ broker: LocalBroker, version: ProtocolVersion = .v5) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(broker.port))
    options.version = version
    options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(100))
    return options
  }
}

extension LocalBroker {
  nonisolated func packets(_ name: String, after mark: Int = 0) -> Int {
    log.dropFirst(mark).filter { $0.contains("Received \(name) from") }.count
  }
}

@Suite(.timeLimit(.minutes(5))) struct BusTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `many local subscribers make one SUBSCRIBE, and the last one leaving one UNSUBSCRIBE`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let signal = bus.signal("home/+/temperature", as: Double.self)
      let recorders = (0..<5).map { _ in Recorder(signal) }
      try await settled(bus)
      try await Peer.publish(broker, "-t", "home/kitchen/temperature", "-m", "21.5")
      for recorder in recorders { try await eventually { recorder.values == [21.5] } }
      let late = Recorder(bus.signal("home/+/temperature"))
      try await Peer.publish(broker, "-t", "home/attic/temperature", "-m", "30")
      try await eventually { late.values.last?.topic == "home/attic/temperature" }
      #expect(broker.packets("SUBSCRIBE") == 1)
      for recorder in recorders { recorder.subscription.dispose() }
      #expect(recorders.allSatisfy { $0.values == [21.5, 30] })
      #expect(broker.packets("UNSUBSCRIBE") == 0)
      late.subscription.dispose()
      try await broker.waitForLog("Sending UNSUBACK")
      #expect(broker.packets("UNSUBSCRIBE") == 1)
    }
  }

  @Test func `the broker keeps the subscription for the linger, and who comes back sends no packet`()
    async throws
  {
    try await LocalBroker.with { broker in
      let time = VirtualScheduler()
      let bus = try Bus(.toward(broker), linger: .seconds(2), scheduler: time)
      let first = Recorder(bus.signal("a"))
      try await settled(bus)
      first.subscription.dispose()
      time.advance(by: .milliseconds(1999))
      let second = Recorder(bus.signal("a"))
      time.advance(by: .seconds(60))
      try await Peer.publish(broker, "-t", "a", "-m", "1")
      try await eventually { second.values.count == 1 }
      #expect(broker.packets("SUBSCRIBE") == 1)
      #expect(broker.packets("UNSUBSCRIBE") == 0)
      second.subscription.dispose()
      time.advance(by: .seconds(2))
      try await broker.waitForLog("Sending UNSUBACK")
      let third = Recorder(bus.signal("a"))
      try await settled(bus)
      third.subscription.dispose()
      await bus.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `overlapping filters give each observer one copy`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      let filters = ["#", "a/#", "a/+", "a/b", "+/b"]
      let recorders = filters.map { Recorder(bus.signal($0)) }
      for recorder in recorders { try await recorder.subscription.ready }
      for payload in ["1", "2"] { try await Peer.publish(broker, "-t", "a/b", "-m", payload) }
      try await Peer.publish(broker, "-t", "end", "-m", "3")
      try await eventually { recorders[0].values.last?.topic == "end" }
      #expect(recorders[0].values.map(\.topic) == ["a/b", "a/b", "end"])
      for recorder in recorders.dropFirst() { #expect(recorder.values.map(\.topic) == ["a/b", "a/b"]) }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a late subscriber gets the retained value of every topic at once, an early one no repeat`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      try await Peer.publish(broker, "-t", "home/a", "-r", "-m", "1")
      try await Peer.publish(broker, "-t", "home/b", "-r", "-m", "2")
      let early = Recorder(bus.signal("home/+"))
      try await eventually { early.values.count == 2 }
      #expect(early.values.allSatisfy { $0.origin == .stored })
      try await Peer.publish(broker, "-t", "home/a", "-r", "-m", "3")
      try await eventually { early.values.count == 3 }
      #expect(early.values.last?.origin == .live)
      let late = Recorder(bus.signal("home/+", as: Int.self))
      try await eventually { late.values == [3, 2] }
      #expect(early.values.count == 3)
      #expect(broker.packets("SUBSCRIBE") == 1)
      // A cleared one is forgotten.
      try await Peer.publish(broker, "-t", "home/a", "-r", "-n")
      try await eventually { early.values.count == 4 }
      let later = Recorder(bus.signal("home/+", as: Int.self))
      try await eventually { later.values == [2] }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a broker that is killed and comes back finds every subscription and every unacked publish again`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let recorders = (0..<20).map { Recorder(bus.signal("k/\($0)", as: Int.self)) }
      let all = Recorder(bus.signal("all/#", as: Int.self))
      for recorder in recorders + [all] { try await recorder.subscription.ready }
      await broker.kill()
      let numbers = try bus.subject(to: "all/numbers", as: Int.self)
      for number in 0..<500 { numbers.send(number) }
      try await broker.restart()
      for (index, recorder) in recorders.enumerated() {
        try await eventually {
          try await Peer.publish(broker, "-t", "k/\(index)", "-m", "\(index)")
          return recorder.values.last == index
        }
      }
      try await eventually { Set(all.values).count == 500 }
      #expect(all.values.first == 0)
    }
  }

  @Test func `the same retained value after a reconnect is not delivered again, a new one is`() async throws {
    try await withBroker(.init(storage: .temporary)) { broker, bus in
      try await Peer.publish(broker, "-t", "s/a", "-r", "-q", "1", "-m", "1")
      try await Peer.publish(broker, "-t", "s/b", "-r", "-q", "1", "-m", "1")
      let recorder = Recorder(bus.signal("s/+"))
      try await eventually { recorder.values.count == 2 }
      await broker.terminate()
      try await broker.restart()
      try await settled(bus)
      try await Peer.publish(broker, "-t", "s/b", "-r", "-m", "2")
      try await eventually { recorder.values.count == 3 }
      #expect(recorder.values.last?.payload == Array("2".utf8))
    }
  }

  @Test func `a bad filter fails its signal and never reaches the broker`() async throws {
    try await withBroker { broker, bus in
      for filter in ["", "a#", "a+", "#/a", "$share/g", "a\u{0}"] {
        let recorder = Recorder(bus.signal(filter))
        #expect(recorder.events.count == 1 && recorder.hasEnded, "\(filter)")
      }
      #expect(broker.packets("CONNECT") == 0)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a refused filter fails its own observers, and the next one tries again`(
    version: ProtocolVersion
  ) async throws {
    let rules = try SubscriptionRules(allowing: "open/#")
    try await withBroker(.init(configuration: try rules.configuration), version: version) { broker, bus in
      let open = Recorder(bus.signal("open/a"))
      let secret = Recorder(bus.signal("secret/#"))
      try await eventually { secret.hasEnded }
      #expect(secret.log.count == 1)
      #expect(secret.log.first?.contains(#"refused the subscription to "secret/#""#) == true)
      let again = Recorder(bus.signal("secret/#"))
      try await eventually { again.hasEnded }
      #expect(broker.log.count { $0.hasPrefix("\tsecret/#") } == 2)
      try await Peer.publish(broker, "-t", "open/a", "-m", "1")
      try await eventually { open.values.count == 1 }
    }
  }

  @Test func `a payload that does not decode is a problem and not an end`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let recorder = Recorder(bus.signal("t/#", as: Double.self))
      try await settled(bus)
      for (topic, payload) in [("t", "nan"), ("t", "{}"), ("t/_state", "running"), ("t", "7")] {
        try await Peer.publish(broker, "-t", topic, "-m", payload)
      }
      try await eventually { recorder.values == [7] }
      #expect(problems.values.map(\.reason) == [#""nan" is no number"#, #""{}" is no number"#])
    }
  }

  @Test func `close completes every signal, and what comes later fails in words`() async throws {
    try await withBroker { broker, bus in
      let states = Recorder(bus.state)
      let recorder = Recorder(bus.signal("a"))
      try await settled(bus)
      await bus.close()
      #expect(recorder.log == ["completed"])
      #expect(states.log.suffix(2) == ["next(closed)", "completed"])
      #expect(states.values.filter { $0 == .closed(nil) }.count == 1)
      #expect(Recorder(bus.signal("a")).log == ["failed(the bus is closed: make a new one)"])
      await bus.close()
      try await broker.waitForLog("Received DISCONNECT")
    }
  }

  @Test func `a wrong password fails the signals once, in words without it`() async throws {
    try await LocalBroker.with(.init(users: ["ann": "right"])) { broker in
      var options = ConnectionOptions.toward(broker)
      options.user = "ann"
      options.password = "wrong-secret"
      let bus = try Bus(options)
      let recorder = Recorder(bus.signal("a"))
      try await eventually { recorder.hasEnded }
      #expect(recorder.log.count == 1)
      #expect(recorder.log.first?.contains("check user and password") == true)
      #expect(recorder.log.first?.contains("wrong-secret") == false)
      await bus.close()
    }
  }

  @Test func `a handler may subscribe, publish and dispose`() async throws {
    try await withBroker { broker, bus in
      let echo = try bus.subject(to: "echo", as: String.self)
      let answers = Lock<[Recorder<String>]>([])
      let questions = bus.signal("question", as: String.self).subscribe { question in
        let recorder = Recorder(bus.signal("echo", as: String.self))
        answers.withLock { $0.append(recorder) }
        echo.send("re: \(question)")
      }
      try await settled(bus)
      try await Peer.publish(broker, "-t", "question", "-m", "why")
      try await eventually { answers.withLock { $0.first }?.values == ["re: why"] }
      questions.dispose()
    }
  }

  @Test func `subscribing and disposing from many threads ends in what is wanted`() async throws {
    try await withBroker { broker, bus in
      let stable = Recorder(bus.signal("f/0", as: Int.self))
      try await settled(bus)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for step in 0..<300 { bus.signal("f/\(step % 10)").subscribe().dispose() }
          }
        }
      }
      let last = Recorder(bus.signal("f/1", as: Int.self))
      try await eventually {
        try await Peer.publish(broker, "-t", "f/1", "-m", "1")
        return last.values.contains(1)
      }
      try await Peer.publish(broker, "-t", "f/0", "-m", "5")
      try await eventually { stable.values == [5] }
      // Replayed from the broker's log: what it holds now is what is wanted.
      last.subscription.dispose()
      try await eventually { broker.held.keys.sorted() == ["f/0"] }
    }
  }
}
