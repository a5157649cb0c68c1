import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// What a bus could not send before it was closed is not lost without a word.
@Suite(.timeLimit(.minutes(5))) struct UnsentTests {
  @Test func `a bus that is closed without a connection tells what it could not send, once`() async throws {
    try await withBroker { broker, bus in
      try await bus.connect()
      await broker.kill()
      for try await state in bus.state.values() { if case .waiting = state { break } }
      let problems = Recorder(bus.problems)
      let subject = try bus.subject(to: "a", as: Int.self)
      subject.send(1)
      subject.send(2)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await bus.close(deadline: .milliseconds(10)) } }
      }
      #expect(problems.values.map(\.topic) == [""])
      let text = problems.values.first?.description ?? ""
      #expect(text.hasPrefix("2 messages not sent: the bus was closed without a connection: "), "\(text)")
      #expect(problems.log.last == "completed" && bus.metrics.unsent == 2)
      subject.send(3)
      #expect(bus.metrics.unsent == 3 && bus.metrics.description.contains("unsent 3"))
    }
  }

  @Test func `a broker that does not answer may or may not have them`() async throws {
    try await withBroker { broker, bus in
      try await bus.connect()
      await broker.suspend()
      let problems = Recorder(bus.problems)
      try bus.subject(to: "a", as: Int.self).send(1)
      await bus.close(deadline: .milliseconds(10))
      await broker.resume()
      #expect(problems.values.first?.description.hasPrefix("1 message perhaps not sent: ") == true)
      #expect(problems.values.count == 1 && bus.metrics.unsent == 1)
    }
  }

  @Test func `the last words of a job count too`() async throws {
    try await withBroker { broker, bus in
      try await bus.connect()
      await broker.kill()
      let job = try bus.job("work", of: Int.self)
      job.send(1)
      await bus.close(deadline: .milliseconds(10))
      // Its value and its state.
      #expect(bus.metrics.unsent >= 2, "\(bus.metrics)")
    }
  }

  @Test func `what a bus has sent is nothing to tell`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let subject = try bus.subject(to: "a", as: Int.self)
      for number in 0..<100 { subject.send(number) }
      await bus.close()
      #expect(problems.log == ["completed"] && bus.metrics.unsent == 0)
    }
  }
}
