/// The subscription identifiers of a message: none or one without an allocation.
public struct SubscriptionIdentifiers: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
  /// Zero is no identifier (MQTT 5, 3.8.2.1.2), so it can mean "none".
  private var head: UInt32 = 0
  private var tail: [UInt32] = []

  /// Makes a collection of `elements`, each from 1 to 268,435,455.
  public init(arrayLiteral elements: UInt32...) {
    for element in elements { append(element) }
  }

  /// The position of the first identifier.
  public var startIndex: Int { 0 }

  /// The number of identifiers.
  public var endIndex: Int { head == 0 ? 0 : 1 + tail.count }

  /// The identifier at `position`.
  public subscript(position: Int) -> UInt32 {
    precondition(position >= 0 && position < endIndex, "no identifier at \(position)")
    return position == 0 ? head : tail[position - 1]
  }

  mutating func append(_ identifier: UInt32) {
    if head == 0 { head = identifier } else { tail.append(identifier) }
  }
}
