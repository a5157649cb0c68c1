import CAllocations

/// Allocations of the whole process, counted in its allocator.
enum Allocations {
  /// The calls that gave memory during `body`, and the bytes that were given and not given back; `nil` where the
  /// allocator can't be counted.
  static func count(_ body: () -> Void) -> (calls: Int, bytes: Int)? {
    guard canCount else { return nil }
    start()
    body()
    return stop()
  }

  static var canCount: Bool { signalbox_can_count_allocations() }

  /// The same for what begins in one place and ends in another.
  static func start() { signalbox_start_counting_allocations() }

  static func stop() -> (calls: Int, bytes: Int) {
    let counted = signalbox_stop_counting_allocations()
    return (Int(counted.calls), Int(counted.bytes))
  }
}
