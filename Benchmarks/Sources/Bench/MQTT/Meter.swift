import Dispatch
import Foundation
import MQTT
import Synchronization

/// Counts messages, and prints what they cost from the first to the last.
final class Meter: ConnectionDelegate {
  /// How many publishes may wait for their end, as in the program in C.
  private static let depth = 10_000

  private let wanted: Int
  private let seen = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)
  private let cpuStart = Atomic<UInt64>(0)
  private let clockStart = Atomic<UInt64>(0)
  private let connected = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: Meter.depth)
  private let end = DispatchSemaphore(value: 0)

  init(_ wanted: Int) {
    self.wanted = wanted
  }

  func start() {
    cpuStart.store(UInt64(CPUClock.seconds * 1e6), ordering: .relaxed)
    clockStart.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
  }

  /// A publish has ended.
  func count() {
    room.signal()
    add()
  }

  private func add() {
    if seen.add(1, ordering: .relaxed).newValue == wanted { finish() }
  }

  private func finish() {
    let cpu = UInt64(CPUClock.seconds * 1e6) - cpuStart.load(ordering: .relaxed)
    let clock = (DispatchTime.now().uptimeNanoseconds - clockStart.load(ordering: .relaxed)) / 1_000
    Console.say("\(cpu) \(clock)")
    exit(0)
  }

  func waitForConnection() { connected.wait() }
  func waitForRoom() { room.wait() }
  func waitForEnd() { end.wait() }

  func connectionDidConnect(_ session: Session) { connected.signal() }
  func connectionDidDisconnect(_ cause: ConnectionError?) {}
  func connectionDidReceive(_ message: Message) {
    if seen.load(ordering: .relaxed) == 0 { start() }
    add()
  }
}
