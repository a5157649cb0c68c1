import MQTT

/// Elements by topic filter, found by topic in a time that doesn't grow with the number of filters.
///
/// One element a filter, by the bytes of `TopicFilter.pattern`: `$share/group/a/b` and `a/b` are one. What is found comes
/// in no particular order. A closure that is handed an element must not change the trie.
struct FilterTrie<Element> {
  private(set) var tree = LevelTree()
  private(set) var elements: ContiguousArray<Element?> = []
  private var freed: [Int32] = []

  /// How many filters have an element.
  var count: Int { elements.count - freed.count }

  /// The element of a filter. Nil removes it, and what only it needed.
  ///
  /// The old element is let go of inside the call: whoever holds a lock keeps it until after.
  subscript(filter: TopicFilter) -> Element? {
    get {
      number(of: filter).flatMap { elements[Int($0)] }
    }
    set {
      let number = number(of: filter)
      switch (newValue, number) {
      case (let element?, let number?): elements[Int(number)] = element
      case (let element?, nil): insert(element, filter)
      case (nil, let number?): remove(number, filter)
      case (nil, nil): break
      }
    }
  }

  /// Calls `body` with each element whose filter matches `topic`, once.
  func forEachMatch(_ topic: String, _ body: (Element) -> Void) {
    read { tree, elements in
      // One level more than any filter has tells that a topic goes on; the others make no difference.
      TopicLevels.with(of: topic, atMost: tree.depth + 1, seed: tree.seed) { levels in
        tree.forEachMatch(levels) { body(elements[Int($0)]!) }
      }
    }
  }

  /// Calls `body` with each element whose filter is wider: it matches every topic that `filter` matches, and is not
  /// `filter` itself.
  ///
  /// `#` is wider than `+/#`, not the other way round, though they match the same topics: of two filters, at most one is
  /// wider than the other. In this and what follows, the empty topic counts as one, though no message can have it: so
  /// `/#` is not inside `+/+/#`.
  func forEachWider(than filter: TopicFilter, _ body: (Element) -> Void) {
    read(filter) { tree, levels, elements in
      let own = tree.number(of: levels)
      tree.forEachWider(levels) { if $0 != own { body(elements[Int($0)]!) } }
    }
  }

  /// Calls `body` with each element whose filter `filter` is wider than.
  func forEachNarrower(than filter: TopicFilter, _ body: (Element) -> Void) {
    read(filter) { tree, levels, elements in
      let own = tree.number(of: levels)
      tree.forEachNarrower(levels) { if $0 != own { body(elements[Int($0)]!) } }
    }
  }

  /// An element whose filter matches some topic that `filter` matches, too: its own one is as good as another.
  func firstOverlap(with filter: TopicFilter) -> Element? {
    read(filter) { tree, levels, elements in tree.firstOverlap(levels).flatMap { elements[Int($0)] } }
  }

  private func number(of filter: TopicFilter) -> Int32? {
    read(filter) { tree, levels, _ in tree.number(of: levels) }
  }

  private mutating func insert(_ element: Element, _ filter: TopicFilter) {
    let number: Int32
    if let free = freed.popLast() {
      number = free
      elements[Int(number)] = element
    } else {
      number = Int32(elements.count)
      elements.append(element)
    }
    TopicLevels.with(of: filter.pattern, seed: tree.seed) { tree.setNumber(number, of: $0) }
  }

  private mutating func remove(_ number: Int32, _ filter: TopicFilter) {
    if count == 1 {
      self = FilterTrie()
      return
    }
    elements[Int(number)] = nil
    freed.append(number)
    TopicLevels.with(of: filter.pattern, seed: tree.seed) { tree.remove($0) }
  }

  private func read<Result>(
    _ filter: TopicFilter, _ body: (TreeReader, TopicLevels, UnsafeBufferPointer<Element?>) -> Result
  ) -> Result {
    read { tree, elements in
      TopicLevels.with(of: filter.pattern, seed: tree.seed) { body(tree, $0, elements) }
    }
  }

  /// Hands out pointers, so that closures within closures capture no arrays: counting their references costs more than
  /// the look-up.
  private func read<Result>(_ body: (TreeReader, UnsafeBufferPointer<Element?>) -> Result) -> Result {
    elements.withUnsafeBufferPointer { elements in tree.read { body($0, elements) } }
  }
}

extension FilterTrie: Sendable where Element: Sendable {}
