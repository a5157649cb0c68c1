import Signals
import Testing

@testable import MQTT

struct FlapDetectorTests {
  private let closed = ConnectionError.closedByBroker
  private let takenOver = ConnectionError.disconnected(ReasonCode(rawValue: 0x8E))

  /// Whether it flaps after links with these lives in seconds, which the broker closed without a reason.
  private func flaps(_ lives: [Int]) -> Bool {
    var detector = FlapDetector(patience: .seconds(10))
    for life in lives { _ = detector.linkEnded(after: .seconds(life), closed, bound: .seconds(1)) }
    return detector.isFlapping
  }

  @Test("The third link in a row that the broker closes soon makes a fight, and no other row does")
  func threeInARow() {
    #expect(flaps([0, 1, 9]))
    #expect(flaps([100, 9, 9, 9]))
    #expect(flaps([1, 1, 1, 9]))
    #expect(!flaps([]) && !flaps([1, 1]))
    #expect(!flaps([1, 1, 10, 1, 1]))
    #expect(!flaps([10, 11, 12]))
    #expect(!flaps([1, 1, 1, 10]), "a healthy link ends it")
  }

  @Test("A link that breaks otherwise, and a broker that can't be reached, are no fight")
  func otherEnds() {
    for cause in [ConnectionError.linkLost("reset"), .disconnected(ReasonCode(rawValue: 0x8B))] {
      var detector = FlapDetector(patience: .seconds(10))
      for cause in [closed, closed, cause, closed, closed] {
        _ = detector.linkEnded(after: .seconds(1), cause, bound: .seconds(1))
      }
      #expect(!detector.isFlapping)
    }
    var detector = FlapDetector(patience: .seconds(10))
    for _ in 0..<10 {
      _ = detector.linkEnded(after: .seconds(1), closed, bound: .seconds(1))
      detector.connectFailed()
    }
    #expect(!detector.isFlapping)
  }

  @Test("A broker that says that the id was taken over is believed at once")
  func told() {
    var detector = FlapDetector(patience: .seconds(10))
    let wasHealthy = detector.linkEnded(after: .seconds(1_000), takenOver, bound: .seconds(1))
    #expect(wasHealthy)
    #expect(detector.isFlapping)
  }

  @Test("In a fight a link is healthy when it outlived what the other client may wait")
  func fightGoesOn() {
    var detector = FlapDetector(patience: .seconds(10))
    for (life, bound, isHealthy) in [
      (1, 8, false), (1, 8, false), (1, 8, false), (119, 60, false), (20, 1, true), (20, 60, true),
    ] {
      let wasFlapping = detector.isFlapping
      let wasHealthy = detector.linkEnded(after: .seconds(life), closed, bound: .seconds(bound))
      #expect(wasHealthy == isHealthy, "\(life) s after a bound of \(bound) s")
      if isHealthy { #expect(!detector.isFlapping) } else { #expect(detector.isFlapping || !wasFlapping) }
    }
  }

  @Test(
    "Two clients that fight for an id both see it, whatever chance says, and end up quiet",
    arguments: [false, true])
  func fight(saysWhy: Bool) {
    for _ in 0..<200 {
      // A delay from 0 to the bound, by chance: the machine's own generator.
      var fighters = [0, 1].map { _ in MachineDriver(["a"]) { $0.backoff = Backoff(initial: .seconds(1)) } }
      fighters[0].handle(.connect)
      fighters[0].accept()
      fighters[1].handle(.connect)
      var causes: [[ConnectionError]] = [[], []]
      var lives: [Duration] = []
      var wait = Duration.zero
      for turn in 0..<40 {
        let (holder, other) = (turn % 2, 1 - turn % 2)
        // The other one has waited, connects, and so throws the holder out.
        fighters[other].accept()
        lives.append(wait)
        guard let (delay, cause) = fighters[holder].lose(after: wait, saysWhy ? takenOver : closed) else {
          Issue.record("\(fighters[holder].actions)")
          return
        }
        causes[holder].append(cause)
        wait = delay
      }
      for cause in causes.map({ $0.dropFirst(saysWhy ? 0 : FlapDetector.limit - 1) }) {
        #expect(cause.allSatisfy { $0 == .clientIDInUse("me") })
      }
      // By then the bounds of both are 60 s: the odds that 20 waits come to less than one bound are 1 to 20!.
      let last = lives.suffix(20).reduce(.zero, +)
      #expect(last > .seconds(60), "\(lives)")
    }
  }

  @Test("The cause names the id and the mend, and what else it may be")
  func words() {
    #expect(
      "\(ConnectionError.clientIDInUse("me"))"
        == "another client uses the id \"me\": give each client its own "
        + "(or the broker closes the connection after every connect)")
  }

  @Test("A client without an id of its own is not told that it is in use")
  func assignedID() {
    var driver = MachineDriver { $0.clientID = "" }
    driver.handle(.connect)
    for _ in 0..<5 {
      driver.accept()
      #expect(driver.lose(after: .seconds(1), closed)?.1 == closed)
    }
  }
}
