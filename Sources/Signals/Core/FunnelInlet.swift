/// One side of a funnel: what a source sends becomes an input of the logic.
package final class FunnelInlet<Value: Sendable, Logic: FunnelLogic>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the funnel guards itself.
  private let funnel: Funnel<Logic>
  private let input: @Sendable (Event<Value>) -> Logic.Input

  package init(_ funnel: Funnel<Logic>, _ input: @escaping @Sendable (Event<Value>) -> Logic.Input) {
    self.funnel = funnel
    self.input = input
  }

  package override func send(_ value: Value) { funnel.receive(input(.next(value))) }
  package override func send(progress: ProgressUpdate) { funnel.receive(input(.progress(progress))) }
  package override func fail(_ error: any Error) { funnel.receive(input(.failed(error))) }
  package override func complete() { funnel.receive(input(.completed)) }
  package override var isDisposed: Bool { funnel.isDisposed }
}
