import Brokers
import MQTT
import Peers
import Testing

/// Nothing is left of a connection that has ended.
///
/// A process opens and ends many of them, one after the other, and looks at itself after a tenth of them and after the
/// last: threads in /proc/self/task, descriptors in /proc/self/fd, bytes that malloc has given out (`mallinfo2`, all
/// arenas). The smallest object that each connection could forget has 32 bytes, which are 28,800 after 900 of them; what
/// differs without a leak (caches of threads, tables that grow) was at most 8,000.
@Suite(.timeLimit(.minutes(3)), .enabled(if: hasProcessFiles, "there is no /proc"))
struct LeakTests {
  @Test(
    "A thousand connections leave no thread, no descriptor and no memory, whichever way they ended",
    arguments: ["closed", "dropped", "exchange", "refused"], ["5", "3.1.1"])
  func cycles(_ kind: String, _ version: String) async throws {
    let broker = try await LocalBroker.start()
    if kind == "refused" { await broker.stop() }
    let settings = ["kind=\(kind)", "count=1000", "version=\(version)"]
    let probe = try Probe("cycles", broker.url, settings)
    #expect(await probe.status == 0, "\(probe.output)")
    await broker.stop()
    try #expect(probe.number("threads.after") == 1)
    try #expect(probe.number("descriptors.after") == probe.number("descriptors.before"))
    try #expect(probe.number("heap.after") - probe.number("heap.before") < 16_000)
  }
}
