internal import Synchronization

/// What one inner signal of a `flatMap` sends into.
final class FlattenInlet<Value: Sendable, Output: Sendable>: Observer<Output>, @unchecked Sendable {
  // Sound: immutable but for an atomic; the funnel guards itself.
  private let funnel: Funnel<Flatten<Value, Output>>
  private let id: Int
  private let isReplaced = Atomic(false)

  init(_ funnel: Funnel<Flatten<Value, Output>>, _ id: Int) {
    self.funnel = funnel
    self.id = id
  }

  /// Lets a source that sends without an end while it starts see that nobody listens.
  func replace() { isReplaced.store(true, ordering: .releasing) }

  override func send(_ value: Output) { funnel.receive(.inner(id, .next(value))) }
  override func send(progress: ProgressUpdate) { funnel.receive(.inner(id, .progress(progress))) }
  override func fail(_ error: any Error) { funnel.receive(.inner(id, .failed(error))) }
  override func complete() { funnel.receive(.inner(id, .completed)) }
  override var isDisposed: Bool { isReplaced.load(ordering: .acquiring) || funnel.isDisposed }
}
