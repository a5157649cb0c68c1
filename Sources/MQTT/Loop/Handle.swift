import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One `mosquitto *` for one attempt to connect and the link that comes of it. Only the loop thread touches it.
///
/// Callbacks only put what they were told into ``inbox`` and ``settled``; nobody is called from inside the library.
/// A fresh handle for each attempt, because limits that one broker announced, half-read packets and QoS 2 state
/// would stick to a used one.
final class Handle {
  enum Inbound {
    case accepted(Session)
    case refused(ReasonCode)
    case subscribed(id: Int32, [Int32])
    case unsubscribed(id: Int32)
    /// The broker takes no packet that is larger, though some of those that were left unsettled are.
    case shrunk(limit: Int)
  }

  let version: ProtocolVersion
  /// What arrived, in order, but the messages.
  var inbox: [Inbound] = []
  /// The messages that arrived, in order.
  var deliveries: [Delivery] = []
  /// The bytes of their topics and payloads.
  var deliveredBytes = 0
  /// How many QoS 0 messages had no room.
  var dropped = 0
  /// The topic of a QoS 1 message that had no room. It must not be acknowledged, so nothing may be written any more.
  var overflow: String?
  /// Whether the last ``read(budget:room:)`` left nothing unread.
  private(set) var hasReadAll = false
  /// What the library said, if anybody wants to know.
  var lines: [String] = []
  /// What was written (QoS 0) or acknowledged.
  var settled: [(id: Int32, code: ReasonCode)] = []

  let mosquitto: OpaquePointer
  var callbacks = 0
  /// About how many packets were queued since the last write.
  var queued = 0
  var ending: (code: Int32, errno: Int32)?
  var isShedding = false
  /// When the present read began.
  var arrival = Arrival()
  let keepAlive: Int
  let clientID: String
  let isTCP: Bool
  /// Where this connects to, for errors.
  let broker: String
  /// The size of the largest packet that an earlier link left unsettled.
  let largestResumed: Int
  /// Whether the next byte of the broker begins its answer to the CONNECT, as far as is known.
  var awaitsConnack = true
  /// Until the broker has answered the CONNECT.
  var isGreeting = true
  /// Whether the broker has sent anything.
  var hasHeard = false
  var tls: TLSLink?

  /// That of the library that is loaded.
  static let libraryVersion: (Int32, Int32, Int32) = {
    var (major, minor, revision) = (Int32(0), Int32(0), Int32(0))
    mosquitto_lib_version(&major, &minor, &revision)
    return (major, minor, revision)
  }()

  private static let isLibraryReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  /// Starts to connect to `address`. If it is numeric or a path, nothing here blocks; for TLS, which needs the name,
  /// this is done by ``Opener``.
  init(
    _ options: ConnectionOptions, address: Address, version: ProtocolVersion, cleanStart: Bool,
    resuming resumption: Resumption? = nil
  ) throws(ConnectionError) {
    self.version = version
    keepAlive = options.keepAliveSeconds
    clientID = options.clientID
    isTCP = address.port != 0
    broker = address.description
    largestResumed = resumption?.publishes.map { $0.publish.packetSize(version) }.max() ?? 0
    let id: String? = clientID.isEmpty ? nil : clientID
    guard Self.isLibraryReady, let mosquitto = mosquitto_new(id, cleanStart, nil) else {
      throw .unreachable(address: address.description, reason: "libmosquitto has no memory for a connection")
    }
    self.mosquitto = mosquitto
    mosquitto_user_data_set(mosquitto, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    if options.wantsLibraryLines { collectLines() }
    // External threading: the library queues packets and writes them only in `mosquitto_loop_write`.
    mosquitto_threaded_set(mosquitto, true)
    mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, Int32(version.rawValue))
    mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_int_option(mosquitto, MOSQ_OPT_SEND_MAXIMUM, Int32(options.window))
    if let user = options.user {
      try check(mosquitto_username_pw_set(mosquitto, user, options.password), "user and password")
    }
    if let will = options.will { try set(will) }
    try setConnectProperties(options)
    if let tls = options.tls { try secure(tls) }
    if let resumption { try resume(resumption) }
    let code = mosquitto_connect_async(mosquitto, address.host, Int32(address.port), Int32(keepAlive))
    let number = errno
    endFirstTry()
    if options.wantsLibraryLines { collectLines() }
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      if let options = options.tls, let error = tlsFailure(code, number, address, options) { throw error }
      let reason = code == MOSQ_ERR_ERRNO.rawValue ? systemError(number) : Self.words(code)
      throw .unreachable(address: address.description, reason: reason)
    }
    // A child process that inherits the link keeps it open after this one has died, and the broker its will.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    detectDeadPeer(after: .seconds(keepAlive))
    #if canImport(Darwin)
      // Later versions of the library count on a flag that this system doesn't have.
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  deinit {
    mosquitto_log_callback_set(mosquitto, nil)
    mosquitto_destroy(mosquitto)
  }

