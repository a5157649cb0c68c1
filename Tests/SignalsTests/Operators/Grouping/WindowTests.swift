import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct WindowTests {
  /// Records each window from the handler that gets it, as a user would.
  private struct Windows {
    let outer: Recorder<Recorder<Int>>

    init(_ signal: Signal<Signal<Int>>) { outer = Recorder(signal.map { Recorder($0) }) }

    var logs: [[String]] { outer.values.map(\.log) }
    var outerLog: [String] {
      outer.events.map { if case .next = $0 { "window" } else { $0.description } }
    }
  }

  @Test func `a subscriber in the handler gets every value and the completion of its window`() {
    let source = Subject<Int>()
    let windows = Windows(source.signal.window(count: 2))
    for value in 1...3 { source.send(value) }
    #expect(windows.logs == [["next(1)", "next(2)", "completed"], ["next(3)"]])
    source.complete()
    #expect(windows.logs == [["next(1)", "next(2)", "completed"], ["next(3)", "completed"]])
    #expect(windows.outerLog == ["window", "window", "completed"])
  }

  @Test func `progress passes beside the windows`() {
    let source = Subject<Int>()
    let windows = Windows(source.signal.window(count: 2))
    source.send(1)
    source.send(progress: 0.5)
    source.send(2)
    #expect(windows.outerLog == ["window", "progress(50%)"])
    #expect(windows.logs == [["next(1)", "next(2)", "completed"]])
  }

  @Test func `a failure fails the open window, then the signal`() {
    let order = Lock<[String]>([])
    let source = Subject<Int>()
    source.signal.window(count: 2).subscribe { window in
      window.subscribe(failed: { _ in order.withLock { $0.append("window") } })
    } failed: { _ in
      order.withLock { $0.append("signal") }
    }
    source.send(1)
    source.fail(Broken())
    #expect(order.withLock { $0 } == ["window", "signal"])
  }

  @Test func `a window closes when its time is up, counted from its first value`() {
    let scheduler = VirtualScheduler()
    let source = Subject<Int>()
    let windows = Windows(source.signal.window(count: 2, every: .seconds(1), on: scheduler))
    scheduler.advance(by: .seconds(3))
    #expect(windows.logs == [])
    source.send(1)
    scheduler.advance(by: .seconds(1))
    #expect(windows.logs == [["next(1)", "completed"]])
    source.send(2)
    source.send(3)
    #expect(scheduler.pendingCount == 0)
    source.send(4)
    #expect(windows.logs.dropFirst() == [["next(2)", "next(3)", "completed"], ["next(4)"]])
    windows.outer.subscription.dispose()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a late subscriber of a window gets the rest, and of a closed one its end`() {
    let source = Subject<Int>()
    let windows = Recorder(source.signal.window(count: 3))
    source.send(1)
    let late = windows.values.map(Recorder.init)
    source.send(2)
    source.send(3)
    #expect(late.map(\.log) == [["next(2)", "next(3)", "completed"]])
    #expect(windows.values.map { Recorder($0).log } == [["completed"]])
  }

  @Test func `after the disposal the open window is silent, and its handlers are gone`() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    let inner = Lock<Subscription?>(nil)
    let received = Lock<[Int]>([])
    let source = Subject<Int>()
    let outer: Subscription
    do {
      let kept = Canary()
      canary = kept
      outer = source.signal.window(count: 9).subscribe { window in
        let subscription = window.subscribe { value in
          withExtendedLifetime(kept) { received.withLock { $0.append(value) } }
        }
        inner.withLock { $0 = subscription }
      }
    }
    source.send(1)
    outer.dispose()
    source.send(2)
    #expect(received.withLock { $0 } == [1])
    #expect(canary == nil)
    #expect(inner.withLock { $0?.isDisposed } == false)
  }

  @Test func `values of a window that nobody observes are not kept`() {
    final class Token: Sendable {}
    weak var token: Token?
    let source = Subject<Token>()
    let windows = Recorder(source.signal.window(count: 9))
    do {
      let sent = Token()
      token = sent
      source.send(sent)
    }
    #expect(token == nil)
    #expect(windows.values.count == 1)
  }

  @Test func `an endless source stops when the subscriber has enough windows`() {
    let windows = Windows(Cold.endless.window(count: 2).take(2))
    #expect(windows.outerLog == ["window", "window", "completed"])
    #expect(windows.logs.first == ["next(0)", "next(1)", "completed"])
  }

  @Test func `values that a handler of a window sends come later, and subscriptions share nothing`() {
    let source = Subject<Int>()
    let signal = source.signal.window(count: 2)
    let received = Lock<[Int]>([])
    signal.subscribe { window in
      window.subscribe { value in
        received.withLock { $0.append(value) }
        if value < 4 { source.send(value + 1) }
      }
    }
    let second = Windows(signal)
    source.send(1)
    #expect(received.withLock { $0 } == [1, 2, 3, 4])
    #expect(second.logs == [["next(1)", "next(2)", "completed"], ["next(3)", "next(4)", "completed"]])
  }
}
