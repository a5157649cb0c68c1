extension Signal {
  /// Sends `transform` of each progress, and nothing where that is `nil`. Values and terminals pass unchanged.
  public func mapProgress(
    _ transform: @escaping @Sendable (ProgressUpdate) -> ProgressUpdate?
  ) -> Signal<Value> {
    mapProgress(into: ()) { _, update in transform(update) }
  }

  /// Drops progress. Values and terminals pass unchanged.
  public func ignoreProgress() -> Signal<Value> { mapProgress { _ in nil } }

  /// Says how much this signal counts where several become one, as in `merge`: any measure, the same for all of them.
  ///
  /// It is stamped on each progress, in the place of a weight that the source has given. The operator that makes several
  /// one also knows it before the first progress, if this signal is what it is given. A weight that is not a finite
  /// number above 0 is a programming error.
  ///
  /// ```swift
  /// files.flatMap(.concat, expected: files.count) { upload($0).weighted(by: $0.size) }
  /// ```
  public func weighted(by weight: Double) -> Signal<Value> {
    precondition(
      weight.isFinite && weight > 0, "weighted(by:) takes a finite number above 0, not \(weight)")
    let stamped = mapProgress { update in
      var update = update
      update.weight = weight
      return update
    }
    return Signal(attaching: stamped.attach, traits: SignalTraits(weight: weight))
  }

  /// `mapProgress` with a state for each subscription.
  func mapProgress<State: Sendable>(
    into initial: State,
    _ transform: @escaping @Sendable (inout State, ProgressUpdate) -> ProgressUpdate?
  ) -> Signal<Value> {
    Signal(attaching: { [attach] in attach(MapProgressObserver($0, initial, transform)) })
  }
}

private final class MapProgressObserver<Value: Sendable, State: Sendable>:
  OperatorObserver<Value, Value>, @unchecked Sendable
{
  // Sound: a source sends one event at a time.
  private var state: State
  private let transform: @Sendable (inout State, ProgressUpdate) -> ProgressUpdate?

  init(
    _ downstream: Observer<Value>, _ initial: State,
    _ transform: @escaping @Sendable (inout State, ProgressUpdate) -> ProgressUpdate?
  ) {
    state = initial
    self.transform = transform
    super.init(downstream)
  }

  override func send(_ value: Value) { downstream.send(value) }

  override func send(progress: ProgressUpdate) {
    if let update = transform(&state, progress) { downstream.send(progress: update) }
  }
}
