/// What a consumer of an async view gets.
@usableFromInline
enum Taken<Element> {
  case element(Element)
  /// The stream has ended, and all that was kept has been taken. It is said again to whoever asks again.
  case ended(End)
  case cancelled
}

/// What waits for the consumer of an async view, as a pure value type: it is told what happened and returns what to do.
///
/// The tail rule: a progress replaces a progress at the tail; a value is never dropped for one and never overtaken.
/// Progress doesn't count against the bound of the policy, and two that become neighbours when the value between
/// them is dropped are one afterwards. While somebody waits nothing is kept, so a waiter gets what comes, whatever
/// the policy says.
@usableFromInline
struct AsyncBuffer<Element, Waiter> {
  @usableFromInline let policy: BufferPolicy
  @usableFromInline let isProgress: @Sendable (Element) -> Bool
  @usableFromInline var elements = Ring<Element>()
  @usableFromInline var progressCount = 0
  @usableFromInline var end: End?
  @usableFromInline var isCancelled = false
  @usableFromInline var waiters = Ring<Waiter>()
  /// How many values the policy has dropped.
  @usableFromInline var dropped = 0

  @usableFromInline
  init(_ policy: BufferPolicy, isProgress: @escaping @Sendable (Element) -> Bool) {
    self.policy = policy
    self.isProgress = isProgress
  }

  // MARK: From the source

  /// A value comes: it is to be given to `waiter`, if there is one; `displaced` is what was dropped.
  @inlinable
  mutating func send(_ value: Element) -> (waiter: Waiter?, displaced: Element?) {
    guard end == nil, !isCancelled else { return (nil, nil) }
    if let waiter = waiters.popFirst() { return (waiter, nil) }
    var displaced: Element?
    switch policy {
    case .unbounded: break
    case .newest(let bound) where bound > 0:
      if elements.count - progressCount >= bound { displaced = dropOldest() }
    case .newest(let bound), .oldest(let bound):
      guard elements.count - progressCount < bound else {
        dropped += 1
        return (nil, value)
      }
    }
    elements.append(value)
    return (nil, displaced)
  }

  /// A progress comes: it is to be given to the waiter, if there is one.
  @inlinable
  mutating func send(progress: Element) -> Waiter? {
    guard end == nil, !isCancelled else { return nil }
    if let waiter = waiters.popFirst() { return waiter }
    if progressCount > 0, let last = elements.last, isProgress(last) {
      elements.removeLast()
    } else {
      progressCount += 1
    }
    elements.append(progress)
    return nil
  }

  /// The stream ends: say so to these.
  mutating func end(_ end: End) -> Ring<Waiter> {
    if self.end == nil { self.end = end }
    return waiters.takeAll()
  }

  @inlinable
  mutating func dropOldest() -> Element? {
    dropped += 1
    guard progressCount > 0, let progress = elements.first, isProgress(progress) else {
      return elements.popFirst()
    }
    _ = elements.popFirst()
    let value = elements.popFirst()
    if let next = elements.first, isProgress(next) {
      progressCount -= 1
    } else {
      elements.prepend(progress)
    }
    return value
  }

  // MARK: From the consumer

  /// Takes the first element. `nil`: there is nothing yet.
  ///
  /// Without a bound all others move to `batch`, which is empty. With one they stay, since they count against it and
  /// may have to give way.
  @inlinable
  mutating func take(into batch: inout Ring<Element>) -> Taken<Element>? {
    if isCancelled { return .cancelled }
    if case .unbounded = policy, !elements.isEmpty {
      // What the consumer has used up serves again.
      swap(&elements, &batch)
      progressCount = 0
      if let first = batch.popFirst() { return .element(first) }
    }
    if let first = elements.popFirst() {
      if progressCount > 0, isProgress(first) { progressCount -= 1 }
      return .element(first)
    }
    return end.map { .ended($0) }
  }

  /// After a `take` that gave nothing: the next to come is for `waiter`.
  @inlinable
  mutating func wait(_ waiter: Waiter) { waiters.append(waiter) }

  /// The consumer goes: say so to these. What is kept stays until `takeLeft`.
  mutating func cancel() -> Ring<Waiter> {
    isCancelled = true
    return waiters.takeAll()
  }

  /// What nobody will take any more.
  mutating func takeLeft() -> Ring<Element> {
    progressCount = 0
    return elements.takeAll()
  }
}

extension Taken: Sendable where Element: Sendable {}
extension AsyncBuffer: Sendable where Element: Sendable, Waiter: Sendable {}

extension Ring {
  fileprivate mutating func takeAll() -> Ring {
    var all = Ring()
    if !isEmpty { swap(&all, &self) }
    return all
  }
}
