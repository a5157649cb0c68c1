extension TreeReader {
  /// Calls `body` with the number of each filter that matches `topic`, once.
  func forEachMatch(_ topic: TopicLevels, _ body: (Int32) -> Void) {
    if topic.text.isEmpty { return }
    if !topic.isReserved { return match(topic, 0, LevelTree.root, body) }
    if let child = child(of: LevelTree.root, topic, 0) { match(topic, 1, child, body) }
  }

  private func match(_ topic: TopicLevels, _ index: Int, _ start: Int32, _ body: (Int32) -> Void) {
    var node = start
    for index in index..<topic.count {
      if self[node].rest != LevelTree.none { body(self[node].rest) }
      if self[node].plus != LevelTree.none { match(topic, index + 1, self[node].plus, body) }
      guard let child = child(of: node, topic, index) else { return }
      node = child
    }
    if self[node].rest != LevelTree.none { body(self[node].rest) }
    if self[node].here != LevelTree.none { body(self[node].here) }
  }
}
