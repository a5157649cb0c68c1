import Signals
import SignalsTesting
import Testing

@Suite struct MarbleTests {
  private let time = VirtualScheduler()

  @Test func `a cold source plays for each subscription from its own beginning`() {
    let source = time.cold("-a-(25)-b|")
    let first = time.record(source.signal)
    let second = time.record(source.signal, during: "---^")
    let third = time.record(source.signal, during: "-----^---!")
    #expect(source.subscriptions == ["^"])
    time.run()
    #expect(first.marble == "-a-(25)-b|")
    #expect(second.marble == "--- -a-(25)-b|")
    #expect(third.marble == "----- -a-(25)")
    #expect(source.subscriptions == ["^-----!", "---^-----!", "-----^---!"])
  }

  @Test func `a hot source plays once, and keeps what a subject keeps: the latest progress and the end`() {
    let source = time.hot("ab-(25)c#")
    let first = time.record(source.signal)
    let second = time.record(source.signal, during: "-^--!")
    let third = time.record(source.signal, during: "-------^")
    time.run()
    #expect(first.marble == "ab-(25)c#")
    #expect(second.marble == "-b-(25)")
    #expect(third.marble == "-------[(25)#]")
    #expect(source.subscriptions == ["^----!", "-^--!", "-------[^!]"])
  }

  @Test func `a hot source that is made late has its past behind it`() {
    time.advance(by: .milliseconds(20))
    let (source, ended) = (time.hot("abcd|"), time.hot("a|"))
    let (first, second) = (time.record(source.signal), time.record(ended.signal))
    time.run()
    #expect(first.marble == "--cd|")
    #expect(second.marble == "--|")
  }

  @Test func `a recording has what comes at its beginning and not what comes at its end`() {
    let source = time.hot("abcd")
    #expect(time.play(source.signal, during: "-^-!") == "-bc")
    #expect(source.subscriptions == ["-^-!"])
  }

  @Test func `a disposal leaves nothing scheduled`() {
    let source = time.cold("-a-b-c-d|")
    let recording = time.record(source.signal, during: "^--!")
    time.advance(by: .milliseconds(30))
    #expect(time.pendingCount == 0)
    #expect(recording.marble == "-a")
  }

  @Test func `a disposal amid a group keeps the rest of it`() {
    let source = time.cold("-[abc]|")
    let stop = Subject<Void>()
    let signal = source.signal.take(until: stop.signal).map { value in
      if value == "b" { stop.send(()) }
      return value
    }
    #expect(time.play(signal) == "-[ab|]")
    #expect(source.subscriptions == ["^!"])
  }

  @Test func `values stand for others, and are drawn by their names or as they describe themselves`() {
    let source = time.cold("-a-'bc'|", values: ["a": 1, "bc": 20])
    let sums = source.signal.map { $0 + 1 }
    let plain = time.record(sums)
    let named = time.record(sums, values: ["x": 2, "y": 2, "z": 3])
    let hot = time.record(time.hot("a", values: ["a": 5]).signal)
    time.run()
    #expect(plain.marble == "-2-'21'|")
    #expect(named.marble == "-x-'21'|")
    #expect(hot.marble == "5")
  }

  @Test func `a failure is that which the test names`() {
    let cold = time.record(time.cold("#").signal)
    let other = time.record(time.cold("#", failure: Broken()).signal)
    let hot = time.record(time.hot("#", failure: Broken()).signal)
    time.run()
    #expect(cold.events.map(\.description) == ["failed(MarbleFailure())"])
    #expect(other.events.map(\.description) == ["failed(Broken())"])
    #expect(hot.events.map(\.description) == ["failed(Broken())"])
    #expect(hot.marble == "#")
  }

  @Test func `what is not on a tick is drawn so, and equals no diagram`() {
    let time = VirtualScheduler(tick: .seconds(1))
    let signal = Signal<String> { observer in
      time.schedule(after: .milliseconds(1500)) { observer.send("a") }
      return time.schedule(after: .seconds(2)) { observer.send("b") }
    }
    let marble = time.play(signal)
    #expect(marble.text == "-{a +0.5 seconds}b")
    #expect(throws: MarbleError.self) { try Marble(parsing: marble.text) }
  }

  @Test func `a recording can be played again`() {
    let marble = time.play(time.cold("-a(3/7)[b|]").signal)
    let again = VirtualScheduler()
    #expect(again.play(again.cold(marble).signal) == marble)
  }

  @Test func `it measures a signal of its own time`() {
    let timer = Signal.interval(.milliseconds(20), on: time)
    #expect(time.play(timer, during: "-^------!") == "---0-1-2")
    #expect(time.pendingCount == 0)
  }

  @Test func `shared signals show their one run`() {
    let source = time.cold("-a-(50)-b|")
    let shared = source.signal.shared()
    let first = time.record(shared)
    let second = time.record(shared, during: "--^--!")
    time.run()
    #expect(first.marble == "-a-(50)-b|")
    #expect(second.marble == "---(50)")
    #expect(source.subscriptions == ["^-----!"])
  }

  @Test func `a value without its meaning and a line that begins in the past trap`() async {
    let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualScheduler().cold("-a-b", values: ["a": 1])
    }
    #expect(complaint(of: value).contains(#"-a-b has a value "b""#))
    let line = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let time = VirtualScheduler()
      time.advance(by: .seconds(1))
      _ = time.play(time.hot("-a").signal, during: "-^")
    }
    #expect(complaint(of: line).contains("-^ begins before the time, which is 1.0 seconds"))
  }
}
