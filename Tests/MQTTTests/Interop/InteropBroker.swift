import Signals
import Brokers
import Foundation
import MQTT

/// The broker that the interoperability tests talk to: the one that the environment names, or a mosquitto of the
/// test's own. `scripts/interop` sets the environment.
///
/// A named broker serves all tests at once and outlives them, so that each test keeps to topics under a first level
/// of its own and leaves no retained message and no session behind.
struct InteropBroker: Sendable {
  /// A topic that the brokers are set up to keep from the user of the tests.
  static let forbidden = "prohibited"

  /// What the named broker speaks, as in `3.1.1` or `3.1.1,5`.
  static let versions: [ProtocolVersion] = {
    guard let list = environment["SIGNALBOX_TEST_VERSIONS"] else { return [.v5, .v311] }
    let names = list.split(separator: ",").map { $0.filter { $0 != " " } }
    return [.v5, .v311].filter { names.contains($0.description) }
  }()

  static let speaksV5 = versions.contains(.v5)

  private static let environment = ProcessInfo.processInfo.environment

  let version: ProtocolVersion
  /// The first level of all topics of one test.
  let root: String
  /// Whether the broker is this test's own, and set up as below.
  let isOwn: Bool
  private let template: ConnectionOptions

  /// Runs `body` with the broker.
  static func with(
    _ version: ProtocolVersion, isolation: isolated (any Actor)? = #isolation,
    _ body: (InteropBroker) async throws -> Void
  ) async throws {
    let root = "interop-" + String((0..<12).map { _ in "0123456789abcdef".randomElement()! })
    if let url = environment["SIGNALBOX_TEST_BROKER"] {
      let template = try ConnectionOptions(url: url)
      return try await body(InteropBroker(version: version, root: root, isOwn: false, template: template))
    }
    let options = LocalBroker.Options(
      users: ["tester": "secret"],
      accessRules: [
        "user tester", "topic deny \(forbidden)", "topic readwrite #", "topic read $SYS/#",
        "topic readwrite $interop/#",
      ],
      configuration: ["max_inflight_messages 10", "max_keepalive 30"])
    try await LocalBroker.with(options) { broker in
      let template = try ConnectionOptions(url: "mqtt://tester:secret@127.0.0.1:\(broker.port)")
      try await body(InteropBroker(version: version, root: root, isOwn: true, template: template))
    }
  }

  /// For a test: a client id of its own, quick to connect again.
  var options: ConnectionOptions {
    var options = ConnectionOptions(endpoint: template.endpoint)
    options.user = template.user
    options.password = template.password
    options.version = version
    options.backoff = .init(initial: .milliseconds(20), maximum: .milliseconds(200))
    options.connectDeadline = .seconds(60)
    return options
  }

  var port: Int {
    if case .tcp(_, let port) = template.endpoint { port } else { 0 }
  }

  /// A topic of this test.
  func topic(_ rest: String) throws -> Topic { try Topic("\(root)/\(rest)") }

  /// A filter of this test.
  func filter(_ rest: String) throws -> TopicFilter { try TopicFilter("\(root)/\(rest)") }

  /// Writes down what this broker does where brokers differ.
  func record(_ fact: String, _ value: String) {
    InteropFacts.record(fact, value, version)
  }
}

extension Recorder {
  /// The payloads that came on `topic`, as text.
  func texts(on topic: Topic) -> [String] {
    messages(on: topic).map { String(decoding: $0.payload, as: UTF8.self) }
  }

  /// What came on `topic`.
  func messages(on topic: Topic) -> [Message] {
    history.messages.filter { $0.topic == topic.name }
  }
}
