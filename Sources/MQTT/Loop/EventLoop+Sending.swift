/// The way out: commands, messages, and what became of them.
extension EventLoop {
  /// How much is handed to the library before it writes; it copies all of it.
  static let batchCount = 64
  static let batchBytes = 256 << 10

  /// How many messages of QoS 1 and 2 may be sent now; nil when nothing at all may.
  var room: FlightRoom? {
    guard session != nil, !isWriteBlocked, !window.isLapped, mailbox.reports.room() != nil else { return nil }
    if poison.isTrying, !poison.maySend(at: .now) { return nil }
    return window.room
  }

  func carryOut(_ command: Command) {
    switch command {
    case .answered(let event): handle(event)
    case .opened(let attempt, let result): own(result, attempt)
    case .settled(let completion, let result): report(completion, result)
    case .plan: plan { $0.plan() }
    case .subscribe(let subscribes, let answer):
      request(command, count: subscribes.count, answer) {
        (request, session, handle) throws(ConnectionError) in
        let plan = SubscribePackets(subscribes, for: session)
        requests.refuse(plan.refusals, of: request)
        try requests.checkRoom(for: plan.packets.count)
        for packet in plan.packets {
          sent(try handle.subscribe(packet.subscribes), packet.places, of: request)
        }
      }
    case .unsubscribe(let filters, let answer):
      request(command, count: 0, answer) { (request, session, handle) throws(ConnectionError) in
        let packets = try UnsubscribePackets.split(filters, for: session)
        try requests.checkRoom(for: packets.count)
        for filters in packets { sent(try handle.unsubscribe(filters), [], of: request) }
      }
    }
  }

  /// Sends what asks the broker for an answer: now, after a trial, or not at all.
  private func request(
    _ command: Command, count: Int, _ answer: Command.Answer,
    _ send: (_ request: Int, Session, Handle) throws(ConnectionError) -> Void
  ) {
    guard let session, let handle else {
      return conclude(Command.Ending(answer: answer, result: .failure(.notConnected)))
    }
    if poison.isTrying { return held.append(command) }
    let deadline = Instant.now + options.acknowledgementDeadline.bounded
    let request = requests.begin(count: count, deadline: deadline, answer)
    do {
      try send(request, session, handle)
      if let ending = requests.end(request) { conclude(ending) }
    } catch {
      if let ending = requests.fail(request, error) { conclude(ending) }
    }
  }

  /// Tells how a request ended: a planner now, users when it is their turn.
  func conclude(_ ending: Command.Ending) {
    switch ending.answer {
    case .subscribe, .unsubscribe: reports.append(.call { ending() })
    case .planned(let subscribes): plan { $0.subscribed(subscribes, ending.result) }
    case .plannedEnd(let filters): plan { $0.unsubscribed(filters, ending.result.map { _ in }) }
    }
  }

  /// Notes packet `id`, which carries the filters at `places` of `request`.
  private func sent(_ id: Int32, _ places: [Int], of request: Int) {
    window.skip(id: id)
    requests.sent(id: id, places: places, of: request)
  }

  func send(_ batch: [Entry]) {
    if batch.isEmpty { return }
    guard let session, let handle else {
      for token in mailbox.putBack(batch) { report(token, .superseded) }
      return
    }
    var sent = 0
    for entry in batch {
      if let code = session.refusal(of: entry.publish) {
        report(entry.token, .refused(code))
        continue
      }
      do {
        let id = try handle.publish(entry.publish)
        if poison.isTrying { poison.sent(entry.number, at: .now) }
        sent += 1
        let isAwaited = entry.publish.qos > .atMostOnce || entry.token != nil
        if isAwaited { window.add(entry, id: id) } else { window.skip(id: id) }
      } catch {
        report(entry.token, .failed(error))
      }
    }
    mailbox.counters.messagesSent.count(sent)
  }

  func write() {
    guard let handle, machine.canWrite, !(poison.isTrying && poison.holdsWrites(at: .now)) else { return }
    isWriteBlocked = false
    guard handle.wantsWrite else { return }
    let failure = handle.write()
    lastWrite = .now
    isWriteBlocked = handle.wantsWrite
    settle()
    if let failure { fail(handle, failure) }
  }

  /// Takes in what libmosquitto reported as written or acknowledged.
  func settle() {
    takeLines()
    guard let handle, !handle.settled.isEmpty else { return }
    for (id, code) in handle.settled {
      guard let entry = window.settle(id: id) else { continue }
      let isSent = entry.publish.qos == .atMostOnce
      if poison.isWatching, !isSent { poison.acknowledged(entry.number, left: window.count, at: .now) }
      guard let completion = entry.token else { continue }
      report(completion, isSent ? .sent : code.isFailure ? .refused(code) : .acknowledged(code))
    }
    handle.settled.removeAll(keepingCapacity: true)
  }
}

extension Session {
  /// How many messages of QoS 2 may fly. MQTT 3.1.1 has no word for what a broker takes. mosquitto takes 20, unless
  /// it is told otherwise, acknowledges what comes beyond and forgets it; and one place must be left for QoS 1.
  var exactlyOnceMaximum: Int { version == .v311 ? 19 : .max }

  /// What the broker announced that it would refuse. libmosquitto clears the retain flag without a word, and
  /// lets packets pass that are one byte too large.
  func refusal(of publish: Publish) -> ReasonCode? {
    if publish.retain, !isRetainAvailable { return .retainNotSupported }
    if publish.qos > maximumQoS { return .qosNotSupported }
    if let maximumPacketSize, publish.packetSize(version) > maximumPacketSize { return .packetTooLarge }
    return nil
  }
}
