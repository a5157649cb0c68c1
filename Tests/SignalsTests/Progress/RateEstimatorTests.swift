import Foundation
import Testing

@testable import Signals

/// An estimator, and the time.
private struct Trace {
  var estimator = RateEstimator()
  var now = 0.0
  var last = RateEstimator.Estimate()

  /// The time left in whole seconds.
  var remaining: Int? { last.remaining.map { Int(($0 / .seconds(1)).rounded()) } }
  /// To three digits after the point.
  var rate: Double? { last.rate.map { ($0 * 1000).rounded() / 1000 } }

  /// An update at `time`, in seconds.
  mutating func send(_ update: ProgressUpdate, at time: Double) {
    now = time
    // A clock begins anywhere.
    last = estimator.update(update, at: .seconds(1234.5 + time))
  }

  mutating func send(_ done: Double, of total: Double? = nil, at time: Double) {
    send(ProgressUpdate(done: done, total: total), at: time)
  }
}

@Suite struct RateEstimatorTests {
  @Test func `one step a minute gives the time of what is left, also between the steps`() {
    var trace = Trace()
    trace.send(0, of: 20, at: 0)
    #expect(trace.remaining == nil)
    trace.send(1, of: 20, at: 60)
    trace.send(1, of: 20, at: 70)
    #expect(trace.remaining == 1140)
    trace.send(2, of: 20, at: 120)
    trace.send(2, of: 20, at: 175)
    #expect(trace.remaining == 1080)
  }

  @Test func `work that stalls loses its speed, then has no time left to show, and comes back`() {
    var trace = Trace()
    for second in 0...50 { trace.send(Double(second), of: 100, at: Double(second)) }
    #expect(trace.remaining == 50)
    trace.send(50, of: 100, at: 53)
    #expect(trace.remaining == 50)
    trace.send(50, of: 100, at: 60)
    #expect(trace.remaining == 80)
    trace.send(50, of: 100, at: 110)
    #expect(trace.remaining == nil)
    #expect(trace.last.rate.map { (50 / $0).rounded() } == 667)
    for second in 111...140 { trace.send(Double(second - 60), of: 100, at: Double(second)) }
    #expect(trace.remaining.map { (20...35).contains($0) } == true)
  }

