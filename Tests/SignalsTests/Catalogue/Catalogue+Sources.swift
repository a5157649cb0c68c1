import Signals
import SignalsTesting
import Testing

/// An operator that makes a signal of nothing, and what that sends in its first three seconds.
struct SourceEntry: Sendable, CustomTestStringConvertible {
  let declaration: String
  let log: [String]
  let make: @Sendable (VirtualScheduler) -> Signal<String>

  init<Value>(
    _ declaration: String, _ log: [String], make: @escaping @Sendable (VirtualScheduler) -> Signal<Value>
  ) {
    self.declaration = declaration
    self.log = log
    self.make = { make($0).map { "\($0)" } }
  }

  var testDescription: String { declaration }
}

extension Catalogue {
  static let sources: [SourceEntry] = [
    SourceEntry("Signal.just(_:)", ["next(1)", "next(2)", "completed"]) { _ in .just(1, 2) },
    SourceEntry("Signal.from(_:)", ["next(1)", "next(2)", "completed"]) { _ in .from(1...2) },
    SourceEntry("Signal.empty", ["completed"]) { _ in Signal<Int>.empty },
    SourceEntry("Signal.never", []) { _ in Signal<Int>.never },
    SourceEntry("Signal.failed(_:)", ["failed(Broken())"]) { _ in Signal<Int>.failed(Broken()) },
    SourceEntry("Signal.interval(_:on:)", ["next(0)", "next(1)", "next(2)"]) {
      .interval(.seconds(1), on: $0)
    },
    SourceEntry("Signal.timer(after:on:)", ["next(())", "completed"]) { .timer(after: .seconds(1), on: $0) },
  ]
}
