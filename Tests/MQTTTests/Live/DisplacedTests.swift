import Brokers
import MQTT
import Peers
import Testing

/// Messages that leave the outbox because of a later publish.
@Suite(.timeLimit(.minutes(3)))
struct DisplacedTests {
  @Test(
    "A publish never calls the completion of an older message: who calls it may hold a lock that this one takes"
  )
  func completionThread() async throws {
    // Nobody listens here, so everything waits.
    let broker = try ScriptedBroker(reception: .refusing, links: [])
    let connection = try Connection(ConnectionOptions(broker))
    connection.connect()
    let results = Collector<String>()
    for payload in ["1", "2", "3"] {
      connection.publish(Publish(try Topic("t"), payload, conflates: true)) { result in
        results.add("\(payload) \(result) on \(threadName().prefix(4))")
      }
    }
    try await eventually("nobody was told") { results.count == 2 }
    #expect(results.values == ["1 superseded on mqtt", "2 superseded on mqtt"])
    await connection.close(deadline: .zero)
    await broker.stop()
  }

  @Test(
    "Messages that displace each other are bounded, too, when a completion blocks", arguments: [false, true])
  func bounded(_ expires: Bool) async throws {
    let broker = try ScriptedBroker(reception: .refusing, links: [])
    var options = ConnectionOptions(broker)
    options.outboxLimits.count = 1_000
    let connection = try Connection(options)
    let topic = try Topic("t")
    let publish = Publish(
      topic, "x", conflates: !expires, properties: .init(expiry: expires ? .nanoseconds(1) : nil))
    let (blocked, results) = (Barrier(), Collector<PublishResult>())
    connection.connect()
    // What is full refuses on this thread.
    var count = 0
    while !results.values.contains(.overflowed), count < 1_000_000 {
      count += 1
      connection.publish(publish) { result in
        if result != .overflowed { blocked.wait() }
        results.add(result)
      }
    }
    #expect(results.values == [.overflowed])
    blocked.open()
    await connection.close(deadline: .zero)
    try await eventually("somebody was not told") { results.count == count }
    await broker.stop()
  }
}
