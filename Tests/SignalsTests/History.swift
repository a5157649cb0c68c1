import Signals

/// What happened, in order, from any thread.
final class History: Sendable {
  private let entries = Lock<[String]>([])

  func add(_ entry: String) { entries.withLock { $0.append(entry) } }

  var log: [String] { entries.withLock { $0 } }

  /// Returns when `entry` has happened `count` times.
  func until(_ entry: String, times count: Int = 1) async {
    while log.count(where: { $0 == entry }) < count { await Task.yield() }
  }
}
