/// What is planned, by its time: adding, removing and taking the next cost O(log n).
///
/// The order is that of the due times; at one instant what is `early` comes first, and then what was added first.
/// A removed entry leaves its key behind, which is skipped later; when such keys are the greater part, they go.
struct TimerQueue<Work> {
  private struct Key {
    let due: Duration
    let isEarly: Bool
    let id: Int

    static func < (left: Key, right: Key) -> Bool {
      if left.due != right.due { return left.due < right.due }
      if left.isEarly != right.isEarly { return left.isEarly }
      return left.id < right.id
    }
  }

  /// A binary heap: no key is before its parent at `(index - 1) / 2`.
  private var heap: [Key] = []
  private var works: [Int: Work] = [:]
  private var lastID = 0

  var count: Int { works.count }
  /// With those that removed work has left behind.
  var keyCount: Int { heap.count }

  /// Plans `work`, and gives the name by which it is removed.
  mutating func add(_ work: Work, due: Duration, isEarly: Bool = false) -> Int {
    lastID += 1
    works[lastID] = work
    heap.append(Key(due: due, isEarly: isEarly, id: lastID))
    siftUp()
    return lastID
  }

  /// Takes out what has not been taken yet.
  mutating func remove(_ id: Int) -> Work? {
    guard let work = works.removeValue(forKey: id) else { return nil }
    if heap.count > 16, heap.count > works.count * 2 {
      // A sorted array is a heap.
      heap = heap.filter { works[$0.id] != nil }.sorted(by: <)
    }
    return work
  }

  /// Takes the next, if it is due at `end`; any when there is no `end`.
  mutating func takeFirst(upTo end: Duration? = nil) -> (due: Duration, work: Work)? {
    while let first = heap.first {
      if let end, first.due > end { return nil }
      removeFirstKey()
      if let work = works.removeValue(forKey: first.id) { return (first.due, work) }
    }
    return nil
  }

  private mutating func siftUp() {
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirstKey() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      let children = (2 * index + 1..<2 * index + 3).clamped(to: 0..<heap.count)
      guard let child = children.min(by: { heap[$0] < heap[$1] }), heap[child] < heap[index] else { return }
      heap.swapAt(index, child)
      index = child
    }
  }
}

extension TimerQueue: Sendable where Work: Sendable {}
