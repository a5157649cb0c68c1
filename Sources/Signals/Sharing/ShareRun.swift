/// One run of a shared source, as its hub sees it. The hub is not generic, and so costs less to ask.
class ShareRun: @unchecked Sendable {
  // Sound: immutable here and in its subclass.
  final let generation: UInt64
  final let source = CompoundDisposable()
  /// Until the start closure has returned.
  final let starting = Readiness()

  init(_ generation: UInt64) { self.generation = generation }

  /// Runs the start closure.
  func start(_ hub: ShareHub) {}

  final func whenReady(_ action: @escaping @Sendable () -> Void) {
    starting.whenReady { [source] in source.whenReady(action) }
  }
}

/// A run as its observers see it: what starts it and what it sends.
final class SubjectRun<Value: Sendable>: ShareRun, @unchecked Sendable {
  // Sound: immutable.
  let subject: Subject<Value>
  /// Called before the end goes out.
  let willEnd: (@Sendable () -> Void)?
  let send: @Sendable (SubjectCore<Value>, Value) -> Void
  private let startSource: @Sendable (Observer<Value>) -> (any Disposable)?

  init(
    _ generation: UInt64, _ subject: Subject<Value>,
    _ send: @escaping @Sendable (SubjectCore<Value>, Value) -> Void,
    start: @escaping @Sendable (Observer<Value>) -> (any Disposable)?, willEnd: (@Sendable () -> Void)? = nil
  ) {
    self.subject = subject
    self.send = send
    self.willEnd = willEnd
    startSource = start
    super.init(generation)
  }

  override func start(_ hub: ShareHub) {
    source.add(startSource(ShareRunObserver(self, hub)))
    starting.succeed()
  }
}

/// What the source of a run sends into.
final class ShareRunObserver<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the subject and the machine guard themselves.
  private let core: SubjectCore<Value>
  private let send: @Sendable (SubjectCore<Value>, Value) -> Void
  private let run: SubjectRun<Value>
  private let hub: ShareHub

  init(_ run: SubjectRun<Value>, _ hub: ShareHub) {
    core = run.subject.core
    send = run.send
    self.run = run
    self.hub = hub
  }

  override func send(_ value: Value) { send(core, value) }
  override func send(progress: ProgressUpdate) { core.send(progress: progress) }
  override func fail(_ error: any Error) { end(.failed(error), .failed) }
  override func complete() { end(.completed, .completed) }
  override var isDisposed: Bool { core.isEnded || !hub.isWanted(run) }

  private func end(_ end: End, _ ending: ShareMachine.Ending) {
    hub.end(run, ending) { [run, core] in
      run.willEnd?()
      core.send(end: end)
    }
  }
}
