import Signals
import Synchronization

/// What a bus counts, from any thread.
final class BusCounters: Sendable {
  /// The time between SUBSCRIBE and SUBACK.
  struct Latency {
    var count = 0
    var sum = Duration.zero
    var longest = Duration.zero
  }

  let unrouted = Atomic<Int>(0)
  let undecodable = Atomic<Int>(0)
  let unsent = Atomic<Int>(0)
  let refetches = Atomic<Int>(0)
  let latency = Lock(Latency())

  func subscribed(after time: Duration) {
    latency.withLock { latency in
      latency.count += 1
      latency.sum += time
      latency.longest = max(latency.longest, time)
    }
  }
}
