import Signals
import SignalsTesting
import Testing

struct Broken: Error, Equatable {}

@Suite struct SubjectTests {
  @Test func `an observer gets what is sent after it came`() {
    let subject = Subject<Int>()
    subject.send(1)
    let recorder = Recorder(subject.signal)
    subject.send(2)
    subject.send(progress: 0.5)
    subject.send(3)
    subject.complete()
    #expect(recorder.log == ["next(2)", "progress(50%)", "next(3)", "completed"])
  }

  @Test func `nothing comes after the first terminal`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal)
    subject.fail(Broken())
    subject.send(1)
    subject.send(progress: 0.5)
    subject.complete()
    #expect(recorder.log == ["failed(Broken())"])
  }

  @Test func `progress never ends a stream`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal)
    for step in 1...4 { subject.send(progress: ProgressUpdate(done: Double(step), total: 4)) }
    subject.send(7)
    #expect(recorder.progress.map(\.fraction) == [0.25, 0.5, 0.75, 1])
    #expect(recorder.values == [7])
    #expect(!recorder.hasEnded)
  }

  @Test func `an observer without a progress handler is not disturbed by progress`() {
    let subject = Subject<Int>()
    let received = Subject<Int>(replay: 10)
    subject.signal.subscribe { received.send($0) }
    subject.send(progress: 0.5)
    subject.send(1)
    #expect(Recorder(received.signal).values == [1])
  }

  @Test(arguments: 0...3)
  func `a newcomer gets the last values, then the latest progress`(replay: Int) {
    let subject = Subject<Int>(replay: replay)
    for value in 1...5 {
      subject.send(value)
      subject.send(progress: ProgressUpdate(done: Double(value)))
    }
    let recorder = Recorder(subject.signal)
    #expect(recorder.values == Array([3, 4, 5].suffix(replay)))
    #expect(recorder.log.last == "progress(5)")
    subject.send(6)
    #expect(recorder.values.last == 6)
  }

  @Test func `who comes after the end gets the last values, progress and the terminal`() {
    let subject = Subject<Int>(replay: 1)
    subject.send(1)
    subject.send(2)
    subject.send(progress: 0.9)
    subject.complete()
    #expect(Recorder(subject.signal).log == ["next(2)", "progress(90%)", "completed"])
  }

  @Test func `a send inside a handler keeps one order for all observers`() {
    let subject = Subject<Int>()
    subject.signal.subscribe { if $0 == 1 { subject.send(2) } }
    let second = Recorder(subject.signal)
    subject.send(1)
    #expect(second.values == [1, 2])
  }

  @Test func `who subscribes inside a handler gets the replay and what comes later, once`() {
    let subject = Subject<Int>(replay: 1)
    let inner = Lock<Recorder<Int>?>(nil)
    subject.signal.subscribe { value in
      guard value == 1 else { return }
      let recorder = Recorder(subject.signal)
      inner.withLock { $0 = recorder }
    }
    subject.send(1)
    subject.send(2)
    #expect(inner.withLock { $0 }?.values == [1, 2])
  }

  @Test func `who is disposed by another handler does not get even the current event`() {
    let subject = Subject<Int>()
    let second = Lock<Subscription?>(nil)
    let received = Subject<Int>(replay: 10)
    subject.signal.subscribe { if $0 == 2 { second.withLock { $0 }?.dispose() } }
    second.withLock { $0 = subject.signal.subscribe { received.send($0) } }
    for value in 1...3 { subject.send(value) }
    #expect(Recorder(received.signal).values == [1])
  }

  @Test func `an observer that ends itself gets nothing more of a replay`() {
    let subject = Subject<Int>(replay: 3)
    for value in 1...3 { subject.send(value) }
    let stop = Subject<Void>()
    let received = Subject<Int>(replay: 10)
    subject.signal.take(until: stop.signal).subscribe { value in
      received.send(value)
      if value == 2 { stop.send(()) }
    }
    #expect(Recorder(received.signal).values == [1, 2])
  }

  @Test func `the subscription is released before the terminal handler runs`() {
    let subject = Subject<Int>()
    let wasDisposed = Subject<Bool>(replay: 1)
    let holder = Lock<Subscription?>(nil)
    let subscription = subject.signal.subscribe(completed: {
      wasDisposed.send(holder.withLock { $0 }?.isDisposed ?? false)
    })
    holder.withLock { $0 = subscription }
    subject.complete()
    #expect(Recorder(wasDisposed.signal).values == [true])
  }

  @Test(arguments: ["dispose", "complete", "drop the subject"])
  func `what the handlers captured is freed`(how: String) {
    final class Canary: Sendable {}
    weak var canary: Canary?
    var subject: Subject<Int>? = Subject<Int>()
    let subscription: Subscription?
    do {
      let captured = Canary()
      canary = captured
      subscription = subject?.signal.map { $0 + 1 }.subscribe { _ in _ = captured }
    }
    #expect(canary != nil)
    switch how {
    case "dispose": subscription?.dispose()
    case "complete": subject?.complete()
    default: subject = nil
    }
    #expect(canary == nil)
    withExtendedLifetime((subject, subscription)) {}
  }

  @Test func `what a subject kept for newcomers goes with it, though a subscription is held`() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    var subject: Subject<Canary>? = Subject(replay: 1)
    let subscription = subject?.signal.subscribe()
    do {
      let value = Canary()
      canary = value
      subject?.send(value)
    }
    #expect(canary != nil)
    subject = nil
    #expect(canary == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a thousand comers and goers leave the others in their order`() {
    let subject = Subject<Int>()
    let order = Subject<Int>(replay: 10_000)
    let subscriptions = (0..<1000).map { index in subject.signal.subscribe { _ in order.send(index) } }
    for (index, subscription) in subscriptions.enumerated() where index % 3 != 0 { subscription.dispose() }
    subject.send(1)
    #expect(Recorder(order.signal).values == Array(stride(from: 0, to: 1000, by: 3)))
  }

  @Test func `a value that leaves the replay is not released under the lock`() {
    final class Sender: Sendable {
      let subject: Subject<Sender>
      init(_ subject: Subject<Sender>) { self.subject = subject }
      // Would deadlock if the subject's lock were held.
      deinit { subject.send(progress: 0.5) }
    }
    let subject = Subject<Sender>(replay: 1)
    let recorder = Lock(0)
    subject.signal.subscribe(progress: { _ in recorder.withLock { $0 += 1 } })
    for _ in 0..<3 { subject.send(Sender(subject)) }
    #expect(recorder.withLock { $0 } == 2)
  }

  @Test func `one signal can be sent into another subject, progress and end included`() {
    let (from, to) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(to.signal)
    from.signal.subscribe(to)
    from.send(1)
    from.send(progress: 0.1)
    from.fail(Broken())
    #expect(recorder.log == ["next(1)", "progress(10%)", "failed(Broken())"])
  }
}
