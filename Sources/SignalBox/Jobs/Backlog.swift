import MQTT

/// How much waits, against the limits of the outbox.
struct Backlog {
  private var count = 0
  private var bytes = 0

  mutating func add(_ size: Int, _ limits: QueueSize) -> Bool {
    guard count < limits.count, bytes + size <= limits.bytes else { return false }
    count += 1
    bytes += size
    return true
  }

  mutating func remove(_ size: Int) {
    count -= 1
    bytes -= size
  }
}
