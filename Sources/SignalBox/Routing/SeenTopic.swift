import MQTT

/// A topic as a key: equal when the bytes are. Strings are equal when they are canonically equivalent, topics not.
struct SeenTopic: Hashable {
  private let name: String

  init(_ name: String) { self.name = name }

  static func == (left: Self, right: Self) -> Bool { left.name.hasSameBytes(as: right.name) }

  func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}
