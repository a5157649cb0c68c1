import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SharedTests {
  @Test func `it starts at the first, stops after the last, and starts again`() {
    let sensor = Sensor()
    let shared = sensor.signal.shared()
    #expect(sensor.history == [])
    let first = Recorder(shared)
    let second = Recorder(shared)
    #expect(sensor.history == ["start"])
    sensor.emit?.send(1)
    first.subscription.dispose()
    first.subscription.dispose()
    sensor.emit?.send(2)
    #expect(sensor.history == ["start"])
    second.subscription.dispose()
    #expect(sensor.history == ["start", "stop"])
    #expect(first.values == [1])
    #expect(second.values == [1, 2])
    let third = Recorder(shared)
    sensor.emit?.send(3)
    #expect(sensor.history == ["start", "stop", "start"])
    #expect(third.values == [3])
  }

  @Test(arguments: ["shared", "shared with a linger", "into a subject"])
  func `a source that sends while it starts stops when nobody listens any more`(how: String) {
    let sent = Lock(0)
    let endless = Signal<Int> { observer in
      var count = 0
      while !observer.isDisposed, count < 10_000 {
        count += 1
        observer.send(count)
      }
      sent.withLock { [count] in $0 = count }
      return nil
    }
    let enough = Subject<Void>()
    switch how {
    case "into a subject":
      let subject = Subject<Int>()
      subject.signal.subscribe { if $0 == 3 { subject.complete() } }
      endless.subscribe(subject)
    case "shared":
      endless.shared().take(until: enough.signal).subscribe { if $0 == 3 { enough.send(()) } }
    default:
      endless.shared(linger: .seconds(60)).take(until: enough.signal).subscribe {
        if $0 == 3 { enough.send(()) }
      }
    }
    #expect(sent.withLock { $0 } == 3)
  }

  @Test func `a source that sends while it starts goes on for one who came meanwhile`() {
    let later = Lock<Recorder<Int>?>(nil)
    let shared = Lock<Signal<Int>?>(nil)
    let source = Signal<Int> { observer in
      for count in 1...5 where !observer.isDisposed { observer.send(count) }
      return nil
    }.shared()
    shared.withLock { $0 = source }
    let enough = Subject<Void>()
    source.take(until: enough.signal).subscribe { count in
      guard count == 2 else { return }
      let recorder = shared.withLock { $0 }.map(Recorder.init)
      later.withLock { $0 = recorder }
      enough.send(())
    }
    #expect(later.withLock { $0 }?.values == [3, 4, 5])
    shared.withLock { $0 = nil }
  }

  @Test func `who comes when the source has learnt that nobody listens gets a fresh run`() {
    let later = Lock<Recorder<Int>?>(nil)
    let shared = Lock<Signal<Int>?>(nil)
    let (starts, stops) = (CallCounter(), CallCounter())
    let source = Signal<Int> { observer in
      let run = starts.next()
      observer.send(run)
      // It gives up for good, and at this moment another thread may subscribe.
      if observer.isDisposed, later.withLock({ $0 == nil }), let shared = shared.withLock({ $0 }) {
        let recorder = Recorder(shared)
        later.withLock { $0 = recorder }
        #expect(observer.isDisposed)
      }
      return ActionDisposable { stops.next() }
    }.shared()
    shared.withLock { $0 = source }
    source.take(1).subscribe()
    #expect(later.withLock { $0 }?.values == [2])
    #expect((starts.count, stops.count) == (2, 1))
    later.withLock { $0 }?.subscription.dispose()
    #expect((starts.count, stops.count) == (2, 2))
    shared.withLock { $0 = nil }
  }

  @Test func `a newcomer gets the latest value and progress at once, but nothing of an earlier run`() {
    let sensor = Sensor()
    let shared = sensor.signal.shared(replay: 1)
    let first = Recorder(shared)
    sensor.emit?.send(1)
    sensor.emit?.send(2)
    sensor.emit?.send(progress: 0.5)
    let second = Recorder(shared)
    #expect(second.log == ["next(2)", "progress(50%)"])
    first.subscription.dispose()
    second.subscription.dispose()
    #expect(Recorder(shared).log == [])
  }

  @Test func `the source goes on for the linger, and no longer`() {
    let sensor = Sensor()
    let time = VirtualScheduler()
    let shared = sensor.signal.shared(replay: 1, linger: .seconds(2), on: time)
    let first = Recorder(shared)
    sensor.emit?.send(1)
    first.subscription.dispose()
    time.advance(by: .milliseconds(1999))
    let second = Recorder(shared)
    #expect(second.values == [1])
    time.advance(by: .seconds(60))
    #expect(sensor.history == ["start"])
    second.subscription.dispose()
    time.advance(by: .seconds(2))
    #expect(sensor.history == ["start", "stop"])
    #expect(time.pendingCount == 0)
  }

  @Test func `what the start sends at once reaches who started it`() {
    let signal = Signal<Int> { observer in
      observer.send(1)
      observer.send(progress: 0.5)
      return nil
    }
    #expect(Recorder(signal.shared()).log == ["next(1)", "progress(50%)"])
  }

  @Test(arguments: [true, false])
  func `after an end, which all get, the next observer starts a fresh run`(failing: Bool) {
    let sensor = Sensor()
    let shared = sensor.signal.shared(replay: 1)
    let recorders = [Recorder(shared), Recorder(shared)]
    sensor.emit?.send(1)
    if failing { sensor.emit?.fail(Broken()) } else { sensor.emit?.complete() }
    for recorder in recorders {
      #expect(recorder.log == ["next(1)", failing ? "failed(Broken())" : "completed"])
    }
    let next = Recorder(shared)
    #expect(sensor.history == ["start", "stop", "start"])
    sensor.emit?.send(2)
    #expect(next.log == ["next(2)"])
  }

  @Test func `a source that completes while it starts can be subscribed to again`() {
    let starts = CallCounter()
    let shared = Signal<Int> { observer in
      observer.send(starts.next())
      observer.complete()
      return nil
    }.shared(replay: 1, linger: .seconds(1), on: VirtualScheduler())
    #expect(Recorder(shared).log == ["next(1)", "completed"])
    #expect(Recorder(shared).log == ["next(2)", "completed"])
  }

  @Test func `a handler that subscribes again at the terminal belongs to a fresh run`() {
    let sensor = Sensor()
    let shared = sensor.signal.shared(replay: 1)
    let again = Lock<Recorder<Int>?>(nil)
    shared.subscribe(failed: { _ in
      let recorder = Recorder(shared)
      again.withLock { $0 = recorder }
    })
    sensor.emit?.send(1)
    sensor.emit?.fail(Broken())
    #expect(sensor.history == ["start", "stop", "start"])
    sensor.emit?.send(2)
    #expect(again.withLock { $0 }?.log == ["next(2)"])
  }

  @Test func `who leaves while the start runs stops it once, and the next starts anew`() {
    let log = Lock<[String]>([])
    let leave = Subject<Void>()
    let shared = Signal<Int> { _ in
      log.withLock { $0.append("start") }
      leave.send(())
      log.withLock { $0.append("started") }
      return ActionDisposable { log.withLock { $0.append("stop") } }
    }.shared()
    let first = Recorder(shared.take(until: leave.signal))
    #expect(first.log == ["completed"])
    #expect(log.withLock { $0 } == ["start", "started", "stop"])
    shared.subscribe()
    #expect(log.withLock { $0 }.suffix(2) == ["start", "started"])
  }

  @Test func `a slow stop blocks no subscriber, and never overlaps the next start`() async {
    let log = Lock<[String]>([])
    let (entered, release) = (AsyncGate(), BlockingGate())
    let shared = Signal<Int> { observer in
      log.withLock { $0.append("start") }
      observer.send(1)
      return ActionDisposable {
        entered.open()
        release.wait()
        log.withLock { $0.append("stop") }
      }
    }.shared(replay: 1)
    let first = Recorder(shared)
    onThread { first.subscription.dispose() }
    await entered.wait()
    let second = Recorder(shared)
    #expect(log.withLock { $0 } == ["start"])
    release.open()
    let values = shared.values().makeAsyncIterator()
    _ = try? await values.next()
    #expect(log.withLock { $0 } == ["start", "stop", "start"])
    #expect(second.values == [1])
  }

  @Test func `a subscription without handlers counts`() {
    let sensor = Sensor()
    let shared = sensor.signal.shared()
    let warm = shared.subscribe()
    #expect(sensor.history == ["start"])
    warm.dispose()
    #expect(sensor.history == ["start", "stop"])
  }
}
