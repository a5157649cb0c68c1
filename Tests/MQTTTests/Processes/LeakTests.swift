import Brokers
import MQTT
import Peers
import Testing

/// Nothing is left of a connection that has ended.
///
/// A process opens and ends many of them, one after the other, and looks at itself after a tenth of them and after the
/// last: threads in /proc/self/task, descriptors in /proc/self/fd, bytes that malloc has given out (`mallinfo2`, all
/// arenas). A single block that each connection forgot, 40 bytes with its header, is 36,000 bytes after 900 of them;
/// what differs without a leak (caches of threads, tables that grow) was at most 5,000.
@Suite(.timeLimit(.minutes(3)), .enabled(if: hasProcessFiles, "there is no /proc"))
struct LeakTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let kind: String
    let count: Int
    let version: String

    var testDescription: String { "\(count) \(kind), MQTT \(version)" }
  }

  static let cases = ["5", "3.1.1"].flatMap { version in
    [("closed", 1_000), ("refused", 1_000), ("dropped", 1_000), ("exchange", 200)].map {
      Case(kind: $0.0, count: $0.1, version: version)
    }
  }

  @Test(
    "Connections leave no thread, no descriptor and no memory, whichever way they ended", arguments: cases)
  func cycles(_ example: Case) async throws {
    let broker = try await LocalBroker.start()
    if example.kind == "refused" { await broker.stop() }
    let settings = ["kind=\(example.kind)", "count=\(example.count)", "version=\(example.version)"]
    let probe = try Probe("cycles", broker.url, settings)
    #expect(await probe.status == 0, "\(probe.output)")
    await broker.stop()
    try #expect(probe.number("threads.after") == 1)
    try #expect(probe.number("descriptors.after") == probe.number("descriptors.before"))
    try #expect(probe.number("heap.after") - probe.number("heap.before") < 32_000)
  }
}
