import Synchronization

/// What any subject has to do at the least: a mutex, a snapshot of the observers, and a closure with a flag.
///
/// No order among senders, no replay, no progress, no terminal, and no order kept when an observer leaves.
final class Floor: Sendable {
  /// One observer.
  final class Entry: Sendable {
    let isActive = Atomic(true)
    let handler: @Sendable (Int) -> Void
    /// Its place among the observers; guarded by the mutex of the floor.
    let place = Atomic(0)

    init(_ handler: @escaping @Sendable (Int) -> Void) { self.handler = handler }
  }

  private let entries = Mutex<ContiguousArray<Entry>>([])

  func send(_ value: Int) {
    let entries = entries.withLock { $0 }
    for entry in entries where entry.isActive.load(ordering: .acquiring) { entry.handler(value) }
  }

  /// One sender after the other: the price of a single order for all, paid by waiting.
  func sendSerialised(_ value: Int) {
    entries.withLock { entries in
      for entry in entries where entry.isActive.load(ordering: .acquiring) { entry.handler(value) }
    }
  }

  @discardableResult
  func subscribe(_ handler: @escaping @Sendable (Int) -> Void) -> Entry {
    let entry = Entry(handler)
    entries.withLock { entries in
      entry.place.store(entries.count, ordering: .relaxed)
      entries.append(entry)
    }
    return entry
  }

  func dispose(_ entry: Entry) {
    guard entry.isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
    entries.withLock { entries in
      let place = entry.place.load(ordering: .relaxed)
      entries.swapAt(place, entries.count - 1)
      entries[place].place.store(place, ordering: .relaxed)
      entries.removeLast()
    }
  }
}
