import Brokers
import MQTT
import Peers
import Testing

extension ProtocolVersion {
  /// Each fault is tried in both.
  static let both: [ProtocolVersion] = [.v5, .v311]
}

extension ConnectionOptions {
  /// For a test with a script, in a version.
  init(_ broker: ScriptedBroker, _ version: ProtocolVersion) {
    self.init(broker)
    self.version = version
  }
}

/// What the first link of a connection came to.
struct FirstLink: Sendable {
  /// Why it broke.
  var cause: ConnectionError?
  /// What came until the second link was up.
  var texts: [String]
}

/// Has a broker play `script` to the first client, which it accepts before, and serve all later ones. Returns when
/// the second link is up, has carried a message and is closed.
func firstLink(
  _ version: ProtocolVersion, properties: [Packet.Property] = [], _ script: @escaping ScriptedBroker.Script
) async throws -> FirstLink {
  try await firstLink(version, properties: properties, options: { _ in }, script)
}

func firstLink(
  _ version: ProtocolVersion, properties: [Packet.Property] = [],
  options change: (inout ConnectionOptions) -> Void,
  _ script: @escaping ScriptedBroker.Script
) async throws -> FirstLink {
  let broker = try ScriptedBroker(links: [
    { link in
      try link.accept(properties: properties)
      try script(link)
    },
    { try $0.serve() },
  ])
  var options = ConnectionOptions(broker, version)
  change(&options)
  let recorder = Recorder()
  try await withConnection(options, recorder) { connection, _ in
    try await eventually("not back") { recorder.history.sessions.count == 2 || broker.failure != nil }
    if let failure = broker.failure { throw failure }
    try await connection.publish(Publish(Topic("after"), "x"))
  }
  try await broker.finish(links: 2)
  #expect(recorder.history.causes.count == 2, "\(recorder.history.causes)")
  return FirstLink(cause: recorder.history.causes.first ?? nil, texts: recorder.texts)
}

/// Has a broker play `script` to one client that it accepts, and serve it after that: the link must hold. `body` runs
/// beside the script.
@discardableResult
func heldLink(
  _ version: ProtocolVersion, properties: [Packet.Property] = [], _ script: @escaping ScriptedBroker.Script,
  _ body: (Connection, Recorder) async throws -> Void = { _, _ in }
) async throws -> ScriptedBroker {
  try await heldLink(version, properties: properties, options: { _ in }, script, body)
}

@discardableResult
func heldLink(
  _ version: ProtocolVersion, properties: [Packet.Property] = [],
  options change: (inout ConnectionOptions) -> Void,
  _ script: @escaping ScriptedBroker.Script,
  _ body: (Connection, Recorder) async throws -> Void = { _, _ in }
) async throws -> ScriptedBroker {
  let isPlayed = Collector<Int>()
  let broker = try ScriptedBroker { link in
    try link.accept(properties: properties)
    try script(link)
    isPlayed.add(link.number)
    try link.serve()
  }
  var options = ConnectionOptions(broker, version)
  change(&options)
  let recorder = Recorder()
  do {
    try await withConnection(options, recorder) { connection, _ in
      try await body(connection, recorder)
      try await eventually("the script hangs") {
        isPlayed.count == 1 || broker.failure != nil || !recorder.history.causes.isEmpty
      }
      // Refused, maybe, by what the broker has announced.
      let results = Collector<PublishResult>()
      connection.publish(Publish(try Topic("after"), "x")) { results.add($0) }
      try await eventually("no answer at the end") {
        results.count == 1 || broker.failure != nil || !recorder.history.causes.isEmpty
      }
      #expect(recorder.history.causes.isEmpty, "\(recorder.history.causes)")
    }
  } catch {
    // What the script says is the better reason.
    throw broker.failure ?? error
  }
  try await broker.finish()
  #expect(broker.linkCount == 1)
  return broker
}

/// The cause of a link that the client gave up, as it is told.
func words(_ cause: ConnectionError?) -> String {
  cause.map { "\($0)" } ?? "no cause"
}

/// What a script did not expect.
struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
