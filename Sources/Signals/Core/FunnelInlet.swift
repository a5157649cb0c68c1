/// One side of a funnel: what a source sends becomes an input of the logic.
final class FunnelInlet<Value: Sendable, Logic: FunnelLogic>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the funnel guards itself.
  private let funnel: Funnel<Logic>
  private let key: Int
  private let input: @Sendable (Event<Value>) -> Logic.Input

  init(
    _ funnel: Funnel<Logic>, _ key: Int, _ input: @escaping @Sendable (Event<Value>) -> Logic.Input
  ) {
    self.funnel = funnel
    self.key = key
    self.input = input
  }

  override func send(_ value: Value) { funnel.receive(input(.next(value))) }
  override func send(progress: ProgressUpdate) { funnel.receive(input(.progress(progress))) }
  override func fail(_ error: any Error) { funnel.receive(input(.failed(error))) }
  override func complete() { funnel.receive(input(.completed)) }
  override var isDisposed: Bool { funnel.isDisposed || !funnel.sources.isWanted(key) }
}
