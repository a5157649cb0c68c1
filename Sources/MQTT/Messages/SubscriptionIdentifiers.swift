/// The subscription identifiers of a message: none or one without an allocation, in the size of a pointer.
public struct SubscriptionIdentifiers: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
  private enum Storage: Hashable {
    case none
    case one(UInt32)
    case several([UInt32])
  }

  private var storage = Storage.none

  /// Makes a collection of `elements`, each from 1 to 268,435,455.
  public init(arrayLiteral elements: UInt32...) {
    for element in elements { append(element) }
  }

  /// The position of the first identifier.
  public var startIndex: Int { 0 }

  /// The number of identifiers.
  public var endIndex: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .several(let identifiers): identifiers.count
    }
  }

  /// The identifier at `position`.
  public subscript(position: Int) -> UInt32 {
    switch storage {
    case .one(let identifier) where position == 0: identifier
    case .several(let identifiers): identifiers[position]
    case .none, .one: preconditionFailure("no identifier at \(position)")
    }
  }

  mutating func append(_ identifier: UInt32) {
    switch storage {
    case .none: storage = .one(identifier)
    case .one(let first): storage = .several([first, identifier])
    case .several(let identifiers): storage = .several(identifiers + [identifier])
    }
  }
}
