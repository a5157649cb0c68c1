public import Synchronization

/// Whose turn it is, of all threads that come: the lock of a drain loop, which nobody ever waits for.
///
/// Alone, taking and leaving a turn costs one atomic operation each. Who finds it taken leaves what it brought with
/// `WaitingItems`.
@usableFromInline
package struct Turn: ~Copyable, Sendable {
  // Items wait only under `busyWaiting` and `freeWaiting`, which are entered and left under the lock of the items.
  @usableFromInline static var free: UInt8 { 0 }
  @usableFromInline static var busy: UInt8 { 1 }
  @usableFromInline static var busyWaiting: UInt8 { 2 }
  @usableFromInline static var freeWaiting: UInt8 { 3 }

  @usableFromInline let phase = Atomic<UInt8>(0)

  @inlinable package init() {}

  /// `true`: the caller has the turn, and nothing waits.
  @inlinable
  func tryEnter() -> Bool {
    // Looked at first: to fail at an exchange takes the cache line away from the one who has the turn.
    phase.load(ordering: .relaxed) == Self.free
      && phase.compareExchange(expected: Self.free, desired: Self.busy, ordering: .acquiring).exchanged
  }

  /// Gives the turn back, if nothing waits. `false`: go on with what waits.
  @inlinable
  func leave() -> Bool {
    phase.load(ordering: .relaxed) == Self.busy
      && phase.compareExchange(expected: Self.busy, desired: Self.free, ordering: .releasing).exchanged
  }
}

/// What came while somebody else had the turn.
@usableFromInline
package struct WaitingItems<Item: Sendable>: ~Copyable, Sendable {
  @usableFromInline let items = Lock(Ring<Item>())

  @inlinable package init() {}

  /// Leaves an item for the one who has the turn. When nobody has, the caller has it now and handles what is returned.
  ///
  /// The item takes the place of a waiting one where `rule` says so, which is asked from the newest on.
  @inlinable
  func add(
    _ item: Item, _ turn: borrowing Turn, rule: (Item) -> TailStep = { _ in .stop }
  ) -> Item? {
    items.withLock { items in
      while true {
        switch turn.phase.load(ordering: .relaxed) {
        case Turn.free:
          if turn.tryEnter() { return item }
        case Turn.busy:
          // Fails when the other one leaves at this moment.
          if turn.phase.compareExchange(
            expected: Turn.busy, desired: Turn.busyWaiting, ordering: .relaxed
          ).exchanged {
            items.append(item)
            return nil
          }
        case Turn.freeWaiting:
          items.append(item)
          return take(&items, turn)
        default:
          if !items.replaceInTail(item, rule) { items.append(item) }
          return nil
        }
      }
    }
  }

  /// Takes all that waits, for the one who has the turn, into an empty ring; `false` gave the turn back.
  @inlinable
  func takeAll(_ turn: borrowing Turn, into batch: inout Ring<Item>) -> Bool {
    if turn.leave() { return false }
    items.withLock { items in
      swap(&items, &batch)
      turn.phase.store(Turn.busy, ordering: .releasing)
    }
    return true
  }

  /// The next item for the one who has the turn; `nil` gave the turn back.
  func next(_ turn: borrowing Turn) -> Item? {
    turn.leave() ? nil : items.withLock { take(&$0, turn) }
  }

  /// Gives the turn back though items may wait, for a while: the next who enters goes on with them.
  func pause(_ turn: borrowing Turn) {
    guard !turn.leave() else { return }
    items.withLock { _ in turn.phase.store(Turn.freeWaiting, ordering: .releasing) }
  }

  /// After `pause`: the next item, with the turn, if items wait and nobody else has taken the turn.
  func resume(_ turn: borrowing Turn) -> Item? {
    items.withLock { items in
      turn.phase.load(ordering: .relaxed) == Turn.freeWaiting ? take(&items, turn) : nil
    }
  }

  @usableFromInline
  func take(_ items: inout Ring<Item>, _ turn: borrowing Turn) -> Item? {
    let item = items.popFirst()
    turn.phase.store(items.isEmpty ? Turn.busy : Turn.busyWaiting, ordering: .releasing)
    return item
  }
}
