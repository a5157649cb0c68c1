import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the library calls, always from inside one of this side's calls.
extension Handle {
  /// Called from a callback, with the number of the system's last error as the library left it.
  private func ended(_ code: Int32, errno: Int32) {
    callbacks += 1
    if ending == nil { ending = (code, errno) }
  }

  func setCallbacks() {
    mosquitto_connect_v5_callback_set(mosquitto) { _, handle, code, flags, properties in
      Handle.receive(handle) { $0.greeted(code, flags: flags, properties) }
    }
    mosquitto_disconnect_v5_callback_set(mosquitto) { _, handle, code, _ in
      let number = errno
      Handle.receive(handle) { $0.ended(code, errno: number) }
    }
    mosquitto_publish_v5_callback_set(mosquitto) { _, handle, id, code, _ in
      Handle.receive(handle) { $0.settled.append((id, ReasonCode(rawValue: UInt8(clamping: code)))) }
    }
    mosquitto_message_v5_callback_set(mosquitto) { _, handle, message, properties in
      guard let message else { return }
      Handle.receive(handle) { $0.received(message.pointee, properties) }
    }
    mosquitto_subscribe_v5_callback_set(mosquitto) { _, handle, id, count, codes, _ in
      let codes = Array(UnsafeBufferPointer(start: codes, count: Int(count)))
      Handle.receive(handle) { $0.inbox.append(.subscribed(id: id, codes)) }
    }
    mosquitto_unsubscribe_v5_callback_set(mosquitto) { _, handle, id, _ in
      Handle.receive(handle) { $0.inbox.append(.unsubscribed(id: id)) }
    }
  }

  private static func receive(_ handle: UnsafeMutableRawPointer?, _ body: (Handle) -> Void) {
    guard let handle else { return }
    let owner = Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue()
    owner.callbacks += 1
    body(owner)
    signalbox_clear_errno()
  }

  private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    if message.qos > 0 { queued += 1 }
    if isShedding {
      if message.qos == 0 {
        dropped += 1
      } else if overflow == nil {
        overflow = String(cString: message.topic)
      }
      return
    }
    var message = Message(message, properties)
    message.arrival = arrival
    deliveredBytes += message.payload.count + message.topic.utf8.count
    deliveries.append(.message(message))
  }

  private func greeted(_ code: Int32, flags: Int32, _ properties: OpaquePointer?) {
    isGreeting = false
    guard code == 0 else {
      inbox.append(.refused(ReasonCode(connack: code)))
      return
    }
    var session = Session()
    session.isPresent = flags & 1 != 0
    session.version = version
    session.clientID = clientID
    session.keepAlive = .seconds(keepAlive)
    if version == .v5 { session.read(properties) } else { session.hasSubscriptionIdentifiers = false }
    inbox.append(.accepted(session))
  }
}
