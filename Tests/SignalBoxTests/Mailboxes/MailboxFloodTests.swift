import Brokers
import Dispatch
import Foundation
import MQTT
import Peers
import SignalBox
import Signals
import Testing

/// A bus that is flooded, with an observer behind a mailbox that is far slower.
@Suite(.timeLimit(.minutes(5))) struct MailboxFloodTests {
  #if TSAN
    private static let count = 20_000
  #else
    private static let isSoak = ProcessInfo.processInfo.environment["SIGNALBOX_SOAK"] != nil
    private static let count = isSoak ? 1_000_000 : 200_000
  #endif
  private static let topics = 50

  @Test(arguments: [80, 20])
  func `the latest per topic wait, never more than the capacity, and all that came is accounted for`(
    capacity: Int
  ) async throws {
    let (isReady, newest) = (Guarded(false), Self.count - 1)
    try await withScript(links: [
      { link in
        try link.accept()
        let subscribe = try link.expectSubscribe(to: "flood/+")
        try link.send(.suback(subscribe.id, [.granted(0)]))
        try link.wait(for: "the observer") { isReady.withLock { $0 } }
        let properties = [Packet.Property.subscriptionIdentifier(subscribe.identifier!)]
        for start in stride(from: 0, to: Self.count, by: 1_000) {
          let block = (start..<start + 1_000).map { number in
            Packet.publish("flood/\(number % Self.topics)", "\(number)", properties: properties)
          }
          try link.send(bytes: link.bytes(block))
        }
        try link.serve()
      }
    ]) { _, bus in
      let mailbox = Mailbox(.latestPerTopic, capacity: capacity)
      let seen = Guarded<[String: Int]>([:])
      let (release, most, received) = (DispatchSemaphore(value: 0), Guarded(0), Guarded(0))
      let quick = bus.signal("flood/+", qos: .atMostOnce).subscribe { _ in received.withLock { $0 += 1 } }
      let slow = bus.signal("flood/+", qos: .atMostOnce).mailbox(mailbox).subscribe { message in
        let isFirst = seen.withLock { seen in
          // In the order of each topic.
          let (last, number) = (seen[message.topic] ?? -1, Int(message.text)!)
          #expect(number > last)
          seen[message.topic] = number
          return seen.count == 1
        }
        let counters = mailbox.counters
        most.withLock { $0 = max($0, counters.waiting) }
        if isFirst { release.wait() }
      }
      try await slow.ready
      isReady.withLock { $0 = true }
      try await eventually("the flood: \(bus.metrics)") {
        let counters = mailbox.counters
        #expect(counters.waiting <= capacity)
        #expect(
          counters.received
            == counters.delivered + counters.dropped + counters.superseded + counters.waiting)
        return counters.received == Self.count
      }
      // Nobody else waited for the slow one, and nothing was lost before its mailbox.
      #expect(received.withLock { $0 } == Self.count)
      #expect(bus.metrics.connection.messagesDropped == 0)
      release.signal()
      try await eventually { mailbox.counters.waiting == 0 }
      let counters = mailbox.counters
      #expect(most.withLock { $0 } <= capacity && counters.delivered <= Self.count)
      #expect(counters.delivered + counters.dropped + counters.superseded == Self.count)
      #expect(counters.superseded > Self.count / 2 || capacity < Self.topics)
      #expect((counters.dropped > 0) == (capacity < Self.topics))
      if capacity >= Self.topics {
        // The newest of each topic came in the end.
        try await eventually {
          seen.withLock { seen in
            seen.count == Self.topics && seen.values.min() == newest - Self.topics + 1
          }
        }
      }
      for subscription in [quick, slow] { subscription.dispose() }
    }
  }
}
