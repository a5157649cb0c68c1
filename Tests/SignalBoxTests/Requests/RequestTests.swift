import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestTests {
  @Test func `a question gets its answer, and the reply topic is subscribed to only meanwhile`() async throws
  {
    try await withBroker { broker, bus in
      try await bus.isServed { try bus.respond(to: "lamp/get") { "\($0) is on" } }
      let answer = try await bus.request("lamp/get", "state", timeout: .seconds(120))
      #expect(answer.payload == Array("lamp/get state is on".utf8))
      #expect(answer.topic.hasPrefix("signalbox/reply/"))
      try await broker.waitForLog("Sending UNSUBACK")
      let mark = broker.log.count
      #expect(
        try await bus.request("lamp/get", 7, timeout: .seconds(120)).payload == Array("lamp/get 7 is on".utf8)
      )
      try await broker.waitForLog("Sending UNSUBACK", after: mark)
      let topics = broker.log.filter { $0.hasPrefix("\tsignalbox/reply/") }.map { $0.prefix { $0 != " " } }
      #expect(Set(topics).count == 1)
    }
  }

  @Test func `values are asked for and answered as values`() async throws {
    try await withBroker { _, bus in
      try await bus.isServed {
        try bus.respond(to: "sum", as: [Double].self) { $0.reduce(0, +) }
      }
      #expect(try await bus.request("sum", [1.5, 2], as: Double.self, timeout: .seconds(120)) == 3.5)
      await #expect(
        throws: PayloadError(
          #"the answer on "sum": "3.5" is no Bool: true or false, on or off, 1 or 0"#)
      ) {
        try await bus.request("sum", [1.5, 2], as: Bool.self, timeout: .seconds(120))
      }
      await #expect(
        throws: PayloadError(#"the question on "sum": nan can't be sent: only finite numbers can"#)
      ) {
        try await bus.request("sum", Double.nan, timeout: .seconds(120))
      }
    }
  }

  @Test func `a thousand requests at once each get their own answer`() async throws {
    try await withBroker { broker, bus in
      let server = try Bus(.toward(broker))
      try await bus.isServed { try server.respond(to: "double", as: Int.self) { $0 * 2 } }
      try await withThrowingTaskGroup(of: (Int, Int).self) { group in
        for number in 0..<1_000 {
          group.addTask {
            (number, try await bus.request("double", number, as: Int.self, timeout: .seconds(120)))
          }
        }
        for try await (number, answer) in group { #expect(answer == number * 2) }
      }
      #expect(broker.packets("SUBSCRIBE") == 2, "one for the questions, one for the answers")
      await server.close()
    }
  }

  @Test func `mosquitto_rr is answered`() async throws {
    try await withBroker { broker, bus in
      try await bus.isServed { try bus.respond(to: "shout", as: String.self) { $0.uppercased() } }
      let lines = try await Peer.request(broker, "-V", "5", "-t", "shout", "-e", "my/reply", "-m", "hello")
      #expect(lines == ["HELLO"])
    }
  }

  @Test func `an answer with other correlation data or none, or a second one, is nobody's`() async throws {
    try await withBroker { broker, bus in
      try await bus.isServed {
        try bus.respond(to: "ask", as: Int.self) { (number: Int) in number }
      }
      let service = bus.signal("strange").subscribe { question in
        guard let topic = question.properties.responseTopic else { return }
        let own = question.properties.correlationData
        let wrong: [([UInt8]?, String)] = [
          (nil, "none"), ([], "empty"), ([1, 2], "other"), (own, "right"), (own, "second"),
        ]
        Task {
          for (correlation, text) in wrong {
            try await bus.publish(
              Publish(topic, text, properties: MessageProperties(correlationData: correlation)))
          }
        }
      }
      try await service.ready
      #expect(try await bus.request("strange", "", as: String.self, timeout: .seconds(120)) == "right")
      #expect(try await bus.request("ask", 4, as: Int.self, timeout: .seconds(120)) == 4)
    }
  }

  @Test func `a time-out names topic and time, and the late answer is nobody's`() async throws {
    try await LocalBroker.with { broker in
      let slow = try Topic("slow")
      let time = VirtualScheduler()
      let bus = try Bus(.toward(broker), linger: .zero, scheduler: time)
      let server = try Bus(.toward(broker))
      let questions = Subject<String>(replay: 9)
      let gate = Subject<Void>(replay: 1)
      try await bus.isServed {
        try server.respond(to: "slow", as: String.self) { (question: String) in
          questions.send(question)
          if question == "first" { try await gate.signal.first() }
          return question
        }
      }
      let first = Task { try await bus.request("slow", "first", as: String.self, timeout: .seconds(3)) }
      // What keeps the reply topic subscribed to, so that the late answer does come.
      let other = Task { try await bus.request("quiet", "", timeout: .seconds(100)) }
      let quiet = server.signal("quiet").subscribe()
      try await quiet.ready
      #expect(try await questions.signal.first() == "first")
      time.advance(by: .seconds(3))
      let error = await #expect(throws: RequestError.timedOut(slow, after: .seconds(3))) {
        try await first.value
      }
      #expect(
        error?.description.hasPrefix(#"no answer to the request on "slow" came within 3.0 s"#) == true)
      gate.send()
      #expect(try await bus.request("slow", "second", as: String.self, timeout: .seconds(120)) == "second")
      time.advance(by: .seconds(100))
      _ = await other.result
      await server.close()
      await bus.close()
    }
  }

  @Test func `nobody there is told at once`() async throws {
    try await withBroker { _, bus in
      let desert = try Topic("desert")
      await #expect(throws: RequestError.nobodyResponds(desert)) {
        try await bus.request("desert", "", timeout: .seconds(3_600))
      }
    }
  }

  @Test func `a question that this user may not send is refused at once`() async throws {
    try await withBroker(.init(accessRules: ["topic read #", "topic write open"])) { _, bus in
      let secret = try Topic("secret")
      await #expect(throws: ConnectionError.publishRefused(secret, .notAuthorized)) {
        try await bus.request("secret", "", timeout: .seconds(3_600))
      }
    }
  }

  @Test func `a reply topic that the broker refuses fails the request and sends no question`() async throws {
    let rules = try SubscriptionRules(allowing: "open/#")
    try await withBroker(.init(configuration: try rules.configuration)) { broker, bus in
      let error = await #expect(throws: BusError.self) {
        try await bus.request("open/a", "", timeout: .seconds(3_600))
      }
      #expect(error?.description.contains("refused the subscription to \"signalbox/reply/") == true)
      #expect(broker.packets("PUBLISH") == 0)
    }
  }

  @Test func `MQTT 3.1.1 that was asked for is an error before anything is sent`() async throws {
    try await withBroker(version: .v311) { broker, bus in
      await #expect(throws: RequestError.needsMQTT5) { try await bus.request("a", "") }
      #expect(throws: RequestError.needsMQTT5) { try bus.respond(to: "a") { $0.payload } }
      #expect(broker.packets("CONNECT") == 0)
    }
  }

  @Test func `MQTT 3.1.1 that the broker fell back to is an error, too, once that is known`() async throws {
    let server = try ScriptedBroker { link in
      guard try link.expectConnect().version == .v311 else { return try link.close() }
      try link.accept()
      try link.serve()
    }
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(server.port))
    options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(100))
    let bus = try Bus(options)
    for _ in 0..<2 {
      await #expect(throws: RequestError.needsMQTT5) {
        try await bus.request("a", "", timeout: .seconds(3_600))
      }
    }
    await bus.close()
  }

  @Test func `a bus that closes, or is closed, ends requests`() async throws {
    try await withBroker { _, bus in
      let questions = Subject<Void>(replay: 1)
      let silent = bus.signal("silent").subscribe { _ in questions.send() }
      try await silent.ready
      let waiting = Task { try await bus.request("silent", "", timeout: .seconds(3_600)) }
      try await questions.signal.first()
      await bus.close()
      await #expect(throws: BusError.closed) { try await waiting.value }
      await #expect(throws: BusError.closed) { try await bus.request("a", "") }
    }
  }

  @Test func `a cancelled task ends its request and no other`() async throws {
    try await withBroker { broker, bus in
      let questions = Subject<Void>(replay: 9)
      let gate = Subject<Void>(replay: 1)
      try await bus.isServed {
        try bus.respond(to: "held") { _ in
          questions.send()
          try await gate.signal.first()
          return "answer"
        }
      }
      let leaving = Task { try await bus.request("held", "", timeout: .seconds(3_600)) }
      let staying = Task { try await bus.request("held", "", as: String.self, timeout: .seconds(3_600)) }
      for try await _ in questions.signal.take(2).values() {}
      leaving.cancel()
      await #expect(throws: CancellationError.self) { try await leaving.value }
      gate.send()
      #expect(try await staying.value == "answer")
    }
  }

  @Test func `without a connection it is not the responder that is blamed`() async throws {
    let time = VirtualScheduler()
    try await LocalBroker.with { broker in
      let bus = try Bus(.toward(broker), scheduler: time)
      let responder = try bus.respond(to: "echo") { $0.payload }
      try await responder.ready
      await broker.kill()
      let states = bus.state.values()
      var cause: ConnectionError?
      for try await state in states where cause == nil {
        if case .waiting(_, let reason) = state, case .unreachable = reason { cause = reason }
        if cause != nil { break }
      }
      let request = Task { try await bus.request("echo", "there?", timeout: .seconds(3)) }
      try await eventually { bus.snapshot().description.contains("signalbox/reply/") }
      time.advance(by: .seconds(3))
      let error = await #expect(throws: RequestError.self) { try await request.value }
      #expect(error == .notConnected(try Topic("echo"), after: .seconds(3), cause: cause))
      #expect(error?.description.contains("refused") == true, "\(error as Any)")
      await bus.close(deadline: .zero)
    }
  }

  @Test func `a request made while the broker is away is answered when it is back`() async throws {
    try await withBroker(linger: .seconds(2)) { broker, bus in
      try await bus.isServed { try bus.respond(to: "echo") { $0.payload } }
      await broker.kill()
      async let answer = bus.request("echo", "there?", as: String.self, timeout: .seconds(3_600))
      try await broker.restart()
      #expect(try await answer == "there?")
    }
  }
}

extension Bus {
  /// Returns when the broker has the subscription of a service.
  func isServed(by service: () throws -> Subscription) async throws {
    try await service().ready
  }
}
