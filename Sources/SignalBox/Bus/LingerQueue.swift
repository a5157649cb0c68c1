import MQTT

/// Filters and until when each lingers, the earliest first. Nearly all are added at the end.
struct LingerQueue {
  private var waiting: [(until: Duration, filter: TopicFilter)] = []

  /// When ``takeDue(_:)`` gives something.
  var deadline: Duration? { waiting.first?.until }

  mutating func add(_ filter: TopicFilter, _ until: Duration) {
    var index = waiting.count
    while index > 0, waiting[index - 1].until > until { index -= 1 }
    waiting.insert((until, filter), at: index)
  }

  /// Takes out those whose time has come.
  mutating func takeDue(_ now: Duration) -> [TopicFilter] {
    let due = waiting.prefix { $0.until <= now }.map(\.filter)
    waiting.removeFirst(due.count)
    return due
  }
}
