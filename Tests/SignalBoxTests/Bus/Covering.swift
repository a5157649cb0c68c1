import MQTT

/// What a broker without identifiers shall have of wanted filters and their QoS: those that no wider one covers. Slow
/// and plain, to compare with.
func covering(_ wanted: [TopicFilter: QoS]) -> Set<String> {
  let needed = wanted.filter { filter, qos in
    !wanted.contains { $0.key != filter && $0.value >= qos && $0.key.isWider(than: filter) }
  }
  return Set(needed.keys.map { $0.name })
}

extension TopicFilter {
  /// Whether every topic of `other` is one of this filter's, level by level.
  fileprivate func isWider(than other: TopicFilter) -> Bool {
    let mine = name.split(separator: "/", omittingEmptySubsequences: false)
    let others = other.name.split(separator: "/", omittingEmptySubsequences: false)
    if others[0].hasPrefix("$") { return false }
    for (index, level) in mine.enumerated() {
      if level == "#" { return true }
      guard index < others.count, others[index] != "#" else { return false }
      if level != "+", level != others[index] { return false }
    }
    return mine.count == others.count
  }
}
