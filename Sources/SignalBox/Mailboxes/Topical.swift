public import MQTT

/// A value that came on a topic.
public protocol Topical {
  /// The topic, as the broker sent it.
  var topic: String { get }
}

extension Message: Topical {}
