import Brokers
import Foundation
import MQTT
import Peers
import Testing

/// What a steady stream of messages costs a process: 4,000 of them, 2,000 each second, to a handler that only counts.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Tools.strace, "strace is not installed, or not allowed"))
struct StreamTests {
  private static let count = 4_000

  /// The calls of `names` that a client makes for the stream and for its beginning and end.
  private func calls(_ names: String) async throws -> SystemCalls {
    let file = SystemCalls.temporaryFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let tool = ["strace", "-f", "--seccomp-bpf", "-c", "-o", file, "-e", "trace=\(names)"]
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, under: tool)
      try await probe.fact("connected")
      try probe.command("subscribe pace")
      try await probe.fact("subscribed")
      let pace = try Probe("pace", broker.url, ["count=\(Self.count)", "pause=500"])
      #expect(await pace.status == 0, "\(pace.output)")
      try await eventually("messages are missing") {
        try await probe.report()
        return try probe.number("handled") == Self.count
      }
      try #expect(probe.number("threads") <= 3, "the main thread, the loop and its standby")
      try probe.command("close")
      #expect(await probe.status == 0)
    }
    return try SystemCalls(table: String(contentsOfFile: file, encoding: .utf8))
  }

  @Test("No thread is woken for a message: with quick handlers the one that reads also delivers")
  func futexes() async throws {
    let calls = try await calls("futex")
    print("4,000 paced messages:\n\(calls)")
    #expect(calls["futex"] > 0, "they were not counted: \(calls)")
    #expect(calls["futex"] < 200, "\(calls)")
  }

  @Test("A message costs one poll and at most four reads")
  func reads() async throws {
    let calls = try await calls("poll,ppoll,read,recvfrom,write,sendto,futex")
    print("4,000 paced messages:\n\(calls)")
    let margin = 200
    #expect(calls["read", "recvfrom"] > Self.count, "they were not counted: \(calls)")
    #expect(calls["poll", "ppoll"] <= Self.count + margin, "\(calls)")
    #expect(calls["read", "recvfrom"] <= 4 * Self.count + margin, "\(calls)")
    // The probe's own reports are writes, too, and a busy machine asks for more of them.
    #expect(calls["write", "sendto"] <= Self.count / 4, "\(calls)")
  }
}
