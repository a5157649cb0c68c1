import Brokers
import Foundation
import Peers

/// What a device says on a topic, as it was recorded.
struct Fixture {
  var topic: String
  var payload: [UInt8]
  var isRetained = false

  init(_ topic: String, _ text: String, retained: Bool = false) {
    self.init(topic, bytes: Array(text.utf8), retained: retained)
  }

  init(_ topic: String, bytes: [UInt8], retained: Bool = false) {
    self.topic = topic
    payload = bytes
    isRetained = retained
  }

  /// Has `mosquitto_pub` say it, byte for byte.
  func publish(_ broker: LocalBroker) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "fixture-\(UUID().uuidString)")
    try Data(payload).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    if isRetained {
      try await Peer.publish(broker, "-q", "1", "-r", "-t", topic, "-f", file.path)
    } else {
      try await Peer.publish(broker, "-q", "1", "-t", topic, "-f", file.path)
    }
  }
}

extension [Fixture] {
  func publish(_ broker: LocalBroker) async throws {
    for fixture in self { try await fixture.publish(broker) }
  }
}
