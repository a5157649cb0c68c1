import Signals
import SignalsTesting
import Testing

@Suite struct WarmTests {
  private let sensor = Sensor()
  private let time = VirtualScheduler()

  @Test func `a source is warm for the time, then stops, and leaves no timer`() {
    let shared = sensor.signal.shared(replay: 1, on: time)
    let warm = shared.warm(for: .seconds(3), on: time)
    sensor.emit?.send(1)
    time.advance(by: .milliseconds(2999))
    #expect(sensor.history == ["start"])
    time.advance(by: .milliseconds(1))
    #expect(sensor.history == ["start", "stop"])
    #expect(warm.isDisposed)
    #expect(time.pendingCount == 0)
  }

  @Test func `the source goes on for one who came while it was warm`() {
    let shared = sensor.signal.shared(replay: 1, on: time)
    shared.warm(for: .seconds(3), on: time)
    sensor.emit?.send(1)
    let recorder = Recorder(shared)
    time.advance(by: .seconds(10))
    #expect(recorder.values == [1])
    #expect(sensor.history == ["start"])
    recorder.subscription.dispose()
    #expect(sensor.history == ["start", "stop"])
  }

  @Test(arguments: ["dispose", "fail", "complete"])
  func `an earlier end takes the timer along`(how: String) {
    let warm = sensor.signal.warm(for: .seconds(3), on: time)
    #expect(time.pendingCount == 1)
    switch how {
    case "dispose": warm.dispose()
    case "fail": sensor.emit?.fail(Broken())
    default: sensor.emit?.complete()
    }
    #expect(time.pendingCount == 0)
    #expect(sensor.history == ["start", "stop"])
  }

  @Test func `a source that ends while it starts leaves no timer`() {
    let ends = Signal<Int> { observer in
      observer.send(progress: 0.5)
      observer.complete()
      return nil
    }
    #expect(ends.warm(for: .seconds(3), on: time).isDisposed)
    #expect(time.pendingCount == 0)
  }

  @Test func `a warm subscription that is let go of stays warm`() async {
    do { _ = sensor.signal.warm(for: .seconds(3), on: time) }
    #expect(sensor.history == ["start"])
    time.advance(by: .seconds(3))
    #expect(sensor.history == ["start", "stop"])
  }
}
