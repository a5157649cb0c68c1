import Brokers
import MQTT
import Peers
import SignalBox
import SignalsTesting
import Testing

/// Buses beside each other in one process.
@Suite(.timeLimit(.minutes(5))) struct SeveralBusesTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `many buses to one broker each get every message once`(version: ProtocolVersion) async throws {
    try await LocalBroker.with { broker in
      let buses = try (0..<8).map { _ in try Bus(.toward(broker, version: version), linger: .zero) }
      let recorders = buses.map { Recorder($0.signal("n/+", as: Int.self)) }
      for recorder in recorders { try await recorder.subscription.ready }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, bus) in buses.enumerated() {
          group.addTask {
            for step in 0..<25 { try await bus.publish(Publish(Topic("n/\(index)"), "\(index * 25 + step)")) }
          }
        }
        try await group.waitForAll()
      }
      for recorder in recorders {
        try await eventually { recorder.values.count >= 200 }
        #expect(recorder.values.sorted() == Array(0..<200))
      }
      // One that goes takes nobody with it.
      await buses[0].close()
      try await buses[1].publish(Publish(Topic("n/end"), "200"))
      for recorder in recorders.dropFirst() { try await eventually { recorder.values.last == 200 } }
      #expect(recorders[0].log.last == "completed" && recorders[0].values.count == 200)
      for bus in buses { await bus.close() }
    }
  }

  @Test func `buses to two brokers know nothing of each other, and one that is down holds up no other`()
    async throws
  {
    try await LocalBroker.with { left in
      try await LocalBroker.with { right in
        let buses = try [left, right].map { try Bus(.toward($0), linger: .zero) }
        let recorders = buses.map { Recorder($0.signal("#")) }
        for recorder in recorders { try await recorder.subscription.ready }
        // As a bridge that a user writes.
        let bridge = buses[0].signal("out/#").subscribe { message in
          guard let topic = try? Topic(message.topic) else { return }
          Task { try await buses[1].publish(Publish(topic, message.text)) }
        }
        try await bridge.ready
        try await Peer.publish(left, "-t", "out/a", "-m", "1", "-q", "1")
        try await Peer.publish(left, "-t", "in/a", "-m", "2", "-q", "1")
        try await Peer.publish(right, "-t", "end", "-m", "3", "-q", "1")
        try await eventually { recorders.allSatisfy { $0.values.count == 2 } }
        #expect(Set(recorders[0].values.map(\.topic)) == ["out/a", "in/a"])
        #expect(Set(recorders[1].values.map(\.topic)) == ["out/a", "end"])
        await right.kill()
        try await eventually { buses[1].snapshot().subscriptions.allSatisfy { $0.actual == .unknown } }
        try await Peer.publish(left, "-t", "in/b", "-m", "4", "-q", "1")
        try await eventually { recorders[0].values.count == 3 }
        bridge.dispose()
        for bus in buses { await bus.close(deadline: .milliseconds(100)) }
        #expect(recorders.allSatisfy { $0.log.last == "completed" })
      }
    }
  }
}
