import Brokers
import Foundation
import MQTT
import Peers
import Testing

/// The password goes to the broker and nowhere else.
@Suite(.timeLimit(.minutes(3)))
struct SecretTests {
  private static let secret = "wonderland-7Qz"

  /// A client that logs all it can and reads its password from a file, with what the system shows of it.
  private func client(_ broker: LocalBroker, password: String) async throws -> (probe: Probe, file: String) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)")
      .path
    try password.write(toFile: file, atomically: true, encoding: .utf8)
    return (try Probe("client", broker.url, ["user=alice", "passwordFile=\(file)", "log=debug"]), file)
  }

  @Test("An accepted password is in no line that is logged, and in nothing that others see of the process")
  func accepted() async throws {
    try await LocalBroker.with(.init(users: ["alice": Self.secret])) { broker in
      let (probe, file) = try await client(broker, password: Self.secret)
      defer { try? FileManager.default.removeItem(atPath: file) }
      try await probe.fact("connected")
      try probe.command("subscribe a")
      try await probe.fact("subscribed")
      try probe.command("publish a x")
      try await probe.fact("published")
      let lines = probe.values("log")
      for packet in ["CONNECT", "CONNACK", "SUBSCRIBE", "SUBACK", "PUBLISH", "PUBACK"] {
        #expect(lines.contains { $0.hasPrefix("debug") && $0.contains(packet) }, "no line about \(packet)")
      }
      let seen = try await views(try await probe.fact("pid"))
      #expect(seen.contains("ConnectionProbe"))
      #expect(!seen.contains(Self.secret))
      try probe.command("close")
      #expect(await probe.status == 0)
      #expect(probe.values("log").contains { $0.contains("DISCONNECT") })
      #expect(!probe.output.contains(Self.secret))
    }
  }

  @Test("A refused password is in no line that is logged, in no state and in no error")
  func refused() async throws {
    try await LocalBroker.with(.init(users: ["alice": "another"])) { broker in
      let (probe, file) = try await client(broker, password: Self.secret)
      defer { try? FileManager.default.removeItem(atPath: file) }
      try await eventually("not refused") { probe.values("state").contains { $0.hasPrefix("closed") } }
      try probe.command("publish a x")
      try await probe.fact("published")
      try probe.command("close")
      #expect(await probe.status == 0)
      #expect(probe.output.contains("alice") || probe.output.contains("check user and password"))
      #expect(!probe.output.contains(Self.secret))
    }
  }

  /// What `ps` and, where it is there, /proc show of a process.
  private func views(_ pid: String) async throws -> String {
    let output = Guarded<[UInt8]>([])
    let ps = try ChildProgram(["ps", "-o", "args=", "-p", pid]) { bytes in output.withLock { $0 += bytes } }
    #expect(await ps.status == 0)
    var bytes = output.withLock { $0 }
    for file in ["cmdline", "environ"] {
      bytes += Array((try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/\(file)"))) ?? Data())
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