  @Test func `a fast start is forgotten in time`() {
    var trace = Trace()
    for second in 0...100 {
      let done = second <= 5 ? second * 100 : 500 + (second - 5) * 2
      trace.send(Double(done), of: 1000, at: Double(second))
      if second == 30 { #expect(trace.remaining == 56) }
    }
    #expect(trace.remaining == 150)
  }

  @Test func `who resumes or joins late counts from the first that it saw`() {
    var trace = Trace()
    for second in 0...10 { trace.send(900 + Double(second), of: 1000, at: Double(second)) }
    #expect(trace.rate == 1)
    #expect(trace.remaining == 90)
  }

  @Test func `there is no estimate before the second update and the first second`() {
    var trace = Trace()
    trace.send(1, of: 9, at: 0)
    trace.send(2, of: 9, at: 0.5)
    trace.send(2, of: 9, at: 0.99)
    #expect(trace.last == .init())
    trace.send(3, of: 9, at: 1)
    #expect(trace.rate == 2)
    #expect(trace.remaining == 3)
    // Waiting alone is no second update.
    var idle = Trace()
    idle.send(1, of: 10, at: 0)
    idle.send(1, of: 10, at: 50)
    #expect(idle.last == .init())
  }

  @Test func `several updates at one moment are one step`() {
    var trace = Trace()
    trace.send(0, of: 100, at: 0)
    for step in 1...10 {
      trace.send(Double(step) * 5 - 2, of: 100, at: Double(step))
      trace.send(Double(step) * 5, of: 100, at: Double(step))
    }
    #expect(trace.rate.map { $0 > 4.5 && $0 < 5 } == true)
    // A step back from any of them begins anew.
    trace.send(49, of: 100, at: 11)
    #expect(trace.last == .init())
  }

  @Test func `a new attempt, a step back and another unit begin anew`() {
    let others = [
      ProgressUpdate(done: 60, total: 100, unit: "B", attempt: 2),
      ProgressUpdate(done: 10, total: 100, unit: "B"), ProgressUpdate(done: 60, total: 100, unit: "files"),
      ProgressUpdate(fraction: 0.6, unit: "B"),
    ]
    for other in others {
      var trace = Trace()
      for second in 0...50 {
        trace.send(ProgressUpdate(done: Double(second), total: 100, unit: "B"), at: Double(second))
      }
      trace.send(other, at: 51)
      #expect(trace.last == .init(), "\(other)")
      var next = other
      if let done = other.done { next.done = done + 4 } else { next.fraction = 0.64 }
      trace.send(next, at: 53)
      #expect(trace.rate == (other.done == nil ? nil : 2), "\(other)")
      #expect(trace.remaining == (other.done.map { Int((96 - $0) / 2) } ?? 18), "\(other)")
    }
  }

  @Test func `what comes late from an older attempt, or without numbers, disturbs nothing`() {
    var trace = Trace()
    for second in 0...10 {
      trace.send(ProgressUpdate(done: Double(second), total: 20, attempt: 3), at: Double(second))
      trace.send(ProgressUpdate(done: 19, total: 20, attempt: 2), at: Double(second))
      #expect(trace.last == .init())
      trace.send(ProgressUpdate(message: "copying", attempt: 3), at: Double(second))
      #expect(trace.last == .init())
    }
    trace.send(ProgressUpdate(done: 11, total: 20, attempt: 3), at: 11)
    #expect(trace.rate == 1)
  }

  @Test func `a total that changes keeps the speed`() {
    var trace = Trace()
    for second in 0...10 { trace.send(Double(second), of: 100, at: Double(second)) }
    trace.send(11, of: 1000, at: 11)
    #expect(trace.remaining == 989)
    trace.send(12, at: 12)
    #expect(trace.rate == 1)
    #expect(trace.last.remaining == nil)
  }

  @Test func `a fraction alone tells the time left and no speed`() {
    var trace = Trace()
    for step in 0...2 { trace.send(ProgressUpdate(fraction: Double(step) / 8), at: Double(step) * 2) }
    #expect(trace.remaining == 12)
    #expect(trace.last.rate == nil)
  }

  @Test func `counts without a total go by the fraction`() {
    var trace = Trace()
    for second in 0...4 {
      trace.send(
        ProgressUpdate(done: Double(second), fraction: Double(second) / 8), at: Double(second))
    }
    #expect(trace.rate == 1)
    #expect(trace.remaining == 4)
  }

  @Test func `what is done takes no time, and what takes 99 days has none to show`() {
    var trace = Trace()
    for second in 0...10 { trace.send(Double(second), of: 10, at: Double(second)) }
    #expect(trace.last.remaining == .zero)
    trace.send(10, of: 10, at: 1000)
    #expect(trace.last.remaining == .zero)
    var long = Trace()
    let days99 = 99.0 * 24 * 60 * 60
    long.send(0, of: 2 + days99, at: 0)
    long.send(1, of: 1 + days99, at: 1)
    #expect(long.remaining == Int(days99))
    long.send(2, of: 4 + days99, at: 2)
    #expect(long.remaining == nil)
    #expect(long.rate == 1)
  }

  @Test func `numbers at the edge of what there is leave no nonsense`() {
    var trace = Trace()
    let most = Double.greatestFiniteMagnitude
    for (index, (done, time)) in [(0.0, 0.0), (most, 0.1), (most, 2), (most / 2, 3), (most, 3.1), (most, 9)]
      .enumerated()
    {
      trace.send(done, of: most, at: time)
      #expect(trace.last.rate?.isFinite != false, "\(index)")
    }
    for second in 20...30 { trace.send(Double(second), of: 40, at: Double(second)) }
    #expect(trace.rate == 1)
    #expect(trace.remaining == 10)
  }

  @Test func `the exponential is that of the C library`() {
    for time in [0, 1e-9, 0.1, 0.25, 0.3, 1, 2.5, 10, 100, 600, 699] {
      #expect(abs(decay(time) / exp(-time) - 1) < 1e-11, "\(time)")
    }
    #expect(decay(1e300) == 0)
    #expect(decay(.infinity) == 0)
  }
}

// MARK: Against the definition

/// What an estimator should say after `history`, worked out anew from all of it.
private struct Reference {
  var history: [(time: Double, done: Double, attempt: Int)] = []

