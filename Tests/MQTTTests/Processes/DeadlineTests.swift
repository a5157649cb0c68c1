import Brokers
import MQTT
import Peers
import Signals
import Testing

/// Nothing hangs on a broker that has stopped to answer: each call that can be waited for ends by its deadline.
///
/// The bounds are ten times what is promised; a call that hangs takes longer than that.
@Suite(.timeLimit(.minutes(4)))
struct DeadlineTests {
  private func took(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start
  }

  private func expectTimeOut(_ body: () async throws -> Void) async {
    let time = await took {
      let error = await #expect(throws: ConnectionError.self) { try await body() }
      if case .timedOut = error {} else { Issue.record("\(String(describing: error))") }
    }
    #expect(time >= .milliseconds(990) && time < .seconds(10), "\(time)")
  }

  @Test(
    "Every call to a halted broker ends: subscribe and unsubscribe by their deadline, the rest by that of close",
    arguments: [ProtocolVersion.v5, .v311])
  func halted(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker, version)
      options.acknowledgementDeadline = .seconds(1)
      let connection = try Connection(options)
      let recorder = Recorder()
      connection.connect(delegate: recorder)
      try await eventually("no connection") { !recorder.history.sessions.isEmpty }
      await broker.suspend()

      let filter = try TopicFilter("a")
      await expectTimeOut { _ = try await connection.subscribe([Subscribe(filter)]) }
      await expectTimeOut { try await connection.unsubscribe([filter]) }

      // Large ones, so that the socket is full and even QoS 0 has to wait.
      let topic = try Topic("a")
      let payload = [UInt8](repeating: 0, count: 1_000_000)
      let ends = Collector<String>()
      let publishers = [QoS.atMostOnce, .atLeastOnce, .exactlyOnce].flatMap { qos in
        (0..<20).map { _ in
          Task {
            do { ends.add("\(try await connection.publish(Publish(topic, payload, qos: qos)))") } catch {
              ends.add("\(error)")
            }
          }
        }
      }
      // And requests behind them, which are not even written.
      try await eventually("the socket takes it all") { connection.metrics.outbox.count > 0 }
      await expectTimeOut { _ = try await connection.subscribe([Subscribe(filter)]) }
      let time = await took { await connection.close(deadline: .seconds(1)) }
      #expect(time < .seconds(10), "\(time)")
      for publisher in publishers { await publisher.value }
      #expect(ends.count == 60)
      #expect(ends.values.contains("\(ConnectionError.closed)"))
      await broker.resume()
    }
  }

  @Test("An attempt to connect to a halted broker ends by its deadline, and close during it by its own")
  func connecting() async throws {
    try await LocalBroker.with { broker in
      await broker.suspend()
      var options = ConnectionOptions(broker)
      options.connectDeadline = .seconds(1)
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      let topic = try Topic("a")
      let filter = try TopicFilter("a")
      await #expect(throws: ConnectionError.notConnected) {
        _ = try await connection.subscribe([Subscribe(filter)])
      }
      let waiting = Task { try await connection.publish(Publish(topic, "x")) }
      let time = try await took {
        try await eventually("it hangs") {
          states.values.contains { if case .waiting(_, .timedOut) = $0 { true } else { false } }
        }
      }
      #expect(time < .seconds(10), "\(time)")
      let closing = await took { await connection.close(deadline: .seconds(1)) }
      #expect(closing < .seconds(10), "\(closing)")
      await #expect(throws: ConnectionError.closed) { _ = try await waiting.value }
      await broker.resume()
      end.dispose()
    }
  }
}
