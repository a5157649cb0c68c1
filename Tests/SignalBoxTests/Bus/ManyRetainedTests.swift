import Brokers
import Foundation
import MQTT
import Peers
import Signals
import Testing

@testable import SignalBox

/// A signal over all of a broker that has very many retained messages.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ManyRetainedTests {
  #if TSAN
    private static let count = 6_000
  #else
    private static let isSoak = ProcessInfo.processInfo.environment["SIGNALBOX_SOAK"] != nil
    private static let count = isSoak ? 100_000 : 20_000
  #endif

  /// Runs a test with a broker that has that many topics. Its log would have lines for each message.
  private func withTopics(
    _ configuration: [String] = [], _ body: (LocalBroker) async throws -> Void
  ) async throws {
    let quiet = ["log_type none", "log_type information"]
    try await LocalBroker.with(.init(configuration: configuration + quiet)) { broker in
      let bus = try Bus(.toward(broker))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<100 {
          group.addTask {
            for number in stride(from: lane, to: Self.count, by: 100) {
              try await bus.publish(Publish(Topic("r/\(number % 97)/\(number)"), "\(number)", retain: true))
            }
          }
        }
        try await group.waitForAll()
      }
      await bus.close()
      try await body(broker)
    }
  }

  /// How many topics came to an observer.
  private final class Tally: Sendable {
    private let topics = Guarded<Set<String>>([])
    private let messages = Guarded(0)

    func add(_ message: Message) {
      topics.withLock { _ = $0.insert(message.topic) }
      messages.withLock { $0 += 1 }
    }

    var count: Int { topics.withLock { $0.count } }
    var copies: Int { messages.withLock { $0 } }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311], [QoS.atMostOnce, .atLeastOnce])
  func `all arrive, and the cache of the filter stays within its limits`(
    version: ProtocolVersion, qos: QoS
  ) async throws {
    try await withTopics(["max_queued_messages 0"]) { broker in
      let limits = QueueSize(count: 1_000, bytes: 30_000)
      let bus = try Bus(.toward(broker, version: version), cacheLimits: limits)
      let tally = Tally()
      let subscription = bus.signal("#", qos: qos).subscribe { tally.add($0) }
      try await eventually("\(tally.count) of \(Self.count)") { tally.count == Self.count }
      #expect(tally.copies == Self.count && bus.metrics.connection.messagesDropped == 0)
      let cache = try #require(bus.core.state.withLock { $0.table[try! TopicFilter("#")]?.owner?.cache })
      #expect(cache.isOverfull)
      let known = cache.values
      #expect(!known.isEmpty && known.count <= limits.count)
      #expect(known.reduce(0) { $0 + $1.topic.utf8.count + $1.payload.count } <= limits.bytes)
      // It lives on, and so do its neighbours.
      let other = Tally()
      let neighbour = bus.signal("live").subscribe { other.add($0) }
      try await neighbour.ready
      try await bus.publish(Publish(Topic("live"), "x", qos: qos))
      try await eventually { other.count == 1 && tally.count == Self.count + 1 }
      for subscription in [subscription, neighbour] { subscription.dispose() }
      await bus.close()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a broker that bounds its queues sends less at QoS 1, and the bus lives on`(
    version: ProtocolVersion
  ) async throws {
    try await withTopics { broker in
      let bus = try Bus(.toward(broker, version: version))
      let tally = Tally()
      let subscription = bus.signal("#").subscribe { tally.add($0) }
      try await subscription.ready
      // Behind all that the broker sends of what it has in store; it may find no room either.
      let peer = try Bus(.toward(broker))
      try await eventually {
        try await peer.publish(Publish(Topic("live"), "x"))
        return tally.copies > tally.count
      }
      // As the documentation says: what flies and what waits, by default 20 and 1,000, and what gave way meanwhile.
      #expect(tally.count > 500 && tally.count < Self.count, "\(tally.count)")
      #expect(bus.metrics.connection.connects == 1)
      subscription.dispose()
      await bus.close()
      await peer.close()
    }
  }
}
