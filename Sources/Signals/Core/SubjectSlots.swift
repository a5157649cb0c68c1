internal import Synchronization

/// One observer of a subject, as what takes it out again.
@usableFromInline
final class SubjectEntry: Disposable, @unchecked Sendable {
  // Sound: `slot` belongs to whoever has the turn of the core.
  private let core: SubjectCoreBase
  @exclusivity(unchecked) fileprivate(set) var slot = -1
  private let isDisposed = Atomic(false)

  init(_ core: SubjectCoreBase) { self.core = core }

  @usableFromInline
  func dispose() {
    if !isDisposed.exchange(true, ordering: .relaxed) { core.detach(self) }
  }
}

/// The observers of a subject, in the order in which they came.
///
/// A removed one leaves a hole; the holes are closed when they are the greater part, so that adding and removing
/// cost the same however many there are. The memory is managed by hand: a delivery walks it without counting
/// references, since only the one with the turn changes it, and never during a delivery. Whoever ends up with it
/// calls `deallocate`. It knows nothing of the type of the values, so that its code is compiled once.
@usableFromInline
struct SubjectSlots {
  @usableFromInline
  struct Slot {
    // Both retained; `nil` in a hole.
    @usableFromInline let observer: Unmanaged<AnyObject>?
    let entry: Unmanaged<SubjectEntry>?
  }

  @usableFromInline private(set) var slots: UnsafeMutablePointer<Slot>
  /// How many slots are in use, holes included.
  @usableFromInline private(set) var count = 0
  private var capacity = 0
  private var holes = 0

  init() { slots = .allocate(capacity: 0) }

  /// Lets go of all. The last call to this table.
  func deallocate() {
    for index in 0..<count {
      slots[index].observer?.release()
      slots[index].entry?.release()
    }
    slots.deallocate()
  }

  mutating func append(_ observer: AnyObject, _ entry: SubjectEntry?) {
    if count == capacity { reallocate(max(1, capacity * 2)) }
    entry?.slot = count
    let slot = Slot(observer: .passRetained(observer), entry: entry.map { .passRetained($0) })
    (slots + count).initialize(to: slot)
    count += 1
  }

  /// Takes the entry out, if it is in; returns its observer, for the caller to let go of.
  mutating func remove(_ entry: SubjectEntry) -> AnyObject? {
    guard entry.slot >= 0 else { return nil }
    let slot = slots[entry.slot]
    slots[entry.slot] = Slot(observer: nil, entry: nil)
    entry.slot = -1
    slot.entry?.release()
    holes += 1
    // Those at the end are closed at once: who comes and goes leaves no trace.
    while count > 0, slots[count - 1].observer == nil {
      count -= 1
      holes -= 1
    }
    let live = count - holes
    // Memory is given back long before it is needed again: who comes and goes does not pay for it each time.
    if holes > 16 && holes > live || capacity > 64 && live < capacity / 4 {
      reallocate(max(4, live * 2))
    }
    return slot.observer?.takeRetainedValue()
  }

  /// Takes all out: the caller calls `deallocate` of what it gets.
  mutating func removeAll() -> SubjectSlots {
    for index in 0..<count { slots[index].entry?._withUnsafeGuaranteedRef { $0.slot = -1 } }
    defer { self = SubjectSlots() }
    return self
  }

  /// Moves what is there to fresh memory, without the holes.
  private mutating func reallocate(_ newCapacity: Int) {
    let old = slots
    let oldCount = count
    slots = .allocate(capacity: newCapacity)
    (capacity, count, holes) = (newCapacity, 0, 0)
    for index in 0..<oldCount where old[index].observer != nil {
      old[index].entry?._withUnsafeGuaranteedRef { $0.slot = count }
      (slots + count).initialize(to: old[index])
      count += 1
    }
    old.deallocate()
  }
}
