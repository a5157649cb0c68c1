import Dispatch
import Signals

/// Runs `body` on a thread of its own, since the cooperative pool must not be blocked.
func onThread(_ body: @escaping @Sendable () -> Void) {
  DispatchQueue(label: "test thread").async(execute: body)
}

/// Runs `body` on `count` threads at once and returns when all are through.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    let group = DispatchGroup()
    for index in 0..<count {
      DispatchQueue(label: "test thread \(index)").async(group: group) { body(index) }
    }
    group.notify(queue: .global()) { done.resume() }
  }
}

/// The same, but gives up on threads that hang: `false`.
func endsInTime(_ count: Int = 1, _ body: @escaping @Sendable (Int) -> Void) async -> Bool {
  let done = Subject<Void>(replay: 1)
  let group = DispatchGroup()
  for index in 0..<count {
    DispatchQueue(label: "test thread \(index)").async(group: group) { body(index) }
  }
  group.notify(queue: .global()) { done.send(()) }
  return (try? await done.signal.first(timeout: .seconds(30))) != nil
}

/// Opened once; who waits is a task.
final class AsyncGate: Sendable {
  private let subject = Subject<Void>(replay: 1)
  func open() { subject.send(()) }
  func wait() async {
    let iterator = subject.signal.values().makeAsyncIterator()
    _ = try? await iterator.next()
  }
}

/// Opened once; who waits is a thread.
final class BlockingGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func wait() { semaphore.wait() }

  /// `false`: it was not opened in time.
  func wait(atMost time: Duration) -> Bool {
    semaphore.wait(timeout: .now() + time / .seconds(1)) == .success
  }
}
