public import Synchronization

/// The rule of the drain loop: of all that come, one at a time has the turn, and the others leave what they brought
/// for it.
///
/// Who gets `true` from `tryEnter` handles its own item and then what `next` gives, until that is `nil`. Everybody
/// else gives its item to `enqueue`, and handles what that returns, if anything, in the same way. So every item is
/// handled once and in the order of entering, nobody waits for a foreign handler, and an item that comes from inside
/// a handler waits for that handler to return. What the one with the turn touches needs no other guard.
///
/// Alone, a turn costs two atomic operations and no lock.
@usableFromInline
package struct DrainQueue<Item: Sendable>: ~Copyable, Sendable {
  // Whether somebody has the turn, and whether items wait. Items wait only under `busyWaiting` and `freeWaiting`,
  // which are entered and left under the lock.
  @usableFromInline static var free: UInt8 { 0 }
  @usableFromInline static var busy: UInt8 { 1 }
  @usableFromInline static var busyWaiting: UInt8 { 2 }
  @usableFromInline static var freeWaiting: UInt8 { 3 }

  @usableFromInline let phase = Atomic<UInt8>(0)
  @usableFromInline let waiting = Lock(Ring<Item>())

  @inlinable package init() {}

  // Always inlined, as is `leave`: in code that is not compiled for one type, a call would first look up the generic
  // type of the queue, which costs more than the turn.

  /// `true`: the caller has the turn.
  @inlinable @inline(__always)
  package func tryEnter() -> Bool {
    phase.compareExchange(expected: Self.free, desired: Self.busy, ordering: .acquiring).exchanged
  }

  /// The item to handle, with the turn; `nil`: somebody else has the turn, and will handle this item too.
  @inlinable
  package func enter(_ item: Item) -> Item? { tryEnter() ? item : enqueue(item) }

  /// Leaves an item for the one who has the turn. When nobody has, the caller has it now and handles what is returned.
  ///
  /// Where `replaces` says so of the newest waiting item, the item takes its place.
  @usableFromInline
  package func enqueue(_ item: Item, replaces: (Item) -> Bool = { _ in false }) -> Item? {
    waiting.withLock { waiting in
      while true {
        switch phase.load(ordering: .relaxed) {
        case Self.free:
          if tryEnter() { return item }
        case Self.busy:
          // Fails when the other one leaves at this moment.
          if phase.compareExchange(
            expected: Self.busy, desired: Self.busyWaiting, ordering: .relaxed
          ).exchanged {
            waiting.append(item)
            return nil
          }
        case Self.freeWaiting:
          waiting.append(item)
          return take(&waiting)
        default:
          if let last = waiting.last, replaces(last) { waiting.removeLast() }
          waiting.append(item)
          return nil
        }
      }
    }
  }

  /// The next item for the one who has the turn; `nil` gives the turn back.
  @inlinable
  package func next() -> Item? { leave() ? nil : nextWaiting() }

  /// Gives the turn back, if nothing waits. `false`: go on with `nextWaiting`.
  @inlinable @inline(__always)
  func leave() -> Bool {
    phase.compareExchange(expected: Self.busy, desired: Self.free, ordering: .releasing).exchanged
  }

  @usableFromInline
  func nextWaiting() -> Item? {
    waiting.withLock { take(&$0) }
  }

  /// Gives the turn back though items may wait, for a while: the next who enters goes on with them.
  package func pause() {
    guard !leave() else { return }
    waiting.withLock { _ in phase.store(Self.freeWaiting, ordering: .releasing) }
  }

  /// After `pause`: the next item, with the turn, if items wait and nobody else has taken the turn.
  package func resume() -> Item? {
    waiting.withLock { waiting in
      phase.load(ordering: .relaxed) == Self.freeWaiting ? take(&waiting) : nil
    }
  }

  private func take(_ waiting: inout Ring<Item>) -> Item? {
    let item = waiting.popFirst()
    phase.store(waiting.isEmpty ? Self.busy : Self.busyWaiting, ordering: .releasing)
    return item
  }
}
