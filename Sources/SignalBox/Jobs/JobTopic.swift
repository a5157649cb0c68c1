import MQTT

/// The topics of a job: values at the job's own, the rest one level below it.
struct JobTopic: Sendable {
  let values: Topic
  let progress: Topic
  let state: Topic

  init(_ topic: String) throws(TopicError) {
    values = try Topic(topic)
    progress = try Topic("\(topic)/\(Self.progressLevel)")
    state = try Topic("\(topic)/\(Self.stateLevel)")
  }

  static let progressLevel = "_progress"
  static let stateLevel = "_state"
  static let cancelLevel = "_cancel"

  /// Whether the last level of a topic or filter is one of a job's own.
  static func isReserved(_ name: String) -> Bool {
    switch name.utf8.suffix(from: afterLastSlash(name)) {
    case let level where level.first != UInt8(ascii: "_"): false
    case let level: [progressLevel, stateLevel, cancelLevel].contains(String(Substring(level)))
    }
  }

  private static func afterLastSlash(_ name: String) -> String.Index {
    name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name.utf8.index(after: $0) } ?? name.startIndex
  }
}
