import Brokers
import Foundation
import MQTT
import Peers
import Testing

/// A network that is gone without a word: a cable between two network namespaces is pulled at the far end.
///
/// A keep-alive of 5 s promises that it is noticed after 10 s: who publishes finds out by what TCP does not get
/// acknowledged, who only listens by the ping. The bound is three times that; TCP alone takes a quarter of an hour.
@Suite(
  .timeLimit(.minutes(4)), .enabled(if: Tools.networks, "no network namespaces here: that takes root and ip"))
struct NetworkTests {
  private static let longest = Duration.seconds(30)

  private func withClient(
    _ settings: [String], _ body: (Probe, Cable) async throws -> Void
  ) async throws {
    let cable = try await Cable()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("mosquitto-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let lines = ["listener 1883 \(Cable.address)", "allow_anonymous true", "user root", "log_dest none", ""]
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let mosquitto = [try Mosquitto.path(of: "mosquitto"), "-c", file]
    let broker = try ChildProgram(cable.farTool + mosquitto) { _ in }
    let probe = try Probe("client", "mqtt://\(Cable.address)", settings, under: cable.nearTool)
    try await probe.fact("connected")
    try probe.command("subscribe a")
    try await probe.fact("subscribed")
    try await body(probe, cable)
    withExtendedLifetime(broker) {}
  }

  @Test("A pulled cable is noticed, and the broker found again when it is back", arguments: [false, true])
  func pulled(publishes: Bool) async throws {
    let settings = ["keepAlive=5", "session=3600", "client=cable", "messages=told", "connectDeadline=2"]
    try await withClient(settings) { probe, cable in
      try await cable.pull()
      let start = ContinuousClock.now
      if publishes { try probe.command("publish a meanwhile") }
      try await probe.fact("disconnected")
      #expect(ContinuousClock.now - start < Self.longest)
      #expect(probe.values("connected").count == 1)
      try await cable.plug()
      #expect(try await probe.fact("connected", count: 2) == "resumed")
      try probe.command("publish a again")
      try await eventually("messages are missing") { probe.values("message").last == "a again" }
      // The system may still deliver what the lost link had sent, and then it comes twice.
      #expect(Set(probe.values("message")) == (publishes ? ["a meanwhile", "a again"] : ["a again"]))
      #expect(probe.values("published").count == (publishes ? 2 : 1))
    }
  }
}
