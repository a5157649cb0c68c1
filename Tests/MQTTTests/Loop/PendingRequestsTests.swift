import Testing

@testable import MQTT

struct PendingRequestsTests {
  private typealias Outcome = Result<[SubscribeResult], ConnectionError>
  private let start = ContinuousClock.now

  private func answer(_ outcomes: Collector<Outcome>) -> Command.Answer { .subscribe { outcomes.add($0) } }

  @Test("A request of several packets ends once, with every answer in its place")
  func severalPackets() throws {
    let outcomes = Collector<Outcome>()
    var requests = PendingRequests()
    let request = requests.begin(count: 4, deadline: start, answer(outcomes))
    requests.refuse([(place: 1, code: .packetTooLarge)], of: request)
    requests.sent(id: 7, places: [0, 3], of: request)
    requests.sent(id: 8, places: [2], of: request)
    #expect(requests.end(request) == nil)
    #expect(requests.answered(id: 9, codes: [0]) == nil, "an answer to nothing")
    #expect(requests.answered(id: 8, codes: [0x87]) == nil)
    requests.answered(id: 7, codes: [1, 0])?()
    #expect(requests.answered(id: 7, codes: [1, 0]) == nil)
    #expect(
      outcomes.values == [
        .success([
          .granted(.atLeastOnce), .refused(.packetTooLarge), .refused(.notAuthorized), .granted(.atMostOnce),
        ])
      ])
    #expect(requests.isEmpty && requests.deadline == nil)
  }

  @Test("A request that is refused without asking ends at once")
  func nothingSent() {
    let outcomes = Collector<Outcome>()
    var requests = PendingRequests()
    let request = requests.begin(count: 1, deadline: start, answer(outcomes))
    requests.refuse([(place: 0, code: .wildcardSubscriptionsNotSupported)], of: request)
    requests.end(request)?()
    #expect(outcomes.values == [.success([.refused(.wildcardSubscriptionsNotSupported)])])
    #expect(requests.isEmpty)
  }

  @Test(
    "A SUBACK with the wrong number of codes, or with a code that is none, grants nothing",
    arguments: [[], [1], [1, 1, 1], [1, 3], [0x7F, 1]] as [[Int32]])
  func badSuback(_ codes: [Int32]) {
    let outcomes = Collector<Outcome>()
    var requests = PendingRequests()
    let request = requests.begin(count: 2, deadline: start, answer(outcomes))
    requests.sent(id: 1, places: [0, 1], of: request)
    requests.answered(id: 1, codes: codes)?()
    #expect(outcomes.count == 1)
    guard case .failure(.badAnswer(let text)) = outcomes.values[0] else {
      return #expect(Bool(false), "\(outcomes.values)")
    }
    #expect(text.contains("subscribe"))
    #expect(requests.isEmpty)
  }

  @Test("A SUBACK is no answer to an unsubscribe")
  func badUnsuback() {
    let failures = Collector<ConnectionError>()
    var requests = PendingRequests()
    let request = requests.begin(
      count: 0, deadline: start, .unsubscribe { if case .failure(let error) = $0 { failures.add(error) } })
    requests.sent(id: 1, places: [], of: request)
    requests.answered(id: 1, codes: [0])?()
    #expect(failures.count == 1)
  }

  @Test("Requests expire by their deadline, the oldest first, and late answers do nothing")
  func expires() {
    let outcomes = Collector<Outcome>()
    var requests = PendingRequests()
    for second in 1...4 {
      let request = requests.begin(count: 1, deadline: start + .seconds(second), answer(outcomes))
      requests.sent(id: Int32(second), places: [0], of: request)
    }
    requests.answered(id: 1, codes: [0])?()
    requests.answered(id: 3, codes: [0])?()
    #expect(requests.deadline == start + .seconds(2))
    #expect(requests.expire(at: start + .seconds(1)).isEmpty)
    for end in requests.expire(at: start + .seconds(3)) { end() }
    #expect(outcomes.count == 3)
    #expect(requests.answered(id: 2, codes: [0]) == nil)
    #expect(requests.deadline == start + .seconds(4))
    for end in requests.failAll(.closed) { end() }
    #expect(outcomes.values.last == .failure(.closed))
    #expect(requests.isEmpty && requests.deadline == nil)
  }

  @Test("More packets than there are ids for are refused before one is sent")
  func noRoom() throws {
    var requests = PendingRequests()
    let request = requests.begin(count: 0, deadline: start, answer(Collector()))
    for id in Int32(1)...32_000 { requests.sent(id: id, places: [], of: request) }
    try requests.checkRoom(for: 767)
    #expect(throws: ConnectionError.self) { try requests.checkRoom(for: 768) }
  }
}
