import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct DelayTests {
  let source = Subject<Int>()
  let scheduler = VirtualScheduler()

  @Test(arguments: [true, false])
  func `everything comes later by the same time, the end too`(fails: Bool) {
    let recorder = Recorder(source.signal.delay(.seconds(10), on: scheduler))
    source.send(1)
    scheduler.advance(by: .seconds(4))
    source.send(progress: 0.5)
    source.send(2)
    scheduler.advance(by: .seconds(4))
    if fails { source.fail(Broken()) } else { source.complete() }
    #expect(recorder.log == [])
    scheduler.advance(by: .seconds(2))
    #expect(recorder.log == ["next(1)"])
    scheduler.advance(by: .seconds(4))
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)"])
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(4))
    #expect(recorder.log.last == (fails ? "failed(Broken())" : "completed"))
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `of progress that is due at once only the last goes out, and steady progress never starves`() {
    let recorder = Recorder(source.signal.delay(.seconds(10), on: scheduler))
    source.send(progress: 0.1)
    source.send(progress: 0.2)
    for step in 3...6 {
      scheduler.advance(by: .seconds(5))
      source.send(progress: ProgressUpdate(done: Double(step)))
    }
    #expect(recorder.log == ["progress(20%)", "progress(3)", "progress(4)"])
  }

  @Test func `what a handler sends is delayed again`() {
    let recorder = Recorder(
      source.signal.delay(.seconds(1), on: scheduler).map { value in
        if value < 3 { source.send(value + 1) }
        return value
      })
    source.send(1)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.values == [1, 2])
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `what comes while a handler is slow comes no later for it`() {
    let scheduler = LateScheduler()
    let log = History()
    source.signal.delay(.seconds(2), on: scheduler).subscribe { [source] value in
      log.add("\(value) at \(scheduler.now)")
      guard value == 1 else { return }
      // It is due at 4 s, while this handler runs: 2 s to 7 s.
      source.send(2)
      scheduler.lose(.seconds(5))
    }
    source.send(1)
    scheduler.base.advance(by: .seconds(2))
    #expect(log.log == ["1 at 2.0 seconds", "2 at 7.0 seconds"])
    #expect(scheduler.base.pendingCount == 0)
  }

  @Test func `a disposal drops what waits`() {
    let recorder = Recorder(source.signal.delay(.seconds(1), on: scheduler))
    source.send(1)
    recorder.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == [])
  }

  @Test func `of what is due at once nothing goes on after the one that ends the subscription`() {
    let seen = CallCounter()
    let recorder = Recorder(
      source.signal.delay(.seconds(1), on: scheduler).map { value in
        seen.next()
        return value
      }.take(1))
    for value in 1...3 { source.send(value) }
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["next(1)", "completed"])
    #expect(seen.count == 1)
  }

  @Test func `a source that has ended is let go of at once`() {
    let stops = Lock(0)
    let source = Signal<Int>.attaching { observer in
      observer.complete()
      return ActionDisposable { stops.withLock { $0 += 1 } }
    }
    let recorder = Recorder(source.delay(.seconds(1), on: scheduler))
    #expect(stops.withLock { $0 } == 1)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["completed"])
  }

  @Test func `a source that is gone loses nothing that it sent`() {
    let recorder: Recorder<Int>
    do {
      let passing = Subject<Int>()
      recorder = Recorder(passing.signal.delay(.seconds(1), on: scheduler))
      passing.send(1)
    }
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1])
  }

  enum Step: CaseIterable { case value, progress, passes, end }

  @Test func `every short sequence arrives as a list of due times says`() {
    func explore(_ steps: [Step]) {
      check(steps)
      guard steps.count < 6, steps.last != .end else { return }
      for step in Step.allCases { explore(steps + [step]) }
    }
    explore([])
  }

  private func check(_ steps: [Step]) {
    let (source, scheduler) = (Subject<Int>(), VirtualScheduler())
    let seen = Lock<[String]>([])
    @Sendable func note(_ text: String) { seen.withLock { $0.append("\(scheduler.now): \(text)") } }
    source.signal.delay(.seconds(2), on: scheduler).subscribe {
      note("\($0)")
    } progress: {
      note("progress \($0)")
    } completed: {
      note("end")
    }
    var now = 0
    var expected: [(due: Duration, text: String)] = []
    for (index, step) in steps.enumerated() {
      let due = Duration.seconds(now + 2)
      switch step {
      case .value:
        source.send(index)
        expected.append((due, "\(index)"))
      case .progress:
        source.send(progress: ProgressUpdate(done: Double(index)))
        if let last = expected.last, last.due == due, last.text.hasPrefix("progress") {
          expected.removeLast()
        }
        expected.append((due, "progress \(index)"))
      case .passes:
        now += 1
        scheduler.advance(by: .seconds(1))
      case .end:
        source.complete()
        expected.append((due, "end"))
      }
    }
    scheduler.advance(by: .seconds(2))
    #expect(seen.withLock { $0 } == expected.map { "\($0.due): \($0.text)" }, "\(steps)")
    #expect(scheduler.pendingCount == 0)
  }
}
