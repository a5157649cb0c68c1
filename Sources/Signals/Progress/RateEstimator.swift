/// How fast work advances and how long it will still take, from the progress it sends.
///
/// The rate is an exponentially weighted mean over time, with its bias towards 0 at the beginning taken out. It looks
/// back over a fifth of the time that the work has run, 15 seconds to 10 minutes, so that slow and long work gets a
/// steady estimate and short work a quick one. It counts from the first update on and not from 0: who resumes at a half has not done it in no
/// time. Work that stays away much longer than it usually does loses its speed, and then counts as stalled.
struct RateEstimator: Sendable {
  struct Estimate: Equatable {
    /// In units a second.
    var rate: Double?
    var remaining: Duration?
  }

  private static let settlingTime = 1.0
  private static let longest = Duration.seconds(99 * 24 * 60 * 60)

  private var run: Run?

  /// Takes in an update that came at `now`.
  mutating func update(_ update: ProgressUpdate, at now: Duration) -> Estimate {
    guard let measure = Measure(update) else { return Estimate() }
    // What comes late from an attempt that is over.
    if let run, update.attempt < run.attempt { return Estimate() }
    if run == nil || run?.advance(measure, update.attempt, at: now) == false {
      run = Run(measure, update.attempt, at: now)
    }
    guard let run, run.elapsed(at: now) >= Self.settlingTime, let speed = run.speed(at: now) else {
      return Estimate()
    }
    return Estimate(
      rate: measure.isCount ? speed.rate : nil,
      remaining: measure.left.flatMap { Self.time(for: $0, at: speed) })
  }

  private static func time(for left: Double, at speed: Run.Speed) -> Duration? {
    if left == 0 { return .zero }
    let seconds = left / speed.rate
    guard !speed.isStalled, seconds <= longest.inSeconds else { return nil }
    return .seconds(seconds)
  }
}

/// What an update says of how far the work is: in units where it counts, else as a fraction.
private struct Measure {
  var amount: Double
  var left: Double?
  var isCount: Bool
  var unit: String?

  init?(_ update: ProgressUpdate) {
    if let done = update.done {
      (amount, unit, isCount) = (done, update.unit, true)
      if let total = update.total {
        left = max(total - done, 0)
      } else if let fraction = update.fraction, fraction > 0 {
        left = done * (1 - fraction) / fraction
      }
    } else if let fraction = update.fraction {
      (amount, left, isCount) = (fraction, 1 - fraction, false)
    } else {
      return nil
    }
  }

  func isComparable(to other: Measure) -> Bool { isCount == other.isCount && unit == other.unit }
}

/// Work that goes forward, from the first update of it.
private struct Run {
  struct Speed {
    var rate: Double
    var isStalled: Bool
  }

  let attempt: Int
  private let start: Duration
  /// The last update that was further than the one before it.
  private var last: (measure: Measure, time: Duration)
  /// The furthest of all, also of those that came at one moment.
  private var furthest: Double
  private var weightedRates = 0.0
  private var weights = 0.0
  /// The usual time between two advances, in seconds.
  private var gap: Double?

  init(_ measure: Measure, _ attempt: Int, at now: Duration) {
    self.attempt = attempt
    start = now
    last = (measure, now)
    furthest = measure.amount
  }

  func elapsed(at now: Duration) -> Double { (now - start).inSeconds }

  /// How far the mean looks back, in seconds.
  private func memory(at now: Duration) -> Double { min(max(0.2 * elapsed(at: now), 15), 600) }

  /// `false`: that is not this work going forward, but another beginning.
  mutating func advance(_ measure: Measure, _ attempt: Int, at now: Duration) -> Bool {
    guard attempt == self.attempt, measure.isComparable(to: last.measure), measure.amount >= furthest
    else { return false }
    furthest = measure.amount
    let step = measure.amount - last.measure.amount
    let time = (now - last.time).inSeconds
    // Several at one moment become one step, with the next that comes later.
    guard step > 0, time > 0 else { return true }
    guard (step / time).isFinite else { return false }
    let kept = decay(time / memory(at: now))
    weightedRates = weightedRates * kept + step / time * (1 - kept)
    weights = weights * kept + (1 - kept)
    gap = gap.map { 0.7 * $0 + 0.3 * time } ?? time
    last = (measure, now)
    return true
  }

  /// `nil` before the second update that counts.
  func speed(at now: Duration) -> Speed? {
    guard let gap, weights > 0 else { return nil }
    let idle = (now - last.time).inSeconds - 3 * gap
    let left = idle > 0 ? decay(idle / memory(at: now)) : 1
    return Speed(rate: weightedRates / weights * left, isStalled: left < 0.1)
  }
}

/// e to the power of minus `time`, which is 0 or more. (The standard library has no exponential function.)
func decay(_ time: Double) -> Double {
  guard time < 700 else { return 0 }
  // The series is quick for small numbers only: halve, and square the result as often.
  var small = time
  var halvings = 0
  while small > 0.25 {
    small /= 2
    halvings += 1
  }
  var result = 1.0
  for divisor in stride(from: 12.0, to: 0, by: -1) { result = 1 - small / divisor * result }
  for _ in 0..<halvings { result *= result }
  return result
}

extension Duration {
  fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
