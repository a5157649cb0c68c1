/// One run of a shared source: what starts it, what it sends, and what stops it.
final class ShareRun<Value: Sendable>: Sendable {
  let generation: UInt64
  let subject: Subject<Value>
  let start: @Sendable (Observer<Value>) -> (any Disposable)?
  /// Called before the end goes out.
  let willEnd: (@Sendable () -> Void)?
  let source = CompoundDisposable()

  init(
    _ generation: UInt64, _ subject: Subject<Value>,
    start: @escaping @Sendable (Observer<Value>) -> (any Disposable)?, willEnd: (@Sendable () -> Void)? = nil
  ) {
    self.generation = generation
    self.subject = subject
    self.start = start
    self.willEnd = willEnd
  }
}

/// What the source of a run sends into.
final class ShareRunObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the subject and the machine guard themselves.
  private let core: SubjectCore<Value>
  private let run: ShareRun<Value>
  private let hub: ShareHub<Value>

  init(_ run: ShareRun<Value>, _ hub: ShareHub<Value>) {
    core = run.subject.core
    self.run = run
    self.hub = hub
  }

  override func send(_ value: Value) { core.send(value) }
  override func send(progress: ProgressUpdate) { core.send(progress: progress) }
  override func fail(_ error: any Error) { hub.end(run, .failed(error)) }
  override func complete() { hub.end(run, .completed) }
  override var isDisposed: Bool { core.isEnded || !hub.isWanted(run) }
}

/// An observer's seat in a run: takes it out of the run's subject, and tells the hub.
///
/// Apart from the entry, which the subject holds: the subject of a run must not keep its hub.
final class ShareSeat<Value: Sendable>: Disposable {
  let generation: UInt64
  private let entry: SubjectEntry<Value>
  private let hub: ShareHub<Value>

  init(_ generation: UInt64, _ entry: SubjectEntry<Value>, _ hub: ShareHub<Value>) {
    self.generation = generation
    self.entry = entry
    self.hub = hub
  }

  func dispose() {
    if entry.detach() { hub.leave(generation) }
  }

  /// For who has not arrived.
  func withdraw() {
    if entry.detach() { hub.leave(generation, hasArrived: false) }
  }
}
