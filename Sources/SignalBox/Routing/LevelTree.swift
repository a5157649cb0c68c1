/// The levels of many filters as one tree in flat arrays: nodes know each other by index, literal levels are found by
/// hash, and a filter's place holds a number that stands for what belongs to the filter.
struct LevelTree {
  /// No node, or no number.
  static let none: Int32 = -1
  static let root: Int32 = 0

  /// What matching reads comes first, to lie in one cache line mostly.
  struct Node {
    var parent: Int32
    /// Where the bytes of a literal level are.
    var length: Int32 = 0
    var start = 0
    /// The number of the filter that ends with this level, and of the one that goes on with a last `#`.
    var here = none
    var rest = none
    var plus = none
    /// The literal children are a list. Of a freed node, `next` is the next freed one.
    var firstChild = none
    var next = none
    var previous = none
    /// What a literal level is found by.
    var hash: UInt32 = 0

    var isUnused: Bool { here == none && rest == none && plus == none && firstChild == none }
  }

  /// Makes the hashes differ from trie to trie, so that nobody can choose levels whose hashes collide.
  let seed = UInt64.random(in: 0...UInt64.max)
  /// No filter in it has more levels.
  private(set) var depth = 0
  private var nodes = [Node(parent: none)]
  private var edges = EdgeTable()
  private var firstFreed = none
  /// The literal levels, with holes where freed nodes had theirs.
  private var bytes: [UInt8] = []
  private var holes = 0

  private subscript(node: Int32) -> Node {
    get { nodes[Int(node)] }
    _modify { yield &nodes[Int(node)] }
  }

  /// Calls `body` with the tree to read.
  func read<Result>(_ body: (TreeReader) -> Result) -> Result {
    let (seed, depth) = (seed, depth)
    return nodes.withUnsafeBufferPointer { nodes in
      edges.slots.withUnsafeBufferPointer { slots in
        bytes.withUnsafeBufferPointer { bytes in
          body(TreeReader(nodes: nodes, slots: slots, bytes: bytes, seed: seed, depth: depth))
        }
      }
    }
  }

  // MARK: Numbers

  /// Gives a filter a number.
  mutating func setNumber(_ number: Int32, of filter: TopicLevels) {
    depth = max(depth, filter.count)
    var node = Self.root
    for index in 0..<filter.count {
      switch filter.kind(index) {
      case .literal: node = read { $0.child(of: node, filter, index) } ?? addChild(to: node, filter, index)
      case .plus: node = self[node].plus == Self.none ? addPlus(to: node) : self[node].plus
      case .hash: return self[node].rest = number
      }
    }
    self[node].here = number
  }

  /// Takes a filter out of the tree, and each level that led only to it.
  mutating func remove(_ filter: TopicLevels) {
    guard var node = read({ $0.walk(filter) }) else { return }
    if filter.endsWithHash { self[node].rest = Self.none } else { self[node].here = Self.none }
    while node != Self.root, self[node].isUnused {
      let parent = self[node].parent
      if self[parent].plus == node { self[parent].plus = Self.none } else { unlink(node) }
      self[node].next = firstFreed
      firstFreed = node
      node = parent
    }
  }

  // MARK: Children

  private mutating func addChild(to parent: Int32, _ levels: TopicLevels, _ index: Int) -> Int32 {
    var node = Node(parent: parent)
    node.hash = Self.edge(parent, levels[index])
    node.start = bytes.count
    node.length = Int32(levels[index].length)
    bytes += levels.bytes(index)
    node.next = self[parent].firstChild
    let child = add(node)
    if node.next != Self.none { self[node.next].previous = child }
    self[parent].firstChild = child
    edges.insert(node.hash, child)
    return child
  }

  private mutating func addPlus(to parent: Int32) -> Int32 {
    let child = add(Node(parent: parent))
    self[parent].plus = child
    return child
  }

  private mutating func add(_ node: Node) -> Int32 {
    if firstFreed == Self.none {
      nodes.append(node)
      return Int32(nodes.count - 1)
    }
    let index = firstFreed
    firstFreed = self[index].next
    self[index] = node
    return index
  }

  private mutating func unlink(_ child: Int32) {
    let node = self[child]
    edges.remove(node.hash, child)
    if node.next != Self.none { self[node.next].previous = node.previous }
    if node.previous == Self.none {
      self[node.parent].firstChild = node.next
    } else {
      self[node.previous].next = node.next
    }
    holes += Int(node.length)
    self[child].length = 0
    if holes > 1_024, holes > bytes.count / 2 { fillHoles() }
  }

  /// Freed and `+` nodes have no bytes.
  private mutating func fillHoles() {
    var packed: [UInt8] = []
    packed.reserveCapacity(bytes.count - holes)
    for index in nodes.indices {
      let level = bytes[nodes[index].start..<nodes[index].start + Int(nodes[index].length)]
      nodes[index].start = packed.count
      packed += level
    }
    bytes = packed
    holes = 0
  }

  static let spread: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// What a level below `parent` is found by.
  static func edge(_ parent: Int32, _ level: TopicLevels.Level) -> UInt32 {
    let mixed = (level.hash ^ UInt64(parent) &* spread).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return UInt32(truncatingIfNeeded: mixed.high ^ mixed.low ^ (mixed.low >> 32))
  }
}
