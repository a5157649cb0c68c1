/// Events on their way to somebody slower, by the tail rule: a progress replaces a progress at the tail, and nothing
/// else is ever dropped or overtaken. So at most one progress waits between two values, and the last progress comes
/// before the terminal.
///
/// It has no lock. Values that it hands back are for the caller to let go of, outside of its own lock.
struct ConflatingQueue<Value: Sendable>: Sendable {
  private var events = Ring<Event<Value>>()
  /// Whether the terminal is in: nothing is taken in after it, also not once it was taken out.
  private var hasEnded = false

  var isEmpty: Bool { events.isEmpty }

  /// `false`: the terminal was in already, and the event is dropped.
  mutating func append(_ event: Event<Value>) -> Bool {
    guard !hasEnded else { return false }
    if case .progress = event, case .progress = events.last { events.removeLast() }
    hasEnded = event.isTerminal
    events.append(event)
    return true
  }

  /// Takes out all, into a ring that is empty; the queue goes on with that one's storage.
  mutating func takeAll(into batch: inout Ring<Event<Value>>) { swap(&batch, &events) }
}
