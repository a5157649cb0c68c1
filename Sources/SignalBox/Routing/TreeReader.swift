/// The arrays of a `LevelTree` while it is read. It holds no references: nothing is counted on the way through the tree.
struct TreeReader {
  let nodes: UnsafeBufferPointer<LevelTree.Node>
  let slots: UnsafeBufferPointer<EdgeTable.Slot>
  let bytes: UnsafeBufferPointer<UInt8>
  let seed: UInt64
  let depth: Int

  subscript(node: Int32) -> LevelTree.Node {
    nodes[Int(node)]
  }

  /// The number of a filter.
  func number(of filter: TopicLevels) -> Int32? {
    guard let node = walk(filter) else { return nil }
    let number = filter.endsWithHash ? self[node].rest : self[node].here
    return number == LevelTree.none ? nil : number
  }

  /// The node of a filter's last level, or of the one before a last `#`.
  func walk(_ filter: TopicLevels) -> Int32? {
    var node = LevelTree.root
    for index in 0..<filter.count {
      switch filter.kind(index) {
      case .literal:
        guard let child = child(of: node, filter, index) else { return nil }
        node = child
      case .plus:
        node = self[node].plus
        if node == LevelTree.none { return nil }
      case .hash: return node
      }
    }
    return node
  }

  /// The literal child of `parent` that has the same bytes as a level.
  func child(of parent: Int32, _ levels: TopicLevels, _ index: Int) -> Int32? {
    if self[parent].firstChild == LevelTree.none { return nil }
    let level = levels[index]
    return EdgeTable.first(LevelTree.edge(parent, level), in: slots) { node in
      guard self[node].parent == parent, Int(self[node].length) == level.length else { return false }
      let start = self[node].start
      for offset in 0..<level.length where bytes[start + offset] != levels.text[level.start + offset] {
        return false
      }
      return true
    }
  }

  /// Whether a node's level begins with `$`.
  func isReserved(_ node: Int32) -> Bool {
    self[node].length > 0 && bytes[self[node].start] == TopicLevels.dollar
  }
}
