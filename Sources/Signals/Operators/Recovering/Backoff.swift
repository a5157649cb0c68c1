/// How long to wait before work is tried again: longer from retry to retry, up to a maximum, and random, so that many
/// that failed together don't come back together.
public struct Backoff: Sendable {
  /// The longest delay before the first retry.
  public let initial: Duration
  /// By how much it grows from retry to retry; 1 or more.
  public let multiplier: Double
  /// What it never exceeds.
  public let maximum: Duration
  /// Which part of the delay is random: 1 is anything from 0 to the full delay, 0 is always the full delay.
  public let jitter: Double
  private let random: @Sendable () -> Double

  /// Makes a backoff.
  ///
  /// `random` gives numbers from 0 (the full delay) to 1 (all of the jitter taken off); another one makes tests exact.
  public init(
    initial: Duration, multiplier: Double = 2, maximum: Duration = .seconds(60), jitter: Double = 1,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    precondition(initial >= .zero, "Backoff(initial:) takes zero or more, not \(initial)")
    precondition(maximum >= .zero, "Backoff(maximum:) takes zero or more, not \(maximum)")
    precondition(
      multiplier >= 1 && multiplier.isFinite, "Backoff(multiplier:) takes 1 or more, not \(multiplier)")
    precondition((0...1).contains(jitter), "Backoff(jitter:) takes 0...1, not \(jitter)")
    self.initial = initial
    self.multiplier = multiplier
    self.maximum = maximum
    self.jitter = jitter
    self.random = random
  }

  /// No delay at all.
  public static let none = constant(.zero)

  /// Always the same delay.
  public static func constant(_ delay: Duration) -> Backoff {
    Backoff(initial: delay, multiplier: 1, maximum: delay, jitter: 0)
  }

  /// The delay before retry `number`, from 1 on; with jitter another one at each call.
  public func delay(beforeRetry number: Int) -> Duration {
    let longest = longestDelay(beforeRetry: number)
    let drawn = jitter > 0 ? random() : 0
    // A generator that gives no number takes nothing off.
    return drawn > 0 ? longest * (1 - jitter * min(drawn, 1)) : longest
  }

  /// The delay before retry `number` with no jitter taken off.
  package func longestDelay(beforeRetry number: Int) -> Duration {
    // Below it would be 0 times infinity, which is not a number.
    guard initial > .zero else { return .zero }
    let growth = power(multiplier, max(number, 1) - 1)
    // Compared as numbers, since it may be too long for a duration; the maximum itself is not rounded.
    return growth < maximum / initial ? min(initial * growth, maximum) : maximum
  }
}

/// `base` to the power of `exponent`, by squaring; infinite when too large.
private func power(_ base: Double, _ exponent: Int) -> Double {
  var (result, square, rest) = (1.0, base, exponent)
  while rest > 0 {
    if rest & 1 == 1 { result *= square }
    square *= square
    rest >>= 1
  }
  return result
}
