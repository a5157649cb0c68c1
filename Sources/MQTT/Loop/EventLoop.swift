import Signals

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The loop of one connection: the only thread that touches libmosquitto, from `connect` to the end.
///
/// A round: carry out commands, hand the next messages to the library, write, tell what came of it, sleep in
/// `poll`, read until drained, deliver. Delivery comes after the reading and before the writing, outside every
/// call of the library, so a message is acknowledged only when its handler has returned.
final class EventLoop {
  typealias Instant = ContinuousClock.Instant
  typealias Entry = Mailbox.Entry

  /// How many packets are read before the loop looks at anything else.
  private static let readBudget = 64
  /// How much is handed to the library before it writes; it copies all of it.
  private static let batchCount = 64
  private static let batchBytes = 256 << 10

  private let options: ConnectionOptions
  private let mailbox: Mailbox
  private let delegate: WeakDelegate
  private var machine: ConnectionMachine
  private var handle: Handle?
  private var window = FlightWindow<Mailbox.Completion?>()
  private var requests = PendingRequests()
  private var session: Session?
  private var attempt = 0
  private var closing: Instant?
  private var cause: ConnectionError?
  private var isWriteBlocked = false
  private var lastRead = Instant.now
  private var lastWrite = Instant.now

  init(_ mailbox: Mailbox, delegate: WeakDelegate) {
    self.mailbox = mailbox
    self.delegate = delegate
    options = mailbox.options
    machine = ConnectionMachine(options)
  }

  func run() {
    handle(.connect)
    while machine.phase != .closed {
      work()
      guard machine.phase != .closed else { break }
      let woken = sleepAndRead()
      checkTimes(at: woken)
    }
    // What a next link would have begun with: there is none.
    for entry in window.drain().again { entry.token?(.failed(cause ?? .closed)) }
    mailbox.finish(cause)
  }

  /// A function of its own, so that nothing of a batch is held in the sleep after it.
  private func work() {
    let work = mailbox.take(room: room, count: Self.batchCount, bytes: Self.batchBytes)
    closing = work.closing
    for completion in work.expired { completion?(.expired) }
    work.commands.forEach(carryOut)
    send(work.batch)
    write()
    finishClosing(work)
  }

  /// How many messages of QoS 1 and 2 may be sent now; nil when nothing at all may.
  private var room: FlightRoom? {
    session == nil || isWriteBlocked || window.isLapped ? nil : window.room
  }

  private func handle(_ event: ConnectionMachine.Event) {
    machine.handle(event, at: .now).forEach(perform)
  }

