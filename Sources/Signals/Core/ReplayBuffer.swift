/// What a subject keeps for newcomers.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  @usableFromInline let capacity: Int
  @usableFromInline var last = Ring<Value>()
  @usableFromInline let store: (any ReplayStore<Value>)?

  @inlinable
  init(capacity: Int, store: (any ReplayStore<Value>)? = nil) {
    self.capacity = capacity
    self.store = store
  }

  /// The last `capacity` values.
  @inlinable
  static func last(_ capacity: Int) -> ReplayBuffer { ReplayBuffer(capacity: capacity) }

  /// Whatever `store` says.
  static func store(_ store: any ReplayStore<Value>) -> ReplayBuffer {
    ReplayBuffer(capacity: 0, store: store)
  }

  @inlinable var isUsed: Bool { capacity > 0 || store != nil }

  /// Takes note of a value; returns the one it displaced.
  @inlinable
  mutating func remember(_ value: Value) -> Value? {
    guard capacity > 0 else {
      store?.remember(value)
      return nil
    }
    let displaced = last.count == capacity ? last.popFirst() : nil
    last.append(value)
    return displaced
  }

  func values(for observer: Observer<Value>) -> ContiguousArray<Value> {
    store?.values(for: observer) ?? last.elements
  }
}

/// Decides what newcomers of a subject get, where the last n values are not the answer.
///
/// Called by one thread at a time, in the order of the deliveries; never under a lock of the subject.
@usableFromInline
package protocol ReplayStore<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// Takes note of a value that is being delivered.
  func remember(_ value: Value)

  /// What `observer`, a newcomer, gets, in this order.
  func values(for observer: Observer<Value>) -> ContiguousArray<Value>
}
