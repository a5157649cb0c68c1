import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// A bus that does not receive what it publishes itself.
@Suite(.timeLimit(.minutes(5))) struct EchoTests {
  @Test func `own messages do not come back, those of others and of own jobs do`() async throws {
    try await LocalBroker.with { broker in
      let bus = try Bus(.toward(broker), linger: .zero, echo: false)
      let other = try Bus(.toward(broker), linger: .zero)
      let recorder = Recorder(bus.signal("t/#"))
      let witness = Recorder(other.signal("t/#"))
      for recorder in [recorder, witness] { try await recorder.subscription.ready }
      for number in 0..<5 {
        try await bus.publish(Publish(Topic("t/own"), "\(number)"))
        try await other.publish(Publish(Topic("t/other"), "\(number)"))
      }
      try await eventually { recorder.values.count == 5 && witness.values.count == 10 }
      #expect(recorder.values.allSatisfy { $0.topic == "t/other" })

      let job = try bus.job("work", of: Int.self)
      let follower = Recorder(bus.follow("work", of: Int.self))
      let spectator = Recorder(other.follow("work", of: Int.self))
      for subscription in [follower.subscription, spectator.subscription] { try await subscription.ready }
      job.report(done: 1, of: 2)
      job.send(7)
      job.complete()
      try await job.flush()
      for recorder in [follower, spectator] {
        try await eventually("\(recorder.log)") { recorder.log.last == "completed" }
        #expect(!recorder.progress.isEmpty)
      }
      #expect(spectator.values == [7])
      await bus.close()
      await other.close()
    }
  }

  @Test func `without MQTT 5 there is no bus without echo`() throws {
    var options = ConnectionOptions(host: "127.0.0.1")
    options.version = .v311
    #expect(throws: ConnectionError.self) { try Bus(options, echo: false) }
  }

  @Test
  func `a broker that only speaks MQTT 3.1.1 fails the signals of a bus without echo, and not its publishes`()
    async throws
  {
    try await withScript(
      echo: false,
      links: [
        { link in
          let connect = try link.expectConnect()
          if connect.version == .v5 { return _ = try link.refuse(.unsupportedProtocolVersion) }
          try link.accept()
          try link.serve()
        }
      ]
    ) { broker, bus in
      let expected = "failed(a bus without echo needs MQTT 5, and the broker speaks 3.1.1)"
      let first = Recorder(bus.signal("a"))
      try await eventually { first.hasEnded }
      #expect(first.log == [expected])
      await #expect(throws: BusError.needsMQTT5("a bus without echo")) {
        try await bus.signal("a").subscribe().ready
      }
      #expect(Recorder(bus.signal("b")).log == [expected])
      try await bus.publish(Publish(Topic("a"), "x"))
      #expect(broker.subscribes().isEmpty)
    }
  }
}
