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
    if case .answered(let event) = command { return self.handle(event) }
    if case .opened(let attempt, let result) = command { return own(result, attempt) }
    if case .settled(let completion, let result) = command { return report(completion, result) }
    guard let session, let handle else {
      if let answer = command.answer { reports.append(.call { answer.fail(.notConnected) }) }
      return
    }
    if poison.isTrying { return held.append(command) }
    let deadline = Instant.now + options.acknowledgementDeadline.bounded
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
    case .answered, .opened, .settled:
      break
    }
  }

  private func attemptRequest(_ request: Int, _ send: () throws(ConnectionError) -> Void) {
    do {
      try send()
      if let end = requests.end(request) { reports.append(end) }
    } catch {
      if let end = requests.fail(request, error) { reports.append(end) }
    }
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
