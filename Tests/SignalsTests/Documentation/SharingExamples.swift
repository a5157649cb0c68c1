import Signals
import SignalsTesting
import Testing

/// A source that counts how often it was started.
private final class Source: Sendable {
  let subject = Subject<Int>()
  let starts = Lock(0)

  var signal: Signal<Int> {
    Signal { [self] observer in
      starts.withLock { $0 += 1 }
      return subject.signal.subscribe(observer)
    }
  }

  var startCount: Int { starts.withLock { $0 } }
  var readings: Signal<Int> { signal }
  var positions: Signal<Int> { signal }
  var levels: Signal<Int> { signal }
}

@Suite struct SharingExamples {
  @Test func `every example of the article is in this file`() throws {
    let article = try Article("Sharing")
    #expect(!article.swiftBlocks.isEmpty)
    #expect(try article.blocksMissing(in: "SharingExamples.swift") == [])
  }

  @Test func `two subscriptions share a run`() {
    let sensor = Source()
    let history = Subject<Int>(replay: 10)
    let temperatures = sensor.readings.shared(replay: 1)
    let display = temperatures.subscribe { print("now \($0)°") }
    let log = temperatures.subscribe { history.send($0) }
    sensor.subject.send(21)
    #expect(sensor.startCount == 1)
    #expect(Recorder(history.signal).values == [21])
    display.dispose()
    log.dispose()
    #expect(Recorder(temperatures).values == [])
    #expect(sensor.startCount == 2)
  }

  @Test func `a linger and a warm start`() {
    let receiver = Source()
    let scheduler = VirtualScheduler()
    let position = receiver.positions.shared(replay: 1, linger: .seconds(5), on: scheduler)
    position.warm(for: .seconds(3), on: scheduler)
    receiver.subject.send(1)
    scheduler.advance(by: .seconds(7))
    #expect(Recorder(position).values == [1])
    #expect(receiver.startCount == 1)
  }

  @Test func `computed once`() {
    let source = Source()
    let download = source.signal
    let catalogue = download.shared(replay: 1, onCompletion: .latch)
    catalogue.subscribe()
    source.subject.send(1)
    source.subject.complete()
    #expect(Recorder(catalogue).log == ["next(1)", "completed"])
    #expect(source.startCount == 1)
  }

  @Test func `a value that is a little old`() {
    let tank = Source()
    let scheduler = VirtualScheduler()
    let level = tank.levels.shared(replay: 1, stale: .keep(maxAge: .seconds(60)), on: scheduler)
    let first = level.subscribe()
    tank.subject.send(1)
    first.dispose()
    scheduler.advance(by: .seconds(60))
    let second = Recorder(level)
    #expect(second.values == [1])
    second.subscription.dispose()
    scheduler.advance(by: .seconds(1))
    #expect(Recorder(level).values == [])
  }
}
