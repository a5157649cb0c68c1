import MQTT

/// How the topics of two filters are related (MQTT 5, 4.7). The group of a shared filter says nothing about that.
extension TopicFilter {
  private typealias Levels = [Substring.UTF8View]

  private var levels: Levels {
    pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }

  /// Whether every topic of `other` is one of this filter's.
  func covers(_ other: TopicFilter) -> Bool {
    let (mine, others) = (levels, other.levels)
    if Self.isApart(mine, others) || Self.isApart(others, mine) { return false }
    // Every topic has a first level.
    if others.count == 1, others[0].isRest { return mine[0].isRest || mine.count == 2 && mine[0].isAny && mine[1].isRest }
    for (index, level) in mine.enumerated() {
      if level.isRest { return true }
      guard index < others.count, !others[index].isRest else { return false }
      if !level.isAny, others[index].isAny || !level.elementsEqual(others[index]) { return false }
    }
    return mine.count == others.count
  }

  /// Whether there is a topic that both match.
  func overlaps(_ other: TopicFilter) -> Bool {
    let (mine, others) = (levels, other.levels)
    if Self.isApart(mine, others) || Self.isApart(others, mine) { return false }
    for index in 0..<max(mine.count, others.count) {
      let (one, two) = (index < mine.count ? mine[index] : nil, index < others.count ? others[index] : nil)
      if one?.isRest == true || two?.isRest == true { return true }
      guard let one, let two else { return false }
      if !one.isAny, !two.isAny, !one.elementsEqual(two) { return false }
    }
    return true
  }

  /// A wildcard in the first level matches no topic that begins with `$`.
  private static func isApart(_ wild: Levels, _ plain: Levels) -> Bool {
    (wild[0].isAny || wild[0].isRest) && plain[0].first == UInt8(ascii: "$")
  }
}

extension Substring.UTF8View {
  fileprivate var isAny: Bool { count == 1 && first == UInt8(ascii: "+") }
  fileprivate var isRest: Bool { count == 1 && first == UInt8(ascii: "#") }
}
