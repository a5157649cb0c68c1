import MQTT
import Signals
import Synchronization

/// What late subscribers of one filter get, and how stored messages are told from live ones (`bus.md`).
///
/// With retain-as-published (MQTT 5) both stored and live messages carry the flag, and the cache is the broker's retained
/// set. Stored are those that are the first of their topic on a link, and come in one go around the SUBACK: what comes
/// later than `burst` after it, or after the last stored one, is live. Where live messages come without the flag (MQTT
/// 3.1.1, the topics of jobs' lives), the flag says stored, and the cache has the newest message of each topic.
///
/// What counts is when messages came, not when slow handlers let them be seen.
final class RetainedCache: ReplayStore {
  fileprivate struct Slot {
    var retained: Message?
    /// The newest one, where that is asked for.
    var latest: Message?
    /// The link on which the topic came last.
    var link: UInt32
    /// The resumed link on which what was known came again.
    var repeated: UInt32 = 0

    var isEmpty: Bool { retained == nil && latest == nil }
    var bytes: Int { (retained?.payload.count ?? 0) + (latest?.payload.count ?? 0) }
  }

  fileprivate struct State {
    var slots: [String: Slot] = [:]
    var bytes = 0
    var link: UInt32 = 0
    var keepsRetainFlag = false
    var keepsLatest = false
    var isOverfull = false
    /// The link of the last SUBACK, and until when a message can be a stored one of it.
    var answered: UInt32 = 0
    var storedUntil = Arrival()
    /// The link on which a newcomer did not get what the broker had not sent again by then.
    var doubted: UInt32 = 0
  }

  private static let burst = Duration.milliseconds(250)

  private let limits: QueueSize
  private let state = Lock(State())
  /// The link on which all that was stored has come and a live message without the flag changes nothing: most of the
  /// time this is all that is looked at.
  private let quietLink = Atomic<UInt32>(0)

  /// `limits` bound the topics, and the bytes of their names and payloads.
  init(limits: QueueSize) {
    self.limits = limits
  }

  /// Whether there were topics that it does not know.
  var isOverfull: Bool { state.withLock { $0.isOverfull } }

  /// From now on the newest message of each topic is kept, too.
  func keepLatest() {
    state.withLock { state in
      state.keepsLatest = true
      quietLink.store(0, ordering: .relaxed)
    }
  }

  /// The broker has accepted the subscription on `link`.
  func didSubscribe(_ link: UInt32, at time: Arrival) {
    state.withLock { state in
      state.answered = link
      state.storedUntil = time.advanced(by: Self.burst)
    }
  }

  /// The message with its origin; nil for a stored one that the observers have already. In the order of the messages.
  ///
  /// On a link whose session the broker had kept, what it queued meanwhile comes before what it has in store, mostly the
  /// same.
  func admit(_ message: Message, link: UInt32, keepsRetainFlag: Bool, isResumed: Bool = false) -> Message? {
    if !message.isRetained, quietLink.load(ordering: .relaxed) == link {
      // The only copy: one that the closure below captures would be another.
      var live = message
      live.origin = .live
      return live
    }
    return decide(message, link, keepsRetainFlag, isResumed)
  }

  private func decide(_ message: Message, _ link: UInt32, _ keepsRetainFlag: Bool, _ isResumed: Bool)
    -> Message?
  {
    var message = message
    return state.withLock { state in
      if state.link != link {
        state.link = link
        state.keepsRetainFlag = keepsRetainFlag
        quietLink.store(0, ordering: .relaxed)
      }
      let slot = state.slots[message.topic]
      let isFirst = slot?.link != link
      if keepsRetainFlag {
        let mayBeStored = state.mayBeStored(message)
        message.origin = message.isRetained && isFirst && mayBeStored ? .stored : .live
        if !mayBeStored, !state.keepsLatest {
          state.purge()
          quietLink.store(link, ordering: .relaxed)
        }
        if isResumed, mayBeStored, !isFirst, state.repeats(message, on: link) { return nil }
        guard mayBeStored, isFirst else { return message }
        if message.origin == .stored, state.answered == link {
          let until = message.arrival.advanced(by: Self.burst)
          if state.storedUntil <= until { state.storedUntil = until }
        }
      } else {
        // Sent again: for another filter, or a higher QoS.
        if message.isRetained, !isFirst { return nil }
        message.origin = message.isRetained ? .stored : .live
        guard isFirst else { return message }
      }
      state.note(message.topic, on: link, limits)
      let isKnown = message.origin == .stored && slot?.retained?.payload == message.payload
      return isKnown && state.doubted != link ? nil : message
    }
  }

