/// A topic that can be published to: checked once, so that no broker drops the connection for it.
///
/// Empty levels are levels: `a`, `/a` and `a/` are three topics. Two topics are equal when their bytes are.
public struct Topic: Sendable, Hashable, CustomStringConvertible {
  /// The topic as it goes over the wire.
  public let name: String

  /// Checks `name`: not empty, no wildcard, no control character, at most 65,535 bytes and 201 levels.
  public init(_ name: String) throws(TopicError) {
    try TopicText.check(name, empty: .emptyTopic)
    if name.utf8.contains(where: { $0 == TopicText.plus || $0 == TopicText.hash }) {
      throw .wildcardInTopic(name)
    }
    var name = name
    name.makeContiguousUTF8()
    self.name = name
  }

  /// The topic as it goes over the wire.
  public var description: String { name }

  /// Whether both are the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
  }
}
