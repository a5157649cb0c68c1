/// A queue whose elements can also be removed from the middle, each in constant time.
struct LinkedQueue<Element> {
  typealias Slot = Int

  fileprivate struct Node {
    var element: Element?
    var previous: Slot
    var next: Slot
  }

  private static var none: Slot { -1 }

  private var nodes: [Node] = []
  private var firstFree = none
  private var head = none
  private var tail = none
  private(set) var count = 0

  var firstSlot: Slot? { head == Self.none ? nil : head }

  var first: Element? { head == Self.none ? nil : nodes[head].element }

  @discardableResult
  mutating func append(_ element: Element) -> Slot {
    let slot = take(Node(element: element, previous: tail, next: Self.none))
    if tail == Self.none { head = slot } else { nodes[tail].next = slot }
    tail = slot
    return slot
  }

  @discardableResult
  mutating func prepend(_ element: Element) -> Slot {
    let slot = take(Node(element: element, previous: Self.none, next: head))
    if head == Self.none { tail = slot } else { nodes[head].previous = slot }
    head = slot
    return slot
  }

  mutating func popFirst() -> Element? {
    head == Self.none ? nil : remove(head)
  }

  subscript(slot: Slot) -> Element {
    nodes[slot].element!
  }

  /// `slot` must come from an insertion and not have been removed since.
  @discardableResult
  mutating func remove(_ slot: Slot) -> Element {
    let node = nodes[slot]
    if node.previous == Self.none { head = node.next } else { nodes[node.previous].next = node.next }
    if node.next == Self.none { tail = node.previous } else { nodes[node.next].previous = node.previous }
    count -= 1
    if count == 0 {
      // A burst must not hold its memory for ever.
      nodes.removeAll(keepingCapacity: nodes.count <= 1_024)
      firstFree = Self.none
    } else {
      nodes[slot] = Node(element: nil, previous: Self.none, next: firstFree)
      firstFree = slot
    }
    return node.element!
  }

  private mutating func take(_ node: Node) -> Slot {
    count += 1
    guard firstFree != Self.none else {
      nodes.append(node)
      return nodes.count - 1
    }
    let slot = firstFree
    firstFree = nodes[slot].next
    nodes[slot] = node
    return slot
  }
}

extension LinkedQueue: Sendable where Element: Sendable {}
extension LinkedQueue.Node: Sendable where Element: Sendable {}