  /// What a wider filter's cache has of the topics of `filter` and this one lacks: from now on it counts as what came
  /// on the link where that one got it.
  func adopt(_ wider: RetainedCache, _ filter: TopicFilter) -> ContiguousArray<Message> {
    let theirs = wider.state.withLock { state in state.slots.filter { filter.matches($0.key) } }
    return state.withLock { state in
      var news: ContiguousArray<Message> = []
      for (topic, slot) in theirs where state.slots[topic]?.isEmpty ?? true {
        guard let message = slot.retained else { continue }
        state.note(topic, on: slot.link, limits)
        news.append(message)
      }
      news.sort { $0.topic < $1.topic }
      return news
    }
  }

  func remember(_ message: Message) {
    if !message.isRetained, quietLink.load(ordering: .relaxed) != 0 { return }
    let displaced = state.withLock { state -> Slot? in
      let isKept = message.isRetained || !state.keepsRetainFlag
      guard isKept || state.keepsLatest else { return nil }
      if message.payload.isEmpty { return isKept ? state.forget(message.topic) : nil }
      let old = state.slots[message.topic]
      var slot = old ?? Slot(link: state.link)
      var message = message
      message.origin = isKept && state.keepsRetainFlag ? .stored : .unknown
      if isKept { slot.retained = message }
      if state.keepsLatest { slot.latest = message }
      state.put(slot, message.topic, limits)
      return old
    }
    _ = consume displaced
  }

  func values(for observer: Observer<Message>) -> ContiguousArray<Message> {
    values((observer as? LateObserver)?.policy ?? .retained)
  }

  /// By topic, so that newcomers see one order.
  private func values(_ policy: LatePolicy) -> ContiguousArray<Message> {
    if policy == .none { return [] }
    var found = state.withLock { state -> ContiguousArray<Message> in
      // Without a look at the clock.
      if state.slots.isEmpty { return [] }
      let confirmed = state.confirmed
      var found: ContiguousArray<Message> = []
      for slot in state.slots.values {
        if policy == .latest, let latest = slot.latest {
          found.append(latest)
        } else if let retained = slot.retained {
          // It may still wait behind a slow handler, and is then sent to all.
          if slot.link < confirmed { state.doubted = confirmed } else { found.append(retained) }
        }
      }
      return found
    }
    found.sort { $0.topic < $1.topic }
    return found
  }
}

extension RetainedCache.State {
  fileprivate func mayBeStored(_ message: Message) -> Bool {
    answered != link || message.arrival <= storedUntil
  }

  /// Whether this is what is known, and the first such message on `link`.
  fileprivate mutating func repeats(_ message: Message, on link: UInt32) -> Bool {
    guard message.isRetained, let slot = slots[message.topic], slot.repeated != link,
      slot.retained?.payload == message.payload
    else { return false }
    slots[message.topic]!.repeated = link
    return true
  }

  /// The topic has come on `link`.
  fileprivate mutating func note(_ topic: String, on link: UInt32, _ limits: QueueSize) {
    if slots[topic] != nil {
      slots[topic]!.link = link
    } else if slots.count < limits.count {
      slots[topic] = RetainedCache.Slot(link: link)
      bytes += topic.utf8.count
    }
  }

  fileprivate mutating func put(_ slot: RetainedCache.Slot, _ topic: String, _ limits: QueueSize) {
    let old = slots[topic]
    let growth = slot.bytes - (old?.bytes ?? -topic.utf8.count)
    guard old != nil || slots.count < limits.count, bytes + growth <= limits.bytes else {
      // Better none than an old one.
      isOverfull = true
      if old != nil { _ = forget(topic) }
      return
    }
    slots[topic] = slot
    bytes += growth
  }

  /// The link on which the broker has sent all that it has in store; what has not come on it is no longer there.
  /// Where live messages come without the flag nobody knows.
  fileprivate var confirmed: UInt32 {
    keepsRetainFlag && answered > 0 && storedUntil <= Arrival(.now) ? answered : 0
  }

  /// Lets go of the topics of which only was to be known that they came, and of what the broker has no longer.
  fileprivate mutating func purge() {
    for (topic, slot) in slots where slot.isEmpty || slot.link < link {
      slots[topic] = nil
      bytes -= slot.bytes + topic.utf8.count
    }
  }

  fileprivate mutating func forget(_ topic: String) -> RetainedCache.Slot? {
    guard let old = slots[topic] else { return nil }
    bytes -= old.bytes
    slots[topic] = RetainedCache.Slot(link: old.link)
    return old
  }
}
