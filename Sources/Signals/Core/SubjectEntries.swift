public import Synchronization

/// One observer of a subject, and what takes it out again.
@usableFromInline
final class SubjectEntry<Value: Sendable>: Disposable, @unchecked Sendable {
  // Sound: `active` is atomic, `subject` is only read, the rest belongs to whoever owns the subject's entries.
  @usableFromInline let active = Atomic(true)
  @usableFromInline var observer: Observer<Value>?
  @usableFromInline var slot = -1
  // Weak: nobody can send into a subject that nobody holds, so its observers need not keep it.
  private weak var subject: Subject<Value>?

  init(_ subject: Subject<Value>, _ observer: Observer<Value>) {
    self.subject = subject
    self.observer = observer
  }

  @inlinable var isActive: Bool { active.load(ordering: .acquiring) }

  @usableFromInline
  func dispose() {
    guard active.exchange(false, ordering: .acquiringAndReleasing) else { return }
    subject?.remove(self)
  }
}

/// The observers of a subject, in the order in which they came.
///
/// A removed one leaves a hole; the holes are closed when they are the greater part, so that adding and removing
/// cost the same however many there are.
@usableFromInline
struct SubjectEntries<Value: Sendable> {
  @usableFromInline private(set) var slots: ContiguousArray<SubjectEntry<Value>?> = []
  private var holes = 0

  @usableFromInline init() {}

  mutating func append(_ entry: SubjectEntry<Value>) {
    entry.slot = slots.count
    slots.append(entry)
  }

  mutating func remove(_ entry: SubjectEntry<Value>) {
    guard slots.indices.contains(entry.slot), slots[entry.slot] === entry else { return }
    slots[entry.slot] = nil
    holes += 1
    guard holes > 16, holes * 2 > slots.count else { return }
    slots = slots.filter { $0 != nil }
    holes = 0
    for (slot, entry) in slots.enumerated() { entry?.slot = slot }
  }

  mutating func removeAll() -> ContiguousArray<SubjectEntry<Value>?> {
    defer { self = SubjectEntries() }
    return slots
  }
}
