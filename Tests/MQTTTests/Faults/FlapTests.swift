import Brokers
import Peers
import Signals
import Testing

@testable import MQTT

/// A broker that takes each link and ends it at once.
@Suite(.timeLimit(.minutes(3)))
struct FlapTests {
  enum End: CaseIterable {
    case closes, resets, saysGoodbye
  }

  @Test(
    "Links that end at once are made at growing distances, and nothing is busy between them",
    arguments: End.allCases)
  func growing(_ end: End) async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      switch end {
      case .closes: try link.close()
      case .resets: try link.reset()
      case .saysGoodbye: try link.send(.disconnect(.serverBusy))
      }
    }
    var options = ConnectionOptions(broker)
    options.backoff = Backoff(initial: .milliseconds(100), maximum: .milliseconds(800), jitter: 0)
    let connection = try Connection(options)
    let (states, subscription) = record(connection)
    connection.connect()
    let delays = [100, 200, 400, 800, 800].map { Duration.milliseconds($0) }
    try await eventually("only \(broker.linkCount) links") {
      states.values.filter { $0.cause != nil }.count >= delays.count
    }
    let waited: [Duration] = states.values.compactMap {
      if case .waiting(let delay, _) = $0 { delay } else { nil }
    }
    #expect(Array(waited.prefix(delays.count)) == delays)
    // A round for each thing that happens, and some for what comes in pieces.
    #expect(connection.mailbox.loopCount < 30 * broker.linkCount, "\(connection.mailbox.loopCount)")
    await connection.close(deadline: .zero)
    await broker.stop()
    subscription.dispose()
  }

  @Test("A link that held as long as it should lets the distances begin anew")
  func recovers() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      // Longer than a fight for the client id, which this looks like, would let a link live.
      if link.number == 4 { try link.pause(for: .seconds(3)) }
    }
    var options = ConnectionOptions(broker)
    options.clientID = ""
    options.backoff = Backoff(initial: .milliseconds(100), maximum: .milliseconds(400), jitter: 0)
    let connection = try Connection(options)
    let (states, subscription) = record(connection)
    connection.connect()
    try await eventually("only \(broker.linkCount) links") { broker.linkCount > 6 }
    let waited: [Duration] = states.values.compactMap {
      if case .waiting(let delay, _) = $0 { delay } else { nil }
    }
    #expect(waited.prefix(6) == [100, 200, 400, 400, 100, 200].map { .milliseconds($0) }[...], "\(waited)")
    await connection.close(deadline: .zero)
    await broker.stop()
    subscription.dispose()
  }
}
