import Testing

@testable import Signals

@Suite struct BatchMachineTests {
  private enum Step: CaseIterable { case next, timeIsUp, oldTimeIsUp, finish }

  /// The batches so far, as lists of their lengths: the last one is open while `isOpen`.
  private struct Naive {
    var lengths: [Int] = []
    var isOpen = false
  }

  @Test(arguments: [1, 2, 3, Int.max])
  func `every short sequence of values and times makes batches as defined`(limit: Int) {
    var explored = 0
    func walk(_ machine: BatchMachine, _ naive: Naive, _ tokens: [Int], _ trace: [Step], _ depth: Int) {
      explored += 1
      guard depth > 0 else { return }
      for step in Step.allCases {
        var (machine, naive, tokens) = (machine, naive, tokens)
        let trace = trace + [step]
        switch step {
        case .next:
          let answer = machine.next()
          #expect((answer.begins != nil) == !naive.isOpen, "\(trace)")
          if let token = answer.begins {
            #expect(!tokens.contains(token), "\(trace)")
            tokens.append(token)
            naive.lengths.append(0)
          }
          naive.lengths[naive.lengths.count - 1] += 1
          naive.isOpen = naive.lengths.last != limit
          #expect(answer.ends == !naive.isOpen, "\(trace)")
        case .timeIsUp:
          guard let token = tokens.last else { continue }
          #expect(machine.timeIsUp(for: token) == naive.isOpen, "\(trace)")
          naive.isOpen = false
        case .oldTimeIsUp:
          guard let token = tokens.dropLast().last else { continue }
          #expect(machine.timeIsUp(for: token) == false, "\(trace)")
        case .finish:
          #expect(machine.finish() == naive.isOpen, "\(trace)")
          naive.isOpen = false
        }
        walk(machine, naive, tokens, trace, depth - 1)
      }
    }
    walk(BatchMachine(limit: limit), Naive(), [], [], 8)
    #expect(explored > 5_000)
  }
}
