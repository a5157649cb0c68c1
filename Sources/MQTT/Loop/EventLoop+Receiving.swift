#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The way in: sleeping, reading, and the times at which something is due.
extension EventLoop {
  /// How many packets are read before the loop looks at anything else.
  private static let readBudget = 64

  /// Gives the time before which all that came has been read.
  func sleepAndRead() -> Instant {
    var room = mailbox.deliveries.room()
    if session == nil {
      // Full from an earlier link: nothing but the broker's answer is read.
      room = room ?? QueueSize(count: 0, bytes: 0)
    } else {
      gate.update(
        hasRoom: room != nil, lastExchange: min(lastRead, lastWrite), patience: patience, at: .now)
      if !gate.isHurried { reportShed() }
    }
    let reads = machine.canWrite && !gate.isPaused
    // What OpenSSL holds decrypted shows in no poll.
    let hasUnread = reads && handle?.hasUnread == true
    let hasDue = !held.isEmpty && !poison.isTrying
    let mayBlock = !hasUnread && !hasDue && mailbox.maySleep(room: self.room, closing: closing)
    var events = Int32(0)
    if let handle {
      if reads { events |= POLLIN }
      if !machine.canWrite || isWriteBlocked || handle.handshakeWantsWrite { events |= POLLOUT }
    }
    // Without events even a link that has broken would end each sleep, so it is left out then.
    let happened = sleep(handle?.socket, events, mayBlock ? timeout : 0)
    let woken = Instant.now
    if mayBlock { mailbox.awake() }
    if happened.wakeup { mailbox.wakeup.clear() }
    guard let handle, events != 0 else { return woken }
    if reads, !hasUnread, happened.link == 0 { gate.looked(sawAll: true, at: woken) }
    guard happened.link != 0 || hasUnread else { return woken }
    if machine.canWrite {
      let isReadable = happened.link & ~POLLOUT != 0
      if reads, isReadable || hasUnread || handle.isHandshaking { read(handle, room) }
    } else if let failure = handle.connectFailure(machine.endpoint) {
      self.handle(.failed(failure))
    } else {
      self.handle(.opened)
    }
    return woken
  }

  /// Sleeps until something happens, or for `timeout` milliseconds; -1: without an end.
  private func sleep(_ link: Int32?, _ events: Int32, _ timeout: Int32) -> (wakeup: Bool, link: Int32) {
    var descriptors = (
      pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events == 0 ? -1 : link ?? -1, events: Int16(events), revents: 0)
    )
    withUnsafeMutableBytes(of: &descriptors) { bytes in
      _ = poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, timeout)
    }
    return (descriptors.0.revents != 0, Int32(descriptors.1.revents))
  }

  /// `room` is nil when the inbox stayed full for so long that what has no room is dropped.
  private func read(_ handle: Handle, _ room: QueueSize?) {
    var failure = handle.read(budget: Self.readBudget, room: room)
    lastRead = .now
    gate.looked(sawAll: handle.hasReadAll, at: lastRead)
    if let topic = handle.overflow {
      mailbox.counters.inboxOverflows.count()
      failure = .inboxOverflow(topic: topic)
    }
    takeIn()
    if let failure { fail(handle, failure) }
  }

  /// How long the loop may lag behind the broker: the answer to a ping waits behind what is unread.
  private var patience: Duration? {
    guard let keepAlive = session?.keepAlive, keepAlive > .zero else { return nil }
    return keepAlive / 2
  }

  /// Takes in what the library told while it read.
  func takeIn() {
    settle()
    guard let handle else { return }
    for event in handle.inbox {
      // Nothing of a link may follow its end.
      guard handle === self.handle else { return }
      switch event {
      case .accepted(let session): accept(session)
      case .refused(let code): self.handle(.refused(code))
      case .subscribed(let id, let codes):
        if let ending = requests.answered(id: id, codes: codes) { conclude(ending) }
      case .unsubscribed(let id):
        if let ending = requests.answered(id: id, codes: []) { conclude(ending) }
      case .shrunk(let limit):
        for entry in window.remove(where: { $0.packetSize(handle.version) > limit }) {
          report(entry.token, .refused(.packetTooLarge))
        }
      }
    }
    handle.inbox.removeAll(keepingCapacity: true)
    takeMessages(of: handle)
    if handle.dropped > 0 {
      mailbox.counters.messagesDropped.count(handle.dropped)
      mailbox.counters.messagesReceived.count(handle.dropped)
      if shed == 0 {
        note(.warning, "the inbox is full, handlers are too slow: dropping messages of QoS 0")
      }
      shed += handle.dropped
      handle.dropped = 0
    }
  }

  /// Tells how much was dropped while the loop hurried.
  func reportShed() {
    guard shed > 0 else { return }
    note(.warning, "dropped \(shed) messages of QoS 0")
    shed = 0
  }

  private func takeMessages(of handle: Handle) {
    guard !handle.deliveries.isEmpty else { return }
    let (count, bytes) = handle.countDeliveries()
    mailbox.counters.messagesReceived.count(count)
    mailbox.counters.bytesReceived.count(bytes)
    if deliveries.isEmpty { swap(&deliveries, &handle.deliveries) } else { deliveries += handle.deliveries }
    handle.deliveries.removeAll(keepingCapacity: true)
  }

  // MARK: Time

  /// When libmosquitto has to be asked whether to ping. It compares whole seconds, and notes them before the loop
  /// notes the time, so it never finds the question too early (but after the machine was suspended, which the library
  /// before 2.0.16 does not notice: then the ping may come a keep-alive late).
  private var keepAliveDue: Instant? {
    guard let keepAlive = session?.keepAlive, keepAlive > .zero else { return nil }
    return max(min(lastRead, lastWrite), lastAsked) + keepAlive
  }

  private var timeout: Int32 {
    // Without an array of them: this is done before each sleep.
    var next = machine.deadline
    next = Self.earlier(next, keepAliveDue)
    next = Self.earlier(next, requests.deadline)
    next = Self.earlier(next, planDue)
    next = Self.earlier(next, closing?.deadline)
    next = Self.earlier(next, gate.deadline)
    next = Self.earlier(next, mailbox.expiryCheck)
    next = Self.earlier(next, poison.deadline)
    return next.map { Instant.now.duration(to: $0).milliseconds } ?? -1
  }

  private static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// What came in time counts, however late the loop sees it: so `now` is a time before which all that came has been
  /// read.
  func checkTimes(at now: Instant) {
    if let deadline = machine.deadline, now >= deadline { handle(.tick) }
    requests.expire(at: now).forEach(conclude)
    if let planDue, now >= planDue { plan { $0.plan() } }
    if poison.isTrying { poison.tick(at: now) }
    guard let handle, let due = keepAliveDue, now >= due else { return }
    let failure = handle.keepAliveCheck()
    lastAsked = .now
    if let failure { fail(handle, failure) } else { write() }
  }
}
