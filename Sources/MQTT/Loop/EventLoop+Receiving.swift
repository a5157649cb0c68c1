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
    let mayBlock = !hasUnread && mailbox.maySleep(room: self.room, closing: closing)
    var descriptors = [pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    if let handle {
      var events = Int32(0)
      if reads { events |= POLLIN }
      if !machine.canWrite || isWriteBlocked || handle.handshakeWantsWrite { events |= POLLOUT }
      // Without events even a link that has broken would end each sleep.
      if events != 0 { descriptors.append(pollfd(fd: handle.socket, events: Int16(events), revents: 0)) }
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), mayBlock ? timeout : 0)
    let woken = Instant.now
    if mayBlock { mailbox.awake() }
    if descriptors[0].revents != 0 { mailbox.wakeup.clear() }
    guard let handle, descriptors.count > 1 else { return woken }
    if reads, !hasUnread, descriptors[1].revents == 0 { gate.looked(sawAll: true, at: woken) }
    guard descriptors[1].revents != 0 || hasUnread else { return woken }
    if machine.canWrite {
      let isReadable = Int32(descriptors[1].revents) & ~POLLOUT != 0
      if reads, isReadable || hasUnread || handle.isHandshaking { read(handle, room) }
    } else if let failure = handle.connectFailure(machine.endpoint) {
      self.handle(.failed(failure))
    } else {
      self.handle(.opened)
    }
    return woken
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
        if let end = requests.answered(id: id, codes: codes) { reports.append(end) }
      case .unsubscribed(let id):
        if let end = requests.answered(id: id, codes: []) { reports.append(end) }
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
        log(.warning, "the inbox is full, handlers are too slow: dropping messages of QoS 0") {
          reports.append($0)
        }
      }
      shed += handle.dropped
      handle.dropped = 0
    }
  }

  /// Tells how much was dropped while the loop hurried.
  func reportShed() {
    guard shed > 0 else { return }
    log(.warning, "dropped \(shed) messages of QoS 0") { reports.append($0) }
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
  /// notes the time, so it never finds the question too early.
  private var keepAliveDue: Instant? {
    session.flatMap { $0.keepAlive > .zero ? min(lastRead, lastWrite) + $0.keepAlive : nil }
  }

  private var timeout: Int32 {
    let dates = [
      machine.deadline, keepAliveDue, requests.deadline, closing?.deadline, gate.deadline,
      mailbox.expiryCheck,
    ]
    return dates.compactMap(\.self).min().map { Instant.now.duration(to: $0).milliseconds } ?? -1
  }

  /// What came in time counts, however late the loop sees it: so `now` is a time before which all that came has been
  /// read.
  func checkTimes(at now: Instant) {
    if let deadline = machine.deadline, now >= deadline { handle(.tick) }
    reports += requests.expire(at: now)
    guard let handle, let due = keepAliveDue, now >= due else { return }
    let failure = handle.keepAliveCheck()
    lastRead = .now
    lastWrite = lastRead
    if let failure { fail(handle, failure) } else { write() }
  }
}

extension ConnectionMachine {
  /// Whether a link is being opened.
  var isOpening: Bool {
    if case .opening = phase { true } else { false }
  }

  /// Whether the socket is connected, so that the library may read and write.
  var canWrite: Bool {
    switch phase {
    case .greeting, .connected: true
    default: false
    }
  }
}
