import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct CatchTests {
  @Test func `it goes on with the replacement, whose failure passes`() {
    let source = Cold.values(1).concat(with: Cold.failure())
    #expect(Recorder(source.catch { _ in Cold.values(2) }).log == ["next(1)", "next(2)", "completed"])
    #expect(Recorder(source.catch { _ in source }).log == ["next(1)", "next(1)", "failed(Broken())"])
    #expect(Recorder(Cold.values(3).catch { _ in Cold.values(4) }).log == ["next(3)", "completed"])
  }

  @Test func `the replacement is made of the error`() {
    let source: Signal<String> = Cold.failure()
    #expect(Recorder(source.catch { Cold.values("\($0)") }).values == ["Broken()"])
  }

  @Test func `catch after catch goes on`() {
    let source = Cold.failure().catch { _ in Cold.failure() }.catch { _ in Cold.values(3) }
    #expect(Recorder(source).log == ["next(3)", "completed"])
  }

  @Test func `disposal stops the source, and the replacement`() {
    let scheduler = VirtualScheduler()
    let timer = Signal.interval(.seconds(1), on: scheduler)
    let before = Recorder(timer.catch { _ in .empty })
    let after = Recorder(Cold.failure().catch { _ in timer })
    scheduler.advance(by: .seconds(1))
    #expect(before.values == [0] && after.values == [0])
    before.subscription.dispose()
    after.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a source that fails after nobody listens any more is not replaced`() {
    let made = CallCounter()
    let source = Cold.values(1).concat(with: Cold.failure())
    let unguarded = Signal<Int> { observer in
      observer.send(1)
      observer.fail(Broken())
      return nil
    }
    for signal in [source, unguarded] {
      let recorder = Recorder(
        signal.catch { _ in
          made.next()
          return Cold.values(2)
        }.take(1))
      #expect(recorder.log == ["next(1)", "completed"])
    }
    #expect(made.count == 0)
  }

  @Test func `the replacement's progress is of the next attempt`() {
    let source = Signal<Int> { observer in
      observer.send(progress: ProgressUpdate(fraction: 0.5, attempt: 2))
      observer.fail(Broken())
      return nil
    }
    let recorder = Recorder(source.catch { _ in Cold.progress(0.25) })
    #expect(recorder.progress.map(\.attempt) == [2, 3])
    #expect(recorder.progress.map(\.fraction) == [0.5, 0.25])
  }

  @Test func `replaceError sends the value and completes`() {
    let source = Subject<Int>()
    let recorder = Recorder(source.signal.replaceError(with: -1))
    source.send(1)
    source.send(progress: 0.5)
    source.fail(Broken())
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(-1)", "completed"])
    #expect(Recorder(Cold.failure().replaceError(with: 4).take(1)).log == ["next(4)", "completed"])
    #expect(Recorder(Cold.values(5).replaceError(with: 4)).log == ["next(5)", "completed"])
  }
}
