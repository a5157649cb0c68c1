/// What the start closure of a signal sends into: a subject of one subscription.
///
/// It makes an emitter safe to use from any thread: one order, nothing after a terminal.
@usableFromInline
final class Emitter<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; core and link guard themselves.
  @usableFromInline let core: SubjectCore<Value>
  @usableFromInline let link: EmitterLink<Value>

  @inlinable
  init(_ link: EmitterLink<Value>) {
    self.link = link
    core = link.core
  }

  // Nobody can send any more: the handlers must not stay because somebody holds the subscription.
  deinit { link.release() }

  @inlinable
  override func send(_ value: Value) { core.send(value) }
  override func send(progress: ProgressUpdate) { core.send(progress: progress) }
  override func fail(_ error: any Error) { core.send(end: .failed(error)) }
  override func complete() { core.send(end: .completed) }
  override var isDisposed: Bool { core.isEnded || link.isUnwanted }
}

/// The subscription of an emitter to its start closure.
@usableFromInline
final class EmitterLink<Value: Sendable>: Subscription, @unchecked Sendable {
  // Sound: immutable; the core guards itself.
  @usableFromInline let core: SubjectCore<Value>
  /// For the question whether it is disposed: a source that sends while it starts learns it only here.
  @usableFromInline let downstream: Lock<Observer<Value>?>

  @inlinable
  init(_ downstream: Observer<Value>) {
    self.downstream = Lock(downstream)
    core = SubjectCore(.last(0))
    super.init()
    core.attachOnly(downstream, self)
  }

  var isUnwanted: Bool { isDisposed || downstream.withLock { $0 }?.isDisposed ?? true }

  override func didEnd() { release() }

  /// Lets go of the handlers.
  func release() {
    let downstream = downstream.withLock { $0.take() }
    core.close()
    _ = consume downstream
  }
}
