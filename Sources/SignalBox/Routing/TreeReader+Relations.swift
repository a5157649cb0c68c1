/// How filters lie to each other. In the first level, wildcards have nothing to do with levels that begin with `$`.
extension TreeReader {
  /// Calls `body` with the number of each filter that matches all topics of `filter`; with its own, too.
  func forEachWider(_ filter: TopicLevels, _ body: (Int32) -> Void) {
    if !filter.isReserved { return wider(filter, 0, LevelTree.root, body) }
    if let child = child(of: LevelTree.root, filter, 0) { wider(filter, 1, child, body) }
  }

  private func wider(_ filter: TopicLevels, _ index: Int, _ node: Int32, _ body: (Int32) -> Void) {
    if self[node].rest != LevelTree.none { body(self[node].rest) }
    guard index < filter.count else {
      if self[node].here != LevelTree.none { body(self[node].here) }
      return
    }
    let kind = filter.kind(index)
    if kind != .hash, self[node].plus != LevelTree.none { wider(filter, index + 1, self[node].plus, body) }
    if kind == .literal, let child = child(of: node, filter, index) { wider(filter, index + 1, child, body) }
  }

  /// Calls `body` with the number of each filter whose topics `filter` all matches; with its own, too.
  func forEachNarrower(_ filter: TopicLevels, _ body: (Int32) -> Void) {
    narrower(filter, 0, LevelTree.root, body)
  }

  private func narrower(_ filter: TopicLevels, _ index: Int, _ node: Int32, _ body: (Int32) -> Void) {
    guard index < filter.count else {
      if self[node].here != LevelTree.none { body(self[node].here) }
      return
    }
    switch filter.kind(index) {
    case .literal:
      if let child = child(of: node, filter, index) { narrower(filter, index + 1, child, body) }
    case .plus:
      for child in Children(of: node, self) { narrower(filter, index + 1, child, body) }
    case .hash:
      forEachBelow(node, body)
    }
  }

  /// Calls `body` with every number at `node` and below.
  private func forEachBelow(_ node: Int32, _ body: (Int32) -> Void) {
    if self[node].here != LevelTree.none { body(self[node].here) }
    if self[node].rest != LevelTree.none { body(self[node].rest) }
    for child in Children(of: node, self) { forEachBelow(child, body) }
  }

  /// The number of a filter that has a topic in common with `filter`: its own, too.
  func firstOverlap(_ filter: TopicLevels) -> Int32? {
    if !filter.isReserved { return overlap(filter, 0, LevelTree.root) }
    return child(of: LevelTree.root, filter, 0).flatMap { overlap(filter, 1, $0) }
  }

  private func overlap(_ filter: TopicLevels, _ index: Int, _ node: Int32) -> Int32? {
    if self[node].rest != LevelTree.none { return self[node].rest }
    let kind = index < filter.count ? filter.kind(index) : nil
    switch kind {
    case nil:
      return self[node].here == LevelTree.none ? nil : self[node].here
    case .literal:
      if let child = child(of: node, filter, index), let found = overlap(filter, index + 1, child) {
        return found
      }
      return self[node].plus == LevelTree.none ? nil : overlap(filter, index + 1, self[node].plus)
    case .plus, .hash:
      if kind == .hash, self[node].here != LevelTree.none { return self[node].here }
      // A last `#` stands for this level, and for the next ones.
      let next = kind == .hash ? index : index + 1
      for child in Children(of: node, self) {
        if let found = overlap(filter, next, child) { return found }
      }
      return nil
    }
  }

  /// The children of a node that a wildcard stands for.
  private struct Children: Sequence, IteratorProtocol {
    private let tree: TreeReader
    private let skipsReserved: Bool
    private var plus: Int32
    private var literal: Int32

    init(of node: Int32, _ tree: TreeReader) {
      self.tree = tree
      skipsReserved = node == LevelTree.root
      plus = tree[node].plus
      literal = tree[node].firstChild
    }

    mutating func next() -> Int32? {
      if let plus = take(&plus) { return plus }
      while let child = take(&literal) {
        literal = tree[child].next
        if !skipsReserved || !tree.isReserved(child) { return child }
      }
      return nil
    }

    private func take(_ node: inout Int32) -> Int32? {
      defer { node = LevelTree.none }
      return node == LevelTree.none ? nil : node
    }
  }
}
