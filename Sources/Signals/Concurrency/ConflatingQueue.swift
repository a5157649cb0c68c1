/// Events on their way to somebody slower, by the tail rule: a progress replaces a progress at the tail, and nothing
/// else is ever dropped or overtaken. So at most one progress waits between two values, and the last progress comes
/// before the terminal.
///
/// It has no lock. Values that it hands back are for the caller to let go of, outside of its own lock.
struct ConflatingQueue<Value: Sendable>: Sendable {
  private var events = Ring<Event<Value>>()
  /// How many values wait: progress and the terminal count against no bound.
  private(set) var valueCount = 0
  /// Whether the terminal is in: nothing is taken in after it, also not once it was taken out.
  private(set) var hasEnded = false

  var isEmpty: Bool { events.isEmpty }

  /// `false`: the terminal was in already, and the event is dropped.
  @discardableResult
  mutating func append(_ event: Event<Value>) -> Bool {
    guard !hasEnded else { return false }
    switch event {
    case .next: valueCount += 1
    case .progress: if case .progress = events.last { events.removeLast() }
    case .failed, .completed: hasEnded = true
    }
    events.append(event)
    return true
  }

  mutating func popFirst() -> Event<Value>? {
    guard let event = events.popFirst() else { return nil }
    if case .next = event { valueCount -= 1 }
    return event
  }

  /// Takes out all, into a ring that is empty; the queue goes on with that one's storage.
  mutating func takeAll(into batch: inout Ring<Event<Value>>) {
    swap(&batch, &events)
    valueCount = 0
  }

  /// Takes out the oldest value, for one who bounds how many wait. Progress before it stays, unless newer progress
  /// follows.
  mutating func popFirstValue() -> Value? {
    guard valueCount > 0 else { return nil }
    var progress: Event<Value>?
    while let event = events.popFirst() {
      guard case .next(let value) = event else {
        progress = event
        continue
      }
      valueCount -= 1
      if let progress {
        if case .progress = events.first {} else { events.prepend(progress) }
      }
      return value
    }
    return nil
  }
}
