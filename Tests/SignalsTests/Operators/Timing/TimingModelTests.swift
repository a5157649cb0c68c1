import Signals
import SignalsTesting
import Testing

/// What a source does and when, in microseconds. No two events and due times meet, as good as never.
private struct Script {
  enum What { case value, progress }

  var events: [(time: Int, what: What, number: Int)] = []
  var end = 0
  var fails = false

  init(seed: Int) {
    var random = SeededGenerator(seed: seed)
    // Lively and quiet stretches.
    for number in 1...200 {
      let isLively = (number / 20).isMultiple(of: 2)
      end += Int.random(in: 1...(isLively ? 3_000 : 30_000), using: &random)
      let what = Int.random(in: 0...2, using: &random) == 0 ? What.progress : .value
      events.append((end, what, number))
    }
    end += Int.random(in: 1...20_000, using: &random)
    fails = Bool.random(using: &random)
  }

  func times(of what: What) -> [(time: Int, number: Int)] {
    events.filter { $0.what == what }.map { ($0.time, $0.number) }
  }

  /// What `apply` makes of it.
  func play(_ apply: (Signal<Int>, VirtualScheduler) -> Signal<String>) -> [String] {
    let (time, source) = (VirtualScheduler(), Subject<Int>())
    for event in events {
      time.schedule(after: .microseconds(event.time)) {
        switch event.what {
        case .value: source.send(event.number)
        case .progress: source.send(progress: ProgressUpdate(done: Double(event.number)))
        }
      }
    }
    time.schedule(after: .microseconds(end)) { [fails] in
      if fails { source.fail(Broken()) } else { source.complete() }
    }
    let log = Lock<[String]>([])
    @Sendable func note(_ text: String) {
      let now = Int(time.now / .microseconds(1))
      log.withLock { $0.append("\(now) \(text)") }
    }
    apply(source.signal, time).subscribe {
      note($0)
    } progress: {
      note("p\(Int($0.done ?? -1))")
    } failed: {
      note($0 is Broken ? "failed" : "timed out")
    } completed: {
      note("completed")
    }
    time.run()
    #expect(time.pendingCount == 0)
    return log.withLock { $0 }
  }

  /// Puts what goes out together, and the end behind it.
  func log(_ values: [Output], _ progress: [Output]) -> [String] {
    let all = values.filter { $0.time < end || !fails } + progress
    let sorted = all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return sorted.map { "\($0.element.time) \($0.element.text)" } + [
      "\(end) \(fails ? "failed" : "completed")"
    ]
  }
}

private struct Output {
  var time: Int
  var text: String
}

/// What goes out by each rule, told from the whole script and not event by event.
private enum Naive {
  static func debounced(_ arrivals: [(time: Int, number: Int)], _ period: Int, end: Int) -> [(Int, Int)] {
    arrivals.indices.compactMap { index in
      let next = index + 1 < arrivals.count ? arrivals[index + 1].time : .max
      let due = arrivals[index].time + period
      return next < due ? nil : (min(due, end), arrivals[index].number)
    }
  }

  static func sampled(_ arrivals: [(time: Int, number: Int)], _ period: Int, end: Int) -> [(Int, Int)] {
    (0...end / period).compactMap { tick in
      let last = arrivals.last { $0.time / period == tick }
      return last.map { (min((tick + 1) * period, end), $0.number) }
    }
  }

  static func throttled(
    _ arrivals: [(time: Int, number: Int)], _ period: Int, leading: Bool, trailing: Bool, end: Int
  ) -> [(Int, Int)] {
    var sent: [(Int, Int)] = []
    var rest = arrivals[...]
    while let first = rest.popFirst() {
      // A period begins; periods follow each other as long as something waits at their ends.
      var (start, held) = (first.time, leading ? nil : Optional(first.number))
      if leading { sent.append((first.time, first.number)) }
      while true {
        while let next = rest.first, next.time < start + period {
          if trailing { held = next.number }
          rest.removeFirst()
        }
        guard let number = held else { break }
        held = nil
        start += period
        sent.append((min(start, end), number))
      }
    }
    return sent
  }
}

