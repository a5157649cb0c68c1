import SignalBox

/// `signalbox watch`: jobs and values as they come, a line for each change.
enum WatchCommand: Command {
  static let name = "watch"
  static let summary = "shows jobs and values as they change"
  static let operands = "[FILTER…]"
  static let examples = [
    (line: "signalbox watch", purpose: "everything"),
    (line: "signalbox watch jobs/backup", purpose: "one job: its values, progress and state"),
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
    let given = try SubscribeCommand.filters(arguments, flags)
    let filters = given.isEmpty ? [try TopicFilter("#")] : try given.flatMap(withJob)
    let isJSON = arguments.has("json")
    let count = try arguments.number("count", in: 1...Int.max)
    return try await untilInterrupted {
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

  /// The topic of a job stands for all that the job says.
  private static func withJob(_ filter: TopicFilter) throws -> [TopicFilter] {
    guard JobTopic.Level(endOf: filter.name) == nil, let job = try? JobTopic(filter.name) else {
      return [filter]
    }
    return try [filter, TopicFilter(job.state), TopicFilter(job.progress)]
  }
}