  /// The socket, or -1 when it is closed.
  var socket: Int32 { mosquitto_socket(mosquitto) }

  /// Whether packets wait to be written.
  var wantsWrite: Bool { !isHandshaking && mosquitto_want_write(mosquitto) }

  /// Why the socket did not connect, or nil when it did.
  func connectFailure(_ address: Endpoint) -> ConnectionError? {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    if getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &length) != 0 { number = errno }
    if tls != nil { number = withoutTLS(number) }
    guard number != 0 else { return nil }
    return .unreachable(address: address.description, reason: systemError(number))
  }

  /// Reads until the socket is drained, `budget` packets came or the `room` is taken; without room it drops messages
  /// of QoS 0 and stops at the first of QoS 1. The broker's answer to CONNECT needs no room. Returns why the link is
  /// broken, if it is.
  func read(budget: Int, room: QueueSize?) -> ConnectionError? {
    var drained: Int32 = 0
    isShedding = room == nil
    hasReadAll = false
    arrival = Arrival(.now)
    for _ in 0..<budget {
      if overflow != nil { return nil }
      if !isGreeting, let room, deliveries.count >= room.count || deliveredBytes >= room.bytes { return nil }
      if isGreeting {
        var greeting = greeting()
        if case .arrived = greeting { greeting = lookAtConnack() }
        switch greeting {
        case .arrived: break
        case .waiting: return nil
        case .failed(let failure): return failure
        }
      }
      let before = callbacks
      let code = signalbox_loop_read(mosquitto, &drained)
      if code != MOSQ_ERR_SUCCESS.rawValue || ending != nil { return failure(code) }
      if drained != 0, callbacks == before, !hasUnread {
        hasReadAll = true
        return nil
      }
    }
    return nil
  }

  /// How many messages, and bytes of them, came since the last call.
  func countDeliveries() -> (count: Int, bytes: Int) {
    defer { deliveredBytes = 0 }
    return (deliveries.count, deliveredBytes)
  }

  /// Writes what the socket takes. Returns why the link is broken, if it is.
  ///
  /// The library makes a system call, and with TCP_NODELAY a segment, of each packet; Linux is asked to join
  /// those of a burst. (Darwin's TCP_NOPUSH would hold back the end of it.)
  func write() -> ConnectionError? {
    isGreeting && tls != nil ? writeGreeting() : writeQueued()
  }

  func writeQueued() -> ConnectionError? {
    let joins = isTCP && queued > 2
    queued = 0
    if joins { join(1) }
    let code = mosquitto_loop_write(mosquitto, 1)
    if joins, ending == nil { join(0) }
    return code != MOSQ_ERR_SUCCESS.rawValue || ending != nil ? failure(code) : nil
  }

  /// Pings when it is time to. Returns why the link is broken, if it is.
  func keepAliveCheck() -> ConnectionError? {
    let code = mosquitto_loop_misc(mosquitto)
    return code != MOSQ_ERR_SUCCESS.rawValue || ending != nil ? failure(code) : nil
  }

  /// Queues a message and gives its id.
  func publish(_ publish: Publish) throws(ConnectionError) -> Int32 {
    let (code, id) = try hand(publish)
    try check(code, "the message on \"\(publish.topic)\"")
    queued += 1
    return id
  }

  /// Hands a message to the library; gives what it says and the id that the message got.
  func hand(_ publish: Publish) throws(ConnectionError) -> (code: Int32, id: Int32) {
    var id: Int32 = 0
    let topic = publish.topic.name
    let list = version == .v5 ? PropertyList(publish.properties) : PropertyList()
    try check(list.code.rawValue, "the properties of the message on \"\(topic)\"")
    let code = publish.payload.withUnsafeBytes { bytes in
      mosquitto_publish_v5(
        mosquitto, &id, topic, Int32(bytes.count), bytes.baseAddress, Int32(publish.qos.rawValue),
        publish.retain, list.head)
    }
    return (code, id)
  }

  /// Queues one SUBSCRIBE; all `subscribes` must agree in everything but the filter.
  func subscribe(_ subscribes: [Subscribe]) throws(ConnectionError) -> Int32 {
    var id: Int32 = 0
    guard let first = subscribes.first else { throw .invalid("no filter to subscribe to") }
    var list = PropertyList()
    if version == .v5, let identifier = first.identifier {
      list.addVariable(MQTT_PROP_SUBSCRIPTION_IDENTIFIER, identifier)
    }
    try check(list.code.rawValue, "the properties of the subscription to \"\(first.filter)\"")
    let code = withCStrings(subscribes.map(\.filter.name)) { filters in
      mosquitto_subscribe_multiple(
        mosquitto, &id, Int32(subscribes.count), filters, first.requestedQoS, first.optionBits, list.head)
    }
    try check(code, "the subscription to \"\(first.filter)\"")
    return id
  }

  /// Queues one UNSUBSCRIBE.
  func unsubscribe(_ filters: [TopicFilter]) throws(ConnectionError) -> Int32 {
    var id: Int32 = 0
    let code = withCStrings(filters.map(\.name)) {
      mosquitto_unsubscribe_multiple(mosquitto, &id, Int32(filters.count), $0, nil)
    }
    try check(code, "the end of the subscription to \"\(filters.first?.name ?? "")\"")
    return id
  }

  private func set(_ will: Will) throws(ConnectionError) {
    var list = version == .v5 ? PropertyList(will.properties) : PropertyList()
    if version == .v5, will.delay > .zero {
      list.add(MQTT_PROP_WILL_DELAY_INTERVAL, UInt32(clamping: will.delay.wholeSeconds))
    }
    try check(list.code.rawValue, "the properties of the will")
    let code = will.payload.withUnsafeBytes { bytes in
      mosquitto_will_set_v5(
        mosquitto, will.topic.name, Int32(bytes.count), bytes.baseAddress, Int32(will.qos.rawValue),
        will.retain, list.head)
    }
    try check(code, "the will")
    list.release()
  }

  /// `mosquitto_connect_async` takes no properties, but sends those that an earlier call left. This call stores
  /// them and then fails, as it must, for want of a host.
  private func setConnectProperties(_ options: ConnectionOptions) throws(ConnectionError) {
    guard version == .v5 else { return }
    // The library sends this one by itself, and counts by it.
    mosquitto_int_option(mosquitto, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(options.receiveMaximum))
    var list = PropertyList()
    if options.sessionExpiry > .zero {
      list.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, UInt32(clamping: options.sessionExpiry.wholeSeconds))
    }
    if let size = options.maximumPacketSize {
      list.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(clamping: size))
    }
    try check(list.code.rawValue, "the properties of the connection")
    guard list.head != nil else { return }
    let code = mosquitto_connect_bind_v5(mosquitto, nil, 0, 60, nil, list.head)
    if code != MOSQ_ERR_INVAL.rawValue { try check(code, "the properties of the connection") }
  }

  /// Lets the kernel give up on a peer that acknowledges nothing for as long as the keep-alive.
  func detectDeadPeer(after keepAlive: Duration) {
    guard isTCP else { return }
    #if os(Linux)
      var milliseconds = UInt32(clamping: keepAlive.milliseconds)
      let size = socklen_t(MemoryLayout<UInt32>.size)
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    #elseif canImport(Darwin)
      var seconds = Int32(clamping: keepAlive.wholeSeconds)
      setsockopt(socket, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, &seconds, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  private func join(_ on: Int32) {
    #if os(Linux)
      var on = on
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  func check(_ code: Int32, _ what: @autoclosure () -> String) throws(ConnectionError) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    // The end of the link has been read, and is about to be told: nothing is wrong with what was asked.
    if code == MOSQ_ERR_NO_CONN.rawValue || code == MOSQ_ERR_CONN_LOST.rawValue { throw .notConnected }
    throw .invalid("libmosquitto does not take \(what()): \(Self.words(code))")
  }

  static func words(_ code: Int32) -> String {
    String(cString: mosquitto_strerror(code))
  }
}

extension Subscribe {
  var requestedQoS: Int32 { Int32(min(qos, .atLeastOnce).rawValue) }

  var optionBits: Int32 {
    var bits = Int32(retainHandling.rawValue) << 4
    if noLocal { bits |= Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue) }
    if retainAsPublished { bits |= Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) }
    return bits
  }
}
