/// A first-in-first-out buffer that grows when it must and keeps its storage.
@usableFromInline
struct Ring<Element> {
  @usableFromInline var storage: ContiguousArray<Element?> = []
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable init() {}

  @inlinable var isEmpty: Bool { count == 0 }

  @inlinable
  mutating func append(_ element: Element) {
    if count == storage.count { grow() }
    storage[(head + count) & (storage.count - 1)] = element
    count += 1
  }

  @inlinable
  mutating func prepend(_ element: Element) {
    if count == storage.count { grow() }
    head = (head - 1) & (storage.count - 1)
    storage[head] = element
    count += 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head].take()
    head = (head + 1) & (storage.count - 1)
    count -= 1
    return element
  }

  @inlinable
  var first: Element? { count == 0 ? nil : storage[head] }

  @inlinable
  var last: Element? { count == 0 ? nil : storage[(head + count - 1) & (storage.count - 1)] }

  @inlinable
  mutating func removeLast() {
    count -= 1
    storage[(head + count) & (storage.count - 1)] = nil
  }

  /// Takes out the first element that `isWanted`.
  mutating func removeFirst(where isWanted: (Element) -> Bool) -> Element? {
    var found: Element?
    var rest = Ring()
    while let element = popFirst() {
      if found == nil, isWanted(element) { found = element } else { rest.append(element) }
    }
    self = rest
    return found
  }

  /// The elements from the oldest to the newest.
  var elements: ContiguousArray<Element> {
    var result = ContiguousArray<Element>()
    result.reserveCapacity(count)
    for offset in 0..<count { result.append(storage[(head + offset) & (storage.count - 1)]!) }
    return result
  }

  /// Puts `element` in the place of one near the end, from the last backwards as `rule` says, and returns that one;
  /// `nil`: there is none.
  @inlinable
  mutating func replaceInTail(_ element: Element, _ rule: (Element) -> TailStep) -> Element? {
    var element = Optional(element)
    // Bounded, since it is looked for under a lock.
    for offset in 1...64 where offset <= count {
      let index = (head + count - offset) & (storage.count - 1)
      switch rule(storage[index]!) {
      case .replace:
        swap(&storage[index], &element)
        return element
      case .lookFurther: continue
      case .stop: return nil
      }
    }
    return nil
  }

  /// After a long backlog: an empty ring does not keep the storage of a very full one.
  @inlinable
  mutating func trim() {
    if isEmpty, storage.count > 4096 { self = Ring() }
  }

  /// Capacities are powers of two, so that an index wraps by a mask.
  @inlinable
  mutating func grow() {
    var larger = ContiguousArray<Element?>()
    let capacity = Swift.max(4, storage.count * 2)
    larger.reserveCapacity(capacity)
    for offset in 0..<count { larger.append(storage[(head + offset) & (storage.count - 1)]) }
    while larger.count < capacity { larger.append(nil) }
    storage = larger
    head = 0
  }
}

/// What becomes of an element of a ring's tail, when a newer one comes.
@usableFromInline
enum TailStep {
  /// The newer one takes its place.
  case replace
  /// It stays, and so does the order if the newer one takes the place of an older one.
  case lookFurther
  /// It stays, and nothing overtakes it.
  case stop
}

extension Ring: Sendable where Element: Sendable {}
