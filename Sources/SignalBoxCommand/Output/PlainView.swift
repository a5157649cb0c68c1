import SignalBox

/// One line for each change: what is the same as before is not shown again.
struct PlainView {
  private var shown: [String: String] = [:]

  /// The line for an event, if it says something new.
  mutating func line(for event: JobEvent) -> String? {
    let (key, text) =
      switch event.content {
      case .value(let payload): ("value", Output.printable(String(decoding: payload, as: UTF8.self)))
      case .progress(let message): ("progress", Self.text(message))
      case .state(let message): ("state", Self.text(message))
      case .forgotten: ("state", "forgotten")
      case .unreadable(let reason): ("unreadable", "unreadable: \(reason)")
      }
    // A value may come twice and mean it; a heartbeat repeats what is known.
    if key != "value" {
      guard shown.updateValue(text, forKey: "\(event.topic) \(key)") != text else { return nil }
    }
    return "\(Output.printable(event.topic)) \(text)\n"
  }

  private static func text(_ message: ProgressMessage) -> String {
    let update = message.update
    // The anonymous run of a script has no last progress that says how it ended.
    let isDone = message.outcome == .done || message.run == nil
    var parts = [update.shownPercent(isDone: isDone).map { "\($0)%" } ?? "…"]
    if let done = update.done {
      let count = update.total.map { "\(short(done))/\(short($0))" } ?? short(done)
      parts.append(update.unit.map { "\(count) \($0)" } ?? count)
    }
    if let phase = update.phase { parts.append(phase) }
    if let message = update.message { parts.append(message) }
    return parts.joined(separator: " ")
  }

  private static func text(_ message: StateMessage) -> String {
    var parts = [message.state.rawValue]
    if let title = message.title { parts.append("“\(title)”") }
    if let error = message.error {
      parts.append(error)
    } else if let exit = message.exit {
      parts.append("exit \(exit)")
    }
    return parts.joined(separator: " ")
  }

  private static func short(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }
}

extension ProgressUpdate {
  /// Rounded down, though 0.29 times 100 is a little less than 29, and 100 only when the job is done.
  func shownPercent(isDone: Bool) -> Int? {
    fraction.map { min(Int($0 * 100 + 1e-9), isDone ? 100 : 99) }
  }
}
