/// What happens to the values of a batch.
protocol BatchSink<Value, Output>: Sendable {
  associatedtype Value: Sendable
  associatedtype Output: Sendable

  mutating func begin(_ downstream: Observer<Output>)
  mutating func add(_ value: Value)
  /// The batch is whole, or the signal has failed.
  mutating func end(_ downstream: Observer<Output>, _ end: End)
}

/// The shell around a `BatchMachine`: brings it values and times, and a sink its decisions.
struct Batches<Sink: BatchSink>: FunnelLogic {
  enum Input {
    case source(Event<Sink.Value>)
    case timeIsUp(batch: Int)
  }

  /// How long a batch may take, by which clock.
  struct Limit: Sendable {
    let duration: Duration
    let scheduler: any Scheduler
  }

  private static var source: Int { 0 }
  private static var timer: Int { 1 }

  private var machine: BatchMachine
  private var sink: Sink
  private let limit: Limit?

  private init(_ sink: Sink, _ count: Int, _ limit: Limit?) {
    machine = BatchMachine(limit: count)
    self.sink = sink
    self.limit = limit
  }

  static func signal(
    of source: Signal<Sink.Value>, count: Int, _ limit: Limit? = nil,
    into makeSink: @escaping @Sendable () -> Sink
  ) -> Signal<Sink.Output> {
    Signal<Sink.Output>(attaching: { downstream in
      let funnel = Funnel(Batches(makeSink(), count, limit), downstream)
      funnel.attach(Self.source, to: source) { .source($0) }
      return funnel.sources
    })
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Sink.Output>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)):
      let step = machine.next()
      if let batch = step.begins {
        // Before the handlers, which may be slow.
        if let limit {
          funnel.schedule(
            Self.timer, after: limit.duration, on: limit.scheduler, .timeIsUp(batch: batch))
        }
        sink.begin(downstream)
      }
      sink.add(value)
      if step.ends {
        if limit != nil { funnel.stop(Self.timer) }
        sink.end(downstream, .completed)
      }
    case .source(.progress(let update)):
      downstream.send(progress: update)
    case .timeIsUp(let batch):
      guard machine.timeIsUp(for: batch) else { return nil }
      funnel.stop(Self.timer)
      sink.end(downstream, .completed)
    case .source(.failed(let error)):
      if machine.finish() { sink.end(downstream, .failed(error)) }
      return .failed(error)
    case .source(.completed):
      if machine.finish() { sink.end(downstream, .completed) }
      return .completed
    }
    return nil
  }

  static func conflationKey(of input: Input) -> Int? {
    if case .source(.progress) = input { 0 } else { nil }
  }
}
