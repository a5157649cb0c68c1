/// Work that runs once, unless it is disposed before; either lets go of it.
final class ScheduledWork: Disposable {
  private let work: Lock<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void) { self.work = Lock(work) }

  func run() {
    let work = work.withLock { $0.take() }
    work?()
  }

  func dispose() {
    let work = work.withLock { $0.take() }
    _ = consume work
  }

  var isDisposed: Bool { work.withLock { $0 == nil } }
}
