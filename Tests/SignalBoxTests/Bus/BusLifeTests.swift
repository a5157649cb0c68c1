import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// The ways in which a bus ends, and comes back.
@Suite(.timeLimit(.minutes(5))) struct BusLifeTests {
  private struct Wrong: Error {}

  enum Exit: CaseIterable { case returns, throwsError, isCancelled }

  @Test(arguments: Exit.allCases)
  func `withBus says goodbye and completes its signals on every way out`(exit: Exit) async throws {
    try await LocalBroker.with { broker in
      let recorder = Guarded<Recorder<Message>?>(nil)
      let task = Task {
        try await withBus(.toward(broker)) { bus in
          let own = Recorder(bus.signal("a"))
          try await own.subscription.ready
          recorder.withLock { $0 = own }
          switch exit {
          case .returns: return 7
          case .throwsError: throw Wrong()
          case .isCancelled:
            for try await _ in bus.signal("b").values() {}
            try Task.checkCancellation()
            return 0
          }
        }
      }
      if exit == .isCancelled {
        try await broker.waitForLog("Sending SUBACK", count: 2)
        task.cancel()
      }
      switch (exit, await task.result) {
      case (.returns, .success(7)): break
      case (.throwsError, .failure(let error)): #expect(error is Wrong)
      case (.isCancelled, .failure(let error)): #expect(error is CancellationError)
      case (_, let result): Issue.record("\(result)")
      }
      #expect(recorder.withLock { $0 }?.log == ["completed"])
      try await broker.waitForLog("Received DISCONNECT")
      #expect(broker.packets("CONNECT") == 0)
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `at the close each observer gets what came and one completion, whatever it is behind`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let recorders = ["a", "a", "a/#", "+"].map { Recorder(bus.signal($0)) }
      let typed = Recorder(bus.signal("a", as: Int.self))
      for recorder in recorders { try await recorder.subscription.ready }
      try await Peer.publish(broker, "-t", "a", "-m", "1", "-q", "1")
      for recorder in recorders { try await eventually { recorder.values.count == 1 } }
      // From several sides at once.
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await bus.close() } }
      }
      #expect(recorders.allSatisfy { $0.events.count == 2 && $0.log.last == "completed" })
      #expect(typed.log == ["next(1)", "completed"])
      await #expect(throws: BusError.closed) { try await bus.signal("a").subscribe().ready }
      await #expect(throws: ConnectionError.closed) { try await bus.publish(Publish(Topic("a"), "x")) }
      await #expect(throws: ConnectionError.closed) { try await bus.connect() }
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a refusal for good fails all that waits, once, and the next subscriber connects again`(
    version: ProtocolVersion
  ) async throws {
    let mayConnect = Guarded(false)
    try await withScript(
      version,
      links: [
        { link in
          try link.expectConnect()
          try link.wait(for: "those who wait") { mayConnect.withLock { $0 } }
          try link.refuse(version == .v5 ? .notAuthorized : Packet.Reason(rawValue: 5))
        },
        { try $0.serve() },
      ]
    ) { broker, bus in
      let states = Recorder(bus.state)
      let recorders = ["a", "a", "b/#"].map { Recorder(bus.signal($0)) }
      let publish = Task { try await bus.publish(Publish(Topic("a"), "x")) }
      let subject = try bus.subject(to: "a", as: Int.self)
      subject.send(1)
      try await eventually { bus.metrics.connection.outbox.count == 2 }
      mayConnect.withLock { $0 = true }
      for recorder in recorders {
        try await eventually { recorder.hasEnded }
        guard case .failed(let error)? = recorder.events.last else { throw Surprise("\(recorder.log)") }
        #expect(error as? BusError == .refused(.refused(.notAuthorized)) && recorder.events.count == 1)
      }
      await #expect(throws: ConnectionError.refused(.notAuthorized)) { try await publish.value }
      #expect(bus.snapshot().subscriptions.isEmpty)
      let again = Recorder(bus.signal("a"))
      try await again.subscription.ready
      #expect(broker.linkCount == 2 && broker.subscribes(on: 1).flatMap(\.names) == ["a"])
      try await bus.publish(Publish(Topic("a"), "x"))
      #expect(recorders.allSatisfy { $0.events.count == 1 } && again.events.isEmpty)
      #expect(states.values.contains(.closed(.refused(.notAuthorized))) && !states.hasEnded)
      let metrics = bus.metrics.connection
      await bus.close()
      #expect(bus.metrics.connection.messagesSent == metrics.messagesSent && metrics.messagesSent == 1)
    }
  }

  @Test func `the credentials closure mends a wrong password`() async throws {
    try await withScript(
      links: [
        { link in
          try link.expectConnect(); try link.refuse(.badUserNameOrPassword)
        },
        { link in
          try link.expectConnect(); try link.refuse(.notAuthorized)
        },
        { try $0.serve() },
      ],
      options: { options in
        let calls = Guarded(0)
        options.credentials = {
          Credentials(
            user: "me",
            password: calls.withLock {
              $0 += 1; return "\($0)"
            })
        }
      }
    ) { broker, bus in
      let one = Recorder(bus.signal("a"))
      try await one.subscription.ready
      #expect(broker.linkCount == 3 && one.events.isEmpty)
    }
  }
}
