import Brokers
import MQTT
import Peers
import Signals
import Testing

/// Messages that libmosquitto, or a program behind it, could stumble over.
@Suite(.timeLimit(.minutes(3)))
struct PoisonTests {
  /// A PUBLISH of QoS 0 without properties.
  private func publish(_ topic: [UInt8], _ version: ProtocolVersion) -> [UInt8] {
    let rest: [UInt8] = version == .v5 ? [0, 0x78] : [0x78]
    return [0x30, UInt8(topic.count + 2 + rest.count), 0, UInt8(topic.count)] + topic + rest
  }

  /// A broker that accepts each client and sends it these bytes.
  private func server(_ bytes: [UInt8]) throws -> ScriptedBroker {
    try ScriptedBroker { link in
      try link.accept()
      try link.send(bytes: bytes)
      try link.serve()
    }
  }

  private func options(_ server: ScriptedBroker, _ version: ProtocolVersion = .v5) -> ConnectionOptions {
    var options = ConnectionOptions(server, version)
    options.backoff = .init(initial: .milliseconds(10), maximum: .seconds(60))
    return options
  }

  @Test(
    "A topic with wildcards, spaces or empty levels is passed on as it is",
    arguments: ["a/+", "#", "/", " ", "$x"], ProtocolVersion.both)
  func literal(_ topic: String, _ version: ProtocolVersion) async throws {
    let server = try server(publish(Array(topic.utf8), version))
    try await withConnection(options(server, version)) { _, recorder in
      try await eventually("nothing arrived") { recorder.count == 1 }
      #expect(recorder.history.messages[0].topic == topic)
    }
  }

  @Test(
    "A topic that libmosquitto does not take breaks the link with an error that says so and how to mend it",
    arguments: [
      ([0x61, 0xFF], "UTF-8"), ([0x61, 0x09], "UTF-8"), ([0x61, 0x00], "UTF-8"),
      ([0xEF, 0xBF, 0xBF], "UTF-8"),
      ([0xC3], "UTF-8"), ([], "without a topic"),
    ] as [([UInt8], String)], ProtocolVersion.both)
  func poison(_ poison: ([UInt8], String), _ version: ProtocolVersion) async throws {
    let (topic, part) = poison
    let server = try server(publish(topic, version))
    let recorder = Recorder()
    let connection = try Connection(options(server, version))
    connection.connect(delegate: recorder)
    try await eventually("no cause") { !recorder.history.causes.isEmpty }
    guard case .linkLost(let text) = recorder.history.causes[0] else {
      return #expect(Bool(false), "\(recorder.history.causes)")
    }
    #expect(text.contains(part) && !text.contains("\n"), "\(text)")
    if part == "UTF-8" { #expect(text.contains("retained") && text.contains("clear it")) }
    #expect(recorder.count == 0)
    await connection.close(deadline: .zero)
  }

  @Test("A property that libmosquitto does not take breaks the link with an error that says so")
  func poisonedProperty() async throws {
    // A user property with a tab in its value.
    let properties: [UInt8] = [0x26, 0, 1, 0x6B, 0, 1, 0x09]
    let server = try server(
      [0x30, UInt8(properties.count + 4), 0, 1, 0x74, UInt8(properties.count)] + properties)
    let recorder = Recorder()
    let connection = try Connection(options(server))
    connection.connect(delegate: recorder)
    try await eventually("no cause") { !recorder.history.causes.isEmpty }
    #expect("\(recorder.history.causes[0].map { "\($0)" } ?? "")".contains("properties"))
    await connection.close(deadline: .zero)
  }
}
