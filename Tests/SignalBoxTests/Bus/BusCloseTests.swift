import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// A bus that is closed at a bad moment.
@Suite(.timeLimit(.minutes(5))) struct BusCloseTests {
  @Test(arguments: [SignalBox.Mailbox.Policy.wait, .dropOldest])
  func `in a handler, twice at once, with a full mailbox behind it`(policy: SignalBox.Mailbox.Policy)
    async throws
  {
    try await withBroker { broker, bus in
      let gate = DispatchSemaphore(value: 0)
      let closing = Guarded<[Task<Void, Never>]>([])
      let recorder = Recorder(bus.signal("a"))
      let isFirst = Guarded(true)
      let slow = bus.signal("a").mailbox(Mailbox(policy, capacity: 1)).subscribe { _ in
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }; return isFirst
          })
        else { return }
        gate.wait()
        closing.withLock { $0 += (0..<2).map { _ in Task { await bus.close(deadline: .milliseconds(200)) } } }
        gate.wait()
      }
      try await slow.ready
      try await recorder.subscription.ready
      for _ in 0..<20 { try await bus.publish(Publish(Topic("a"), "x")) }
      gate.signal()
      try await eventually { closing.withLock { $0.count } == 2 }
      gate.signal()
      for task in closing.withLock({ $0 }) { await task.value }
      try await eventually { recorder.hasEnded && slow.isDisposed }
      #expect(recorder.log.last == "completed")
    }
  }

  @Test func `a close while it connects returns at once`() async throws {
    try await withBroker { broker, bus in
      await broker.suspend()
      let one = Recorder(bus.signal("a"))
      let connecting = Task { try await bus.connect() }
      try await eventually {
        bus.snapshot().description.contains("connecting") || !bus.snapshot().subscriptions.isEmpty
      }
      await bus.close(deadline: .milliseconds(50))
      await #expect(throws: ConnectionError.closed) { try await connecting.value }
      #expect(one.log == ["completed"])
      await broker.resume()
    }
  }
}
