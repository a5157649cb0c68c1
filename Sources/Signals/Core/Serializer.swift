/// Makes an emitter safe to use from any thread: one order, nothing after a terminal.

final class Serializer<Value: Sendable>: Observer<Value>, Disposable, @unchecked Sendable {
  // Sound: immutable; the funnel guards itself.
  private struct PassOn: FunnelLogic {
    mutating func receive(_ event: Event<Value>, _ downstream: Observer<Value>) -> End? {
      switch event {
      case .next(let value): downstream.send(value)
      case .progress(let update): downstream.send(progress: update)
      case .failed(let error): return .failed(error)
      case .completed: return .completed
      }
      return nil
    }
  }

  private let funnel: Funnel<PassOn>

  @usableFromInline
  init(_ downstream: Observer<Value>) { funnel = Funnel(PassOn(), downstream) }

  override func send(_ value: Value) { funnel.receive(.next(value)) }
  override func send(progress: ProgressUpdate) { funnel.receive(.progress(progress)) }
  override func fail(_ error: any Error) { funnel.receive(.failed(error)) }
  override func complete() { funnel.receive(.completed) }
  override var isDisposed: Bool { funnel.isDisposed }

  @usableFromInline
  func add(_ source: (any Disposable)?) { funnel.add(source) }
  @usableFromInline
  func dispose() { funnel.dispose() }
}