@Suite(.timeLimit(.minutes(2))) struct TimingModelTests {
  static let period = 7_919

  private func check(
    _ rule: String, _ apply: (Signal<Int>, VirtualScheduler) -> Signal<Int>,
    _ expected: (Script) -> (values: [(Int, Int)], progress: [(Int, Int)])
  ) {
    for seed in 1...40 {
      let script = Script(seed: seed)
      let (values, progress) = expected(script)
      let wanted = script.log(
        values.map { Output(time: $0.0, text: "\($0.1)") },
        progress.map { Output(time: $0.0, text: "p\($0.1)") })
      let played = script.play { source, time in apply(source, time).map { "\($0)" } }
      #expect(played.last == wanted.last, "\(rule), \(seed)")
      // Values and progress of one moment go out in any order.
      #expect(played.sorted() == wanted.sorted(), "\(rule), \(seed)")
    }
  }

  @Test(arguments: [(true, true), (true, false), (false, true)])
  func `throttle does with long scripts what a simple reference does`(leading: Bool, trailing: Bool) {
    check("throttle") {
      $0.throttle(.microseconds(Self.period), leading: leading, trailing: trailing, on: $1)
    } _: { script in
      let values = Naive.throttled(
        script.times(of: .value), Self.period, leading: leading, trailing: trailing, end: script.end)
      return (values, throttledProgress(script))
    }
  }

  private func throttledProgress(_ script: Script) -> [(Int, Int)] {
    Naive.throttled(
      script.times(of: .progress), Self.period, leading: true, trailing: true, end: script.end)
  }

  @Test func `debounce does with long scripts what a simple reference does`() {
    check("debounce") {
      $0.debounce(.microseconds(Self.period), on: $1)
    } _: { script in
      (Naive.debounced(script.times(of: .value), Self.period, end: script.end), throttledProgress(script))
    }
  }

  @Test func `sample does with long scripts what a simple reference does`() {
    check("sample") {
      $0.sample(every: .microseconds(Self.period), on: $1)
    } _: { script in
      (
        Naive.sampled(script.times(of: .value), Self.period, end: script.end),
        Naive.sampled(script.times(of: .progress), Self.period, end: script.end)
      )
    }
  }

  @Test func `delay moves long scripts as they are`() {
    for seed in 1...40 {
      let script = Script(seed: seed)
      let wanted = script.play { source, _ in source.map { "\($0)" } }
      let moved = script.play { source, time in
        source.delay(.microseconds(Self.period), on: time).map { "\($0)" }
      }
      #expect(
        moved.map { line in
          let parts = line.split(separator: " ", maxSplits: 1)
          return "\(Int(parts[0])! - Self.period) \(parts[1])"
        } == wanted)
    }
  }

  @Test(arguments: [TimeoutSign.any, .nextValue])
  func `timeout ends long scripts at the first pause that is too long`(sign: TimeoutSign) {
    var timedOut = 0
    for seed in 1...40 {
      let script = Script(seed: seed)
      let signs = script.events.filter { $0.what == .value || sign == .any }.map(\.time)
      let limit = 40_000 + seed * 500
      let pause = zip([0] + signs, signs + [script.end]).first { $1 - $0 > limit }
      var wanted = script.play { source, _ in source.map { "\($0)" } }
      if let pause {
        wanted = wanted.filter { Int($0.split(separator: " ")[0])! <= pause.0 + limit }
        wanted.append("\(pause.0 + limit) timed out")
        timedOut += 1
      }
      let played = script.play { source, time in
        source.timeout(.microseconds(limit), awaiting: sign, on: time).map { "\($0)" }
      }
      #expect(played == wanted)
    }
    #expect(sign == .any || timedOut > 0)
  }

  @Test func `buffer and window cut long scripts as a simple reference does`() {
    for seed in 1...40 {
      let script = Script(seed: seed)
      var batches: [Output] = []
      var rest = script.times(of: .value)[...]
      while let first = rest.first {
        let batch = rest.prefix { $0.time < first.time + Self.period }.prefix(5)
        rest = rest.dropFirst(batch.count)
        let time = batch.count == 5 ? batch.last!.time : min(first.time + Self.period, script.end)
        batches.append(Output(time: time, text: "\(batch.map(\.number))"))
      }
      let wanted = script.log(
        batches, script.times(of: .progress).map { Output(time: $0.time, text: "p\($0.number)") })
      let period = Duration.microseconds(Self.period)
      #expect(script.play { $0.buffer(count: 5, every: period, on: $1).map { "\($0)" } } == wanted)
      #expect(
        script.play { source, time in
          // The progress of an outer signal becomes that of the whole.
          source.ignoreProgress().window(count: 5, every: period, on: time).flatMap { window in
            window.collect().map { "\($0)" }
          }
        } == script.log(batches, []))
    }
  }
}