  private func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .report(let state):
      if case .closed(let cause) = state { self.cause = cause }
      mailbox.states.send(state)
    case .resolve(let endpoint):
      guard case .tcp(let host, let port) = endpoint else { return }
      attempt += 1
      Resolver.resolve(host: host, port: port) { [mailbox, attempt] in
        mailbox.post(.resolved(attempt: attempt, $0))
      }
    case .open(let address, let version, let cleanStart):
      do {
        handle = try Handle(
          options, address: address, version: version, cleanStart: cleanStart,
          resuming: window.resumption(at: .now))
      } catch {
        // Options that the library refuses will be refused again.
        if case .invalid = error { handle(.close(error)) } else { handle(.failed(error)) }
      }
    case .drop(let cause):
      drop(cause)
    }
  }

  // MARK: Out

  private func carryOut(_ command: Command) {
    if case .resolved(let attempt, let result) = command {
      guard attempt == self.attempt else { return }
      switch result {
      case .success(let addresses): handle(.resolved(addresses))
      case .failure(let error): handle(.unresolved(error))
      }
      return
    }
    guard let session, let handle else {
      command.answer?.fail(.notConnected)
      return
    }
    let deadline = Instant.now + options.acknowledgementDeadline
    switch command {
    case .subscribe(let subscribes, let answer):
      let plan = SubscribePackets(subscribes, for: session)
      let request = requests.begin(count: subscribes.count, deadline: deadline, answer)
      requests.refuse(plan.refusals, of: request)
      attemptRequest(request) { () throws(ConnectionError) in
        try requests.checkRoom(for: plan.packets.count)
        for packet in plan.packets {
          let id = try handle.subscribe(packet.subscribes)
          window.skip(id: id)
          requests.sent(id: id, places: packet.places, of: request)
        }
      }
    case .unsubscribe(let filters, let answer):
      let request = requests.begin(count: 0, deadline: deadline, answer)
      attemptRequest(request) { () throws(ConnectionError) in
        let packets = try UnsubscribePackets.split(filters, for: session)
        try requests.checkRoom(for: packets.count)
        for filters in packets {
          let id = try handle.unsubscribe(filters)
          window.skip(id: id)
          requests.sent(id: id, places: [], of: request)
        }
      }
    case .resolved:
      break
    }
  }

  private func attemptRequest(_ request: Int, _ send: () throws(ConnectionError) -> Void) {
    do {
      try send()
      requests.end(request)?()
    } catch {
      requests.fail(request, error)?()
    }
  }

  private func send(_ batch: [Entry]) {
    for (index, entry) in batch.enumerated() {
      guard let session, let handle else {
        // A completion of this batch can't end the link, but the compiler does not know.
        mailbox.putBack(Array(batch[index...])).forEach { $0?(.superseded) }
        return
      }
      if let code = session.refusal(of: entry.publish) {
        entry.token?(.refused(code))
        continue
      }
      do {
        let id = try handle.publish(entry.publish)
        let isAwaited = entry.publish.qos > .atMostOnce || entry.token != nil
        if isAwaited { window.add(entry, id: id) } else { window.skip(id: id) }
      } catch {
        entry.token?(.failed(error))
      }
    }
  }

  private func write() {
    guard let handle, machine.canWrite else { return }
    isWriteBlocked = false
    guard handle.wantsWrite else { return }
    let failure = handle.write()
    lastWrite = .now
    isWriteBlocked = handle.wantsWrite
    settle()
    if let failure { fail(handle, failure) }
  }

  /// Tells what libmosquitto reported as written or acknowledged.
  private func settle() {
    guard let handle, !handle.settled.isEmpty else { return }
    var settled: [(id: Int32, code: ReasonCode)] = []
    swap(&settled, &handle.settled)
    for (id, code) in settled {
      guard let entry = window.settle(id: id), let completion = entry.token else { continue }
      let isSent = entry.publish.qos == .atMostOnce
      completion(isSent ? .sent : code.isFailure ? .refused(code) : .acknowledged(code))
    }
    settled.removeAll(keepingCapacity: true)
    if handle.settled.isEmpty { handle.settled = settled }
  }

  // MARK: In

  /// Gives the time before which all that came has been read.
  private func sleepAndRead() -> Instant {
    let mayBlock = mailbox.maySleep(room: room, closing: closing)
    var descriptors = [pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    if let handle {
      var events = Int32(0)
      if machine.canWrite { events |= POLLIN }
      if !machine.canWrite || isWriteBlocked { events |= POLLOUT }
      descriptors.append(pollfd(fd: handle.socket, events: Int16(events), revents: 0))
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), mayBlock ? timeout : 0)
    let woken = Instant.now
    if mayBlock { mailbox.awake() }
    if descriptors[0].revents != 0 { mailbox.wakeup.clear() }
    guard let handle, descriptors.count > 1, descriptors[1].revents != 0 else { return woken }
    if machine.canWrite {
      if Int32(descriptors[1].revents) & ~POLLOUT != 0 { read(handle) }
    } else if let failure = handle.connectFailure(options.endpoint) {
      self.handle(.failed(failure))
    } else {
      self.handle(.opened)
    }
    return woken
  }

  private func read(_ handle: Handle) {
    let failure = handle.read(budget: Self.readBudget)
    lastRead = .now
    deliver()
    if let failure { fail(handle, failure) }
  }

  private func deliver() {
    settle()
    guard let handle, !handle.inbox.isEmpty else { return }
    var inbox: [Handle.Inbound] = []
    swap(&inbox, &handle.inbox)
    let delegate = delegate.value
    for event in inbox {
      // Nothing of a link may follow its end.
      guard handle === self.handle else { return }
      switch event {
      case .message(let message): delegate?.connectionDidReceive(message)
      case .accepted(let session): accept(session, delegate)
      case .refused(let code): self.handle(.refused(code))
      case .subscribed(let id, let codes): requests.answered(id: id, codes: codes)?()
      case .unsubscribed(let id): requests.answered(id: id, codes: [])?()
      }
    }
    inbox.removeAll(keepingCapacity: true)
    if handle.inbox.isEmpty { handle.inbox = inbox }
  }

  private func accept(_ session: Session, _ delegate: (any ConnectionDelegate)?) {
    guard self.session == nil else {
      return handle(.failed(.linkLost("the broker accepted the connection twice")))
    }
    // Who hears that there is a connection may publish at once.
    mailbox.goOnline()
    handle(.accepted(session))
    guard machine.isConnected, let session = machine.session else { return }
    self.session = session
    window.open(
      limit: min(options.window, session.receiveMaximum), exactlyOnce: session.exactlyOnceMaximum)
    for entry in window.remove(where: { session.refusal(of: $0) != nil }) {
      if let code = session.refusal(of: entry.publish) { entry.token?(.refused(code)) }
    }
    delegate?.connectionDidConnect(session)
  }

  // MARK: The end of a link

  /// Tells the machine that `handle` is broken, unless another one has taken its place.
  private func fail(_ handle: Handle, _ failure: ConnectionError) {
    deliver()
    if handle === self.handle { self.handle(.failed(failure)) }
  }

  private func drop(_ cause: ConnectionError?) {
    guard handle != nil else { return }
    handle = nil
    isWriteBlocked = false
    let error = cause ?? .closed
    let (again, lost) = window.cut(resumes: keepsSession)
    let (superseded, dropped) = mailbox.goOffline(again: again)
    for entry in lost { entry.token?(.failed(error)) }
    for token in superseded { token?(.superseded) }
    for token in dropped { token?(.failed(error)) }
    for end in requests.failAll(error) { end() }
    guard session != nil else { return }
    session = nil
    delegate.value?.connectionDidDisconnect(cause)
  }

  /// Whether the next link takes up the session of this one.
  private var keepsSession: Bool { options.sessionExpiry > .zero || !options.cleanStart }

  private func finishClosing(_ work: Mailbox.Work) {
    guard let closing else { return }
    let isLate = Instant.now >= closing
    guard let handle, session != nil else {
      if work.isOutboxEmpty && window.isEmpty || isLate { self.handle(.close(nil)) }
      return
    }
    let isFlushed = work.isOutboxEmpty && window.isEmpty && requests.isEmpty && !isWriteBlocked
    guard isFlushed || isLate else { return }
    let left = Instant.now.duration(to: closing)
    handle.disconnect(patience: min(max(left, .milliseconds(100)), .seconds(1)))
    settle()
    self.handle(.close(nil))
  }

  // MARK: Time

  /// When libmosquitto has to be asked whether to ping. It compares whole seconds, and notes them before the loop
  /// notes the time, so it never finds the question too early.
  private var keepAliveDue: Instant? {
    session.flatMap { $0.keepAlive > .zero ? min(lastRead, lastWrite) + $0.keepAlive : nil }
  }

  private var timeout: Int32 {
    let next = [
      machine.deadline, keepAliveDue, requests.deadline, closing, mailbox.expiryCheck,
    ].compactMap(\.self).min()
    return next.map { Instant.now.duration(to: $0).milliseconds } ?? -1
  }

  /// What came in time counts, however late a slow handler lets the loop see it: so `now` is a time before which
  /// all that came has been read.
  private func checkTimes(at now: Instant) {
    if let deadline = machine.deadline, now >= deadline { handle(.tick) }
    for end in requests.expire(at: now) { end() }
    guard let handle, let due = keepAliveDue, now >= due else { return }
    let failure = handle.keepAliveCheck()
    lastRead = .now
    lastWrite = lastRead
    if let failure { fail(handle, failure) } else { write() }
  }
}

extension ConnectionMachine {
  /// Whether the socket is connected, so that the library may read and write.
  fileprivate var canWrite: Bool {
    switch phase {
    case .greeting, .connected: true
    default: false
    }
  }
}

extension Session {
  /// How many messages of QoS 2 may fly. MQTT 3.1.1 has no word for what a broker takes. mosquitto takes 20, unless
  /// it is told otherwise, acknowledges what comes beyond and forgets it; and one place must be left for QoS 1.
  fileprivate var exactlyOnceMaximum: Int { version == .v311 ? 19 : .max }

  /// What the broker announced that it would refuse. libmosquitto clears the retain flag without a word, and
  /// lets packets pass that are one byte too large.
  fileprivate func refusal(of publish: Publish) -> ReasonCode? {
    if publish.retain, !isRetainAvailable { return .retainNotSupported }
    if publish.qos > maximumQoS { return .qosNotSupported }
    if let maximumPacketSize, publish.packetSize(version) > maximumPacketSize { return .packetTooLarge }
    return nil
  }
}

/// A delegate that the connection does not keep alive.
struct WeakDelegate: Sendable {
  weak var value: (any ConnectionDelegate)?
}
