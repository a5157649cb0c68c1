import Peers
import SignalsTesting
import Testing

@testable import SignalBox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite(.serialized, .timeLimit(.minutes(2))) struct TerminationTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal that asks the process to end is waited for`(number: Int32) async throws {
    let isOver = Guarded(false)
    let termination = Termination()
    let waiting = Task {
      await termination.wait()
      isOver.withLock { $0 = true }
    }
    // The first one may come before the system looks for it.
    try await eventually {
      kill(getpid(), number)
      return isOver.withLock { $0 }
    }
    await waiting.value
  }

  @Test func `a task that is cancelled does not wait for it`() async {
    let task = Task { await untilTerminated() }
    task.cancel()
    await task.value
  }
}
