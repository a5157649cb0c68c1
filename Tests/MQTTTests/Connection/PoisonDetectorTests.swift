import Testing

@testable import MQTT

struct PoisonDetectorTests {
  private let closed = ConnectionError.closedByBroker
  private let start = ContinuousClock.now
  private let code = ReasonCode(rawValue: 0x95)

  /// A detector that suspects `flying` after three links.
  private func suspicious(_ flying: [Int] = [1, 2]) -> PoisonDetector {
    var detector = PoisonDetector()
    for _ in 0..<PoisonDetector.limit {
      detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
      _ = detector.linkEnded(closed, flying: flying, at: start)
    }
    #expect(detector.isTrying)
    return detector
  }

  /// A link on which `number` is alone in flight when it ends.
  private func tryAlone(
    _ detector: inout PoisonDetector, _ number: Int, _ cause: ConnectionError
  ) -> PoisonDetector.Verdict {
    detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
    detector.sent(number, at: start + .seconds(1))
    return detector.linkEnded(cause, flying: [number], at: start + .seconds(1))
  }

  @Test(
    "The third link in a row that ends with the same message unacknowledged raises a suspicion, no other row does"
  )
  func suspicion() {
    func isSuspicious(_ ends: [(ConnectionError, [Int])]) -> Bool {
      var detector = PoisonDetector()
      for (cause, flying) in ends { _ = detector.linkEnded(cause, flying: flying, at: start) }
      return detector.isTrying
    }
    let reset = ConnectionError.linkLost(systemError(104))
    #expect(isSuspicious([(closed, [1]), (closed, [1, 2]), (closed, [1])]))
    #expect(isSuspicious([(closed, [1]), (.disconnected(.notAuthorized), [1]), (closed, [1])]))
    #expect(!isSuspicious([(closed, [1]), (closed, [1])]))
    #expect(!isSuspicious([(closed, [1]), (closed, [2, 1]), (closed, [1])]))
    #expect(!isSuspicious([(closed, [1]), (closed, []), (closed, [1]), (closed, [1])]))
    #expect(isSuspicious([(.disconnected(code), [1, 2])]), "it says that it is about a message")
    #if os(Linux)
      #expect(isSuspicious([(reset, [1]), (reset, [1]), (reset, [1])]))
    #endif
    for other in [
      ConnectionError.linkLost("the broker did not answer within the keep-alive"),
      .disconnected(ReasonCode(rawValue: 0x8E)), .disconnected(ReasonCode(rawValue: 0x8B)),
      .inboxOverflow(topic: "t"),
    ] {
      #expect(!isSuspicious([(closed, [1]), (closed, [1]), (other, [1]), (closed, [1]), (closed, [1])]))
    }
  }

  @Test("An acknowledgement, and a broker that can't be reached, end the row")
  func endsOfTheRow() {
    for isAcknowledged in [true, false] {
      var detector = PoisonDetector()
      for _ in 0..<2 { _ = detector.linkEnded(closed, flying: [1], at: start) }
      #expect(detector.isWatching)
      if isAcknowledged { detector.acknowledged(2, left: 1, at: start) } else { detector.attemptFailed() }
      #expect(!detector.isWatching)
      for _ in 0..<2 { _ = detector.linkEnded(closed, flying: [1], at: start) }
      #expect(!detector.isTrying)
    }
  }

  @Test("The one that is alone in flight twice, or once with a reason that is about a message, is guilty")
  func conviction() {
    var detector = suspicious()
    #expect(tryAlone(&detector, 1, closed) == .suspected(1, links: 4))
    #expect(tryAlone(&detector, 1, closed) == .guilty(1, nil))
    #expect(!detector.isTrying && !detector.isWatching)
    detector = suspicious()
    #expect(tryAlone(&detector, 1, .disconnected(code)) == .guilty(1, code))
    detector = suspicious()
    #expect(tryAlone(&detector, 1, .disconnected(.notAuthorized)) == .suspected(1, links: 4))
    #expect(tryAlone(&detector, 1, .disconnected(.notAuthorized)) == .guilty(1, .notAuthorized))
  }

  @Test("A broker that ends a link on which nothing is sent does it for another reason")
  func quiet() {
    var detector = suspicious()
    detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
    #expect(!detector.maySend(at: start + .milliseconds(999)))
    #expect(detector.linkEnded(closed, flying: [], at: start) == .innocent)
    #expect(!detector.isTrying)

    detector = suspicious()
    detector.linked(resumed: [1, 2], keepAlive: .seconds(60), at: start)
    #expect(detector.holdsWrites(at: start + .milliseconds(999)))
    #expect(detector.linkEnded(closed, flying: [1, 2], at: start + .milliseconds(999)) == .innocent)
    #expect(!detector.isTrying)
  }

  @Test("The quiet time is longer than the link before it lived, but no ping waits for it")
  func quietTime() {
    var detector = suspicious()
    detector.linked(resumed: [1], keepAlive: .seconds(2), at: start)
    #expect(detector.deadline == start + .milliseconds(500))
    detector = PoisonDetector()
    for _ in 0..<PoisonDetector.limit {
      detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
      _ = detector.linkEnded(closed, flying: [1], at: start + .seconds(2))
    }
    detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
    #expect(detector.deadline == start + .seconds(4))
  }

  @Test("What the library sends again by itself is tried alone, too, one at each link")
  func resumed() {
    var detector = suspicious([1, 2, 3])
    detector.linked(resumed: [1, 2, 3], keepAlive: .seconds(60), at: start)
    #expect(!detector.holdsWrites(at: start + .seconds(1)) && !detector.maySend(at: start + .seconds(1)))
    detector.tick(at: start + .seconds(1))
    detector.acknowledged(1, left: 2, at: start + .seconds(1))
    #expect(detector.linkEnded(closed, flying: [2, 3], at: start + .seconds(1)) == .suspected(2, links: 1))
    for verdict in [PoisonDetector.Verdict.suspected(2, links: 2), .guilty(2, nil)] {
      detector.linked(resumed: [2, 3], keepAlive: .seconds(60), at: start)
      #expect(detector.linkEnded(closed, flying: [2, 3], at: start + .seconds(2)) == verdict)
    }
  }

  @Test(
    "A suspect that the broker has, or that a link outlives, is innocent; the trial ends with the last one")
  func acquittal() {
    var detector = suspicious([1, 2])
    detector.linked(resumed: [], keepAlive: .seconds(60), at: start)
    detector.tick(at: start + .seconds(1))
    detector.sent(1, at: start + .seconds(1))
    #expect(!detector.maySend(at: start + .seconds(2)))
    detector.acknowledged(1, left: 0, at: start + .seconds(2))
    #expect(detector.isTrying && detector.maySend(at: start + .seconds(2)))
    var outlived = detector
    outlived.sent(2, at: start + .seconds(2))
    outlived.tick(at: start + .seconds(12))
    #expect(!outlived.isTrying)
    var expired = detector
    expired.sent(3, at: start + .seconds(2))
    #expect(!expired.isTrying, "it came behind all suspects")
    var empty = detector
    empty.ranOut(at: start + .seconds(2))
    #expect(!empty.isTrying)
    detector.sent(2, at: start + .seconds(2))
    detector.acknowledged(2, left: 0, at: start + .seconds(2))
    #expect(!detector.isTrying)
  }
}
