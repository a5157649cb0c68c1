import MQTT

extension TopicFilter {
  private typealias Levels = [Substring.UTF8View]

  private var levels: Levels {
    pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }

  /// Whether there is a topic that both match (MQTT 5, 4.7), whatever groups share them.
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
