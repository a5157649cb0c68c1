import SignalBox

/// What a message on any topic says: a value, or something about the job one level above it.
struct JobEvent: Sendable {
  enum Content: Sendable {
    case value([UInt8])
    case progress(ProgressMessage)
    case state(StateMessage)
    /// The stored message was cleared.
    case forgotten
    /// On a job's topic, but nothing that a job says.
    case unreadable(reason: String)
  }

  /// The topic of the value or the job.
  let topic: String
  let content: Content
  let isStored: Bool
  private let payload: [UInt8]

  init(_ message: Message) {
    isStored = message.origin == .stored
    payload = message.payload
    let (job, level) = Self.split(message.topic)
    topic = ["_progress", "_state"].contains(level) ? job : message.topic
    content = Self.content(level, payload)
  }

  private static func content(_ level: Substring, _ payload: [UInt8]) -> Content {
    do {
      switch level {
      case "_progress": return try ProgressMessage(payload: payload).map(Content.progress) ?? .forgotten
      case "_state": return try StateMessage(payload: payload).map(Content.state) ?? .forgotten
      default: return payload.isEmpty ? .forgotten : .value(payload)
      }
    } catch {
      return .unreadable(reason: "\(error)")
    }
  }

  private static func split(_ topic: String) -> (job: String, level: Substring) {
    guard let slash = topic.lastIndex(of: "/") else { return (topic, "") }
    return (String(topic[..<slash]), topic[topic.index(after: slash)...])
  }

  /// One object on a line: `kind`, `topic`, `retained`, and what the message itself has.
  var json: String {
    var line = JSONLine(["kind": kind, "topic": topic, "retained": isStored])
    switch content {
    case .value: line.add(payload: payload, as: "value")
    case .progress(let message): if let object = try? message.payload() { line.merge(object) }
    case .state(let message): if let object = try? message.payload() { line.merge(object) }
    case .forgotten: break
    case .unreadable: line.add(payload: payload, as: "value")
    }
    return line.text
  }

  private var kind: String {
    switch content {
    case .value: "value"
    case .progress: "progress"
    case .state: "state"
    case .forgotten: "forgotten"
    case .unreadable: "unreadable"
    }
  }
}