  var estimate: (rate: Double, remaining: Double?)? {
    // The run: from the last beginning on, without what is of an older attempt.
    var run: [(time: Double, done: Double, attempt: Int)] = []
    var advances: [Int] = []
    for item in history {
      if let attempt = run.first?.attempt, item.attempt < attempt { continue }
      let furthest = advances.last.map { run[$0] } ?? run.first
      if let furthest, let last = run.last, item.attempt == last.attempt, item.done >= last.done {
        run.append(item)
        if item.done > furthest.done, item.time > furthest.time { advances.append(run.count - 1) }
      } else {
        (run, advances) = ([item], [])
      }
    }
    guard let first = run.first, let last = run.last, last.attempt == history.last?.attempt,
      last.time - first.time >= 1, let newest = advances.last
    else { return nil }
    func memory(_ time: Double) -> Double { min(max(0.2 * (time - first.time), 15), 600) }
    var kept = 1.0
    var (rates, weights) = (0.0, 0.0)
    var gaps: [Double] = []
    for (index, advance) in advances.enumerated().reversed() {
      let before = run[index == 0 ? 0 : advances[index - 1]]
      let (time, step) = (run[advance].time - before.time, run[advance].done - before.done)
      let keep = exp(-time / memory(run[advance].time))
      rates += kept * (1 - keep) * step / time
      weights += kept * (1 - keep)
      kept *= keep
      gaps.insert(time, at: 0)
    }
    let gap = gaps.dropFirst().reduce(gaps[0]) { 0.7 * $0 + 0.3 * $1 }
    let idle = max(last.time - run[newest].time - 3 * gap, 0)
    let loss = exp(-idle / memory(last.time))
    let left = max(6 - last.done, 0)
    let rate = rates / weights * loss
    return (rate, left == 0 ? 0 : loss < 0.1 ? nil : left / rate)
  }
}

@Suite struct RateEstimatorModelTests {
  @Test func `every short sequence of updates gives what the definition says`() {
    enum Step { case after(Double, advance: Double), attempt(Int) }
    let steps: [Step] =
      [0, 0.4, 3, 4000].flatMap { time in [-1, 0, 2].map { .after(time, advance: $0) } }
      + [.attempt(1), .attempt(-1)]
    var explored = 0
    var estimates = 0
    func explore(_ trace: Trace, _ reference: Reference, _ depth: Int) {
      guard depth > 0 else { return }
      for step in steps {
        var (trace, reference) = (trace, reference)
        var (time, done, attempt) = reference.history.last ?? (0, 1, 2)
        switch step {
        case .after(let later, let advance): (time, done) = (time + later, max(done + advance, 0))
        case .attempt(let change): attempt = max(attempt + change, 1)
        }
        reference.history.append((time, done, attempt))
        trace.send(ProgressUpdate(done: done, total: 6, attempt: attempt), at: time)
        let expected = reference.estimate
        let isRight =
          isClose(trace.last.rate, expected?.rate)
          && isClose(trace.last.remaining.map { $0 / .seconds(1) }, expected?.remaining)
        #expect(isRight, "\(reference.history): \(trace.last), expected \(String(describing: expected))")
        explored += 1
        if expected != nil { estimates += 1 }
        explore(trace, reference, depth - 1)
      }
    }
    explore(Trace(), Reference(), 4)
    #expect(explored > 40_000)
    #expect(estimates > 10_000)
  }

  private func isClose(_ left: Double?, _ right: Double?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return abs(left - right) <= 1e-9 * max(abs(left), abs(right), 1)
  }
}
