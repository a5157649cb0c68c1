import Testing

@testable import Signals

/// What the rules say, word for word, without a thought for speed.
private struct Reference {
  let policy: BufferPolicy
  var kept: [Piece] = []
  var waiters: [Int] = []
  var end: String?
  var isCancelled = false
  var dropped = 0

  mutating func send(_ piece: Piece) -> Int? {
    guard end == nil, !isCancelled else { return nil }
    if !waiters.isEmpty { return waiters.removeFirst() }
    kept.append(piece)
    let bound: Int? =
      switch policy {
      case .unbounded: nil
      case .newest(let bound), .oldest(let bound): bound
      }
    if let bound, kept.filter({ !$0.isProgress }).count > bound {
      let values = kept.indices.filter { !kept[$0].isProgress }
      let index = if case .newest = policy { values.first } else { values.last }
      if let index { kept.remove(at: index) }
      dropped += 1
    }
    // Of progress that stands side by side only the last is left.
    kept = kept.indices.filter { index in
      !kept[index].isProgress || index + 1 == kept.count || !kept[index + 1].isProgress
    }.map { kept[$0] }
    return nil
  }

  /// All at once where there is no bound, else the first: the others may still give way.
  mutating func take() -> [String] {
    if isCancelled { return ["cancelled"] }
    if kept.isEmpty { return end.map { [$0] } ?? [] }
    let count = policy == .unbounded ? kept.count : 1
    defer { kept.removeFirst(count) }
    return kept.prefix(count).map(\.description)
  }
}

private struct Piece: Equatable, CustomStringConvertible {
  let number: Int
  let isProgress: Bool
  var description: String { isProgress ? "p\(number)" : "v\(number)" }
}

/// Both side by side; a value, so that a search can copy it.
private struct Pair {
  var buffer: AsyncBuffer<Piece, Int>
  var reference: Reference
  var number = 0
  var trace: [String] = []

  enum Step: CaseIterable { case value, progress, end, take, takeOrWait, cancel }

  init(_ policy: BufferPolicy) {
    buffer = AsyncBuffer(policy) { $0.isProgress }
    reference = Reference(policy: policy)
  }

  mutating func perform(_ step: Step) {
    trace.append("\(step)")
    number += 1
    switch step {
    case .value:
      let piece = Piece(number: number, isProgress: false)
      #expect(buffer.send(piece).waiter == reference.send(piece), "\(trace)")
    case .progress:
      let piece = Piece(number: number, isProgress: true)
      #expect(buffer.send(progress: piece) == reference.send(piece), "\(trace)")
    case .end:
      let waiters = Array(buffer.end(number.isMultiple(of: 2) ? .completed : .failed(Broken())).elements)
      #expect(waiters == reference.waiters, "\(trace)")
      reference.waiters = []
      reference.end = reference.end ?? (number.isMultiple(of: 2) ? "completed" : "failed(Broken())")
    case .take:
      take()
    case .takeOrWait:
      if take() { return }
      buffer.wait(number)
      reference.waiters.append(number)
    case .cancel:
      #expect(Array(buffer.cancel().elements) == reference.waiters, "\(trace)")
      reference.waiters = []
      reference.isCancelled = true
    }
    #expect(buffer.dropped == reference.dropped, "\(trace)")
    #expect(Array(buffer.elements.elements) == reference.kept, "\(trace)")
  }

  /// Takes all that is left, and looks once more.
  mutating func performTakes() {
    while !reference.kept.isEmpty, !reference.isCancelled { perform(.take) }
    perform(.take)
  }

  @discardableResult
  private mutating func take() -> Bool {
    var batch = Ring<Piece>()
    var taken: [String] = []
    switch buffer.take(into: &batch) {
    case .element(let first): taken = ([first] + batch.elements).map(\.description)
    case .ended(.completed): taken = ["completed"]
    case .ended(.failed(let error)): taken = ["failed(\(error))"]
    case .cancelled: taken = ["cancelled"]
    case nil: break
    }
    #expect(taken == reference.take(), "\(trace)")
    return !taken.isEmpty
  }
}

@Suite struct AsyncBufferTests {
  @Test(arguments: [
    BufferPolicy.unbounded, .newest(0), .newest(1), .newest(2), .oldest(0), .oldest(1), .oldest(2),
  ])
  func `every short sequence gives what the rules say`(policy: BufferPolicy) {
    var explored = 0
    func explore(_ pair: Pair, _ depth: Int) {
      var left = pair
      left.performTakes()
      explored += 1
      guard depth > 0 else { return }
      for step in Pair.Step.allCases {
        var next = pair
        next.perform(step)
        explore(next, depth - 1)
      }
    }
    explore(Pair(policy), 5)
    #expect(explored > 9_000)
  }

  @Test(arguments: [BufferPolicy.unbounded, .newest(1), .newest(2), .newest(3), .oldest(2)])
  func `every longer sequence of values and progress gives what the rules say`(policy: BufferPolicy) {
    for bits in 0..<(1 << 11) {
      var pair = Pair(policy)
      for bit in 0..<11 { pair.perform(bits >> bit & 1 == 0 ? .value : .progress) }
      pair.performTakes()
    }
  }

  @Test(arguments: [BufferPolicy.unbounded, .newest(1), .newest(2), .oldest(2)])
  func `every longer sequence in which some are taken gives what the rules say`(policy: BufferPolicy) {
    let steps = [Pair.Step.value, .progress, .take]
    for number in 0..<6561 {
      var pair = Pair(policy)
      var rest = number
      for _ in 0..<8 {
        pair.perform(steps[rest % 3])
        rest /= 3
      }
      pair.performTakes()
    }
  }

  @Test func `progress that a dropped value kept apart is one afterwards`() {
    var buffer = AsyncBuffer<Piece, Int>(.newest(1)) { $0.isProgress }
    _ = buffer.send(progress: Piece(number: 1, isProgress: true))
    _ = buffer.send(Piece(number: 2, isProgress: false))
    _ = buffer.send(progress: Piece(number: 3, isProgress: true))
    let displaced = buffer.send(Piece(number: 4, isProgress: false)).displaced
    #expect(displaced?.description == "v2")
    #expect(buffer.elements.elements.map(\.description) == ["p3", "v4"])
  }
}
