import Brokers
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReadmeTests {
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `the first program is the one that is compiled here`() throws {
    #expect(try text("README.md").contains("```swift\n\(text("Tests/FirstProgram/main.swift"))```"))
  }

  @Test func `the first program does what the README says`() async throws {
    try await LocalBroker.with { broker in
      let monitor = try await Peer.subscribe(broker, "-v", "-t", "jobs/#")
      let program = try ChildProgram([builtProgram("FirstProgram").path, broker.url]) { _ in }
      try await broker.waitForLog("home/+/temperature")
      for (room, celsius) in [("kitchen", "20"), ("bath", "22.5"), ("attic", "18.5")] {
        try await Peer.publish(broker, "-t", "home/\(room)/temperature", "-m", celsius)
      }
      let lines = try await monitor.lines { $0.last?.contains(#""state":"done""#) == true }
      #expect(lines.contains { $0.hasPrefix("jobs/average 20.33") })
      #expect(lines.contains { $0.contains(#""done":3,"every":10,"final":"done","percent":100"#) })
      #expect(await program.status == 0)
    }
  }

  @Test func `every script and command that the README names is there`() throws {
    for path in [
      "scripts/demo", "scripts/test", "scripts/setup", "scripts/bench", "scripts/docs", "docker-compose.yml",
    ] {
      #expect(try text("README.md").contains(path))
      #expect(FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path))
    }
  }
}
