public import Signals

/// A signal that plays a diagram, and remembers when it was subscribed to. `cold` and `hot` make one.
public final class MarbleSource<Value: Sendable>: Sendable {
  /// The signal, which delivers on the thread that moves the time.
  public let signal: Signal<Value>
  private let log: SubscriptionLog

  fileprivate init(_ log: SubscriptionLog, _ play: @escaping @Sendable (Observer<Value>) -> any Disposable) {
    self.log = log
    signal = Signal { observer in
      let index = log.subscribe()
      let playing = play(observer)
      return ActionDisposable {
        playing.dispose()
        log.dispose(index)
      }
    }
  }

  /// A line for each subscription so far, in the order in which they began.
  public var subscriptions: [SubscriptionLine] { log.lines }
}

private final class SubscriptionLog: Sendable {
  private let time: VirtualScheduler
  private let times = Lock<[(subscribed: Duration, disposed: Duration?)]>([])

  init(_ time: VirtualScheduler) { self.time = time }

  func subscribe() -> Int {
    let now = time.now
    return times.withLock { times in
      times.append((now, nil))
      return times.count - 1
    }
  }

  func dispose(_ index: Int) {
    let now = time.now
    times.withLock { $0[index].disposed = now }
  }

  var lines: [SubscriptionLine] {
    times.withLock { $0 }.map {
      SubscriptionLine(subscribed: $0.subscribed, disposed: $0.disposed, tick: time.tick)
    }
  }
}

extension VirtualScheduler {
  /// A cold source of strings: each subscription plays the diagram from its own beginning.
  ///
  /// All is scheduled at the subscription; what stands in the first column comes in the same instant, though not
  /// inside the call that subscribes. `failure` is the error of `#`.
  public func cold(_ marble: Marble, failure: any Error = MarbleFailure()) -> MarbleSource<String> {
    cold(Score(marble, failure, tick) { $0 })
  }

  /// The same for values of any kind: `values` says what the values of the diagram stand for.
  public func cold<Value>(
    _ marble: Marble, values: [String: Value], failure: any Error = MarbleFailure()
  ) -> MarbleSource<Value> {
    cold(Score(marble, failure, tick, values))
  }

  /// A hot source of strings: it plays once, from the scheduler's time zero, whoever listens.
  ///
  /// Who comes late misses the values before, and gets the latest progress and the end, as with a `Subject`.
  /// `failure` is the error of `#`.
  public func hot(_ marble: Marble, failure: any Error = MarbleFailure()) -> MarbleSource<String> {
    hot(Score(marble, failure, tick) { $0 })
  }

  /// The same for values of any kind: `values` says what the values of the diagram stand for.
  public func hot<Value>(
    _ marble: Marble, values: [String: Value], failure: any Error = MarbleFailure()
  ) -> MarbleSource<Value> {
    hot(Score(marble, failure, tick, values))
  }

  private func cold<Value>(_ score: Score<Value>) -> MarbleSource<Value> {
    MarbleSource(SubscriptionLog(self)) { [self] observer in score.schedule(on: self, since: now, observer) }
  }

  private func hot<Value>(_ score: Score<Value>) -> MarbleSource<Value> {
    let subject = Subject<Value>()
    score.schedule(on: self, since: .zero, subject)
    return MarbleSource(SubscriptionLog(self)) { subject.signal.subscribe($0) }
  }
}

/// A diagram with values of their type and times instead of ticks.
private struct Score<Value: Sendable>: Sendable {
  private var chords: [(time: Duration, events: [Event<Value>])] = []

  init(_ marble: Marble, _ failure: any Error, _ tick: Duration, _ value: (String) -> Value) {
    for moment in marble.timeline.moments {
      let time = tick * moment.tick + moment.offset
      let event: Event<Value> =
        switch moment.mark {
        case .value(let text): .next(value(text))
        case .progress(let update): .progress(update)
        case .failed: .failed(failure)
        case .completed: .completed
        }
      if chords.last?.time == time {
        chords[chords.count - 1].events.append(event)
      } else {
        chords.append((time, [event]))
      }
    }
  }

  init(_ marble: Marble, _ failure: any Error, _ tick: Duration, _ values: [String: Value]) {
    self.init(marble, failure, tick) { text in
      guard let value = values[text] else {
        fatalError("The diagram \(marble.text) has a value \"\(text)\": name it in `values`")
      }
      return value
    }
  }

  /// What is past already is sent at once.
  @discardableResult
  func schedule(
    on time: VirtualScheduler, since start: Duration, _ observer: Observer<Value>
  ) -> any Disposable {
    let now = time.now
    let timers = CompoundDisposable()
    for (offset, events) in chords {
      let play: @Sendable () -> Void = {
        for event in events { observer.send(event: event) }
      }
      if start + offset < now { play() } else { timers.add(time.schedule(after: start + offset - now, play)) }
    }
    return timers
  }
}
