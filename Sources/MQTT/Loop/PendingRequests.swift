/// The subscribes and unsubscribes that wait for the broker's answer.
///
/// One request may need several packets; it ends once, with all of its answers or with the first failure. What
/// ends is returned, so that no user code runs in here.
struct PendingRequests {
  typealias Instant = ContinuousClock.Instant

  private struct Request {
    var results: [SubscribeResult]
    var unanswered: Set<Int32> = []
    var deadline: Instant
    var completion: Command.Answer
  }

  private struct Packet {
    var request: Int
    /// The places of its filters in the request; none for an UNSUBSCRIBE.
    var places: [Int]
  }

  /// Half of the ids: more unanswered packets, and one could get an id that is still in use.
  private static let maximumPackets = 32_767

  private var requests: [Int: Request] = [:]
  private var packets: [Int32: Packet] = [:]
  /// The number of the last request.
  private var newest = 0
  /// No older request is left.
  private var oldest = 1

  var isEmpty: Bool { requests.isEmpty }

  /// When ``expire(at:)`` is due.
  var deadline: Instant? { requests[oldest]?.deadline }

  /// Notes a request of `count` filters and gives its number. `deadline` is not before that of an earlier request.
  mutating func begin(count: Int, deadline: Instant, _ completion: Command.Answer) -> Int {
    newest += 1
    let placeholder = SubscribeResult.refused(.unspecified)
    requests[newest] = Request(
      results: Array(repeating: placeholder, count: count), deadline: deadline, completion: completion)
    return newest
  }

  /// Notes filters of `request` that are refused without asking.
  mutating func refuse(_ refusals: [(place: Int, code: ReasonCode)], of request: Int) {
    for (place, code) in refusals { requests[request]?.results[place] = .refused(code) }
  }

  /// Throws when `count` more packets must not be sent, for want of ids.
  func checkRoom(for count: Int) throws(ConnectionError) {
    if packets.count + count > Self.maximumPackets {
      throw .invalid(
        "\(packets.count) subscribes and unsubscribes are unanswered, \(count) more are too many: wait for some"
      )
    }
  }

  /// Notes that packet `id` carries the filters at `places` of `request`.
  mutating func sent(id: Int32, places: [Int], of request: Int) {
    packets[id] = Packet(request: request, places: places)
    requests[request]?.unanswered.insert(id)
  }

  /// Ends a request all of whose packets were answered, or that needed none. Called when all of them were sent.
  mutating func end(_ request: Int) -> Command.Ending? {
    guard let ended = requests[request], ended.unanswered.isEmpty else { return nil }
    forget(request)
    return Command.Ending(answer: ended.completion, result: .success(ended.results))
  }

  /// Takes in the answer to packet `id`: a code for each of its filters, or none for an UNSUBACK.
  ///
  /// libmosquitto hands over what came, however many codes: a filter without one would be neither granted nor
  /// refused, so then the whole request fails.
  mutating func answered(id: Int32, codes: [Int32]) -> Command.Ending? {
    guard let packet = packets.removeValue(forKey: id) else { return nil }
    requests[packet.request]?.unanswered.remove(id)
    guard codes.count == packet.places.count else {
      let what = packet.places.isEmpty ? "an unsubscribe" : "a subscribe to \(packet.places.count) filters"
      return fail(packet.request, .badAnswer("it answered \(what) with \(codes.count) codes"))
    }
    for (place, code) in zip(packet.places, codes) {
      guard let result = SubscribeResult(code: code) else {
        return fail(packet.request, .badAnswer("it answered a subscribe with the unknown code \(code)"))
      }
      requests[packet.request]?.results[place] = result
    }
    return end(packet.request)
  }

  /// Ends one request early.
  mutating func fail(_ request: Int, _ error: ConnectionError) -> Command.Ending? {
    guard let ended = requests[request] else { return nil }
    for id in ended.unanswered { packets[id] = nil }
    forget(request)
    return Command.Ending(answer: ended.completion, result: .failure(error))
  }

  /// Ends those whose deadline has passed.
  mutating func expire(at now: Instant) -> [Command.Ending] {
    let error = ConnectionError.timedOut("the broker did not answer a subscribe or unsubscribe; try again")
    var endings: [Command.Ending] = []
    while let deadline, deadline <= now, let ending = fail(oldest, error) { endings.append(ending) }
    return endings
  }

  /// Ends all of them, because the link is gone.
  mutating func failAll(_ error: ConnectionError) -> [Command.Ending] {
    requests.keys.sorted().compactMap { fail($0, error) }
  }

  private mutating func forget(_ request: Int) {
    requests[request] = nil
    while oldest <= newest, requests[oldest] == nil { oldest += 1 }
  }
}

extension SubscribeResult {
  /// Nil for a code that says neither (MQTT 5, 3.9.3; MQTT 3.1.1, 3.9.3).
  fileprivate init?(code: Int32) {
    if let qos = QoS(rawValue: Int(code)) {
      self = .granted(qos)
    } else if let code = UInt8(exactly: code), code >= 0x80 {
      self = .refused(ReasonCode(rawValue: code))
    } else {
      return nil
    }
  }
}
