extension Signal {
  /// Goes on with the signal that `replacement` makes of a failure, instead of failing.
  ///
  /// A failure of that signal is passed on. `replacement` runs on the thread that failed. To try the same again and
  /// again use `retry`: replacements that catch in their turn nest, and each passes on what the next one sends.
  ///
  /// Progress: the replacement's attempt is one above the last, and its fraction may start again.
  public func `catch`(
    _ replacement: @escaping @Sendable (any Error) -> Signal<Value>
  ) -> Signal<Value> {
    Signal(attaching: { downstream in
      let funnel = Funnel(Catch(replacement), downstream)
      funnel.attach(Catch<Value>.source, to: self) { .source($0) }
      return funnel.sources
    })
  }

  /// Sends `value` and completes, instead of failing. Progress passes unchanged.
  public func replaceError(with value: Value) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(ReplaceErrorObserver($0, value)) })
  }
}

struct Catch<Value: Sendable>: FunnelLogic {
  enum Input: Sendable {
    case source(Event<Value>)
    case replacement(Event<Value>)
  }

  // Keys of the funnel.
  static var source: Int { 0 }
  private static var replacement: Int { 1 }

  /// Let go of when it is used: once.
  private var replacement: (@Sendable (any Error) -> Signal<Value>)?
  private var attempts = AttemptCounter()

  init(_ replacement: @escaping @Sendable (any Error) -> Signal<Value>) {
    self.replacement = replacement
  }

  mutating func receive(
    _ input: Input, _ downstream: Observer<Value>, _ funnel: Funnel<Self>
  ) -> End? {
    switch input {
    case .source(.next(let value)), .replacement(.next(let value)):
      downstream.send(value)
    case .source(.progress(let update)), .replacement(.progress(let update)):
      downstream.send(progress: attempts.stamp(update))
    case .source(.completed), .replacement(.completed):
      return .completed
    case .replacement(.failed(let error)):
      return .failed(error)
    case .source(.failed(let error)):
      funnel.stop(Self.source)
      attempts.restart()
      let replacement = replacement.take()
      funnel.start(Self.replacement) {
        replacement?(error).attach(funnel.inlet(Self.replacement) { .replacement($0) })
      }
    }
    return nil
  }
}

private final class ReplaceErrorObserver<Value: Sendable>: OperatorObserver<Value, Value>,
  @unchecked Sendable
{
  // Sound: immutable.
  private let value: Value

  init(_ downstream: Observer<Value>, _ value: Value) {
    self.value = value
    super.init(downstream)
  }

  override func send(_ value: Value) { downstream.send(value) }

  override func fail(_ error: any Error) {
    downstream.send(value)
    downstream.complete()
  }
}
