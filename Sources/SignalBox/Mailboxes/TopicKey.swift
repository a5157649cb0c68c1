/// A topic in a table: equal where the bytes are, as MQTT has it, and not where the text looks the same.
struct TopicKey: Hashable, Sendable {
  private let name: String

  init(_ name: String) { self.name = name }

  static func == (left: Self, right: Self) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
