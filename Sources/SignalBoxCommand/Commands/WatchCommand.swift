import SignalBox

/// `signalbox watch`: jobs and values as they come, a line for each change.
enum WatchCommand: Command {
  static let name = "watch"
  static let summary = "shows jobs and values as they change"
  static let operands = "[FILTER…]"
  static let examples = [
    (line: "signalbox watch", purpose: "everything"),
    (line: "signalbox watch 'jobs/#'", purpose: "all jobs below jobs/"),
    (line: "signalbox watch --json 'jobs/#' | jq -c .percent", purpose: "an object for each event"),
  ]
  static let flags =
    [
      Flag("json", nil, help: "print an object for each event; the keys are those of the wire format"),
      Flag("count", "C", "N", help: "end after N lines"),
    ] + ConnectionFlags.flags

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let flags = try ConnectionFlags(arguments)
    var filters = try SubscribeCommand.filters(arguments, flags)
    if filters.isEmpty { filters = [try TopicFilter("#")] }
    let isJSON = arguments.has("json")
    let count = try arguments.number("count", in: 1...Int.max)
    return try await untilInterrupted { [filters] in
      try await withConnectedBus(flags) { bus in
        var view = PlainView()
        var printed = 0
        for try await message in SubscribeCommand.messages(bus, filters, flags.qos ?? .atMostOnce) {
          let event = JobEvent(message)
          guard let line = isJSON ? event.json : view.line(for: event) else { continue }
          guard try Output.write(line) else { return }
          printed += 1
          if printed == count { return }
        }
      }
    }
  }
}
