import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RespondTests {
  @Test func `a filter with wildcards answers all its topics, and its own answers are no questions`()
    async throws
  {
    try await withBroker { _, bus in
      let problems = Recorder(bus.problems)
      try await bus.isServed { try bus.respond(to: "#") { "\($0.topic)" } }
      for topic in ["a", "b/c"] {
        #expect(try await bus.request(topic, "", as: String.self, timeout: .seconds(120)) == topic)
      }
      #expect(problems.values.isEmpty)
    }
  }

  @Test func `those of a shared group get each question once between them`() async throws {
    try await withBroker { broker, bus in
      let others = [try Bus(.toward(broker)), try Bus(.toward(broker))]
      let questions = Lock([0, 0])
      for (index, other) in others.enumerated() {
        try await other.isServed {
          try other.respond(to: "$share/workers/work/+", as: Int.self) { (number: Int) in
            questions.withLock { $0[index] += 1 }
            return number
          }
        }
      }
      for number in 0..<40 {
        #expect(
          try await bus.request("work/\(number)", number, as: Int.self, timeout: .seconds(120)) == number)
      }
      let counts = questions.withLock { $0 }
      #expect(counts.reduce(0, +) == 40)
      #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
      for other in others { await other.close() }
    }
  }

  private struct OutOfOrder: Error, CustomStringConvertible {
    var description: String { "out of order" }
  }

  @Test func `what can't be answered is a problem, and the service goes on`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let calls = Lock(0)
      try await bus.isServed {
        try bus.respond(to: "half", as: Int.self) { (number: Int) in
          calls.withLock { $0 += 1 }
          if number % 2 == 1 { throw OutOfOrder() }
          return number / 2
        }
      }
      let half = try Topic("half")
      await #expect(throws: RequestError.timedOut(half, after: .milliseconds(200))) {
        try await bus.request("half", 3, timeout: .milliseconds(200))
      }
      await #expect(throws: RequestError.self) {
        try await bus.request("half", "three", timeout: .milliseconds(200))
      }
      try await Peer.publish(broker, "-V", "5", "-t", "half", "-m", "8")
      try await eventually { problems.values.count == 3 }
      #expect(
        problems.values.map(\.reason) == [
          "not answered: out of order", #"not answered: "three" is no Int"#,
          "a question without a response topic: ask with MQTT 5",
        ])
      #expect(try await bus.request("half", 8, as: Int.self, timeout: .seconds(120)) == 4)
      #expect(calls.withLock { $0 } == 2)
    }
  }

  @Test func `a slow answer holds up no other, and a disposal cancels it`() async throws {
    try await withBroker { _, bus in
      let history = Subject<String>(replay: 9)
      let service = try bus.respond(to: "work", as: String.self) { (question: String) in
        guard question == "slow" else { return question }
        history.send("begun")
        do {
          return try await Signal<String>.never.first()
        } catch {
          history.send("\(error)")
          throw error
        }
      }
      try await bus.isServed { service }
      let slow = Task { try await bus.request("work", "slow", timeout: .seconds(3_600)) }
      #expect(try await history.signal.first() == "begun")
      #expect(try await bus.request("work", "quick", as: String.self, timeout: .seconds(120)) == "quick")
      let problems = Recorder(bus.problems)
      service.dispose()
      #expect(try await history.signal.filter { $0 != "begun" }.first() == "CancellationError()")
      #expect(problems.values.isEmpty)
      slow.cancel()
    }
  }

  @Test func `a filter that is none throws, and one that the broker refuses is a problem`() async throws {
    let rules = try SubscriptionRules(allowing: "open/#")
    try await withBroker(.init(configuration: try rules.configuration)) { _, bus in
      #expect(throws: TopicError.self) { try bus.respond(to: "a#") { $0.payload } }
      let problems = Recorder(bus.problems)
      let service = try bus.respond(to: "secret") { $0.payload }
      try await eventually { problems.values.count == 1 }
      #expect(problems.values.first?.reason.hasPrefix("nobody responds any more: the broker refused") == true)
      await #expect(throws: BusError.self) { try await service.ready }
    }
  }
}
