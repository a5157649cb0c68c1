/// Decides when the values of several sources make a row: one value of each.
protocol RowMachine<Value>: Sendable {
  associatedtype Value: Sendable

  /// Takes in a value of source number `source`.
  mutating func next(_ value: Value, from source: Int) -> RowStep<Value>

  /// Source number `source` has completed. `true`: no row can come any more.
  mutating func complete(_ source: Int) -> Bool
}

/// What follows from a value.
struct RowStep<Value> {
  /// The row to send, in the order of the sources.
  var row: [Value]?
  /// Whether no row can come any more.
  var isOver = false
}

/// The shell around a `RowMachine`: sends its rows, and the progress of all sources as one.
struct Rows<Machine: RowMachine>: FunnelLogic {
  private var machine: Machine
  private var aggregate: ProgressAggregate

  init(_ machine: Machine, _ aggregate: ProgressAggregate) {
    self.machine = machine
    self.aggregate = aggregate
  }

  mutating func receive(
    _ input: SourceEvent<Machine.Value>, _ downstream: Observer<[Machine.Value]>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input.event {
    case .next(let value):
      let step = machine.next(value, from: input.source)
      if let row = step.row { downstream.send(row) }
      return step.isOver ? .completed : nil
    case .progress(let update):
      downstream.send(progress: aggregate.update(input.source, update))
      return nil
    case .failed(let error):
      return .failed(error)
    case .completed:
      funnel.stop(input.source)
      if let update = aggregate.complete(input.source) { downstream.send(progress: update) }
      return machine.complete(input.source) ? .completed : nil
    }
  }

  static func conflationKey(of input: SourceEvent<Machine.Value>) -> Int? {
    input.conflationKey
  }
}
