import Dispatch
import Foundation
import MQTT
import Synchronization

/// Counts messages, and prints what they cost from the first to the last: microseconds of CPU, those on the clock, and
/// allocations, if these are counted.
final class Meter: ConnectionDelegate {
  /// How many publishes may wait for their end.
  private static let depth = 50_000

  private let wanted: Int
  private let countsAllocations: Bool
  private let seen = Atomic<Int>(0)
  /// How many have to be over before the next one.
  private let awaited = Atomic<Int>(.max)
  private let cpuStart = Atomic<UInt64>(0)
  private let clockStart = Atomic<UInt64>(0)
  private let connected = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)

  init(_ wanted: Int, countsAllocations: Bool = false) {
    self.wanted = wanted
    self.countsAllocations = countsAllocations
  }

  func start() {
    if countsAllocations { Allocations.start() }
    cpuStart.store(UInt64(CPUClock.seconds * 1e6), ordering: .relaxed)
    clockStart.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
  }

  /// A publish has ended, or a message has come.
  func count() {
    let count = seen.add(1, ordering: .sequentiallyConsistent).newValue
    if count == awaited.load(ordering: .sequentiallyConsistent) { room.signal() }
    if count == wanted { finish() }
  }

  /// A message has come: the first one starts the count.
  func receive() {
    if seen.load(ordering: .relaxed) == 0 { start() }
    count()
  }

  func finish() -> Never {
    let allocations = countsAllocations ? Allocations.stop().calls : 0
    let cpu = UInt64(CPUClock.seconds * 1e6) - cpuStart.load(ordering: .relaxed)
    let clock = (DispatchTime.now().uptimeNanoseconds - clockStart.load(ordering: .relaxed)) / 1_000
    Console.say("\(cpu) \(clock) \(allocations)")
    exit(0)
  }

  func waitForConnection() { connected.wait() }

  /// Waits until not too many of the first `sent` publishes are under way, and then for half of them at once: a wait
  /// for each would be what is measured.
  func waitForRoom(_ sent: Int) {
    guard sent - seen.load(ordering: .relaxed) >= Self.depth else { return }
    let target = sent - Self.depth / 2
    awaited.store(target, ordering: .sequentiallyConsistent)
    if seen.load(ordering: .sequentiallyConsistent) < target { room.wait() }
    awaited.store(.max, ordering: .sequentiallyConsistent)
  }

  func waitForEnd() { end.wait() }

  func connectionDidConnect(_ session: Session) { connected.signal() }
  func connectionDidDisconnect(_ cause: ConnectionError?) {}
  func connectionDidReceive(_ message: Message) { receive() }
}
