/// The base of every operator that sees one source: whatever it does not override passes on, so that no operator
/// can lose progress by forgetting it.
@usableFromInline
class OperatorObserver<Input: Sendable, Output: Sendable>: Observer<Input>, @unchecked Sendable {
  // Sound: immutable here; a source sends one event at a time.
  @usableFromInline final let downstream: Observer<Output>

  @inlinable
  init(_ downstream: Observer<Output>) { self.downstream = downstream }

  @inlinable override func send(progress: ProgressUpdate) { downstream.send(progress: progress) }
  @inlinable override func fail(_ error: any Error) { downstream.fail(error) }
  @inlinable override func complete() { downstream.complete() }
  @inlinable override var isDisposed: Bool { downstream.isDisposed }
}
