import Brokers
import Foundation
import MQTT
import Peers
import Testing

/// Processes that are halted and killed, on either side.
///
/// With a keep-alive of 5 s a silent link is given up after twice as long. That it is, and not only after the minutes in
/// which TCP gives up, is what the bound is for; it is three times the promise, since machines are slow.
@Suite(.timeLimit(.minutes(4)))
struct HaltTests {
  private static let longest = Duration.seconds(30)

  /// A client with a session and a short keep-alive, which has subscribed.
  private func subscriber(_ broker: LocalBroker) async throws -> Probe {
    let probe = try Probe(
      "client", broker.url, ["keepAlive=5", "session=3600", "client=halted", "messages=told"])
    try await probe.fact("connected")
    try probe.command("subscribe a")
    try await probe.fact("subscribed")
    return probe
  }

  @Test("A halted broker is noticed by the keep-alive, and found again when it goes on")
  func haltedBroker() async throws {
    try await LocalBroker.with { broker in
      let probe = try await subscriber(broker)
      await broker.suspend()
      let start = ContinuousClock.now
      let cause = try await probe.fact("disconnected")
      #expect(cause.contains("did not answer within the keep-alive"))
      #expect(ContinuousClock.now - start < Self.longest)
      await broker.resume()
      #expect(try await probe.fact("connected", count: 2) == "resumed")
      try await Peer.publish(broker, "-t", "a", "-m", "again", "-q", "1")
      #expect(try await probe.fact("message") == "a again")
    }
  }

  @Test("A client that was halted for two keep-alives comes back, and has lost no QoS 1 message")
  func haltedClient() async throws {
    try await LocalBroker.with { broker in
      let probe = try await subscriber(broker)
      try await probe.signal(SIGSTOP)
      let start = ContinuousClock.now
      for number in 0..<5 { try await Peer.publish(broker, "-t", "a", "-m", "\(number)", "-q", "1") }
      try await broker.waitForLog("Client halted has exceeded timeout")
      for number in 5..<10 { try await Peer.publish(broker, "-t", "a", "-m", "\(number)", "-q", "1") }
      try await Task.sleep(until: start + .seconds(12), clock: .continuous)
      try await probe.signal(SIGCONT)
      #expect(try await probe.fact("connected", count: 2) == "resumed")
      try await eventually("messages are missing") { Set(probe.values("message")).count == 10 }
      // Those that it was sent before the link broke may come twice.
      var firsts: [String] = []
      for message in probe.values("message") where !firsts.contains(message) { firsts.append(message) }
      #expect(firsts == (0..<10).map { "a \($0)" })
    }
  }

  @Test("What a killed program had reported as acknowledged has reached others, and its successor goes on")
  func killedClient() async throws {
    try await LocalBroker.with(.init(configuration: ["max_queued_messages 0"])) { broker in
      let seen = NumberedMessages()
      let watcher = try await NumberedPeer.subscribe(broker, "burst", seen)
      let settings = ["session=3600", "client=killed"]
      var next = 0
      for _ in 0..<3 {
        let probe = try Probe("burst", broker.url, settings + ["from=\(next)", "count=20000"])
        try await probe.fact("acknowledged", count: 500)
        try await probe.signal(SIGKILL)
        #expect(await probe.status == 128 + SIGKILL)
        #expect(probe.values("lost").isEmpty)
        let acknowledged = probe.values("acknowledged").compactMap { Int($0) }
        #expect(acknowledged == Array(next..<next + acknowledged.count))
        next += acknowledged.count
        try await eventually("acknowledged and not seen: \(next), \(seen)") { seen.count >= next }
      }
      let last = try Probe("burst", broker.url, settings + ["from=\(next)", "count=100"])
      #expect(await last.status == 0)
      next += 100
      try await eventually("not all seen: \(next), \(seen)") { seen.count >= next }
      #expect(seen.problems.isEmpty, "\(seen)")
      withExtendedLifetime(watcher) {}
    }
  }
}
