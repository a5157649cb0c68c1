import MQTT
public import Signals

extension Bus {
  /// A job as a signal, wherever it runs: its values, its progress, and how it ended.
  ///
  /// Done completes the signal; failed, cancelled and lost fail it with a ``JobError``, and so does a new run that
  /// begins while this one is followed; a bus that is closed fails it with ``BusError/closed``. The shown fraction never falls within one attempt of a run. Values are decoded
  /// as by ``signal(_:as:qos:late:progress:onBadPayload:)``.
  ///
  /// ```swift
  /// bus.follow("jobs/backup", of: File.self)
  ///   .subscribe { print($0) } progress: { print($0) } failed: { print($0) } completed: { print("done") }
  /// ```
  public func follow<Value: Decodable & Sendable>(
    _ topic: String, of type: Value.Type, run: FollowedRun = .current
  ) -> Signal<Value> {
    let decode = PayloadCoding.decoder(for: Value.self)
    let topics: JobTopic
    do { topics = try JobTopic(topic) } catch { return .failed(error) }
    return .attaching { [self] downstream in
      let funnel = Funnel(FollowLogic<Value>(FollowMachine(run), core.scheduler), downstream)
      let source = FollowSource(bus: self, funnel: funnel)
      // The state first: of what the broker has in store it tells which run is the current one.
      source.add(0, topics.state) { message in
        try StateMessage(payload: message.payload).map {
          .machine(.state($0, isStored: message.origin != .live))
        }
      }
      source.add(1, topics.progress) { message in
        try ProgressMessage(payload: message.payload).map {
          .machine(.progress($0, isStored: message.origin != .live))
        }
      }
      source.add(2, topics.values) { message in
        message.payload.isEmpty
          ? nil : .value(try decode(message.payload), isStored: message.origin != .live)
      }
      return funnel.sources
    }
  }

  /// A job whose values are taken as they are, or that has none.
  public func follow(_ topic: String, run: FollowedRun = .current) -> Signal<[UInt8]> {
    follow(topic, of: [UInt8].self, run: run)
  }
}

/// Feeds the topics of one job into one funnel.
private struct FollowSource<Value: Sendable> {
  let bus: Bus
  let funnel: Funnel<FollowLogic<Value>>

  func add(
    _ key: Int, _ topic: Topic, _ input: @escaping @Sendable (Message) throws -> FollowLogic<Value>.Input?
  ) {
    guard let filter = try? TopicFilter(topic) else { return }
    let inputs = bus.core.decoding(bus.signal(filter), input)
    funnel.attach(key, to: inputs) { event in
      switch event {
      case .next(let input): input
      case .progress: .ended(nil)
      case .failed(let error): .ended(.failed(error))
      // The bus was closed: that says nothing of the job.
      case .completed: .ended(.failed(BusError.closed))
      }
    }
  }
}

/// Performs what the machine says.
private struct FollowLogic<Value: Sendable>: FunnelLogic {
  enum Input: Sendable {
    case machine(FollowMachine.Input)
    case value(Value, isStored: Bool)
    /// The bus was closed, or refused a topic.
    case ended(End?)
  }

  private var machine: FollowMachine
  private let scheduler: any Scheduler

  init(_ machine: FollowMachine, _ scheduler: any Scheduler) {
    self.machine = machine
    self.scheduler = scheduler
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .ended(let end): return end
    case .machine(let input): return perform(machine.receive(input), nil, downstream, funnel)
    case .value(let value, let isStored):
      return perform(machine.receive(.value(isStored: isStored)), value, downstream, funnel)
    }
  }

  private func perform(
    _ outputs: [FollowMachine.Output], _ value: Value?, _ downstream: Observer<Value>,
    _ funnel: Funnel<Self>
  ) -> End? {
    for output in outputs {
      switch output {
      case .value: value.map(downstream.send)
      case .progress(let update): downstream.send(progress: update)
      case .wait(let token):
        // Only the newest counts. The keys before belong to the topics.
        funnel.schedule(
          3, after: FollowMachine.grace, on: scheduler, .machine(.waited(token: token)))
      case .end(let error): return error.map { .failed($0) } ?? .completed
      }
    }
    return nil
  }
}
