import Signals
import SignalsTesting
import Testing

@Suite struct SignalTests {
  @Test func `a signal is cold: each subscription starts it`() {
    let starts = CallCounter()
    let signal = Signal<Int> { observer in
      observer.send(starts.next())
      observer.complete()
      return nil
    }
    #expect(starts.count == 0)
    #expect(Recorder(signal).log == ["next(1)", "completed"])
    #expect(Recorder(signal).log == ["next(2)", "completed"])
  }

  @Test(arguments: [true, false])
  func `what the start returned is disposed once`(byTerminal: Bool) {
    let disposals = Lock(0)
    let emitter = Lock<Observer<Int>?>(nil)
    let signal = Signal<Int> { observer in
      emitter.withLock { $0 = observer }
      return ActionDisposable { disposals.withLock { $0 += 1 } }
    }
    let recorder = Recorder(signal)
    if byTerminal { emitter.withLock { $0 }?.complete() }
    recorder.subscription.dispose()
    recorder.subscription.dispose()
    #expect(disposals.withLock { $0 } == 1)
    emitter.withLock { $0 }?.send(1)
    #expect(recorder.values == [])
  }

  @Test func `a source that completes while it starts is disposed as soon as it has started`() {
    let disposals = Lock(0)
    let signal = Signal<Int> { observer in
      observer.complete()
      return ActionDisposable { disposals.withLock { $0 += 1 } }
    }
    #expect(Recorder(signal).log == ["completed"])
    #expect(disposals.withLock { $0 } == 1)
  }

  @Test func `an emitter that ignores the grammar is held to it`() {
    let signal = Signal<Int> { observer in
      observer.send(1)
      observer.complete()
      observer.send(2)
      observer.send(progress: 0.5)
      observer.fail(Broken())
      return nil
    }
    #expect(Recorder(signal).log == ["next(1)", "completed"])
  }

  @Test func `an endless synchronous source stops when nobody listens`() {
    let stop = Subject<Void>()
    let sent = CallCounter()
    let signal = Signal<Int> { observer in
      while !observer.isDisposed { observer.send(sent.next()) }
      return nil
    }
    let recorder = Recorder(
      signal.map { value in
        if value == 5 { stop.send(()) }
        return value
      }.take(until: stop.signal))
    #expect(recorder.log.last == "completed")
    #expect(sent.count == 5)
  }

  @Test func `map, filter and compactMap let progress through in its place`() {
    let subject = Subject<Int>()
    let recorder = Recorder(
      subject.signal.map { $0 * 10 }.filter { $0 != 20 }.compactMap { $0 == 30 ? nil : "\($0)" })
    for value in 1...4 {
      subject.send(value)
      subject.send(progress: ProgressUpdate(done: Double(value)))
    }
    subject.fail(Broken())
    #expect(
      recorder.log == [
        "next(10)", "progress(1)", "progress(2)", "progress(3)", "next(40)", "progress(4)",
        "failed(Broken())",
      ])
  }

  @Test func `two subscriptions of one pipeline share no state`() {
    let subject = Subject<Int>()
    let merged = subject.signal.merge(with: subject.signal.map { -$0 })
    let first = Recorder(merged)
    subject.send(1)
    let second = Recorder(merged)
    subject.send(2)
    #expect(first.values == [1, -1, 2, -2])
    #expect(second.values == [2, -2])
  }
}
