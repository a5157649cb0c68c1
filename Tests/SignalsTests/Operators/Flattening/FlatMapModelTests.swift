import Signals
import SignalsTesting
import Testing

/// The whole of `flatMap`, synchronous inner signals included, against a naive reference of what is sent, subscribed
/// and disposed.
@Suite(.timeLimit(.minutes(2))) struct FlatMapModelTests {
  enum Step: CaseIterable {
    case nextSilent, nextSynchronous, oldestSends, newestSends, oldestCompletes, newestCompletes
    case newestFails, outerCompletes, outerFails, dispose
  }

  /// Inner signals that run until told otherwise, and one value each for those that end at once.
  private final class Inners: Sendable {
    struct State {
      var log: [String] = []
      var running: [Int: Subject<Int>] = [:]
    }
    let state = Lock(State())

    func signal(_ value: Int) -> Signal<Int> {
      // Odd ones end at once.
      guard value % 2 == 0 else {
        return Signal { observer in
          self.state.withLock { $0.log.append("start \(value)") }
          observer.send(value * 100)
          observer.complete()
          return nil
        }
      }
      return Signal { observer in
        let subject = Subject<Int>()
        self.state.withLock {
          $0.log.append("start \(value)")
          $0.running[value] = subject
        }
        let subscription = subject.signal.subscribe(observer)
        return ActionDisposable {
          subscription.dispose()
          self.state.withLock { state in
            if state.running.removeValue(forKey: value) != nil { state.log.append("stop \(value)") }
          }
        }
      }
    }

    func subject(_ value: Int?) -> Subject<Int>? { state.withLock { $0.running[value ?? -1] } }
    /// Before it is told to end by itself: that is no stop.
    func forget(_ value: Int) { state.withLock { $0.running[value] = nil } }
  }

  private struct Reference {
    let strategy: FlattenStrategy
    let limit: Int
    var running: [Int] = []
    var waiting: [Int] = []
    var isOuterCompleted = false
    var events: [String] = []
    var log: [String] = []
    var isOver = false

    mutating func next(_ value: Int) {
      if strategy == .exhaust, !running.isEmpty { return }
      if strategy == .latest {
        for old in running { log.append("stop \(old)") }
        running = []
      }
      if running.count < limit { start(value) } else { waiting.append(value) }
    }

    private mutating func start(_ value: Int) {
      log.append("start \(value)")
      running.append(value)
      guard value % 2 == 1 else { return }
      events.append("next(\(value * 100))")
      completed(value)
    }

    mutating func completed(_ value: Int) {
      running.removeAll { $0 == value }
      if !waiting.isEmpty { return start(waiting.removeFirst()) }
      if running.isEmpty, isOuterCompleted { end("completed") }
    }

    mutating func outerCompleted() {
      isOuterCompleted = true
      if running.isEmpty { end("completed") }
    }

    mutating func end(_ event: String?) {
      isOver = true
      if let event { events.append(event) }
      for old in running { log.append("stop \(old)") }
      running = []
    }
  }

  @Test(arguments: [.merge, .merge(max: 2), .concat, .latest, .exhaust] as [FlattenStrategy])
  func `every short sequence of events sends, subscribes and disposes what it should`(
    strategy: FlattenStrategy
  ) {
    var explored = 0
    func explore(_ steps: [Step], _ depth: Int) {
      for step in Step.allCases {
        let steps = steps + [step]
        guard run(steps, strategy) else { continue }
        explored += 1
        if depth > 1 { explore(steps, depth - 1) }
      }
    }
    explore([], 5)
    #expect(explored > 500)
  }

  /// `false`: the last step can't happen there.
  private func run(_ steps: [Step], _ strategy: FlattenStrategy) -> Bool {
    let limit = strategy == .merge ? Int.max : strategy == .merge(max: 2) ? 2 : 1
    var reference = Reference(strategy: strategy, limit: limit)
    let (outer, inners) = (Subject<Int>(), Inners())
    let recorder = Recorder(outer.signal.flatMap(strategy) { inners.signal($0) })
    var value = 0
    for step in steps {
      guard !reference.isOver else { return false }
      switch step {
      case .nextSilent, .nextSynchronous:
        guard !reference.isOuterCompleted else { return false }
        value += step == .nextSilent ? 2 - value % 2 : 1 + value % 2
        reference.next(value)
        outer.send(value)
      case .oldestSends, .newestSends:
        let target = step == .oldestSends ? reference.running.min() : reference.running.max()
        guard let target, let subject = inners.subject(target) else { return false }
        reference.events += ["next(\(target))"]
        subject.send(target)
      case .oldestCompletes, .newestCompletes, .newestFails:
        let target = step == .oldestCompletes ? reference.running.min() : reference.running.max()
        guard let target, let subject = inners.subject(target) else { return false }
        inners.forget(target)
        if step == .newestFails {
          reference.running.removeAll { $0 == target }
          reference.end("failed(Broken())")
          subject.fail(Broken())
        } else {
          reference.completed(target)
          subject.complete()
        }
      case .outerCompletes, .outerFails:
        guard !reference.isOuterCompleted else { return false }
        if step == .outerFails {
          reference.end("failed(Broken())")
          outer.fail(Broken())
        } else {
          reference.outerCompleted()
          outer.complete()
        }
      case .dispose:
        reference.end(nil)
        recorder.subscription.dispose()
      }
    }
    #expect(recorder.log == reference.events, "\(steps)")
    #expect(inners.state.withLock { $0.log } == reference.log, "\(steps)")
    #expect(Set(inners.state.withLock { $0.running.keys }) == Set(reference.running), "\(steps)")
    return true
  }
}
