import Signals

/// What waits in a mailbox, as a pure value type.
///
/// Values have numbers in their order, and a progress comes before the value of its number: so it never overtakes one,
/// and a newer one of the same number takes its place. Progress doesn't count against the capacity.
struct MailboxQueue<Value: Sendable>: Sendable {
  /// What became of a value that came.
  enum Outcome: Sendable {
    case taken
    /// There is no room: the sender has to wait.
    case full
    /// This one was dropped for want of room, which may be the one that came.
    case dropped(Value)
    /// This one gave way to a newer one of its topic.
    case superseded(Value)
  }

  private struct Slot {
    var value: Value
    let topic: TopicKey?
  }

  private let policy: Mailbox.Policy
  private let capacity: Int
  /// A ring, by number; its size is a power of two.
  private var slots: ContiguousArray<Slot?> = []
  /// The number of the first value that waits, and of the next that comes.
  private var (first, next) = (0, 0)
  private var progress: [Int: ProgressUpdate] = [:]
  /// The numbers of those that wait.
  private var numbers: [TopicKey: Int] = [:]
  private var end: Event<Value>?
  private(set) var hasEnded = false

  init(_ policy: Mailbox.Policy, capacity: Int) {
    self.policy = policy
    self.capacity = capacity
  }

  /// How many values wait.
  var count: Int { next - first }

  var isEmpty: Bool { count == 0 && progress.isEmpty && end == nil }

  // MARK: In

  /// Not after the end. `isUrgent`: a value that can't wait for room goes beyond the capacity.
  mutating func append(_ value: Value, topic: TopicKey? = nil, isUrgent: Bool = false) -> Outcome {
    if let topic, let number = numbers[topic], let old = slots[place(number)]?.value {
      slots[place(number)]?.value = value
      return .superseded(old)
    }
    var dropped: Value?
    if count >= capacity {
      switch policy {
      case .wait: if !isUrgent { return .full }
      case .dropNewest: return .dropped(value)
      case .dropOldest, .latestPerTopic: dropped = dropFirst()
      }
    }
    if count == slots.count { grow() }
    slots[place(next)] = Slot(value: value, topic: topic)
    if let topic { numbers[topic] = next }
    next += 1
    return dropped.map { .dropped($0) } ?? .taken
  }

  /// Not after the end.
  mutating func append(progress update: ProgressUpdate) { progress[next] = update }

  /// A `failed` or `completed`: it comes after all that waits, and nothing comes after it.
  mutating func append(end: Event<Value>) {
    hasEnded = true
    self.end = end
  }

  private mutating func dropFirst() -> Value? {
    if let earlier = progress.removeValue(forKey: first), progress[first + 1] == nil {
      progress[first + 1] = earlier
    }
    return takeValue()
  }

  // MARK: Out

  /// The next to deliver.
  mutating func take() -> Event<Value>? {
    if !progress.isEmpty, let update = progress.removeValue(forKey: first) { return .progress(update) }
    return takeValue().map { .next($0) } ?? end.take()
  }

  private mutating func takeValue() -> Value? {
    guard count > 0, let slot = slots[place(first)].take() else { return nil }
    if let topic = slot.topic { numbers[topic] = nil }
    first += 1
    return slot.value
  }

  // MARK: Storage

  private func place(_ number: Int) -> Int { number & (slots.count - 1) }

  private mutating func grow() {
    var larger = ContiguousArray<Slot?>(repeating: nil, count: max(4, slots.count * 2))
    for number in first..<next { larger[number & (larger.count - 1)] = slots[place(number)] }
    slots = larger
  }
}
