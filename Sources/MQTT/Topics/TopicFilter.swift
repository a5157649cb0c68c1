/// A checked topic filter: `+` stands for one level, `#` for the rest, `$share/group/` for a shared one.
///
/// Two filters are equal when their bytes are.
public struct TopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// The filter as it goes over the wire, with its `$share/group/` if it has one.
  public let name: String

  /// What few filters have: those that have not are keys in tables, and copied often.
  private let shared: Shared?

  private final class Shared: Sendable {
    let group: String
    let pattern: String

    init(group: String, pattern: String) {
      (self.group, self.pattern) = (group, pattern)
    }
  }

  /// The group of a shared filter (`$share/group/filter`), or nil.
  public var sharedGroup: String? { shared?.group }

  /// What topics are compared with: the filter without `$share/group/`.
  public var pattern: String { shared?.pattern ?? name }

  /// Checks `name` by the rules of MQTT 5, 4.7 and 4.8.2, and those that brokers drop connections for.
  public init(_ name: String) throws(TopicError) {
    try TopicText.check(name, empty: .emptyFilter)
    var name = name
    name.makeContiguousUTF8()
    self.name = name
    let levels = name.utf8.split(separator: TopicText.slash, omittingEmptySubsequences: false)
    if levels[0].elementsEqual("$share".utf8) {
      guard levels.count > 2, !levels[1].isEmpty, !levels[1].contains(where: Self.isWildcard),
        levels.count > 3 || !levels[2].isEmpty
      else { throw .badSharedFilter(name) }
      shared = Shared(
        group: String(Substring(levels[1])), pattern: String(name[levels[2].startIndex...]))
    } else {
      shared = nil
    }
    for (index, level) in levels.enumerated() where level.count > 1 || index < levels.count - 1 {
      let isPlus = level.count == 1 && level.first == TopicText.plus
      if !isPlus, level.contains(where: Self.isWildcard) { throw .misplacedWildcard(name) }
    }
  }

  /// The filter that matches `topic` and nothing else.
  public init(_ topic: Topic) throws(TopicError) {
    try self.init(topic.name)
  }

  /// Whether `+` or `#` stands for anything in it.
  public var hasWildcards: Bool { pattern.utf8.contains(where: Self.isWildcard) }

  /// The filter as it goes over the wire.
  public var description: String { name }

  /// Whether a message on `topic` belongs to this filter.
  ///
  /// `a/#` matches `a`; a wildcard in the first level matches no topic that begins with `$`; `+` and `#` inside
  /// a received topic are plain characters (MQTT 5, 4.7).
  public func matches(_ topic: String) -> Bool {
    walk(topic) { _ in }
  }

  /// What the wildcards stood for in `topic`, in order, or nil when it doesn't match.
  ///
  /// `#` gives the rest with its slashes, and the empty string when it stands for no level at all.
  public func captures(_ topic: String) -> [String]? {
    var found: [String] = []
    return walk(topic, captured: { found.append(String(Substring($0))) }) ? found : nil
  }

  /// Whether both are the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
  }

  private static func isWildcard(_ byte: UInt8) -> Bool {
    byte == TopicText.plus || byte == TopicText.hash
  }

  private func walk(_ topic: String, captured: (Substring.UTF8View) -> Void) -> Bool {
    let pattern = pattern.utf8
    let topic = topic.utf8
    if topic.isEmpty { return false }
    if topic.first == TopicText.dollar, let first = pattern.first, Self.isWildcard(first) { return false }
    var patternStart = pattern.startIndex
    var topicStart = topic.startIndex
    while true {
      let patternLevel = pattern[patternStart...].prefix { $0 != TopicText.slash }
      if patternLevel.count == 1, patternLevel.first == TopicText.hash {
        captured(topic[topicStart...])
        return true
      }
      let topicLevel = topic[topicStart...].prefix { $0 != TopicText.slash }
      if patternLevel.count == 1, patternLevel.first == TopicText.plus {
        captured(topicLevel)
      } else if !patternLevel.elementsEqual(topicLevel) {
        return false
      }
      switch (patternLevel.endIndex == pattern.endIndex, topicLevel.endIndex == topic.endIndex) {
      case (true, let topicEnded):
        return topicEnded
      case (false, true):
        let isParent = pattern[patternLevel.endIndex...].elementsEqual("/#".utf8)
        if isParent { captured(topic[topic.endIndex...]) }
        return isParent
      case (false, false):
        patternStart = pattern.index(after: patternLevel.endIndex)
        topicStart = topic.index(after: topicLevel.endIndex)
      }
    }
  }
}
