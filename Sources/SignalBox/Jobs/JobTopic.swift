package import MQTT

/// The topics of a job: values at the job's own, the rest one level below it.
package struct JobTopic: Sendable {
  package let values: Topic
  package let progress: Topic
  package let state: Topic

  package init(_ topic: String) throws(TopicError) {
    values = try Topic(topic)
    progress = try Topic("\(topic)/\(Level.progress.rawValue)")
    state = try Topic("\(topic)/\(Level.state.rawValue)")
  }

  /// The last level of a topic that says something of a job and is no value.
  package enum Level: String, Sendable {
    case progress = "_progress"
    case state = "_state"
    case cancel = "_cancel"

    /// The level at the end of a topic or filter, if it is one of a job's own.
    package init?(endOf name: String) {
      let start =
        name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name.utf8.index(after: $0) } ?? name.startIndex
      // Looked at for every message: most names are told by one byte.
      guard start < name.endIndex, name.utf8[start] == UInt8(ascii: "_") else { return nil }
      self.init(rawValue: String(name[start...]))
    }
  }

  /// Whether the last level of a topic or filter is one of a job's own.
  static func isReserved(_ name: String) -> Bool { Level(endOf: name) != nil }
}
