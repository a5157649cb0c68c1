import Brokers
import MQTT

/// What the threads of a part count, and what went wrong there first.
final class Tally: Sendable {
  struct Count: Sendable {
    /// The damaged packets that the client has read, at least.
    var packets = 0
    var links = 0
    /// How often the client has shown that it has read everything.
    var fences = 0
    /// The calls of the client that have ended.
    var calls = 0
    var messages = 0
    /// The bytes that libmosquitto may have left behind, at most.
    var forgiven = 0

    mutating func add(_ other: Count) {
      packets += other.packets
      links += other.links
      fences += other.fences
      calls += other.calls
      messages += other.messages
      forgiven += other.forgiven
    }
  }

  private struct State {
    var count = Count()
    var openCalls: Set<Int> = []
    var calls = 0
    var failure: String?
  }

  private let state = Guarded(State())
  private let goal: Int

  init(goal: Int) { self.goal = goal }

  var count: Count { state.withLock { $0.count } }
  var failure: String? { state.withLock { $0.failure } }
  var openCalls: Int { state.withLock { $0.openCalls.count } }

  /// Whether the attack is over.
  var isComplete: Bool { state.withLock { $0.count.packets >= goal || $0.failure != nil } }

  func add(_ change: (inout Count) -> Void) { state.withLock { change(&$0.count) } }

  func fail(_ what: String) { state.withLock { $0.failure = $0.failure ?? what } }

  /// Notes a call that must end once, and gives what it has to call then.
  func begin(_ what: String) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.calls += 1
      state.openCalls.insert(state.calls)
      return state.calls
    }
    return { [self] in
      state.withLock { state in
        state.count.calls += 1
        guard state.openCalls.remove(number) == nil else { return }
        state.failure = state.failure ?? "\(what) ended twice"
      }
    }
  }
}
