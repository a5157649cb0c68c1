/// The slots of a ``LinkedQueue`` that have a deadline, the earliest first: a binary heap whose elements know
/// their places, so that one can also be taken out before its time, in logarithmic time and without a trace.
struct Deadlines {
  typealias Instant = ContinuousClock.Instant
  typealias Slot = Int

  private struct Node {
    var deadline: Instant
    var slot: Slot
  }

  private var heap: [Node] = []
  /// The places in the heap by slot. Slots are small numbers that are used again.
  private var places: [Int] = []

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }

  /// The earliest one.
  var first: (deadline: Instant, slot: Slot)? { heap.first.map { ($0.deadline, $0.slot) } }

  /// `slot` must not be in here.
  mutating func insert(_ slot: Slot, _ deadline: Instant) {
    while places.count <= slot { places.append(-1) }
    heap.append(Node(deadline: deadline, slot: slot))
    rise(from: heap.count - 1)
  }

  /// `slot` must be in here.
  mutating func remove(_ slot: Slot) {
    let place = places[slot]
    places[slot] = -1
    let last = heap.removeLast()
    if place < heap.count {
      heap[place] = last
      places[last.slot] = place
      sink(from: place)
      rise(from: places[last.slot])
    }
    if heap.isEmpty {
      // A burst must not hold its memory for ever.
      heap.removeAll(keepingCapacity: heap.capacity <= 1_024)
      places.removeAll(keepingCapacity: places.count <= 1_024)
    }
  }

  private mutating func rise(from start: Int) {
    let node = heap[start]
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard node.deadline < heap[parent].deadline else { break }
      put(heap[parent], at: place)
      place = parent
    }
    put(node, at: place)
  }

  private mutating func sink(from start: Int) {
    let node = heap[start]
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
      guard heap[child].deadline < node.deadline else { break }
      put(heap[child], at: place)
      place = child
    }
    put(node, at: place)
  }

  private mutating func put(_ node: Node, at place: Int) {
    heap[place] = node
    places[node.slot] = place
  }
}
