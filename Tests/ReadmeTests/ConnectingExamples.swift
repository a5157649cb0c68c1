import Brokers
import Foundation
import Peers
import SignalBox
import Testing

/// The README's examples of connecting, as they stand there.
@Suite(.timeLimit(.minutes(5))) struct ConnectingExamples {
  private let readme = Result { try source("README.md") }

  private static func source(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private func token() async throws -> String { "secret" }

  @Test func `the examples are those of this file`() throws {
    let lines = try Self.source("Tests/ReadmeTests/ConnectingExamples.swift").split(
      separator: "\n", omittingEmptySubsequences: false)
    let blocks = lines.split { !$0.hasPrefix("    ") && !$0.isEmpty }.map { block in
      block.map { $0.dropFirst(4) }.joined(separator: "\n")
    }
    for start in ["var options = try ConnectionOptions", "let broker = try ScriptedBroker"] {
      let text = try readme.get()
      let begin = try #require(text.range(of: "```swift\n\(start)")).lowerBound
      let end = try #require(text[begin...].range(of: "\n```\n")).lowerBound
      let example = text[begin..<end].dropFirst("```swift\n".count)
      #expect(blocks.contains { $0.contains(example) }, "\(example)")
    }
  }

  @Test func `options are checked when the bus is made, and the error names the file`() throws {
    let error = #expect(throws: ConnectionError.self) { try connecting() }
    #expect("\(error as Any)".contains("ca.pem"))
  }

  private func connecting() throws {
    var options = try ConnectionOptions(url: "mqtts://broker-a.local,broker-b.local")
    options.tls = TLSOptions(
      caFile: "ca.pem", clientCertificate: .init(file: "device.pem", keyFile: "device.key"))
    // Asked before each attempt, for tokens that expire.
    options.credentials = { Credentials(user: "device-7", password: try await token()) }
    options.will = try Will(Topic("home/device-7/state"), Array("gone".utf8), retain: true)
    options.clientID = "device-7"
    options.sessionExpiry = .seconds(3_600)  // the broker keeps what comes while the link is down
    options.log = { level, line in print("\(level): \(line)") }

    let bus = try Bus(options)
    _ = bus
  }

  @Test func `a scripted broker says what went otherwise`() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      let subscribe = try link.expectSubscribe(to: "home/#")
      try link.send(.suback(subscribe.id, [.granted(1)]), .publish("home/door", "open", qos: 1, id: 7))
      try link.expectPuback(7)
      try link.reset()
    }
    let bus = try Bus(broker.url)
    let doors = Doors()
    bus.signal("home/#").subscribe { _ in doors.opened() }
    try await broker.finish(links: 1)
    // The bus may have connected again by now, and heard it again.
    #expect(doors.count > 0)
    await bus.close(deadline: .zero)
  }
}

private final class Doors: Sendable {
  private let number = Guarded(0)
  var count: Int { number.withLock { $0 } }
  func opened() { number.withLock { $0 += 1 } }
}
