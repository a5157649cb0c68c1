import Brokers
import MQTT
import Peers
import Signals
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TakeOverTests {
  private func inUse(_ states: Collector<ConnectionState>, after delay: Duration? = nil) -> Bool {
    states.values.contains { state in
      guard case .waiting(let waited, .clientIDInUse("same")) = state else { return false }
      return delay == nil || delay == waited
    }
  }

  @Test(
    "Two clients with one id both say so, and end up waiting longest", arguments: [ProtocolVersion.v5, .v311])
  func fight(_ version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      let longest = Duration.milliseconds(800)
      var options = ConnectionOptions(broker, version)
      options.clientID = "same"
      options.backoff = Backoff(initial: .milliseconds(100), maximum: longest, jitter: 0)
      let one = try Connection(options)
      let two = try Connection(options)
      let (oneStates, oneEnd) = record(one)
      let (twoStates, twoEnd) = record(two)
      one.connect()
      two.connect()
      try await eventually("the fight is not seen") { inUse(oneStates) && inUse(twoStates) }
      try await eventually("the fight does not calm down") {
        inUse(oneStates, after: longest) && inUse(twoStates, after: longest)
      }

      // Alone, the other one gets the broker for itself.
      await one.close()
      try await eventually("not connected") {
        if case .connected? = twoStates.values.last { true } else { false }
      }
      try await two.publish(Publish(Topic("a"), "x"))
      await two.close()
      oneEnd.dispose()
      twoEnd.dispose()
    }
  }

  @Test("A foreign client with the same id is seen, too")
  func foreignClient() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.clientID = "same"
      options.backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(4), jitter: 0)
      let peer = try await Peer.subscribe(broker, "-i", "same", "-t", "a")
      let connection = try Connection(options)
      let (states, end) = record(connection)
      connection.connect()
      try await eventually("the fight is not seen") { inUse(states) }
      peer.kill()
      await connection.close()
      end.dispose()
    }
  }

  @Test("A broker of MQTT 5 that says that the session was taken over is believed at once")
  func told() async throws {
    let server = try ScriptedBroker { link in
      try link.accept()
      if link.number == 0 { try link.send(.disconnect(.sessionTakenOver)) }
      try link.serve()
    }
    var options = ConnectionOptions(server)
    options.clientID = "same"
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(1))
    try await withConnection(options) { connection, recorder in
      try await eventually("not back") { recorder.history.sessions.count == 2 }
      #expect(recorder.history.causes == [.clientIDInUse("same")])
    }
  }

  @Test("A broker that is killed and started again and again is not taken for another client")
  func restarts() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions(broker)
      options.clientID = "same"
      options.backoff = .init(initial: .seconds(1), maximum: .seconds(1)) { 0.98 }
      try await withConnection(options) { connection, recorder in
        let (states, end) = record(connection)
        for round in 2...6 {
          await broker.kill()
          try await eventually("the death went unnoticed") {
            states.values.contains { if case .waiting(_, .unreachable) = $0 { true } else { false } }
          }
          let before = states.count
          try await eventually("no attempt failed") {
            states.values.dropFirst(before).contains {
              if case .waiting(_, .unreachable) = $0 { true } else { false }
            }
          }
          try await broker.restart()
          try await eventually("not back") { recorder.history.sessions.count == round }
        }
        #expect(!inUse(states))
        end.dispose()
      }
    }
  }
}
