/// What waits to be sent: bounded, first in first out over all QoS, so our own side never reorders.
///
/// `Token` is whatever the owner wants back with the fate of a message. A conflating message removes the waiting
/// conflating one of its topic and goes to the end. One with an expiry leaves when that has passed: see
/// ``nextExpiry``. Messages without an expiry cost no look at the clock.
struct Outbox<Token> {
  typealias Instant = ContinuousClock.Instant

  struct Entry {
    var publish: Publish
    var token: Token
    /// Which one it is, however often it is sent: they are counted from 1.
    let number: Int
    /// Nil for most, so a pointer is all that they carry.
    private var end: End?

    init(publish: Publish, token: Token, number: Int = 0, deadline: Instant? = nil) {
      self.publish = publish
      self.token = token
      self.number = number
      end = deadline.map { End($0) }
    }

    /// When its expiry has passed; the properties of ``publish`` hold what was left when it was taken.
    var deadline: Instant? { end?.deadline }

    var expires: Bool { end != nil }
  }

  enum Offer {
    case queued(superseded: Token?)
    case overflowed
    case offline
  }

  private let limits: QueueSize
  private var queue = LinkedQueue<Entry>()
  private var conflating: [Topic: LinkedQueue<Entry>.Slot] = [:]
  private var deadlines = Deadlines()
  /// How many do not wait for a connection.
  private var onlineOnlyCount = 0
  private(set) var bytes = 0
  /// The number of the last entry.
  private var newest = 0

  init(limits: QueueSize) {
    self.limits = limits
  }

  var count: Int { queue.count }
  var isEmpty: Bool { queue.count == 0 }

  /// When ``expire(at:)`` is due.
  var nextExpiry: Instant? { deadlines.first?.deadline }

  mutating func offer(
    _ publish: Publish, token: Token, isOnline: Bool, at now: @autoclosure () -> Instant = .now
  ) -> Offer {
    if !isOnline && !publish.waitsOffline { return .offline }
    let older = publish.conflates ? conflating[publish.topic] : nil
    let freed = older.map { (1, queue[$0].publish.weight) } ?? (0, 0)
    guard queue.count - freed.0 < limits.count, bytes - freed.1 + publish.weight <= limits.bytes else {
      return .overflowed
    }
    let superseded = older.map { remove($0).token }
    let deadline = publish.properties.expiry.map { now() + min($0, MessageProperties.longestSeconds) }
    newest += 1
    append(Entry(publish: publish, token: token, number: newest, deadline: deadline))
    return .queued(superseded: superseded)
  }

  /// Whether ``take(room:count:bytes:at:into:)`` would give anything.
  func canSend(room: FlightRoom) -> Bool {
    queue.first.map { room.holds($0.publish.qos) } ?? false
  }

  /// The next ones to send: at most `count`, about `bytes`, with no more of QoS 1 and 2 than `room`. Nothing overtakes
  /// a message that has no room. What has an expiry comes with what is left of it, as a broker passes it on
  /// (MQTT 5, 3.3.2.3.3); call ``expire(at:)`` first, so that something is.
  mutating func take(
    room: FlightRoom, count: Int, bytes: Int, at now: @autoclosure () -> Instant = .now,
    into batch: inout [Entry]
  ) {
    var room = room
    var left = bytes
    while batch.count < count, left > 0, canSend(room: room), let slot = queue.firstSlot {
      var entry = remove(slot)
      room.take(entry.publish.qos)
      left -= entry.publish.weight
      if entry.expires { entry = entry.aged(at: now()) }
      batch.append(entry)
    }
  }

  /// Removes what has expired by `now`, and gives its tokens, those first that expired first.
  mutating func expire(at now: Instant) -> [Token] {
    var expired: [Token] = []
    while let (deadline, slot) = deadlines.first, deadline <= now { expired.append(remove(slot).token) }
    return expired
  }

  /// Puts what was taken and not settled back in front, in its order, whatever the limits say. Gives the tokens
  /// of those that a newer conflating one supersedes.
  mutating func putBack(_ entries: [Entry]) -> [Token] {
    var superseded: [Token] = []
    for entry in entries.reversed() {
      if entry.publish.conflates, conflating[entry.publish.topic] != nil {
        superseded.append(entry.token)
        continue
      }
      note(entry, in: queue.prepend(entry))
    }
    return superseded
  }

  /// Removes what does not wait for a connection, and gives its tokens. Costs nothing when there is none of that,
  /// however much waits.
  mutating func goOffline() -> [Token] {
    if onlineOnlyCount == 0 { return [] }
    var kept = Self(limits: limits)
    kept.newest = newest
    var dropped: [Token] = []
    while let entry = queue.popFirst() {
      if entry.publish.waitsOffline { kept.append(entry) } else { dropped.append(entry.token) }
    }
    self = kept
    return dropped
  }

  mutating func removeAll() -> [Token] {
    var tokens: [Token] = []
    tokens.reserveCapacity(queue.count)
    while let entry = queue.popFirst() { tokens.append(entry.token) }
    self = Self(limits: limits)
    return tokens
  }

  private mutating func append(_ entry: Entry) {
    note(entry, in: queue.append(entry))
  }

  private mutating func note(_ entry: Entry, in slot: LinkedQueue<Entry>.Slot) {
    bytes += entry.publish.weight
    if !entry.publish.waitsOffline { onlineOnlyCount += 1 }
    if entry.publish.conflates { conflating[entry.publish.topic] = slot }
    if let deadline = entry.deadline { deadlines.insert(slot, deadline) }
  }

  private mutating func remove(_ slot: LinkedQueue<Entry>.Slot) -> Entry {
    let entry = queue.remove(slot)
    bytes -= entry.publish.weight
    if !entry.publish.waitsOffline { onlineOnlyCount -= 1 }
    if entry.publish.conflates { conflating[entry.publish.topic] = nil }
    if entry.expires { deadlines.remove(slot) }
    return entry
  }
}

extension Outbox.Entry {
  /// The same with what is left of its expiry.
  func aged(at now: ContinuousClock.Instant) -> Self {
    guard let deadline else { return self }
    var aged = self
    aged.publish.properties = publish.properties.aged(until: deadline, at: now)
    return aged
  }
}

extension Outbox.Entry {
  fileprivate final class End: Sendable {
    let deadline: ContinuousClock.Instant

    init(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }
  }
}

extension Outbox: Sendable where Token: Sendable {}
extension Outbox.Entry: Sendable where Token: Sendable {}
