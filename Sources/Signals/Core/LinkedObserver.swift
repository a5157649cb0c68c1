/// The base of every operator with one source that can end before its source does: `take`, for example.
///
/// `end` and `fail` end the link first, which disposes the source; whatever comes afterwards is dropped.
@usableFromInline
class LinkedObserver<Input: Sendable, Output: Sendable>: OperatorObserver<Input, Output>,
  @unchecked Sendable
{
  // Sound: immutable here; a source sends one event at a time.
  @usableFromInline final let link: Subscription

  @inlinable
  init(_ downstream: Observer<Output>, _ link: Subscription) {
    self.link = link
    super.init(downstream)
  }

  override func send(progress: ProgressUpdate) {
    if !link.isDisposed { downstream.send(progress: progress) }
  }

  override func fail(_ error: any Error) {
    if link.end() { downstream.fail(error) }
  }

  override func complete() {
    if link.end() { downstream.complete() }
  }

  override var isDisposed: Bool { link.isDisposed || downstream.isDisposed }
}

extension Signal {
  /// Makes the signal of an operator that can end before its source does.
  @inlinable
  func linked<Output>(
    _ observer: @escaping @Sendable (Observer<Output>, Subscription) -> Observer<Value>
  ) -> Signal<Output> {
    Signal<Output>(attaching: { [attach] downstream in
      let link = Subscription()
      link.attach(attach(observer(downstream, link)))
      return link
    })
  }
}
