import Signals
import SignalsTesting
import Testing

/// What operators with one source make of one script. What they have in common is proved by the catalogue.
@Suite struct OneSourceTests {
  struct Operator: Sendable, CustomTestStringConvertible {
    let name: String
    let apply: @Sendable (Signal<Int>) -> Signal<String>
    /// What it makes of `script` when the source completes, and when it fails.
    let completing: [String]
    let failing: [String]
    var testDescription: String { name }

    init<Output>(
      _ name: String, _ completing: [String], failing: [String]? = nil,
      _ apply: @escaping @Sendable (Signal<Int>) -> Signal<Output>
    ) {
      self.name = name
      self.completing = completing
      self.failing = failing ?? completing.dropLast() + ["failed(Broken())"]
      self.apply = { apply($0).map { "\($0)" } }
    }
  }

  static let unchanged = [
    "next(1)", "progress(25%)", "next(2)", "next(2)", "progress(50%)", "next(3)", "completed",
  ]

  static func send(_ observer: Observer<Int>, failing: Bool) {
    observer.send(1)
    observer.send(progress: 0.25)
    observer.send(2)
    observer.send(2)
    observer.send(progress: 0.5)
    observer.send(3)
    if failing { observer.fail(Broken()) } else { observer.complete() }
  }

  static let operators: [Operator] = [
    Operator("handleEvents", unchanged) { $0.handleEvents(next: { _ in }, disposed: {}) },
    Operator("log", unchanged) { $0.log(to: { _ in }) },
    Operator("named", unchanged) { $0.named("kitchen") },
    Operator("mapError", unchanged) { $0.mapError { $0 } },
    Operator(
      "tryMap",
      ["next(10)", "progress(25%)", "next(20)", "next(20)", "progress(50%)", "next(30)", "completed"]
    ) { $0.tryMap { $0 * 10 } },
    Operator(
      "scan", ["next(1)", "progress(25%)", "next(3)", "next(5)", "progress(50%)", "next(8)", "completed"]
    ) { $0.scan(0, +) },
    Operator(
      "scan(into:)",
      [
        "next([1])", "progress(25%)", "next([1, 2])", "next([1, 2, 2])", "progress(50%)",
        "next([1, 2, 2, 3])", "completed",
      ]
    ) { $0.scan(into: []) { $0.append($1) } },
    Operator(
      "reduce", ["progress(25%)", "progress(50%)", "next(8)", "completed"],
      failing: ["progress(25%)", "progress(50%)", "failed(Broken())"]
    ) { $0.reduce(0, +) },
    Operator(
      "collect", ["progress(25%)", "progress(50%)", "next([1, 2, 2, 3])", "completed"],
      failing: ["progress(25%)", "progress(50%)", "failed(Broken())"]
    ) { $0.collect() },
    Operator(
      "materialize", unchanged.map { "next(\($0))" } + ["completed"],
      failing: unchanged.dropLast().map { "next(\($0))" } + ["next(failed(Broken()))", "completed"]
    ) { $0.materialize() },
    Operator("dematerialize", unchanged) { $0.materialize().dematerialize() },
    Operator("startWith", ["next(8)", "next(9)"] + unchanged) { $0.startWith(8, 9) },
    Operator(
      "take(2)", ["next(1)", "progress(25%)", "next(2)", "completed"],
      failing: ["next(1)", "progress(25%)", "next(2)", "completed"]
    ) { $0.take(2) },
    Operator(
      "take(while:)", ["next(1)", "progress(25%)", "completed"],
      failing: ["next(1)", "progress(25%)", "completed"]
    ) { $0.take(while: { $0 < 2 }) },
    Operator(
      "take(while:inclusive:)", ["next(1)", "progress(25%)", "next(2)", "completed"],
      failing: ["next(1)", "progress(25%)", "next(2)", "completed"]
    ) { $0.take(while: { $0 < 2 }, inclusive: true) },
    Operator("take(9)", unchanged) { $0.take(9) },
    Operator("skip(0)", unchanged) { $0.skip(0) },
    Operator("skip(2)", ["progress(25%)", "next(2)", "progress(50%)", "next(3)", "completed"]) {
      $0.skip(2)
    },
    Operator(
      "skip(while:)", ["progress(25%)", "next(2)", "next(2)", "progress(50%)", "next(3)", "completed"]
    ) {
      $0.skip(while: { $0 < 2 })
    },
    Operator("skip(until:), opened", unchanged) { $0.skip(until: .just("now")) },
    Operator("skip(until:), shut", ["progress(25%)", "progress(50%)", "completed"]) {
      $0.skip(until: Signal<Int>.never)
    },
    Operator(
      "removeDuplicates", ["next(1)", "progress(25%)", "next(2)", "progress(50%)", "next(3)", "completed"]
    ) { $0.removeDuplicates() },
    Operator("mapProgress", unchanged.map { $0 == "progress(25%)" ? "progress(75%)" : $0 }) {
      $0.mapProgress { $0.fraction == 0.25 ? 0.75 : $0 }
    },
    Operator("ignoreProgress", ["next(1)", "next(2)", "next(2)", "next(3)", "completed"]) {
      $0.ignoreProgress()
    },
    Operator("onlyProgress", ["progress(25%)", "progress(50%)", "completed"]) { $0.onlyProgress() },
    Operator("progressUpdates", ["next(25%)", "next(50%)", "completed"]) { $0.progressUpdates() },
    Operator("weighted", unchanged) { $0.weighted(by: 3) },
    Operator("monotonic", unchanged) { $0.monotonic() },
    Operator("estimated", unchanged) { $0.estimated(on: VirtualScheduler()) },
    Operator(
      "countingProgress",
      [
        "next(1)", "progress(25% 1/4)", "next(2)", "progress(50% 2/4)", "next(2)", "progress(75% 3/4)",
        "next(3)", "progress(100% 4/4)", "completed",
      ]
    ) { $0.countingProgress(total: 4) },
  ]

  @Test(arguments: operators, [true, false])
  func `values, progress and the terminal come out as they should`(op: Operator, failing: Bool) {
    let subject = Subject<Int>()
    let recorder = Recorder(op.apply(subject.signal))
    Self.send(subject, failing: failing)
    #expect(recorder.log == (failing ? op.failing : op.completing))
  }
}
