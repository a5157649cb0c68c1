/// How much of what weight is done.
struct ProgressShare: Sendable, Equatable {
  var weight = 0.0
  var done = 0.0

  static func + (left: ProgressShare, right: ProgressShare) -> ProgressShare {
    ProgressShare(weight: left.weight + right.weight, done: left.done + right.done)
  }

  /// A weight far from where a sum of weights could overflow, or a product vanish.
  static func bounded(_ weight: Double) -> Double { min(max(weight, 1e-100), 1e100) }
}

/// The sum of shares that come, change and go.
///
/// A running sum that is corrected by differences gathers rounding errors, and is worthless after a huge weight has left
/// it. Here each sum is made of two halves that are sums themselves: a change costs as many additions as the tree
/// is high, nothing is ever subtracted, and the order of the additions depends on nothing but the places of the shares. So
/// the sum of `done` is never above that of `weight` where no share's is.
struct ShareTree: Sendable {
  /// Node `i` is the sum of the nodes `2i` and `2i + 1`; the shares are the second half; node 0 is unused.
  private var nodes: [ProgressShare] = []
  private var free: [Int] = []
  private var count = 0

  private var capacity: Int { nodes.count / 2 }

  /// The sum of all.
  var total: ProgressShare { nodes.isEmpty ? ProgressShare() : nodes[1] }

  /// Makes room for a share; returns its place.
  mutating func insert() -> Int {
    if free.isEmpty { grow() }
    count += 1
    return free.removeLast()
  }

  /// Removes the share at `place`. An empty tree takes no memory.
  mutating func remove(at place: Int) {
    self[place] = ProgressShare()
    free.append(place)
    count -= 1
    if count == 0 { self = ShareTree() }
  }

  subscript(place: Int) -> ProgressShare {
    get { nodes[capacity + place] }
    set {
      var node = capacity + place
      nodes[node] = newValue
      while node > 1 {
        node /= 2
        nodes[node] = nodes[2 * node] + nodes[2 * node + 1]
      }
    }
  }

  private mutating func grow() {
    let (old, oldCapacity) = (nodes, capacity)
    let newCapacity = max(2, oldCapacity * 2)
    nodes = Array(repeating: ProgressShare(), count: newCapacity * 2)
    for place in 0..<oldCapacity { nodes[newCapacity + place] = old[oldCapacity + place] }
    for node in (1..<newCapacity).reversed() { nodes[node] = nodes[2 * node] + nodes[2 * node + 1] }
    // The lowest place is taken first.
    free = Array((oldCapacity..<newCapacity).reversed())
  }
}
