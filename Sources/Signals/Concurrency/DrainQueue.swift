/// The rule of the drain loop, without the threads: of all that come, one at a time handles, and the others
/// leave what they brought for it.
///
/// Kept under a `Lock`. Who `enter`s and is told `true` handles its own item outside the lock, and then what
/// `next` gives, until that is `nil`. So every item is handled once and in the order of entering, nobody waits
/// for a foreign handler, and an item that comes from inside a handler waits for that handler to return.
@usableFromInline
package struct DrainQueue<Item> {
  @usableFromInline private(set) var isDraining = false
  @usableFromInline var waiting = Ring<Item>()

  @inlinable package init() {}

  /// `true`: the caller handles its item, then drains. `false`: the item waits for the one who drains.
  @inlinable
  package mutating func enter(_ item: @autoclosure () -> Item) -> Bool {
    if isDraining {
      waiting.append(item())
      return false
    }
    isDraining = true
    return true
  }

  /// Ends the draining if nothing waits; `false`: go on with `next`.
  @inlinable
  mutating func leaveIfEmpty() -> Bool {
    guard waiting.isEmpty else { return false }
    isDraining = false
    return true
  }

  /// The next item for the one who drains; `nil` ends the draining.
  @inlinable
  package mutating func next() -> Item? {
    guard let item = waiting.popFirst() else {
      isDraining = false
      return nil
    }
    return item
  }
}

extension DrainQueue: Sendable where Item: Sendable {}
