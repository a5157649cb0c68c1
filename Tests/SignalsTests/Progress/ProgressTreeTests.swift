import Signals
import SignalsTesting
import Testing

/// A tree of signals, with what its definition says about it beside it.
private final class Node {
  enum Kind: CaseIterable { case merge, combineLatest, zip }

  let kind: Kind
  let weight: Double
  let children: [Node]
  /// Of a leaf.
  let subject = Subject<Int>()
  var leafAttempt = 1
  var leafFraction = 0.0

  var naive = NaiveAggregate()
  var completed = 0
  var isComplete = false
  weak var parent: Node?

  init(_ depth: Int, _ generator: inout SeededGenerator) {
    kind = Kind.allCases.randomElement(using: &generator) ?? .merge
    weight = Double(Int.random(in: 1...5, using: &generator))
    let count = depth == 0 ? 0 : Int.random(in: 1...4, using: &generator)
    var children: [Node] = []
    for _ in 0..<count { children.append(Node(depth - 1, &generator)) }
    self.children = children
    for child in children { child.parent = self }
  }

  var leaves: [Node] { children.isEmpty ? [self] : children.flatMap(\.leaves) }

  /// The values play no part: a zip ends with the first that completes, a combineLatest with the last.
  var signal: Signal<Int> {
    if children.isEmpty { return subject.signal }
    let signals = children.map { child in child.signal.weightedForTest(child.weight) }
    switch kind {
    case .merge: return Signal.merge(signals)
    case .combineLatest: return Signal.combineLatest(signals.map { $0.begunForTest }).map { _ in 0 }.silent
    case .zip: return Signal.zip(signals.map(\.silent)).map { _ in 0 }
    }
  }

  var isOver: Bool { isComplete || (parent?.isOver ?? false) }

  /// A child has shown something; returns what the root shows.
  func update(from child: Node, _ attempt: Int, _ fraction: Double?) -> [Shown] {
    guard let id = children.firstIndex(where: { $0 === child }) else { return [] }
    let result = naive.update(id, fraction: fraction, weight: child.weight, attempt: attempt)
    return show(result.attempt, result.fraction)
  }

  func complete(_ child: Node) -> [Shown] {
    guard let id = children.firstIndex(where: { $0 === child }) else { return [] }
    completed += 1
    var all: [Shown] = []
    if let result = naive.complete(id) { all += show(result.attempt, result.fraction) }
    if completed == children.count || kind == .zip { all += completeItself() }
    return all
  }

  func show(_ attempt: Int, _ fraction: Double?) -> [Shown] {
    parent?.update(from: self, attempt, fraction) ?? [Shown(attempt: attempt, fraction: fraction)]
  }

  func completeItself() -> [Shown] {
    isComplete = true
    return parent?.complete(self) ?? []
  }
}

private struct Shown {
  let attempt: Int
  let fraction: Double?

  func isNear(_ update: ProgressUpdate) -> Bool {
    guard attempt == update.attempt else { return false }
    guard let fraction, let other = update.fraction else { return fraction == nil && update.fraction == nil }
    return abs(fraction - other) < 1e-12
  }
}

extension Signal<Int> {
  fileprivate func weightedForTest(_ weight: Double) -> Signal<Int> {
    Signal { observer in
      subscribe {
        observer.send($0)
      } progress: { update in
        var update = update
        update.weight = weight
        observer.send(progress: update)
      } failed: {
        observer.fail($0)
      } completed: {
        observer.complete()
      }
    }
  }

  fileprivate var begunForTest: Signal<Int> {
    Signal { observer in
      observer.send(0)
      return subscribe(observer)
    }
  }

  fileprivate var silent: Signal<Int> { filter { _ in false } }
}

@Suite(.timeLimit(.minutes(2))) struct ProgressTreeTests {
  @Test func `nested merges, zips and combineLatests show what the definition says, and never fall`() {
    var fullEnds = 0
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: seed)
      let root = Node(Int.random(in: 1...3, using: &generator), &generator)
      let recorder = Recorder(root.signal)
      var expected: [Shown] = []
      while !root.isComplete {
        let running = root.leaves.filter { !$0.isOver }
        guard let leaf = running.randomElement(using: &generator) else { break }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
          expected += leaf.completeItself()
          leaf.subject.complete()
          continue
        case 1:
          leaf.leafAttempt += 1
          leaf.leafFraction = 0
        case 2:
          // A piece that falls without saying why.
          leaf.leafFraction /= 2
        default:
          leaf.leafFraction += (1 - leaf.leafFraction) * Double.random(in: 0...0.5, using: &generator)
        }
        expected += leaf.show(leaf.leafAttempt, leaf.leafFraction)
        leaf.subject.send(progress: ProgressUpdate(fraction: leaf.leafFraction, attempt: leaf.leafAttempt))
      }
      let shown = recorder.progress
      #expect(shown.count == expected.count, "seed \(seed)")
      #expect(zip(expected, shown).allSatisfy { $0.isNear($1) }, "seed \(seed)")
      #expect(recorder.hasEnded, "seed \(seed)")
      for (before, after) in zip(shown, shown.dropFirst()) {
        #expect(after.attempt >= before.attempt, "seed \(seed)")
        if after.attempt == before.attempt {
          #expect(after.fraction ?? 0 >= before.fraction ?? 0, "seed \(seed)")
        }
      }
      if root.leaves.allSatisfy(\.isComplete), let last = shown.last {
        #expect(last.fraction == 1, "seed \(seed)")
        fullEnds += 1
      }
    }
    #expect(fullEnds > 50)
  }
}
