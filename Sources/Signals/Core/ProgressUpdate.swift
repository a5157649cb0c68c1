/// How far some work is: a message of its own kind, beside the values of a signal.
///
/// Everything is optional, since workers know different things. Numbers are never NaN, infinite or negative: such
/// a number becomes unknown (`nil`), a fraction above 1 becomes 1, and a total of 0 is unknown.
///
/// ```swift
/// observer.send(progress: 0.4)
/// observer.send(progress: .percent(42))
/// observer.send(progress: ProgressUpdate(done: 3, of: 10, unit: "files"))
/// ```
public struct ProgressUpdate: Sendable, Hashable {
  // -1 stands for unknown: half the size of an optional, and equal to itself (NaN is not).
  private var knownDone = -1.0
  private var knownTotal = -1.0
  private var knownFraction = -1.0
  private var knownRate = -1.0
  private var knownWeight = -1.0
  private var knownAttempt = 1

  /// What `done` and `total` count: `"files"`, `"B"`, `"s"`.
  public var unit: String?
  /// What is being done now, in one line.
  public var message: String?
  /// The part of the work this belongs to, where it has several.
  public var phase: String?
  /// The time left, as the worker estimates it.
  public var remaining: Duration? {
    didSet { if let time = remaining, time < .zero { remaining = nil } }
  }
  /// Whether this is the last update of its run.
  public var isFinal = false

  /// Makes an update; whatever is left out is unknown.
  public init(
    done: Double? = nil, total: Double? = nil, fraction: Double? = nil, unit: String? = nil,
    message: String? = nil, phase: String? = nil, attempt: Int = 1, rate: Double? = nil,
    remaining: Duration? = nil, weight: Double? = nil, isFinal: Bool = false
  ) {
    self.unit = unit
    self.message = message
    self.phase = phase
    self.remaining = remaining.flatMap { $0 < .zero ? nil : $0 }
    self.isFinal = isFinal
    self.done = done
    self.total = total
    self.fraction = fraction
    self.rate = rate
    self.weight = weight
    self.attempt = attempt
  }

  /// So many are done, of a total if there is one.
  public init<Count: BinaryInteger>(done: Count, of total: Count? = nil, unit: String? = nil) {
    self.init(done: Double(done), total: total.map { Double($0) }, unit: unit)
  }

  /// An update for those who count in percent: `.percent(42)` is the fraction 0.42.
  public static func percent(_ percent: Double) -> ProgressUpdate {
    ProgressUpdate(fraction: percent / 100)
  }

  /// How much is done, in `unit`s.
  public var done: Double? {
    get { Self.optional(knownDone) }
    set { knownDone = Self.known(newValue) }
  }

  /// How much there is to do, in `unit`s; above 0.
  public var total: Double? {
    get { Self.optional(knownTotal) }
    set { knownTotal = Self.known(newValue, orZero: false) }
  }

  /// The part that is done, 0…1: as it was given, else `done` of `total`, else `nil` (unknown).
  public var fraction: Double? {
    get {
      if knownFraction >= 0 { return knownFraction }
      guard knownDone >= 0, knownTotal > 0 else { return nil }
      return min(knownDone / knownTotal, 1)
    }
    set { knownFraction = min(Self.known(newValue), 1) }
  }

  /// The speed in `unit`s a second, as the worker measured it.
  public var rate: Double? {
    get { Self.optional(knownRate) }
    set { knownRate = Self.known(newValue) }
  }

  /// How much this counts beside others, where several are made one; above 0, and 1 when unknown.
  public var weight: Double? {
    get { Self.optional(knownWeight) }
    set { knownWeight = Self.known(newValue, orZero: false) }
  }

  /// Which try this is, from 1 on: with a new one the fraction may start again.
  public var attempt: Int {
    get { knownAttempt }
    set { knownAttempt = max(newValue, 1) }
  }

  private static func known(_ number: Double?, orZero: Bool = true) -> Double {
    guard let number, number.isFinite, orZero ? number >= 0 : number > 0 else { return -1 }
    return number
  }

  private static func optional(_ known: Double) -> Double? { known < 0 ? nil : known }
}

extension ProgressUpdate: ExpressibleByFloatLiteral {
  /// `0.4` is the fraction 0.4.
  public init(floatLiteral fraction: Double) { self.init(fraction: fraction) }
}

extension ProgressUpdate: CustomStringConvertible {
  /// For logs: `42%`, `42% 3/7 files`, `?`.
  public var description: String {
    var parts: [String] = []
    if let fraction { parts.append("\(Self.wholePercent(fraction))%") }
    if let done {
      let count = total.map { "\(Self.short(done))/\(Self.short($0))" } ?? Self.short(done)
      parts.append(unit.map { "\(count) \($0)" } ?? count)
    }
    if let message { parts.append(message) }
    return parts.isEmpty ? "?" : parts.joined(separator: " ")
  }

  /// Rounded down, so that only all of it is 100; though 0.29 times 100 is a little less than 29.
  private static func wholePercent(_ fraction: Double) -> Int {
    fraction < 1 ? min(Int(fraction * 100 + 1e-9), 99) : 100
  }

  private static func short(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }
}
