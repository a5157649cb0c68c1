/// What was handed to libmosquitto and is not settled: QoS 1 and 2 without their acknowledgement, and QoS 0 that
/// is not written yet.
///
/// Message ids are a plain 16-bit counter of libmosquitto that does not look whether an id is still in use; the
/// window closes before the counter can come round to one that is.
///
/// A message of QoS 2 that was cut off has to be sent again under its id when the session goes on (MQTT 5, 4.4): a
/// broker that holds the id would take another message with it for a copy, and one under a new id would leave the old
/// one behind for ever. mosquitto counts those against its limit of 20, refuses what comes beyond, and in MQTT 3.1.1
/// acknowledges and forgets it. So ``cut(resumes:)`` then keeps all that flies, for the order's sake, and
/// ``resumption(at:)`` tells a fresh handle what to begin with.
struct FlightWindow<Token> {
  typealias Entry = Outbox<Token>.Entry

  private struct Flying {
    var id: Int32
    var entry: Entry
  }

  /// The ids that the counter goes through, from 1.
  private static var ids: Int32 { 65_535 }

  private var limit = 0
  private var exactlyOnceLimit = 0
  private var newest: Int32 = 0
  private var acknowledged: [Flying] = []
  /// How many of these are of QoS 2.
  private var exactlyOnceCount = 0
  private var written = LinkedQueue<Flying>()

  /// How many more messages of QoS 1 and 2 may fly.
  var room: FlightRoom {
    if isLapped { return 0 }
    return FlightRoom(
      messages: max(0, limit - acknowledged.count), exactlyOnce: max(0, exactlyOnceLimit - exactlyOnceCount))
  }

  /// Whether not even QoS 0 may be sent, because ids would be used twice. Half a lap is left for subscribes and
  /// unsubscribes, which are not held up.
  var isLapped: Bool {
    guard let oldest = acknowledged.first?.id else { return false }
    return (newest - oldest + Self.ids) % Self.ids > Self.ids / 2
  }

  /// The messages of QoS 1 and 2 that fly.
  var count: Int { acknowledged.count }

  /// Which messages of QoS 1 and 2 fly, the oldest first.
  var numbers: [Int] { acknowledged.map(\.entry.number) }

  /// Whether everything is settled.
  var isEmpty: Bool { acknowledged.isEmpty && written.count == 0 }

  /// Opens the window for a new connection, to so many messages of QoS 1 and 2, and of QoS 2 among them.
  mutating func open(limit: Int, exactlyOnce: Int = .max) {
    self.limit = limit
    exactlyOnceLimit = exactlyOnce
  }

  mutating func add(_ entry: Entry, id: Int32) {
    skip(id: id)
    let flying = Flying(id: id, entry: entry)
    if entry.publish.qos == .atMostOnce { written.append(flying) } else { acknowledged.append(flying) }
    if entry.publish.qos == .exactlyOnce { exactlyOnceCount += 1 }
  }

  /// Notes an id that something else took.
  mutating func skip(id: Int32) {
    newest = id
  }

  /// Takes out what libmosquitto reports as written or acknowledged; nil when it is not ours.
  mutating func settle(id: Int32) -> Entry? {
    // Both lists are settled in their order unless the broker acknowledges out of turn.
    if let first = written.first, first.id == id { return written.popFirst()?.entry }
    guard let index = acknowledged.firstIndex(where: { $0.id == id }) else { return nil }
    let entry = acknowledged.remove(at: index).entry
    if entry.publish.qos == .exactlyOnce { exactlyOnceCount -= 1 }
    return entry
  }

  /// Closes the window because the link is gone: gives back, in order, what has to be sent again, and what is lost
  /// with the link. With `resumes`, and QoS 2 among what flies, it keeps that itself for the next link.
  mutating func cut(resumes: Bool) -> (again: [Entry], lost: [Entry]) {
    guard resumes, exactlyOnceCount > 0 else { return drain() }
    limit = 0
    return ([], takeWritten())
  }

  /// What the next link has to begin with, if there is anything.
  func resumption(at now: ContinuousClock.Instant) -> Resumption? {
    guard !acknowledged.isEmpty else { return nil }
    let publishes = acknowledged.map { (id: $0.id, publish: $0.entry.aged(at: now).publish) }
    return Resumption(publishes: publishes, newest: newest)
  }

  /// Takes out those that the broker of a new link won't have.
  mutating func remove(where isRefused: (Publish) -> Bool) -> [Entry] {
    let refused = acknowledged.filter { isRefused($0.entry.publish) }
    acknowledged.removeAll { isRefused($0.entry.publish) }
    exactlyOnceCount -= refused.count { $0.entry.publish.qos == .exactlyOnce }
    return refused.map(\.entry)
  }

  func topic(of number: Int) -> Topic? {
    acknowledged.first { $0.entry.number == number }?.entry.publish.topic
  }

  /// Takes one out that is not to be sent again.
  mutating func remove(number: Int) -> Entry? {
    guard let index = acknowledged.firstIndex(where: { $0.entry.number == number }) else { return nil }
    let entry = acknowledged.remove(at: index).entry
    if entry.publish.qos == .exactlyOnce { exactlyOnceCount -= 1 }
    return entry
  }

  /// Closes the window for good: gives back, in order, what has to be sent again, and what is lost with the link.
  mutating func drain() -> (again: [Entry], lost: [Entry]) {
    defer { self = Self() }
    return (acknowledged.map(\.entry), takeWritten())
  }

  private mutating func takeWritten() -> [Entry] {
    var lost: [Entry] = []
    while let flying = written.popFirst() { lost.append(flying.entry) }
    return lost
  }
}

/// What a fresh handle has to send first, under the ids it had on the last link.
struct Resumption: Sendable {
  /// In order.
  var publishes: [(id: Int32, publish: Publish)]
  /// The last id of the old link; new ones follow it.
  var newest: Int32
}
