/// What was handed to libmosquitto and is not settled: QoS 1 and 2 without their acknowledgement, and QoS 0 that
/// is not written yet.
///
/// Message ids are a plain 16-bit counter of libmosquitto that does not look whether an id is still in use; the
/// window closes before the counter can come round to one that is.
struct FlightWindow<Token> {
  typealias Entry = Outbox<Token>.Entry

  private struct Flying {
    var id: Int32
    var number: Int
    var entry: Entry
  }

  /// The ids that may be given out while the oldest message still flies.
  private static var idsPerLap: Int { 60_000 }

  private var limit = 0
  private var sent = 0
  private var acknowledged: [Flying] = []
  private var written = ArraySlice<Flying>()

  /// How many more messages of QoS 1 and 2 may fly.
  var room: Int {
    isLapped ? 0 : max(0, limit - acknowledged.count)
  }

  /// Whether not even QoS 0 may be sent, because ids would be used twice.
  var isLapped: Bool {
    acknowledged.first.map { sent - $0.number >= Self.idsPerLap } ?? false
  }

  /// The messages of QoS 1 and 2 that fly.
  var count: Int { acknowledged.count }

  /// Whether everything is settled.
  var isEmpty: Bool { acknowledged.isEmpty && written.isEmpty }

  /// Opens the window for a new connection.
  mutating func open(limit: Int) {
    self.limit = limit
    sent = 0
  }

  mutating func add(_ entry: Entry, id: Int32) {
    let flying = Flying(id: id, number: sent, entry: entry)
    sent += 1
    if entry.publish.qos == .atMostOnce { written.append(flying) } else { acknowledged.append(flying) }
  }

  /// Takes out what libmosquitto reports as written or acknowledged; nil when it is not ours.
  mutating func settle(id: Int32) -> Entry? {
    // Both lists are settled in their order unless the broker acknowledges out of turn.
    if let first = written.first, first.id == id { return written.removeFirst().entry }
    guard let index = acknowledged.firstIndex(where: { $0.id == id }) else { return nil }
    return acknowledged.remove(at: index).entry
  }

  /// Closes the window: gives back, in order, what has to be sent again, and what is lost with the link.
  mutating func drain() -> (again: [Entry], lost: [Entry]) {
    defer { self = Self() }
    return (acknowledged.map(\.entry), written.map(\.entry))
  }
}
