/// An event of one of several sources of one type.
struct SourceEvent<Value: Sendable>: Sendable {
  /// Which source, from 0 on.
  let source: Int
  let event: Event<Value>

  var conflationKey: Int? { if case .progress = event { source } else { nil } }
}

extension Signal {
  /// Makes the signal of an operator with a fixed list of sources; of none, it completes at once.
  ///
  /// They are subscribed in order. When the signal ends meanwhile, the rest is not.
  static func joined<Logic: FunnelLogic>(
    _ signals: [Signal<Value>], by makeLogic: @escaping @Sendable (ProgressAggregate) -> Logic
  ) -> Signal<Logic.Output> where Logic.Input == SourceEvent<Value> {
    guard !signals.isEmpty else { return .empty }
    return Signal<Logic.Output>(attaching: { downstream in
      let progress = ProgressAggregate(weights: signals.map(\.weight))
      let funnel = Funnel(makeLogic(progress), downstream)
      for (index, signal) in signals.enumerated() {
        funnel.attach(index, to: signal) { SourceEvent(source: index, event: $0) }
      }
      return funnel.sources
    })
  }
}
