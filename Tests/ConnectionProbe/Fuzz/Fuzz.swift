import Brokers
import Foundation
import Fuzzing
import MQTT

/// Has brokers in this process send damaged packets to connections, several at once, and looks at what the process
/// holds after a tenth of them and at the end.
///
/// `count` packets in parts of `Part.packets`, each with a broker and a seed of its own, `seed` and the numbers that
/// follow it. A part that fails, or is under way when the process crashes, can be had again by its seed alone.
struct Fuzz {
  let settings: Settings

  func run() {
    let count = max(1, settings.number("count", default: 20_000))
    let first = settings.number("seed", default: .random(in: 1...1_000_000_000))
    let parts = (count + Part.packets - 1) / Part.packets
    let early = max(1, parts / 10)
    let progress = Progress(goal: parts * Part.packets)
    tell("seed", first)
    wait { await play(first..<first + early, progress) }
    rest("before", progress)
    wait { await play(first + early..<first + parts, progress) }
    rest("after", progress)
    let total = progress.total.withLock { $0 }
    tell("links", total.links)
    tell("fences", total.fences)
    tell("calls", total.calls)
    tell("messages", total.messages)
    tell("forgiven", total.forgiven)
    tell("packets", total.packets)
  }

  private func play(_ seeds: Range<Int>, _ progress: Progress) async {
    let width = settings.number("parallel", default: 4 * ProcessInfo.processInfo.activeProcessorCount)
    await withTaskGroup(of: Void.self) { group in
      for (index, seed) in seeds.enumerated() {
        if index >= width { await group.next() }
        group.addTask {
          tell("begin", seed)
          do {
            progress.add(try await Part(seed: UInt64(seed)).run())
          } catch {
            fail("seed \(seed): \(error)")
          }
          tell("finish", seed)
        }
      }
    }
  }

  /// Threads of connections and brokers may still be on their way out.
  private func rest(_ when: String, _ progress: Progress) {
    let deadline = ContinuousClock.now + .seconds(20)
    var quiet = 0
    while quiet < 20, ContinuousClock.now < deadline {
      quiet = ProcessState().hasOwnThreads ? 0 : quiet + 1
      usleep(5_000)
    }
    ProcessState().tell(when)
    tell("links.\(when)", progress.total.withLock { $0.links })
  }

  private func wait(_ body: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task {
      await body()
      isDone.signal()
    }
    isDone.wait()
  }
}

/// What has been done until now, told every few seconds.
final class Progress: Sendable {
  let total = Guarded(Tally.Count())
  private let told = Guarded(ContinuousClock.now)
  private let start = ContinuousClock.now
  private let goal: Int

  init(goal: Int) { self.goal = goal }

  func add(_ part: Tally.Count) {
    let now = total.withLock { total in
      total.add(part)
      return total
    }
    let isDue = told.withLock { told in
      guard ContinuousClock.now - told > .seconds(5) else { return false }
      told = .now
      return true
    }
    guard isDue else { return }
    let rate = Int(Double(now.packets) / ((.now - start) / .seconds(1)))
    tell("progress", "\(now.packets) of \(goal) packets, \(now.links) links, \(rate) packets/s")
  }
}
