import Signals
import Testing

@testable import SignalBox

@Suite struct ProgressThrottleTests {
  /// Plays reports into a throttle on a virtual clock; what it sends, with the time.
  private struct Player {
    var throttle = ProgressThrottle()
    var now = Duration.zero
    var armedFor: Duration?
    var sent: [(time: Duration, update: ProgressUpdate)] = []

    mutating func report(_ update: ProgressUpdate) {
      take(throttle.report(update) { [now] in now })
    }

    mutating func advance(by duration: Duration) {
      let end = now + duration
      while let due = armedFor, due <= end {
        now = due
        armedFor = nil
        take(throttle.fired(now: now))
      }
      now = end
    }

    private mutating func take(_ action: ProgressThrottle.Action) {
      switch action {
      case .nothing: break
      case .send(let update): sent.append((now, update))
      case .arm(let delay): armedFor = now + delay
      }
    }
  }

  @Test func `ten million reports in a tight loop send at most three and four a second`() {
    var player = Player()
    let count = 10_000_000
    for step in 1...count {
      player.report(ProgressUpdate(done: Double(step), total: Double(count)))
      if step.isMultiple(of: 1_000_000) { player.advance(by: .milliseconds(130)) }
    }
    player.advance(by: .seconds(1))
    let elapsed = 2.3
    #expect(Double(player.sent.count) <= 3 + 4 * elapsed)
    #expect(player.sent.count > 3)
    #expect(player.sent.first?.update.done == 1)
    #expect(player.sent.last?.update.fraction == 1)
  }

  @Test func `the first goes out at once, the latest when its time has come`() {
    var player = Player()
    player.report(0.1)
    player.report(0.2)
    player.report(0.3)
    #expect(player.sent.map(\.update) == [0.1])
    player.advance(by: .milliseconds(249))
    #expect(player.sent.count == 1)
    player.advance(by: .milliseconds(1))
    #expect(player.sent.map(\.update) == [0.1, 0.3])
    player.advance(by: .seconds(60))
    player.report(0.4)
    #expect(player.sent.last?.time == .milliseconds(60_250))
  }

  @Test func `what nobody would see is not sent, what anybody would is`() {
    var player = Player()
    func fits(_ update: ProgressUpdate, _ isSent: Bool) {
      player.advance(by: .seconds(1))
      let before = player.sent.count
      player.report(update)
      #expect((player.sent.count > before) == isSent, "\(update)")
    }
    fits(ProgressUpdate(done: 100, total: 100_000), true)
    fits(ProgressUpdate(done: 101, total: 100_000), false)
    fits(ProgressUpdate(done: 200, total: 100_000), true)
    fits(ProgressUpdate(done: 200, total: 100_000, message: "b"), true)
    fits(ProgressUpdate(done: 200), true)
    fits(ProgressUpdate(done: 201), true)
    fits(ProgressUpdate(done: 201), false)
  }
}
