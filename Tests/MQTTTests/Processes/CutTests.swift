import Brokers
import Foundation
import Fuzzing
import MQTT
import Peers
import Testing

/// Numbered messages cross a proxy that cuts the link at random places, both ways at once.
///
/// `scripts/soak` has a hundred thousand messages each way and a thousand cuts.
@Suite(.timeLimit(.minutes(5)))
struct CutTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SIGNALBOX_SOAK"] != nil
  private static let count = isSoak ? 100_000 : 10_000
  private static let cuts = isSoak ? 1_000 : 40
  private static let window = 50
  /// How many wait to be sent, or to be acknowledged.
  private static let waiting = 1_000

  /// Two thirds of the bytes that the messages have without any for all cuts, a tenth of the cuts while the link is made.
  private func cuts(_ dice: inout Dice) -> [CuttingProxy.Cut] {
    let mean = Self.count * 30 / Self.cuts
    return (0..<Self.cuts).map { _ in
      let isEarly = Int.random(in: 0..<10, using: &dice) == 0
      let bytes = Int.random(in: 1..<(isEarly ? 60 : 2 * mean), using: &dice)
      return CuttingProxy.Cut(after: bytes, resets: Bool.random(using: &dice))
    }
  }

  @Test(
    "However often a link is cut, no QoS 1 message is missing or overtaken, and only what flew comes twice",
    arguments: [ProtocolVersion.v5, .v311])
  func cut(_ version: ProtocolVersion) async throws {
    var dice = Dice(seed: .random(in: 0...UInt64.max))
    let seed = dice.seed
    // Its log would have ten lines for each message.
    let configuration = ["max_queued_messages 0", "log_type none", "log_type information"]
    try await LocalBroker.with(.init(storage: .temporary, configuration: configuration)) { broker in
      let proxy = try CuttingProxy(to: broker.port, cuts: cuts(&dice))
      defer { proxy.stop() }
      var options = ConnectionOptions(host: "127.0.0.1", port: Int(proxy.port))
      options.version = version
      options.clientID = "cut"
      options.cleanStart = false
      options.sessionExpiry = .seconds(3_600)
      options.backoff = .init(initial: .milliseconds(2), maximum: .milliseconds(5))
      options.window = Self.window
      options.acknowledgementDeadline = .seconds(1)

      let arrived = NumberedMessages()
      let recorder = NumberRecorder(arrived)
      let connection = try Connection(options)
      let seen = NumberedMessages()
      let watcher = try await NumberedPeer.subscribe(broker, "out/+", seen)
      let results = Collector<Int>()
      let failures = Collector<PublishResult>()
      let topics = try (0..<4).map { try Topic("out/\($0)") }
      @Sendable func publish(_ number: Int) {
        connection.publish(Publish(topics[number % 4], "\(number / 4)")) { result in
          if !result.isSuccess { failures.add(result) }
          results.add(number)
          if number + Self.waiting < Self.count { publish(number + Self.waiting) }
        }
      }
      // Before there is a link, so that what completions publish comes behind all of them.
      for number in 0..<Self.waiting { publish(number) }

      connection.connect(delegate: recorder)
      try await subscribe(connection, "in/+")
      async let first: Void = NumberedPeer.publish(broker, "in/0", Self.count / 2, arrived: arrived)
      async let second: Void = NumberedPeer.publish(broker, "in/1", Self.count / 2, arrived: arrived)

      // In steps, each of them with a deadline of its own.
      for tenth in 1...10 {
        try await eventually("not all acknowledged: \(results.count), seed \(seed)") {
          results.count >= Self.count * tenth / 10
        }
      }
      #expect(failures.count == 0, "\(failures.values.prefix(3)), seed \(seed)")
      _ = try await (first, second)
      try await eventually("not all seen: \(seen), seed \(seed)") { seen.count >= Self.count }
      try await eventually("not all arrived: \(arrived), seed \(seed)") { arrived.count >= Self.count }
      await connection.close(deadline: .seconds(30))

      #expect(proxy.cuts == Self.cuts, "cuts were left")
      #expect(recorder.connects > Self.cuts / 2, "hardly a cut hit a link that was up")
      for (way, numbers) in [("out", seen), ("in", arrived)] {
        let comment = Comment(rawValue: "\(way): \(numbers), \(recorder.connects) connects, seed \(seed)")
        #expect(numbers.problems.isEmpty, comment)
        #expect(numbers.count == Self.count, comment)
        #expect(numbers.stepsBack < recorder.connects, comment)
      }
      // The broker may have more in flight than it should: 2.0.11 sends up to 20 more at each acknowledgement.
      #expect(seen.duplicates < recorder.connects * Self.window, "\(seen), seed \(seed)")
      withExtendedLifetime(watcher) {}
    }
  }

  /// The link may be cut before the broker has answered.
  private func subscribe(_ connection: Connection, _ filter: String) async throws {
    let subscribe = Subscribe(try TopicFilter(filter))
    try await eventually("no subscription") {
      let granted = try? await connection.subscribe([subscribe])
      return granted == [.granted(.atLeastOnce)]
    }
  }
}
