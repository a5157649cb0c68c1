import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// What a slow handler may do to the rest of its bus, and what not.
@Suite(.timeLimit(.minutes(5))) struct SlowHandlerTests {
  @Test func `a handler may dispose its own subscription and have a task wait until it is drained`()
    async throws
  {
    try await withBroker { broker, bus in
      let (drained, release) = (Guarded(0), DispatchSemaphore(value: 0))
      let held = Guarded<Subscription?>(nil)
      let seen = Guarded<[String]>([])
      let subscription = bus.signal("a").subscribe { message in
        seen.withLock { $0.append(String(decoding: message.payload, as: UTF8.self)) }
        guard let own = held.withLock({ $0 }) else { return }
        own.dispose()
        Task {
          await own.drained()
          drained.withLock { $0 += 1 }
        }
        // As long as this handler runs, it is not drained.
        release.wait()
      }
      held.withLock { $0 = subscription }
      try await broker.waitForLog("Sending SUBACK")
      try await Peer.publish(broker, "-t", "a", "-m", "1", "-q", "1")
      try await Peer.publish(broker, "-t", "a", "-m", "2", "-q", "1")
      // The end of the subscription does not wait for the handler.
      try await broker.waitForLog("Received UNSUBSCRIBE")
      #expect(drained.withLock { $0 } == 0)
      release.signal()
      try await eventually("it never drains") { drained.withLock { $0 } == 1 }
      #expect(seen.withLock { $0 } == ["1"])
    }
  }

  @Test func `while a handler blocks, the bus publishes, subscribes and follows its state`() async throws {
    try await withBroker { broker, bus in
      let (release, begun) = (DispatchSemaphore(value: 0), Guarded(false))
      let slow = bus.signal("slow").subscribe { _ in
        begun.withLock { $0 = true }
        release.wait()
      }
      try await broker.waitForLog("Sending SUBACK")
      try await Peer.publish(broker, "-t", "slow", "-m", "x", "-q", "1")
      try await eventually { begun.withLock { $0 } }
      let mark = broker.log.count
      try await bus.publish(Publish(Topic("other"), "1"))
      let other = Recorder(bus.signal("other"))
      try await broker.waitForLog("Sending SUBACK", after: mark)
      try await bus.publish(Publish(Topic("other"), "2"))
      let job = try bus.job("work", of: Int.self)
      job.send(1)
      job.complete()
      try await job.flush()
      #expect(other.values.isEmpty)
      release.signal()
      try await eventually { other.values.map(\.payload) == [Array("2".utf8)] }
      slow.dispose()
    }
  }

  @Test func `what came for a subscription that has ended before its turn is nobody else's`() async throws {
    try await withBroker { broker, bus in
      let (release, begun) = (DispatchSemaphore(value: 0), Guarded(false))
      let slow = bus.signal("slow").subscribe { _ in
        begun.withLock { $0 = true }
        release.wait()
      }
      let (stays, goes) = (Recorder(bus.signal("a/+")), Recorder(bus.signal("a/b")))
      try await settled(bus)
      for topic in ["slow", "a/b"] {
        try await Peer.publish(broker, "-t", topic, "-m", "1", "-q", "1")
        try await eventually { begun.withLock { $0 } }
      }
      goes.subscription.dispose()
      let end = Recorder(bus.signal("end"))
      try await settled(bus)
      release.signal()
      try await Peer.publish(broker, "-t", "end", "-m", "2", "-q", "1")
      try await eventually { end.values.count == 1 }
      #expect(stays.values.map(\.topic) == ["a/b"] && goes.values.isEmpty)
      slow.dispose()
    }
  }

  @Test func `stored messages are told from live ones by when they came, however slow the handlers are`()
    async throws
  {
    try await withBroker { broker, bus in
      for name in ["a", "b", "c"] {
        try await Peer.publish(broker, "-t", "kept/\(name)", "-m", name, "-q", "1", "-r")
      }
      let (release, begun) = (DispatchSemaphore(value: 0), Guarded(false))
      let seen = Guarded<[MessageOrigin]>([])
      let subscription = bus.signal("kept/+").subscribe { message in
        let isFirst = begun.withLock { begun in
          defer { begun = true }
          return !begun
        }
        if isFirst { release.wait() }
        seen.withLock { $0.append(message.origin) }
      }
      try await eventually { begun.withLock { $0 } }
      // Longer than stored messages are waited for.
      try await Task.sleep(for: .milliseconds(600))
      try await Peer.publish(broker, "-t", "kept/d", "-m", "live", "-q", "1", "-r")
      release.signal()
      try await eventually { seen.withLock { $0.count } == 4 }
      #expect(seen.withLock { $0 } == [.stored, .stored, .stored, .live])
      subscription.dispose()
    }
  }
}
