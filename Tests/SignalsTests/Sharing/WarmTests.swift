import Signals
import SignalsTesting
import Testing

@Suite struct WarmTests {
  private let time = VirtualScheduler()
  private let source = Source()

  private final class Source: Sendable {
    let log = Lock<[String]>([])
    let observer = Lock<Observer<Int>?>(nil)

    var signal: Signal<Int> {
      Signal { [self] observer in
        log.withLock { $0.append("start") }
        self.observer.withLock { $0 = observer }
        return ActionDisposable { [self] in log.withLock { $0.append("stop") } }
      }
    }

    var emit: Observer<Int>? { observer.withLock { $0 } }
    var history: [String] { log.withLock { $0 } }
  }

  @Test func `it keeps the source up for its time, also when nobody holds it`() {
    source.signal.shared().warm(for: .seconds(3), on: time)
    time.advance(by: .milliseconds(2999))
    #expect(source.history == ["start"])
    time.advance(by: .milliseconds(1))
    #expect(source.history == ["start", "stop"])
    #expect(time.pendingCount == 0)
  }

  @Test func `who subscribes meanwhile joins the same run`() {
    let shared = source.signal.shared(replay: 1)
    shared.warm(for: .seconds(3), on: time)
    source.emit?.send(1)
    let recorder = Recorder(shared)
    time.advance(by: .seconds(60))
    #expect(recorder.values == [1])
    #expect(source.history == ["start"])
    recorder.subscription.dispose()
    #expect(source.history == ["start", "stop"])
  }

  @Test(arguments: ["disposed", "failed", "completed"])
  func `its timer is gone when it has ended before`(how: String) {
    let subscription = source.signal.warm(for: .seconds(3), on: time)
    switch how {
    case "disposed": subscription.dispose()
    case "failed": source.emit?.fail(Broken())
    default: source.emit?.complete()
    }
    #expect(subscription.isDisposed)
    #expect(source.history == ["start", "stop"])
    #expect(time.pendingCount == 0)
  }

  @Test func `a signal that ends at once leaves no timer`() {
    #expect(Signal<Int>.empty.warm(for: .seconds(3), on: time).isDisposed)
    #expect(time.pendingCount == 0)
  }
}
