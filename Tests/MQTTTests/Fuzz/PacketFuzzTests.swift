import Brokers
import Peers
import Testing

/// Connections live through damaged packets, in a process of their own: `scripts/fuzz` has a million of them, and the
/// address sanitizer.
@Suite(.timeLimit(.minutes(5)), .enabled(if: hasProcessFiles, "there is no /proc"))
struct PacketFuzzTests {
  @Test(
    """
    Whatever a broker sends, a client acknowledges what is sound or ends the link, ends each call once, works with \
    the next broker and keeps no memory, thread or descriptor
    """,
    arguments: [1, 2])
  func packets(_ seed: Int) async throws {
    let probe = try Probe("fuzz", "scripted", ["seed=\(seed)", "count=10000"])
    #expect(
      await probe.status == 0, "scripts/fuzz --seed \(seed) --count 10000: \(probe.output.suffix(2_000))")
    try #expect(probe.number("packets") >= 10_000)
    try #expect(probe.number("descriptors.after") <= probe.number("descriptors.before"))
    // Those of Dispatch come and go.
    try #expect(probe.number("threads.after") <= probe.number("threads.before") + 2)
    let grown = try probe.number("heap.after") - probe.number("heap.before")
    // There are some 5,000 links in between; the least that one of them could forget has 32 bytes.
    try #expect(grown < 100_000 + probe.number("forgiven"), "seed \(seed): \(grown) bytes more")
  }
}
