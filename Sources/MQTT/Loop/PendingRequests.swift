/// The subscribes and unsubscribes that wait for the broker's answer.
///
/// One request may need several packets; it ends once, with all of its answers or with the first failure. What
/// ends is returned as a report, so that no user code runs in here.
struct PendingRequests {
  typealias Instant = ContinuousClock.Instant

  private struct Request {
    var results: [SubscribeResult]
    var unanswered: Set<Int32> = []
    var deadline: Instant
    var completion: Command.Answer
  }

  private var requests: [Int: Request] = [:]
  private var packets: [Int32: (request: Int, places: [Int])] = [:]
  private var next = 0

  var isEmpty: Bool { requests.isEmpty }

  var deadline: Instant? { requests.values.map(\.deadline).min() }

  /// Notes a request of `count` filters and gives its number.
  mutating func begin(count: Int, deadline: Instant, _ completion: Command.Answer) -> Int {
    next += 1
    let placeholder = SubscribeResult.refused(.unspecified)
    requests[next] = Request(
      results: Array(repeating: placeholder, count: count), deadline: deadline, completion: completion)
    return next
  }

  /// Notes that packet `id` carries the filters at `places` of `request`.
  mutating func sent(id: Int32, places: [Int], of request: Int) {
    packets[id] = (request, places)
    requests[request]?.unanswered.insert(id)
  }

  /// Takes in the answer to packet `id`: a code for each of its filters, or none for an UNSUBACK.
  mutating func answered(id: Int32, codes: [Int32]) -> Report? {
    guard let packet = packets.removeValue(forKey: id), var request = requests[packet.request] else {
      return nil
    }
    for (place, code) in zip(packet.places, codes) {
      request.results[place] =
        QoS(rawValue: Int(code)).map { .granted($0) }
        ?? .refused(ReasonCode(rawValue: UInt8(clamping: code)))
    }
    request.unanswered.remove(id)
    requests[packet.request] = request.unanswered.isEmpty ? nil : request
    guard request.unanswered.isEmpty else { return nil }
    return .call { [completion = request.completion, results = request.results] in completion.succeed(results)
    }
  }

  /// Ends one request early.
  mutating func fail(_ request: Int, _ error: ConnectionError) -> Report? {
    guard let ended = requests.removeValue(forKey: request) else { return nil }
    for id in ended.unanswered { packets[id] = nil }
    return .call { ended.completion.fail(error) }
  }

  /// Ends those whose deadline has passed.
  mutating func expire(at now: Instant) -> [Report] {
    let late = requests.filter { $0.value.deadline <= now }.keys.sorted()
    let error = ConnectionError.timedOut("the broker did not answer a subscribe or unsubscribe; try again")
    return late.compactMap { fail($0, error) }
  }

  /// Ends all of them, because the link is gone.
  mutating func failAll(_ error: ConnectionError) -> [Report] {
    requests.keys.sorted().compactMap { fail($0, error) }
  }
}
