import Signals
import Testing

@Suite struct BackoffTests {
  private func delays(_ backoff: Backoff, _ numbers: [Int]) -> [Duration] {
    numbers.map { backoff.delay(beforeRetry: $0) }
  }

  @Test func `it grows by its multiplier up to its maximum`() {
    let backoff = Backoff(initial: .seconds(1), multiplier: 3, maximum: .seconds(20), jitter: 0)
    #expect(
      delays(backoff, [1, 2, 3, 4, 5, 1_000_000, .max]) == [1, 3, 9, 20, 20, 20, 20].map { .seconds($0) })
    #expect(delays(backoff, [0, -7, .min]) == [1, 1, 1].map { .seconds($0) })
  }

  @Test func `no delay stays none, and a constant stays what it is`() {
    #expect(delays(.none, [1, 2, .max]) == [.zero, .zero, .zero])
    for delay in [.milliseconds(250), .seconds(1) / 3, .seconds(1_000_000_000) + .nanoseconds(1)] {
      #expect(delays(.constant(delay), [1, 2, .max]) == [delay, delay, delay])
    }
    let fromNothing = Backoff(initial: .zero)
    #expect(delays(fromNothing, [1, .max]) == [.zero, .zero])
  }

  @Test func `a maximum below the initial delay, and one as large as can be, hold`() {
    #expect(delays(Backoff(initial: .seconds(9), maximum: .seconds(2), jitter: 0), [1]) == [.seconds(2)])
    let longest = Backoff(initial: .seconds(1), maximum: .seconds(Int64.max), jitter: 0)
    #expect(longest.delay(beforeRetry: .max) == .seconds(Int64.max))
  }

  @Test func `jitter takes off what the generator says, and never more than it may`() {
    let numbers = Lock([0, 0.5, 1, 7, -3, Double.nan])
    let random: @Sendable () -> Double = { numbers.withLock { $0.removeFirst() } }
    let full = Backoff(initial: .seconds(8), random: random)
    #expect(delays(full, [1, 1, 1, 1, 1, 1]) == [8, 4, 0, 0, 8, 8].map { .seconds($0) })

    let half = Backoff(initial: .seconds(8), jitter: 0.5, random: { 1 })
    #expect(delays(half, [1, 2]) == [.seconds(4), .seconds(8)])
  }

  @Test func `by default the whole delay is random`() {
    let backoff = Backoff(initial: .seconds(1), multiplier: 1)
    let all = delays(backoff, Array(repeating: 1, count: 200))
    #expect(all.allSatisfy { $0 >= .zero && $0 <= .seconds(1) })
    #expect(all.contains { $0 < .milliseconds(500) } && all.contains { $0 > .milliseconds(500) })
  }
}
