import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct VirtualSchedulerTests {
  private let time = VirtualScheduler()
  private let history = History()

  private func note(_ name: String) -> @Sendable () -> Void {
    { [history, time] in history.add("\(name) at \(time.now)") }
  }

  @Test func `work runs at its due time, and of one instant in the order of scheduling`() {
    time.schedule(after: .seconds(2), note("c"))
    time.schedule(after: .seconds(1), note("a"))
    time.schedule(after: .seconds(2), note("d"))
    time.schedule(after: .seconds(1), note("b"))
    time.advance(by: .milliseconds(999))
    #expect(history.log == [])
    time.advance(by: .milliseconds(1501))
    #expect(history.log == ["a at 1.0 seconds", "b at 1.0 seconds", "c at 2.0 seconds", "d at 2.0 seconds"])
    #expect(time.now == .milliseconds(2500))
  }

  @Test func `work that is scheduled meanwhile runs when it is due, and not inside the call`() {
    time.schedule(after: .seconds(1)) { [history, time] in
      time.schedule(after: .seconds(-1)) { history.add("at once") }
      time.schedule(after: .seconds(1)) { history.add("in time") }
      time.schedule(after: .seconds(3)) { history.add("too late") }
      history.add("first")
    }
    time.schedule(after: .seconds(1)) { [history] in history.add("second") }
    time.advance(by: .seconds(3))
    #expect(history.log == ["first", "second", "at once", "in time"])
    #expect(time.pendingCount == 1)
  }

  @Test func `disposal removes the work and what it captures, at once and also meanwhile`() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    let timer: any Disposable
    do {
      let captured = Canary()
      canary = captured
      timer = time.schedule(after: .seconds(1)) { withExtendedLifetime(captured) {} }
    }
    #expect(canary != nil && time.pendingCount == 1)
    timer.dispose()
    #expect(canary == nil && time.pendingCount == 0)

    let later = time.schedule(after: .seconds(1), note("later"))
    time.schedule { later.dispose() }
    time.advance(by: .seconds(2))
    timer.dispose()
    #expect(history.log == [])
  }

  @Test func `what work captures is released after it has run, though its disposable is held`() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    let timer: any Disposable
    do {
      let captured = Canary()
      canary = captured
      timer = time.schedule(after: .seconds(1)) { withExtendedLifetime(captured) {} }
    }
    time.run()
    #expect(canary == nil)
    timer.dispose()
  }

  @Test func `an advance from inside work adds its time, and work still runs one at a time`() {
    time.schedule(after: .seconds(1)) { [history, time] in
      time.advance(by: .seconds(5))
      history.add("advanced at \(time.now)")
    }
    time.schedule(after: .seconds(3), note("other"))
    time.advance(by: .seconds(2))
    #expect(history.log == ["advanced at 1.0 seconds", "other at 3.0 seconds"])
    #expect(time.now == .seconds(7))
  }

  @Test func `run goes to the last work and no further`() {
    time.run()
    #expect(time.now == .zero)
    time.schedule(after: .seconds(1)) { [time, history] in
      time.schedule(after: .seconds(3600)) { history.add("last") }
    }
    time.run()
    #expect(history.log == ["last"])
    #expect(time.now == .seconds(3601))
    // The limit is a number of pieces of work, and belongs to each run.
    for _ in 0..<10 { time.schedule(after: .seconds(1)) {} }
    time.run(limit: 10)
    #expect(time.now == .seconds(3602))
    time.advance(by: .seconds(1))
    #expect(time.now == .seconds(3603))
  }

  @Test func `run traps on what never ends, and when it is called from work`() async {
    let endless = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let time = VirtualScheduler()
      Signal.interval(.seconds(1), on: time).subscribe()
      time.run(limit: 100)
    }
    #expect(complaint(of: endless).contains("100 pieces of work, up to 101.0 seconds"))
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let time = VirtualScheduler()
      time.schedule { time.run() }
      time.run()
    }
    #expect(complaint(of: nested).contains("while the time moves already"))
  }

  @Test func `a tick of nothing and a negative advance trap`() async {
    let tick = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualScheduler(tick: .zero)
    }
    #expect(complaint(of: tick).contains("a tick above zero"))
    let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualScheduler().advance(by: .seconds(-1))
    }
    #expect(complaint(of: advance).contains("from zero on, not -1.0 seconds"))
  }

  @Test func `threads that schedule, dispose and advance lose nothing, and work runs one at a time`() async {
    let tally = Lock(Tally())
    let (threads, rounds) = (4, 500)
    await onThreads(threads) { thread in
      for round in 0..<rounds {
        let timer = time.schedule(after: .milliseconds(round % 7)) {
          tally.withLock { $0.begin() }
          tally.withLock { $0.isRunning = false }
        }
        if round % 3 == 0 {
          let before = time.now
          time.advance(by: .milliseconds(1))
          #expect(time.now >= before)
        }
        if round % 5 == thread {
          timer.dispose()
          tally.withLock { $0.disposals += 1 }
        }
      }
    }
    let advances = (0..<rounds).count { $0 % 3 == 0 } * threads
    #expect(time.now == .milliseconds(advances))
    time.run()
    #expect(time.pendingCount == 0)
    let result = tally.withLock { $0 }
    #expect(result.overlaps == 0)
    #expect((threads * rounds - result.disposals...threads * rounds).contains(result.runs))
  }

  private struct Tally {
    var (runs, disposals, overlaps) = (0, 0, 0)
    var isRunning = false

    mutating func begin() {
      if isRunning { overlaps += 1 }
      isRunning = true
      runs += 1
    }
  }
}
