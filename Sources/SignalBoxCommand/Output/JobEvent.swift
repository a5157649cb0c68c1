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
    topic = job
    content = Self.content(level, payload)
  }

  private static func content(_ level: JobTopic.Level?, _ payload: [UInt8]) -> Content {
    do {
      switch level {
      case .progress: return try ProgressMessage(payload: payload).map(Content.progress) ?? .forgotten
      case .state: return try StateMessage(payload: payload).map(Content.state) ?? .forgotten
      case .cancel, nil: return payload.isEmpty ? .forgotten : .value(payload)
      }
    } catch {
      return .unreadable(reason: "\(error)")
    }
  }

  /// The topic of the job and what it says of it; the topic itself for anything else.
  private static func split(_ topic: String) -> (job: String, level: JobTopic.Level?) {
    guard let level = JobTopic.Level(endOf: topic), level != .cancel, let slash = topic.lastIndex(of: "/")
    else { return (topic, nil) }
    return (String(topic[..<slash]), level)
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
