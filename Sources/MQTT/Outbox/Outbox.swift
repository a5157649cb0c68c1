/// What waits to be sent: bounded, first in first out over all QoS, so our own side never reorders.
///
/// `Token` is whatever the owner wants back with the fate of a message. A conflating message removes the waiting
/// conflating one of its topic and goes to the end.
struct Outbox<Token> {
  struct Entry {
    var publish: Publish
    var token: Token
  }

  enum Offer {
    case queued(superseded: Token?)
    case overflowed
    case offline
  }

  private let limits: QueueSize
  private var queue = LinkedQueue<Entry>()
  private var conflating: [Topic: LinkedQueue<Entry>.Slot] = [:]
  private(set) var bytes = 0

  init(limits: QueueSize) {
    self.limits = limits
  }

  var count: Int { queue.count }
  var isEmpty: Bool { queue.count == 0 }

  mutating func offer(_ publish: Publish, token: Token, isOnline: Bool) -> Offer {
    if !isOnline && !publish.waitsOffline { return .offline }
    let older = publish.conflates ? conflating[publish.topic] : nil
    let freed = older.map { (1, queue[$0].publish.weight) } ?? (0, 0)
    guard queue.count - freed.0 < limits.count, bytes - freed.1 + publish.weight <= limits.bytes else {
      return .overflowed
    }
    let superseded = older.map { remove($0).token }
    let slot = queue.append(Entry(publish: publish, token: token))
    bytes += publish.weight
    if publish.conflates { conflating[publish.topic] = slot }
    return .queued(superseded: superseded)
  }

  /// Whether ``take(room:count:bytes:)`` would give anything.
  func canSend(room: Int) -> Bool {
    queue.first.map { room > 0 || $0.publish.qos == .atMostOnce } ?? false
  }

  /// The next ones to send: at most `count`, about `bytes`, with at most `room` of QoS 1 and 2. Nothing overtakes
  /// a message that has no room.
  mutating func take(room: Int, count: Int, bytes: Int, into batch: inout [Entry]) {
    var room = room
    var left = bytes
    while batch.count < count, left > 0, canSend(room: room), let entry = queue.popFirst() {
      forget(entry)
      if entry.publish.qos > .atMostOnce { room -= 1 }
      left -= entry.publish.weight
      batch.append(entry)
    }
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
      let slot = queue.prepend(entry)
      bytes += entry.publish.weight
      if entry.publish.conflates { conflating[entry.publish.topic] = slot }
    }
    return superseded
  }

  /// Removes what does not wait for a connection, and gives its tokens.
  mutating func goOffline() -> [Token] {
    var kept = Self(limits: limits)
    var dropped: [Token] = []
    while let entry = queue.popFirst() {
      if !entry.publish.waitsOffline {
        dropped.append(entry.token)
        continue
      }
      let slot = kept.queue.append(entry)
      kept.bytes += entry.publish.weight
      if entry.publish.conflates { kept.conflating[entry.publish.topic] = slot }
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

  private mutating func remove(_ slot: LinkedQueue<Entry>.Slot) -> Entry {
    let entry = queue.remove(slot)
    forget(entry)
    return entry
  }

  private mutating func forget(_ entry: Entry) {
    bytes -= entry.publish.weight
    if entry.publish.conflates { conflating[entry.publish.topic] = nil }
  }
}

extension Outbox: Sendable where Token: Sendable {}
extension Outbox.Entry: Sendable where Token: Sendable {}
