import Brokers
import MQTT
import Peers
import Signals
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SlowLogTests {
  @Test("A log that blocks holds up no message, and its lines don't pile up without an end")
  func blocks() async throws {
    let count = 20_000
    let isReady = Lock(false)
    let broker = try ScriptedBroker { link in
      try link.accept()
      try link.wait(for: "the log to block") { isReady.withLock { $0 } }
      _ = try link.flood(topic: "t", payload: [1], count: count)
      try link.serve()
    }
    let (blocked, lines) = (Barrier(), Collector<String>())
    var options = ConnectionOptions(broker)
    options.outboxLimits.count = 1_000
    options.logLevel = .debug
    options.log = { _, line in
      isReady.withLock { $0 = true }
      blocked.wait()
      lines.add(line)
    }
    try await withConnection(options) { _, recorder in
      try await eventually("a message is held up") { recorder.count == count }
      blocked.open()
      try await eventually("the gap is not told") { lines.values.contains { $0.hasPrefix("left out ") } }
      #expect(lines.count < count / 2)
    }
    try await broker.finish()
  }
}
